"""Which pull requests come near hardware of our own, with a forge that answers as GitHub does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.reporting.github.api import ApiError
from plumbline.reporting.github.resolve import READ_WHOLE, Resolved, refused, resolve
from plumbline.subjects.catalog.catalog import Catalog, read_catalog
from plumbline.subjects.change.scope import FileChange
from tests.change.checkout import JAVA, POM, VARIANT, files, git, make, write
from tests.github.forge import Forge

HEAD, BASE, FORK_POINT = "a" * 40, "b" * 40, "c" * 40
OURS = {"full_name": "owner/name", "default_branch": "main"}
APP = "apps/alpha/src/main/java/Application.java"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return read_catalog(make(tmp_path_factory.mktemp("main") / "tree", files()))


def pull(**changes: Any) -> dict[str, Any]:
    return {
        "state": "open",
        "head": {"sha": HEAD, "repo": {"full_name": "someone/name"}},
        "base": {"sha": BASE, "ref": "main", "repo": OURS},
        **changes,
    }


def run(**changes: Any) -> dict[str, Any]:
    return {
        "id": 77,
        "run_number": 5,
        "run_attempt": 1,
        "head_sha": HEAD,
        "path": ".github/workflows/pr.yml",
        "head_repository": {"full_name": "someone/name"},
        "status": "completed",
        "conclusion": "success",
        **changes,
    }


def file(name: str = APP, **changes: Any) -> dict[str, Any]:
    return {"filename": name, "status": "modified", **changes}


def commit(sha: str, *parents: str) -> dict[str, Any]:
    return {"sha": sha, "parents": [{"sha": parent} for parent in parents]}


def asked(
    forge: Forge,
    catalog: Catalog,
    *rows: dict[str, Any],
    request: dict[str, Any] | None = None,
    runs: list[dict[str, Any]] | None = None,
    contents: dict[str, tuple[str, str]] | None = None,
    folders: tuple[str, ...] = ("alpha", "beta", "control"),
    sandbox: bool = False,
) -> Resolved:
    forge.on("GET", "/pulls/12", request or pull())
    # The files that the pull request lists are of its newest head, which may be another than HEAD.
    forge.on("GET", "/pulls/12/files", [file("apps/alpha/README.md")])
    forge.on("GET", "/actions/runs", {"total_count": 1, "workflow_runs": [run()] if runs is None else runs})
    compared = {"merge_base_commit": {"sha": FORK_POINT}, "files": list(rows) or [file()]}
    forge.on("GET", f"/compare/{BASE}...{HEAD}", compared)
    forge.on("GET", f"/compare/{FORK_POINT}...{BASE}", {"commits": [commit(BASE, FORK_POINT)]})
    for name, (base_text, head_text) in (contents or {}).items():
        sides = iter((base_text.encode(), head_text.encode()))
        forge.on("GET", f"/contents/{name}", lambda sides=sides: next(sides))
    forge.on("GET", "/contents/apps", [{"name": name, "type": "dir"} for name in folders])
    return resolve(forge.api(), catalog, 12, HEAD, "pr.yml", sandbox=sandbox)


def test_a_change_of_an_application(forge: Forge, catalog: Catalog) -> None:
    resolved = asked(forge, catalog)
    assert (resolved.run_id, resolved.head, resolved.base, resolved.head_repository) == (
        77,
        HEAD,
        FORK_POINT,
        "someone/name",
    )
    # Three questions fit into a quarter of an hour, and the suite of comparisons asks about fruits alone.
    assert resolved.subjects == ("alpha/jvm/pg", "alpha/aot/pg", "alpha/jvm/pg+db-tls=require")
    assert resolved.scenarios == ("fruits",)
    assert forge.tokens == {"Bearer secret"}
    (run_query,) = [query for _, path, query, _ in forge.asked if path.endswith("/actions/runs")]
    assert run_query["head_sha"] == [HEAD] and run_query["event"] == ["pull_request"]


def test_a_version_of_the_catalog_and_the_choice_of_subjects(forge: Forge, catalog: Catalog) -> None:
    resolved = asked(
        forge, catalog, file("apps/pom.xml"), contents={"apps/pom.xml": (POM, POM.replace("2.0.0", "2.0.1"))}
    )
    assert resolved.subjects == ("beta/jvm/pg",)
    bench = files()["bench.toml"]
    changed = bench.replace('heap = "512m"', 'heap = "640m"')
    resolved = asked(forge, catalog, file("bench.toml"), contents={"bench.toml": (bench, changed)})
    assert "alpha/jvm/pg+heap=1g" not in resolved.subjects and "beta/jvm/pg" in resolved.subjects


def test_what_fits_into_the_suite_that_was_named(forge: Forge, catalog: Catalog) -> None:
    asked(forge, catalog)
    resolved = resolve(forge.api(), catalog, 12, HEAD, "pr.yml", "quick", sandbox=False)
    assert resolved.scenarios == ("hello", "fruits") and len(resolved.subjects) == 5
    resolved = resolve(forge.api(), catalog, 12, HEAD, "pr.yml", "quick", 0.01, sandbox=True)
    assert (resolved.scenarios, resolved.subjects) == (("hello",), ("alpha/jvm/pg",))
    with pytest.raises(UsageError, match="Unknown suite 'quik'"):
        resolve(forge.api(), catalog, 12, HEAD, "pr.yml", "quik", sandbox=True)


def test_what_a_sandbox_cannot_run_is_left_out_and_said(forge: Forge, catalog: Catalog, tmp_path: Path) -> None:
    asked(forge, catalog)
    resolved = resolve(forge.api(), catalog, 12, HEAD, "pr.yml", "quick", sandbox=True)
    assert len(resolved.subjects) == 4 and "alpha/jvm/pg+run-in=container" not in resolved.subjects
    assert resolved.left_out == ("Left out: `alpha/jvm/pg+run-in=container`, since the sandbox starts processes alone.")
    bench = files()["bench.toml"].replace('run-in = "process"', 'run-in = "container"')
    contained = read_catalog(make(tmp_path / "tree", {**files(), "bench.toml": bench}))
    with pytest.raises(
        AnswerIsNo, match=r"Nothing that pull request 12 affects can be measured there\. Left out: `alpha"
    ):
        asked(forge, contained, sandbox=True)


NO: dict[str, tuple[dict[str, Any], str]] = {
    "closed": ({"request": pull(state="closed")}, "is closed"),
    "new commits": (
        {"request": pull(head={"sha": "d" * 40, "repo": {"full_name": "someone/name"}})},
        "not the head",
    ),
    "its repository gone": ({"request": pull(head={"sha": HEAD, "repo": None})}, "comes from is gone"),
    "another target": (
        {"request": pull(base={"sha": BASE, "ref": "main", "repo": {**OURS, "full_name": "x/y"}})},
        "another repository",
    ),
    "another branch": (
        {"request": pull(base={"sha": BASE, "ref": "topic", "repo": OURS})},
        "goes to 'topic', which nobody protects",
    ),
    "never built": ({"runs": []}, "There is no run of pr.yml"),
    "built from another workflow": (
        {"runs": [run(path=".github/workflows/mine.yml")]},
        "There is no run of pr.yml",
    ),
    "built by another fork": ({"runs": [run(head_repository={"full_name": "evil/name"})]}, "There is no run"),
    "a run of another commit": ({"runs": [run(head_sha="e" * 40)]}, "There is no run"),
    "the build failed": ({"runs": [run(conclusion="failure")]}, "has not passed: it is failure"),
    "the build runs": ({"runs": [run(status="in_progress", conclusion=None)]}, "it is in_progress"),
    "failed when tried again": (
        {"runs": [run(), run(run_attempt=2, conclusion="failure")]},
        "has not passed: it is failure",
    ),
}


@pytest.mark.parametrize("name", NO)
def test_why_not(forge: Forge, catalog: Catalog, name: str) -> None:
    answers, words = NO[name]
    with pytest.raises(AnswerIsNo, match=words):
        asked(forge, catalog, **answers)


def changed(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


OFF_THE_LIST: dict[str, tuple[str, Callable[[str], str], str]] = {
    "the harness": ("harness/plumbline/measuring/run/trial.py", str, "outside the applications"),
    "a workflow": (".github/workflows/pr.yml", str, "outside the applications"),
    "a scenario": ("k6/scenarios/fruits.ts", str, "outside the applications"),
    "a shared module": ("apps/domain/src/main/java/Domain.java", str, "shared by several"),
    "the contract": ("apps/contract/sql/fruits.sql", str, "shared by several"),
    "the control": ("apps/control/pom.xml", str, "the control is frozen"),
    "a path with dots": ("apps/alpha/../../bench", str, "no file of ours"),
    "the budget of a suite": (
        "bench.toml",
        changed('"15m"', '"9h"'),
        "'budget' of suite 'smoke' always comes",
    ),
    "the phases of a suite": (
        "bench.toml",
        changed('"3s"', '"4s"'),
        "'phases' of suite 'smoke' always comes",
    ),
    "the connections of a scenario": (
        "bench.toml",
        changed("connections = 20", "connections = 999"),
        "'scenarios'",
    ),
    "a host": (
        "bench.toml",
        lambda text: text + '\n[hosts.lab]\ndatabase = "given"\n',
        "'hosts' always comes",
    ),
    "another control": (
        "bench.toml",
        changed('control = "control/jvm/pg"', 'control = "beta/jvm/pg"'),
        "'control'",
    ),
    "a new suite": (
        "bench.toml",
        lambda text: text + '\n[suites.x]\nabout = "x"\nsubjects = []\n',
        "suite 'x' is new or gone",
    ),
    "more than versions": (
        "apps/pom.xml",
        changed("<modules>", "<repositories/><modules>"),
        "more than versions",
    ),
    "an attribute": ("apps/pom.xml", changed("<plugins>", '<plugins implementation="x.Y">'), "more than versions"),
    "another parent of an element": (
        "apps/pom.xml",
        changed(
            "</artifactId><version>${jar-plugin.version}</version>",
            "<version>${jar-plugin.version}</version></artifactId>",
        ),
        "more than versions",
    ),
    "a flag that runs a program": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"-XX:OnOutOfMemoryError=sh x", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "an agent": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"-agentpath:/tmp/x.so", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "a file of flags": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"@flags", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "a log in a file": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"-Xlog:gc:file=/tmp/x", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "a recording in a file": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"-XX:StartFlightRecording=filename=/tmp/x", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "a cache of its own": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"-XX:AOTCache=/tmp/x", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "code from elsewhere": (
        "apps/alpha/variant.toml",
        changed('"-jar", "app.jar"', '"--patch-module=java.base=/tmp/x", "-jar", "app.jar"'),
        "could run or load anything",
    ),
    "inputs from elsewhere": (
        "apps/alpha/variant.toml",
        changed('"../pom.xml", "../domain"', '"../../.."'),
        "outside the applications",
    ),
}


@pytest.mark.parametrize("name", OFF_THE_LIST)
def test_what_is_measured_only_after_a_merge(forge: Forge, catalog: Catalog, name: str) -> None:
    path, edit, words = OFF_THE_LIST[name]
    text = files().get(path, "")
    with pytest.raises(AnswerIsNo, match=words):
        asked(forge, catalog, file(), file(path), contents={path: (text, edit(text))})


def test_a_variant_whose_id_has_a_dot_is_an_application(catalog: Catalog) -> None:
    spec = VARIANT.format(name="alpha-4.1", inputs='"../pom.xml", "../domain-4.1"').encode()
    assert refused(FileChange("apps/alpha-4.1/src/Application.java", None, b"class Application {}"), catalog) is None
    assert refused(FileChange("apps/alpha-4.1/variant.toml", None, spec), catalog) is None
    assert READ_WHOLE.fullmatch("apps/alpha-4.1/variant.toml")


def test_a_file_that_moves_away_counts_by_both_names(forge: Forge, catalog: Catalog) -> None:
    moved = file(APP, status="renamed", previous_filename="harness/plumbline/measuring/run/trial.py")
    with pytest.raises(AnswerIsNo, match="outside the applications"):
        asked(forge, catalog, moved)


def test_a_variant_that_moves_is_read_by_its_old_name_before_and_by_its_new_one_after(
    forge: Forge, catalog: Catalog
) -> None:
    old, new = "apps/beta/variant.toml", "apps/gamma/variant.toml"
    for name, text in ((old, files()[old]), (new, VARIANT.format(name="gamma", inputs=""))):
        forge.on("GET", f"/contents/{name}", text.encode())
    resolved = asked(forge, catalog, file(), file(new, status="renamed", previous_filename=old))
    assert "alpha/jvm/pg" in resolved.subjects
    # At the other commit GitHub has no such file, and answers with 404.
    asked_for = [(path, query["ref"]) for _, path, query, _ in forge.asked if path.endswith("/variant.toml")]
    prefix = "/repos/owner/name/contents/"
    assert asked_for == [(f"{prefix}{old}", [FORK_POINT]), (f"{prefix}{new}", [HEAD])]


@pytest.mark.parametrize(("start", "said"), [("main", None), ("side", "a commit of a side branch")])
def test_what_a_merged_side_branch_took_back_is_not_measured(
    forge: Forge, catalog: Catalog, tmp_path: Path, start: str, said: str | None
) -> None:
    """A commit of a side branch changes a shared module, and the next one takes that back before the merge."""
    root = make(tmp_path / "tree", files())

    def committed(path: str, text: str) -> str:
        write(root, path, text)
        git(root, "add", "--all")
        git(root, "commit", "-q", "-m", "change")
        return git(root, "rev-parse", "HEAD")

    def compared(base: str, head: str) -> None:
        merge_base = git(root, "merge-base", base, head)
        rows = [row.split() for row in git(root, "log", "--format=%H %P", f"{base}..{head}").splitlines()]
        names = git(root, "diff", "--name-only", merge_base, head).splitlines()
        answer = {
            "merge_base_commit": {"sha": merge_base},
            "commits": [commit(*row) for row in rows],
            "files": [file(name) for name in names],
        }
        forge.on("GET", f"/compare/{base}...{head}", answer)

    forks = {"main": git(root, "rev-parse", "HEAD")}
    git(root, "checkout", "-q", "-b", "side")
    forks["side"] = committed("apps/domain/pom.xml", "<project><!-- of theirs --></project>\n")
    committed("apps/domain/pom.xml", files()["apps/domain/pom.xml"])
    git(root, "checkout", "-q", "main")
    committed("README.md", "more\n")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    tip = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "-q", "-b", "topic", forks[start])
    head = committed(APP, JAVA.format(note="other"))
    compared(tip, head)
    compared(forks[start], tip)
    forge.on(
        "GET",
        "/pulls/12",
        pull(head={"sha": head, "repo": {"full_name": "someone/name"}}, base={"sha": tip, "ref": "main", "repo": OURS}),
    )
    forge.on("GET", "/actions/runs", {"total_count": 1, "workflow_runs": [run(head_sha=head)]})
    forge.on("GET", "/contents/apps", [{"name": "alpha", "type": "dir"}])
    if said is None:
        assert resolve(forge.api(), catalog, 12, head, "pr.yml", sandbox=True).base == forks[start]
    else:
        with pytest.raises(AnswerIsNo, match=said):
            resolve(forge.api(), catalog, 12, head, "pr.yml", sandbox=True)


def test_a_new_variant_is_measured_once_it_is_merged(forge: Forge, catalog: Catalog) -> None:
    toml = "apps/gamma/variant.toml"
    rows = (file(toml, status="added"), file("apps/gamma/src/main/java/A.java", status="added"))
    with pytest.raises(AnswerIsNo, match="changes nothing that is measured"):
        asked(forge, catalog, *rows, contents={toml: (VARIANT.format(name="gamma", inputs=""), JAVA)})


def test_a_variant_that_was_merged_after_the_pull_request_began_is_not_measured(forge: Forge, catalog: Catalog) -> None:
    plugin = POM.replace("<jar-plugin.version>3.0.0", "<jar-plugin.version>3.0.1")
    rows, contents = (file("apps/pom.xml"),), {"apps/pom.xml": (POM, plugin)}
    assert "beta/jvm/pg" in asked(forge, catalog, *rows, contents=contents).subjects
    assert asked(forge, catalog, *rows, contents=contents, folders=("beta",)).subjects == ("beta/jvm/pg",)
    (query,) = [query for _, path, query, _ in forge.asked if path.endswith("/contents/apps")][1:]
    assert query["ref"] == [FORK_POINT]
    with pytest.raises(AnswerIsNo, match="All that pull request 12 affects is newer than cccccccccccc, where it began"):
        asked(forge, catalog, *rows, contents=contents, folders=("domain",))


def test_nothing_measured(forge: Forge, catalog: Catalog) -> None:
    with pytest.raises(AnswerIsNo, match="changes nothing that is measured"):
        asked(forge, catalog, file("apps/alpha/README.md"))


@pytest.mark.parametrize("head", ["main", "a" * 39, "A" * 40, "a" * 40 + "; rm -rf /"])
def test_a_head_that_is_no_commit_is_used_wrongly(forge: Forge, catalog: Catalog, head: str) -> None:
    with pytest.raises(UsageError, match="no full commit id"):
        resolve(forge.api(), catalog, 12, head, "pr.yml", sandbox=True)
    assert forge.asked == []


def test_every_file_between_the_two_commits_counts(forge: Forge, catalog: Catalog) -> None:
    rows = [file(f"apps/alpha/src/main/java/A{number}.java") for number in range(299)]
    asked(forge, catalog, *rows)
    with pytest.raises(AnswerIsNo, match="outside the applications"):
        asked(forge, catalog, *rows[:-1], file("bench"))
    with pytest.raises(AnswerIsNo, match="300 files or more, which the API does not list"):
        asked(forge, catalog, *rows, file())


def test_a_forge_that_does_not_answer(forge: Forge, catalog: Catalog) -> None:
    with pytest.raises(ApiError, match=r"GET /repos/owner/name/pulls/12 was answered with 404: Not Found"):
        resolve(forge.api(), catalog, 12, HEAD, "pr.yml", sandbox=True)


def test_the_token_follows_no_redirect(forge: Forge, catalog: Catalog, tmp_path: Path) -> None:
    forge.on("GET", "/pulls/12", (302, {"to": f"{forge.url}/elsewhere"}))
    with pytest.raises(ApiError, match="302"):
        resolve(forge.api(), catalog, 12, HEAD, "pr.yml", sandbox=True)
    assert [path for _, path, _, _ in forge.asked] == ["/repos/owner/name/pulls/12"]


def test_what_fails_for_a_moment_is_read_again(forge: Forge, catalog: Catalog) -> None:
    answers = iter([(503, {"message": "busy"}), (200, pull())])
    asked(forge, catalog)
    forge.on("GET", "/pulls/12", lambda: next(answers))
    assert resolve(forge.api(retries=2), catalog, 12, HEAD, "pr.yml", sandbox=True).run_id == 77
