"""What `./bench check-variant` says, and of which subjects; the live tests run the command itself."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import click
import pytest
from click.testing import CliRunner

from plumbline.cli import check_variant_command, start_command, systems_command
from plumbline.cli.check_variant_command import CheckedPart, _build, _dependencies, _lines, _marks, _note, _subjects
from plumbline.measuring.build.builder import Unavailable
from plumbline.measuring.conformance.suite import subjects_on
from plumbline.measuring.conformance.systems import BEGIN, END, FILE, read_ledger
from plumbline.measuring.launch import lock
from plumbline.measuring.launch.lock import MachineLock
from plumbline.measuring.run import context
from plumbline.measuring.run.context import Context
from plumbline.model.errors import UsageError
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.poms import inputs_left_out
from tests.catalog.tree import small_tree
from tests.checkout import CATALOG, ROOT


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The ledger and the README of a small tree; the command writes to both."""
    ledger, readme = small_tree(tmp_path) / FILE, tmp_path / "README.md"
    ledger.parent.mkdir(exist_ok=True)
    readme.write_text(f"{BEGIN}\n{END}\n")
    for module in (check_variant_command, systems_command):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    return ledger, readme


def test_each_subject_once_and_below_it_what_holds_and_what_does_not() -> None:
    many = tuple(f"Sentence {number}." for number in range(15))
    lines = _lines(
        [
            CheckedPart("places to write", None, ()),
            CheckedPart("build", None, ()),
            CheckedPart("contract", "shop/jvm/pg", many),
            CheckedPart("load", "shop/jvm/pg", ()),
            CheckedPart("contract", "shop/jvm/pg+db-tls=require", ()),
        ]
    )
    assert lines[:4] == [
        "places to write     holds",
        "build               holds",
        "shop/jvm/pg",
        "  contract          falls short",
    ]
    assert lines[4] == "    Sentence 0." and lines[16] == "    … and 3 more"
    assert lines[17:] == [
        "  load              holds",
        "shop/jvm/pg+db-tls=require",
        "  contract          holds",
    ]


def test_the_expected_stands_above_the_seen() -> None:
    sentence = "fruits-list: another body from byte 7: '\"id\":2' instead of '\"id\":1'"
    assert _lines([CheckedPart("contract", "shop/jvm/pg", (sentence,))])[2:] == [
        "    fruits-list",
        "      expected  '\"id\":1'",
        "      seen      another body from byte 7: '\"id\":2'",
    ]


def test_a_framework_that_is_no_dependency_is_named() -> None:
    variant = CATALOG.variant("vertx-pg")
    assert _dependencies(variant) == CheckedPart("dependencies", None, ())
    misnamed = variant.model_copy(update={"spec": variant.spec.model_copy(update={"framework": "spring"})})
    (sentence,) = _dependencies(misnamed).shortfalls
    assert "framework = 'spring'" in sentence and "vertx-pg/pom.xml" in sentence


def test_a_pom_that_somebody_edits_falls_short(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project><a></project>")
    (sentence,) = _dependencies(CATALOG.variant("vertx-pg").model_copy(update={"folder": tmp_path})).shortfalls
    assert f"{tmp_path.name}/pom.xml is not valid XML: mismatched tag" in sentence


@pytest.mark.parametrize(
    ("name", "left_out", "inputs"),
    [
        ("vertx-pg", "../domain-vertx-web", ["../pom.xml", "../domain", "../domain-vertx"]),
        # A module of a module, sources without a module, and the catalog of versions.
        (
            "quarkus-rest-orm",
            "../domain-jpa",
            ["../pom.xml", "../domain", "../domain-quarkus-jdbc", "../domain-quarkus-orm"],
        ),
        ("spring4-mvc-jdbc", "../domain-spring-mvc/src/main/java", ["../pom.xml", "../domain"]),
        ("spring4-mvc-jdbc", "../pom.xml", ["../domain", "../domain-spring-mvc"]),
        ("standalone-jdbc", "../domain", ["../pom.xml"]),
    ],
)
def test_what_a_variant_is_built_from_and_its_inputs_lack_is_named(name: str, left_out: str, inputs: list[str]) -> None:
    variant = CATALOG.variant(name)
    build = variant.spec.build.model_copy(update={"inputs": tuple(inputs)})
    copied = variant.model_copy(update={"spec": variant.spec.model_copy(update={"build": build})})
    (sentence,) = _dependencies(copied).shortfalls
    assert f"built from {left_out}: add it to 'inputs' of variant.toml" in sentence


def test_a_service_outside_of_the_tree_names_what_its_pom_takes_from_above(tmp_path: Path) -> None:
    service = tmp_path / "services" / "shop"
    service.mkdir(parents=True)
    (tmp_path / "pom.xml").touch()
    (service / "pom.xml").write_text(
        "<project><parent><groupId>shop</groupId><relativePath>../../pom.xml</relativePath></parent></project>"
    )
    variant = CATALOG.variant("vertx-pg")
    for inputs, left_out in (((), ("../../pom.xml",)), (("../../pom.xml",), ()), (("../..",), ())):
        build = variant.spec.build.model_copy(update={"inputs": inputs})
        spec = variant.spec.model_copy(update={"build": build})
        assert inputs_left_out(variant.model_copy(update={"folder": service, "spec": spec})) == left_out


def test_every_variant_names_its_framework_and_all_that_it_is_built_from() -> None:
    for variant in CATALOG.variants.values():
        assert _dependencies(variant)[2] == ()


def test_what_was_held_is_noted_and_what_fell_short_is_taken_out(noted: tuple[Path, Path]) -> None:
    variant = CATALOG.variant("vertx-pg")
    plain, encrypted = "vertx-pg/jvm/pg", "vertx-pg/jvm/pg+db-tls=require+http-tls=on"
    ledger, readme = noted

    def line_after(*rows: CheckedPart) -> str:
        _note(variant, [CheckedPart("build", None, ()), *rows])
        return next(line for line in readme.read_text().splitlines() if line.startswith("| `vertx-pg`"))

    line_when_whole = line_after(
        CheckedPart("contract", plain, ()),
        CheckedPart("load", plain, ()),
        CheckedPart("contract", encrypted, ()),
    )
    assert set(read_ledger(ledger)) == {plain, encrypted}
    assert line_when_whole.endswith("| jvm, (aot), (native) | pg | off, require | (x) | event-loop | |")
    short = line_after(CheckedPart("contract", plain, ()), CheckedPart("load", plain, ("R7: errors",)))
    assert set(read_ledger(ledger)) == {encrypted}
    assert short.endswith("| (jvm), (aot), (native) | (pg) | (off), require | (x) | (event-loop) | |")


def test_only_a_variant_of_the_tree_that_was_held_to_everything_is_noted(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "apps" / "control", tmp_path / "shop", ignore=shutil.ignore_patterns("target"))
    for words in (
        ["vertx-pg", "--contract-only"],
        ["vertx-pg", "--case", "hello"],
        ["shop", "--app", str(tmp_path / "shop")],
    ):
        ended = CliRunner().invoke(check_variant_command.command, [*words, "--write"])
        assert isinstance(ended.exception, UsageError) and "--write notes" in ended.exception.problem


def test_nothing_of_the_contract_can_be_asked_of_a_program_without_a_server() -> None:
    ended = CliRunner().invoke(check_variant_command.command, ["standalone-jdbc", "--contract-only"])
    assert isinstance(ended.exception, UsageError) and "program without a server" in ended.exception.problem


def test_round_trips_that_were_counted_alone_are_noted_of_what_was_held(noted: tuple[Path, Path]) -> None:
    variant, plain = CATALOG.variant("vertx-pg"), "vertx-pg/jvm/pg"
    ledger, readme = noted
    counted = CheckedPart("round trips", plain, (), {"GET /fruits": 5.0})

    _note(variant, [counted], counted_alone=True)
    assert read_ledger(ledger) == {}
    _note(variant, [CheckedPart("contract", plain, ()), counted, CheckedPart("load", plain, ())])
    assert read_ledger(ledger)[plain].round_trips == {"GET /fruits": 5.0}
    _note(variant, [counted._replace(trips={"GET /fruits": 4.5})], counted_alone=True)
    entry = read_ledger(ledger)[plain]
    assert (entry.round_trips, entry.workloads) == ({"GET /fruits": 4.5}, variant.spec.workloads)
    assert "| event-loop | 4.5 |" in readme.read_text()
    assert _lines([counted])[-1].split() == ["GET", "/fruits", "5", "a", "request"]


def test_what_is_named_takes_the_place_of_what_is_held_beside() -> None:
    variant = CATALOG.variant("vertx-pg")
    plain = "vertx-pg/jvm/pg"
    assert [subject.id for subject in _subjects(variant, "pg", None, "+profile=defaults")] == [
        f"{plain}+profile=defaults",
        f"{plain}+db-tls=require+http-tls=on+profile=defaults",
    ]


def test_marked_lines_are_named_by_file_and_line() -> None:
    variant = CATALOG.variant("vertx-pg")
    assert _marks(variant) == CheckedPart("places to write", None, ())


def test_a_variant_is_held_plainly_with_all_its_tls_in_its_profiles_and_on_virtual_threads() -> None:
    catalog = CATALOG
    variant = catalog.variant("control")
    subjects_held = subjects_on(catalog.variant("vertx-pg"), "pg")
    assert subjects_held[2:] == ("vertx-pg/jvm/pg+profile=tuned", "vertx-pg/jvm/pg+profile=defaults")
    assert subjects_on(catalog.variant("standalone-vertx"), "pg")[2:] == ("standalone-vertx/jvm/pg+profile=tuned",)
    # The build of this packaging decided on threads, and on what a starter has.
    worked_out = subjects_on(catalog.variant("spring4-mvc-jpa"), "pg", "aot.framework")
    assert worked_out[2:] == ("spring4-mvc-jpa/aot.framework/pg+profile=tuned",)

    def held_with(*settings: str, engine: str = "pg", packaging: str | None = None) -> tuple[str, ...]:
        values = {name: ("parity", "tuned") if name == "profile" else ("off", "on") for name in settings}
        packagings = dict.fromkeys(("jvm", "aot", "native.mandrel"), variant.spec.packaging["jvm"])
        spec = variant.spec.model_copy(update={"settings": values, "packaging": packagings})
        return subjects_on(variant.model_copy(update={"spec": spec}), engine, packaging)

    plain = "control/jvm/pg"
    assert held_with("pool") == (plain,)
    assert held_with("db-tls", "pool") == (plain, f"{plain}+db-tls=require")
    assert held_with("http-tls", "db-tls") == (plain, f"{plain}+db-tls=require+http-tls=on")
    assert held_with("http-tls", "profile") == (plain, f"{plain}+http-tls=on", f"{plain}+profile=tuned")
    assert held_with("http-tls", "threads") == (plain, f"{plain}+http-tls=on", f"{plain}+threads=virtual")
    assert held_with("db-tls", engine="none") == ("control/jvm/none",)
    assert held_with("db-tls", "http-tls", engine="none") == (
        "control/jvm/none",
        "control/jvm/none+http-tls=on",
    )
    assert held_with("http-tls", "profile", packaging="aot") == (
        "control/aot/pg",
        "control/aot/pg+http-tls=on",
        "control/aot/pg+profile=tuned",
    )
    # The build of a native image fixed its profile.
    assert held_with("http-tls", "profile", packaging="native.mandrel") == (
        "control/native.mandrel/pg",
        "control/native.mandrel/pg+http-tls=on",
    )


def test_a_packaging_that_a_variant_lacks_is_refused() -> None:
    for name in ("vertx-pg/native.nobody", "vertx-pg/jvm/pg"):
        ended = CliRunner().invoke(check_variant_command.command, [name])
        assert isinstance(ended.exception, UsageError)
        assert "vertx-pg has no packaging" in ended.exception.problem


def test_settings_behind_the_name_are_those_of_each_of_its_subjects() -> None:
    variant = CATALOG.variant("control")
    with_all = "control/jvm/pg+cpu-share=50+db-tls=require+run-in=container"
    assert [subject.id for subject in _subjects(variant, "pg", None, "+run-in=container+cpu-share=50")] == [
        "control/jvm/pg+cpu-share=50+run-in=container",
        with_all,
    ]


@pytest.mark.parametrize("command", [check_variant_command.command, start_command.command])
def test_nothing_is_built_while_another_run_measures(
    command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    monkeypatch.setattr(context, "open_context", lambda *_: SimpleNamespace(catalog=CATALOG, job=built.append))
    monkeypatch.setattr(lock, "MachineLock", partial(MachineLock, tmp_path / "lock"))
    with MachineLock(tmp_path / "lock"):
        ended = CliRunner().invoke(command, ["vertx-pg"])
    assert isinstance(ended.exception, UsageError) and "Another run measures" in ended.exception.problem
    assert built == []


def test_what_the_host_lacks_is_no_shortfall_of_the_variant() -> None:
    def job(subject: str) -> None:
        raise Unavailable(f"{subject} is unavailable: there is no native-image.", "Install it.")

    opened = cast(Context, SimpleNamespace(job=job))
    with pytest.raises(UsageError, match=r"no native-image\. Install it\."):
        _build(opened, [(Subject.parse("vertx-pg/native-mandrel/pg"),)])
