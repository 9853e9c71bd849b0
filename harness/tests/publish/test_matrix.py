"""The matrix says what the ranking of a record says, and compares no subjects that did not run together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.publish.assets import read_assets
from plumbline.reporting.publish.catalogue import site_index
from plumbline.reporting.publish.deciding import superseded
from plumbline.reporting.publish.digest import digest
from plumbline.reporting.publish.matrix import matrices
from plumbline.reporting.publish.model.matrix import Cell, Matrix
from plumbline.reporting.publish.overview import standings
from plumbline.reporting.publish.pages import Pages, Site
from plumbline.reporting.publish.reading import read_record
from plumbline.reporting.publish.table import Nightly
from plumbline.verdicts.figures.metrics import METRICS, WARMING
from tests.truth.sessions import Nature
from tests.truth.sessions import made as drawn
from tests.truth.writers import grids, site_of
from .data import ROOT, folders, simulated
from .plain_assets import plain_assets

SCENARIO = "fruits@1"
THROUGHPUT = "throughput_per_s"


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Two complete nights of a lab with several subjects of a class, the older night first."""
    branch = simulated(tmp_path_factory.mktemp("nights") / "data", sessions=3, series=200, evidence=0)
    records = [read_record(folder)[0] for folder in folders(branch)]
    return [record for record in records if record.host.host_class == "lab"][-2:]


def made(records: Sequence[Record]) -> Matrix:
    by_session = {record.plan.session: record for record in records}
    names = {subject: (subject, None) for record in records for subject in (*record.plan.subjects, record.plan.control)}
    digests, nightly = [digest(record) for record in records], Nightly()
    for night_digest in digests:
        nightly.add(night_digest)
    all_matrices = matrices(digests, nightly, by_session.__getitem__, names, True)
    return next(matrix for matrix in all_matrices if matrix.scenario == slug_of(SCENARIO))


def said(record: Record, metric: str = THROUGHPUT) -> MetricStandings:
    scenario = next(scenario for scenario in record.plan.scenarios if scenario.id == SCENARIO)
    ranking = in_record(record, scenario, "closed", METRICS[metric])
    assert ranking is not None
    return ranking


def cell(matrix: Matrix, subject: str, metric: str = THROUGHPUT) -> Cell | None:
    place = next(
        place for place, column in enumerate(matrix.columns) if (column.phase, column.metric) == ("closed", metric)
    )
    row = next((row for row in matrix.rows if row.subject == slug_of(subject)), None)
    return None if row is None else row.cells[place]


def without(record: Record, subject: str) -> Record:
    """The same night, as if this subject had not been measured."""
    plan = record.plan.model_copy(
        update={
            "subjects": tuple(other for other in record.plan.subjects if other != subject),
            "trials": tuple(trial for trial in record.plan.trials if trial.subject != subject),
        }
    )
    return record.model_copy(
        update={"plan": plan, "trials": tuple(trial for trial in record.trials if trial.subject != subject)}
    )


def warming(record: Record, subject: str) -> Record:
    """The same night, as if this subject's throughput had not been proven steady."""

    def figures(figures_of_trial: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {
            phase: {WARMING[name] if name == THROUGHPUT else name: value for name, value in metrics.items()}
            for phase, metrics in figures_of_trial.items()
        }

    trials = tuple(
        trial.model_copy(update={"figures": figures(trial.figures)}) if trial.subject == subject else trial
        for trial in record.trials
    )
    return record.model_copy(update={"trials": trials})


def test_ranks_and_ratios_are_those_of_the_one_ranking(nights: list[Record]) -> None:
    matrix, ranking = made(nights[-1:]), said(nights[-1])
    compared_ratios = 0
    for access in ranking.classes:
        leader = next((row for row in ranking.of_class(access) if row.rank == 1), None)
        for row in ranking.of_class(access):
            its_cell = cell(matrix, row.subject)
            assert its_cell is not None and (its_cell.rank, its_cell.mean) == (row.rank, row.mean)
            pair = None if leader is None or row is leader else ranking.between(row, leader)
            if pair is not None and its_cell.ratio is not None:
                compared_ratios += 1
                assert math.isclose(its_cell.ratio, math.exp(pair.comparison.effect), rel_tol=1e-3)
                assert its_cell.ratio_low is not None and its_cell.ratio_high is not None
                assert its_cell.ratio_low <= its_cell.ratio <= its_cell.ratio_high
                assert (its_cell.word == "behind") == (pair.verdict == "slower")
                assert (its_cell.shade is None) == (pair.verdict == "inconclusive")
    assert compared_ratios


def test_what_is_decided_is_what_the_ranking_decided(nights: list[Record]) -> None:
    matrix, ranking = made(nights[-1:]), said(nights[-1])
    place = {row.subject: place for place, row in enumerate(matrix.rows)}
    column = next(column for column in matrix.columns if (column.phase, column.metric) == ("closed", THROUGHPUT))
    expected = {
        (place[slug_of(first.subject)], place[slug_of(second.subject)])
        for first in ranking.rows
        for second in ranking.rows
        if (pair := ranking.between(first, second)) is not None and pair.verdict == "faster"
    }
    assert set(column.surely) == expected


def test_a_subject_of_another_night_is_held_against_the_leader_of_its_own_blocks(
    nights: list[Record],
) -> None:
    older, newest = nights
    older_ranking = said(older)
    leader = next(row.subject for row in said(newest).rows if row.rank == 1)
    class_of_leader = next(row.data_access for row in said(newest).rows if row.subject == leader)
    rotated = next(
        row
        for row in reversed(older_ranking.of_class(class_of_leader or "unknown"))
        if row.subject != leader and row.mean
    )
    matrix = made([older, without(newest, rotated.subject)])
    its_cell = cell(matrix, rotated.subject)
    assert its_cell is not None and its_cell.source > 0 and its_cell.rank is None
    assert matrix.sources[its_cell.source].session.session == older.plan.session
    base_ranking = said(without(newest, rotated.subject))
    best = next(row for row in base_ranking.of_class(class_of_leader or "unknown") if row.rank == 1)
    pair = older_ranking.between(rotated, next(row for row in older_ranking.rows if row.subject == best.subject))
    assert pair is not None and its_cell.ratio is not None
    assert math.isclose(its_cell.ratio, math.exp(pair.comparison.effect), rel_tol=1e-3)
    assert all(
        filled_cell.rank is None or filled_cell.source == 0
        for row in matrix.rows
        for filled_cell in row.cells
        if filled_cell
    )


def test_rows_of_several_hosts_have_a_chip_for_each(nights: list[Record], tmp_path: Path) -> None:
    older, newest = nights
    elsewhere = older.model_copy(update={"host": older.host.model_copy(update={"name": "lab-2"})})
    rotated = said(newest).rows[-1].subject
    records = [elsewhere, without(newest, rotated)]
    index = site_index(
        [digest(record) for record in records], {record.plan.session: record for record in records}, {}, left_out=0
    )
    names = {
        "hosts": {host.slug: host.model_dump(mode="json") for host in index.hosts},
        "subjects": {subject.slug: subject.model_dump(mode="json") for subject in index.subjects},
        "scenarios": {scenario.slug: scenario.model_dump(mode="json") for scenario in index.scenarios},
        "matrices": {},
    }
    plain_assets(tmp_path)
    render = Pages(read_assets(ROOT / "site" / "templates", tmp_path / "dist"))
    site = Site("Plumbline", True, None, None, None, 2, 0)
    page = render.render("matrix", "matrix/lab/fruits/index.html", made(records), site, names).decode()
    assert re.findall(r'name="host" value="([^"]*)"', page) == ["lab-2", newest.host.name]
    hosts = dict(re.findall(r'<tr data-row.*? data-host="([^"]*)".*?<span title="([^"]*)"', page))
    assert hosts["lab-2"] == rotated


def test_what_ran_beside_no_leader_has_no_ratio(nights: list[Record]) -> None:
    older, newest = nights
    last_row = said(newest).rows[-1]
    other_subjects = [row.subject for row in said(older).rows if row.subject != last_row.subject]
    alone = older
    for subject in other_subjects:
        alone = without(alone, subject)
    its_cell = cell(made([alone, without(newest, last_row.subject)]), last_row.subject)
    assert its_cell is not None
    assert (its_cell.word, its_cell.ratio, its_cell.rank, its_cell.shade) == ("apart", None, None, None)


def test_figures_of_a_program_that_warms_up_are_never_in_it(nights: list[Record]) -> None:
    older, newest = nights
    subject = said(newest).rows[0].subject
    assert cell(made([warming(newest, subject)]), subject) is None
    its_cell = cell(made([older, warming(newest, subject)]), subject)
    assert its_cell is not None and its_cell.source > 0
    assert cell(made([warming(older, subject), warming(newest, subject)]), subject) is None


@pytest.mark.parametrize(
    ("noise", "words", "shades"), [(0.05, {"undecided"}, {None}), (0.0005, {"best", "equivalent"}, {0})]
)
def test_only_leaders_that_are_equivalent_have_a_colour(noise: float, words: set[str], shades: set[int | None]) -> None:
    """Of leaders that nobody can tell apart, none is the best, and none has a colour: colour means decided."""
    (grid,) = grids(drawn([Nature(1.0, 1.0, 0.0001)] * 3, noise=noise))
    place = next(place for place, column in enumerate(grid.columns) if column.metric == THROUGHPUT)
    cells = [its_cell for row in grid.rows if row.data_access and (its_cell := row.cells[place]) is not None]
    assert [(its_cell.rank, its_cell.tied) for its_cell in cells] == [(1, True)] * 3
    assert ({its_cell.word for its_cell in cells}, {its_cell.shade for its_cell in cells}) == (words, shades)
    assert [its_cell.ratio for its_cell in cells].count(1.0) == 1


def test_a_small_chart_has_the_ratios_to_the_control_of_each_night(nights: list[Record]) -> None:
    matrix = made(nights)
    place = next(at for at, column in enumerate(matrix.columns) if column.metric == THROUGHPUT)
    chart = next(spark for spark in matrix.sparks if spark.column == place)
    assert chart.high / chart.low >= 1.05**2 - 1e-9
    for line in chart.lines:
        subject = matrix.rows[line.row].subject
        for record, (_, ratio) in zip(nights, line.points, strict=True):
            ranking = said(record)
            mean = next(row.mean for row in ranking.rows if slug_of(row.subject) == subject)
            assert mean is not None and ranking.control is not None and ranking.control.mean is not None
            assert math.isclose(ratio, mean / ranking.control.mean, rel_tol=1e-3)
        assert matrix.rows[line.row].cells[place] is not None


def glance(record: Record, blocks: int = 2) -> Record:
    """The same night, as if it had been a glance: so few blocks that no order follows."""
    plan = record.plan.model_copy(
        update={"trials": tuple(trial for trial in record.plan.trials if trial.block <= blocks)}
    )
    return record.model_copy(
        update={"plan": plan, "trials": tuple(trial for trial in record.trials if trial.block <= blocks)}
    )


def test_a_workload_of_an_older_version_comes_last(nights: list[Record]) -> None:
    assert superseded(["fruits@1", "fruits@10", "fruits@9x0.1", "hello@1"]) == {"fruits@1", "fruits@9x0.1"}
    older, newer = nights[0], newer_version(nights[1])
    by_session = {record.plan.session: record for record in (older, newer)}
    digests = [digest(record) for record in by_session.values()]
    names = {
        subject: (subject, None)
        for record in by_session.values()
        for subject in (*record.plan.subjects, record.plan.control)
    }
    expected = ["fruits-2", "hello-1", "fruits-1"]
    assert [standing.scenario for standing in standings(digests, Nightly(), by_session.__getitem__)] == expected
    nightly = Nightly()
    for night_digest in digests:
        nightly.add(night_digest)
    grids = matrices(digests, nightly, by_session.__getitem__, names, True)
    assert [grid.scenario for grid in grids] == expected
    assert [scenario.slug for scenario in site_index(digests, by_session, {}, 0).scenarios] == expected


def newer_version(record: Record) -> Record:
    """The session under version 2 of `fruits`."""
    renamed = Record.model_validate_json(record.model_dump_json().replace("fruits@1", "fruits@2"))
    scenarios = tuple(
        scenario.model_copy(update={"version": 2}) if scenario.name == "fruits" else scenario
        for scenario in renamed.plan.scenarios
    )
    return renamed.model_copy(update={"plan": renamed.plan.model_copy(update={"scenarios": scenarios})})


def test_a_glance_hides_no_older_session_that_could_decide(nights: list[Record]) -> None:
    older, newest = nights
    short = glance(newest)
    assert all(row.rank is None for row in said(short).rows)
    matrix, alone = made([older, short]), made([older])
    row_of_subject = {row.subject: row for row in matrix.rows}
    assert [column.metric for column in matrix.columns] == [column.metric for column in alone.columns]
    ranked = 0
    for row in alone.rows:
        for alone_cell, matrix_cell in zip(row.cells, row_of_subject[row.subject].cells, strict=True):
            assert alone_cell is None or matrix_cell == alone_cell
            ranked += alone_cell is not None and alone_cell.rank is not None
    assert ranked


def test_a_glance_alone_shows_its_figures_without_an_order(nights: list[Record]) -> None:
    short = glance(nights[-1])
    matrix = made([short])
    cells = [filled_cell for row in matrix.rows for filled_cell in row.cells if filled_cell is not None]
    assert cells
    assert all((filled_cell.rank, filled_cell.ratio) == (None, None) for filled_cell in cells)


def test_each_column_is_of_the_newest_session_that_could_decide_it(nights: list[Record]) -> None:
    older, newest = nights
    cold = newest
    for subject in newest.plan.subjects:
        cold = warming(cold, subject)
    matrix = made([older, cold])
    session_of_metric = {column.metric: matrix.sources[column.source].session.session for column in matrix.columns}
    assert session_of_metric[THROUGHPUT] == older.plan.session
    assert session_of_metric["rss_under_load_bytes"] == newest.plan.session
    assert matrix.columns[0].source == 0


def test_a_glance_takes_no_words_from_the_phases_of_older_sessions(nights: list[Record]) -> None:
    older, newest = nights
    short = glance(newest)
    scenarios = tuple(
        scenario.model_copy(update={"phases": tuple(phase for phase in scenario.phases if phase.kind == "start")})
        for scenario in short.plan.scenarios
    )
    short = short.model_copy(update={"plan": short.plan.model_copy(update={"scenarios": scenarios})})
    records = {record.plan.session: record for record in (older, short)}
    index = site_index([digest(record) for record in records.values()], records, {}, left_out=0)
    (scenario,) = (candidate for candidate in index.scenarios if candidate.id == SCENARIO)
    planned = next(candidate for candidate in older.plan.scenarios if candidate.id == SCENARIO)
    assert {phase.name for phase in scenario.phases} == {phase.name for phase in planned.phases}
    assert all(phase.where != phase.name for phase in scenario.phases if phase.kind in ("closed", "open"))


def test_a_host_is_shown_by_sessions_of_its_newest_class_alone(nights: list[Record]) -> None:
    shared, lab = (
        night.model_copy(update={"host": night.host.model_copy(update={"host_class": host_class})})
        for night, host_class in zip(nights[:2], ("shared", "lab"), strict=True)
    )
    by_session = {record.plan.session: record for record in (shared, lab)}
    digests = [digest(record) for record in by_session.values()]
    assert {digest_of_night.host_class for digest_of_night in digests} == {"shared", "lab"}
    shown = standings(digests, Nightly(), by_session.__getitem__)
    assert shown and {standing.host_class for standing in shown} == {"lab"}
    assert {table.session.session for standing in shown for table in standing.tables} == {lab.plan.session}


def test_a_comparison_is_not_among_the_sessions_in_which_nothing_counted(nights: list[Record]) -> None:
    night, later = nights[:2]
    compared = digest(later)._replace(comparison=True, counting=())
    shown = standings([digest(night), compared], Nightly(), {night.plan.session: night}.__getitem__)
    assert shown and not [standing for standing in shown if standing.passed_over]


def test_a_subject_far_behind_has_a_ratio_above_zero() -> None:
    record = drawn([Nature(1.0, 1.0, 0.002), Nature(400.0, 1.0, 0.002)])
    page = site_of(record)["matrix/index.html"]
    assert "0.0025×" in page and "0.00×" not in page
