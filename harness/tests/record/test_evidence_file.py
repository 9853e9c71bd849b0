"""Evidence on the disk is small and the same every time; a file that this program did not write is refused."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.data.growth import EVIDENCE_TRIAL_BYTES
from plumbline.archive.data.layout import TRIAL_BYTES
from plumbline.archive.record import evidence_file
from plumbline.archive.record.evidence_file import (
    evidence_bytes,
    parse_evidence,
    plain_bytes,
    read_evidence,
    write_evidence,
)
from plumbline.archive.record.files import canonical_bytes
from plumbline.archive.record.trim import trimmed
from plumbline.measuring.run.draft import window_of
from plumbline.model.errors import AnswerIsNo, CannotGoOn
from plumbline.model.evidence import Evidence, Failure, Series
from plumbline.model.host import CpuSets
from plumbline.model.plan import Phase, PlannedTrial
from plumbline.verdicts.figures.compute import figures
from plumbline.verdicts.figures.shares import foreign_within
from plumbline.verdicts.figures.steady import first_of
from plumbline.verdicts.judge.facts import SessionFacts, TrialFacts
from plumbline.verdicts.judge.referee import judge
from tests.checkout import ROOT
from tests.judge import evidence as made_up
from tests.judge.damage import Change, both, with_column
from tests.judge.planned import CONNECTIONS, LAB, plan
from tests.judge.test_growth import growing
from tests.record.sessions import evidence_of

EVIDENCE = evidence_of()[4]
# Rows that are made up are smoother than recorded rows, and so take fewer bytes.
SMOOTH_TRIAL_BYTES = 16_000


def test_written_and_read_again(tmp_path: Path) -> None:
    path = write_evidence(tmp_path, EVIDENCE)
    assert path == tmp_path / "evidence" / "0004.json.gz"
    assert read_evidence(tmp_path, planned(4)) == trimmed(EVIDENCE)
    assert [entry.name for entry in path.parent.iterdir()] == ["0004.json.gz"]


def test_the_same_bytes_every_time() -> None:
    content = evidence_bytes(EVIDENCE)
    assert content == evidence_bytes(trimmed(EVIDENCE))
    assert content[4:8] == bytes(4)  # no time in the header of gzip


def test_a_few_bytes_do_not_become_many_values() -> None:
    document = json.loads(plain_bytes(EVIDENCE))
    times = [0, *[1] * 10_000]
    thinned: dict[str, list[int]] = {f"vm.x{number}": [] for number in range(1000)}
    document["series"] = {"t_ms": times, "rows": [], "milli": [], "columns": {}, "thinned": thinned}
    with pytest.raises(AnswerIsNo, match="spread to more than 10,000,000 values"):
        parse_evidence(gzip.compress(canonical_bytes(document)), "x")


@pytest.fixture
def five_minutes(monkeypatch: pytest.MonkeyPatch) -> SessionFacts:
    """A session like the others whose trials take five minutes each."""
    times = {"warm-up": (6.2, 66.2), "closed": (68.4, 248.4), "open@500": (250.3, 310.3)}
    monkeypatch.setattr(made_up, "TIMES", times)
    monkeypatch.setattr(made_up, "LAST_ROW_S", 313)
    monkeypatch.setattr(made_up, "evidence", made_up.evidence.__wrapped__)
    return made_up.session.__wrapped__("lab", 1)


def test_a_trial_of_five_minutes_stays_small(five_minutes: SessionFacts) -> None:
    sizes = [len(evidence_bytes(facts.evidence)) for facts in five_minutes.trials.values()]
    assert max(sizes) < SMOOTH_TRIAL_BYTES
    plain = five_minutes.trials[2].evidence
    assert len(gzip.compress(canonical_bytes(plain))) > 3 * SMOOTH_TRIAL_BYTES, "and would not by itself"
    assert parse_evidence(evidence_bytes(plain), "x") == trimmed(plain)


def writing(evidence: Evidence) -> Evidence:
    """The evidence of a trial that wrote, most of all six seconds before the end of its closed phase.

    Its sessions reported the rows of a busy second late.
    """
    closed_end_s, open_start_s = evidence.windows[1].end_s, evidence.windows[2].start_s

    def inserted(t_s: float, _: float) -> float:
        busy = 1000 * min(t_s, closed_end_s) + 1000 * (t_s > closed_end_s - 6)
        return round(busy + 60 * max(t_s - open_start_s, 0.0) - 1900 * (closed_end_s <= t_s < open_start_s + 3))

    return both(growing("zipcode", 10_000_000, 9000), with_column("db.rows_inserted", inserted))(evidence)


@pytest.mark.slow
@pytest.mark.parametrize("change", [lambda evidence: evidence, writing], ids=["reads", "writes"])
def test_no_figure_and_no_finding_reads_what_is_left_out(
    five_minutes: SessionFacts, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    def derived() -> tuple[Any, ...]:
        trials = {
            number: replace(
                facts,
                evidence=trimmed(change(facts.evidence)),
                scenario=facts.scenario.model_copy(update={"grows": ("zipcode",)}),
            )
            for number, facts in five_minutes.trials.items()
        }
        judged = judge(replace(five_minutes, trials=trials))
        sets = five_minutes.plan.sets
        return {number: figures(facts.evidence, facts.scenario, sets) for number, facts in trials.items()}, judged

    thin = derived()
    monkeypatch.setattr("plumbline.archive.record.trim.SHORT_ROWS", 10**6)
    whole = derived()
    assert thin == whole
    assert len(whole[0]) == len(five_minutes.trials) and any(whole[0].values())


WARM_UPS = {
    "fixed cycles": (
        Phase(kind="warm-up", name="warm-up", duration_s=15, cycles=5, pause_s=10, connections=CONNECTIONS),
        ((6.2, 131.2),),
    ),
    "until steady": (
        Phase(
            kind="warm-up", name="warm-up", duration_s=5, cycles=17, least_cycles=4, pause_s=1, connections=CONNECTIONS
        ),
        tuple((6.2 + 7.5 * cycle, 11.2 + 7.5 * cycle) for cycle in range(17)),
    ),
}  # fmt: skip


@pytest.fixture(params=WARM_UPS)
def with_cycles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> TrialFacts:
    """A trial of 229 rows, with a warm-up of several cycles."""
    phase, loads = WARM_UPS[request.param]
    times = {"warm-up": (loads[0][0], loads[-1][1]), "closed": (133.4, 208.4), "open@500": (210.3, 225.3)}
    monkeypatch.setattr(made_up, "TIMES", times)
    monkeypatch.setattr(made_up, "LAST_ROW_S", 228)
    monkeypatch.setattr(made_up, "evidence", made_up.evidence.__wrapped__)
    facts = made_up.session.__wrapped__("lab", 1).trials[2]
    windows = (window_of(phase, loads), *facts.evidence.windows[1:])
    phases = tuple(phase if planned.name == phase.name else planned for planned in facts.scenario.phases)
    assert len(facts.evidence.series.t_s) == 229 and len(windows[0].cycles) == phase.cycles
    return replace(
        facts,
        evidence=facts.evidence.model_copy(update={"windows": windows}),
        scenario=facts.scenario.model_copy(update={"phases": phases}),
    )


def beside_a_neighbour(evidence: Evidence, sets: CpuSets, until_s: float) -> Evidence:
    """The evidence as if somebody else had used 90 % of the application's CPUs from the first load on."""
    series, start_s = evidence.series, evidence.windows[0].start_s
    used = [0.9e6 * len(sets.app) * max(0.0, min(t_s, until_s) - start_s) for t_s in series.t_s]
    busy = series.columns["set.app.busy_us"]
    both = tuple(None if value is None else value + more for value, more in zip(busy, used, strict=True))
    columns = {**series.columns, "set.app.busy_us": both}
    return evidence.model_copy(update={"series": series.model_copy(update={"columns": columns})})


def test_a_neighbour_of_the_first_ten_seconds_is_seen_in_what_is_kept(with_cycles: TrialFacts) -> None:
    def first_requests(evidence: Evidence) -> float | None:
        of_warm_up = figures(trimmed(evidence), with_cycles.scenario, LAB).get("warm-up", {})
        return of_warm_up.get("first_10_s_requests")

    evidence = with_cycles.evidence
    assert first_requests(evidence) is not None
    assert first_requests(beside_a_neighbour(evidence, LAB, until_s=16.2)) is None


def test_who_used_the_cpus_in_a_warm_up_is_kept_to_the_last_digit(with_cycles: TrialFacts) -> None:
    evidence = beside_a_neighbour(with_cycles.evidence, LAB, until_s=60.0)
    kept = parse_evidence(evidence_bytes(evidence), "x")
    assert len(evidence_bytes(evidence)) < SMOOTH_TRIAL_BYTES
    cycles = evidence.windows[0].cycles
    for role in with_cycles.scenario.roles:
        for loads in (cycles, first_of(cycles)):
            foreign = foreign_within(evidence.series, role, LAB, loads)
            assert foreign is not None and foreign == foreign_within(kept.series, role, LAB, loads)


def test_evidence_from_when_fewer_rows_were_kept_is_read_and_says_nothing_of_neighbours() -> None:
    """The file has 229 rows, thinned as up to figures 8: not at the edges of cycles and of the first ten seconds."""
    content = (Path(__file__).parent / "recorded" / "long-trial.json.gz").read_bytes()
    evidence = parse_evidence(content, "x")
    assert trimmed(evidence) == evidence and len(evidence.series.t_s) == 229
    assert foreign_within(evidence.series, "app", LAB, [(6.2, 16.2)]) is None
    assert "warm-up" not in figures(evidence, plan().scenarios[0], LAB)


def test_a_trial_of_a_minute_stays_small() -> None:
    rows = EVIDENCE.series
    minute = Series(t_s=rows.t_s[:60], columns={name: column[:60] for name, column in rows.columns.items()})
    assert len(minute.t_s) == 60
    assert len(evidence_bytes(EVIDENCE.model_copy(update={"series": minute}))) < 0.75 * SMOOTH_TRIAL_BYTES


def recorded_in_a_row(rows: int) -> Series:
    """The rows of recorded trials as those of a single long trial: each trial goes on from where the last one ended."""
    (folder,) = (ROOT / "results" / "families").glob("*/evidence")
    times: list[float] = []
    columns: dict[str, list[float | None]] = {}
    for path in sorted(folder.iterdir())[2:]:
        series = parse_evidence(path.read_bytes(), path.name).series
        times += [(times[-1] + 1 if times else 0.0) + t_s for t_s in series.t_s]
        for name, values in series.columns.items():
            column = columns.setdefault(name, [])
            before = next((value for value in reversed(column) if value is not None), 0.0)
            column += [None if value is None else before + value for value in values]
    return Series(t_s=tuple(times[:rows]), columns={name: tuple(column[:rows]) for name, column in columns.items()})


def test_a_trial_of_the_nightly_suite_may_land_with_rows_as_a_host_leaves_them() -> None:
    """The phases are those of `nightly`; the rows and the distributions of latency are recorded."""
    evidence = parse_evidence(next((ROOT / "results" / "families").glob("*/evidence/0003.json.gz")).read_bytes(), "x")
    warm_up, loads = WARM_UPS["fixed cycles"]
    closed = evidence.windows[1].model_copy(update={"start_s": 133.4, "end_s": 208.4})
    windows = [
        window_of(warm_up, loads),
        closed,
        *(
            closed.model_copy(update={"kind": "open", "start_s": start_s, "end_s": start_s + 40})
            for start_s in (210, 252)
        ),
    ]
    long = evidence.model_copy(
        update={"series": recorded_in_a_row(295), "windows": tuple(windows), "load": evidence.load[:1] * 8}
    )
    assert SMOOTH_TRIAL_BYTES < len(evidence_bytes(long)) < 0.75 * EVIDENCE_TRIAL_BYTES
    assert EVIDENCE_TRIAL_BYTES <= TRIAL_BYTES / 2, "what a lab and longer trials take besides"


def test_trimming_keeps_what_was_measured_and_is_done_once() -> None:
    series = Series(t_s=(0.12345, 1.5), columns={"cpu.app.user_us": (1.6, None), "db.idle_s": (0.12349, -0.0)})
    once = trimmed(EVIDENCE.model_copy(update={"series": series}))
    assert once.series == Series(t_s=(0.123, 1.5), columns={"cpu.app.user_us": (2.0, None), "db.idle_s": (0.123, 0.0)})
    assert trimmed(once) == once


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(AnswerIsNo, match=r"0009\.json\.gz is missing"):
        read_evidence(tmp_path, planned(9))


def test_of_another_trial(tmp_path: Path) -> None:
    write_evidence(tmp_path, EVIDENCE.model_copy(update={"subject": "another/jvm/pg"}))
    with pytest.raises(AnswerIsNo, match="is the evidence of another trial than 4"):
        read_evidence(tmp_path, planned(4))


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "evidence").mkdir()
    make(tmp_path / "evidence" / "0004.json.gz")
    with pytest.raises(AnswerIsNo, match=r"0004\.json\.gz is no plain file"):
        read_evidence(tmp_path, planned(4))


def planned(number: int) -> PlannedTrial:
    return PlannedTrial(number=number, block=1, role="measured", subject=EVIDENCE.subject, scenario=EVIDENCE.scenario)


def changed(**fields: Any) -> bytes:
    return gzip.compress(canonical_bytes({**json.loads(plain_bytes(EVIDENCE)), **fields}), mtime=0)


def with_series(**fields: Any) -> bytes:
    return changed(series={**json.loads(plain_bytes(EVIDENCE))["series"], **fields})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no intact gzip file"),
        (b"not gzip at all", "no intact gzip file"),
        (evidence_bytes(EVIDENCE)[:-9], "no intact gzip file"),
        (evidence_bytes(EVIDENCE) + b"more", "something follows its end"),
        (gzip.compress(b"[1,", mtime=0), "no JSON document"),
        (gzip.compress(b"[" * 100_000, mtime=0), "no JSON document"),
        (gzip.compress(b"[]", mtime=0), "does not have the shape of evidence"),
        (changed(rss_after_bytes=10**400), "a number that is beyond all bounds"),
        (changed(mood="good"), "mood: Extra inputs are not permitted"),
        (changed(trial="four"), "trial: Input should be a valid integer"),
        (with_series(rows=[3, 2]), "rows of the series are not in order"),
        (with_series(rows=[10**9]), "rows of the series are not in order"),
        (with_series(columns={"load.requests": [1]}), "has another number of rows"),
        (with_series(t_ms=[0.5]), "t_ms.0: Input should be a valid integer"),
        (with_series(milli=["no.such"]), "not canonical"),
        (gzip.compress(json.dumps(json.loads(plain_bytes(EVIDENCE))).encode(), mtime=0), "not canonical"),
    ],
)
def test_what_is_not_ours_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(AnswerIsNo, match=r"evidence/0004\.json\.gz") as caught:
        parse_evidence(content, "evidence/0004.json.gz")
    assert words in caught.value.problem


def test_a_text_of_many_digits_is_read() -> None:
    """No bound on numbers forbids a quoted line of a log, whatever is in the line."""
    failure = Failure(phase="warm-up", problem="It stopped.", tail=("balance=" + "7" * 200,))
    evidence = EVIDENCE.model_copy(update={"failure": failure})
    assert parse_evidence(evidence_bytes(evidence), "x").failure == failure


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_file, "MOST_BYTES", 2**20)
    with pytest.raises(AnswerIsNo, match="more than 1 MiB"):
        parse_evidence(gzip.compress(bytes(2**22)), "evidence/0004.json.gz")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "0004.json.gz").mkdir()  # a rename onto a folder fails for everybody
    with pytest.raises(CannotGoOn, match=r"0004\.json\.gz could not be written"):
        write_evidence(tmp_path, EVIDENCE)
    assert [entry.name for entry in (tmp_path / "evidence").iterdir()] == ["0004.json.gz"]
