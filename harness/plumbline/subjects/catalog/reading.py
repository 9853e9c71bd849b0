"""TOML and JSON into a typed model; every mistake becomes one sentence with file, key and the nearest known name."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from plumbline.model.errors import UsageError

Model = TypeVar("Model", bound=BaseModel)


def nearest(name: str, known_names: Iterable[str], listed: str = "") -> str:
    """Return a hint for a name that is not known: the nearest known name. When none is near, the hint names all of
    them, or, where a sentence `listed` says what lists them, the nearest all the same.
    """
    names = sorted(set(known_names))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"Did you mean '{close[0]}'?"
    if listed and names:
        return f"The nearest is '{difflib.get_close_matches(name, names, n=1, cutoff=0)[0]}'. {listed}"
    return f"Known: {', '.join(names)}." if names else "There is none yet."


def read_toml(path: Path, model: type[Model], shown: str) -> Model:
    """Read `path` as `model`. `shown` is the name of the file in messages.

    Raises UsageError for a missing file, broken TOML (line and column where known) and anything the model refuses.
    """
    text = _text(path, shown, f"Expected it at {path}.")
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{shown} is not valid TOML: {error}.", "Mend the file at that place.") from error
    return _validated(data, model, shown)


def read_json(path: Path, model: type[Model], form: str) -> Model:
    """Read `path` as `model`; `form` says in messages how such a file is written.

    Raises UsageError for a missing file, broken JSON (line and column) and anything the model refuses.
    """
    try:
        data = json.loads(_text(path, str(path), form))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}.", form) from error
    if not isinstance(data, dict):
        raise UsageError(f"{path} is not a JSON object.", form)
    return _validated(data, model, str(path), form)


def _text(path: Path, shown: str, next_step: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}.", next_step) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text.", next_step) from error


def _validated(data: Any, model: type[Model], shown: str, otherwise: str = "") -> Model:
    """Return the data as `model`. Raises UsageError; `otherwise` is the next step where no name is near."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        sentence, hint = _first_mistake(error, model, shown)
        raise UsageError(sentence, hint or otherwise) from error


def _first_mistake(error: ValidationError, model: type[BaseModel], shown: str) -> tuple[str, str]:
    details = error.errors()
    # A misspelt key shows up twice, as unknown and as missing: the unknown one is what to mend.
    first = next((item for item in details if item["type"] == "extra_forbidden"), details[0])
    return f"{shown}: {_sentence(first, model)}", _hint(first, model)


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"unknown key '{key}'."
    if detail["type"] == "missing":
        return f"'{key}' is missing."
    if detail["type"] == "too_short":
        least, given = detail["ctx"]["min_length"], detail["ctx"]["actual_length"]
        return f"'{key}': {least} or more are needed, and there {'is' if given == 1 else 'are'} {given}."
    message = detail["msg"].removeprefix("Value error, ")
    value = detail["input"]
    shown_value = f" (it is {value!r})" if isinstance(value, str | int | float | bool) else ""
    return f"'{key}': {message}{shown_value}."


def _hint(detail: ErrorDetails, model: type[BaseModel]) -> str:
    if detail["type"] != "extra_forbidden":
        return ""
    owner = _model_at(model, detail["loc"][:-1])
    if owner is None:
        return ""
    return nearest(str(detail["loc"][-1]), (field.alias or name for name, field in owner.model_fields.items()))


def _model_at(model: type[BaseModel], path: tuple[str | int, ...]) -> type[BaseModel] | None:
    """Return the model whose keys stand at `path`, following fields, dictionaries and lists of models."""
    current: Any = model
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            fields = {field.alias or name: field for name, field in current.model_fields.items()}
            if part not in fields:
                return None
            current = fields[str(part)].annotation
        else:
            arguments = [item for item in get_args(current) if item is not Ellipsis]
            if not arguments:
                return None
            current = arguments[-1]
    while not (isinstance(current, type) and issubclass(current, BaseModel)):
        arguments = [item for item in get_args(current) if isinstance(item, type) and issubclass(item, BaseModel)]
        if not arguments:
            return None
        current = arguments[0]
    return current
