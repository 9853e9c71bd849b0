"""Shell completion offers, behind an option or an argument, the names of bench.toml, apps/ and results/local.

A file that can't be read offers nothing: a completion has no place for a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from plumbline.subjects.catalog.catalog import Catalog

Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def _completer(names: Callable[[str], Iterable[str]]) -> Completer:
    """Return a completer of the last name in a list with commas; `names` gets the typed part of that name."""

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
        from plumbline.model.errors import PlumblineError

        before, comma, last = typed.rpartition(",")
        try:
            return [f"{before}{comma}{name}" for name in names(last) if name.startswith(last)]
        except (PlumblineError, OSError):
            return []

    return complete


def _catalog() -> Catalog:
    from plumbline.subjects.catalog.catalog import read_catalog
    from .console import ROOT

    return read_catalog(ROOT, [])


def _subjects(typed: str) -> Iterable[str]:
    """Offer variants; after a variant its packagings and engines; after a `+` its settings with their values."""
    catalog = _catalog()
    name, plus, _ = typed.rpartition("+")
    variant = catalog.variants.get(typed.partition("+")[0].partition("/")[0])
    if variant is None:
        return catalog.variants
    if plus:
        return (f"{name}+{setting}" for setting in _settings(variant.spec.settings))
    ids = (f"{variant.id}/{form}/{engine}" for form in variant.spec.packaging for engine in variant.spec.engines)
    return ids if "/" in typed else (*catalog.variants, *ids)


def _settings(settings_of_variant: dict[str, str | tuple[str, ...]]) -> Iterable[str]:
    from plumbline.subjects.catalog.settings import SETTINGS

    for setting in SETTINGS.values():
        allowed = settings_of_variant.get(setting.name)
        if isinstance(allowed, tuple):
            yield from (f"{setting.name}={value}" for value in allowed)
        elif setting.of_all or allowed is not None:
            words = [word for word in re.split(r", or |, | or ", setting.values) if setting.check(word)]
            yield from (f"{setting.name}={value}" for value in words or ("",))


def _sessions(typed: str) -> Iterable[str]:
    from plumbline.measuring.run.local import finished_sessions

    return (folder.name for folder in finished_sessions(_results()))


def _interrupted(typed: str) -> Iterable[str]:
    from plumbline.measuring.run.local import interrupted_sessions

    return (folder.name for folder, _ in interrupted_sessions(_results()))


def _results() -> Path:
    from .console import ROOT

    return ROOT / "results" / "local"


def _rules(typed: str) -> Iterable[str]:
    from plumbline.verdicts.judge.rules import RULES

    return (rule.id for rule in RULES)


def _followed(typed: str) -> Iterable[str]:
    from plumbline.archive.history.extract import FOLLOWED

    return FOLLOWED


suites = _completer(lambda typed: _catalog().bench.suites)
scenarios = _completer(lambda typed: _catalog().bench.scenarios)
variants = _completer(lambda typed: _catalog().variants)
subjects = _completer(_subjects)
sessions = _completer(_sessions)
interrupted = _completer(_interrupted)
rules = _completer(_rules)
metrics = _completer(_followed)
