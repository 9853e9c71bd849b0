"""The file that `./bench compare --pairs` reads; every mistake is one sentence."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from plumbline.catalog.reading import nearest
from plumbline.model.errors import UsageError
from plumbline.stats.compare import MINIMUM_PAIRS, Better, Prior
from plumbline.stats.design import Kind

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
