"""Holds a subject to everything: the contract, a lost database, a short load beside the control."""

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
from .checks import CHECKS, REQUESTS, Sentences, ask_for, budget, golden, transactions
from .lost_database import behind, gone_and_back, proxied
from .pinning import pinned
from .serving import job_to_hold, on_one_connection, serving
from .under_load import under_load

TLS = {"db-tls": "require", "http-tls": "on"}
TUNED, DEFAULTS = "+profile=tuned", "+profile=defaults"
VIRTUAL = "+threads=virtual"


# A wait that a network would give: longer than a program takes to send what does not wait for the answer.
_ANSWERS_AFTER_S = 0.005


@dataclass(frozen=True)
class PartResult:
    """The result: what was checked, and where the subject falls short.

    `trips` has round trips by operation, `pins` how many waits of a request were pinned.
    """

    name: str
    said: Sentences
    trips: Mapping[str, float] = field(default_factory=dict)
    pins: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Extent:
    """The part of the checks that a subject is held to: the contract, one case, a count, or all of them.

    Without `everything` nothing is asked after the first kind of failure, since the rest of it often follows from that.
    """

    contract_only: bool = False
    case: str | None = None
    round_trips: bool = False
    pinned: bool = False
    everything: bool = False


ALL = Extent(everything=True)


def subjects_on(variant: Variant, engine: str, packaging: str | None = None) -> tuple[str, ...]:
    """Return the plain subject on that engine, the one with all its TLS, those of other profiles, and the one on
    virtual threads, where it has them.

    In the variant's first packaging, unless `packaging` names another.
    """
    packaging = packaging or next(iter(variant.spec.packaging))
    plain = f"{variant.id}/{packaging}/{engine}"
    has = set(variant.spec.settings) - ({"db-tls"} if engine == "none" else set())
    has -= set(variant.decided(packaging))
    words = "".join(f"+{name}={value}" for name, value in TLS.items() if name in has)
    named = variant.spec.settings["profile"] if "profile" in has else ()
    profiles = [words for value, words in (("tuned", TUNED), ("defaults", DEFAULTS)) if value in named]
    others = ([words] if words else []) + profiles + ([VIRTUAL] if "threads" in has else [])
    return (plain, *(plain + settings for settings in others))


def check_conformance(
    testbed: Testbed, context: Context, subject: str, asked: Extent = ALL
) -> Iterator[PartResult]:
    """Check a subject part by part, and yield the result of each part; the testbed's database is of the subject's
    engine. Raises BuildFailed.

    TLS changes how bytes travel and nothing else, so a subject with it is held to the contract alone. A
    program without a server is held to its load, which tells it batches and compares what they give. Nothing states
    the timeouts of a framework's own starter, so that one is not held to those of a lost database, and neither is one
    with another `db-timeout` than the contract's.
    """
    job = job_to_hold(context, testbed, subject)
    spec = job.variant.spec
    counts = spec.serves_on != "cli" and job.subject.engine != "none" and takes_pool_settings(job)
    if asked.round_trips or asked.pinned:
        if asked.round_trips and counts:
            yield _trips(testbed, context, job)
        if asked.pinned and _on_virtual_threads(job):
            yield _pins(testbed, context, job)
        return
    if spec.serves_on != "cli":
        part = "contract" if asked.case is None else f"case {asked.case}"
        yield PartResult(part, _sentences(partial(_contract, testbed, context, job, asked)))
        if asked.contract_only or asked.case is not None:
            return
        if counts and "fruits" in spec.workloads and job.settings["db-timeout"] == CONTRACT_TIMEOUT_MS:
            yield PartResult("database gone", _sentences(partial(gone_and_back, testbed, job)))
    if counts:
        yield _trips(testbed, context, job)
        if _on_virtual_threads(job):
            yield _pins(testbed, context, job)
    if not _over_tls(job):
        yield PartResult("load", under_load(testbed, context, context.job(subject)))


def _over_tls(job: Job) -> bool:
    return bool(TLS.keys() & job.subject.settings.keys())


def _on_virtual_threads(job: Job) -> bool:
    """Return whether virtual threads of a JVM serve that the host can ask."""
    virtual = job.variant.spec.serves_on == "virtual" or job.settings["threads"] == "virtual"
    return virtual and not is_native(job.subject.packaging) and job.image is None


def takes_pool_settings(job: Job) -> bool:
    """Return whether checks may run the subject with a pool of one and with short timeouts.

    A framework's own starter decides on both by itself, and with TLS neither is asked.
    """
    return not _over_tls(job) and job.settings["profile"] != "defaults"


def _trips(testbed: Testbed, context: Context, job: Job) -> PartResult:
    try:
        found = round_trips(testbed, job, read_budgets(context.root / "apps" / "contract", job.settings))
    except AnswerIsNo as error:
        return PartResult("round trips", (error.problem,))
    return PartResult("round trips", (), found)


def _pins(testbed: Testbed, context: Context, job: Job) -> PartResult:
    budgets = read_budgets(context.root / "apps" / "contract", job.settings)
    try:
        with serving(testbed, job) as served:
            return PartResult("pinned threads", (), pins=pinned(served, budgets))
    except AnswerIsNo as error:
        return PartResult("pinned threads", (error.problem,))


def _contract(testbed: Testbed, context: Context, job: Job, asked: Extent) -> Sentences:
    said: list[str] = []
    with closing(_kinds(testbed, context, job, asked)) as kinds:
        for kind in kinds:
            said += kind
            if said and not asked.everything:
                break
    return tuple(said)


def _kinds(testbed: Testbed, context: Context, job: Job, asked: Extent) -> Generator[Sentences, None, None]:
    """Yield what falls short, one kind after the other."""
    budgets = read_budgets(context.root / "apps" / "contract", job.settings)
    with serving(testbed, job) as fresh:
        yield golden(fresh, asked.case)
    if asked.case is not None:
        return
    with serving(testbed, job) as served:
        for check in CHECKS.values():
            yield _sentences(partial(check, served))
        for operation, wanted in budgets.items():
            found = _sentences(partial(budget, served, operation, wanted))
            yield tuple(f"{operation}: {sentence}" for sentence in found)
    # PostgreSQL tells of transactions up to ten seconds late.
    if not asked.contract_only and takes_pool_settings(job):
        with serving(testbed, on_one_connection(job)) as single:
            yield _sentences(partial(transactions, single, budgets))


def _sentences(ask: Callable[[], Sentences]) -> Sentences:
    """Return what falls short; also of an application that does not start, or gives no readable answer."""
    try:
        return ask()
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

    They are counted on its only connection, over as many requests as have their statements counted, after as many
    others: drivers prepare a statement when they see it first. Raises AnswerIsNo for a request that is refused.
    """
    found: dict[str, float] = {}
    with (
        proxied(testbed, _ANSWERS_AFTER_S) as proxy,
        serving(behind(testbed, proxy), on_one_connection(job)) as served,
    ):
        for operation, wanted in budgets.items():
            if not served.serves(operation) or not wanted.transactions:
                continue
            refused = list(ask_for(served, operation, wanted))
            before = proxy.trips
            refused += ask_for(served, operation, wanted, REQUESTS)
            if refused:
                raise AnswerIsNo(refused[0], "./bench check-variant says what else falls short.")
            found[operation] = (proxy.trips - before) / REQUESTS
    return found
