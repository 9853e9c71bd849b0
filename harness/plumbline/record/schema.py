"""The JSON Schema of a record, generated from the model. `python -m plumbline.record.schema FILE [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plumbline.model.record import Record


def schema_bytes() -> bytes:
    """The schema as it is kept in `results/record.schema.json`."""
    schema = Record.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n"


def is_current(path: Path) -> bool:
    """Whether the file holds the schema of the model as it is now."""
    return path.is_file() and path.read_bytes() == schema_bytes()


def main(arguments: list[str]) -> int:
    """Write the schema, or with `--check` say by the exit status whether it is current."""
    path = Path(arguments[0])
    if "--check" in arguments:
        return 0 if is_current(path) else 1
    path.write_bytes(schema_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
