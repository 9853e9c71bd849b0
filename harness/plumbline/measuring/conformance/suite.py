"""Checks a subject in every part: the contract, a lost database, a short load beside the control."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from plumbline.measuring.run.application import CONTRACT_TIMEOUT_MS
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.testbed import Testbed
from plumbline.model.errors import AnswerIsNo
from plumbline.model.subject import is_native
from plumbline.subjects.catalog.variant import Variant
from plumbline.verdicts.contract.budgets import QueryBudget, read_budgets
from plumbline.verdicts.contract.waits import ORDER
from .checks import CHECKS, REQUESTS, Sentences, budget, first_refusal, golden, insert_race, sources, transactions
from .lost_database import gone_and_back, proxied, through_proxy
from .pinning import pinned
from .serving import job_to_check, on_one_connection, serves, serving
from .silent_sources import without_sources
from .under_load import under_load

TLS = {"db-tls": "require", "http-tls": "on"}
TUNED, DEFAULTS = "+profile=tuned", "+profile=defaults"
VIRTUAL = "+threads=virtual"


# A delay as by a network: longer than a program takes to send all that does not wait for the answer.
_ANSWER_DELAY_S = 0.005


@dataclass(frozen=True)
class PartResult:
    """The result of one part: its name, and sentences on where the subject falls short.

    `trips` has the round trips of a request by operation, `pins` how many waits of a request were pinned.
    """

    name: str
    problems: Sentences
    trips: Mapping[str, float] = field(default_factory=dict)
    pins: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Extent:
    """The extent of a check: the contract, one case, a count, or everything.

    Without `everything` the contract's checks end after the first kind that fails, since later failures often follow
    from it.
    """

    contract_only: bool = False
    case: str | None = None
    round_trips: bool = False
    pinned: bool = False
    everything: bool = False


ALL = Extent(everything=True)


def subjects_on(variant: Variant, engine: str, packaging: str | None = None) -> tuple[str, ...]:
    """Return the subjects of a variant on an engine: the plain one, and where the variant has the settings, one with
    all its TLS, one of each other profile, and one on virtual threads.

    They are of the variant's first packaging, unless `packaging` names another.
    """
    packaging = packaging or next(iter(variant.spec.packaging))
    plain = f"{variant.id}/{packaging}/{engine}"
    setting_names = set(variant.spec.settings) - ({"db-tls"} if engine == "none" else set())
    decided = set(variant.decided(packaging))
    setting_names -= decided
    tls_suffix = "".join(f"+{name}={value}" for name, value in TLS.items() if name in setting_names)
    profile_names = variant.spec.settings["profile"] if "profile" in setting_names else ()
    profiles = [
        suffix
        for value, suffix in (("tuned", TUNED), ("defaults", DEFAULTS))
        if value in profile_names and f"profile={value}" not in decided
    ]
    suffixes = ([tls_suffix] if tls_suffix else []) + profiles + ([VIRTUAL] if "threads" in setting_names else [])
    return (plain, *(plain + suffix for suffix in suffixes))


def check_conformance(testbed: Testbed, context: Context, subject: str, extent: Extent = ALL) -> Iterator[PartResult]:
    """Check a subject part by part, and yield the result of each part; the testbed's database must be of the subject's
    engine. Raises BuildFailed.

    TLS changes how bytes travel and nothing else, so a subject with TLS is checked by the contract alone. A program
    without a server is checked by its load alone, which gives it batches and compares their results. A subject with a
    framework's own starter, whose timeouts nothing states, is not checked with a lost database, and neither is one with
    another `db-timeout` than the contract's.
    """
    job = job_to_check(context, testbed, subject)
    spec = job.variant.spec
    is_countable = spec.serves_on != "cli" and job.subject.engine != "none" and takes_pool_settings(job)
    if extent.round_trips or extent.pinned:
        if extent.round_trips and is_countable:
            yield _round_trips_part(testbed, context, job)
        if extent.pinned and _on_virtual_threads(job):
            yield _pinned_threads_part(testbed, context, job)
        return
    if spec.serves_on != "cli":
        part_name = "contract" if extent.case is None else f"case {extent.case}"
        yield PartResult(part_name, _sentences(partial(_contract, testbed, context, job, extent)))
        if extent.contract_only or extent.case is not None:
            return
        if is_countable and "fruits" in spec.workloads and job.settings["db-timeout"] == CONTRACT_TIMEOUT_MS:
            yield PartResult("database gone", _sentences(partial(gone_and_back, testbed, job)))
        if is_countable and serves(spec, ORDER):
            yield PartResult("sources gone", _sentences(partial(without_sources, testbed, job)))
    if is_countable:
        yield _round_trips_part(testbed, context, job)
        if _on_virtual_threads(job):
            yield _pinned_threads_part(testbed, context, job)
    if not _over_tls(job):
        yield PartResult("load", under_load(testbed, context, context.job(subject)))


def _over_tls(job: Job) -> bool:
    return bool(TLS.keys() & job.subject.settings.keys())


def _on_virtual_threads(job: Job) -> bool:
    """Return whether virtual threads serve, in a JVM that the host can ask."""
    virtual = job.variant.spec.serves_on == "virtual" or job.settings["threads"] == "virtual"
    return virtual and not is_native(job.subject.packaging) and job.image is None


def takes_pool_settings(job: Job) -> bool:
    """Return whether checks may run the subject with a pool of one and with short timeouts.

    A framework's own starter decides on both by itself, and with TLS the checks need neither.
    """
    return not _over_tls(job) and job.settings["profile"] != "defaults"


def _round_trips_part(testbed: Testbed, context: Context, job: Job) -> PartResult:
    trips: dict[str, float] = {}

    def count() -> Sentences:
        trips.update(round_trips(testbed, job, read_budgets(context.root / "apps" / "contract", job.settings)))
        return ()

    return PartResult("round trips", _sentences(count), trips=trips)


def _pinned_threads_part(testbed: Testbed, context: Context, job: Job) -> PartResult:
    pins: dict[str, float] = {}

    def count() -> Sentences:
        with serving(testbed, job) as served:
            pins.update(pinned(served, read_budgets(context.root / "apps" / "contract", job.settings)))
        return ()

    return PartResult("pinned threads", _sentences(count), pins=pins)


def _contract(testbed: Testbed, context: Context, job: Job, extent: Extent) -> Sentences:
    problems: list[str] = []
    with closing(_contract_kinds(testbed, context, job, extent)) as kinds:
        for sentences in kinds:
            problems += sentences
            if problems and not extent.everything:
                break
    return tuple(problems)


def _contract_kinds(testbed: Testbed, context: Context, job: Job, extent: Extent) -> Generator[Sentences, None, None]:
    """Yield sentences on what falls short, one kind of check after the other."""
    budgets = read_budgets(context.root / "apps" / "contract", job.settings)
    with serving(testbed, job) as fresh:
        yield golden(fresh, extent.case)
    if extent.case is not None:
        return
    with serving(testbed, job) as served:
        for check in CHECKS.values():
            yield _sentences(partial(check, served))
        for operation, query_budget in budgets.items():
            sentences = _sentences(partial(budget, served, operation, query_budget))
            yield tuple(f"{operation}: {sentence}" for sentence in sentences)
        yield _sentences(partial(insert_race, served))
        yield _sentences(partial(sources, served, budgets[ORDER]))
    # PostgreSQL reports transactions up to ten seconds late, so a check of the contract alone leaves them out.
    if not extent.contract_only and takes_pool_settings(job):
        with serving(testbed, on_one_connection(job)) as single:
            yield _sentences(partial(transactions, single, budgets))


def _sentences(check: Callable[[], Sentences]) -> Sentences:
    """Return the sentences of a check, or one on an application that does not start or gives no readable answer."""
    try:
        return check()
    except AnswerIsNo as error:
        return (error.problem,)
    except (OSError, http.client.HTTPException) as error:
        return (f"No answer: {type(error).__name__} {error}".strip(),)
    except (ValueError, KeyError, TypeError) as error:
        return (f"An answer is not what the contract says: {type(error).__name__} {error}",)


def round_trips(testbed: Testbed, job: Job, budgets: Mapping[str, QueryBudget]) -> dict[str, float]:
    """Return the network round trips to the database that a request of each operation takes, by operation.

    Operations are those with statements that the subject serves. The statements of an operation are alike in all
    variants (apps/contract/budgets.toml), its round trips are not: some drivers send BEGIN along with the first
    statement, others wait for its answer.

    Round trips are counted on the subject's only connection, over REQUESTS requests, after as many others: drivers
    prepare a statement at its first use. Raises AnswerIsNo for a request that is refused.
    """
    trips_of_request: dict[str, float] = {}
    with (
        proxied(testbed, _ANSWER_DELAY_S) as proxy,
        serving(through_proxy(testbed, proxy), on_one_connection(job)) as served,
    ):
        for operation, query_budget in budgets.items():
            if not served.serves(operation) or not query_budget.transactions:
                continue
            refusals = list(first_refusal(served, operation, query_budget))
            before = proxy.trips
            refusals += first_refusal(served, operation, query_budget, REQUESTS)
            if refusals:
                raise AnswerIsNo(refusals[0], "./bench check-variant says what else falls short.")
            trips_of_request[operation] = (proxy.trips - before) / REQUESTS
    return trips_of_request
