"""Made-up sessions for all writers: the nature of each subject is given, and its figures are drawn from it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from plumbline.archive.record.standings import standings
from plumbline.model.host import HostClass
from plumbline.model.record import Figures, Record, Steadiness, Verdict
from plumbline.verdicts.figures.metrics import WARMING
from plumbline.verdicts.figures.series import rounded
from tests.report.session import session

SUBJECTS = (
    "quarkus-rest-orm/jvm/pg",
    "spring4-mvc-jpa/jvm/pg",
    "spring3-mvc-jpa/jvm/pg",
    "vertx-pg/jvm/pg",
    "spring4-mvc-jdbc/jvm/pg",
    "nobody-knows/jvm/pg",
)
START = ("first_response_ms", "rss_idle_bytes")
# phase, metric, value of a plain subject, exponent of the speed of a subject
_FIGURES = (
    ("start", "first_response_ms", 1800.0, -1),
    ("start", "rss_idle_bytes", 1.9e8, -1),
    ("warm-up", "first_10_s_requests", 9000.0, 1),
    ("closed", "throughput_per_s", 4200.0, 1),
    ("closed", "app_cpu_us_per_request", 940.0, -1),
    ("open@100", "latency_p99_ms", 9.0, -1),
    ("open@800", "latency_p99_ms", 14.0, -1),
)


@dataclass(frozen=True)
class Nature:
    """The truth about a subject: how fast it serves and starts (1 is plain), and how far its figures may still drift.

    `drift` None: the phases of the subject were too short to prove anything. Trials of its first `cold_blocks` proved
    nothing, whatever the others did.
    """

    speed: float
    start: float
    drift: float | None
    cold_blocks: int = 0


@cache
def _frame(subjects: tuple[str, ...], blocks: int, host_class: HostClass) -> Record:
    return session(subjects=subjects, blocks=blocks, host_class=host_class, invalid=False)[0]


def made(
    natures: Sequence[Nature],
    *,
    blocks: int = 5,
    host_class: HostClass = "lab",
    noise: float = 0.01,
    refused: float = 0.0,
    seed: int = 1,
) -> Record:
    """A record of the first subjects, one for each nature; the control is proven where any of the subjects is."""
    draw = random.Random(seed)
    nature_of = dict(zip(SUBJECTS, natures, strict=False))
    frame = _frame(tuple(nature_of), blocks, host_class)
    proven = [nature.drift for nature in natures if nature.drift is not None]
    nature_of[frame.plan.control] = Nature(2.0, 2.0, min(proven) if proven else None)
    trials = []
    for trial in frame.trials:
        verdict: Verdict = "valid" if host_class == "lab" else "advisory"
        if trial.role == "measured" and draw.random() < refused:
            verdict = "invalid"
        nature = nature_of[trial.subject]
        figures = _figures(nature, draw, noise, nature.drift is not None and trial.block > nature.cold_blocks)
        trials.append(trial.model_copy(update={"figures": figures, "verdict": verdict}))
    steadiness = tuple(
        _row(subject, phase, metric, nature)
        for subject, nature in nature_of.items()
        for phase, metric in (
            ("closed", "throughput_per_s"),
            ("closed", "app_cpu_us_per_request"),
            ("open@100", "latency_mean_ms"),
            ("open@800", "latency_mean_ms"),
        )
    )
    return frame.model_copy(
        update={
            "trials": tuple(trials),
            "steadiness": steadiness,
            "standings": standings(frame.plan, trials, steadiness),
        }
    )


def branch(records: Sequence[Record]) -> tuple[Record, ...]:
    """The records as sessions of a data branch, a day apart: the first is the oldest."""
    return tuple(
        record.model_copy(
            update={
                "plan": record.plan.model_copy(update={"session": f"202607{day:02}T101502Z-bench-2core-3fa9c1"}),
                "provenance": record.provenance.model_copy(update={"started_at": f"2026-07-{day:02}T10:15:02Z"}),
            }
        )
        for day, record in enumerate(records, 1)
    )


def _figures(nature: Nature, draw: random.Random, noise: float, proven: bool) -> Figures:
    by_phase: Figures = {}
    for phase, metric, value, power in _FIGURES:
        cold = phase == "start" or metric == "first_10_s_requests"
        true = value * (nature.start if cold else nature.speed) ** power
        name = metric if proven else WARMING.get(metric, metric)
        by_phase.setdefault(phase, {})[name] = rounded(true * draw.lognormvariate(0, noise))
    return by_phase


def _row(subject: str, phase: str, metric: str, nature: Nature) -> Steadiness:
    proven = nature.drift is not None
    return Steadiness(
        subject=subject,
        scenario="fruits@1",
        phase=phase,
        metric=metric,
        processes=5 if proven else 0,
        measured_s=60 if proven else 3,
        load_s=120 if proven else 6,
        estimate=0.0 if proven else None,
        error=nature.drift,
        degrees=24 if proven else None,
        bound=nature.drift,
        proven=proven,
        more_s=None,
        words="steady within 2 %" if proven else "too short to tell: 3 s measured, and it takes 17 s",
    )
