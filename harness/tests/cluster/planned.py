"""A plan of the catalog, and its objects in a cluster."""

from __future__ import annotations

from typing import Any

from plumbline.machine.tools.download import Pins
from plumbline.measuring.cluster.files import read_files
from plumbline.measuring.cluster.images import images_of
from plumbline.measuring.cluster.load_request import load_request
from plumbline.measuring.cluster.objects import cluster_objects
from plumbline.measuring.cluster.passwords import ClusterPasswords
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, Plan
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.subjects.plan.make import Selection, make_plan
from tests.checkout import CATALOG, ROOT
from tests.judge.planned import host

FILES = read_files(ROOT)
PINS = Pins.of({}, "amd64")
PASSWORDS = ClusterPasswords("of-the-administrator", "of-the-application")
SETS = CpuSets(app=(0, 1, 2), db=(3, 4), load=(5, 6), housekeeping=(7,))
SESSION = "20261123T200428Z-a-host-of-a-very-long-name-its-end-496c0e"


def planned(suite: str, *only: str, scenarios: tuple[str, ...] = (), catalog: Catalog = CATALOG) -> Plan:
    """The plan of a suite, for three CPUs of the application."""
    return make_plan(
        catalog,
        Selection(suite=suite, only=only, scenarios=scenarios, blocks=1, seed=1),
        host(),
        SETS,
        "taskset",
        session=SESSION,
    )


def at_rate(plan: Plan, rate_per_s: int) -> Plan:
    """The plan with one open phase of this rate in each of its scenarios."""
    phase = Phase(kind="open", name=f"open@{rate_per_s}", duration_s=600, rate_per_s=rate_per_s)
    scenarios = tuple(scenario.model_copy(update={"phases": (*scenario.phases, phase)}) for scenario in plan.scenarios)
    return plan.model_copy(update={"scenarios": scenarios})


def objects(plan: Plan, **asked: Any) -> list[dict[str, Any]]:
    """The objects of a trial."""
    chosen = load_request(plan, CATALOG, **asked)
    return cluster_objects(chosen, CATALOG, FILES, images_of(chosen.subject, PINS), PASSWORDS)


def one(manifests: list[dict[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    """The only object of this kind, and of this name where a name is given."""
    (found,) = (
        manifest for manifest in manifests if manifest["kind"] == kind and name in (None, manifest["metadata"]["name"])
    )
    return found


def pods(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The specifications of all pods, those of a Job included."""
    return [
        *(manifest["spec"] for manifest in manifests if manifest["kind"] == "Pod"),
        *(manifest["spec"]["template"]["spec"] for manifest in manifests if manifest["kind"] == "Job"),
    ]
