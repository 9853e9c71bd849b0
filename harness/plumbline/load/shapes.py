"""The types of k6/lib/shapes.ts, made of the models here. In harness/: `python -m plumbline.load.shapes` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from plumbline.model.base import Frozen
from .params import LoadParams, LoadUseCase
from .summary import Summary, SummaryPart

KEPT = Path(__file__).resolve().parents[3] / "k6" / "lib" / "shapes.ts"

_NAMES: dict[str, type[Frozen]] = {
    "UseCase": LoadUseCase,
    "Params": LoadParams,
    "SummaryPart": SummaryPart,
    "Summary": Summary,
}
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript() -> str:
    """Return the parameters and the summary of a scenario as interfaces of TypeScript."""
    _, whole = models_json_schema([(model, "validation") for model in _NAMES.values()])
    head = "// Made by `python -m plumbline.load.shapes` of the models there; never edited by hand.\n"
    return head + "".join(
        line for name, model in _NAMES.items() for line in _interface(name, whole["$defs"][model.__name__])
    )


def _interface(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"\nexport interface {name} {{\n"
    for field, its in schema["properties"].items():
        if "description" in its:
            yield f"  /** {its['description']} */\n"
        yield f"  readonly {field}: {_type(its)};\n"
    yield "}\n"


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(f'"{word}"' for word in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "$ref" in schema:
        model = schema["$ref"].rpartition("/")[2]
        return next(name for name, one in _NAMES.items() if one.__name__ == model)
    if schema["type"] == "array":
        item = _type(schema["items"])
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if schema["type"] == "object":
        return f"Readonly<Record<string, {_type(schema['additionalProperties'])}>>"
    return _PLAIN[schema["type"]]


if __name__ == "__main__":
    KEPT.write_text(typescript(), encoding="utf-8")
