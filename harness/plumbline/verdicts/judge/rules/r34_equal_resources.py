"""R34: all subjects have the same resources, or declare the difference."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

from ..database import same_database, written_bytes_checks
from ..facts import SessionFacts, TrialFacts
from ..rule import Check, PhaseChecks, Rule, broken, is_odd, passed, unknown, usual_of_contenders
from ..wording import counted, listed, percent

# A line of log for each request costs some 100 bytes.
LOG_BYTES_PER_REQUEST_MAX = 1.0
# The banner of a start is written once, and not for each request.
START_LOG_BYTES = 64 * 1024
# Collectors keep a part of the heap, some regions, for themselves. Another -Xmx makes a larger difference.
HEAP_ALIKE = 0.01

# These words of the JVM's version mean that it interprets and compiles by turns.
COMPILES = "mixed mode"
# A JVM with but one compiler adds one of these.
HALF_COMPILERS = ("emulated-client", "compressed-client")
FLAG_OF_COLLECTOR = {"g1": "UseG1GC", "parallel": "UseParallelGC", "serial": "UseSerialGC"}
# Flags that each trial has for itself: logs and their places.
_OWN_FLAGS = re.compile(r"Log|PerfData|ErrorFile|ReplayDataFile|HeapDumpPath")
# Flags of caches of classes and code. Of a program that starts from an AOT cache they differ by its packaging.
_FLAGS_OF_CACHES = re.compile(r"AOT|CDS|Shared|Archive|AllowArchiving")
# Settings that may change any flag, if a subject declares them.
SETTINGS_OF_FLAGS = ("jdk", "run-in", "heap", "gc", "otel", "cpu-share", "cpus")
# A check result is one sentence, and names no more flags than this.
FLAGS_NAMED = 4
_SIZE = re.compile(r"(?P<number>\d+)(?P<unit>[kmg])")
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

# What the application says of itself, and the settings that may make it differ.
_COMPARED: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    # An image brings its own, of the same build where that is Temurin's.
    ("Java", ("java", "version"), ("jdk", "run-in")),
    ("virtual machine", ("java", "vm"), ("jdk", "run-in")),
    ("collector", ("collectors",), ("gc",)),
    ("pool", ("pool", "configured"), ("pool",)),
)


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Processors, heap, pool, JDK and its flags, and the database, against the other subjects'; what was written."""
    checks = [_processors(trial, session), *_heap(trial, session)]
    for name, path, settings in _COMPARED:
        if name != "pool" or trial.scenario.uses_database:
            checks += _alike(name, path, settings, trial, session)
    yield None, [*checks, *_jvm_checks(trial, session), *same_database(trial, session), _log(trial)]
    for facts in trial.phases():
        yield facts.phase.name, list(written_bytes_checks(trial, session, facts))


def _processors(trial: TrialFacts, session: SessionFacts) -> Check:
    processors, cpus = trial.environment("processors"), len(session.sets_of(trial).app)
    if not isinstance(processors, int):
        return unknown("The application did not say how many processors it sees.")
    if processors == cpus:
        heap = trial.environment("heap_max_bytes")
        with_heap = f" and {heap / 2**20:.0f} MiB of heap" if isinstance(heap, (int, float)) else ""
        return passed(
            f"{counted(processors, 'processor')}{with_heap}, as the others have.",
            processors,
            "processors",
            cpus,
        )
    return broken(
        f"The application sees {counted(processors, 'processor')} where its set has {cpus}.",
        processors,
        "processors",
        cpus,
    )


def _peers(trial: TrialFacts, session: SessionFacts, settings: Iterable[str]) -> list[TrialFacts]:
    """Return the trials of the scenario on the same kind of runtime that declare the same for these settings."""
    own_settings = session.settings(trial.planned.subject)
    return [
        facts
        for facts in session.of_scenario(trial.planned.scenario)
        if facts.runtime == trial.runtime
        and all(session.settings(facts.planned.subject).get(name) == own_settings.get(name) for name in settings)
    ]


def _heap(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    own_heap = trial.environment("heap_max_bytes")
    if not isinstance(own_heap, (int, float)):
        yield unknown("The application did not say how much heap it may use.")
        return
    heaps_of_peers = [
        (facts, size)
        for facts in _peers(trial, session, ("heap", "gc"))
        if isinstance(size := facts.environment("heap_max_bytes"), (int, float))
    ]
    sizes = [size for _, size in heaps_of_peers]
    reference = usual_of_contenders(heaps_of_peers, session.plan.control)
    if len(set(sizes)) <= 1 or own_heap == reference:
        return
    if not isinstance(reference, (int, float)):
        reference = max(sizes, key=lambda size: abs(size - own_heap))
    if abs(own_heap - reference) > HEAP_ALIKE * reference:
        off = percent(abs(own_heap / reference - 1)) if reference else "all"
        yield broken(
            f"The heap differs from the other subjects' by {off}, and no setting declares it.",
            own_heap,
            "bytes",
        )


def _alike(
    name: str, path: tuple[str, ...], settings: tuple[str, ...], trial: TrialFacts, session: SessionFacts
) -> Iterable[Check]:
    own_value = _hashable(trial.environment(*path))
    if own_value is None:
        yield unknown(f"The application did not say its {name}.")
        return
    values_of_peers = [
        (facts, value)
        for facts in _peers(trial, session, settings)
        if (value := _hashable(facts.environment(*path))) is not None
    ]
    reference = usual_of_contenders(values_of_peers, session.plan.control)
    if len({value for _, value in values_of_peers}) > 1 and reference != own_value:
        most_others = f"most others have {_in_words(reference)}" if reference is not None else "others have another"
        yield broken(f"{name.capitalize()} is {_in_words(own_value)}, {most_others}, and no setting declares it.")


def _jvm_checks(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of the JVM's flags and mode, against the settings and the other subjects on the same JVM."""
    if trial.runtime == "native":
        return
    jvm = trial.evidence.jvm
    if jvm is None:
        yield unknown("By which flags the JVM ran was not read.")
        return
    if not jvm.mode.startswith(COMPILES) or any(word in jvm.mode for word in HALF_COMPILERS):
        yield broken(f"The JVM ran in {jvm.mode}: it did not compile as JVMs do.")
    yield from (
        broken(f"The JVM ran with {name} {jvm.flags.get(name, 'at its default')} where {wanted} is declared.")
        for name, wanted in _declared_flags(session.settings(trial.planned.subject)).items()
        if jvm.flags.get(name) != wanted
    )
    peers = [
        (facts, facts.evidence.jvm.flags)
        for facts in _peers(trial, session, SETTINGS_OF_FLAGS)
        if facts.evidence.jvm is not None
        and all(facts.environment("java", name) == trial.environment("java", name) for name in ("version", "vm"))
    ]

    def differs(name: str) -> bool:
        of_caches = _FLAGS_OF_CACHES.match(name) is not None
        if _OWN_FLAGS.match(name) or (of_caches and trial.has_aot_cache):
            return False
        values = [(facts, flags.get(name)) for facts, flags in peers if not (of_caches and facts.has_aot_cache)]
        return is_odd(jvm.flags.get(name), values, session.plan.control)

    odd = [name for name in sorted(jvm.flags.keys() | {name for _, flags in peers for name in flags}) if differs(name)]
    if odd:
        odd_flags = listed(f"{name} {jvm.flags.get(name, 'at its default')}" for name in odd[:FLAGS_NAMED])
        remainder = f" and {len(odd) - FLAGS_NAMED} more" if len(odd) > FLAGS_NAMED else ""
        reading = f"The JVM ran with {odd_flags}{remainder}, and most others otherwise"
        yield broken(f"{reading}: no setting declares it.", len(odd), "flags", 0)


def _declared_flags(settings: dict[str, str]) -> dict[str, str]:
    """Return the JVM flags that follow from the settings of a subject."""
    wanted = {FLAG_OF_COLLECTOR[settings["gc"]]: "true"} if settings.get("gc") in FLAG_OF_COLLECTOR else {}
    size = _SIZE.fullmatch(settings.get("heap", "").lower())
    if size is not None:
        in_bytes = str(int(size["number"]) * _UNITS[size["unit"]])
        wanted |= {"InitialHeapSize": in_bytes, "MaxHeapSize": in_bytes}
    return wanted


def _hashable(value: object) -> Hashable:
    if isinstance(value, list):
        return tuple(str(item) for item in value)
    return value if isinstance(value, Hashable) else str(value)


def _in_words(value: Hashable) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, tuple) else str(value)


def _log(trial: TrialFacts) -> Check:
    log = trial.evidence.logs.get("app")
    requests = sum(load.requests for load in trial.evidence.load)
    if log is None or requests <= 0:
        return unknown("The application's log or its requests were not counted.")
    bytes_per_request = max(0, log.bytes - START_LOG_BYTES) / requests
    reading = f"The application wrote {bytes_per_request:.2g} bytes of log a request"
    if bytes_per_request <= LOG_BYTES_PER_REQUEST_MAX:
        return passed(f"{reading}.", bytes_per_request, "bytes/request", LOG_BYTES_PER_REQUEST_MAX)
    return broken(
        f"{reading}: it logs what the others don't.",
        bytes_per_request,
        "bytes/request",
        LOG_BYTES_PER_REQUEST_MAX,
    )


RULE = Rule(
    id="R34",
    title="Equal resources",
    source="GET /environment, the JVM's flags in force, what the database is told, and what was written",
    mistake="-Xmx128m or none, and two builds of the JDK (study 003)",
    kind="correctness",
    needs=("environment", "logs", "load", "jvm", "windows", "series:app.written_bytes"),
    judge=judge,
)
