"""Workflows that run by themselves beside campaigns, and those that a maintainer runs again."""

from __future__ import annotations

from .act import Machine, Run
from .checkout import git


def test_a_push_is_checked(checked: Run) -> None:
    assert checked.names == {"ci.yml:test", "ci.yml:workflows", "ci.yml:images"}


def test_a_monday_starts_a_night_of_equal_sides_and_finds_all_in_order(machine: Machine, maintained: Run) -> None:
    assert maintained.names == {"maintenance.yml:a-a", "maintenance.yml:data", "maintenance.yml:pins"}
    started = [inputs for name, _, inputs in machine.hub.dispatched if name == "campaign.yml"]
    assert {"suite": "aa", "note": "weekly A/A"} in started
    assert "1 of 1 sessions checked, 1 as recorded." in maintained.text


def test_a_tuesday_proposes_a_version_and_has_it_measured(machine: Machine, raised: Run) -> None:
    (pull,) = [proposal for proposal in machine.hub.pulls.values() if proposal["head"]["ref"] == "versions/vertx"]
    assert pull["title"] == "vertx 5.0.10 -> 5.0.99"
    assert "<vertx.version>5.0.99<" in git(machine.hub.bare, "show", "versions/vertx:apps/pom.xml")
    assert ("pr.yml", "versions/vertx", {}) in machine.hub.dispatched


def test_pages_are_made_again_at_any_time(machine: Machine, published: Run) -> None:
    assert published.job("_publish.yml:deploy").passed
    assert (machine.artifacts / "deployed/index.html").is_file()
    assert published.names.isdisjoint({"_publish.yml:points", "_publish.yml:keep"})
