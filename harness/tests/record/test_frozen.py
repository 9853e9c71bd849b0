"""harness/frozen holds a verifier of each older version, and no version is raised without one."""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from laboratory.freeze import ENTRIES, archive_of, freeze, imported, last_change
from plumbline.archive.record import frozen
from plumbline.archive.record.frozen import INDEX, SHELF, Archive, checked_path, read_index, verified_by
from plumbline.archive.record.gate import check
from plumbline.archive.record.read import parse_record
from plumbline.machine.tools.git import Git
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.judge.referee import RULES_VERSION
from tests.record.sessions import rewritten
from tests.run.clones import git

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = sorted(path.parent for path in (ROOT / "results" / "examples").rglob("record.json"))
ARCHIVES = read_index().archives
NAMES = [archive.name for archive in ARCHIVES]


def test_no_version_is_raised_without_freezing_the_one_before() -> None:
    index = read_index()
    assert (index.rules, index.figures) == (RULES_VERSION, FIGURES_VERSION), (
        "Versions of rules or figures were raised: call `./bench ci freeze`, and commit harness/frozen/ with them."
    )


def test_the_verifier_of_today_needs_no_file_beside_its_modules() -> None:
    """An archive holds modules alone: the tables of the catalog would be missing there."""
    harness = ROOT / "harness"
    sources = {str(path.relative_to(harness)): path.read_bytes() for path in (harness / "plumbline").rglob("*.py")}
    kept = imported(sources, ENTRIES[0])
    assert "plumbline/verdicts/judge/referee.py" in kept
    assert not [path for path in kept if path.startswith("plumbline/subjects/catalog/")]


def test_the_shelf_holds_what_its_index_names_and_nothing_else() -> None:
    assert sorted(path.name for path in SHELF.iterdir()) == sorted([INDEX, *NAMES])
    assert len({(archive.rules, archive.figures) for archive in ARCHIVES}) == len(ARCHIVES)


@pytest.mark.parametrize("archive", ARCHIVES, ids=NAMES)
def test_an_archive_has_its_digest_and_is_made_of_its_commit(archive: Archive) -> None:
    content = checked_path(archive).read_bytes()
    lookup = subprocess.run(["git", "-C", str(ROOT), "cat-file", "-e", archive.commit], capture_output=True)
    if lookup.returncode != 0:
        pytest.skip("a clone without history can't make it again; CI has all of it")
    assert archive_of(Git(ROOT), archive.commit) == content


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_is_as_recorded_by_the_versions_it_names(folder: Path) -> None:
    found = check(folder)
    versions = parse_record((folder / "record.json").read_bytes()).versions
    assert found.word == "as recorded", found
    assert (found.rules, found.figures_version) == (versions.rules, versions.figures)
    assert found.figures > 100 and found.findings > 100
    assert found.today is not None and found.today.problem is None


def test_an_example_that_was_changed_and_sealed_again_is_found_by_its_own_rules(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    folder = Path(shutil.copytree(EXAMPLES[0], tmp_path / "session"))
    document = json.loads((folder / "record.json").read_bytes())
    document["trials"][4]["figures"]["closed"]["throughput_per_s"] += 1
    rewritten(folder, document)
    found = check(folder)
    assert found.word == "changed"
    assert found.difference is not None and found.difference.metric == "throughput_per_s"
    assert found.difference.trial == document["trials"][4]["number"]
    record_property("rule", "verify")
    record_property("reading", f"rules {found.rules}: {found.difference.problem}")


def test_an_archive_with_another_digest_is_not_run(tmp_path: Path) -> None:
    archive = ARCHIVES[0]
    (tmp_path / archive.name).write_bytes(checked_path(archive).read_bytes() + b"\0")
    with pytest.raises(CannotGoOn, match="is not the archive of the index, and is not run"):
        verified_by(archive, EXAMPLES[0], tmp_path)
    with pytest.raises(CannotGoOn, match="cannot be read"):
        verified_by(archive, EXAMPLES[0], tmp_path / "nowhere")


def script(shelf: Path, text: str) -> Archive:
    archive = Archive(rules=1, figures=1, commit="0" * 40, sha256=hashlib.sha256(text.encode()).hexdigest())
    (shelf / archive.name).write_text(text)
    return archive


def test_a_verifier_that_gives_no_answer_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotGoOn, match="ZeroDivisionError"):
        verified_by(script(tmp_path, "1 / 0"), EXAMPLES[0], tmp_path)
    with pytest.raises(CannotGoOn, match="MemoryError"):
        verified_by(script(tmp_path, "b' ' * 2**40"), EXAMPLES[0], tmp_path)
    with pytest.raises(CannotGoOn, match="OSError"):
        verified_by(
            script(tmp_path, f"import pathlib; pathlib.Path({str(tmp_path / 'x')!r}).write_text('x')"),
            EXAMPLES[0],
            tmp_path,
        )
    monkeypatch.setattr(frozen, "_WITHIN_S", 0.2)
    with pytest.raises(CannotGoOn, match="gave no answer"):
        verified_by(script(tmp_path, "import time; time.sleep(600)"), EXAMPLES[0], tmp_path)


def test_no_bound_of_a_verifier_is_above_a_limit_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: dict[int, tuple[int, int]] = {}
    hard = {resource.RLIMIT_AS: 2**31, resource.RLIMIT_NOFILE: 1024}
    monkeypatch.setattr(frozen, "die_with_us", lambda: None)
    monkeypatch.setattr(resource, "getrlimit", lambda limit: (0, hard.get(limit, resource.RLIM_INFINITY)))
    monkeypatch.setattr(resource, "setrlimit", bounds.__setitem__)
    frozen._set_limits()
    assert bounds[resource.RLIMIT_AS] == (2**31, 2**31)
    assert bounds[resource.RLIMIT_NOFILE] == (256, 256) and bounds[resource.RLIMIT_CPU] == (300, 300)


def test_a_verifier_sees_nothing_of_the_callers_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pydantic.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert verified_by(ARCHIVES[0], EXAMPLES[0]).difference is None


def test_an_archive_is_a_program_of_its_own() -> None:
    archive = checked_path(ARCHIVES[0])
    result = subprocess.run([sys.executable, "-I", archive, EXAMPLES[0]], capture_output=True, check=True)
    assert json.loads(result.stdout)["difference"] is None


def test_what_a_module_imports() -> None:
    sources = {
        "a/__init__.py": b"",
        "a/b.py": b"from .c import f\nimport os\ndef g():\n    from a import d",
        "a/c/__init__.py": b"import pkgutil",
        "a/c/one.py": b"from ..e import x",
        "a/d.py": b"",
        "a/e.py": b"",
        "a/f.py": b"",
    }
    assert imported(sources, "a.b") == set(sources) - {"a/f.py"}


def clone_with(tmp_path: Path, rules: int, figures: int, record: str) -> Path:
    root = tmp_path / "clone"
    package = root / "harness" / "plumbline"
    (package / record).mkdir(parents=True)
    for folder in (package / record, *(package / record).parents):
        if folder.is_relative_to(package):
            (folder / "__init__.py").write_text("")
    (package / record / "verify.py").write_text("from plumbline.rules import RULES_VERSION\n")
    (package / "rules.py").write_text(f"RULES_VERSION = {rules}\nFIGURES_VERSION = {figures}\n")
    (root / "harness" / "requirements.lock").write_text("")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    return root


def test_a_commit_without_a_verifier_is_refused(tmp_path: Path) -> None:
    root = clone_with(tmp_path, RULES_VERSION, FIGURES_VERSION, "elsewhere")
    with pytest.raises(UsageError, match="has no verifier"):
        archive_of(Git(root), git(root, "rev-parse", "HEAD"))


def test_freezing_names_the_newest_change_of_rules_or_figures(tmp_path: Path) -> None:
    root = clone_with(tmp_path, RULES_VERSION, FIGURES_VERSION, "record")
    rules = root / "harness" / "plumbline" / "verdicts"
    rules.mkdir()
    for path, subject in ((rules / "r38.py", "a rule without its version"), (root / "other", "another file")):
        path.write_text("")
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", subject)
    assert last_change(Git(root), "HEAD").endswith(" a rule without its version")


@pytest.mark.parametrize("record", ["record", "archive/record"])
def test_freezing_takes_the_newest_commit_with_the_versions_in_force(tmp_path: Path, record: str) -> None:
    """The verifier may lie in the folder of today or in an older one."""
    root = clone_with(tmp_path, RULES_VERSION - 1, FIGURES_VERSION, record)
    (root / "other").write_text("")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "two")
    last = git(root, "rev-parse", "HEAD")
    (root / "harness" / "plumbline" / "rules.py").write_text(
        f"RULES_VERSION = {RULES_VERSION}\nFIGURES_VERSION = {FIGURES_VERSION}\n"
    )
    git(root, "commit", "-q", "-a", "-m", "raised")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / INDEX).write_text(json.dumps({"rules": RULES_VERSION - 1, "figures": FIGURES_VERSION}))
    new_archive = freeze(Git(root), shelf=shelf)
    assert new_archive is not None and (new_archive.rules, new_archive.commit) == (RULES_VERSION - 1, last)
    index = read_index(shelf)
    assert (index.rules, index.archives) == (RULES_VERSION, (new_archive,))
    archive = checked_path(new_archive, shelf)
    assert archive.read_bytes() == archive_of(Git(root), last)
    with zipfile.ZipFile(archive) as opened:
        assert f"plumbline/{record}/verify.py" in opened.namelist()
        assert f"from plumbline.{record.replace('/', '.')}.verify import" in opened.read("__main__.py").decode()
    assert freeze(Git(root), shelf=shelf) is None
    with pytest.raises(UsageError, match="is never made anew"):
        freeze(Git(root), "HEAD~2", shelf)
    (shelf / INDEX).write_text(json.dumps({"rules": 1, "figures": 1}))
    with pytest.raises(UsageError, match="No commit of this clone has rules 1"):
        freeze(Git(root), shelf=shelf)
