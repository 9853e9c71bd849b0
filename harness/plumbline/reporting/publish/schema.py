"""Makes the JSON Schema of published data. `./bench python -m plumbline.reporting.publish.schema` writes it."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic.json_schema import models_json_schema

from .model.base import Document
from .model.classes import ClassesFile
from .model.compare import CompareFile
from .model.hosts import HostsFile
from .model.matrix import Matrix, MatrixIndex
from .model.runs import RunFile, Timeline
from .model.series import AlertsFile, SeriesFile, SeriesPart
from .model.site import IntegrityFile, RulesFile, RunIndex, SeriesIndex, SiteIndex, StudiesFile
from .model.standings import Overview, StartsFile
from .model.texts import MethodFile, SearchFile, WaysOn

KEPT = Path(__file__).resolve().parents[4] / "site" / "schema" / "api.schema.json"

DOCUMENTS: tuple[type[Document], ...] = (
    SiteIndex,
    SeriesIndex,
    RunIndex,
    Overview,
    Matrix,
    MatrixIndex,
    SeriesFile,
    SeriesPart,
    RunFile,
    Timeline,
    CompareFile,
    AlertsFile,
    HostsFile,
    StartsFile,
    ClassesFile,
    StudiesFile,
    IntegrityFile,
    RulesFile,
    MethodFile,
    SearchFile,
    WaysOn,
)
"""Every document of the API; `kind` tells them apart."""


def schema_bytes() -> bytes:
    """Return the schema as `site/schema/api.schema.json` keeps it: it accepts any of the documents."""
    places, schema = models_json_schema([(document, "serialization") for document in DOCUMENTS])
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "PublishedData"
    schema["oneOf"] = [places[document, "serialization"] for document in DOCUMENTS]
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n"


if __name__ == "__main__":
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_bytes(schema_bytes())
