"""Explains what a changed file can affect, by the first rule whose pattern fits its path."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from plumbline.catalog.settings import in_container
from plumbline.model.subject import is_native
from . import bench_file, poms, variant_file
from .files import FileChange
from .scope import ChangeScope, ScopeCell, Touch

# Rooms of the harness that a trial's figures or findings pass through. The others come after, or only show them.
_MEASURING = frozenset(
    (
        *(
            "model",
            "stats",
            "host",
            "catalog",
            "plan",
            "tools",
            "build",
            "place",
            "launch",
            "services",
            "observe",
        ),
        *("contract", "load", "figures", "judge", "record", "run"),
    )
)

# A pinned database and the engine that it is.
_DATABASES = {"postgresql": "pg", "mysql": "mysql"}


def touches(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    """Yield the subjects and scenarios that one changed file can affect."""
    path = change.path
    for pattern, rule in _RULES:
        if re.fullmatch(pattern, path):
            yield from rule(change, scope)
            return
    if path.startswith("apps/") and path.count("/") >= 2:
        yield from _apps(change, scope)
    else:
        yield Touch(scope.cells, "no rule says what this file touches, so it is taken to touch everything")


def _nothing(why: str) -> Callable[[FileChange, ChangeScope], Iterator[Touch]]:
    def rule(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
        yield Touch((), why)

    return rule


def _apps(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    _, folder, *rest = PurePosixPath(change.path).parts
    if rest[:2] == ["src", "test"]:
        yield Touch((), f"tests of {folder} are no part of what runs")
        return
    variant = scope.catalog.variants.get(folder)
    if variant is not None and rest == ["variant.toml"]:
        yield from variant_file.touches(change, variant, scope)
    elif variant is not None:
        yield Touch(scope.of_variants([folder]), f"{folder}: its own sources")
    elif users := scope.with_input(folder):
        yield Touch(scope.of_variants(users), f"{folder} is built into {', '.join(sorted(users))}")
    elif change.after is None:
        yield Touch((), f"{folder} is gone")
    else:
        yield Touch((), f"{folder} is built into no variant")


def _scenario(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    script = PurePosixPath(change.path).name
    bench = scope.catalog.bench.scenarios
    names = {name for name, scenario in bench.items() if scenario.script == script}
    cells = scope.where(lambda cell: cell.scenario in names)
    yield Touch(cells, f"the script of {', '.join(sorted(names)) or 'no scenario'}")


def _library(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    folder = scope.catalog.root / "k6"
    changed = (scope.catalog.root / change.path).resolve()
    scripts = {
        script.name for script in (folder / "scenarios").glob("*.ts") if changed in _imported(script, set())
    }
    bench = scope.catalog.bench.scenarios
    names = {name for name, scenario in bench.items() if scenario.script in scripts}
    cells = scope.where(lambda cell: cell.scenario in names)
    yield Touch(cells, f"a k6 library that {', '.join(sorted(names)) or 'no scenario'} loads")


def _imported(script: Path, seen: set[Path]) -> set[Path]:
    """Return all files that a script loads, by their relative imports."""
    here = script.resolve()
    if here in seen or not here.is_file():
        return seen
    seen.add(here)
    text = here.read_text(encoding="utf-8", errors="replace")
    for found in re.findall(r"""(?:from|import)\s*\(?\s*["'](\.{1,2}/[^"']+)["']""", text):
        # A file that is gone is still named by whoever loads it.
        target = (here.parent / found).resolve()
        seen |= _imported(target, seen) | {target}
    return seen


def _contract(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    parts = PurePosixPath(change.path).parts
    if parts[2] == "sql":
        yield _data_set(parts[3], PurePosixPath(change.path).stem, scope)
    elif parts[2] == "golden" or change.path.endswith("budgets.toml"):
        yield Touch(scope.cells, "what every application is held to")
    else:
        yield Touch((), "describes the contract; probes and golden answers hold it")


def _data_set(folder: str, stem: str, scope: ChangeScope) -> Touch:
    bench = scope.catalog.bench.scenarios
    if folder == "prepare":
        names = {name for name, scenario in bench.items() if scenario.prepare == stem}
        cells = scope.where(lambda cell: cell.scenario in names)
        return Touch(
            cells, f"what {', '.join(sorted(names)) or 'no scenario'} does to the data set before a trial"
        )
    if folder in _DATABASES.values():
        return Touch(scope.with_database(folder), f"the data set of {folder}")
    names = {name for name, scenario in bench.items() if scenario.workload == stem}
    cells = scope.where(lambda cell: cell.scenario in names) if names else scope.with_database()
    return Touch(cells, f"the data set of {', '.join(sorted(names)) or 'every workload'}")


def _stub(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    bench = scope.catalog.bench.scenarios
    names = {name for name, scenario in bench.items() if scenario.source_latency is not None}
    cells = scope.where(lambda cell: cell.scenario in names)
    yield Touch(cells, f"the sources that {', '.join(sorted(names)) or 'no scenario'} asks")


def _pins(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    try:
        before, after = (tomllib.loads((side or b"").decode()) for side in (change.before, change.after))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        yield Touch(scope.cells, "the pins could not be compared with their older version")
        return
    for tool in {**before, **after}:
        if before.get(tool) == after.get(tool):
            continue
        was, now = (side.get(tool, {}).get("version", "none") for side in (before, after))
        cells = scope.with_database(_DATABASES[tool]) if tool in _DATABASES else scope.cells
        yield Touch(cells, f"{tool} {was} -> {now}")


def _recipe(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    native = PurePosixPath(change.path).name.startswith("native")
    cells = scope.where(
        lambda cell: (
            is_native(cell.subject.packaging) == native
            and in_container(scope.catalog.settings_of(cell.subject))
        )
    )
    yield Touch(cells, "how the image of what runs in a container is made")


def _harness(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    room = PurePosixPath(change.path).parts[2].removesuffix(".py")
    if room not in _MEASURING:
        yield Touch((), f"no figure passes through the room '{room}'")
        return
    yield Touch(
        _checked(scope), f"the room '{room}' measures or judges: the default suite shows that it still works"
    )


def _lock(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    yield Touch(_checked(scope), "packages of the harness: the default suite shows that they still work")


def _checked(scope: ChangeScope) -> tuple[ScopeCell, ...]:
    """Return all cells of the suite: one harness measures both sides of a comparison, so its change is checked and not
    compared.
    """
    _, suite = scope.catalog.suite(scope.suite)
    ids = {subject.id for subject in scope.catalog.all_subjects_of(suite)}
    return scope.where(lambda cell: cell.subject.id in ids and cell.scenario in suite.scenarios)


_RULES: tuple[tuple[str, Callable[[FileChange, ChangeScope], Iterator[Touch]]], ...] = (
    (r"bench\.toml", bench_file.touches),
    (
        r"(.*/)?[^/]+\.md|docs/.*|LICENSE|CITATION\.cff|\.gitignore|\.gitattributes",
        _nothing("words for people"),
    ),
    (r"results/.*", _nothing("results, and how to read them")),
    (r"\.github/.*|\.ci/.*", _nothing("workflows: when something is measured, not what")),
    (r"site/.*", _nothing("pages that show results")),
    (r"runner-setup/.*", _nothing("how a host is set up; `./bench doctor` checks it there")),
    (r"apps/containers/.*\.Containerfile", _recipe),
    (r"apps/containers/.*", _nothing("images for people; trials make theirs without it")),
    (r"apps/kubernetes/.*", _nothing("manifests for a cluster; trials run processes")),
    (r"apps/pom\.xml", poms.touches),
    (r"apps/contract/.*", _contract),
    (r"apps/stub/.*", _stub),
    (r"k6/scenarios/.*", _scenario),
    (r"k6/lib/.*", _library),
    (r"k6/go\.(mod|sum)", lambda change, scope: iter([Touch(scope.cells, "how k6 itself is built")])),
    (r"k6/(package(-lock)?|tsconfig)\.json", _nothing("types for the editor and the checker")),
    (r"harness/plumbline/tools/pins\.toml", _pins),
    (r"harness/plumbline/[^/]+/.*", _harness),
    (r"harness/requirements\.lock", _lock),
    (r"harness/.*|bench", _nothing("tests and tools around the harness")),
)
