"""Every mistake in bench.toml or variant.toml is one sentence with file, key and the nearest known name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.catalog import Catalog, read_catalog
from plumbline.subjects.catalog.variant import read_variant

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the files that the catalog reads: bench.toml, variant.toml files, names of scenarios."""
    shutil.copy(ROOT / "bench.toml", tmp_path)
    for file in ROOT.glob("apps/*/variant.toml"):
        (tmp_path / "apps" / file.parent.name).mkdir(parents=True)
        shutil.copy(file, tmp_path / "apps" / file.parent.name)
    for shared in ROOT.glob("apps/domain*"):
        (tmp_path / "apps" / shared.name).mkdir()
    (tmp_path / "apps" / "pom.xml").touch()
    (tmp_path / "k6" / "scenarios").mkdir(parents=True)
    for script in ROOT.glob("k6/scenarios/*.ts"):
        shutil.copy(script, tmp_path / "k6" / "scenarios")
    return tmp_path


def edit(tree: Path, before: str, after: str, file: str = "bench.toml") -> None:
    text = (tree / file).read_text()
    assert before in text
    (tree / file).write_text(text.replace(before, after, 1))


def refusal(tree: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read_catalog(tree)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_tree_itself_is_read(tree: Path) -> None:
    catalog = read_catalog(tree)
    assert {"control", "vertx-pg", "quarkus-rest-orm", "spring4-mvc-jpa"} <= catalog.variants.keys()
    assert catalog.suite(None)[0] == "stacks"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("blocks = 4", "blokcs = 4", ["bench.toml", "suites.stacks.blokcs", "Did you mean 'blocks'?"]),
        ("blocks = 4", "blocks = 0", ["bench.toml", "suites.stacks.blocks", "greater than or equal to 1"]),
        ('budget = "15m"', "budget = 15", ["suites.smoke.budget", "needs a unit"]),
        ('budget = "15m"', 'budget = "15x"', ["suites.smoke.budget", "needs a unit"]),
        ('heap = "512m"', 'heap = "512"', ["[defaults]", "heap", "128m or 2g"]),
        ('heap = "512m"', 'heep = "512m"', ["unknown setting 'heep'", "Did you mean 'heap'?"]),
        ('heap = "512m"', "", ["[defaults] lacks 'heap'"]),
        ("rates = [100]", 'rates = ["150%"]', ["rate", "80%"]),
        (', most = "40s"', "", ["'until', 'least' and 'most' belong together"]),
        ('least = "20s", most', 'least = "3s", most', ["a cycle ('time') must be no longer than 'least'"]),
        ('until = "steady"', 'until = "steady", cycles = 2', ["leave 'cycles' out"]),
        ('kind = "closed", time = "20s"', 'kind = "closed"', ["'time' is needed"]),
        (', rates = [100]', "", ["'rates' belongs to phases of kind 'open'"]),
        ('kind = "closed", time = "20s"', 'kind = "close", time = "20s"', ["suites.stacks.phases.1.kind", "'closed'"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-gp/jvm/pg"]', ["Unknown variant 'vertx-gp'", "Did you mean 'vertx-pg'?"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-pg/native2/pg"]', ["vertx-pg has no packaging 'native2'"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-pg/jvm/oracle"]', ["vertx-pg has no engine 'oracle'"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-pg/jvm/pg+pol=3"]', ["unknown setting 'pol'", "Did you mean 'pool'?"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-pg/jvm/pg+gc=zgc"]', ["'zgc' is not a value of gc", "g1, parallel, serial"]),
        ('"vertx-pg/jvm/pg"]', '"vertx-pg/jvm/pg+spin=5ms"]', ["'5ms' is not a value of spin", "from 0 to 99999"]),
        ('"vertx-pg/jvm/pg"]', '"control/jvm/pg+spin=5"]', ["control has no setting 'spin'"]),
        ('"vertx-pg/jvm/pg"]', '"vertx pg; rm"]', ["is not a subject id"]),
        ('scenarios = ["fruits"]', 'scenarios = ["fruit"]', ["Unknown scenario 'fruit'", "Did you mean 'fruits'?"]),
        ('default_suite = "stacks"', 'default_suite = "stack"', ["names no suite", "Did you mean 'stacks'?"]),
        ('script = "fruits.ts"', 'script = "fruit.ts"', ["missing script 'fruit.ts'"]),
        (
            'control_operation = "GET /fruits/{name}"\n',
            "",
            ["'fruits-mix' asks the control for 'GET /fruits/{name} (5% POST)'", "only reads fruits. Set 'control_op"],
        ),
        ("(5% POST)", "(51% POST)", ["stands nowhere in fruits.ts", "Did you mean 'GET /fruits/{name} (5% POST)'?"]),
        ('"PUT /orders/{orderId}"', '"PUT /orders/{id}"', ["'orders-mix' asks for 'PUT /orders/{id}'", "in orders.ts"]),
        ('control_operation = "GET /sleep"', 'control_operation = "GET /slept"', ["Did you mean 'GET /sleep'?"]),
        ("[scenarios.fruits]", "[scenarios.fruits_many]", ["no record can carry 'fruits_many'", "name of a scenario"]),
        ("[suites.smoke]", "[suites.Smoke]", ["no record can carry 'Smoke'", "name of a suite"]),
        ('"vertx-pg/jvm/pg"]', f'"vertx-pg/jvm/pg+jdk={"x" * 160}"]', ["180 characters, and a record takes 160"]),
        (
            "[defaults]",
            '[hosts.x]\ndatabase = "postgresql://u@[::1:5432"\n[defaults]',
            ["hosts.x.database", "no address of a database"],
        ),
        ("[defaults]", "[defaults", ["not valid TOML", "line"]),
        ("blocks = 4", f"blocks = {'9' * 5000}", ["not valid TOML"]),
        ("blocks = 4", f"blocks = {'[' * 5000}", ["not valid TOML"]),
    ],
)  # fmt: skip
def test_a_mistake_in_bench_toml_is_one_sentence(tree: Path, before: str, after: str, words: list[str]) -> None:
    edit(tree, before, after)
    sentence = refusal(tree)
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('  "GET /fruits": {', "  'GET /fruits': {"),
        ('  "GET /fruits": {', "  ['GET /' + 'fruits']: {"),
        ("\nexport const options", "\noperations[params.operation] ??= one;\nexport const options"),
    ],
    ids=["other quotes", "a computed name", "computed later"],
)
def test_a_script_may_write_or_compute_its_operations_otherwise(tree: Path, before: str, after: str) -> None:
    edit(tree, before, after, "k6/scenarios/fruits.ts")
    read_catalog(tree)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("[packaging.jvm]", "[packaging.jmv]", ["vertx-pg/variant.toml", "packaging.aot.like"]),
        (
            'output = "target/',
            'outptu = "target/',
            ["vertx-pg/variant.toml", "outptu", "Did you mean 'output'?"],
        ),
        ('output = "target/', 'output = "../../', ["must lie below the variant's folder"]),
        ('"../domain"', '"../domian"', ["names '../domian', which does not exist"]),
        ('workloads = ["hello"', 'workloads = ["helo"', ["unknown workload 'helo'", "Did you mean 'hello'?"]),
        ('engines = ["pg"]', 'engines = ["pgs"]', ["unknown engine 'pgs'", "Did you mean 'pg'?"]),
        ('data_access = "sql"', 'data_access = "jdbc"', ["data_access", "'orm'"]),
        ('data_access = "sql"', 'data_access = "none"', ["'data_access' and 'engines'"]),
        ('concurrency = "reactive"', 'concurrency = "fast"', ["concurrency", "'reactive'"]),
        ('engines = ["pg"]', "engines = []", ["'engines': 1 or more are needed"]),
        ('workloads = ["hello", ', "workloads = []\nreads_only = [", ["'workloads': 1 or more are needed"]),
        ("db-tls = ", "db-tsl = ", ["unknown setting 'db-tsl'", "Did you mean 'db-tls'?"]),
    ],
)
def test_a_mistake_in_variant_toml_is_one_sentence(tree: Path, before: str, after: str, words: list[str]) -> None:
    edit(tree, before, after, "apps/vertx-pg/variant.toml")
    sentence = refusal(tree)
    for word in words:
        assert word in sentence


def test_a_missing_file_says_where_it_was_expected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"variant.toml cannot be read: No such file or directory\. Expected it at"):
        read_variant(tmp_path)


def test_what_the_build_of_a_variant_decided_stands_in_each_of_its_ids(tree: Path) -> None:
    catalog = read_catalog(tree)
    cached = "quarkus-rest-orm-cached/jvm/pg+second-level-cache=on"
    assert [catalog.subject(text).id for text in ("quarkus-rest-orm-cached", cached)] == [cached, cached]
    assert catalog.subject("quarkus-rest-orm-cached+pool=5").id == cached.replace("+second", "+pool=5+second")
    assert catalog.own_settings(catalog.variant("quarkus-rest-orm").spec.settings) == {}
    with pytest.raises(UsageError, match="quarkus-rest-orm-cached takes no second-level-cache=off"):
        catalog.subject("quarkus-rest-orm-cached+second-level-cache=off")


def test_settings_that_equal_the_defaults_leave_the_id(tree: Path) -> None:
    catalog: Catalog = read_catalog(tree)
    assert catalog.subject("vertx-pg/jvm/pg+pool=20+db-tls=require").id == "vertx-pg/jvm/pg+db-tls=require"
    assert catalog.subject("vertx-pg").id == "vertx-pg/jvm/pg"


def test_only_narrows_and_names_the_nearest(tree: Path) -> None:
    catalog = read_catalog(tree)
    suite = catalog.suite("smoke")[1].model_copy(update={"subjects": ("spring4-mvc-jpa/jvm/pg", "vertx-pg/jvm/pg")})
    assert [subject.id for subject in catalog.subjects_of(suite, ["vertx*"])] == ["vertx-pg/jvm/pg"]
    assert [subject.id for subject in catalog.subjects_of(suite, ["vertx-pg"])] == ["vertx-pg/jvm/pg"]
    with pytest.raises(UsageError, match="No subject of the suite matches 'vertx-pq/jvm/pg'"):
        catalog.subjects_of(suite, ["vertx-pq/jvm/pg"])


def test_a_glob_that_matches_nothing_is_refused_beside_one_that_matches(tree: Path) -> None:
    catalog = read_catalog(tree)
    _, suite = catalog.suite("smoke")
    with pytest.raises(UsageError, match=r"matches 'vertx-pq'\. Did you mean 'vertx-pg'"):
        catalog.subjects_of(suite, ["vertx-pg", "vertx-pq"])


def test_a_variant_that_the_suite_does_not_list_is_told_how_to_come_in(tree: Path) -> None:
    catalog = read_catalog(tree)
    _, suite = catalog.suite("smoke")
    (name, *_) = sorted(set(catalog.variants) - {subject.variant for subject in catalog.all_subjects_of(suite)})
    for glob in (name, f"{name}/*"):
        with pytest.raises(UsageError, match=f"matches '{re.escape(glob)}'") as refused:
            catalog.subjects_of(suite, [glob])
        assert f'Add "{name}/' in refused.value.next_step
        assert f"`./bench compare {name} OTHER`" in refused.value.next_step


def test_a_subject_whose_variant_the_suite_lists_otherwise_is_told_how_to_come_in(tree: Path) -> None:
    catalog = read_catalog(tree)
    _, suite = catalog.suite("smoke")
    for glob, id_ in (
        ("vertx-pg+pool=40", "vertx-pg/jvm/pg+pool=40"),
        ("vertx-pg/aot", "vertx-pg/aot/pg"),
    ):
        with pytest.raises(UsageError, match="No subject of the suite matches") as refused:
            catalog.subjects_of(suite, [glob])
        assert f'Add "{id_}" to the `subjects`' in refused.value.next_step
        assert f"`./bench compare {glob} OTHER`" in refused.value.next_step
    with pytest.raises(UsageError, match=r"matches 'vertx-pg\+pool=20'\. Did you mean 'vertx-pg'"):
        catalog.subjects_of(suite, ["vertx-pg+pool=20"])


def test_a_glob_that_resembles_no_subject_names_one_and_what_lists_all(tree: Path) -> None:
    catalog = read_catalog(tree)
    _, suite = catalog.suite("smoke")
    with pytest.raises(UsageError) as refused:
        catalog.subjects_of(suite, ["nosuch", "vertx-pg"])
    names = {name for subject in catalog.all_subjects_of(suite) for name in (subject.variant, subject.id)}
    assert refused.value.problem == "No subject of the suite matches 'nosuch'."
    assert len(re.findall("'([^']+)'", refused.value.next_step)) == 1
    assert re.findall("'([^']+)'", refused.value.next_step)[0] in names
    assert "`./bench plan` lists" in refused.value.next_step


def test_a_variant_outside_the_tree_is_taken_and_must_not_clash(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "mine"
    shutil.copytree(tree / "apps" / "control", outside)
    assert "mine" in read_catalog(tree, [outside]).variants
    clash = outside.rename(outside.parent / "control")
    with pytest.raises(UsageError, match="Two variants are called 'control'"):
        read_catalog(tree, [clash])


def test_a_guest_is_measured_along_with_a_suite(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "shop"
    shutil.copytree(tree / "apps" / "control", outside)
    catalog = read_catalog(tree, [outside])
    _, suite = catalog.suite("smoke")
    assert [subject.id for subject in catalog.subjects_of(suite)][-1] == "shop/jvm/pg"
    assert [subject.id for subject in catalog.subjects_of(suite, ["shop"])] == ["shop/jvm/pg"]
    text = (outside / "variant.toml").read_text()
    (outside / "variant.toml").write_text(
        re.sub(r"^workloads = .*$", 'workloads = ["hello"]', text, flags=re.MULTILINE)
    )
    catalog = read_catalog(tree, [outside])
    with pytest.raises(UsageError, match="asks shop for the workload 'fruits', which it lacks"):
        catalog.subjects_of(suite)


def test_a_program_without_a_server_takes_batches_and_closed_load_alone(tree: Path) -> None:
    edit(tree, 'scenarios = ["companies-t1", "companies-t2", "companies-t3"]', 'scenarios = ["companies"]')
    sentence = refusal(tree)
    assert "suite 'seed-001'" in sentence and "standalone-jdbc, a program without a server, for 'companies'" in sentence
    edit(tree, 'scenarios = ["companies"]', 'scenarios = ["companies-t2"]')
    assert "seed-001" in read_catalog(tree).bench.suites
    edit(
        tree,
        '{ kind = "closed", time = "30s" },\n]\n\n# Study 002',
        '{ kind = "open", time = "30s", rates = [1] },\n]\n\n# Study 002',
    )
    assert "puts open load on standalone-jdbc" in refusal(tree)


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ("vertx-pg+threads=virtual", ["vertx-pg has no setting 'threads'"]),
        ("control+http-tls=on", ["control has no setting 'http-tls'"]),
        ("standalone-jdbc+profile=tuned", ["standalone-jdbc has no setting 'profile'"]),
        ("spring4-mvc-jpa+profile=fast", ["'fast' is not a value of profile", "defaults, parity, tuned"]),
        ("micronaut-hello+profile=defaults", ["micronaut-hello takes no profile=defaults"]),
        ("vertx-pg+profile=defaults+pool=8", ["profile=defaults of vertx-pg brings pool=4 along", "'pool'"]),
        (
            "quarkus-rest-orm/native.mandrel/pg+profile=tuned",
            ["quarkus-rest-orm/native.mandrel has no setting 'profile'"],
        ),
        ("spring4-mvc-jpa+threads=green", ["'green' is not a value of threads", "platform, virtual"]),
        ("vertx-pg/aot/pg+otel=agent", ["an agent and an AOT cache", "vertx-pg/jvm/pg+otel=agent"]),
        (
            "quarkus-hello-rest/native.mandrel/none+otel=agent",
            ["quarkus-hello-rest/native.mandrel has no setting 'otel'"],
        ),
        (
            "quarkus-hello-rest/native.mandrel/none+gc=serial",
            ["quarkus-hello-rest/native.mandrel has no setting 'gc'"],
        ),
        (
            "quarkus-hello-rest/native.mandrel/none+jdk=temurin-25",
            ["quarkus-hello-rest/native.mandrel has no setting 'jdk'"],
        ),
        (
            "spring4-mvc-jpa/aot.framework/pg+threads=virtual",
            ["spring4-mvc-jpa/aot.framework has no setting 'threads'"],
        ),
        (
            "micronaut-jdbc/aot.framework/pg+http-tls=on",
            ["micronaut-jdbc/aot.framework has no setting 'http-tls'"],
        ),
        (
            "spring3-mvc-jpa/aot.framework/pg+profile=defaults",
            ["spring3-mvc-jpa/aot.framework has no setting 'profile=defaults'"],
        ),
        (
            "spring4-mvc-jdbc/native.mandrel/pg+threads=virtual",
            ["spring4-mvc-jdbc/native.mandrel has no setting 'threads'"],
        ),
        (
            "spring4-mvc-jpa/native.graalvm/pg+threads=virtual",
            ["spring4-mvc-jpa/native.graalvm has no setting 'threads'"],
        ),
        ("spring4-mvc-jpa/aot.framework/pg+otel=agent", ["an agent and an AOT cache"]),
        ("quarkus-rest-orm+release=3.40.1", ["quarkus-rest-orm takes no release=3.40.1"]),
        ("quarkus-rest-orm+release=newest", ["'newest' is not a value of release", "auto, or a release"]),
        ("vertx-pg+release=5.0.9", ["vertx-pg has no setting 'release'"]),
        ("vertx-pg+run-in=pod", ["'pod' is not a value of run-in", "process, container"]),
        ("vertx-pg+jdk=zulu-25.0.3+run-in=container", ["has no base image", "are Temurin's"]),
    ],
)
def test_a_setting_that_a_subject_does_not_have(tree: Path, subject: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        read_catalog(tree).subject(subject)
    assert all(word in str(caught.value) for word in words), caught.value


def test_settings_that_a_subject_has(tree: Path) -> None:
    catalog = read_catalog(tree)
    with_settings = "spring4-mvc-jpa/jvm/pg+heap=auto+http-tls=on+jdk=corretto-25.0.1+threads=virtual"
    assert catalog.subject(with_settings).id == with_settings
    assert catalog.subject("spring4-mvc-jpa+threads=platform+jdk=auto+run-in=process").settings == {}
    contained = "vertx-pg/jvm/pg+jdk=temurin-25.0.3+run-in=container"
    assert catalog.subject(contained).id == contained
    assert catalog.subject("quarkus-rest-orm/aot/pg+profile=tuned").id == "quarkus-rest-orm/aot/pg+profile=tuned"
    assert catalog.subject("spring4-mvc-jpa/aot.framework/pg+profile=tuned").settings == {"profile": "tuned"}
    assert catalog.subject("quarkus-rest-orm+profile=parity").settings == {}
    brought = "vertx-pg/jvm/pg+heap=auto+pool=4+pool-warm-up=off+profile=defaults"
    assert [catalog.subject(text).id for text in ("vertx-pg+profile=defaults", brought)] == [brought, brought]


@pytest.mark.parametrize(
    ("variant", "before", "after", "words"),
    [
        ("quarkus-rest-orm", 'release = "quarkus.version"', "", ["'release' and 'build.release' must both"]),
        ("quarkus-rest-orm", 'release = ["auto", "3.34.3"]', "", ["'release' and 'build.release' must both"]),
        ("quarkus-rest-orm", '"quarkus.version"', '"a=b -Dx"', ["build.release"]),
        ("spring4-mvc-jpa", 'decides = ["threads"]', 'decides = ["thread"]', ["names 'thread'", "threads"]),
    ],
)
def test_what_a_build_decides_is_checked(tree: Path, variant: str, before: str, after: str, words: list[str]) -> None:
    path = tree / "apps" / variant / "variant.toml"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    assert all(word in refusal(tree) for word in words), refusal(tree)


@pytest.mark.parametrize(
    ("brought", "words"),
    [
        ('pool = "many"', ["'profile.defaults'", "'many' is not a value of pool"]),
        ('poll = "4"', ["'profile.defaults'", "unknown setting 'poll'"]),
    ],
)
def test_what_a_profile_brings_along_is_checked(tree: Path, brought: str, words: list[str]) -> None:
    path = tree / "apps" / "vertx-pg" / "variant.toml"
    head, _, _ = path.read_text().partition('heap = "auto"\n')
    path.write_text(f"{head}{brought}\n")
    assert all(word in refusal(tree) for word in words)


@pytest.mark.parametrize("address", ["jaeger:4318", "http://jaeger", "http://jaeger:4318/path", "http://a b:1"])
def test_a_collector_is_an_address(tree: Path, address: str) -> None:
    path = tree / "bench.toml"
    path.write_text(path.read_text() + f'\n[hosts.lab-1]\ncollector = "{address}"\n')
    assert "hosts.lab-1.collector" in refusal(tree)


def test_a_host_may_have_a_collector(tree: Path) -> None:
    path = tree / "bench.toml"
    path.write_text(path.read_text() + '\n[hosts.lab-1]\ncollector = "http://192.0.2.7:4318"\n')
    assert read_catalog(tree).host("lab-1").collector == "http://192.0.2.7:4318"
    assert read_catalog(tree).host("elsewhere").collector is None


def test_only_the_rotation_of_a_suite_is_rotated(tree: Path) -> None:
    catalog = read_catalog(tree)
    _, nightly = catalog.suite("nightly")
    rotated = catalog.rotated_in("nightly")
    assert len(rotated) == len(nightly.rotation) and "quarkus-rest-orm/jvm/pg+heap=128m" in rotated
    assert not rotated & {subject.id for subject in catalog.subjects_of(nightly)}
    assert catalog.rotated_in("smoke") == catalog.rotated_in("a suite of another checkout") == frozenset()
