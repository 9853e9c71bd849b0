"""`./bench ci alerts`, `sample` and `growth`: the questions to the data branch after sessions have landed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.archive.data.entry import entry_of, index_bytes
from plumbline.archive.data.growth import growth
from plumbline.archive.data.landing import land_session
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.write import NAME, manifest_bytes
from plumbline.cli.ci.data import growth_command
from plumbline.machine.tools.git import Git
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
    assert ended.outputs == {"new": "0", "candidates": "[]", "confirm": "false"}
    with forge_running() as forge:
        forge.on("GET", "/issues", [])
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        ended = checkout.bench("ci", "issues", str(tmp_path / "copy"), **environ)
        assert ended.status == 0, ended.err
        assert ended.outputs == {"opened": "0", "updated": "0", "closed": "0"}
        assert forge.sent("POST") == []
    landing = checkout.bench("ci", "keep", str(tmp_path / "copy"), "alerts.json", "--remote", str(remote))
    assert landing.status == 0 and landing.outputs["landed"] == "new"
    assert checkout.bench("ci", "keep", str(tmp_path / "copy"), "README.md", "--remote", str(remote)).status == 2
    assert checkout.bench("ci", "alerts", str(tmp_path / "copy"), "--alert", "x").status == 2


def test_growth_has_the_points_that_each_night_writes_anew(tmp_path: Path) -> None:
    landed, files = session()
    folder = tmp_path / "runs/2026/09" / landed.plan.session
    folder.mkdir(parents=True)
    (folder / "record.json").write_bytes(files["record.json"])
    (folder.parent / "index.json").write_bytes(index_bytes([entry_of(landed, files)]))
    before = growth(tmp_path, 100)
    # Nothing packs these.
    points = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(1562))
    (tmp_path / "github-action-benchmark").mkdir()
    (tmp_path / "github-action-benchmark" / "smaller.json").write_bytes(points)
    after = growth(tmp_path, 100)
    assert after.bytes_a_year - before.bytes_a_year == pytest.approx(len(points) * 365 * 1.15, rel=0.01)
    said = CliRunner().invoke(growth_command, [str(tmp_path)])
    assert ", and 50 kB of points, x 365, and 15 % for tags" in said.output


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
    changed_files = {**content, "record.json": canonical_bytes(older)}
    changed_files[NAME] = manifest_bytes(
        {path: hashlib.sha256(file_content).hexdigest() for path, file_content in changed_files.items() if path != NAME}
    )
    land_session(branch_of(remote), older, changed_files)
    # As a page of the site and the help write it: the remote by its name in the checkout.
    Git(checkout.root).text("remote", "add", "origin", str(remote))
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", "origin", "--evidence", "*")
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 3 and "can't be recomputed here. record.json is of rules 1" in ended.out
    assert "1 of 1 sessions checked, 0 as recorded." in ended.out
    (evidence, *_) = sorted((tmp_path / "copy").rglob("*.json.gz"))
    evidence.write_bytes(evidence.read_bytes()[:-1])
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 1 and "has changed" in ended.out


def test_before_the_first_session_a_sample_is_empty_and_no_failure(checkout: Checkout, tmp_path: Path) -> None:
    ended = checkout.bench("ci", "sample", str(tmp_path))
    assert (ended.status, ended.out) == (0, "0 of 0 sessions checked, 0 as recorded.\n")


def _nights(data: Path, count: int, slower_from: int, hosts: Sequence[str] = ()) -> list[str]:
    """Sessions of `count` nights on a lab, joined from `hosts`; one subject is slower from night `slower_from` on."""
    names = []
    for number in range(count):
        night_record = night_of(
            number, lambda subject, night: 0.7 if "spring" in subject and night >= slower_from else 1.0
        )
        name = f"{night_record.provenance.started_at[:10].replace('-', '')}T020000Z-lab-{number:06x}"
        plan = night_record.plan.model_copy(update={"session": name})
        keep(data, night_record.model_copy(update={"plan": plan, "parts": _parts(night_record, hosts)}))
        names.append(name)
    return names


def _parts(record: Record, hosts: Sequence[str]) -> tuple[HostSession, ...]:
    """The parts of a session: the first host has all trials, the other hosts have none."""
    return tuple(
        HostSession(
            plan=record.plan.model_copy(update={"host": host, "trials": () if number else record.plan.trials}),
            host=record.host,
            provenance=record.provenance,
            builds=record.builds,
            training=record.training,
            usage=record.usage,
        )
        for number, host in enumerate(hosts)
    )


def test_an_alert_of_a_joined_session_is_asked_about_on_its_first_host(checkout: Checkout, tmp_path: Path) -> None:
    data = tmp_path / "data"
    _nights(data, 24, 16, hosts=("lab-a", "lab-b"))
    first_run = checkout.bench("ci", "alerts", str(data))
    assert first_run.outputs["confirm"] == "true", first_run.err
    assert {candidate["host"] for candidate in json.loads(first_run.outputs["candidates"])} == {"lab-a"}


def test_an_alert_is_asked_about_once_and_the_ledger_remembers_it(checkout: Checkout, tmp_path: Path) -> None:
    data = tmp_path / "data"
    names = _nights(data, 24, 16)
    first_run = checkout.bench("ci", "alerts", str(data))
    assert first_run.status == 0, first_run.err
    assert first_run.outputs["new"] != "0" and first_run.outputs["confirm"] == "true"
    for candidate in json.loads(first_run.outputs["candidates"]):
        # The phases, the host and the scale come from the session that raised the alert.
        assert (candidate["suite"], candidate["host"], candidate["scale"]) == ("smoke", "lab", "1")
        assert candidate["base"] == f"{10:012x}{0:028x}" and candidate["head"] == f"{21:012x}{0:028x}"
        assert candidate["only"].startswith("spring")
    alerts = json.loads((data / "alerts.json").read_text())["alerts"]
    assert {alert["session"] for alert in alerts} == {names[16]} and {alert["state"] for alert in alerts} == {"open"}
    again = checkout.bench("ci", "alerts", str(data))
    assert again.outputs == {"new": "0", "candidates": "[]", "confirm": "false"}
    with forge_running() as forge:
        forge.on("GET", "/issues", [])
        forge.on("GET", "/labels", [])
        forge.on("POST", "/issues", (201, {}))
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        assert checkout.bench("ci", "issues", str(data), **environ).outputs["opened"] == str(len(alerts))
        assert "./bench compare" in forge.sent("POST")[0][1]["body"]
    (data / "alerts.json").unlink()
    assert checkout.bench("ci", "alerts", str(data)).outputs["confirm"] == "true"
