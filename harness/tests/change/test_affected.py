"""A table of differences as pull requests bring them, each with the smallest set of cells that it can affect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import read_catalog
from plumbline.subjects.change.affected import Effect, effect
from plumbline.subjects.change.paths import MEASURING_ROOMS
from plumbline.subjects.change.scope import ChangeScope, difference
from tests.change.checkout import JAVA, VARIANT, files, git, make, write
from tests.checkout import ROOT

A, AOT, TLS, HEAP = "alpha/jvm/pg", "alpha/aot/pg", "alpha/jvm/pg+db-tls=require", "alpha/jvm/pg+heap=1g"
CONTAINED = "alpha/jvm/pg+run-in=container"
B, CONTROL = "beta/jvm/pg", "control/jvm/pg"
ALPHA = {A, AOT, TLS, HEAP, CONTAINED}
ALL = ALPHA | {B}
BOTH = ("fruits", "hello")


def cells(subjects: set[str], *scenarios: str) -> set[tuple[str, str]]:
    return {(subject, scenario) for subject in subjects for scenario in scenarios}


def replaced(path: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new, 1))

    return edit


def added(path: str, text: str) -> Callable[[Path], None]:
    return lambda root: write(root, path, text)


def new_variant(root: Path) -> None:
    write(root, "apps/gamma/variant.toml", VARIANT.format(name="gamma", inputs=""))
    write(root, "apps/gamma/pom.xml", "<project/>")


def gone(path: str) -> Callable[[Path], None]:
    return lambda root: (root / path).unlink()


def appended(path: str, text: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        (root / path).write_text((root / path).read_text() + text)

    return edit


APP = "apps/alpha/src/main/java/Application.java"
NOTHING: set[tuple[str, str]] = set()
NEW_SUITE = """
[suites.more]
about = "more"
subjects = ["beta/jvm/pg", "beta/aot/pg"]
scenarios = ["hello"]
blocks = 1
budget = "1h"
phases = [{ kind = "closed", time = "3s" }]
"""

TABLE: dict[str, tuple[Callable[[Path], None], set[tuple[str, str]]]] = {
    # bench.toml
    "a comment in bench.toml": (appended("bench.toml", "# a note\n"), NOTHING),
    "the words of a suite": (replaced("bench.toml", "first numbers", "numbers"), NOTHING),
    "the budget of a suite": (replaced("bench.toml", '"15m"', '"20m"'), NOTHING),
    "a default of the JVM": (
        replaced("bench.toml", 'heap = "512m"', 'heap = "640m"'),
        cells(ALL - {HEAP}, *BOTH),
    ),
    "a default setting": (
        replaced("bench.toml", 'db-tls = "off"', 'db-tls = "require"'),
        cells(ALL - {TLS}, *BOTH),
    ),
    "the connections of a scenario": (
        replaced("bench.toml", "connections = 20", "connections = 30"),
        cells(ALL, "hello"),
    ),
    "the words of a scenario": (replaced("bench.toml", 'about = "hello"', 'about = "hi"'), NOTHING),
    "the version of a scenario": (replaced("bench.toml", "version = 1", "version = 2"), cells(ALL, "fruits")),
    "a subject more in a suite": (
        replaced("bench.toml", '"alpha/jvm/pg+heap=1g"', '"alpha/jvm/pg+heap=1g", "beta/aot/pg"'),
        cells({"beta/aot/pg"}, *BOTH),
    ),
    "a subject more that another suite has": (
        replaced("bench.toml", '"beta/jvm/pg"]', '"beta/jvm/pg", "alpha/aot/pg"]'),
        NOTHING,
    ),
    "a subject less": (replaced("bench.toml", '"alpha/aot/pg", ', ""), NOTHING),
    "a scenario more in a suite": (
        replaced("bench.toml", 'scenarios = ["fruits"]', 'scenarios = ["fruits", "hello"]'),
        NOTHING,
    ),
    "a suite more": (appended("bench.toml", NEW_SUITE), cells({"beta/aot/pg"}, "hello")),
    "the phases of a suite": (
        replaced(
            "bench.toml",
            'blocks = 3\nbudget = "15m"\nphases = [{ kind = "closed", time = "3s"',
            'blocks = 3\nbudget = "15m"\nphases = [{ kind = "closed", time = "5s"',
        ),
        cells({A, B}, "fruits"),
    ),
    "more blocks": (replaced("bench.toml", "blocks = 3", "blocks = 5"), NOTHING),
    "what a host is used for": (appended("bench.toml", '\n[hosts.lab]\nclass = "lab"\n'), NOTHING),
    "the default suite": (
        replaced("bench.toml", 'default_suite = "smoke"', 'default_suite = "quick"'),
        NOTHING,
    ),
    "another control": (
        replaced("bench.toml", 'control = "control/jvm/pg"', 'control = "beta/jvm/pg"'),
        cells(ALPHA | {CONTROL}, *BOTH),
    ),
    # variants
    "an app": (replaced(APP, "8080", "8081"), cells(ALPHA, *BOTH)),
    "a comment in an app": (replaced(APP, "// Serves.", "// Serves nobody.\n// Or does it?"), NOTHING),
    "a block comment in an app": (replaced(APP, "/* the port */", "/* the\n * port */"), NOTHING),
    "a string that looks like a comment": (
        replaced(APP, "// no comment", "// a comment"),
        cells(ALPHA, *BOTH),
    ),
    "a property of an app": (
        replaced("apps/alpha/src/main/resources/application.properties", "=20", "=30"),
        cells(ALPHA, *BOTH),
    ),
    "a comment in properties": (
        replaced("apps/alpha/src/main/resources/application.properties", "# pool", "! a pool\n"),
        NOTHING,
    ),
    "the name of a variant": (
        replaced("apps/beta/variant.toml", 'name = "beta"', 'name = "beta-web"'),
        NOTHING,
    ),
    "how an app is run": (
        replaced("apps/beta/variant.toml", '["-jar", "app.jar"]', '["-Xrs", "-jar", "app.jar"]'),
        cells({B}, *BOTH),
    ),
    "how one packaging is run": (
        replaced("apps/alpha/variant.toml", 'like = "jvm"', 'output = "target/other"\nrun = ["-jar", "other.jar"]'),
        cells({AOT}, *BOTH),
    ),
    "a value that a setting takes": (
        replaced("apps/alpha/variant.toml", '"off", "require"', '"require", "off"'),
        NOTHING,
    ),
    "the one value that a setting has": (
        replaced("apps/beta/variant.toml", '["off", "require"]', '["require"]'),
        cells({"beta/jvm/pg+db-tls=require"}, *BOTH),
    ),
    "the default as the one value that a setting has": (
        replaced("apps/beta/variant.toml", '["off", "require"]', '["off"]'),
        NOTHING,
    ),
    "the rule-deciding threads of an app": (
        replaced("apps/beta/variant.toml", 'serves_on = "worker"', 'serves_on = "event-loop"'),
        cells({B}, *BOTH),
    ),
    "the readme of an app": (added("apps/alpha/README.md", "words\n"), NOTHING),
    "a test of an app": (added("apps/alpha/src/test/java/Test.java", JAVA.format(note="new")), NOTHING),
    "a shared module": (replaced("apps/domain/src/main/java/Domain.java", "8080", "1"), cells(ALPHA, *BOTH)),
    "a test of a shared module": (
        replaced("apps/domain/src/test/java/DomainTest.java", "8080", "1"),
        NOTHING,
    ),
    "a new variant": (
        new_variant,
        cells({"gamma/jvm/pg"}, *BOTH),
    ),
    "the control": (
        replaced("apps/control/pom.xml", "<project/>", "<project><name>a</name></project>"),
        cells({CONTROL}, *BOTH),
    ),
    # the catalog of versions
    "a framework": (replaced("apps/pom.xml", "1.0.0", "1.1.0"), cells(ALPHA, *BOTH)),
    "another framework": (replaced("apps/pom.xml", "2.0.0", "2.1.0"), cells({B}, *BOTH)),
    "a plugin of one framework": (replaced("apps/pom.xml", "5.0.0", "5.1.0"), cells(ALPHA, *BOTH)),
    "a plugin that makes every jar": (replaced("apps/pom.xml", "3.0.0", "3.1.0"), cells(ALL, *BOTH)),
    "a plugin that makes nothing": (replaced("apps/pom.xml", "3.5.3", "3.5.4"), NOTHING),
    "a comment in the catalog": (
        replaced("apps/pom.xml", "<!-- Frameworks -->", "<!-- All\n frameworks -->"),
        NOTHING,
    ),
    "a module less": (replaced("apps/pom.xml", "    <module>beta</module>\n", ""), NOTHING),
    "more than a version": (
        replaced("apps/pom.xml", "<artifactId>apps</artifactId>", "<artifactId>apps</artifactId><name>a</name>"),
        cells(ALL, *BOTH),
    ),
    "the pom of a variant": (replaced("apps/beta/pom.xml", "beta-bom", "beta-parent"), cells({B}, *BOTH)),
    # the contract
    "the rows of the data set": (
        replaced("apps/contract/sql/fruits.sql", "(1)", "(2)"),
        cells(ALL, "fruits"),
    ),
    "what is done before a trial": (
        replaced("apps/contract/sql/prepare/fruits-empty.sql", "fruit", "fruits"),
        cells(ALL, "fruits"),
    ),
    "the sources that a scenario asks": (replaced("apps/stub/Stub.java", "8080", "1"), cells(ALL, "hello")),
    "a comment in SQL": (replaced("apps/contract/sql/fruits.sql", "-- fruits", "-- some fruits"), NOTHING),
    "the schema of one engine": (
        replaced("apps/contract/sql/pg/schema.sql", "int", "bigint"),
        cells(ALL, "fruits"),
    ),
    "a probe": (replaced("apps/contract/golden/probes.toml", "'a'", "'b'"), cells(ALL, *BOTH)),
    "the description of the API": (replaced("apps/contract/openapi.yaml", "3.1.0", "3.1.1"), NOTHING),
    # images
    "how an image is made": (
        appended("apps/containers/jvm.Containerfile", "ENV A=B\n"),
        cells({CONTAINED}, *BOTH),
    ),
    "how an image of what nobody measures is made": (
        appended("apps/containers/native.Containerfile", "ENV A=B\n"),
        NOTHING,
    ),
    "how images are made for people": (appended("apps/containers/docker-bake.hcl", "\n"), NOTHING),
    # k6
    "a scenario": (appended("k6/scenarios/hello.ts", "export const a = 1;\n"), cells(ALL, "hello")),
    "a k6 library that all load": (replaced("k6/lib/load.ts", "= 1", "= 2"), cells(ALL, *BOTH)),
    "a k6 library behind another": (replaced("k6/lib/deep.ts", "= 1", "= 2"), cells(ALL, *BOTH)),
    "a k6 library of one scenario": (replaced("k6/lib/rows.ts", "= 1", "= 2"), cells(ALL, "fruits")),
    "a comment in a k6 library": (replaced("k6/lib/load.ts", "// loads", "  // loads much"), NOTHING),
    "how k6 is built": (appended("k6/go.mod", "go 1.26\n"), cells(ALL, *BOTH)),
    "types of the k6 scripts": (appended("k6/tsconfig.json", "\n"), NOTHING),
    # the harness and its pins
    "a pinned database": (
        replaced("harness/plumbline/machine/tools/pins.toml", "18.6", "18.7"),
        cells(ALL, "fruits"),
    ),
    "a pinned database of no subject": (
        replaced("harness/plumbline/machine/tools/pins.toml", "9.5.0", "9.6.0"),
        NOTHING,
    ),
    "a pinned k6": (
        replaced("harness/plumbline/machine/tools/pins.toml", "2.2.0", "2.3.0"),
        cells(ALL, *BOTH),
    ),
    "how a trial is run": (
        replaced("harness/plumbline/measuring/run/trial.py", "= 1", "= 2"),
        cells({A, B}, "fruits"),
    ),
    "a docstring of the harness": (
        replaced("harness/plumbline/measuring/run/trial.py", "One trial.", "A trial."),
        NOTHING,
    ),
    "a room of a part that all figures pass": (
        replaced("harness/plumbline/machine/host/kernel.py", "= 1", "= 2"),
        cells({A, B}, "fruits"),
    ),
    "another room of a part that some figures pass": (
        replaced("harness/plumbline/archive/history/series.py", "= 1", "= 2"),
        NOTHING,
    ),
    "how a report looks": (replaced("harness/plumbline/reporting/report/html.py", "= 1", "= 2"), NOTHING),
    "packages of the harness": (
        replaced("harness/requirements.lock", "8.5.1", "8.5.2"),
        cells({A, B}, "fruits"),
    ),
    "packages of the checks": (replaced("harness/requirements-dev.lock", "9.2.0", "9.2.1"), NOTHING),
    "a test of the harness": (appended("harness/tests/test_run.py", "# more\n"), NOTHING),
    # around it
    "words": (appended("docs/method.md", "more\n"), NOTHING),
    "the readme": (gone("README.md"), NOTHING),
    "a workflow": (appended(".github/workflows/pr.yml", "permissions: {}\n"), NOTHING),
    "the pages": (replaced("site/src/main.ts", "= 1", "= 2"), NOTHING),
    "the setup of hosts": (replaced("runner-setup/measures/swap.py", "'swap'", "'swaps'"), NOTHING),
    "a file that no rule knows": (added("strange/thing.bin", "x"), cells(ALL, *BOTH)),
}


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("pristine") / "tree", files())


def effect_of(root: Path, suite: str | None = None) -> Effect:
    return effect(difference(root, "main").changes, ChangeScope(read_catalog(root), suite))


def affected_cells(change_effect: Effect) -> set[tuple[str, str]]:
    return {(row.subject, row.scenario) for row in change_effect.affected}


@pytest.mark.parametrize("name", TABLE)
def test_the_smallest_set(pristine: Path, tmp_path: Path, name: str) -> None:
    edit, expected = TABLE[name]
    root = tmp_path / "tree"
    git(pristine.parent, "clone", "-q", str(pristine), str(root))
    edit(root)
    change_effect = effect_of(root)
    assert affected_cells(change_effect) == expected
    assert change_effect.files and all(changed_file.whys for changed_file in change_effect.files)
    assert all(row.reasons for row in change_effect.affected)
    git(root, "checkout", "-q", "-b", "branch")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "change")
    assert effect_of(root) == change_effect, "committed, it is the same change"


def test_the_base_is_where_the_branch_left(pristine: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    git(pristine.parent, "clone", "-q", str(pristine), str(root))
    git(root, "checkout", "-q", "-b", "branch")
    replaced("apps/beta/pom.xml", "beta-bom", "b")(root)
    git(root, "commit", "-q", "-a", "-m", "ours")
    git(root, "checkout", "-q", "main")
    replaced("apps/alpha/pom.xml", "alpha-bom", "a")(root)
    git(root, "commit", "-q", "-a", "-m", "theirs")
    git(root, "checkout", "-q", "branch")
    assert affected_cells(effect_of(root)) == cells({B}, *BOTH)


def test_several_changes_add_up_and_explain_themselves(pristine: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    git(pristine.parent, "clone", "-q", str(pristine), str(root))
    replaced("apps/beta/pom.xml", "beta-bom", "b")(root)
    replaced("k6/lib/rows.ts", "= 1", "= 2")(root)
    change_effect = effect_of(root)
    assert affected_cells(change_effect) == cells(ALL, "fruits") | cells({B}, "hello")
    (affected,) = (row for row in change_effect.affected if (row.subject, row.scenario) == (B, "fruits"))
    assert len(affected.reasons) == 2


def test_a_suite_narrows_it(pristine: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    git(pristine.parent, "clone", "-q", str(pristine), str(root))
    replaced(APP, "8080", "8081")(root)
    assert affected_cells(effect_of(root, "smoke")) == cells({A}, "fruits")


def test_what_figures_pass_through_is_there() -> None:
    package = ROOT / "harness" / "plumbline"
    assert sorted(name for name in MEASURING_ROOMS if not (package / name).is_dir()) == []


@pytest.mark.parametrize("name", ["nowhere", "--output=/etc/passwd", "", "main..main"])
def test_what_is_no_commit_is_refused(pristine: Path, name: str) -> None:
    with pytest.raises(UsageError, match="There is no commit"):
        difference(pristine, name)


def test_names_with_line_feeds_and_blanks(pristine: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    git(pristine.parent, "clone", "-q", str(pristine), str(root))
    write(root, "docs/a\nb: c.md", "one\n")
    write(root, "apps/alpha/with blank.txt", "two\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "names")
    write(root, "docs/a\nb: c.md", "three\n")
    changes = {change.path: change for change in difference(root, "HEAD").changes}
    assert changes["docs/a\nb: c.md"].before == b"one\n"
    assert changes["docs/a\nb: c.md"].after == b"three\n"
