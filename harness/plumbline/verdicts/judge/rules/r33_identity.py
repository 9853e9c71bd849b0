"""R33: the program that ran is the program that was built, started as declared, in every trial."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plumbline.model.evidence import OF_VISITORS, Evidence
from plumbline.model.java import FOLDER, JAVA, jdk_name
from plumbline.model.subject import Subject, current_value_name
from ..facts import SessionFacts, TrialFacts, declared, value_at
from ..rule import Check, PhaseChecks, Rule, broken, passed, unknown, usual
from ..wording import counted, listed, strays_in_words

# What is each trial's own, by design: where it listens, its files, and the mark by which leftovers are found.
_OWN_VARIABLES = re.compile(r"(HTTP|DB)_PORT\Z|DB_PASSWORD\Z|DB_CA\Z|PLUMBLINE_")
_OWN_WORDS = re.compile(r"-Xlog|-XX:(AOTCache|PerfData|ErrorFile|ReplayDataFile|HeapDumpPath)|-Djava\.io\.tmpdir")
# What `GET /environment` says before the load holds to its end. The rest are moments: threads, connections in use.
_LASTING = (
    ("runtime",),
    ("processors",),
    ("collectors",),
    ("settings",),
    ("framework",),
    ("java",),
    ("driver",),
    ("pool", "configured"),
    ("database", "isolation"),
    ("database", "synchronous_commit"),
)
_FOLDERS = re.compile(r"/(?:[^/\s:=,]+/)+")
# What steers a k6 but for its CPUs, and the options by which several of them share a phase.
_STEERING_GO = ("GODEBUG", "GOGC", "GOMEMLIMIT")
_OWN_OPTIONS = frozenset({"--execution-segment", "--execution-segment-sequence", "--paused"})
# The words of command line and environment that a setting may change. A setting that is not listed may change any.
_WORDS_OF = {
    # The JDK changes only the folder of the launcher, which is not compared.
    "jdk": re.compile(r"(?!)"),
    "heap": re.compile(r"-Xm[sx]"),
    "gc": re.compile(r"-XX:[+-]Use\w+GC"),
    "db-timeout": re.compile(r"DB_TIMEOUT_MS="),
    "pool": re.compile(r"(DB_POOL_SIZE|POOL_INITIAL_SIZE)="),
    "spin": re.compile(r"SPIN_US="),
    "pipelining": re.compile(r"PIPELINING="),
    "sql": re.compile(r"SQL="),
    # The build's, not the process's.
    "release": re.compile(r"(?!)"),
    "second-level-cache": re.compile(r"(?!)"),
    "sessions": re.compile(r"SESSIONS="),
    "remove": re.compile(r"REMOVE="),
    "http-tls": re.compile(r"HTTP_(TLS|PLAIN)"),
    "otel": re.compile(r"-javaagent:|OTEL_"),
    "pool-initial": re.compile(r"POOL_INITIAL"),
    "pool-warm-up": re.compile(r"POOL_WARM_UP"),
    "r2dbc-api": re.compile(r"R2DBC_API"),
    "r2dbc-loops": re.compile(r"R2DBC_LOOPS"),
    "threads": re.compile(r"THREADS"),
    "profile": re.compile(r"(SPRING_PROFILES_ACTIVE|QUARKUS_PROFILE|MICRONAUT_ENVIRONMENTS|PROFILE)="),
    "db-tls": re.compile(r"DB_(TLS|SSLMODE|CA)="),
    "cpus": re.compile(r"-XX:ActiveProcessorCount="),
    # A setting of the machine, not of the process.
    "cpu-share": re.compile(r"(?!)"),
    "db-disk": re.compile(r"(?!)"),
    "page-cache": re.compile(r"(?!)"),
    # Images come with a locale of their own, in whose place the one of a process is stated.
    "run-in": re.compile(r"LC_ALL="),
}


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Digest, command line and environment, what the application says of its settings, and what it left behind."""
    yield (
        None,
        [
            # A flight recording may lie where the artifact does.
            *_attached(trial.evidence),
            *_artifact(trial, session),
            *_images(trial, session),
            *_start_checks(trial, session),
            *_settings(trial, session),
            *_says_the_same(trial.evidence),
            *_load_generator(trial, session),
            *_left_behind(trial.evidence),
        ],
    )


def _artifact(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    digest = trial.evidence.artifact_sha256
    if not digest:
        yield unknown("The digest of what ran was not taken.")
        return
    if session.builds and digest not in {build.sha256 for build in session.builds}:
        yield broken(f"What ran (SHA-256 {digest[:12]}…) is not among what was built: a stale image.")
    digests = [facts.evidence.artifact_sha256 for facts in _same_subject(trial, session)]
    if len(set(digests)) > 1 and usual(digests) != digest:
        yield broken(f"What ran (SHA-256 {digest[:12]}…) differs from this subject's other trials.")
    yield passed(f"SHA-256 {digest[:12]}…, command line and settings are as declared, in every trial.")


def _images(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of what ran in a cluster: a tag that is pushed anew names another image."""
    for pod, image in trial.evidence.images.items():
        images = [facts.evidence.images[pod] for facts in _same_subject(trial, session) if pod in facts.evidence.images]
        if len(set(images)) > 1 and usual(images) != image:
            digest = image.rpartition("@")[2]
            yield broken(f"The image of the {pod} ({digest[:19]}…) differs from this subject's other trials.")


def _start_checks(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    own_words = command_words(trial.evidence)
    if own_words is None:
        yield unknown("The application's command line was not read.")
        return
    other_words = [
        other_words
        for facts in _same_subject(trial, session)
        if (other_words := command_words(facts.evidence)) is not None
    ]
    if len(set(other_words)) > 1 and (reference := usual(other_words)) != own_words:
        odd = own_words ^ (reference if isinstance(reference, frozenset) else other_words[0])
        yield broken(f"Started otherwise than in this subject's other trials: {listed(sorted(odd))}.")
    yield from _undeclared(trial, session, own_words)
    settings = session.settings(trial.planned.subject)
    program = _program(trial.evidence)
    if settings.get("run-in") == "container" and not program.startswith((f"{FOLDER}/", str(JAVA))):
        yield broken(f"A container is declared, and {program} is of no image: it ran beside it.")
    wanted = settings.get("otel", "off")
    if (wanted == "agent") != any(word.startswith("-javaagent:") for word in own_words):
        yield broken(f"The application was started {'without an' if wanted == 'agent' else 'with an'} agent.")


def _undeclared(trial: TrialFacts, session: SessionFacts, own_words: frozenset[str]) -> Iterable[Check]:
    """Yield the check of undeclared differences from the plainest sibling (same variant, packaging and engine)."""
    base = _artifact_id(trial.planned.subject)
    siblings = [
        facts
        for facts in session.trials.values()
        if _artifact_id(facts.planned.subject) == base and session.same_sources(facts, trial)
    ]
    plainest = min(siblings, key=lambda facts: (len(declared(facts.planned.subject)), facts.planned.number))
    plainest_words = command_words(plainest.evidence)
    if plainest_words is None or plainest.planned.subject == trial.planned.subject:
        return
    own_settings, their_settings = (
        session.settings(trial.planned.subject),
        session.settings(plainest.planned.subject),
    )
    settings = [
        name
        for name in sorted(own_settings.keys() | their_settings.keys())
        if own_settings.get(name) != their_settings.get(name)
    ]
    if any(name not in _WORDS_OF for name in settings):
        return
    odd = sorted(
        word for word in own_words ^ plainest_words if not any(_WORDS_OF[name].match(word) for name in settings)
    )
    if odd:
        yield broken(f"{listed(odd)} differ from {plainest.planned.subject}, and no setting declares it.")


def _settings(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    yield from _jdk(trial, session)
    yield from _release(trial, session)
    runtime = trial.environment("runtime")
    if runtime not in (None, trial.runtime):
        yield broken(f"The application says that it is {runtime}, and its packaging is {trial.runtime}.")
    stated = trial.environment("settings")
    if not isinstance(stated, dict):
        yield unknown("The application did not say its settings (GET /environment).")
        return
    settings = session.settings(trial.planned.subject)
    if settings.get("otel") == "agent" and stated.get("otel") != "agent":
        yield broken("The application does not see the agent that is declared.")
    for key, value in sorted(stated.items()):
        name = str(key).replace("_", "-")
        wanted = settings.get(name)
        # An application of an older commit may call the value otherwise.
        if wanted is not None and current_value_name(name, str(value)) != current_value_name(name, wanted):
            yield broken(f"The application understood {key} as {value} where {wanted} is declared.")


def _says_the_same(evidence: Evidence) -> Iterable[Check]:
    """Yield the checks of what the application said of itself after the load: what it ran with meanwhile."""
    before, after = evidence.environment, evidence.environment_after
    if not before:
        return
    if not after:
        yield unknown("The application did not say its settings after the load (GET /environment).")
        return
    for path in _LASTING:
        first, last = value_at(before, path), value_at(after, path)
        if first != last:
            yield broken(f"The application said {'.'.join(path)} {first} before the load, and {last} after it.")


def _jdk(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    wanted = session.settings(trial.planned.subject).get("jdk", "auto")
    vendor, version = trial.environment("java", "vendor"), trial.environment("java", "version")
    if wanted == "auto":
        return
    if not isinstance(vendor, str) or not isinstance(version, str):
        yield unknown("The application did not say which JDK runs it (GET /environment).")
    elif (actual := jdk_name(vendor, version)) != wanted:
        yield broken(f"The application runs on {actual} where {wanted} is declared.")


def _release(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    wanted = session.settings(trial.planned.subject).get("release", "auto")
    actual = trial.environment("framework", "version")
    if wanted == "auto":
        return
    if not isinstance(actual, str):
        yield unknown("The application did not say its framework's release (GET /environment).")
    elif actual != wanted:
        yield broken(f"The application runs on release {actual} of its framework where {wanted} is declared.")


def _load_generator(trial: TrialFacts, session: SessionFacts) -> Iterable[Check]:
    """Yield the checks of each k6's program, options and environment, less what is its own, against all the others."""
    commands = [command for facts in session.trials.values() for command in _generators(facts.evidence)]
    if len(set(commands)) < 2:
        return
    usual_command, common = usual(commands), frozenset[str].intersection(*commands)
    for command in sorted({command for command in _generators(trial.evidence) if command != usual_command}, key=sorted):
        own_words = listed(sorted(command - common)) if command - common else "less than others have"
        yield broken(f"The load generator was started otherwise than in most trials: {own_words}.")


def _generators(evidence: Evidence) -> list[frozenset[str]]:
    return [
        frozenset(
            (
                _FOLDERS.sub("/", process.command_line[0]),
                *(word.partition("=")[0] for word in process.command_line[1:] if word.startswith("--")),
                *(f"{key}={value}" for key, value in process.environment.items() if key in _STEERING_GO),
            )
        )
        - _OWN_OPTIONS
        for process in evidence.processes
        if process.role == "load" and process.command_line
    ]


def _attached(evidence: Evidence) -> Iterable[Check]:
    """Yield the check of threads that a JVM starts for a visitor who looks into it."""
    phases = sorted({use.phase for use in evidence.threads if use.name in OF_VISITORS})
    if phases:
        reading = f"Somebody attached to the JVM by the end of {listed(phases)}"
        yield broken(f"{reading}: it served a visitor as well.", len(phases), "phases", 0)


def _left_behind(evidence: Evidence) -> Iterable[Check]:
    """Yield the check of processes that outlive their application: they work while nobody measures them."""
    strays = evidence.left_behind
    if strays is None:
        yield unknown("Whether the application left processes behind was not looked for.")
    elif strays:
        reading = f"The application ended and left {counted(len(strays), 'process', 'processes')} behind"
        used_us = sum(stray.cpu_us for stray in strays)
        yield broken(f"{reading}, whose CPU time is its own: {strays_in_words(strays)}.", used_us / 1e6, "s", 0)


def _program(evidence: Evidence) -> str:
    """Return the first word of the application's command line; empty when it was not read."""
    return next(
        (process.command_line[0] for process in evidence.processes if process.role == "app" and process.command_line),
        "",
    )


def command_words(evidence: Evidence) -> frozenset[str] | None:
    """Return the application's command line and environment, less what is each trial's own; None when not read."""
    process = next((process for process in evidence.processes if process.role == "app"), None)
    if process is None or not process.command_line:
        return None
    line = [word for word in process.command_line if not _OWN_WORDS.match(word)]
    variables = [f"{key}={value}" for key, value in process.environment.items() if not _OWN_VARIABLES.match(key)]
    return frozenset(_FOLDERS.sub("/", word) for word in (*line, *variables))


def _same_subject(trial: TrialFacts, session: SessionFacts) -> list[TrialFacts]:
    return [facts for facts in session.trials.values() if facts.planned.contender == trial.planned.contender]


def _artifact_id(subject: str) -> str:
    parsed = Subject.try_parse(subject)
    return subject if parsed is None else parsed.artifact_id


RULE = Rule(
    id="R33",
    title="What ran is what was declared",
    source="digests, ids of images, /proc/PID/cmdline and environ, GET /environment, threads, processes after the end",
    mistake="stale images: an old build measured under a new name",
    kind="correctness",
    needs=("artifact_sha256", "processes", "environment", "environment_after", "left_behind"),
    judge=judge,
)
