"""`./bench compare --pairs`: the file of given numbers, and the verdict on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import click
from pydantic import Field, StrictFloat, StrictInt, field_validator

from plumbline.archive.record.claim import standing_words, would_decide
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.reading import read_json
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.wording import counted
from plumbline.verdicts.stats.compare import MINIMUM_PAIRS, Better, PairedComparison, differences
from plumbline.verdicts.stats.design import Design, Kind, examine
from plumbline.verdicts.stats.families import QuestionCourse
from plumbline.verdicts.stats.interim import follow
from plumbline.verdicts.stats.power import PAIRS_LIMIT, Answer, detectable_by, further_pairs, not_slower_than
from plumbline.verdicts.stats.ranking import RankedPair
from plumbline.verdicts.stats.wording import change, ratio, reason, words
from .console import print_json

_FORM = (
    'Expected {"pairs": [[base, head], …], "better": "higher" or "lower"} with three or more pairs; '
    "see `./bench compare --help`."
)

_Figure = Annotated[StrictFloat, Field(gt=0)]
_Process = Annotated[str, Field(coerce_numbers_to_str=True)]


class PairsFile(Frozen):
    """The content of a file of pairs; `./bench compare --help` says what each part means."""

    pairs: tuple[tuple[_Figure, _Figure], ...] = Field(min_length=MINIMUM_PAIRS)
    better: Better
    order: tuple[str, ...] | None = None
    process: tuple[tuple[_Process, _Process], ...] | None = None
    looks: tuple[StrictInt, ...] | None = Field(default=None, min_length=1)
    design: Kind = "interleaved"

    @property
    def planned_looks(self) -> tuple[int, ...]:
        """The looks; one after all pairs where the file names none."""
        return self.looks or (len(self.pairs),)

    @field_validator("looks")
    @classmethod
    def _ascend(cls, looks: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if looks is not None and not all(MINIMUM_PAIRS <= look <= PAIRS_LIMIT for look in looks):
            raise ValueError(f"a look needs {MINIMUM_PAIRS} to {PAIRS_LIMIT:,} pairs")
        if looks is not None and any(earlier >= later for earlier, later in pairwise(looks)):
            raise ValueError("numbers of pairs must ascend")
        return looks


def read_pairs(path: Path) -> PairsFile:
    """Read and check the file. Raises UsageError."""
    file = read_json(path, PairsFile, _FORM)
    if file.looks is not None and file.looks[0] > len(file.pairs):
        raise UsageError(
            f"{len(file.pairs)} pairs given, and the first look needs {file.looks[0]}.",
            "Measure on until then; an earlier look is one more.",
        )
    return file


def verdict_on_pairs(pairs_path: Path, bound_percent: float | None, as_json: bool) -> int:
    """Print the verdict on the pairs of a file, and return the exit status. Raises UsageError."""
    file = read_pairs(pairs_path)
    values = differences(file.pairs, file.better)
    _design(file, values, len(values))

    def answer_of(look: PairedComparison) -> Answer | None:
        return None if bound_percent is None else not_slower_than(look, bound_percent / 100)

    course = follow(values, file.planned_looks, lambda look: answer_of(look) != "undecided")
    last = course.last
    assert last is not None
    design = _design(file, values, last.pairs)
    answer = answer_of(last)
    if as_json:
        print_json(_document(file, design, course, last, bound_percent, answer))
    else:
        click.echo(_sentence(last, file.better))
        click.echo(_reason(file, design, course))
        if answer is not None:
            click.echo(f"Not slower than {bound_percent:g} %: {answer}.")
    return int(last.fails if answer is None else answer == "no")


def _design(file: PairsFile, values: Sequence[float], pairs: int) -> Design:
    """Return the design of the first pairs. Raises UsageError where it is forbidden."""
    order = None if file.order is None else "".join(file.order)[: 2 * pairs]
    process = None if file.process is None else file.process[:pairs]
    return examine(values[:pairs], file.design, order, process)


def _sentence(last: PairedComparison, better: Better) -> str:
    """Return `Head is slower: 3.1 % less (99 % interval 2.2 to 4.0 %), 12 pairs.`"""
    pair, pairs = RankedPair(last, None), counted(last.pairs, "pair")
    if pair.verdict == "equivalent":
        return f"Head and base are equivalent: closer than 2 %, {pairs}."
    difference = standing_words(pair, better)
    if pair.verdict == "inconclusive":
        return f"Undecided: head has {difference}, {pairs}. {would_decide(pair, 'pair')}"
    return f"Head is {words(last)}: {difference}, {pairs}."


def _reason(file: PairsFile, design: Design, course: QuestionCourse) -> str:
    return " ".join((reason(course, file.planned_looks, len(file.pairs), file.better), *design.notes))


def _document(
    file: PairsFile,
    design: Design,
    course: QuestionCourse,
    last: PairedComparison,
    bound_percent: float | None,
    answer: Answer | None,
) -> dict[str, Any]:
    """Return the JSON document of a verdict: ratios are head / base as measured, `mde` is relative (0.02 is 2 %)."""
    measured = last if file.better == "higher" else last.turned
    undecided = last.verdict == "inconclusive"
    is_open = undecided or answer == "undecided"
    return {
        "verdict": last.verdict,
        "words": words(last),
        "sentence": _sentence(last, file.better),
        "ratio": rounded(ratio(measured.effect)),
        "interval": [rounded(ratio(measured.low)), rounded(ratio(measured.high))],
        "mde": rounded(change(detectable_by(last))),
        "reason": _reason(file, design, course),
        "within_margin": last.within_margin,
        "heterogeneous": last.heterogeneous,
        "p": rounded(last.p),
        "level": last.level,
        "pairs": last.pairs,
        "further_pairs": further_pairs(last) if undecided and not last.heterogeneous else None,
        "looks": list(file.planned_looks),
        "looks_taken": [analysis.pairs for analysis in course.taken],
        "next_analysis": next((look for look in file.planned_looks if is_open and look > len(file.pairs)), None),
        "robust": {
            "trimmed": rounded(ratio(measured.trimmed)),
            "hodges_lehmann": rounded(ratio(measured.hodges_lehmann)),
        },
        "design": {
            "kind": design.kind,
            "order": design.order,
            "process": design.process,
            "notes": list(design.notes),
        },
        "not_slower_than": None if answer is None else {"percent": bound_percent, "answer": answer},
    }
