"""Explains what a changed file can affect, by the first rule whose pattern fits its path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from plumbline.model.subject import is_native
from plumbline.subjects.catalog.bench import ScenarioSpec
from plumbline.subjects.catalog.settings import in_container
from . import bench_file, poms, variant_file
from .scope import ChangeScope, FileChange, ScopeCell, Touch

# Parts and rooms of the harness that a trial's figures or findings pass through. The others come after, or only show
# them.
MEASURING_ROOMS = frozenset(
    {
        "model",
        "machine",
        "verdicts",
        "subjects/catalog",
        "subjects/plan",
        "archive/record",
        "measuring/build",
        "measuring/place",
        "measuring/launch",
        "measuring/services",
        "measuring/observe",
        "measuring/load",
        "measuring/run",
    }
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
    _, folder, *inner_parts = PurePosixPath(change.path).parts
    if inner_parts[:2] == ["src", "test"]:
        yield Touch((), f"tests of {folder} are no part of what runs")
        return
    variant = scope.catalog.variants.get(folder)
    if variant is not None and inner_parts == ["variant.toml"]:
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
    yield _touch_of_scenarios(scope, lambda scenario: scenario.script == script, "the script of {}")


def _library(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    folder = scope.catalog.root / "k6"
    changed = (scope.catalog.root / change.path).resolve()
    scripts = {script.name for script in (folder / "scenarios").glob("*.ts") if changed in _imported(script, set())}
    yield _touch_of_scenarios(scope, lambda scenario: scenario.script in scripts, "a k6 library that {} loads")


def _touch_of_scenarios(scope: ChangeScope, uses: Callable[[ScenarioSpec], bool], why: str) -> Touch:
    """Return the touch of all scenarios that use what was changed; `why` has {} in place of their names."""
    names = {name for name, scenario in scope.catalog.bench.scenarios.items() if uses(scenario)}
    cells = scope.where(lambda cell: cell.scenario in names)
    return Touch(cells, why.format(", ".join(sorted(names)) or "no scenario"))


def _imported(script: Path, visited: set[Path]) -> set[Path]:
    """Return `visited` with the script and all files that it loads, by their relative imports."""
    path = script.resolve()
    if path in visited or not path.is_file():
        return visited
    visited.add(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    for relative in re.findall(r"""(?:from|import)\s*\(?\s*["'](\.{1,2}/[^"'\0]+)["']""", text):
        # A script that loads a file may still name it when the file is gone.
        target = (path.parent / relative).resolve()
        visited |= _imported(target, visited) | {target}
    return visited


def _contract(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    parts = PurePosixPath(change.path).parts
    if parts[2] == "sql":
        yield _data_set(parts[3], PurePosixPath(change.path).stem, scope)
    elif parts[2] == "golden" or change.path.endswith("budgets.toml"):
        yield Touch(scope.cells, "what every application is held to")
    else:
        yield Touch((), "describes the contract; probes and golden answers hold it")


def _data_set(folder: str, stem: str, scope: ChangeScope) -> Touch:
    if folder == "prepare":
        why = "what {} does to the data set before a trial"
        return _touch_of_scenarios(scope, lambda scenario: scenario.prepare == stem, why)
    if folder in _DATABASES.values():
        return Touch(scope.with_database(folder), f"the data set of {folder}")
    if all(scenario.workload != stem for scenario in scope.catalog.bench.scenarios.values()):
        return Touch(scope.with_database(), "the data set of every workload")
    return _touch_of_scenarios(scope, lambda scenario: scenario.workload == stem, "the data set of {}")


def _stub(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    yield _touch_of_scenarios(scope, lambda scenario: scenario.source_latency is not None, "the sources that {} asks")


def _pins(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    try:
        before, after = change.as_toml()
    except ValueError:
        yield Touch(scope.cells, "the pins could not be compared with their older version")
        return
    for tool in {**before, **after}:
        if before.get(tool) == after.get(tool):
            continue
        old_version, new_version = (side.get(tool, {}).get("version", "none") for side in (before, after))
        cells = scope.with_database(_DATABASES[tool]) if tool in _DATABASES else scope.cells
        yield Touch(cells, f"{tool} {old_version} -> {new_version}")


def _recipe(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    native = PurePosixPath(change.path).name.startswith("native")
    cells = scope.where(
        lambda cell: (
            is_native(cell.subject.packaging) == native and in_container(scope.catalog.settings_of(cell.subject))
        )
    )
    yield Touch(cells, "how the image of what runs in a container is made")


def _harness(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    part, *inside = PurePosixPath(change.path).parts[2:-1]
    room = "/".join((part, *inside[:1]))
    if MEASURING_ROOMS.isdisjoint((part, room)):
        yield Touch((), f"no figure passes through '{room}'")
        return
    yield Touch(_cells_of_suite(scope), f"'{room}' measures or judges: the default suite shows that it still works")


def _lock(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    yield Touch(_cells_of_suite(scope), "packages of the harness: the default suite shows that they still work")


def _cells_of_suite(scope: ChangeScope) -> tuple[ScopeCell, ...]:
    """Return all cells of the suite: one harness measures both sides of a comparison, so its change is only checked."""
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
    (r"apps/pom\.xml", poms.touches),
    (r"apps/contract/.*", _contract),
    (r"apps/stub/.*", _stub),
    (r"k6/scenarios/.*", _scenario),
    (r"k6/lib/.*", _library),
    (r"k6/go\.(mod|sum)", lambda change, scope: iter([Touch(scope.cells, "how k6 itself is built")])),
    (r"k6/(package(-lock)?|tsconfig)\.json", _nothing("types for the editor and the checker")),
    (r"harness/plumbline/machine/tools/pins\.toml", _pins),
    (r"harness/plumbline/[^/]+/.*", _harness),
    (r"harness/requirements\.lock", _lock),
    (r"harness/.*|bench", _nothing("tests and tools around the harness")),
)
