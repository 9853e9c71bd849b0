"""Makes the parameters of a phase of load: the one JSON file that a scenario in k6/ reads."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import ConfigDict

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.model.evidence import PART_QUANTILES, QUANTILES
from plumbline.model.plan import Phase, Scenario, UseCase, vus_of

# To compare every body costs k6 two fifths more CPU time, one in a hundred a tenth of that (docs/promises.md).
CHECK_EVERY = 100
# So many bodies find a fault of one answer in a thousand with 99 % probability: log(0.01) / log(0.999), and a few more.
COMPARED_MIN = 4700
# No operation of the workloads takes a second; a subject that hasn't answered after ten hangs.
TIMEOUT_S = 10.0
# VUs of one use case of a mix: a few visitors come each minute, and each stays for several requests. All use cases
# together may have more VUs than OPEN_VUS: R16 counts no more, and the others open connections for half a percent of
# the requests of the study's mix at most (test_mix.py).
VISITORS = (5, 500)

Executor = Literal["constant-vus", "ramping-vus", "constant-arrival-rate", "shared-iterations"]


class Target(Frozen):
    """The target of a load: its address, what stands for {name} in paths, and the body every answer must have.

    `golden` is None where answers differ, as those of POST do; `changed` is the golden body once the harness has
    changed a row that is served, None where it changes none.
    """

    base_url: str
    name: str
    golden: str | None
    changed: str | None = None
    insecure_tls: bool = False


class LoadUseCase(Frozen):
    """A use case of a mix: what one visitor asks for, in order, and how many come a minute in this phase."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    name: str
    arrivals_per_minute: int
    requests: tuple[str, ...]
    vus: int
    """VUs of an open load, all made before it starts."""


class LoadParams(Frozen):
    """Parameters of one phase, the JSON file that a scenario reads; k6/lib/shapes.ts is made of this model."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    phase: str
    executor: Executor
    base_url: str
    operation: str
    name: str
    """Stands for {name} in paths."""
    golden: str | None
    """The exact body that a sampled answer must have; null when there is none to compare with."""
    golden_bytes: int
    """The length of `golden` in bytes, which every answer that says its length must have; 0 where there is none."""
    changed: str | None
    """What the golden body becomes once the harness has changed a row that is served; null where it changes none."""
    insecure_tls: bool
    duration_s: float
    """Seconds of load in one cycle."""
    pause_s: float
    """Seconds of rest after each cycle."""
    cycles: int
    vus: int
    """Connections of closed load; VUs of an open load, all made before it starts."""
    rate_per_s: int | float
    """Arrivals a second of open load; 0 for closed load."""
    iterations: int
    """Requests of a load that ends by count, in `duration_s` at the longest; 0 where it ends by time."""
    timeout_s: float
    check_every: int
    """One answer of so many is read and compared, at least."""
    compared_min: int
    """So many answers of the phase are compared, spread over its time; all where there are fewer."""
    use_cases: tuple[LoadUseCase, ...]
    """The use cases of a mix, which take the place of `operation`; none for a load of one operation."""
    quantiles: tuple[str, ...]
    """Names of trend statistics on the grid, in ascending order: p(0), p(1), ... p(99.99)."""
    part_quantiles: tuple[str, ...]
    """Those of them that each use case of a mix, and each of its requests, is told by."""
    summary: Path
    """The file that the scenario leaves."""


def quantile_name(quantile: float) -> str:
    """Return k6's name of a quantile of a trend: 0.999 is p(99.9)."""
    return f"p({round(quantile * 100, 4):g})"


def params_of(
    phase: Phase,
    scenario: Scenario,
    target: Target,
    summary: Path,
    timeout_s: float = TIMEOUT_S,
    check_every: int = CHECK_EVERY,
    compared_min: int = COMPARED_MIN,
    requests: int | None = None,
    generators: int = 1,
) -> LoadParams:
    """Return the parameters of one phase. With `requests` it has exactly so many, and its duration is the longest time
    that they may take. Over several `generators`, each with CPUs and memory of its own, open load has so many times
    the VUs of one generator. Raises UsageError when the phase has neither connections nor a rate.
    """
    if phase.rate_per_s is not None:
        executor: Executor = "constant-arrival-rate"
        vus = vus_of(phase.rate_per_s, phase.duration_s, generators)
    elif phase.connections is not None:
        timed_executor: Executor = "constant-vus" if phase.cycles == 1 else "ramping-vus"
        executor = timed_executor if requests is None else "shared-iterations"
        vus = phase.connections
    else:
        raise UsageError(
            f"The phase '{phase.name}' of {scenario.id} has neither connections nor a rate.",
            "Give the scenario connections, or the open phase its rates, in bench.toml.",
        )
    return LoadParams(
        phase=phase.name,
        executor=executor,
        base_url=target.base_url,
        operation=scenario.operation,
        name=target.name,
        golden=target.golden,
        golden_bytes=len((target.golden or "").encode()),
        changed=target.changed,
        insecure_tls=target.insecure_tls,
        duration_s=phase.duration_s,
        pause_s=phase.pause_s,
        cycles=phase.cycles,
        vus=vus,
        rate_per_s=phase.rate_per_s or 0,
        iterations=requests or 0,
        timeout_s=timeout_s,
        check_every=check_every,
        # Answers of an unmeasured phase are compared only now and then.
        compared_min=0 if phase.kind == "warm-up" else compared_min,
        use_cases=tuple(_load_use_case(use_case, phase, generators) for use_case in scenario.use_cases),
        quantiles=tuple(quantile_name(quantile) for quantile in QUANTILES),
        part_quantiles=tuple(quantile_name(quantile) for quantile in PART_QUANTILES),
        summary=summary,
    )


def _load_use_case(use_case: UseCase, phase: Phase, generators: int) -> LoadUseCase:
    arrivals_per_minute = use_case.arrivals_per_minute * (phase.multiplier or 1)
    requests_per_s = arrivals_per_minute / 60 * len(use_case.requests)
    return LoadUseCase(
        name=use_case.name,
        arrivals_per_minute=arrivals_per_minute,
        requests=use_case.requests,
        vus=vus_of(requests_per_s, phase.duration_s, generators, VISITORS),
    )
