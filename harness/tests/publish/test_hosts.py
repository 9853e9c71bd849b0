"""The hosts page: the conditions of each host, as the host's newest record keeps them, and how quiet the host was."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from laboratory.simulate.quiet import CPUS, quiet_files
from plumbline.archive.record.names import seconds
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.hosts import _lines, hosts_file
from plumbline.reporting.publish.model.hosts import QuietScatter
from plumbline.reporting.publish.pages import Pages, Site, place_on_log_axis
from plumbline.reporting.publish.publish import PublishOptions, publish
from plumbline.reporting.publish.quiet import read_quiet
from tests.host.readings import condition, reading
from tests.record.comparisons import itself
from tests.record.sessions import record
from .data import ROOT, published
from .plain_assets import plain_assets


@pytest.mark.slow
def test_each_host_shows_its_conditions_with_their_day(branch: Path, tmp_path: Path) -> None:
    published(branch, tmp_path / "out")
    hosts = json.loads((tmp_path / "out/api/v1/hosts.json").read_bytes())["hosts"]
    lab = next(host for host in hosts if host["host_class"] == "lab")
    assert [check["outcome"] for check in lab["doctor"]] == ["fit", "fit"]
    assert all(host["doctor_t"] >= host["newest"]["t"] for host in hosts)


def test_a_condition_is_shown_by_the_worst_of_its_readings() -> None:
    before = reading(condition("turbo"), condition("swap", "unknown"))
    after = reading(condition("turbo", "unfit", "boost is 1"), condition("swap"))
    lines = {line.name: (line.outcome, line.reading) for line in _lines((before, after))}
    assert lines["Turbo"] == ("unfit", "boost is 1")
    assert lines["Swap"][0] == "unknown" and lines["Governor"][0] == "fit"


def test_a_cluster_shows_how_many_cpus_it_has_and_nothing_that_nobody_knows() -> None:
    plain = record()
    plan = plain.plan.model_copy(update={"network": "cluster"})
    host = plain.host.model_copy(update={"cpu_model": "", "memory_bytes": 0})
    cluster = plain.model_copy(update={"plan": plan, "host": host})
    (shown,) = hosts_file([digest(cluster)], {plan.session: cluster}, {}, simulated=False).hosts
    facts = {fact.name: fact.value for fact in shown.facts}
    assert facts["CPU"] == f"{host.cpus} CPUs" and not {"Microcode", "Memory"} & facts.keys()
    assert facts["CPUs of the application"] == str(len(plan.sets.app))


def test_the_rate_of_false_alarms_counts_sessions_and_names_its_interval(tmp_path: Path) -> None:
    whole, _ = itself()
    shown = hosts_file([digest(whole)], {whole.plan.session: whole}, {}, simulated=False)
    plain_assets(tmp_path)
    pages = Pages(read_assets(ROOT / "site/templates", tmp_path / "dist"))
    site = Site("Plumbline", False, None, None, None, 1, 0)
    page = pages.render("hosts", "hosts/index.html", shown, site, {}).decode()
    assert re.search(r"of 1 session</strong> that compared a subject with itself.*\(95 % interval ", page)


def measured(**given: Any) -> dict[str, Any]:
    """What `bench-host quiet --json` prints."""
    document: dict[str, Any] = json.loads(quiet_files("lab", 1)["hosts/lab/before.json"])
    return document | given


def kept(data: Path, name: str, document: object) -> Path:
    path = data / "hosts/lab" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


def test_how_quiet_a_host_was_before_and_after(tmp_path: Path) -> None:
    kept(tmp_path, "before.json", measured(control=None))
    kept(tmp_path, "after.json", measured(applied=True))
    measurements, bad = read_quiet(tmp_path, ["lab", "lab", "other"])
    assert bad == [] and list(measurements) == ["lab"]
    quiet_before, quiet_after = measurements["lab"].before, measurements["lab"].after
    assert quiet_before is not None and quiet_after is not None
    assert (quiet_before.scatter, quiet_after.scatter) == (None, QuietScatter(trials=20, cv=0.021))
    assert [cpu.cpu for cpu in quiet_before.cpus if cpu.housekeeping] == [0] and len(quiet_before.cpus) == CPUS
    assert quiet_before.t == seconds("2026-01-02T10:00:00Z")


def test_what_bench_host_prints_is_read(tmp_path: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    words = ("quiet", "--json", "--cpus", str(cpu), "--seconds", "0.05", "--scratch", str(tmp_path))
    output = subprocess.run(
        [sys.executable, "-I", ROOT / "runner-setup/bench-host", *words], capture_output=True, check=True
    )
    printed = json.loads(output.stdout)
    kept(tmp_path, "after.json" if printed["applied"] else "before.json", printed)
    measurements, bad = read_quiet(tmp_path, ["lab"])
    assert bad == []
    measurement = measurements["lab"].after or measurements["lab"].before
    assert measurement is not None and [jitter.cpu for jitter in measurement.cpus] == [cpu]
    assert measurement.cpus[0].lost_share == printed["jitter"][0]["lost_share"]
    assert measurement.write_p99_ms == printed["writes"]["p99_ms"] > 0 and measurement.scatter is None


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("nonsense", "before.json: "),
        (measured(applied=True), "was measured after `bench-host apply`"),
        (measured(measured_at="yesterday"), "'yesterday' is no time"),
        (measured(jitter=[]), "jitter"),
        (measured(jitter=[{"cpu": 0, "lost_share": 1.5, "longest_us": 1}]), "lost_share"),
        (measured(jitter=[{"cpu": 0, "lost_share": float("nan"), "longest_us": 1}]), "lost_share"),
        (measured(note="x" * 2**20), "before.json"),
        (measured(control={"trials": 1, "cv": 0.0}), "trials"),
    ],
)
def test_a_measurement_that_cannot_be_used_is_named(document: object, problem: str, tmp_path: Path) -> None:
    kept(tmp_path, "before.json", document)
    measurements, [bad] = read_quiet(tmp_path, ["lab"])
    assert measurements == {} and problem in bad.problem
    assert (bad.folder, bad.cause) == ("hosts/lab/before.json", "quiet")


def test_a_link_is_no_measurement(tmp_path: Path) -> None:
    path = kept(tmp_path, "before.json", measured())
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    measurements, [bad] = read_quiet(tmp_path, ["lab"])
    assert measurements == {} and "plain file" in bad.problem


@pytest.mark.slow
def test_the_page_plots_what_was_kept(branch: Path, tmp_path: Path) -> None:
    plain_assets(tmp_path / "assets")
    assets = read_assets(ROOT / "site/templates", tmp_path / "assets/dist")
    options = PublishOptions(checkout=ROOT, assets=assets, processes=1)
    publish(branch, tmp_path / "out", options)
    page = (tmp_path / "out/hosts/index.html").read_text()
    assert page.count('<circle class="hollow sc"') == page.count('<circle class="dot s0"') == 2 * CPUS
    places = [float(text) for text in re.findall(r'(?:sc|s0)" cx="[.0-9]+" cy="([^"]+)"', page)]
    assert len(places) == 4 * CPUS and all(10 <= place <= 170 for place in places)
    assert "2.10 % over 20 trials" in page and "0.410 % over 20 trials" in page
    assert "Housekeeping CPUs left out." in page


@pytest.mark.parametrize(
    ("value", "place"), [(0.0, 0.0), (1e-9, 0.0), (1e-7, 0.0), (1e-5, 0.5), (1e-3, 1.0), (9.0, 1.0)]
)
def test_a_logarithmic_axis_ends_where_it_says(value: float, place: float) -> None:
    assert place_on_log_axis(value, -7, -3) == pytest.approx(place)
