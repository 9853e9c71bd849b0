"""Files in the repository that come from models: the JSON Schema of a record, and the types of k6 scripts.

`./bench python -m laboratory.schemas` writes both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from plumbline.measuring.load.params import LoadParams, LoadUseCase
from plumbline.measuring.load.summary import Summary, SummaryPart
from plumbline.model.base import Frozen
from plumbline.model.record import Record

_ROOT = Path(__file__).resolve().parents[2]
RECORD_SCHEMA = _ROOT / "results" / "record.schema.json"
K6_SHAPES = _ROOT / "k6" / "lib" / "shapes.ts"


def schema_bytes() -> bytes:
    """Return the schema of a record, as it is kept in `results/record.schema.json`."""
    schema = Record.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n"


_NAMES: dict[str, type[Frozen]] = {
    "UseCase": LoadUseCase,
    "Params": LoadParams,
    "SummaryPart": SummaryPart,
    "Summary": Summary,
}
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript() -> str:
    """Return the parameters and the summary of a scenario as interfaces of TypeScript."""
    _, schemas = models_json_schema([(model, "validation") for model in _NAMES.values()])
    head = "// Made by `python -m laboratory.schemas` of the models there; never edited by hand.\n"
    return head + "".join(
        line for name, model in _NAMES.items() for line in _interface(name, schemas["$defs"][model.__name__])
    )


def _interface(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"\nexport interface {name} {{\n"
    for field, field_schema in schema["properties"].items():
        if "description" in field_schema:
            yield f"  /** {field_schema['description']} */\n"
        yield f"  readonly {field}: {_type(field_schema)};\n"
    yield "}\n"


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(f'"{word}"' for word in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(option) for option in schema["anyOf"]))
    if "$ref" in schema:
        model = schema["$ref"].rpartition("/")[2]
        return next(name for name, candidate in _NAMES.items() if candidate.__name__ == model)
    if schema["type"] == "array":
        item = _type(schema["items"])
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if schema["type"] == "object":
        return f"Readonly<Record<string, {_type(schema['additionalProperties'])}>>"
    return _PLAIN[schema["type"]]


if __name__ == "__main__":
    RECORD_SCHEMA.write_bytes(schema_bytes())
    K6_SHAPES.write_text(typescript(), encoding="utf-8")
