"""Check that a JSON document has a size and a form that the other checks may look at."""

from __future__ import annotations

import json
import math
from typing import Any

from plumbline.model.errors import AnswerIsNo
from . import limits


def document(content: bytes, name: str, most_values: int) -> Any:
    """Return the parsed document. Raises AnswerIsNo for NaN, infinity, and depth, texts or counts beyond reason."""
    # A value takes at least two bytes; so text of this length is looked at before anything is made of it.
    if content.count(b",") + content.count(b":") > 3 * most_values:
        raise AnswerIsNo(f"{name} holds more than {most_values:,} values.")
    try:
        found = json.loads(content, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise AnswerIsNo(f"{name} is nested too deep.") from None
    except (ValueError, OverflowError) as error:
        raise AnswerIsNo(f"{name} is no JSON document that we read ({str(error)[:120]}).") from None
    _walk(found, name, most_values)
    return found


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def _walk(top: Any, name: str, most_values: int) -> None:
    count = 0
    stack: list[tuple[Any, int]] = [(top, 0)]
    while stack:
        value, depth = stack.pop()
        count += 1
        if count > most_values:
            raise AnswerIsNo(f"{name} holds more than {most_values:,} values.")
        if depth > limits.DEPTH:
            raise AnswerIsNo(f"{name} is nested deeper than {limits.DEPTH}.")
        if isinstance(value, str) and len(value) > limits.TEXT_CHARACTERS:
            raise AnswerIsNo(f"{name} holds a text of more than {limits.TEXT_CHARACTERS:,} characters.")
        if isinstance(value, dict):
            if any(len(key) > limits.KEY_CHARACTERS for key in value):
                raise AnswerIsNo(f"{name} holds a name of more than {limits.KEY_CHARACTERS} characters.")
            stack += ((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            stack += ((item, depth + 1) for item in value)
