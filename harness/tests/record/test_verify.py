"""`verify` finds and names what was changed, whoever sealed the folder."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.evidence_file import evidence_bytes, read_evidence
from plumbline.archive.record.verify import verify
from plumbline.model.plan import Budget
from plumbline.model.record import Record
from plumbline.verdicts.judge.referee import RULES_VERSION
from plumbline.verdicts.stats.compare import LEVEL
from plumbline.verdicts.stats.interim import LEVELS_AT_BLOCKS, LOOKS_AT_BLOCKS
from tests.record.sessions import evidence_of, record, rewritten, sealed_again, written

pytestmark = pytest.mark.slow


def test_an_untouched_record(tmp_path: Path) -> None:
    folder = written(tmp_path)
    for name in ("report.html", "report.md"):
        (folder / name).write_text("derived")
    (folder / "logs").mkdir()
    (folder / "logs" / "app.log").write_text("a line")
    found = verify(folder)
    assert found.difference is None
    assert (found.files, found.trials) == (len(record().trials) + 1, len(record().trials))
    assert found.figures > 100 and found.findings > 100


def remove(path: str) -> Callable[[Path], None]:
    return lambda folder: (folder / path).unlink()


def put(path: str, content: bytes) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / path).write_bytes(content)

    return change


def link(path: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        outside = folder.parent / "outside"
        (folder / path).rename(outside)
        (folder / path).symlink_to(outside)

    return change


def lines(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        path = folder / "MANIFEST.sha256"
        path.write_text("".join(change(path.read_text().splitlines(keepends=True))))

    return changed


def flipped(path: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = bytearray((folder / path).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / path).write_bytes(content)

    return change


FILES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "no manifest": (remove("MANIFEST.sha256"), "MANIFEST.sha256", "is missing"),
    "no record": (remove("record.json"), "record.json", "not in the folder"),
    "no evidence": (remove("evidence/0003.json.gz"), "evidence/0003.json.gz", "not in the folder"),
    "more evidence": (put("evidence/0099.json.gz", b""), "evidence/0099.json.gz", "not in MANIFEST.sha256"),
    "another file": (put("notes.txt", b""), "notes.txt", "not in MANIFEST.sha256"),
    "changed evidence": (flipped("evidence/0003.json.gz"), "evidence/0003.json.gz", "has changed"),
    "changed record": (flipped("record.json"), "record.json", "has changed"),
    "linked evidence": (link("evidence/0003.json.gz"), "evidence/0003.json.gz", "no plain file"),
    "linked record": (link("record.json"), "record.json", "no plain file"),
    "linked folder": (link("evidence"), "evidence", "symbolic link"),
    "linked manifest": (link("MANIFEST.sha256"), "MANIFEST.sha256", "no plain file"),
    "a path that leads out": (
        lines(lambda all_: [*all_, f"{'0' * 64}  ../../etc/passwd\n"]),
        "MANIFEST.sha256",
        "not a digest and a path of a record: '" + "0" * 64 + "  ../../etc/passwd'",
    ),
    "an absolute path": (
        lines(lambda all_: [*all_, f"{'0' * 64}  /etc/passwd\n"]),
        "MANIFEST.sha256",
        "not a digest and a path",
    ),
    "twice": (lines(lambda all_: [*all_, all_[-1]]), "MANIFEST.sha256", "names a file twice"),
    "unsorted": (lines(lambda all_: all_[::-1]), "MANIFEST.sha256", "not sorted"),
    "an open end": (lines(lambda all_: [*all_[:-1], all_[-1].rstrip()]), "MANIFEST.sha256", "last newline"),
    "an empty manifest": (lines(lambda _: []), "record.json", "not in MANIFEST.sha256"),
}


@pytest.mark.parametrize("case", FILES)
def test_files(tmp_path: Path, case: str) -> None:
    change, file, words = FILES[case]
    folder = written(tmp_path)
    change(folder)
    found = verify(folder).difference
    assert found is not None
    assert found.file == file
    assert words in found.problem


Document = dict[str, Any]


def figure(document: Document) -> None:
    document["trials"][4]["figures"]["closed"]["throughput_per_s"] += 1


def new_figure(document: Document) -> None:
    document["trials"][4]["figures"]["closed"]["applause"] = 1


def reading(document: Document) -> None:
    document["trials"][4]["findings"][0]["reading"] = "All is well."


def finding(document: Document) -> None:
    findings = document["trials"][4]["findings"]
    findings.remove(next(row for row in findings if (row["rule"], row["phase"]) == ("R5", "closed")))


def verdict(document: Document) -> None:
    document["trials"][4]["verdict"] = "valid"


def role(document: Document) -> None:
    document["trials"][4]["role"] = "discarded"


def mean(document: Document) -> None:
    row = next(row for row in document["standings"] if row["metric"] == "throughput_per_s")
    row["mean"] *= 2


def bound(document: Document) -> None:
    document["steadiness"][0]["bound"] = 0.001


def last_bound(document: Document) -> None:
    document["steadiness"].pop()


def last_standing(document: Document) -> None:
    document["standings"].pop()


def data_access(document: Document) -> None:
    del next(row for row in document["standings"] if row["phase"] == "closed")["data_access"]


def session_verdict(document: Document) -> None:
    document["verdict"] = "valid"


def trial(document: Document) -> None:
    document["trials"].pop()


def order(document: Document) -> None:
    document["trials"].reverse()


def rules(document: Document) -> None:
    document["versions"]["rules"] = RULES_VERSION + 1


def sets(document: Document) -> None:
    document["plan"]["sets"]["app"] = []


DERIVED: dict[str, tuple[Callable[[Document], None], tuple[int | None, str | None, str | None], str]] = {
    "a figure": (figure, (5, "closed", "throughput_per_s"), "throughput_per_s of trial 5, phase closed"),
    "a figure more": (new_figure, (5, "closed", "applause"), "recorded as 1.0 and recomputed as null"),
    "a reading": (reading, (5, "closed", "R1 reading"), 'recorded as "All is well."'),
    "a finding less": (finding, (5, "closed", "R5"), "R5 of trial 5, phase closed is recorded as null"),
    "a verdict": (verdict, (5, None, "verdict"), 'recorded as "valid" and recomputed as "advisory"'),
    "a role": (role, (5, None, "role"), "role of trial 5"),
    "a mean": (mean, (None, "closed", None), "standings of"),
    "a bound": (bound, (None, "closed", None), "steadiness of"),
    "a bound less": (last_bound, (None, None, "number of steadiness"), "number of steadiness"),
    "a standing less": (last_standing, (None, None, "number of standings"), "number of standings"),
    "a standing without its class": (
        data_access,
        (None, "closed", None),
        "recorded as null and recomputed as",
    ),
    "the session's verdict": (session_verdict, (None, None, "verdict"), 'recorded as "valid"'),
    "a trial less": (trial, (None, None, None), "holds"),
    "another order": (order, (None, None, None), "each once and in order"),
    "other rules": (
        rules,
        (None, None, None),
        f"rules are of version {RULES_VERSION + 1}, and this program recomputes version {RULES_VERSION}",
    ),
    "other sets": (sets, (1, "closed", "app_cpu_share"), "app_cpu_share of trial 1"),
}


@pytest.mark.parametrize("case", DERIVED)
def test_derived_values_are_recomputed_though_the_seal_is_new(tmp_path: Path, case: str) -> None:
    change, where, words = DERIVED[case]
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    change(document)
    rewritten(folder, Record.model_validate(document))
    found = verify(folder).difference
    assert found is not None
    assert words in found.problem
    assert found.file == "record.json"
    assert (found.trial, found.phase) == where[:2]
    assert where[2] is None or found.metric == where[2]


def test_the_first_difference_is_named(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    verdict(document)
    figure(document)
    document["trials"][6]["figures"]["closed"]["throughput_per_s"] = 0
    rewritten(folder, Record.model_validate(document))
    found = verify(folder).difference
    assert found is not None
    assert (found.trial, found.metric) == (5, "throughput_per_s")
    assert found.recorded is not None and found.recomputed is not None
    assert float(found.recorded) == pytest.approx(float(found.recomputed) + 1)


def test_changed_evidence_shows_in_the_figures_though_the_seal_is_new(tmp_path: Path) -> None:
    folder = written(tmp_path)
    evidence = read_evidence(folder, next(trial for trial in record().trials if trial.number == 5))
    loads = tuple(
        load.model_copy(update={"completed": load.completed + 1}) if load.phase == "closed" else load
        for load in evidence.load
    )
    content = evidence_bytes(evidence.model_copy(update={"load": loads}))
    (folder / "evidence" / "0005.json.gz").write_bytes(content)
    sealed_again(folder)
    found = verify(folder).difference
    assert found is not None
    assert (found.trial, found.phase) == (5, "closed")


def test_evidence_of_another_trial(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "evidence" / "0005.json.gz").write_bytes(evidence_bytes(evidence_of()[6]))
    sealed_again(folder)
    found = verify(folder).difference
    assert found is not None
    assert (found.file, found.trial) == ("evidence/0005.json.gz", 5)
    assert "evidence of another trial" in found.problem


def test_another_way_to_write_the_same(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "record.json").write_text(json.dumps(record().model_dump(mode="json")))
    sealed_again(folder)
    found = verify(folder).difference
    assert found is not None and "record.json is not canonical" in found.problem


def test_evidence_that_is_no_json(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "evidence" / "0005.json.gz").write_bytes(gzip.compress(b"nothing"))
    sealed_again(folder)
    found = verify(folder).difference
    assert found is not None and "0005.json.gz is no JSON document" in found.problem


def test_a_newer_schema_is_refused_in_a_sentence(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    document["versions"]["schema_version"] = 9
    rewritten(folder, document)
    found = verify(folder).difference
    assert found is not None and "this program knows schemas up to 3" in found.problem


def text_for_a_figure(document: dict[str, Any]) -> None:
    figures = document["trials"][1]["figures"]["closed"]
    figures["app_busy_share"] = str(figures["app_busy_share"])


def text_for_a_count(document: dict[str, Any]) -> None:
    document["standings"][0]["trials"] = str(document["standings"][0]["trials"])


def number_for_yes_or_no(document: dict[str, Any]) -> None:
    document["provenance"]["dirty"] = 0


@pytest.mark.parametrize("change", [text_for_a_figure, text_for_a_count, number_for_yes_or_no])
def test_a_value_that_is_read_as_the_same_and_written_otherwise(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    change(document)
    rewritten(folder, document)
    found = verify(folder).difference
    assert found is not None and "in another type, or under another name" in found.problem


def test_a_record_of_today_may_lack_a_field_that_the_schema_got_later(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    assert document["agreements"] == []
    del document["agreements"]
    rewritten(folder, document)
    assert verify(folder).difference is None


def test_a_class_that_the_readings_do_not_bear_out(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    document["host"]["readings"] = document["host"]["readings"][:1]
    rewritten(folder, document)
    found = verify(folder).difference
    assert found is not None and "do not bear out that it is lab" in found.problem


def test_a_class_that_the_cpus_do_not_bear_out(tmp_path: Path) -> None:
    folder = written(tmp_path, "small")
    document = record("small").model_dump(mode="json")
    document["plan"]["host_class"] = document["host"]["host_class"] = "shared"
    rewritten(folder, assembled_again(Record.model_validate(document), evidence_of("small")))
    found = verify(folder).difference
    assert found is not None and "do not bear out that it is shared" in found.problem


@pytest.mark.parametrize(
    ("looks", "level", "refused"),
    [
        (LOOKS_AT_BLOCKS, LEVELS_AT_BLOCKS[26], False),
        ((2,), LEVEL, False),
        ((4,), 0.9, True),
        (LOOKS_AT_BLOCKS, LEVEL, True),
        (tuple(range(4, 40)), LEVELS_AT_BLOCKS[26], True),
    ],
)
def test_the_level_of_a_look_is_that_of_the_number_of_looks(
    tmp_path: Path, looks: tuple[int, ...], level: float, refused: bool
) -> None:
    folder = written(tmp_path)
    budget = Budget(budget_s=900.0, looks=looks, level=level)
    with_budget = record().model_copy(update={"plan": record().plan.model_copy(update={"budget": budget})})
    rewritten(folder, assembled_again(with_budget, evidence_of()))
    found = verify(folder).difference
    assert (found is not None and "is too high for" in found.problem) == refused
    assert refused or found is None


def test_a_plan_for_another_class_than_that_of_the_host(tmp_path: Path) -> None:
    folder = written(tmp_path)
    document = record().model_dump(mode="json")
    document["plan"]["host_class"] = "shared"
    rewritten(folder, document)
    found = verify(folder).difference
    assert found is not None and "plan and host are of two classes" in found.problem
