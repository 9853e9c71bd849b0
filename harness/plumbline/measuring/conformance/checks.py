"""The checks of a served subject; each returns sentences on where it falls short, none where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from plumbline.measuring.observe.readers.database import work_between
from plumbline.measuring.run.testbed import sets_of
from plumbline.model.evidence import Probe
from plumbline.model.subject import OF_BUILD
from plumbline.subjects.catalog.variant import VariantSpec
from plumbline.verdicts.contract.budgets import QueryBudget, over_budget
from plumbline.verdicts.contract.probes import ProbeSpec, fitting, send_probes
from plumbline.verdicts.judge.wording import counted
from .serving import STOP_S, Serving

Sentences = tuple[str, ...]
"""Sentences on where a subject falls short."""

Check = Callable[[Serving], Sentences]

# Requests of each operation whose work is counted.
REQUESTS = 25
# How event loops are called: of Vert.x and Quarkus, of Reactor Netty, of Micronaut, of Ktor.
LOOPS = (
    "vert.x-eventloop-thread",
    "reactor-http",
    "default-eventLoopGroup",
    "default-nioEventLoopGroup",
    "eventLoopGroupProxy",
)
# As /environment has it, by the setting `gc`.
_COLLECTORS = {"g1": "G1", "parallel": "PS", "serial": "Copy"}
_UNITS = {"m": 2**20, "g": 2**30}
# Serial and Parallel leave one space of survivors, a 24th of the heap or less, out of what they say of it.
_SURVIVORS_MAX = {"g1": 0.0, "parallel": 1 / 24, "serial": 1 / 24}
# As many requests at once, so that a pool that may grow does.
_PRESSURE = 3
# Autovacuum looks into every database once a minute, and the server counts its transactions with the others.
_OF_THE_SERVER_ITSELF = 6
_TLS = "TLSv1.3"
# Fields of every answer: the contract's. How long a body is may be said in either way.
_CONTENT_TYPE, _LENGTH = "content-type", "content-length"
NOT_FOUND, REFUSED = 404, 503
_CHATTER = re.compile(r"\b(DEBUG|TRACE)\b")


def environment(serving: Serving) -> Sentences:
    """Check that the application says of itself what was asked for and what the variant's file says.

    It says framework, process, processors, heap, thread, pool, isolation and TLS.
    """
    found, settings, spec = serving.environment(), serving.job.settings, serving.spec
    thread = found["thread"]
    wanted: dict[str, object] = {
        "pid": serving.process.pid,
        "processors": len(sets_of(serving.testbed, settings).app),
    }
    said = {name: found[name] for name in wanted}
    if (heap := settings["heap"]) != "auto":
        whole = int(heap[:-1]) * _UNITS[heap[-1]]
        wanted["heap_max_bytes"] = whole
        said["heap_max_bytes"] = _heap_of(whole, found["heap_max_bytes"], settings["gc"])
    # "spring" in a file is "spring-boot" or another of its projects here.
    framework = found["framework"]["name"]
    wanted["framework"] = spec.framework
    said["framework"] = spec.framework if framework.startswith(f"{spec.framework}-") else framework
    if found["runtime"] == "jvm" and not any(
        _COLLECTORS[settings["gc"]] in name for name in found["collectors"]
    ):
        said, wanted = {**said, "collectors": found["collectors"]}, {**wanted, "collectors": settings["gc"]}
    loop = f"event loop, by the name of the thread {thread['name']}"
    said |= {"virtual": thread["virtual"], loop: any(word in thread["name"] for word in LOOPS)}
    switched = "threads" in spec.settings and settings["threads"] == "virtual"
    wanted |= {
        "virtual": switched or spec.serves_on == "virtual",
        loop: spec.serves_on == "event-loop",
    }
    if (release := settings["release"]) != "auto":
        said["release"], wanted["release"] = found["framework"]["version"], release
    # What its own file names. The pool and the release tell of themselves, and a starter's timeout is stated to nobody.
    elsewhere = {"pool", *OF_BUILD, *(["db-timeout"] if settings["profile"] == "defaults" else [])}
    own = {name.replace("-", "_"): settings[name] for name in spec.settings if name not in elsewhere}
    agent = {"otel": "agent"} if settings.get("otel") == "agent" else {}
    said["settings"], wanted["settings"] = found["settings"], {**own, **agent}
    if not serving.has_database:
        said |= {name: found[name] for name in ("driver", "pool", "database")}
        wanted |= dict.fromkeys(("driver", "pool", "database"))
        return _differences(said, wanted)
    pool, database = found["pool"], found["database"]
    size, encrypted = int(settings["pool"]), settings["db-tls"] == "require"
    said |= {f"pool.{name}": pool[name] for name in ("configured", "open")}
    wanted |= {
        "pool.configured": size,
        "pool.open": min(size, pool["open"]) if pool_grows(serving.job.settings) else size,
    }
    said |= {name: database[name] for name in ("isolation", "tls", "tls_version")}
    wanted |= {"isolation": "read committed", "tls": encrypted, "tls_version": _TLS if encrypted else None}
    return _differences(said, wanted)


def _heap_of(whole: int, said: object, gc: str) -> object:
    """Return the whole heap where an application says it, less a space of survivors, and otherwise what it says."""
    least = whole * (1 - _SURVIVORS_MAX[gc])
    return whole if isinstance(said, int) and least <= said <= whole else said


def connections(serving: Serving) -> Sentences:
    """Check that the database sees the pool's connections, encrypted if so asked, and none without a database.

    A pool that requests fill may have fewer connections than its size.
    """
    uses = serving.database().tls()
    if not serving.has_database:
        return tuple(f"It has {counted(use.connections, 'connection')} to a database." for use in uses)
    encrypted = serving.job.settings["db-tls"] == "require"
    size, seen = int(serving.job.settings["pool"]), sum(use.connections for use in uses)
    found = {"connections": seen, "TLS": {use.version for use in uses}}
    most = min(size, seen) if pool_grows(serving.job.settings) else size
    return _differences(found, {"connections": most, "TLS": {_TLS if encrypted else None}})


def pool_grows(settings: Mapping[str, str]) -> bool:
    """Return whether requests fill the pool of a subject of these settings, which may so have fewer connections."""
    return settings["pool-warm-up"] == "off" or settings["pool-initial"] == "half"


def limit(serving: Serving) -> Sentences:
    """Check that under more requests than connections the pool does not grow, and every request is answered.

    A framework's own starter decides how long a request waits for a connection, so it may refuse some by 503.
    """
    if not serving.has_database:
        return ()
    at_once = _PRESSURE * int(serving.job.settings["pool"])
    path = "/fruits" if "fruits" in serving.spec.workloads else "/environment"
    with ThreadPoolExecutor(at_once) as people:
        statuses = list(people.map(lambda _: serving.ask("GET", path)[0], range(2 * at_once)))
    allowed = {200, REFUSED} if serving.job.settings["profile"] == "defaults" else {200}
    refused = tuple(f"GET {path} is answered by {status}." for status in sorted({*statuses} - allowed))
    return (*refused, *connections(serving))


def heads(serving: Serving) -> Sentences:
    """Check that answers have the contract's fields, the fields that the variant declares, and no others.

    `golden` checks the bodies byte for byte; the rest of an answer's bytes is its head.
    """
    found: set[str] = set()
    for path in _reads(serving):
        found |= serving.fields(path)
    what = "fields of answers, by answer_fields in variant.toml"
    return _differences(
        {what: sorted(found - {_CONTENT_TYPE, _LENGTH})}, {what: sorted(serving.spec.answer_fields)}
    )


def quiet(serving: Serving) -> Sentences:
    """Check that the log names the start at the level that all variants have, and that requests add nothing to it."""
    before = serving.log.read_text(encoding="utf-8", errors="replace")
    for path in _reads(serving):
        for _ in range(REQUESTS):
            serving.ask("GET", path)
    grown = serving.log.read_text(encoding="utf-8", errors="replace")[len(before) :]
    said = [f"It logs requests: {line}" for line in grown.splitlines()[:1]]
    said += [f"It logs what nobody needs: {line}" for line in before.splitlines() if _CHATTER.search(line)][
        :1
    ]
    announced = serving.spec.started or serving.spec.ready
    if announced is not None and not re.search(announced, before, re.MULTILINE):
        said.append("Its log does not name its start, so it logs less than the others.")
    return tuple(said)


def sessions(serving: Serving) -> Sentences:
    """Check that Hibernate Reactive opens one session for a request, no session within another, and closes them all.

    With `sessions=several` an order and its items are read in a session each.
    """
    if "Hibernate Reactive" not in serving.spec.data:
        return ()
    paths = ["/fruits"] if "fruits" in serving.spec.workloads else []
    paths += ["/orders/5"] if "orders" in serving.spec.workloads else []
    of_each = {"/orders/5": 2} if serving.job.settings["sessions"] == "several" else {}
    before = serving.environment().get("sessions")
    for path in paths:
        for _ in range(REQUESTS):
            serving.ask("GET", path)
    after = serving.environment().get("sessions")
    if before is None or after is None:
        return ("It does not count its sessions.",)
    # The one in which /environment itself is answered is open, and the one of the first time was closed after it told.
    used = 1 + REQUESTS * sum(of_each.get(path, 1) for path in paths)
    found = {name: after[name] - before[name] for name in ("opened", "closed")}
    found["open"] = after["opened"] - after["closed"]
    return _differences(found, {"opened": used, "closed": used, "open": 1})


def budget(serving: Serving, operation: str, wanted: QueryBudget) -> Sentences:
    """Check that an operation takes the statements and rows of its budget each time; if not served, it is 404 or 405.

    A cache that hid the database would take fewer statements.
    """
    if not serving.serves(operation):
        status, _ = serving.ask(*wanted.request(operation, 0))
        return () if status in (404, 405) else (f"{operation} is not declared and is answered by {status}.",)
    probe = serving.database()
    before = probe.before()
    refused = ask_for(serving, operation, wanted)
    after = probe.after()
    if before is None or after is None:
        return ("The database does not tell what it did.",)
    over = over_budget(work_between(operation, before, after), REQUESTS, wanted)
    if operation == "POST /fruits":
        grown = after.table_rows["fruits"] - before.table_rows["fruits"]
        over = (*over, *_differences({"new fruits": grown}, {"new fruits": REQUESTS}))
    return (*refused, *over)


def transactions(serving: Serving, budgets: Mapping[str, QueryBudget]) -> Sentences:
    """Check that all operations take the transactions of their budgets; the subject is `on_one_connection`, and ended.

    PostgreSQL reports the transactions of an idle connection ten seconds late, and those of a closed one at once. So
    this check waits before it counts, and ends the subject before it counts again.
    """
    served = {name: wanted for name, wanted in budgets.items() if serving.serves(name)}
    if not serving.has_database:
        return ()
    mysql = serving.job.subject.engine == "mysql"
    # What opened the connection counts at its first use only, and a driver may prepare a statement outside of the first
    # transaction that has it: all is done once before.
    said = _ask_for_all(serving, served, start=0)
    probe = serving.database(settled=True)
    before = probe.before()
    said += _ask_for_all(serving, served, start=REQUESTS)
    serving.process.terminate(STOP_S)
    after = probe.after()
    if before is None or after is None:
        return ("The database does not tell what it did.",)
    done = work_between("all", before, after)
    # MySQL counts COMMITs, so what commits by itself is none of them.
    least = REQUESTS * sum(one.transactions for one in served.values() if one.explicit or not mysql)
    most = least if mysql else least + _OF_THE_SERVER_ITSELF
    found = done.commits + done.rollbacks
    if not least <= found <= most:
        said.append(f"All operations together take {found} transactions instead of {least}.")
    return tuple(dict.fromkeys(said))


def golden(serving: Serving, case: str | None = None) -> Sentences:
    """Check that every probe of the subject's workloads gets its golden answer, byte for byte, also for bad input.

    Writes build on the seed, so the process and the database must be fresh. For a `case`, the probes before it are
    sent, and only its own result is told.
    """
    wanted = golden_of(serving.spec, serving.testbed.probes)
    if case is not None:
        names = [probe.name for probe in wanted]
        wanted = wanted[: names.index(case) + 1]
    answers = send_probes(serving.endpoint, wanted)
    if case is not None:
        return tuple(f"{answers[-1].name}: {problem}" for problem in (answers[-1].problem,) if problem)
    unserved = not_served(wanted, answers)
    problems = tuple(
        f"{answer.name}: {answer.problem}"
        for probe, answer in zip(wanted, answers, strict=True)
        if answer.problem and probe.workload not in unserved
    )
    protocols = {answer.protocol for answer in answers if answer.protocol is not None}
    return (
        *unserved.values(),
        *problems,
        *_differences({"protocol": protocols}, {"protocol": {"HTTP/1.1"}}),
    )


def golden_of(spec: VariantSpec, probes: Iterable[ProbeSpec]) -> tuple[ProbeSpec, ...]:
    """Return the probes of the contract that a variant is held to, in their order."""
    return fitting(
        probes,
        serves_on=spec.serves_on,
        workloads=("plumbing", *spec.workloads),
        reads_only=spec.reads_only,
    )


def not_served(probes: Sequence[ProbeSpec], answers: Sequence[Probe]) -> dict[str, str]:
    """Return a sentence for each workload all of whose requests are answered by 404, by workload."""
    asked: dict[str, list[bool]] = {}
    for probe, answer in zip(probes, answers, strict=True):
        if NOT_FOUND not in probe.status:
            asked.setdefault(probe.workload, []).append(answer.status == NOT_FOUND)
    return {
        workload: f"{workload}: none of its {len(missing)} requests is served, each is answered by 404. Write the"
        f" workload, or take '{workload}' out of `workloads` in variant.toml."
        for workload, missing in asked.items()
        if all(missing)
    }


CHECKS: Mapping[str, Check] = {
    "environment": environment,
    "connections": connections,
    "heads": heads,
    "quiet": quiet,
    "limit": limit,
    "sessions": sessions,
}
"""The checks that need only the subject; they change nothing in the database."""


def _ask_for_all(serving: Serving, served: Mapping[str, QueryBudget], start: int) -> list[str]:
    return [said for name, one in served.items() for said in ask_for(serving, name, one, start)]


def ask_for(serving: Serving, operation: str, wanted: QueryBudget, start: int = 0) -> Sentences:
    """Return the first of REQUESTS requests of the operation, counted from `start`, that is refused, in a sentence."""
    refused = []
    for number in range(start, start + REQUESTS):
        status, answer = serving.ask(*wanted.request(operation, number))
        if status not in (200, 201, 204):
            refused.append(f"{operation} is answered by {status}: {answer.decode(errors='replace')}")
    return tuple(refused[:1])


def _reads(serving: Serving) -> list[str]:
    """Return the first read of each workload that has a golden body."""
    spec = serving.spec
    fit = fitting(serving.testbed.probes, serves_on=spec.serves_on, workloads=spec.workloads)
    firsts: dict[str, str] = {}
    for probe in fit:
        if probe.method == "GET" and probe.status == (200,) and probe.golden:
            firsts.setdefault(probe.workload, probe.path)
    return list(firsts.values())


def _differences(found: Mapping[str, object], wanted: Mapping[str, object]) -> Sentences:
    return tuple(
        f"{name}: {found[name]!r} instead of {value!r}"
        for name, value in wanted.items()
        if found[name] != value
    )
