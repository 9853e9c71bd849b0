"""The JSON Schema of a record, generated from the model. In harness/: `python -m plumbline.record.schema` writes it."""

from __future__ import annotations

import json
from pathlib import Path

from plumbline.model.record import Record

KEPT = Path(__file__).resolve().parents[3] / "results" / "record.schema.json"


def schema_bytes() -> bytes:
    """Return the schema as it is kept in `results/record.schema.json`."""
    schema = Record.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n"


if __name__ == "__main__":
    KEPT.write_bytes(schema_bytes())
