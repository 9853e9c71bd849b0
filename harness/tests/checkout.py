"""This checkout, and its catalog, which many tests only read."""

from __future__ import annotations

from pathlib import Path

from plumbline.subjects.catalog.catalog import read_catalog

ROOT = Path(__file__).resolve().parents[2]
CATALOG = read_catalog(ROOT)
