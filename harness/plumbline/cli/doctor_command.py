"""`./bench doctor`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError
from .clustered import context_of, on_option
from .console import ROOT, colour, columns, json_option, print_json

if TYPE_CHECKING:
    from plumbline.measuring.doctor.diagnosis import Diagnosis


@click.command(epilog="Example: ./bench doctor --only governor --only turbo")
@click.option("--only", metavar="ID", multiple=True, help="Only conditions of that id, with why each matters.")
@on_option
@json_option
def command(only: tuple[str, ...], on: str | None, as_json: bool) -> int:
    """Check whether this host, or a cluster, is fit to measure.

    Each condition is shown with its reading, its verdict, and the command that mends it. The command only reads,
    and needs no root. Exit status 1: a condition that every measurement needs is not met.
    """
    from plumbline.measuring.doctor.diagnosis import render

    diagnosis = _diagnosis_of_host(only) if on is None else _diagnosis_of_cluster(on, only)
    if as_json:
        print_json(diagnosis.model_dump(mode="json"))
    else:
        click.echo(render(diagnosis, columns(), colour=colour(), why=bool(only)))
    return 0 if diagnosis.fit else 1


def _diagnosis_of_host(only: tuple[str, ...]) -> Diagnosis:
    from plumbline.measuring.doctor.examine import Examination
    from plumbline.measuring.run.context import open_context

    examination = Examination(open_context(ROOT, (), lambda text: None), is_root=os.geteuid() == 0)
    _require_known(only, examination.looks)
    return examination.diagnosis(only)


def _diagnosis_of_cluster(on: str, only: tuple[str, ...]) -> Diagnosis:
    from plumbline.machine.host.kernel import utc_now
    from plumbline.measuring.cluster.api import open_api
    from plumbline.measuring.cluster.preflight import examine_cluster
    from plumbline.measuring.doctor.diagnosis import diagnose

    conditions = {condition.id: condition for condition in examine_cluster(open_api(os.environ, context_of(on)))}
    _require_known(only, conditions)
    return diagnose(
        examined_at=utc_now(),
        host=on,
        host_class="shared",
        why_class="no node of a cluster shows the conditions of a lab",
        conditions=tuple(condition for id_, condition in conditions.items() if not only or id_ in only),
        are_all=not only,
    )


def _require_known(only: tuple[str, ...], known_ids: Iterable[str]) -> None:
    from plumbline.subjects.catalog.reading import nearest

    known_ids = tuple(known_ids)
    for id_ in only:
        if id_ not in known_ids:
            raise UsageError(f"There is no condition '{id_}'.", nearest(id_, known_ids))
