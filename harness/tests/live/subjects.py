"""What live tests hold to the contract."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from plumbline.build.builder import unavailable
from plumbline.catalog.catalog import Catalog, read_catalog
from plumbline.catalog.settings import in_container
from plumbline.catalog.variant import VariantSpec
from plumbline.conformance.suite import TUNED
from plumbline.model.subject import Engine, Subject, is_native
from plumbline.tools.native_image import find_native_image
from plumbline.tools.running import run
from .conftest import ROOT

# The engine of the testbed. One text each, whatever file it was read from: pytest keeps a testbed for the same object.
_STAGE: dict[str, Engine] = {"none": "pg", "pg": "pg", "mysql": "mysql"}


def subjects(names: Collection[str] | None) -> list[tuple[Engine, str]]:
    """(engine of the testbed, subject) of the variants that serve over HTTP: one server after another.

    Of those named: the plain subject on the first engine, and the one with database TLS. None: of every variant on
    every engine, each packaging that can be built on this host, and the tuned one; and what the suites have.
    """
    catalog = read_catalog(ROOT)
    found = []
    for name in sorted(catalog.variants) if names is None else names:
        spec = catalog.variants[name].spec
        if spec.serves_on != "cli" and not spec.only_in:
            found += list(_of(name, spec, every=names is None))
    if names is None:
        found += [
            (_STAGE[one.engine], one.id)
            for one in of_suites(catalog)
            if catalog.variants[one.variant].spec.serves_on != "cli" and not in_container(one.settings)
        ]
    return sorted(dict.fromkeys(found), key=lambda one: one[0] == "mysql")


def of_suites(catalog: Catalog) -> list[Subject]:
    """Every subject of every suite that can be built on this host, but for those that are wrong on purpose."""
    texts = (text for suite in catalog.bench.suites.values() for text in (*suite.subjects, *suite.rotation))
    return [
        one
        for one in map(Subject.parse, dict.fromkeys(texts))
        if not catalog.variants[one.variant].spec.only_in
        and not (is_native(one.packaging) and _missing(one.id))
    ]


def _of(name: str, spec: VariantSpec, *, every: bool) -> Iterator[tuple[Engine, str]]:
    for engine in spec.engines if every else spec.engines[:1]:
        for packaging in spec.packaging if every else ("jvm",):
            plain = f"{name}/{packaging}/{engine}"
            if is_native(packaging) and _missing(plain):
                continue
            yield _STAGE[engine], plain
            if packaging == "jvm" and "require" in spec.settings.get("db-tls", ()):
                yield _STAGE[engine], f"{plain}+db-tls=require"
            if every and packaging == "jvm" and "profile" in spec.settings:
                yield _STAGE[engine], plain + TUNED


def _missing(subject: str) -> bool:
    look = lambda builder: find_native_image(builder, os.environ, run)  # noqa: E731
    return unavailable(Subject.parse(subject), {}, look, lambda: None) is not None
