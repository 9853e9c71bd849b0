"""The truth of a made-up world: its hosts and subjects, how fast each is, and what happens to them over the years."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

CONTROL = "control/jvm/pg"
BLOCKS = 3
OPEN_RATES = (500, 1000)

# (phase, metric) -> (value of a plain subject, sign by which a faster program changes it, family, scatter of a trial).
FIGURES: dict[tuple[str, str], tuple[float, int, str, float]] = {
    ("start", "first_response_ms"): (1800.0, -1, "start", 0.015),
    ("start", "rss_idle_bytes"): (1.9e8, 0, "memory", 0.006),
    ("closed", "throughput_per_s"): (4200.0, 1, "speed", 0.009),
    ("closed", "app_cpu_us_per_request"): (940.0, -1, "speed", 0.006),
    ("closed", "rss_under_load_bytes"): (3.6e8, 0, "memory", 0.01),
    ("open@500", "latency_p99_ms"): (9.0, -1, "speed", 0.03),
    ("open@500", "app_cpu_us_per_request"): (900.0, -1, "speed", 0.006),
    ("open@500", "rss_under_load_bytes"): (3.5e8, 0, "memory", 0.01),
    ("open@1000", "latency_p99_ms"): (14.0, -1, "speed", 0.04),
    ("open@1000", "app_cpu_us_per_request"): (920.0, -1, "speed", 0.006),
}
WATCHED = len(FIGURES)

_VARIANTS = (
    ("quarkus-rest-orm", "Quarkus", 0.15),
    ("spring4-mvc-jpa", "Spring Boot", -0.35),
    ("vertx-pg", "Vert.x", 0.3),
    ("quarkus-rest-reactive", "Quarkus", 0.1),
    ("micronaut-jdbc", "Micronaut", 0.05),
    ("quarkus-rest-orm-virtual", "Quarkus", 0.12),
    ("spring4-webflux-r2dbc", "Spring Boot", -0.45),
    ("spring4-mvc-jdbc", "Spring Boot", -0.1),
    ("quarkus-classic-orm", "Quarkus", 0.0),
    ("micronaut-reactive", "Micronaut", 0.08),
    ("spring3-mvc-jpa", "Spring Boot", -0.4),
    ("quarkus-spring-compat", "Quarkus", 0.02),
)
_PACKAGINGS = ("jvm", "aot", "native.mandrel")
_SETTINGS = ("", "+db-tls=require", "+pool=40", "+heap=1g", "+db-tls=require+pool=40")
_ENGINES = ("pg", "mysql")
_FIRST = {"Quarkus": (3, 20), "Spring Boot": (3, 4), "Vert.x": (4, 5), "Micronaut": (4, 6), "none": (1, 0)}


@dataclass(frozen=True)
class Step:
    """A change from a night on: the log of a family's figures differs by `size` (above 0: faster, or more memory)."""

    night: int
    family: str
    size: float


@dataclass
class SimulatedSubject:
    """A subject: its first and last night, what it is built of, and its steps. `versions` are (night, version)."""

    id: str
    framework: str
    first: int
    last: int
    advantage: dict[str, float]
    versions: list[tuple[int, str]]
    steps: list[Step] = field(default_factory=list)

    def version(self, night: int) -> str:
        """Return the version of the subject's framework in a night."""
        return next(name for since, name in reversed(self.versions) if since <= night)

    def level(self, phase: str, metric: str, night: int) -> float:
        """Return the true value of a figure in a night, without the effect of the host."""
        value, sign, family, _ = FIGURES[phase, metric]
        growth = math.fsum(step.size for step in self.steps if step.family == family and step.night <= night)
        offset = self.advantage[family] + growth
        return value * math.exp(offset if family == "memory" else sign * offset)


@dataclass
class Host:
    """A host: its class, what it measures, and its environment.

    `changes` are (night, component, value, shift of all figures).
    """

    name: str
    host_class: str
    subjects: list[SimulatedSubject]
    scenarios: tuple[str, ...]
    every: int
    changes: list[tuple[int, str, str, float]]

    def component(self, name: str, night: int, default: str) -> str:
        """Return a component of the environment in a night; `default` before its first change."""
        values = [value for since, component, value, _ in self.changes if component == name and since <= night]
        return values[-1] if values else default

    def shift(self, night: int) -> float:
        """Return by how much the environment makes everything faster, as a logarithm."""
        return math.fsum(size for since, _, _, size in self.changes if since <= night)


@dataclass(frozen=True)
class World:
    """The whole world. `control` is the same program for ever."""

    hosts: tuple[Host, ...]
    control: SimulatedSubject
    jdks: tuple[tuple[int, str], ...]

    def jdk(self, night: int) -> str:
        """Return the JDK in a night."""
        return next(name for since, name in reversed(self.jdks) if since <= night)


def world(series: int, sessions: int, seed: int) -> World:
    """Return a world of about `series` series over `sessions` nights: a tenth on a shared host, the rest in a lab."""
    draw = random.Random(f"world {seed}")
    cells = max(1, round(series / WATCHED))
    shared = round(cells / 10)
    scenarios = ("fruits", "hello") if cells - shared > 1 else ("fruits",)
    count = max(1, round((cells - shared) / len(scenarios)))
    endless_descriptions = _descriptions()
    descriptions = [next(endless_descriptions) for _ in range(count)]
    things = [_new_thing(place, *description, sessions, draw) for place, description in enumerate(descriptions)]
    hosts = [Host("sim-lab", "lab", things, scenarios, 1, _changes(sessions, draw))]
    if shared:
        hosts.append(Host("sim-hosted", "shared", things[:shared], scenarios[:1], 3, _changes(sessions, draw)))
    control = SimulatedSubject(
        CONTROL, "none", 0, sessions, dict.fromkeys(("start", "memory", "speed"), 0.5), [(0, "1.0")]
    )
    jdks = [(0, "Temurin 25+36")]
    for update, night in enumerate(range(120, sessions, 180), start=1):
        jdks.append((night, f"Temurin 25.0.{update}+{9 + update}"))
    return World(tuple(hosts), control, tuple(jdks))


def _descriptions() -> Iterator[tuple[str, str, float]]:
    for setting in _SETTINGS:
        for engine in _ENGINES:
            for packaging in _PACKAGINGS:
                for variant, framework, head in _VARIANTS:
                    yield f"{variant}/{packaging}/{engine}{setting}", framework, head
    number = 0
    while True:
        number += 1
        for variant, framework, head in _VARIANTS:
            yield f"{variant}/jvm/pg+heap={600 + number}m", framework, head


def _new_thing(
    place: int, id_: str, framework: str, head: float, sessions: int, draw: random.Random
) -> SimulatedSubject:
    first, last = 0, sessions
    # Of seven subjects, one comes later and one goes early.
    if place % 7 == 3:
        first = draw.randrange(sessions // 3, max(sessions * 2 // 3, sessions // 3 + 1))
    elif place % 7 == 5:
        last = draw.randrange(sessions // 2, max(sessions * 9 // 10, sessions // 2 + 1))
    native = "/native" in id_
    advantage = {
        "speed": head + draw.gauss(0, 0.05) - (0.5 if native else 0.0) - (0.15 if "db-tls" in id_ else 0.0),
        "memory": -head / 2 + draw.gauss(0, 0.08) - (1.0 if native else 0.0),
        "start": head + draw.gauss(0, 0.05) + (3.0 if native else 0.6 if "/aot/" in id_ else 0.0),
    }
    major, minor = _FIRST[framework]
    thing = SimulatedSubject(id_, framework, first, last, advantage, [(0, f"{major}.{minor}.0")])
    night = first + draw.randrange(20, 60)
    while night < sessions:
        minor += 1
        thing.versions.append((night, f"{major}.{minor}.0"))
        if draw.random() < 0.35:
            family = draw.choice(("speed", "speed", "memory", "start"))
            size = draw.choice((-1, 1)) * draw.uniform(0.015, 0.09)
            thing.steps.append(Step(night, family, size))
            if draw.random() < 0.3:
                thing.steps.append(Step(night + draw.randrange(8, 30), family, -size))
        night += draw.randrange(40, 90)
    if draw.random() < 0.4:
        # A step that nothing explains: somebody changed the application itself.
        thing.steps.append(Step(draw.randrange(sessions + 1), "speed", draw.gauss(0, 0.04)))
    return thing


def _changes(sessions: int, draw: random.Random) -> list[tuple[int, str, str, float]]:
    changes: list[tuple[int, str, str, float]] = []
    for number, night in enumerate(range(draw.randrange(60, 140), sessions, 230)):
        changes.append((night, "kernel", f"6.12.{40 + number}", draw.gauss(0, 0.02)))
    for number, night in enumerate(range(draw.randrange(150, 300), sessions, 410)):
        changes.append((night, "microcode", f"0x{0x2B000 + number:x}", draw.gauss(-0.01, 0.01)))
    for number, night in enumerate(range(300, sessions, 500)):
        changes.append((night, "k6", f"k6 v2.{number + 1}.0", 0.0))
    return sorted(changes)
