"""The checks of a served subject; each returns sentences on where it falls short, none where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from urllib.parse import quote

from plumbline.measuring.observe.readers.database import work_between
from plumbline.measuring.run.testbed import sets_of
from plumbline.model.evidence import Probe
from plumbline.model.subject import OF_BUILD
from plumbline.subjects.catalog.variant import VariantSpec
from plumbline.verdicts.contract.budgets import QueryBudget, kind_of, over_budget
from plumbline.verdicts.contract.probes import ProbeSpec, probes_of_variant, send_probes
from plumbline.verdicts.contract.waits import ORDER, SLEEP_MS, SOURCES, SPLIT_EVERY
from plumbline.verdicts.judge.wording import counted
from .serving import STOP_S, Serving

Sentences = tuple[str, ...]
"""Sentences on where a subject falls short."""

Check = Callable[[Serving], Sentences]

# Requests of each operation whose work is counted.
REQUESTS = 25
# Names of event-loop threads: of Vert.x and Quarkus, of Reactor Netty, of Micronaut, of Ktor.
LOOPS = (
    "vert.x-eventloop-thread",
    "reactor-http",
    "default-eventLoopGroup",
    "default-nioEventLoopGroup",
    "eventLoopGroupProxy",
)
# A part of the collectors' names in /environment, by the setting `gc`.
_COLLECTORS = {"g1": "G1", "parallel": "PS", "serial": "Copy"}
_UNITS = {"m": 2**20, "g": 2**30}
# Serial and Parallel report the heap without one survivor space, which is a 24th of the heap or less.
_SURVIVORS_MAX = {"g1": 0.0, "parallel": 1 / 24, "serial": 1 / 24}
# Simultaneous requests for each connection of the pool, so that a pool that may grow does grow.
_PRESSURE = 3
# Autovacuum visits every database once a minute, and the server counts its transactions with all others.
_SERVER_TRANSACTIONS = 6
_BEGIN = re.compile(r"(begin|start transaction)\b", re.IGNORECASE)
_TLS = "TLSv1.3"
# The contract's fields of every answer. An answer may state the length of its body in the second field or otherwise.
_CONTENT_TYPE, _LENGTH = "content-type", "content-length"
OK, NOT_FOUND, REFUSED = 200, 404, 503
_CHATTER = re.compile(r"\b(DEBUG|TRACE)\b")
# How long nobody can write to the table while two requests insert one key: until both have read.
_LOCKED_S = (0.5, 1, 2, 4)
_READS_OF_RACE = 3


def environment(serving: Serving) -> Sentences:
    """Check that the application states the settings that were asked for and the facts of the variant's file.

    It states framework, process, processors, heap, thread, pool, isolation and TLS.
    """
    answer, settings, spec = serving.environment(), serving.job.settings, serving.spec
    thread = answer["thread"]
    wanted: dict[str, object] = {
        "pid": serving.process.pid,
        "processors": len(sets_of(serving.testbed, settings).app),
    }
    stated = {name: answer[name] for name in wanted}
    if (heap := settings["heap"]) != "auto":
        heap_bytes = int(heap[:-1]) * _UNITS[heap[-1]]
        wanted["heap_max_bytes"] = heap_bytes
        stated["heap_max_bytes"] = _whole_heap(heap_bytes, answer["heap_max_bytes"], settings["gc"])
    # "spring" in variant.toml is "spring-boot" or another Spring project in the answer.
    framework = answer["framework"]["name"]
    wanted["framework"] = spec.framework
    stated["framework"] = spec.framework if framework.startswith(f"{spec.framework}-") else framework
    if answer["runtime"] == "jvm" and not any(_COLLECTORS[settings["gc"]] in name for name in answer["collectors"]):
        stated, wanted = (
            {**stated, "collectors": answer["collectors"]},
            {**wanted, "collectors": settings["gc"]},
        )
    loop_key = f"event loop, by the name of the thread {thread['name']}"
    stated |= {"virtual": thread["virtual"], loop_key: any(word in thread["name"] for word in LOOPS)}
    virtual_by_setting = "threads" in spec.settings and settings["threads"] == "virtual"
    wanted |= {
        "virtual": virtual_by_setting or spec.serves_on == "virtual",
        loop_key: spec.serves_on == "event-loop",
    }
    if (release := settings["release"]) != "auto":
        stated["release"], wanted["release"] = answer["framework"]["version"], release
    # The settings that variant.toml names. Pool and release are checked on their own, and nothing states the timeout of
    # a framework's own starter.
    checked_elsewhere = {"pool", *OF_BUILD, *(["db-timeout"] if settings["profile"] == "defaults" else [])}
    own_settings = {name.replace("-", "_"): settings[name] for name in spec.settings if name not in checked_elsewhere}
    agent = {"otel": "agent"} if settings.get("otel") == "agent" else {}
    stated["settings"], wanted["settings"] = answer["settings"], {**own_settings, **agent}
    if not serving.has_database:
        stated |= {name: answer[name] for name in ("driver", "pool", "database")}
        wanted |= dict.fromkeys(("driver", "pool", "database"))
        return _differences(stated, wanted)
    pool, database = answer["pool"], answer["database"]
    size, encrypted = int(settings["pool"]), settings["db-tls"] == "require"
    stated |= {f"pool.{name}": pool[name] for name in ("configured", "open")}
    wanted |= {
        "pool.configured": size,
        "pool.open": min(size, pool["open"]) if pool_grows(serving.job.settings) else size,
    }
    stated |= {name: database[name] for name in ("isolation", "tls", "tls_version")}
    wanted |= {"isolation": "read committed", "tls": encrypted, "tls_version": _TLS if encrypted else None}
    return _differences(stated, wanted)


def _whole_heap(heap_bytes: int, stated: object, gc: str) -> object:
    """Return the whole heap where the stated one lacks at most a survivor space; otherwise the stated one."""
    least = heap_bytes * (1 - _SURVIVORS_MAX[gc])
    return heap_bytes if isinstance(stated, int) and least <= stated <= heap_bytes else stated


def connections(serving: Serving) -> Sentences:
    """Check that the database sees the pool's connections, encrypted if so asked, and none without a database.

    A pool that requests fill may have fewer connections than its size.
    """
    uses = serving.database().tls()
    if not serving.has_database:
        return tuple(f"It has {counted(use.connections, 'connection')} to a database." for use in uses)
    encrypted = serving.job.settings["db-tls"] == "require"
    size, connection_count = int(serving.job.settings["pool"]), sum(use.connections for use in uses)
    observed = {"connections": connection_count, "TLS": {use.version for use in uses}}
    wanted_count = min(size, connection_count) if pool_grows(serving.job.settings) else size
    return _differences(observed, {"connections": wanted_count, "TLS": {_TLS if encrypted else None}})


def pool_grows(settings: Mapping[str, str]) -> bool:
    """Return whether requests fill the pool of a subject of these settings, which may so have fewer connections."""
    return settings["pool-warm-up"] == "off" or settings["pool-initial"] == "half"


def pool_limit(serving: Serving) -> Sentences:
    """Check that under more requests than connections the pool does not grow, and every request is answered.

    A framework's own starter decides how long a request waits for a connection, so it may refuse some by 503.
    """
    if not serving.has_database:
        return ()
    at_once = _PRESSURE * int(serving.job.settings["pool"])
    path = "/fruits" if "fruits" in serving.spec.workloads else "/environment"
    with ThreadPoolExecutor(at_once) as threads:
        statuses = list(threads.map(lambda _: serving.ask("GET", path)[0], range(2 * at_once)))
    allowed = {200, REFUSED} if serving.job.settings["profile"] == "defaults" else {200}
    refusals = tuple(f"GET {path} is answered by {status}." for status in sorted({*statuses} - allowed))
    return (*refusals, *connections(serving))


def answer_fields(serving: Serving) -> Sentences:
    """Check that answers have the contract's fields, the fields that the variant declares, and no others.

    `golden` checks the bodies byte for byte; the rest of an answer's bytes is its head.
    """
    names: set[str] = set()
    for path in _read_paths(serving):
        names |= serving.fields(path)
    label = "fields of answers, by answer_fields in variant.toml"
    return _differences({label: sorted(names - {_CONTENT_TYPE, _LENGTH})}, {label: sorted(serving.spec.answer_fields)})


def log_noise(serving: Serving) -> Sentences:
    """Check that the log names the start, at the level that all variants have, and that requests add no line to it."""
    before = serving.log.read_text(encoding="utf-8", errors="replace")
    for path in _read_paths(serving):
        for _ in range(REQUESTS):
            serving.ask("GET", path)
    added_text = serving.log.read_text(encoding="utf-8", errors="replace")[len(before) :]
    problems = [f"It logs requests: {line}" for line in added_text.splitlines()[:1]]
    problems += [f"It logs what nobody needs: {line}" for line in before.splitlines() if _CHATTER.search(line)][:1]
    start_pattern = serving.spec.started or serving.spec.ready
    if start_pattern is not None and not re.search(start_pattern, before, re.MULTILINE):
        problems.append("Its log does not name its start, so it logs less than the others.")
    return tuple(problems)


def sessions(serving: Serving) -> Sentences:
    """Check that Hibernate Reactive opens one session for a request, no session within another, and closes them all.

    With `sessions=several` an order and its items are read in a session each.
    """
    if "Hibernate Reactive" not in serving.spec.data:
        return ()
    paths = ["/fruits"] if "fruits" in serving.spec.workloads else []
    paths += ["/orders/5"] if "orders" in serving.spec.workloads else []
    sessions_of = {"/orders/5": 2} if serving.job.settings["sessions"] == "several" else {}
    before = serving.environment().get("sessions")
    for path in paths:
        for _ in range(REQUESTS):
            serving.ask("GET", path)
    after = serving.environment().get("sessions")
    if before is None or after is None:
        return ("It does not count its sessions.",)
    # The session that answers the second /environment is still open, and that of the first was closed after its count.
    wanted = 1 + REQUESTS * sum(sessions_of.get(path, 1) for path in paths)
    observed = {name: after[name] - before[name] for name in ("opened", "closed")}
    observed["open"] = after["opened"] - after["closed"]
    return _differences(observed, {"opened": wanted, "closed": wanted, "open": 1})


def sleep(serving: Serving) -> Sentences:
    """Check that requests which have to sleep take their time: all, and one in five of `/split`."""
    if "hello" not in serving.spec.workloads:
        return ()
    wanted = {"/sleep": REQUESTS, "/split/World": REQUESTS // SPLIT_EVERY}
    if serving.spec.serves_on == "event-loop":
        wanted["/sleep-async"] = REQUESTS
    slept = {path: sum(serving.took_ms(path) >= SLEEP_MS for _ in range(REQUESTS)) for path in wanted}
    return tuple(
        f"GET {path}: {slept[path]} of {REQUESTS} requests took {SLEEP_MS:g} ms, and {least} have to sleep so long."
        for path, least in wanted.items()
        if slept[path] < least
    )


def sources(serving: Serving, order: QueryBudget) -> Sentences:
    """Check that an order asks each of its six sources once, by their own count, also if it was made before."""
    if not serving.serves(ORDER):
        return ()
    problems: list[str] = []
    for number in (0, 1, 0):
        before = serving.answered()
        serving.ask(*order.request(ORDER, number))
        answered = serving.answered() - before
        observed = {f"answers of the source {name} to one order": answered[name] for name in SOURCES}
        problems += _differences(observed, dict.fromkeys(observed, 1))
    return tuple(dict.fromkeys(problems))


def budget(serving: Serving, operation: str, query_budget: QueryBudget) -> Sentences:
    """Check that each request of an operation takes the statements and rows of its budget.

    An operation that the subject does not serve must be answered by 404 or 405. A cache that hid the database would
    take fewer statements.
    """
    if not serving.serves(operation):
        status, _ = serving.ask(*query_budget.request(operation, 0))
        return () if status in (404, 405) else (f"{operation} is not declared and is answered by {status}.",)
    probe = serving.database()
    before = probe.before()
    refusals = first_refusal(serving, operation, query_budget)
    after = probe.after()
    if before is None or after is None:
        return ("The database does not tell what it did.",)
    excess = over_budget(work_between(operation, before, after), REQUESTS, query_budget)
    if operation == "POST /fruits":
        new_rows = after.table_rows["fruits"] - before.table_rows["fruits"]
        excess = (*excess, *_differences({"new fruits": new_rows}, {"new fruits": REQUESTS}))
    return (*refusals, *excess)


def insert_race(serving: Serving) -> Sentences:
    """Check that of two requests that insert one zip code at once, both are answered by the row that is stored.

    Both read while nobody can write, so the second INSERT meets a duplicate key, and its request reads once more. A
    request that is too late to read with the other one tells nothing, so the table is then locked for longer.
    """
    if not serving.serves("POST /zipcode"):
        return ()
    for locked_s in _LOCKED_S:
        code = f"race {locked_s}"
        before = _reads_of_zipcode(serving)
        with ThreadPoolExecutor(2) as threads:
            with serving.testbed.database.tables_locked_for_writes(["zipcode"]):
                bodies = (f'{{"zip":"{code}","city":"{city}"}}' for city in ("First", "Second"))
                racing = [threads.submit(serving.ask, "POST", "/zipcode", body) for body in bodies]
                wait(racing, locked_s)
            answers = [request.result() for request in racing]
        reads = _reads_of_zipcode(serving) - before
        stored = serving.ask("GET", f"/zipcode/{quote(code)}")
        problems = tuple(
            f"Of two requests POST /zipcode at once one is answered by {status} {answer.decode(errors='replace')}"
            f" instead of {stored[0]} {stored[1].decode(errors='replace')}."
            for status, answer in answers
            if (status, answer) != stored or status != OK
        )
        if problems or reads == _READS_OF_RACE:
            return problems
    return (f"Two requests POST /zipcode at once read {counted(reads, 'time')} instead of {_READS_OF_RACE} times.",)


def _reads_of_zipcode(serving: Serving) -> int:
    snapshot = serving.database().before()
    statements = {} if snapshot is None else snapshot.statements
    return sum(calls for query, (calls, _) in statements.items() if kind_of(query) == ("zipcode", "select"))


def transactions(serving: Serving, budgets: Mapping[str, QueryBudget]) -> Sentences:
    """Check that all operations take the transactions of their budgets.

    The subject must be `on_one_connection`, and is ended.

    PostgreSQL reports the transactions of an idle connection ten seconds late, and those of a closed one at once. So
    this check waits before it counts, and ends the subject before it counts again.
    """
    served = {name: query_budget for name, query_budget in budgets.items() if serving.serves(name)}
    if not serving.has_database:
        return ()
    mysql = serving.job.subject.engine == "mysql"
    # The statements that opened a connection count at its first use only, and a driver may prepare a statement outside
    # of the first transaction that has it: so all operations run once before the count.
    problems = _ask_for_all(serving, served, start=0)
    probe = serving.database(settled=True)
    before = probe.before()
    problems += _ask_for_all(serving, served, start=REQUESTS)
    serving.process.terminate(STOP_S)
    after = probe.after()
    if before is None or after is None:
        return ("The database does not tell what it did.",)
    work = work_between("all", before, after)
    explicit = REQUESTS * sum(query_budget.transactions for query_budget in served.values() if query_budget.explicit)
    # MySQL counts COMMIT statements, so a statement that commits by itself is not counted.
    least = explicit if mysql else REQUESTS * sum(query_budget.transactions for query_budget in served.values())
    slack = 0 if mysql else _SERVER_TRANSACTIONS
    observed = work.commits + work.rollbacks
    if not least <= observed <= least + slack:
        problems.append(f"All operations together take {observed} transactions instead of {least}.")
    # PostgreSQL counts each BEGIN, and COMMIT only where a driver does not prepare it. A pool may begin some more, to
    # ask whether an idle connection works.
    begun = sum(statement.calls for statement in work.statements if _BEGIN.match(statement.query))
    if not mysql and not explicit <= begun <= explicit + slack:
        problems.append(f"All operations together begin {begun} transactions by a statement instead of {explicit}.")
    if work.rollbacks > slack:
        problems.append(
            f"{work.rollbacks} of {observed} transactions were rolled back, and no operation asks for that."
        )
    return tuple(dict.fromkeys(problems))


def golden(serving: Serving, case: str | None = None) -> Sentences:
    """Check that every probe of the subject's workloads gets its golden answer, byte for byte, also for bad input.

    Writes build on the seed, so the process and the database must be fresh. For a `case`, the probes before it are
    sent, and only the result of the case itself is returned.
    """
    probes = golden_of(serving.spec, serving.testbed.probes)
    if case is not None:
        names = [probe.name for probe in probes]
        probes = probes[: names.index(case) + 1]
    answers = send_probes(serving.endpoint, probes)
    if case is not None:
        return tuple(f"{answers[-1].name}: {problem}" for problem in (answers[-1].problem,) if problem)
    unserved = not_served(probes, answers)
    problems = tuple(
        f"{answer.name}: {answer.problem}"
        for probe, answer in zip(probes, answers, strict=True)
        if answer.problem and probe.workload not in unserved
    )
    protocols = {answer.protocol for answer in answers if answer.protocol is not None}
    return (
        *unserved.values(),
        *problems,
        *_differences({"protocol": protocols}, {"protocol": {"HTTP/1.1"}}),
    )


def golden_of(spec: VariantSpec, probes: Iterable[ProbeSpec]) -> tuple[ProbeSpec, ...]:
    """Return the probes of the contract that a variant must answer, in their order."""
    return probes_of_variant(
        probes,
        serves_on=spec.serves_on,
        workloads=("plumbing", *spec.workloads),
        reads_only=spec.reads_only,
    )


def not_served(probes: Sequence[ProbeSpec], answers: Sequence[Probe]) -> dict[str, str]:
    """Return workload -> a sentence, for each workload whose requests are all answered by 404."""
    missing_by_workload: dict[str, list[bool]] = {}
    for probe, answer in zip(probes, answers, strict=True):
        if NOT_FOUND not in probe.status:
            missing_by_workload.setdefault(probe.workload, []).append(answer.status == NOT_FOUND)
    return {
        workload: f"{workload}: none of its {len(missing)} requests is served, each is answered by 404. Write the"
        f" workload, or take '{workload}' out of `workloads` in variant.toml."
        for workload, missing in missing_by_workload.items()
        if all(missing)
    }


CHECKS: Mapping[str, Check] = {
    "environment": environment,
    "connections": connections,
    "heads": answer_fields,
    "quiet": log_noise,
    "limit": pool_limit,
    "sessions": sessions,
    "sleep": sleep,
}
"""The checks that need only the subject; they change nothing in the database."""


def _ask_for_all(serving: Serving, served: Mapping[str, QueryBudget], start: int) -> list[str]:
    return [
        sentence
        for name, query_budget in served.items()
        for sentence in first_refusal(serving, name, query_budget, start)
    ]


def first_refusal(serving: Serving, operation: str, query_budget: QueryBudget, start: int = 0) -> Sentences:
    """Send REQUESTS requests of the operation, numbered from `start`; return a sentence on the first refusal."""
    refusals = []
    for number in range(start, start + REQUESTS):
        status, answer = serving.ask(*query_budget.request(operation, number))
        if status not in (200, 201, 204):
            refusals.append(f"{operation} is answered by {status}: {answer.decode(errors='replace')}")
    return tuple(refusals[:1])


def _read_paths(serving: Serving) -> list[str]:
    """Return the path of the first GET with a golden body in each workload."""
    spec = serving.spec
    probes = probes_of_variant(serving.testbed.probes, serves_on=spec.serves_on, workloads=spec.workloads)
    paths: dict[str, str] = {}
    for probe in probes:
        if probe.method == "GET" and probe.status == (200,) and probe.golden:
            paths.setdefault(probe.workload, probe.path)
    return list(paths.values())


def _differences(observed: Mapping[str, object], wanted: Mapping[str, object]) -> Sentences:
    return tuple(
        f"{name}: {observed[name]!r} instead of {value!r}" for name, value in wanted.items() if observed[name] != value
    )
