"""`bench.toml`: suites, scenarios, defaults, hosts. The file that pull requests tweak."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator, model_validator

from plumbline.model.base import Frozen
from plumbline.model.host import HostClass
from plumbline.model.plan import UseCase

_DURATION = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?)(?P<unit>ms|s|m|h)\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _seconds(value: Any) -> float:
    match = _DURATION.match(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError('a time needs a unit, such as "500ms", "30s", "15m" or "8h"')
    seconds = float(match["number"]) * _SECONDS[match["unit"]]
    if not math.isfinite(seconds):
        raise ValueError("no clock counts so far")
    return seconds


def _rate(value: Any) -> int | float | str:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if isinstance(value, str) and re.fullmatch(r"x[1-9][0-9]{0,4}", value):
        return value
    match = re.fullmatch(r"([1-9][0-9]?)%", value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(
            'a rate is requests a second (200), a share of the slowest subject\'s capacity ("80%"), or a multiple of '
            'the arrivals of a mix ("x10")'
        )
    return int(match[1]) / 100


# The load of one cycle of a warm-up that goes on until steady, unless a suite says otherwise.
CYCLE_S = 5.0

Seconds = Annotated[float, BeforeValidator(_seconds)]
Rate = Annotated[int | float | str, BeforeValidator(_rate)]


class PhaseSpec(Frozen):
    """A phase of every trial of a suite. `rates` belongs to `open`; `cycles`, `pause` and `until` to `warm-up`.

    A warm-up `until = "steady"` has cycles of `time` until nothing falls any more; `least` and `most` bound its load.
    """

    kind: Literal["warm-up", "closed", "open"]
    time: Seconds = CYCLE_S
    rates: tuple[Rate, ...] = ()
    cycles: int = Field(default=1, ge=1)
    pause: Seconds = 0.0
    until: Literal["steady"] | None = None
    least: Seconds | None = None
    most: Seconds | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> PhaseSpec:
        if (self.kind == "open") != bool(self.rates):
            raise ValueError("'rates' belongs to phases of kind 'open', and they need it")
        if self.kind != "warm-up" and (self.cycles != 1 or self.pause):
            raise ValueError("'cycles' and 'pause' belong to phases of kind 'warm-up'")
        if self.until is None and "time" not in self.model_fields_set:
            raise ValueError("'time' is needed: how long the phase lasts")
        if self.time <= 0:
            raise ValueError("'time' must be more than nothing")
        return self

    @model_validator(mode="after")
    def _ends_somewhere(self) -> PhaseSpec:
        if (self.until is None) != (self.least is None) or (self.until is None) != (self.most is None):
            raise ValueError("'until', 'least' and 'most' belong together")
        if self.until is not None and self.kind != "warm-up":
            raise ValueError("'until' belongs to phases of kind 'warm-up'")
        if self.until is not None and "cycles" in self.model_fields_set:
            raise ValueError("a warm-up until steady has as many cycles as it takes: leave 'cycles' out")
        if self.least is not None and self.most is not None and not self.time <= self.least <= self.most:
            raise ValueError("a cycle ('time') must be no longer than 'least', and 'least' no longer than 'most'")
        return self


class ScenarioSpec(Frozen):
    """A workload with its script and the operation that is loaded. A change of what is measured bumps `version`.

    `prepare`, `grows`, `source_latency` and `control_operation` are those of model.plan.Scenario. `only_on` are the
    values of a variant's `serves_on` that have the operation, empty for all. A scenario with `phases` of its own runs
    them instead of the suite's; so does a mix of `use_cases`, since the rates of one kind of open load are none of the
    other. The rates of a `ramp` end where the load generator of a host can prove no more. Closed load has so many
    `connections`, on small hosts no more than `connections_per_cpu` for each CPU of the application.
    """

    about: str
    version: int = Field(ge=1)
    workload: str
    script: str
    operation: str
    connections: int = Field(ge=1, le=10_000)
    connections_per_cpu: int | None = Field(default=None, ge=1, le=10_000)
    saturates: bool = True
    prepare: str | None = Field(default=None, pattern=r"^[a-z][a-z-]*$")
    grows: tuple[str, ...] = ()
    source_latency: Seconds | None = None
    control_operation: str | None = None
    only_on: tuple[str, ...] = ()
    use_cases: tuple[UseCase, ...] = ()
    ramp: bool = False
    phases: tuple[PhaseSpec, ...] = ()

    @model_validator(mode="after")
    def _rates_are_of_its_kind(self) -> ScenarioSpec:
        rates = [rate for phase in self.phases for rate in phase.rates]
        if self.use_cases and not rates:
            raise ValueError("a mix of 'use_cases' needs 'phases' of its own, with rates such as \"x10\"")
        for rate in rates:
            if isinstance(rate, str) != bool(self.use_cases):
                raise ValueError(
                    f"the rate {rate!r} does not fit: \"x10\" belongs to a mix of 'use_cases', and only that"
                )
        if self.ramp and (not rates or not all(isinstance(rate, int) for rate in rates)):
            raise ValueError("a ramp needs 'phases' of its own, with rates such as 20000")
        names = [use_case.name for use_case in self.use_cases]
        if len(set(names)) != len(names):
            raise ValueError("two of its 'use_cases' have the same name")
        return self

    def connections_on(self, app_cpus: int | None) -> int:
        """Return the connections of closed load where the application has so many CPUs; None if that is not known."""
        if app_cpus is None or self.connections_per_cpu is None:
            return self.connections
        return min(self.connections, self.connections_per_cpu * app_cpus)


class SuiteSpec(Frozen):
    """A named selection of subjects x scenarios with a budget.

    `subjects` are measured every time, each subject of `rotation` on one night of the week. In a `partial` suite
    a subject takes part in those scenarios that it has; in any other it has to have all of them. `proofs` are rules
    that trials at the end of the session prove (plan/proofs.py). `hosted` is the suite that a campaign measures in
    place of this one on a hosted runner, which has hours where a lab has a night.
    """

    about: str
    hosted: str | None = None
    subjects: tuple[str, ...] = Field(min_length=1)
    rotation: tuple[str, ...] = ()
    partial: bool = False
    scenarios: tuple[str, ...] = Field(min_length=1)
    blocks: int = Field(ge=1, le=200)
    budget: Seconds
    phases: tuple[PhaseSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_no_multiples(self) -> SuiteSpec:
        for rate in (rate for phase in self.phases for rate in phase.rates):
            if isinstance(rate, str):
                raise ValueError(f"the rate {rate!r} is a multiple of a mix, which has 'phases' of its own")
        return self

    proofs: tuple[Literal["R2", "R6"], ...] = ()


class HostSpec(Frozen):
    """A host by name. `host_class` may lower the class that the machine shows by itself, never raise it.

    `collector` is where applications with the setting otel=agent send their spans, by OTLP over HTTP.
    """

    host_class: HostClass | None = Field(default=None, alias="class")
    placement: Literal["auto", "cgroup2", "cgroup1", "taskset"] = "auto"
    database: str = "embedded"
    collector: str | None = Field(default=None, pattern=r"^https?://[A-Za-z0-9.-]+:[0-9]{1,5}$")

    @field_validator("database")
    @classmethod
    def _is_a_word_or_an_address(cls, text: str) -> str:
        try:
            _ = urlsplit(text).port
        except ValueError as error:
            raise ValueError(f"no address of a database: {error}") from error
        return text


class BenchSpec(Frozen):
    """The content of bench.toml. `defaults` are the settings that every subject has unless its id says otherwise.

    `compare_suite` is what `./bench compare` runs unless told otherwise; without it, `default_suite`.
    `quick_suite` is what `./bench run --quick` runs.
    """

    default_suite: str
    compare_suite: str | None = None
    quick_suite: str | None = None
    control: str
    defaults: dict[str, str]
    scenarios: dict[str, ScenarioSpec]
    suites: dict[str, SuiteSpec]
    hosts: dict[str, HostSpec] = Field(default_factory=dict)


# A rotation spreads too many subjects for one night over the nights of a week, each on a fixed one: by the weekday in
# UTC alone, so that everybody can tell without looking at what was measured. A night that is missed is missed: its
# subjects come again a week later, or when somebody starts that night by hand.
NIGHTS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def rotation_of(suite: SuiteSpec, weekday: int) -> tuple[str, ...]:
    """Return the subjects of one night besides the constant ones; `weekday` counts from 0, Monday."""
    return suite.rotation[weekday :: len(NIGHTS)]
