"""The page of starts: which subjects take part, when an order is claimed, and what stands beside a time."""

from __future__ import annotations

import pytest

from laboratory.simulate import session
from laboratory.simulate.world import CONTROL, Host, SimulatedSubject, World
from plumbline.archive.record.gate import check
from plumbline.archive.record.read import read_record
from plumbline.model.record import Finding, Image, Record, Training, Trial
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.model.standings import StartRow, StartsFile
from plumbline.reporting.publish.starts import LEAST_STARTS, starts_file
from .data import ROOT

JVM, AOT, NATIVE = (f"vertx-pg/{packaging}/pg" for packaging in ("jvm", "aot", "native.mandrel"))
COLD, CONTAINED = f"{NATIVE}+page-cache=cold", f"{NATIVE}+run-in=container"
OTHER = "spring4-mvc-jdbc/jvm/pg"
# How much sooner than the JVM each subject starts, as a logarithm.
SOONER = {JVM: 0.0, AOT: 0.7, NATIVE: 3.0, COLD: 2.0, CONTAINED: 1.5, f"{AOT}+heap=1g": 0.7, OTHER: 0.2}


def thing(id_: str, last: int) -> SimulatedSubject:
    advantage = {"speed": 0.0, "memory": 0.0, "start": SOONER.get(id_, 0.0)}
    return SimulatedSubject(id_, "Vert.x", 0, last, advantage, [(0, "5.0.0")])


def night(monkeypatch: pytest.MonkeyPatch, *subjects: str, blocks: int = LEAST_STARTS, number: int = 0) -> Record:
    """A made-up session on a lab."""
    monkeypatch.setattr(session, "BLOCKS", blocks)
    monkeypatch.setattr(session, "_REFUSED", 0.0)
    monkeypatch.setattr(session, "_ALL_REFUSED", 0.0)
    host = Host("sim-lab", "lab", [thing(id_, 9) for id_ in subjects], ("fruits",), 1, [])
    world = World((host,), thing(CONTROL, 9), ((0, "Temurin 25+36"),))
    return Record.model_validate_json(session.night_of(world, host, number, 9, 1).record)


def page(*records: Record) -> StartsFile:
    by_session = {record.plan.session: record for record in records}
    return starts_file([digest(record) for record in records], by_session.__getitem__, simulated=True)


def rows(file: StartsFile) -> dict[str, StartRow]:
    (standing,) = file.standings
    return {row.short: row for class_table in standing.classes for row in class_table.rows}


def test_ten_starts_of_each_make_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    file = page(night(monkeypatch, JVM, AOT, NATIVE, COLD, CONTAINED))
    (class_table,) = file.standings[0].classes
    assert class_table.data_access == "sql"
    assert [row.short.partition(" ")[2] for row in class_table.rows] == [
        *("native.mandrel", "native.mandrel +page-cache=cold", "native.mandrel +run-in=container"),
        *("aot", ""),
    ]
    assert [row.rank for row in class_table.rows] == [1, 2, 3, 4, 5]
    assert class_table.said.startswith("vertx-pg native.mandrel answers first, after ")
    native, cold, contained, aot, jvm = class_table.rows
    assert (native.page_cache, cold.page_cache) == ("warm", "cold")
    assert (native.run_in, contained.run_in) == ("process", "container")
    assert native.starts == 10 and native.low_ms is not None and native.low_ms < native.mean_ms
    # e to the power of -3; nobody measured a JVM that starts cold, nor one in a container.
    assert (native.against_jvm or "").startswith("0.04") and native.word == aot.word == "ahead"
    assert (jvm.against_jvm, cold.against_jvm, contained.against_jvm) == (None, None, None)


def test_fewer_starts_claim_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    file = page(night(monkeypatch, JVM, NATIVE, blocks=LEAST_STARTS - 1))
    (class_table,) = file.standings[0].classes
    assert class_table.said == "No order is claimed: an order takes two subjects with 10 starts each."
    assert {(row.rank, row.tied, row.word, row.against_jvm) for row in class_table.rows} == {(None, False, None, None)}
    assert all(row.text for row in class_table.rows)


def test_a_start_that_was_refused_takes_the_rank_of_its_subject_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = night(monkeypatch, JVM, AOT, NATIVE)
    refused = next(trial for trial in record.trials if trial.subject == NATIVE and trial.role == "measured")
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial is refused else trial for trial in record.trials
    )
    (class_table,) = page(record.model_copy(update={"trials": trials})).standings[0].classes
    assert [(row.packaging, row.starts, row.rank) for row in class_table.rows] == [
        ("aot", 10, 1),
        ("jvm", 10, 2),
        ("native.mandrel", 9, None),
    ]
    assert [row.word for row in class_table.rows] == ["ahead", None, None]
    assert class_table.said.startswith("vertx-pg aot answers first, ")
    assert class_table.said.endswith(" Who has fewer than 10 starts has no rank.")


def test_a_subject_whose_every_start_was_refused_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding(rule="R10", outcome="invalid", reading="Its log has 3 errors.")
    record = night(monkeypatch, JVM, AOT, NATIVE)
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid", "findings": (finding,)}) if trial.subject == NATIVE else trial
        for trial in record.trials
    )
    (class_table,) = page(record.model_copy(update={"trials": trials})).standings[0].classes
    assert [row.packaging for row in class_table.rows] == ["aot", "jvm"]
    assert class_table.said.startswith("vertx-pg aot answers first, ")
    assert class_table.said.endswith(" Every start of vertx-pg native.mandrel was refused. R10: Its log has 3 errors.")


def test_who_has_one_packaging_or_other_settings_does_not_take_part(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = rows(page(night(monkeypatch, JVM, NATIVE, OTHER, f"{AOT}+heap=1g")))
    assert {row.packaging for row in shown.values()} == {"jvm", "native.mandrel"} and len(shown) == 2
    assert page(night(monkeypatch, JVM, OTHER)).standings == ()


def test_building_training_and_the_image_stand_beside_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    record = night(monkeypatch, JVM, AOT, NATIVE, CONTAINED)
    image = Image(artifact=NATIVE, engine="podman 5", sha256="0" * 64, size_bytes=123, wall_s=1.0, reused=False)
    trained = Training(subject=AOT, wall_s=12.5, size_bytes=456, sha256="0" * 64)
    record = record.model_copy(update={"images": (image,), "training": (trained,)})
    by_packaging = {(row.packaging, row.run_in): row for row in rows(page(record)).values()}
    aot, native = by_packaging["aot", "process"], by_packaging["native.mandrel", "process"]
    assert (aot.training_s, aot.cache_bytes, native.training_s) == (12.5, 456, None)
    assert (native.image_bytes, by_packaging["native.mandrel", "container"].image_bytes) == (None, 123)
    # Whoever built an artifact before the session may have had another machine, or downloaded more.
    assert (native.build_s, native.artifact_bytes) == (None, 80_000_000)
    assert native.idle_bytes and native.idle


def test_seconds_of_a_build_are_those_of_a_build_of_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    record = night(monkeypatch, JVM, NATIVE)
    builds = tuple(build.model_copy(update={"reused": build.artifact != NATIVE}) for build in record.builds)
    by_packaging = {row.packaging: row for row in rows(page(record.model_copy(update={"builds": builds}))).values()}
    assert (by_packaging["native.mandrel"].build_s, by_packaging["jvm"].build_s) == (240.0, None)


def test_the_session_with_most_of_them_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with_native = night(monkeypatch, JVM, AOT, NATIVE, number=1)
    narrowed = night(monkeypatch, JVM, AOT, number=2)
    (standing,) = page(with_native, narrowed).standings
    assert standing.session.session == with_native.plan.session


def test_a_short_session_of_more_subjects_hides_no_session_that_has_an_order(monkeypatch: pytest.MonkeyPatch) -> None:
    ordered = night(monkeypatch, JVM, AOT, number=1)
    short = night(monkeypatch, JVM, AOT, NATIVE, blocks=2, number=2)
    (standing,) = page(ordered, short).standings
    assert standing.session.session == ordered.plan.session


def test_memory_of_fewer_starts_says_of_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    record = night(monkeypatch, JVM, NATIVE)

    def unread(trial: Trial) -> Trial:
        figures = {phase: {**values} for phase, values in trial.figures.items()}
        if trial.subject == NATIVE and trial.block > 2:
            del figures["start"]["rss_idle_bytes"]
        return trial.model_copy(update={"figures": figures})

    record = record.model_copy(update={"trials": tuple(map(unread, record.trials))})
    by_packaging = {row.packaging: row for row in rows(page(record)).values()}
    assert by_packaging["native.mandrel"].starts == 10
    assert by_packaging["native.mandrel"].idle.endswith(" (read in 2 of 10)")
    assert "read in" not in by_packaging["jvm"].idle


def test_what_was_not_measured_is_named_with_its_reason() -> None:
    (crac,) = page().not_measured
    assert crac.name == "CRaC" and "JDK" in crac.why


@pytest.mark.slow
def test_the_recorded_session_is_whole_and_has_three_packagings_of_two_programs_in_three_places() -> None:
    (folder,) = [path.parent for path in (ROOT / "results" / "starts").rglob("record.json")]
    assert check(folder).word == "as recorded"
    record = read_record(folder)
    assert not record.provenance.dirty and f"--blocks {record.plan.blocks}\n" in (
        ROOT / "results" / "starts" / "README.md"
    ).read_text(encoding="utf-8")
    (class_table,) = page(record).standings[0].classes
    assert {(row.packaging, row.page_cache, row.run_in) for row in class_table.rows} == {
        (packaging, *where)
        for packaging in ("jvm", "aot", "native.mandrel")
        for where in (("warm", "process"), ("cold", "process"), ("warm", "container"))
    }
    assert len(class_table.rows) == 18
    assert all(row.rank is not None and row.starts >= LEAST_STARTS for row in class_table.rows)
