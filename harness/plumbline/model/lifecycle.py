"""The JSON document of life-cycle measurements: what a developer waits for, and what a process needs.

Written once, beside the logs of every run. Bytes and seconds are in the names of the metrics.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Frozen
from .host import CpuSets, HostFacts

LIFECYCLE_SCHEMA_VERSION = 1


class LifecycleRun(Frozen):
    """A run of one step for one subject: a fresh process, from a clean tree where the step builds.

    Block 0 is run and thrown away: it fills Maven's repository and the page cache. `problem` says in a sentence why a
    run has no `values`. `log` is a file below the document's folder.
    """

    number: int
    block: int
    subject: str
    step: str
    command_line: tuple[str, ...]
    values: dict[str, float]
    log: str
    problem: str | None = None


class Absent(Frozen):
    """A step that a subject does not have (`none`), or that this host can't do (`unavailable`), and why."""

    subject: str
    step: str
    kind: Literal["none", "unavailable"]
    why: str


class LifecycleFigure(Frozen):
    """The mean over the counted runs with a t interval; `low` and `high` are None with fewer than two runs."""

    subject: str
    step: str
    metric: str
    runs: int
    failed_runs: int
    mean: float | None
    low: float | None
    high: float | None
    confidence: float


class LifecycleProvenance(Frozen):
    """The origin of the figures."""

    commit: str | None
    dirty: bool | None
    locks: dict[str, str] = Field(description="file below the checkout -> SHA-256")
    python: str
    jdk: str
    maven: str
    k6: str
    command_line: tuple[str, ...]
    started_at: str
    ended_at: str


class Lifecycle(Frozen):
    """A session of life-cycle measurements. `whole` is false where it was interrupted."""

    schema_version: int = LIFECYCLE_SCHEMA_VERSION
    session: str
    host: HostFacts
    sets: CpuSets
    placement: str
    provenance: LifecycleProvenance
    seed: int
    blocks: int
    requests: int = Field(description="requests of the load before memory is read")
    subjects: tuple[str, ...]
    steps: tuple[str, ...]
    runs: tuple[LifecycleRun, ...]
    absent: tuple[Absent, ...]
    figures: tuple[LifecycleFigure, ...]
    whole: bool
