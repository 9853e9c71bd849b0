"""`./bench compare --pairs`: the file of given numbers, every mistake in it as one sentence, and the verdict on it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import click

from plumbline.catalog.reading import nearest
from plumbline.figures.series import rounded
from plumbline.judge.wording import counted
from plumbline.model.errors import UsageError
from plumbline.record.claim import stands, would_decide
from plumbline.stats.compare import MINIMUM_PAIRS, Better, PairedComparison, Prior, differences
from plumbline.stats.design import Design, Kind, examine
from plumbline.stats.interim import FIRST_WITHOUT_PRIOR, Course, follow
from plumbline.stats.power import Answer, found_by, further_pairs, not_slower_than
from plumbline.stats.ranking import RankedPair
from plumbline.stats.wording import change, ratio, reason, words
from .console import print_json

KEYS = ("pairs", "better", "prior", "order", "process", "looks", "design")
_SHAPE = 'Expected {"pairs": [[base, head], …], "better": "higher" or "lower"}; see `./bench compare --help`.'


@dataclass(frozen=True)
class PairsFile:
    """The checked content of a file of pairs: MINIMUM_PAIRS or more, of numbers above zero, and ascending looks."""

    pairs: tuple[tuple[float, float], ...]
    better: Better
    prior: Prior | None
    order: tuple[str, ...] | None
    process: tuple[tuple[str, str], ...] | None
    looks: tuple[int, ...] | None
    design: Kind


def read_pairs(path: Path) -> PairsFile:
    """Read and check the file. Raises UsageError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", _SHAPE) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text.", _SHAPE) from error
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path} is not valid JSON: {error.msg}, line {error.lineno}, column {error.colno}.", _SHAPE
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} holds a number or a nesting that no measurement has.", _SHAPE) from error
    if not isinstance(data, dict):
        raise UsageError(f"{path} is not a JSON object.", _SHAPE)
    for key in data:
        if key not in KEYS:
            raise UsageError(f"{path}: unknown key '{key}'.", nearest(key, KEYS))
    pairs = _pairs(data.get("pairs"))
    return PairsFile(
        pairs=pairs,
        better=cast(Better, _one_of(data, "better", ("higher", "lower"))),
        prior=_prior(data.get("prior")),
        order=_order(data.get("order")),
        process=_process(data.get("process")),
        looks=_looks(data.get("looks"), len(pairs)),
        design=cast(Kind, _one_of({"design": "interleaved"} | data, "design", ("interleaved", "duet"))),
    )


def _pairs(given: Any) -> tuple[tuple[float, float], ...]:
    if not isinstance(given, list):
        raise UsageError("`pairs` is missing or is not a list.", _SHAPE)
    pairs = []
    for number, pair in enumerate(given, start=1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise UsageError(f"Pair {number} is not [base, head].", _SHAPE)
        base, head = (
            _above_zero(value, f"Pair {number}: {side}")
            for value, side in zip(pair, ("base", "head"), strict=True)
        )
        pairs.append((base, head))
    if len(pairs) < MINIMUM_PAIRS:
        count = f"{len(pairs)} pair{'' if len(pairs) == 1 else 's'}"
        raise UsageError(
            f"{count} given, and a verdict needs {MINIMUM_PAIRS} at least.",
            "Six or more are worth their time: two trials a pair, each of a fresh process.",
        )
    return tuple(pairs)


def _above_zero(value: Any, what: str) -> float:
    number = _number(value)
    if number is None:
        raise UsageError(
            f"{what} is {json.dumps(value)[:40]}, not a number.", "Leave a trial without a figure out."
        )
    if not math.isfinite(number):
        raise UsageError(f"{what} is {number}, not a figure.", "Leave a trial without a figure out.")
    if number <= 0:
        raise UsageError(
            f"{what} is {number:g}, and ratios need figures above zero.", "Leave the pair out, or mend it."
        )
    return number


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _one_of(data: dict[str, Any], key: str, known: tuple[str, ...]) -> str:
    value = data.get(key)
    if value is None:
        raise UsageError(f"`{key}` is missing.", f"Say {' or '.join(known)}.")
    if value not in known:
        raise UsageError(f"`{key}` is {json.dumps(value)[:40]}.", f"Say {' or '.join(known)}.")
    return str(value)


def _prior(given: Any) -> Prior | None:
    if given is None:
        return None
    shape = 'Expected {"variance": s0^2 of the log ratios of pairs, "degrees": d0}.'
    if not isinstance(given, dict) or set(given) != {"variance", "degrees"}:
        raise UsageError("`prior` does not name exactly variance and degrees.", shape)
    return Prior(
        variance=_above_zero(given["variance"], "The variance of `prior`"),
        degrees=_above_zero(given["degrees"], "The degrees of `prior`"),
    )


def _order(given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(entry, str) for entry in given):
        raise UsageError("`order` is not a list of texts.", 'Give "AB" or "BA" for each pair, A being base.')
    return tuple(given)


def _process(given: Any) -> tuple[tuple[str, str], ...] | None:
    if given is None:
        return None
    good = isinstance(given, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(name, str | int) and not isinstance(name, bool) for name in pair)
        for pair in given
    )
    if not good:
        raise UsageError(
            "`process` is not a list of [id, id].", "Name the process of base and of head in each pair."
        )
    return tuple((str(base), str(head)) for base, head in given)


def _looks(given: Any, pairs: int) -> tuple[int, ...] | None:
    if given is None:
        return None
    step = f"Give numbers of pairs that ascend from {MINIMUM_PAIRS} or more, such as [6, 10, 12, 16, 20, 26]."
    whole = isinstance(given, list) and all(type(look) is int and look <= 1000 for look in given)
    if not whole or not given or given[0] < MINIMUM_PAIRS or any(one >= two for one, two in pairwise(given)):
        raise UsageError(f"`looks` is {json.dumps(given)[:60]}.", step)
    if given[0] > pairs:
        raise UsageError(
            f"{pairs} pairs given, and the first look needs {given[0]}.",
            "Measure on until then; an earlier look is one more.",
        )
    return tuple(given)


def verdict_on_pairs(pairs_path: Path, bound_percent: float | None, as_json: bool) -> int:
    """Print the verdict on the pairs of a file, and return the exit status. Raises UsageError."""
    given = read_pairs(pairs_path)
    values = differences(given.pairs, given.better)
    design = examine(values, given.design, given.order, given.process)
    course = follow(values, given.looks or (len(values),), given.prior)
    last = course.last
    if last is None:
        raise UsageError(
            "The session is noisier than its prior allows, "
            f"and without the prior a look needs {FIRST_WITHOUT_PRIOR} pairs.",
            "Measure on until then.",
        )
    answer = None if bound_percent is None else not_slower_than(last, bound_percent / 100)
    if as_json:
        print_json(_document(given, design, course, last, bound_percent, answer))
    else:
        click.echo(_sentence(last, given.better))
        click.echo(_reason(given, design, course))
        if answer is not None:
            click.echo(f"Not slower than {bound_percent:g} %: {answer}.")
    return int(last.fails if answer is None else answer == "no")


def _sentence(last: PairedComparison, better: Better) -> str:
    """Return `Head is slower: 3.1 % less (99 % interval 2.2 to 4.0 %), 12 pairs.`"""
    pair, pairs = RankedPair(last, None), counted(last.pairs, "pair")
    if pair.verdict == "equivalent":
        return f"Head and base are equivalent: closer than 2 %, {pairs}."
    said = stands(pair, better)
    if pair.verdict == "inconclusive":
        return f"Undecided: head has {said}, {pairs}. {would_decide(pair, 'pair')}"
    return f"Head is {words(last)}: {said}, {pairs}."


def _reason(given: PairsFile, design: Design, course: Course) -> str:
    return " ".join((reason(course, len(given.pairs), given.better), *design.notes))


def _document(
    given: PairsFile,
    design: Design,
    course: Course,
    last: PairedComparison,
    bound_percent: float | None,
    answer: Answer | None,
) -> dict[str, Any]:
    """Return the JSON document of a verdict: ratios are head / base as measured, `mde` is relative (0.02 is 2 %)."""
    sign = 1 if given.better == "higher" else -1

    def head_over_base(log_ratio: float) -> float:
        return rounded(ratio(sign * log_ratio))

    undecided = last.verdict == "inconclusive"
    return {
        "verdict": last.verdict,
        "words": words(last),
        "sentence": _sentence(last, given.better),
        "ratio": head_over_base(last.effect),
        "interval": sorted((head_over_base(last.low), head_over_base(last.high))),
        "mde": rounded(change(found_by(last))),
        "reason": _reason(given, design, course),
        "within_margin": last.within_margin,
        "heterogeneous": last.heterogeneous,
        "p": rounded(last.p),
        "level": course.level,
        "pairs": last.pairs,
        "further_pairs": further_pairs(last) if undecided and not last.heterogeneous else None,
        "looks": list(course.looks),
        "looks_taken": [one.pairs for one in course.taken],
        "next_analysis": course.next_analysis(len(given.pairs)),
        "prior": last.prior,
        "robust": {
            "trimmed": head_over_base(last.trimmed),
            "hodges_lehmann": head_over_base(last.hodges_lehmann),
        },
        "design": {
            "kind": design.kind,
            "order": design.order,
            "process": design.process,
            "notes": list(design.notes),
        },
        "not_slower_than": None if answer is None else {"percent": bound_percent, "answer": answer},
    }
