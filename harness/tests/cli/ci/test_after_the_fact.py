"""`./bench ci alerts` and `sample`: what is asked of the data branch after sessions have landed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from plumbline.archive.data.landing import land_session
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.write import NAME, manifest_bytes
from plumbline.model.record import HostSession, Record
from tests.data.remotes import bare, session
from tests.data.test_landing import branch_of
from tests.github.forge import forge as forge_running
from tests.history.nights import keep, night_of
from .job import Checkout

pytestmark = pytest.mark.slow


def test_alerts_of_a_copy_without_changes(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session(0))
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    ended = checkout.bench("ci", "alerts", str(tmp_path / "copy"))
    assert ended.status == 0, ended.err
    assert ended.outputs == {"new": "0", "state": "", "candidates": "[]", "confirm": "false"}
    with forge_running() as forge:
        forge.on("GET", "/issues", [])
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        ended = checkout.bench("ci", "issues", str(tmp_path / "copy"), **environ)
        assert ended.status == 0, ended.err
        assert ended.outputs == {"opened": "0", "updated": "0", "closed": "0"}
        assert forge.sent("POST") == []
    kept = checkout.bench("ci", "keep", str(tmp_path / "copy"), "alerts.json", "--remote", str(remote))
    assert kept.status == 0 and kept.outputs["landed"] == "new"
    assert checkout.bench("ci", "keep", str(tmp_path / "copy"), "README.md", "--remote", str(remote)).status == 2
    assert checkout.bench("ci", "alerts", str(tmp_path / "copy"), "--alert", "x").status == 2


@pytest.mark.parametrize("content", ["not JSON", '{"a": NaN}', "[" * 60 + "]" * 60])
def test_only_documents_are_kept(checkout: Checkout, tmp_path: Path, content: str) -> None:
    remote = bare(tmp_path / "remote")
    (tmp_path / "points" / "github-action-benchmark").mkdir(parents=True)
    path = tmp_path / "points" / "github-action-benchmark" / "bigger.json"
    path.write_text(content)
    words = (
        "ci",
        "keep",
        str(tmp_path / "points"),
        "github-action-benchmark/bigger.json",
        "--remote",
        str(remote),
    )
    assert checkout.bench(*words).status == 1
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert checkout.bench(*words).status == 2
    path.unlink()
    path.write_text('{"entries": {}}')
    assert checkout.bench(*words).status == 0
    folder = ("ci", "keep", str(tmp_path / "points"), "github-action-benchmark", "--remote", str(remote))
    assert checkout.bench(*folder).outputs["landed"] == "already"
    (path.parent / "smaller.json").write_text('{"entries": {}}')
    assert checkout.bench(*folder).outputs["landed"] == "new"
    (path.parent / "more").mkdir()
    assert checkout.bench(*folder).status == 2


def test_a_sample_tells_unknown_rules_and_changed_bytes(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    base, content = session(0)
    older = base.model_copy(update={"versions": base.versions.model_copy(update={"rules": 1})})
    its = {**content, "record.json": canonical_bytes(older)}
    its[NAME] = manifest_bytes({path: hashlib.sha256(one).hexdigest() for path, one in its.items() if path != NAME})
    land_session(branch_of(remote), older, its)
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote), "--evidence", "*")
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 3 and "can't be recomputed here. record.json is of rules 1" in ended.out
    assert "1 of 1 sessions checked, 0 as recorded." in ended.out
    (evidence, *_) = sorted((tmp_path / "copy").rglob("*.json.gz"))
    evidence.write_bytes(evidence.read_bytes()[:-1])
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 1 and "has changed" in ended.out


def _nights(data: Path, count: int, slower_from: int, hosts: Sequence[str] = ()) -> list[str]:
    """Sessions of as many nights on a lab, where one subject is slower from a night on; joined from these hosts."""
    names = []
    for number in range(count):
        one = night_of(number, lambda subject, night: 0.7 if "spring" in subject and night >= slower_from else 1.0)
        name = f"{one.provenance.started_at[:10].replace('-', '')}T020000Z-lab-{number:06x}"
        plan = one.plan.model_copy(update={"session": name})
        keep(data, one.model_copy(update={"plan": plan, "parts": _parts(one, hosts)}))
        names.append(name)
    return names


def _parts(whole: Record, hosts: Sequence[str]) -> tuple[HostSession, ...]:
    """The first host with all trials of a session, the others with none."""
    return tuple(
        HostSession(
            plan=whole.plan.model_copy(update={"host": host, "trials": () if number else whole.plan.trials}),
            host=whole.host,
            provenance=whole.provenance,
            builds=whole.builds,
            training=whole.training,
            usage=whole.usage,
        )
        for number, host in enumerate(hosts)
    )


def test_an_alert_of_a_joined_session_is_asked_about_on_its_first_host(checkout: Checkout, tmp_path: Path) -> None:
    data = tmp_path / "data"
    _nights(data, 24, 16, hosts=("lab-a", "lab-b"))
    first = checkout.bench("ci", "alerts", str(data))
    assert first.outputs["confirm"] == "true", first.err
    assert {asked["host"] for asked in json.loads(first.outputs["candidates"])} == {"lab-a"}


def test_an_alert_is_asked_about_once_and_the_ledger_remembers_it(checkout: Checkout, tmp_path: Path) -> None:
    data = tmp_path / "data"
    names = _nights(data, 24, 16)
    first = checkout.bench("ci", "alerts", str(data))
    assert first.status == 0, first.err
    assert first.outputs["new"] != "0" and first.outputs["confirm"] == "true"
    for asked in json.loads(first.outputs["candidates"]):
        # The phases, the host and the scale are those of the session that raised it.
        assert (asked["suite"], asked["host"], asked["scale"]) == ("smoke", "lab", "1")
        assert asked["base"] == f"{15:012x}{0:028x}" and asked["head"] == f"{16:012x}{0:028x}"
        assert asked["only"].startswith("spring")
    known = json.loads((data / "alerts.json").read_text())["alerts"]
    assert {one["session"] for one in known} == {names[16]} and {one["state"] for one in known} == {"open"}
    again = checkout.bench("ci", "alerts", str(data))
    assert again.outputs == {"new": "0", "state": "", "candidates": "[]", "confirm": "false"}
    with forge_running() as forge:
        forge.on("GET", "/issues", [])
        forge.on("GET", "/labels", [])
        forge.on("POST", "/issues", (201, {}))
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        assert checkout.bench("ci", "issues", str(data), **environ).outputs["opened"] == str(len(known))
        assert "./bench compare" in forge.sent("POST")[0][1]["body"]
    (data / "alerts.json").unlink()
    assert checkout.bench("ci", "alerts", str(data)).outputs["confirm"] == "true"
