"""`./bench ci …` and `./bench plan --changed-since` as commands: outputs, summaries, annotations, exit statuses."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from plumbline.build.packs import pack
from plumbline.build.store import Store
from plumbline.catalog.catalog import read_catalog
from plumbline.cli.matrix import matrix
from plumbline.data.entry import entry_of, index_bytes
from plumbline.data.growth import growth
from plumbline.data.landing import land_session
from plumbline.doctor.condition import diagnose
from plumbline.plan.duration import session_s
from plumbline.plan.order import order_trials
from plumbline.plan.phases import scenario_of
from plumbline.plan.proofs import proofs_at_most
from plumbline.record.canonical import canonical_bytes
from plumbline.record.manifest import NAME, manifest_bytes
from tests.change.checkout import files, git, make, write
from tests.data.remotes import bare, log, session
from tests.data.test_landing import branch_of
from tests.github.forge import forge as forge_running
from tests.record.sessions import record, rewritten, written

HARNESS = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str
    outputs: dict[str, str]
    summary: str


@dataclass(frozen=True)
class Checkout:
    """A checkout with the real harness and a small catalog under git."""

    root: Path

    def bench(self, *words: str, **environ: str) -> Ended:
        """`./bench` with these words in a job of a forge."""
        output, summary = self.root.parent / "output", self.root.parent / "summary"
        for path in (output, summary):
            path.write_text("")
        ran = subprocess.run(
            [sys.executable, str(self.root / "harness"), *words],
            capture_output=True,
            text=True,
            cwd=self.root.parent,
            env={
                **os.environ,
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "XDG_CACHE_HOME": str(self.root.parent / "cache"),
                **environ,
            },
        )
        return Ended(ran.returncode, ran.stdout, ran.stderr, _parsed(output.read_text()), summary.read_text())


def _parsed(text: str) -> dict[str, str]:
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        key, _, end = line.partition("<<")
        value = []
        for row in lines:
            if row == end:
                break
            value.append(row)
        found[key] = "\n".join(value)
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    content = {path: text for path, text in files().items() if not path.startswith("harness/plumbline/")}
    root = make(tmp_path / "tree", {**content, ".gitignore": "/harness/plumbline\n/harness/__main__.py\n"})
    # The package finds its checkout by where it lies, so that it has to lie here.
    (root / "harness" / "plumbline").mkdir()
    for path in (HARNESS / "plumbline").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            target = root / "harness" / path.relative_to(HARNESS)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    (root / "harness" / "__main__.py").write_bytes((HARNESS / "__main__.py").read_bytes())
    return Checkout(root)


def fresh_session(folder: Path) -> tuple[Path, str]:
    """A session's folder that ended just now, and the path where it lands."""
    its, now = written(folder, blocks=1), datetime.now(UTC)
    base = record(blocks=1)
    name = f"{now:%Y%m%dT%H%M%SZ}-lab-0a1b2c"
    rewritten(its, base.model_copy(update={"plan": base.plan.model_copy(update={"session": name})}))
    return its, f"runs/{now:%Y}/{now:%m}/{name}"


def edit(checkout: Checkout, path: str, old: str, new: str) -> None:
    text = (checkout.root / path).read_text()
    assert old in text
    (checkout.root / path).write_text(text.replace(old, new, 1))


def test_plan_changed_since_in_every_form_and_in_time(checkout: Checkout) -> None:
    edit(checkout, "apps/beta/pom.xml", "beta-bom", "b")
    edit(checkout, "README.md", "Words", "Other words")
    table = checkout.bench("plan", "--changed-since", "HEAD")
    assert table.status == 0
    assert "beta/jvm/pg: hello, fruits" in table.out or "beta/jvm/pg: fruits, hello" in table.out
    assert "README.md: words for people" in table.out
    document = json.loads(checkout.bench("plan", "--changed-since", "HEAD", "--format", "json").out)
    assert {(row["subject"], row["scenario"]) for row in document["affected"]} == {
        ("beta/jvm/pg", "fruits"),
        ("beta/jvm/pg", "hello"),
    }
    builds = json.loads(checkout.bench("plan", "--changed-since", "HEAD", "--format", "github").out)
    assert [row["slug"] for row in builds["include"]] == ["beta-jvm-pg"]
    assert checkout.bench("plan", "--changed-since", "nowhere").status == 2
    assert checkout.bench("plan", "--changed-since", "HEAD", "--only", "beta").status == 2


def test_a_pull_request_that_changes_an_application(checkout: Checkout) -> None:
    git(checkout.root, "checkout", "-q", "-b", "branch")
    edit(checkout, "apps/alpha/src/main/java/Application.java", "8080", "8081")
    git(checkout.root, "commit", "-q", "-a", "-m", "change")
    ended = checkout.bench("ci", "pr", "--base", "main", "--head", "HEAD")
    assert ended.status == 0
    got = ended.outputs
    assert got["measured"] == "true" and got["subjects"] == "4"
    assert got["base"] == git(checkout.root, "rev-parse", "main")
    assert got["head"] == git(checkout.root, "rev-parse", "HEAD")
    assert set(got["only"].split(",")) <= {
        "alpha/jvm/pg",
        "alpha/aot/pg",
        "alpha/jvm/pg+db-tls=require",
        "alpha/jvm/pg+heap=1g",
    }
    assert got["only"].split(",")[0] == "alpha/jvm/pg"
    assert {row["artifact"] for row in json.loads(got["matrix"])["include"]} == {"alpha/jvm/pg"}
    assert (
        "within 8 minutes" in ended.summary and "apps/alpha/src/main/java/Application.java" in ended.summary
    )


def test_a_pull_request_that_changes_nothing_measured_says_so(checkout: Checkout) -> None:
    git(checkout.root, "checkout", "-q", "-b", "branch")
    write(checkout.root, "docs/more.md", "words\n")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0
    assert ended.outputs["measured"] == "false" and ended.outputs["only"] == ""
    assert "nothing that is measured can be affected" in ended.summary


def test_a_new_variant_has_nothing_to_be_compared_with(checkout: Checkout) -> None:
    toml = (checkout.root / "apps/beta/variant.toml").read_text()
    write(checkout.root, "apps/gamma/variant.toml", toml)
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0 and ended.outputs["measured"] == "false" and ended.outputs["subjects"] == "1"
    assert "nothing to compare it with: `gamma/jvm/pg`" in ended.summary


INVALID = {
    "a key that is none": ("bench.toml", "blocks = 2", "bloks = 2", "bench.toml", "bloks = 2"),
    "a value that does not fit": (
        "bench.toml",
        "connections = 20",
        "connections = 0",
        "bench.toml",
        "connections = 0",
    ),
    "no TOML": ("bench.toml", 'budget = "1h"', "budget = 1h", "bench.toml", "budget = 1h"),
    "an unknown subject": ("bench.toml", '"alpha/aot/pg"', '"alpha/aut/pg"', "bench.toml", '"alpha/aut/pg"'),
    "an unknown setting": ("bench.toml", "+heap=1g", "+heep=1g", "bench.toml", "+heep=1g"),
    "a default that is none": ("bench.toml", 'gc = "g1"', 'gc = "zzz"', "bench.toml", 'gc = "zzz"'),
    "an unknown workload of a variant": (
        "apps/beta/variant.toml",
        'workloads = ["hello", "fruits"]',
        'workloads = ["hello", "fruitz"]',
        "apps/beta/variant.toml",
        '"fruitz"',
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_configuration_is_an_annotation_at_its_line(checkout: Checkout, name: str) -> None:
    path, old, new, file, at = INVALID[name]
    edit(checkout, path, old, new)
    line = next(
        n for n, row in enumerate((checkout.root / path).read_text().splitlines(), start=1) if at in row
    )
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 1
    assert ended.out.startswith(f"::error file={file},line={line}::"), ended.out
    assert "## Not valid" in ended.summary
    assert ended.outputs == {}


def test_names_of_files_cannot_leave_the_summary(checkout: Checkout) -> None:
    write(checkout.root, "docs/```\n<script>::error::x.md", "x\n")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0
    assert ended.summary.count("```") == 2
    assert "\n::" not in ended.out


def test_the_plan_of_a_campaign(checkout: Checkout) -> None:
    ended = checkout.bench(
        "ci", "plan", "--event", "push", "--ref", "refs/tags/v1", "--suite", "quick", "--host", "lab"
    )
    assert ended.status == 0
    got = ended.outputs
    assert got["suite"] == "quick" and got["host"] == "lab" and got["missed"] == "false"
    assert got["only"].split(",")[0] == "alpha/jvm/pg" and "control/jvm/pg" not in got["only"]
    assert {row["slug"] for row in json.loads(got["matrix"])["include"]} == {
        "control-jvm-pg",
        "alpha-jvm-pg",
        "beta-jvm-pg",
    }
    narrowed = checkout.bench(
        "ci",
        "plan",
        "--event",
        "workflow_dispatch",
        "--suite",
        "quick",
        "--only",
        "beta",
        "--scenario",
        "hello",
    )
    assert narrowed.outputs["only"] == "beta/jvm/pg" and narrowed.outputs["scenarios"] == "hello"
    assert narrowed.outputs["host"] == "hosted"
    assert checkout.bench("ci", "plan", "--event", "push", "--suite", "quik").status == 2
    assert checkout.bench("ci", "plan", "--event", "push", "--host", "$(id)").status == 2


def test_a_session_lands_and_lands_again(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    folder, path = fresh_session(tmp_path)
    first = checkout.bench("ci", "record", str(folder), "--remote", str(remote))
    assert first.status == 0, first.err
    assert first.outputs["landed"] == "new" and first.outputs["path"] == path
    again = checkout.bench("ci", "record", str(folder), "--remote", str(remote))
    assert again.outputs["landed"] == "already" and len(log(remote)) == 1
    foreign = checkout.bench("ci", "record", str(folder), "--remote", str(remote), "--commit", "f" * 40)
    assert foreign.status == 1 and "belongs to another run" in foreign.err
    copy = checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    assert copy.outputs["commit"] == first.outputs["commit"]
    there = sorted(path.name for path in (tmp_path / "copy" / first.outputs["path"]).iterdir())
    assert there == ["MANIFEST.sha256", "record.json"]
    assert checkout.bench("ci", "index", str(tmp_path / "copy"), "--check").status == 0
    assert (
        checkout.bench("ci", "sample", str(tmp_path / "copy")).out
        == "1 of 1 sessions verified, 0 not as recorded.\n"
    )
    assert (tmp_path / "copy" / first.outputs["path"] / "evidence").is_dir()
    assert checkout.bench("ci", "index", str(tmp_path / "copy")).out == "1 indexes made.\n"
    assert git(tmp_path / "copy", "status", "--short") == ""


def report_of(host: str) -> bytes:
    found = diagnose(
        examined_at="2026-11-21T20:46:48Z",
        host=host,
        host_class="shared",
        why_class="of neighbours",
        conditions=(),
    )
    return canonical_bytes(found)


def test_what_the_doctor_said_before_a_session_is_kept_of_its_host(
    checkout: Checkout, tmp_path: Path
) -> None:
    remote = bare(tmp_path / "remote")
    folder, _ = fresh_session(tmp_path)
    host = record(blocks=1).host.name
    (folder / "doctor.json").write_bytes(report_of(host))
    assert checkout.bench("ci", "record", str(folder), "--remote", str(remote)).status == 0
    kept = git(remote, "show", f"data:hosts/{host}/doctor.json")
    assert kept.encode() == report_of(host).strip()


@pytest.mark.parametrize("content", [b"{}", b"", report_of("another"), report_of("../../runs")])
def test_a_report_that_is_not_of_that_host_is_refused(
    checkout: Checkout, tmp_path: Path, content: bytes
) -> None:
    remote = bare(tmp_path / "remote")
    folder, _ = fresh_session(tmp_path)
    (folder / "doctor.json").write_bytes(content)
    ended = checkout.bench("ci", "record", str(folder), "--remote", str(remote))
    assert ended.status == 1 and "doctor.json is" in ended.err
    assert git(remote, "for-each-ref") == "", "nothing landed"


def test_a_session_that_does_not_land_says_the_one_command(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote", "#!/bin/sh\nexit 1\n")
    folder, _ = fresh_session(tmp_path)
    ended = checkout.bench("ci", "record", str(folder), "--remote", str(remote), "--tries", "1")
    assert ended.status == 3
    command = f"./bench ci record {folder} --remote {remote} --branch data"
    assert command in ended.summary and command in ended.err


def test_no_data_branch_yet(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    ended = checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    assert ended.status == 0 and ended.outputs == {"commit": ""}
    assert list((tmp_path / "copy").iterdir()) == []
    assert checkout.bench("ci", "heartbeat", str(tmp_path / "copy")).status == 1


def test_an_index_that_is_not_what_the_records_say(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session(0))
    land_session(branch_of(remote), *session(1))
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    index = tmp_path / "copy" / "runs" / "2026" / "09" / "index.json"
    index.write_bytes(index.read_bytes().replace(b'"lab"', b'"lob"', 1))
    ended = checkout.bench("ci", "index", str(tmp_path / "copy"), "--check")
    assert ended.status == 1 and "runs/2026/09/index.json is not what the records say" in ended.out
    assert checkout.bench("ci", "index", str(tmp_path / "copy")).status == 0
    assert checkout.bench("ci", "index", str(tmp_path / "copy"), "--check").status == 0


def test_nightly_fits_its_budget_on_every_night_and_growth_its_limit() -> None:
    catalog = read_catalog(HARNESS.parent)
    _, suite = catalog.suite("nightly")
    scenarios = [scenario_of(name, catalog.scenario(name), suite) for name in suite.scenarios]
    ids = [scenario.id for scenario in scenarios]
    measured: set[str] = set()
    trials = 0
    for day in range(16, 23):
        subjects = [one.id for one in catalog.subjects_of(suite, night=date(2026, 11, day))]
        planned = order_trials(subjects, ids, catalog.bench.control, suite.blocks, 1)
        planned = (*planned, *proofs_at_most(suite.proofs, planned, scenarios))
        assert session_s(planned, scenarios, len(subjects) + 1) <= min(suite.budget, 8 * 3600)
        assert len(matrix(catalog, subjects)["include"]) <= 256
        measured |= set(subjects)
        trials += len(planned)
    assert measured == {one.id for one in catalog.all_subjects_of(suite)}, "a week has all of them"
    assert growth(None, trials / 7).fits


def test_a_pack_goes_from_one_store_to_another(checkout: Checkout, tmp_path: Path) -> None:
    output = tmp_path / "app"
    (output / "lib").mkdir(parents=True)
    (output / "app.jar").write_bytes(b"jar")
    (output / "lib" / "run").write_bytes(b"program")
    (output / "lib" / "run").chmod(0o755)
    one = Store(tmp_path / "one")
    made = one.keep(output, "alpha/jvm/pg", "a" * 64, ("mvn",), 1.0, 1)
    packs = tmp_path / "packs"
    first = pack(made, packs).read_bytes()
    assert pack(made, tmp_path / "again").read_bytes() == first
    wanted = json.dumps({"include": [{"slug": "alpha-jvm-pg"}]})
    digests = checkout.bench("ci", "digests", str(packs), "--matrix", wanted)
    assert json.loads(digests.outputs["digests"]) == {"alpha-jvm-pg": made.build.sha256}
    missing = json.dumps({"include": [{"slug": "alpha-jvm-pg"}, {"slug": "beta-jvm-pg"}]})
    assert checkout.bench("ci", "digests", str(packs), "--matrix", missing).status == 1
    (packs / "beta-jvm-pg.unavailable.txt").write_text("no native-image\n")
    said = checkout.bench("ci", "digests", str(packs), "--matrix", missing)
    assert said.status == 0 and said.outputs["unavailable"] == "beta-jvm-pg"
    into = tmp_path / "artifacts.json"
    ended = checkout.bench(
        "ci", "unpack", str(packs), "--digests", digests.outputs["digests"], "--into", str(into)
    )
    assert ended.status == 0, ended.err
    there = Store(tmp_path / "cache" / "plumbline" / "artifacts").find("alpha/jvm/pg", "a" * 64)
    assert there is not None and there.build.sha256 == made.build.sha256
    assert (there.folder / "lib" / "run").stat().st_mode & 0o111
    assert json.loads(into.read_text()) == {
        "alpha/jvm/pg": {"inputs_sha256": "a" * 64, "sha256": made.build.sha256}
    }
    wrong = json.dumps({"alpha-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", wrong, "--into", str(into)).status == 1
    absent = json.dumps({"gamma-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", absent, "--into", str(into)).status == 1


def test_the_comment_of_a_pull_request_and_a_record_for_another(checkout: Checkout, tmp_path: Path) -> None:
    folder, _ = fresh_session(tmp_path)
    head = "a" * 40
    digests = {build.artifact.replace("/", "-"): build.sha256 for build in record(blocks=1).builds}
    words = ("ci", "comment", "--number", "12", "--head", head, "--session", str(folder), "--kind", "metal")
    with forge_running() as forge:
        forge.on("GET", "/pulls/12", {"state": "open", "head": {"sha": head}})
        forge.on("GET", "/issues/12/comments", [])
        forge.on("POST", "/issues/12/comments", (201, {"html_url": "https://x/1"}))
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        run = "https://github.com/owner/name/actions/runs/1"
        ended = checkout.bench(*words, "--digests", json.dumps(digests), "--run-url", run, **environ)
        assert ended.status == 0, ended.err
        assert ended.outputs == {"comment_url": "https://x/1"}
        ((_, sent),) = forge.sent("POST")
        assert "## On bare metal" in sent["body"] and f"]({run})" in sent["body"]
        other = dict.fromkeys(digests, "f" * 64)
        refused = checkout.bench(*words, "--digests", json.dumps(other), **environ)
        assert refused.status == 1 and "belongs to another run" in refused.err
        forge.on("GET", "/pulls/12", {"state": "closed", "head": {"sha": head}})
        assert checkout.bench(*words, **environ).status == 1
        evil = checkout.bench(*words, "--run-url", "https://x/a) [y](javascript:1", **environ)
        assert evil.status == 2
        assert len(forge.sent("POST")) == 1


def test_alerts_of_a_copy_without_changes(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    land_session(branch_of(remote), *session(0))
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote))
    with forge_running() as forge:
        forge.on("GET", "/issues", [])
        environ = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "owner/name", "GITHUB_TOKEN": "secret"}
        ended = checkout.bench("ci", "alerts", str(tmp_path / "copy"), **environ)
        assert ended.status == 0, ended.err
        assert ended.outputs == {
            "opened": "0",
            "updated": "0",
            "closed": "0",
            "candidates": "[]",
            "confirm": "false",
        }
        assert forge.sent("POST") == []
    kept = checkout.bench("ci", "keep", str(tmp_path / "copy"), "alerts.json", "--remote", str(remote))
    assert kept.status == 0 and kept.outputs["landed"] == "new"
    assert (
        checkout.bench("ci", "keep", str(tmp_path / "copy"), "README.md", "--remote", str(remote)).status == 2
    )
    assert checkout.bench("ci", "alerts", str(tmp_path / "copy"), "--alert", "x").status == 2


def test_a_sample_tells_older_rules_and_changed_bytes(checkout: Checkout, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote")
    base, content = session(0)
    older = base.model_copy(update={"versions": base.versions.model_copy(update={"rules": 1})})
    its = {**content, "record.json": canonical_bytes(older)}
    its[NAME] = manifest_bytes(
        {path: hashlib.sha256(one).hexdigest() for path, one in its.items() if path != NAME}
    )
    land_session(branch_of(remote), older, its)
    checkout.bench("ci", "data", str(tmp_path / "copy"), "--remote", str(remote), "--evidence", "*")
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 0 and "(1 of older rules by their bytes alone), 0 not as recorded" in ended.out
    (evidence, *_) = sorted((tmp_path / "copy").rglob("*.json.gz"))
    evidence.write_bytes(evidence.read_bytes()[:-1])
    ended = checkout.bench("ci", "sample", str(tmp_path / "copy"))
    assert ended.status == 1 and "has changed" in ended.out


NIGHTLY = """
[suites.nightly]
about = "nights"
subjects = ["alpha/jvm/pg"]
rotation = ["alpha/aot/pg", "beta/jvm/pg", "beta/aot/pg"]
scenarios = ["fruits"]
blocks = 1
budget = "8h"
phases = [{ kind = "closed", time = "3s" }]
"""


def test_a_night_has_its_part_of_the_rotation_and_missed_ones_are_told(
    checkout: Checkout, tmp_path: Path
) -> None:
    bench = checkout.root / "bench.toml"
    bench.write_text(bench.read_text() + NIGHTLY)
    base, content = session(0)
    entries = [
        entry_of(base, content).model_copy(
            update={"session": f"202611{day:02d}T010000Z-lab-0a1b2c", "suite": "nightly", "host": "lab"}
        )
        for day in (14, 15, 16, 18, 19, 20)
    ]
    month = tmp_path / "copy" / "runs" / "2026" / "11"
    month.mkdir(parents=True)
    (month / "index.json").write_bytes(index_bytes(entries))
    words = ("ci", "plan", "--event", "schedule", "--host", "lab", "--data", str(tmp_path / "copy"))
    # 2026-11-21 is a Saturday: nothing of three subjects is left for it. Tuesday the 17th was missed.
    saturday = checkout.bench(*words, "--night", "2026-11-21")
    assert saturday.outputs["only"] == "alpha/jvm/pg" and saturday.outputs["missed"] == "true"
    assert "Missed in the last week: Tuesday 2026-11-17" in saturday.summary
    tuesday = checkout.bench(*words, "--night", "2026-11-17")
    assert tuesday.outputs["only"] == "alpha/jvm/pg,beta/jvm/pg" and tuesday.outputs["missed"] == "false"
    assert tuesday.outputs["suite"] == "nightly" and tuesday.outputs["night"] == "2026-11-17"
