"""`./bench ci pr` and `./bench plan --changed-since`: what a pull request changes, and mistakes at their lines."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.change.checkout import git, write
from tests.github.forge import forge as forge_running
from tests.record.sessions import record
from .job import Checkout, edit, fresh_session

pytestmark = pytest.mark.slow


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
    outputs = ended.outputs
    assert outputs["measured"] == "true" and outputs["subjects"] == "5"
    assert outputs["base"] == git(checkout.root, "rev-parse", "main")
    assert outputs["head"] == git(checkout.root, "rev-parse", "HEAD")
    assert set(outputs["only"].split(",")) <= {
        "alpha/jvm/pg",
        "alpha/aot/pg",
        "alpha/jvm/pg+db-tls=require",
        "alpha/jvm/pg+heap=1g",
        "alpha/jvm/pg+run-in=container",
    }
    assert outputs["only"].split(",")[0] == "alpha/jvm/pg"
    assert {row["artifact"] for row in json.loads(outputs["matrix"])["include"]} == {"alpha/jvm/pg"}
    assert json.loads(outputs["variants"]) == ["alpha"]
    assert "within 8 min" in ended.summary and "apps/alpha/src/main/java/Application.java" in ended.summary


def test_what_the_hosted_job_cannot_measure_is_left_out_and_said(checkout: Checkout) -> None:
    native = '[packaging."native.mandrel"]\noutput = "target/app"\nrun = ["target/app"]\n'
    edit(checkout, "bench.toml", '"alpha/jvm/pg+heap=1g"', '"alpha/native.mandrel/pg", "alpha/jvm/pg+page-cache=cold"')
    edit(checkout, "apps/alpha/variant.toml", "[settings]", f"{native}\n[settings]")
    git(checkout.root, "commit", "-q", "-a", "-m", "more subjects")
    git(checkout.root, "checkout", "-q", "-b", "branch")
    edit(checkout, "apps/alpha/src/main/java/Application.java", "8080", "8081")
    ended = checkout.bench("ci", "pr", "--base", "main")
    only = ended.outputs["only"].split(",")
    assert ended.outputs["measured"] == "true" and "alpha/jvm/pg" in only
    assert {"alpha/native.mandrel/pg", "alpha/jvm/pg+page-cache=cold"}.isdisjoint(only)
    assert "Left out: `alpha/native.mandrel/pg`, since the job that measures has no native-image; " in ended.summary
    git(checkout.root, "checkout", "-q", "--", ".")
    edit(checkout, "apps/alpha/variant.toml", 'run = ["target/app"]', 'run = ["target/app", "-Xmx64m"]')
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert (ended.status, ended.outputs["measured"], ended.outputs["built"]) == (0, "false", "true")
    assert [row["builder"] for row in json.loads(ended.outputs["matrix"])["include"]] == ["mandrel"]
    assert "The hosted comparison can measure nothing of this.\n" in ended.summary


def test_the_budget_of_a_try_is_smaller(checkout: Checkout) -> None:
    git(checkout.root, "checkout", "-q", "-b", "branch")
    edit(checkout, "apps/alpha/src/main/java/Application.java", "8080", "8081")
    git(checkout.root, "commit", "-q", "-a", "-m", "change")
    budgets = [
        checkout.bench("ci", "pr", "--base", "main", "--scale", scale).outputs["budget"]
        for scale in ("1", "0.5", "0.01")
    ]
    assert budgets == ["480s", "240s", "90s"]


def test_a_pull_request_that_changes_nothing_measured_says_so(checkout: Checkout) -> None:
    git(checkout.root, "checkout", "-q", "-b", "branch")
    write(checkout.root, "docs/more.md", "words\n")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0
    assert ended.outputs["measured"] == "false" and ended.outputs["only"] == "" and ended.outputs["variants"] == "[]"
    assert "nothing that is measured can be affected" in ended.summary


def test_a_new_variant_has_nothing_to_be_compared_with(checkout: Checkout) -> None:
    toml = (checkout.root / "apps/beta/variant.toml").read_text()
    write(checkout.root, "apps/gamma/variant.toml", toml)
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0 and ended.outputs["measured"] == "false" and ended.outputs["subjects"] == "1"
    assert "nothing to compare it with: `gamma/jvm/pg`" in ended.summary
    assert json.loads(ended.outputs["variants"]) == ["gamma"]
    assert "`contract` holds to the contract: `gamma`" in ended.summary


# Not UTF-8, a second line, an escape sequence, a command of the runner's, and text that goes from right to left.
NAMES = (b"\xff\xfe.txt", b"a\n::error::b", b"\x1b]0;x\x07", "apps/beta/\x9b2J\u202e```".encode())


@pytest.mark.parametrize("actions", ["true", "false"])
def test_names_of_files_reach_no_terminal_as_they_are(checkout: Checkout, actions: str) -> None:
    git(checkout.root, "checkout", "-q", "-b", "branch")
    for name in NAMES:
        path = os.path.join(os.fsencode(checkout.root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_text("words\n")
    since = ("plan", "--changed-since", "HEAD")
    table = checkout.bench(*since, GITHUB_ACTIONS=actions)
    in_pr = checkout.bench("ci", "pr", "--base", "main", GITHUB_ACTIONS=actions)
    assert (table.status, in_pr.status) == (0, 0), (table.err, in_pr.err)
    for text in (table.out, in_pr.summary):
        assert text.replace("\n", "").isprintable() and "\n::" not in text and ".txt: " in text
    document = checkout.bench(*since, "--json", GITHUB_ACTIONS=actions).out
    assert document.isascii()
    assert {os.fsencode(file["path"]) for file in json.loads(document)["files"]} >= set(NAMES[:1] + NAMES[2:])


def test_odd_content_of_a_pull_request_is_an_answer(checkout: Checkout) -> None:
    """A link to a name that is not UTF-8, a script that loads a name with a zero byte, and a huge line number."""
    os.symlink(b"\xff", checkout.root / "apps" / "beta" / "link")
    edit(checkout, "k6/lib/load.ts", "./deep.ts", "./de\0ep.ts")
    edit(checkout, "k6/lib/rows.ts", "rows = 1", "rows = 2")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0 and "apps/beta/link" in ended.summary, ended.err
    edit(checkout, "bench.toml", "blocks = 2", f'blocks = "line {"9" * 5000}"')
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 1 and ended.out.startswith("::error file=bench.toml,line="), ended.err


def test_a_folder_whose_name_is_not_utf_8_is_refused(checkout: Checkout) -> None:
    variant = Path(os.fsdecode(os.fsencode(checkout.root / "apps") + b"/\xff\x9b2J"))
    shutil.copytree(checkout.root / "apps/beta", variant)
    (variant / "variant.toml").write_text("x = 1\n")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 1 and ended.out.startswith("::error") and ended.out.strip().isprintable(), ended.err


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
    line = next(n for n, row in enumerate((checkout.root / path).read_text().splitlines(), start=1) if at in row)
    for words in (("pr", "--base", "main"), ("plan", "--event", "push")):
        ended = checkout.bench("ci", *words)
        assert ended.status == 1, words
        assert ended.out.startswith(f"::error file={file},line={line}::"), ended.out
        assert "## Not valid" in ended.summary
        assert ended.outputs == {}


def test_names_of_files_cannot_leave_the_summary(checkout: Checkout) -> None:
    write(checkout.root, "docs/```\n<script>::error::x.md", "x\n")
    ended = checkout.bench("ci", "pr", "--base", "main")
    assert ended.status == 0
    assert ended.summary.count("```") == 2
    assert "\n::" not in ended.out


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
        other_digests = dict.fromkeys(digests, "f" * 64)
        refused = checkout.bench(*words, "--digests", json.dumps(other_digests), **environ)
        assert refused.status == 1 and "belongs to another run" in refused.err
        forge.on("GET", "/pulls/12", {"state": "closed", "head": {"sha": head}})
        assert checkout.bench(*words, **environ).status == 1
        evil = checkout.bench(*words, "--run-url", "https://x/a) [y](javascript:1", **environ)
        assert evil.status == 2
        assert len(forge.sent("POST")) == 1
