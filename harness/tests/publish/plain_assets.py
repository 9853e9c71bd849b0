"""Templates and assets that show all data that a page gets: every text of the model, the names and the site."""

from __future__ import annotations

import json
from pathlib import Path

from plumbline.reporting.publish.assets import Assets, read_assets

PAGES = (
    "overview",
    "matrix",
    "trends",
    "compare",
    "runs",
    "run",
    "alerts",
    "hosts",
    "starts",
    "classes",
    "studies",
    "rules",
    "method",
    "integrity",
    "api",
    "search",
    "404",
)

_BASE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'">
<title>{{ page }}</title>
{% for sheet in assets.css %}<link rel="stylesheet" href="{{ root }}{{ sheet }}">
{% endfor %}{% for script in assets.js %}<script type="module" src="{{ root }}{{ script }}"></script>
{% endfor %}</head><body data-path="{{ path }}">
{% if site.simulated %}<p>Simulated data</p>{% endif %}
{% macro shown(value) %}{% if value is mapping %}{% for name, its in value.items() %}
<dt title="{{ name }}">{{ name }}</dt>
<dd>{{ shown(its) }}</dd>{% endfor %}{% elif value is string %}<b title="{{ value }}">{{ value }}</b>
{% elif value is iterable %}{% for its in value %}<li>{{ shown(its) }}</li>{% endfor %}{% else %}{{ value }}{% endif %}
{% endmacro %}
<main>{% block main %}{{ shown(model) }}{{ shown(names) }}{{ shown(site) }}{% endblock %}</main></body></html>
"""


def plain_assets(folder: Path) -> Assets:
    """Writes the assets into a folder of the test and reads them."""
    templates, dist = folder / "templates", folder / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / ".vite").mkdir()
    templates.mkdir()
    (templates / "base.html").write_text(_BASE, encoding="utf-8")
    manifest = {}
    for page in PAGES:
        (templates / f"{page}.html").write_text('{% extends "base.html" %}', encoding="utf-8")
        (dist / "assets" / f"{page}-0.js").write_text("export {};\n", encoding="utf-8")
        manifest[f"src/pages/{page}.ts"] = {"file": f"assets/{page}-0.js", "imports": ["_shared.js"]}
    (dist / "assets" / "shared-0.js").write_text("export {};\n", encoding="utf-8")
    (dist / "assets" / "style-0.css").write_text("body {}\n", encoding="utf-8")
    manifest["_shared.js"] = {"file": "assets/shared-0.js", "css": ["assets/style-0.css"]}
    (dist / ".vite" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return read_assets(templates, dist)
