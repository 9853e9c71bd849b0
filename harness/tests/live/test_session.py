"""One real short session, from the command line to the report."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.test_reading_commands import DAMAGES
from .checkout import Checkout, Ended, make_checkout

# The most bytes of a short trial's evidence, and of a session with its logs.
EVIDENCE_BYTES = 16_000
SESSION_BYTES = 3_000_000
# Rules of late arrivals, of a second without an answer, and of CPUs and time that other programs took.
BENT_BY_NEIGHBOURS = {"R4", "R5", "R9", "R11", "R18", "R21", "R25"}


@dataclass(frozen=True)
class Session:
    """What the only run of this module left."""

    checkout: Checkout
    ended: Ended
    folder: Path

    @property
    def invalid(self) -> set[str]:
        """The rules by which a trial is invalid."""
        trials = json.loads((self.folder / "record.json").read_text())["trials"]
        findings = [finding for trial in trials for finding in trial["findings"]]
        return {finding["rule"] for finding in findings if finding["outcome"] == "invalid"}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    # The path has a space, as paths of people have.
    checkout = make_checkout(tmp_path_factory.mktemp("a clone") / "of ours")
    ended = checkout.bench("run", "--suite", "tiny", "--json")
    finished = Session(checkout, ended, Path(ended.document["record"]).parent)
    assert ended.status == (1 if finished.invalid else 0), ended.err
    yield finished


def test_standard_output_is_one_document_that_names_record_and_report(session: Session) -> None:
    document = session.ended.document
    assert Path(document["record"]).is_file() and Path(document["report"]).is_file()
    assert Path(document["report_markdown"]).is_file()
    assert document["trials"] == 4


def test_no_trial_is_invalid_but_by_what_else_runs_on_this_machine(session: Session) -> None:
    assert session.invalid <= BENT_BY_NEIGHBOURS
    assert (session.ended.document["invalid_trials"] > 0) is bool(session.invalid)


def test_progress_and_first_numbers_are_told_meanwhile(session: Session) -> None:
    for words in ("rehearsing vertx-pg/jvm/pg", "first answered after", "requests/s", "left"):
        assert words in session.ended.err


def test_nothing_but_the_record_is_left(session: Session) -> None:
    assert sorted(path.name for path in session.checkout.results.iterdir()) in (
        [session.folder.name],
        [".running", session.folder.name],
    )
    assert list(session.checkout.results.glob(".running/*")) == []


def test_the_record_is_small(session: Session) -> None:
    evidence = list((session.folder / "evidence").iterdir())
    assert len(evidence) == 4
    assert max(path.stat().st_size for path in evidence) <= EVIDENCE_BYTES
    assert sum(path.stat().st_size for path in session.folder.rglob("*")) <= SESSION_BYTES


def test_every_figure_that_belongs_to_a_trial_is_there(session: Session) -> None:
    record = json.loads((session.folder / "record.json").read_text())
    (measured,) = (trial for trial in record["trials"] if trial["role"] == "measured")
    # Three seconds of load prove nothing of a warm program.
    warming = {"warming_throughput_per_s", "warming_app_cpu_us_per_request"}
    assert warming <= measured["figures"]["closed"].keys()
    assert "warming_latency_p50_ms" in measured["figures"]["open@100"]
    assert {row["proven"] for row in record["steadiness"]} == {False}
    assert "first_response_ms" in measured["figures"]["start"]
    assert record["provenance"]["resumed"] == 0


def test_the_friends_of_run_read_it(session: Session) -> None:
    bench, name = session.checkout.bench, session.folder.name
    assert bench("verify").status == 0
    assert bench("verify", "--json").document["verified"] is True
    judged = bench("judge", "--json")
    assert (judged.status, judged.document["session"]) == (session.ended.status, name)
    assert all(trial["verdict"] == trial["verdict_then"] for trial in judged.document["trials"])
    shown = bench("show", "3")
    assert shown.status in (0, session.ended.status) and "Throughput" in shown.out and "Verdict: " in shown.out
    assert [row["session"] for row in bench("list", "--json").document] == [name]
    reported = bench("report")
    assert reported.status == 0 and "vertx-pg" in reported.out


@pytest.mark.parametrize("what", ["record", "evidence", "evidence kept well-formed"])
def test_a_changed_digit_does_not_verify(
    session: Session, tmp_path: Path, what: str, record_property: Callable[[str, object], None]
) -> None:
    copy = tmp_path / session.folder.name
    shutil.copytree(session.folder, copy)
    if what == "record":
        path = copy / "record.json"
        text = path.read_text()
        name = '"warming_throughput_per_s":'
        at = text.index(name) + len(name)
        digit = next(place for place in range(at, at + 9) if text[place].isdigit())
        path.write_text(text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1 :])
    else:
        path = copy / "evidence" / "0003.json.gz"
        content = bytearray(path.read_bytes())
        if what == "evidence":
            content[len(content) // 2] ^= 1
        else:
            content = bytearray(gzip.compress(gzip.decompress(content).replace(b"1", b"2", 1), mtime=0))
        path.write_bytes(content)
    ended = session.checkout.bench("verify", str(copy))
    assert ended.status == 1
    sentence = next(line for line in (ended.out + ended.err).splitlines() if path.name in line)
    keep_reading(record_property, sentence)


@pytest.mark.parametrize("damage", ["a pipe", "evidence of another trial"])
def test_a_damaged_folder_is_refused_by_every_reader(
    session: Session, tmp_path: Path, damage: str, record_property: Callable[[str, object], None]
) -> None:
    harm, words = DAMAGES[damage]
    copy = shutil.copytree(session.folder, tmp_path / session.folder.name)
    harm(copy)
    for command in (("judge",), ("report",), ("show", "3", "--record"), ("verify",)):
        ended = session.checkout.bench(*command, str(copy))
        assert ended.status == 1 and "Traceback" not in ended.err, command
        sentence = next(line for line in (ended.out + ended.err).splitlines() if words in line)
    keep_reading(record_property, sentence)


def keep_reading(record_property: Callable[[str, object], None], reading: str) -> None:
    """Keep the sentence of `verify` for the table of faults."""
    record_property("rule", "verify")
    record_property("reading", reading.strip())
