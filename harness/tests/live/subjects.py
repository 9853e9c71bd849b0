"""The subjects that live tests hold to the contract."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from functools import cache

from plumbline.machine.tools.native_image import NativeImage, find_native_image
from plumbline.machine.tools.running import run
from plumbline.measuring.build.builder import unavailable
from plumbline.measuring.conformance.suite import subjects_on
from plumbline.model.subject import Engine, Subject
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.catalog.settings import in_container
from plumbline.subjects.catalog.variant import Variant
from .conftest import ROOT

# The engine of the testbed, by the engine of a subject. Each text is one object, whatever file named the engine:
# pytest keeps a testbed as long as its parameter is the same object.
_STAGE: dict[str, Engine] = {"none": "pg", "pg": "pg", "mysql": "mysql"}


def subjects(names: Collection[str] | None) -> list[tuple[Engine, str]]:
    """(engine of the testbed, subject) of the variants that serve over HTTP: one server after another.

    With names, of each named variant: the plain subject on the first engine, and the subject with database TLS. With
    None, of every variant on every engine: what `./bench check-variant` checks, each packaging that can be built on
    this host, and every subject of a suite but for containers, which have tests of their own.
    """
    variants = read_catalog(ROOT).variants
    pairs = []
    for name in sorted(variants) if names is None else names:
        spec = variants[name].spec
        if spec.serves_on != "cli" and not spec.only_in:
            pairs += list(_subjects_of(name, variants[name], every=names is None))
    if names is None:
        pairs += [
            (_STAGE[subject.engine], subject.id)
            for subject in of_suites()
            if variants[subject.variant].spec.serves_on != "cli" and not in_container(subject.settings)
        ]
    return sorted(dict.fromkeys(pairs), key=lambda pair: pair[0] == "mysql")


def plain_subjects() -> list[str]:
    """Every variant's plain subject on its first engine, but not of variants that belong to one session alone."""
    variants = read_catalog(ROOT).variants.values()
    return [
        next(iter(subjects_on(variant, variant.spec.engines[0]))) for variant in variants if not variant.spec.only_in
    ]


def of_suites() -> list[Subject]:
    """Every subject of every suite that can be built on this host, but for subjects that are wrong on purpose."""
    return [subject for subject in read_catalog(ROOT).subjects_of_suites() if _can_be_built(subject)]


def _subjects_of(name: str, variant: Variant, *, every: bool) -> Iterator[tuple[Engine, str]]:
    spec = variant.spec
    for engine in spec.engines if every else spec.engines[:1]:
        plain, *with_settings = subjects_on(variant, engine)
        yield _STAGE[engine], plain
        if every:
            yield from ((_STAGE[engine], subject) for subject in with_settings)
            packed = [Subject.parse(f"{name}/{packaging}/{engine}") for packaging in spec.packaging]
            yield from ((_STAGE[engine], subject.id) for subject in packed[1:] if _can_be_built(subject))
        elif "require" in spec.settings.get("db-tls", ()):
            yield _STAGE[engine], f"{plain}+db-tls=require"


def _can_be_built(subject: Subject) -> bool:
    return unavailable(subject, {}, _native_image, lambda: None) is None


@cache
def _native_image(builder: str) -> NativeImage | None:
    """Return this host's builder. It is cached: to find it takes a second, and collecting asks hundreds of times."""
    return find_native_image(builder, os.environ, run)
