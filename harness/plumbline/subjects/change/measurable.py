"""Leaves out what the job of a workflow can't measure, before a comparison is chosen."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.model.subject import is_native
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.catalog.settings import asks_for_conditions, cpus_asked_for, in_container

_NAMED = 3
_ALL_CPUS, _FEW_CPUS = "the sandbox gives each role all of its CPUs", "a hosted runner may have fewer CPUs"


def measurable(
    catalog: Catalog, subjects: Iterable[str], *, built_elsewhere: bool, sandbox: bool
) -> tuple[tuple[str, ...], str]:
    """Return the subjects that a job can measure, and one sentence about the others; the sentence is empty without any.

    `built_elsewhere` says that the job is given every artifact, and so native images; `sandbox` that it measures in the
    sandbox of a host.
    """
    kept: list[str] = []
    left_out: dict[str, list[str]] = {}
    for text in subjects:
        subject = catalog.subject(text)
        settings = catalog.settings_of(subject)
        if cpus_asked_for(settings) is not None:
            left_out.setdefault(_ALL_CPUS if sandbox else _FEW_CPUS, []).append(text)
        elif asks_for_conditions(settings):
            left_out.setdefault("only root may empty the page cache or limit CPU time and disks", []).append(text)
        elif sandbox and in_container(settings):
            left_out.setdefault("the sandbox starts processes alone", []).append(text)
        elif not built_elsewhere and is_native(subject.packaging):
            left_out.setdefault("the job that measures has no native-image", []).append(text)
        else:
            kept.append(text)
    reasons = "; ".join(f"{_named(ids)}, since {why}" for why, ids in left_out.items())
    return tuple(kept), f"Left out: {reasons}." if reasons else ""


def _named(ids: list[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(f"`{id_}`" for id_ in ids[:_NAMED]) + more
