"""How the control scatters on this host: the frozen program of a checkout, measured against itself."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from .refused import Refused

CONTROL = "control/jvm/pg"
METRIC = "app_cpu_us_per_request"
# Twenty short trials. A measured part of less than 15 s is never proven steady, and then there is no figure.
WORDS = (
    *("compare", CONTROL, CONTROL, "--design", "interleaved", "--most-pairs", "10", "--all-pairs"),
    *("--scale", "0.8", "--budget", "1h", "--json"),
)
# The scatter that bare metal should reach once it is set up.
GOAL = 0.005
WITHIN_S = 7200


@dataclass(frozen=True)
class Scatter:
    """The standard deviation of the control's CPU time a request over its mean, in one phase of one scenario."""

    record: str
    scenario: str
    phase: str
    trials: int
    cv: float


def program_of(checkout: Path) -> Path:
    """Return the command of a checkout. Raises Refused if there is none."""
    program = checkout.absolute() / "bench"
    if not program.is_file():
        raise Refused(f"There is no {program}.", "Name a checkout of Plumbline by --harness.")
    return program


def scatter(checkout: Path) -> Scatter:
    """Measure the scatter by `./bench compare` of the control with itself. Raises Refused if that does not work."""
    command = [str(program_of(checkout)), *WORDS]
    try:
        process = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=WITHIN_S)
        answer = json.loads(process.stdout)
        if "error" in answer:
            raise Refused(f"The control was not measured: {answer['error']}", answer["next_step"])
        record = answer["record"]
        document = json.loads(Path(record).read_bytes())
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        raise Refused(
            f"The control was not measured ({type(error).__name__}).", f"`{' '.join(command)}` says why."
        ) from None
    return scatter_of(document, str(record))


def scatter_of(record: dict[str, Any], path: str) -> Scatter:
    """Return the scatter of a record's trials, in the phase with most of them. Raises Refused for fewer than two."""
    values_by_phase: dict[tuple[str, str], list[float]] = {}
    for trial in record["trials"]:
        if trial["role"] != "discarded" and trial["subject"] == CONTROL and trial["verdict"] != "invalid":
            for phase, metrics in trial["figures"].items():
                if METRIC in metrics:
                    values_by_phase.setdefault((trial["scenario"], phase), []).append(metrics[METRIC])
    (scenario, phase), values = max(values_by_phase.items(), key=lambda item: len(item[1]), default=(("", ""), []))
    if len(values) < 2:
        raise Refused("Fewer than two trials of the control count.", f"`./bench show` of {path} says why.")
    return Scatter(path, scenario, phase, len(values), round(stdev(values) / mean(values), 6))
