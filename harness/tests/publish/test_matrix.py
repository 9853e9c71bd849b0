"""The matrix says what the one ranking says, and holds nothing against each other that did not run together."""

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
from .data import ROOT, folders, simulated
from .plain_assets import plain_assets

SCENARIO = "fruits@1"
THROUGHPUT = "throughput_per_s"


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """Two whole nights of a lab with several subjects of a class, the older one first."""
    branch = simulated(tmp_path_factory.mktemp("nights") / "data", sessions=3, series=200, evidence=0)
    its = [read_record(folder)[0] for folder in folders(branch)]
    return [one for one in its if one.host.host_class == "lab"][-2:]


def made(records: Sequence[Record]) -> Matrix:
    by_session = {one.plan.session: one for one in records}
    names = {subject: (subject, None) for one in records for subject in (*one.plan.subjects, one.plan.control)}
    digests, nightly = [digest(one) for one in records], Nightly()
    for one in digests:
        nightly.add(one)
    found = matrices(digests, nightly, by_session.__getitem__, names, True)
    return next(one for one in found if one.scenario == slug_of(SCENARIO))


def said(record: Record, metric: str = THROUGHPUT) -> MetricStandings:
    scenario = next(one for one in record.plan.scenarios if one.id == SCENARIO)
    found = in_record(record, scenario, "closed", METRICS[metric])
    assert found is not None
    return found


def cell(matrix: Matrix, subject: str, metric: str = THROUGHPUT) -> Cell | None:
    place = next(at for at, one in enumerate(matrix.columns) if (one.phase, one.metric) == ("closed", metric))
    row = next((one for one in matrix.rows if one.subject == slug_of(subject)), None)
    return None if row is None else row.cells[place]


def without(record: Record, subject: str) -> Record:
    """The same night, had it not been this subject's."""
    plan = record.plan.model_copy(
        update={
            "subjects": tuple(one for one in record.plan.subjects if one != subject),
            "trials": tuple(one for one in record.plan.trials if one.subject != subject),
        }
    )
    return record.model_copy(
        update={"plan": plan, "trials": tuple(one for one in record.trials if one.subject != subject)}
    )


def warming(record: Record, subject: str) -> Record:
    """The same night, had this subject's throughput not been proven steady."""

    def figures(its: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {
            phase: {WARMING[name] if name == THROUGHPUT else name: value for name, value in metrics.items()}
            for phase, metrics in its.items()
        }

    trials = tuple(
        one.model_copy(update={"figures": figures(one.figures)}) if one.subject == subject else one
        for one in record.trials
    )
    return record.model_copy(update={"trials": trials})


def test_ranks_and_ratios_are_those_of_the_one_ranking(nights: list[Record]) -> None:
    matrix, found = made(nights[-1:]), said(nights[-1])
    asked = 0
    for access in found.classes:
        leader = next((row for row in found.of_class(access) if row.rank == 1), None)
        for row in found.of_class(access):
            its = cell(matrix, row.subject)
            assert its is not None and (its.rank, its.mean) == (row.rank, row.mean)
            pair = None if leader is None or row is leader else found.between(row, leader)
            if pair is not None and its.ratio is not None:
                asked += 1
                assert math.isclose(its.ratio, math.exp(pair.comparison.effect), rel_tol=1e-3)
                assert its.ratio_low is not None and its.ratio_high is not None
                assert its.ratio_low <= its.ratio <= its.ratio_high
                assert (its.word == "behind") == (pair.verdict == "slower")
                assert (its.shade is None) == (pair.verdict == "inconclusive")
    assert asked


def test_what_is_decided_is_what_the_ranking_decided(nights: list[Record]) -> None:
    matrix, found = made(nights[-1:]), said(nights[-1])
    place = {row.subject: at for at, row in enumerate(matrix.rows)}
    column = next(one for one in matrix.columns if (one.phase, one.metric) == ("closed", THROUGHPUT))
    expected = {
        (place[slug_of(one.subject)], place[slug_of(other.subject)])
        for one in found.rows
        for other in found.rows
        if (pair := found.between(one, other)) is not None and pair.verdict == "faster"
    }
    assert set(column.surely) == expected


def test_a_subject_of_another_night_is_held_against_the_leader_of_its_own_blocks(
    nights: list[Record],
) -> None:
    before, newest = nights
    found = said(before)
    leader = next(row.subject for row in said(newest).rows if row.rank == 1)
    its_class = next(row.data_access for row in said(newest).rows if row.subject == leader)
    rotated = next(
        row for row in reversed(found.of_class(its_class or "unknown")) if row.subject != leader and row.mean
    )
    matrix = made([before, without(newest, rotated.subject)])
    its = cell(matrix, rotated.subject)
    assert its is not None and its.source > 0 and its.rank is None
    assert matrix.sources[its.source].session.session == before.plan.session
    base = said(without(newest, rotated.subject))
    best = next(row for row in base.of_class(its_class or "unknown") if row.rank == 1)
    pair = found.between(rotated, next(row for row in found.rows if row.subject == best.subject))
    assert pair is not None and its.ratio is not None
    assert math.isclose(its.ratio, math.exp(pair.comparison.effect), rel_tol=1e-3)
    assert all(one.rank is None or one.source == 0 for row in matrix.rows for one in row.cells if one)


def test_rows_of_several_hosts_have_a_chip_for_each(nights: list[Record], tmp_path: Path) -> None:
    before, newest = nights
    elsewhere = before.model_copy(update={"host": before.host.model_copy(update={"name": "lab-2"})})
    rotated = said(newest).rows[-1].subject
    records = [elsewhere, without(newest, rotated)]
    index = site_index([digest(one) for one in records], {one.plan.session: one for one in records}, {}, left_out=0)
    names = {
        "hosts": {one.slug: one.model_dump(mode="json") for one in index.hosts},
        "subjects": {one.slug: one.model_dump(mode="json") for one in index.subjects},
        "scenarios": {one.slug: one.model_dump(mode="json") for one in index.scenarios},
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
    before, newest = nights
    last = said(newest).rows[-1]
    others = [row.subject for row in said(before).rows if row.subject != last.subject]
    alone = before
    for subject in others:
        alone = without(alone, subject)
    its = cell(made([alone, without(newest, last.subject)]), last.subject)
    assert its is not None
    assert (its.word, its.ratio, its.rank, its.shade) == ("apart", None, None, None)


def test_figures_of_a_program_that_warms_up_are_never_in_it(nights: list[Record]) -> None:
    before, newest = nights
    subject = said(newest).rows[0].subject
    assert cell(made([warming(newest, subject)]), subject) is None
    its = cell(made([before, warming(newest, subject)]), subject)
    assert its is not None and its.source > 0
    assert cell(made([warming(before, subject), warming(newest, subject)]), subject) is None


def test_a_small_chart_has_the_ratios_to_the_control_of_each_night(nights: list[Record]) -> None:
    matrix = made(nights)
    place = next(at for at, one in enumerate(matrix.columns) if one.metric == THROUGHPUT)
    chart = next(one for one in matrix.sparks if one.column == place)
    assert chart.high / chart.low >= 1.05**2 - 1e-9
    for line in chart.lines:
        subject = matrix.rows[line.row].subject
        for record, (_, ratio) in zip(nights, line.points, strict=True):
            found = said(record)
            mean = next(row.mean for row in found.rows if slug_of(row.subject) == subject)
            assert mean is not None and found.control is not None and found.control.mean is not None
            assert math.isclose(ratio, mean / found.control.mean, rel_tol=1e-3)
        assert matrix.rows[line.row].cells[place] is not None


def glance(record: Record, blocks: int = 2) -> Record:
    """The same night, had it been a glance: so few blocks that no order follows."""
    plan = record.plan.model_copy(update={"trials": tuple(one for one in record.plan.trials if one.block <= blocks)})
    return record.model_copy(
        update={"plan": plan, "trials": tuple(one for one in record.trials if one.block <= blocks)}
    )


def test_a_workload_of_an_older_version_comes_last(nights: list[Record]) -> None:
    assert superseded(["fruits@1", "fruits@10", "fruits@9x0.1", "hello@1"]) == {"fruits@1", "fruits@9x0.1"}
    older, newer = nights[0], newer_version(nights[1])
    by_session = {one.plan.session: one for one in (older, newer)}
    digests = [digest(one) for one in by_session.values()]
    names = {
        subject: (subject, None) for one in by_session.values() for subject in (*one.plan.subjects, one.plan.control)
    }
    expected = ["fruits-2", "hello-1", "fruits-1"]
    assert [one.scenario for one in standings(digests, by_session.__getitem__)] == expected
    nightly = Nightly()
    for one in digests:
        nightly.add(one)
    grids = matrices(digests, nightly, by_session.__getitem__, names, True)
    assert [one.scenario for one in grids] == expected
    assert [one.slug for one in site_index(digests, by_session, {}, 0).scenarios] == expected


def newer_version(record: Record) -> Record:
    """The session under version 2 of `fruits`."""
    its = Record.model_validate_json(record.model_dump_json().replace("fruits@1", "fruits@2"))
    scenarios = tuple(
        one.model_copy(update={"version": 2}) if one.name == "fruits" else one for one in its.plan.scenarios
    )
    return its.model_copy(update={"plan": its.plan.model_copy(update={"scenarios": scenarios})})


def test_a_glance_hides_no_older_session_that_could_decide(nights: list[Record]) -> None:
    before, newest = nights
    short = glance(newest)
    assert all(row.rank is None for row in said(short).rows)
    matrix, alone = made([before, short]), made([before])
    now = {row.subject: row for row in matrix.rows}
    assert [one.metric for one in matrix.columns] == [one.metric for one in alone.columns]
    ranked = 0
    for row in alone.rows:
        for then, its in zip(row.cells, now[row.subject].cells, strict=True):
            assert then is None or its == then
            ranked += then is not None and then.rank is not None
    assert ranked


def test_a_glance_alone_shows_its_figures_without_an_order(nights: list[Record]) -> None:
    short = glance(nights[-1])
    matrix = made([short])
    cells = [one for row in matrix.rows for one in row.cells if one is not None]
    assert cells
    assert all((one.rank, one.ratio) == (None, None) for one in cells)


def test_each_column_is_of_the_newest_session_that_could_decide_it(nights: list[Record]) -> None:
    before, newest = nights
    cold = newest
    for subject in newest.plan.subjects:
        cold = warming(cold, subject)
    matrix = made([before, cold])
    of = {one.metric: matrix.sources[one.source].session.session for one in matrix.columns}
    assert of[THROUGHPUT] == before.plan.session
    assert of["rss_under_load_bytes"] == newest.plan.session
    assert matrix.columns[0].source == 0


def test_a_glance_takes_no_words_from_the_phases_of_older_sessions(nights: list[Record]) -> None:
    before, newest = nights
    short = glance(newest)
    scenarios = tuple(
        one.model_copy(update={"phases": tuple(its for its in one.phases if its.kind == "start")})
        for one in short.plan.scenarios
    )
    short = short.model_copy(update={"plan": short.plan.model_copy(update={"scenarios": scenarios})})
    records = {one.plan.session: one for one in (before, short)}
    index = site_index([digest(one) for one in records.values()], records, {}, left_out=0)
    (scenario,) = (one for one in index.scenarios if one.id == SCENARIO)
    planned = next(one for one in before.plan.scenarios if one.id == SCENARIO)
    assert {one.name for one in scenario.phases} == {one.name for one in planned.phases}
    assert all(one.where != one.name for one in scenario.phases if one.kind in ("closed", "open"))
