"""An alert, from the night that raised it to its confirmation and its closing."""

from __future__ import annotations

import json

from .act import Machine, Run
from .checkout import data_of
from .seeds import METRIC, PHASE, SUBJECT
from .story import builds_of, session_of


def alert(machine: Machine) -> dict[str, object]:
    """The one alert of the ledger on the data branch."""
    (row,) = json.loads((data_of(machine.folder, machine.hub.bare) / "alerts.json").read_text())["alerts"]
    return dict(row)


def test_a_night_raises_one_alert_asks_about_it_and_opens_an_issue(machine: Machine, night: Run) -> None:
    assert "campaign.yml:confirm" in night.names
    (inputs,) = [inputs for name, _, inputs in machine.hub.dispatched if name == "confirm.yml"]
    assert (inputs["subjects"], inputs["scenario"], inputs["host"]) == (SUBJECT, "fruits", "hosted")
    assert (inputs["suite"], inputs["scale"]) == ("campaign-hosted", "0.01")
    (issue,) = machine.hub.issues
    assert f"alert {inputs['alert']}" in issue["body"] and METRIC in issue["title"] and PHASE in issue["title"]


def test_a_comparison_on_the_same_host_decides_it(machine: Machine, confirmed: Run) -> None:
    assert len(builds_of(machine, confirmed)) == 2
    row = alert(machine)
    assert row["state"] == "confirmed", confirmed.text[-3000:]
    (issue,) = machine.hub.issues
    assert issue["state"] == "open" and "confirmed: compare says slower" in issue["body"].replace("\\", "")


def test_it_is_closed_when_the_level_is_back(machine: Machine, mended: Run) -> None:
    assert alert(machine)["state"] == "fixed"
    (issue,) = machine.hub.issues
    assert issue["state"] == "closed"
    assert len([dispatch for dispatch in machine.hub.dispatched if dispatch[0] == "confirm.yml"]) == 1


def test_a_campaign_goes_on_without_what_does_not_build_and_is_red(machine: Machine, mended: Run) -> None:
    assert not mended.passed and [job.name for job in mended.jobs if not job.passed] == ["complete"]
    record = json.loads((session_of(machine, mended) / "record.json").read_text())
    assert {build["artifact"] for build in record["builds"]} == {"control/jvm/pg", "vertx-pg/jvm/pg"}
    assert "spring4-mvc-jpa-jvm-pg was not built, and is left out" in mended.text
