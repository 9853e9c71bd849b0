"""The kept schema of the published data is the schema of the model, and every document names its kind."""

from __future__ import annotations

import json

from plumbline.reporting.publish.schema import DOCUMENTS, KEPT, schema_bytes


def test_the_kept_schema_is_current() -> None:
    assert KEPT.read_bytes() == schema_bytes(), "write it by `./bench python -m plumbline.reporting.publish.schema`"


def test_every_document_is_told_by_its_kind() -> None:
    definitions = json.loads(schema_bytes())["$defs"]
    kinds = [definitions[document.__name__]["properties"]["kind"]["const"] for document in DOCUMENTS]
    assert len(set(kinds)) == len(DOCUMENTS)
    assert all(
        {"api", "kind", "simulated"} <= set(definitions[document.__name__]["properties"]) for document in DOCUMENTS
    )
