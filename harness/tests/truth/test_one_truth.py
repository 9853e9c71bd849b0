"""No two texts about one session, or about several, contradict each other: one word, one level, one base.

`PLUMBLINE_SESSIONS=1000 ./bench python -m pytest harness/tests/truth` checks a thousand sessions instead of a few.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from plumbline.archive.record.claim import in_short, of_class
from plumbline.archive.record.standings import MetricStandings, in_record
from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.publish.model.compare import CompareFile, Contender, Values
from plumbline.reporting.publish.session.comparing import compare_document
from plumbline.reporting.publish.starts import WORDS
from plumbline.reporting.report import terminal
from plumbline.verdicts.figures.metrics import METRICS
from plumbline.verdicts.stats.compare import LEVEL, MARGIN, MINIMUM_PAIRS, Better, compare, differences
from tests.truth.sessions import SUBJECTS, Nature, branch, made
from tests.truth.writers import class_pages, everything, grids, overview, tables

SESSIONS = int(os.environ.get("PLUMBLINE_SESSIONS", "20"))
# Hypothesis prints each example, and a record is long.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Generating overly large repr")]

natures = st.builds(
    Nature,
    speed=st.sampled_from((1.0, 1.003, 1.02, 1.1, 1.5, 4.0, 9.0)),
    start=st.sampled_from((1.0, 1.01, 1.3, 6.0)),
    drift=st.sampled_from((None, 0.002, 0.01, 0.08)),
    cold_blocks=st.integers(0, 1),
)
sessions = st.builds(
    made,
    st.lists(natures, min_size=1, max_size=len(SUBJECTS)),
    blocks=st.integers(1, 6),
    host_class=st.sampled_from(("lab", "shared", "small")),
    noise=st.sampled_from((0.0, 0.003, 0.02, 0.3, 2.0)),
    refused=st.sampled_from((0.0, 0.2, 1.0)),
    seed=st.integers(0, 2**31),
)


# Three classes: one has a leader and open orders, one is undecided, one is unknown. No writer may shorten that.
WORDY = made(
    [
        Nature(speed, 1.0, drift)
        for speed, drift in zip((1.0, 1.0, 9.0, 1.0, 1.0, 1.0), (*(0.01,) * 5, None), strict=True)
    ],
    blocks=4,
    noise=2.0,
    seed=0,
)


@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(WORDY)
@given(sessions)
def test_no_two_writers_contradict_each_other(record: Record) -> None:
    written = tables(record)
    scenario = record.plan.scenarios[0]
    stored = {(row.phase, row.metric, row.subject): row.rank for row in record.standings}
    texts = everything(record)
    for key, (sentence, ranks) in written["report"].items():
        phase, metric = key
        for writer in ("front page", "run page"):
            if key in written[writer]:
                assert written[writer][key] == (sentence, ranks), writer
        for subject, rank in ranks.items():
            if (phase, metric, subject) in stored:
                assert stored[phase, metric, subject] == rank
        standings = in_record(record, scenario, phase, METRICS[metric])
        assert standings is not None
        _words_follow_from_ranks(standings, sentence)
        _few_words_say_the_same(standings)
        if key in written["told"]:
            assert sentence in texts["markdown"]
            assert sentence in texts["html"]
        if METRICS[metric].primary and any(row.mean is not None for row in standings.rows):
            assert sentence.replace("/jvm/pg", "") in texts["comment"].replace("/jvm/pg", "")
    _class_pages_say_the_same(record, written["front page"])
    for width in (80, 120):
        assert len(terminal.render(record, {}, width, False).splitlines()) <= terminal.LINES
    for text in texts.values():
        _numbers_read_well(text)


def _class_pages_say_the_same(record: Record, front: Mapping[tuple[str, str], tuple[str, dict[str, int]]]) -> None:
    """A page of a class has the words and ranks of the front page, and no price of a program that may be warming up."""
    scenario = record.plan.scenarios[0]
    pages = class_pages(record)
    for standing in (standing for page in pages.classes for standing in page.standings):
        table = standing.table
        sentence, ranks = front[table.phase, table.metric]
        assert table.said[1:] in sentence
        by_slug = {slug_of(subject): rank for subject, rank in ranks.items()}
        assert all(bar.rank == by_slug.get(bar.subject) for bar in table.bars)
        sentences = {text for text, _ in front.values()}
        assert all(any(other.said[1:] in text for text in sentences) for other in standing.others)
    for price in (row for price_table in pages.prices for row in price_table.rows):
        ids = {slug_of(subject): subject for subject in record.plan.subjects}
        with_orm, without = ids[price.with_orm], ids[price.without]
        assert any(
            METRICS[metric].title == price.title
            and (standings := in_record(record, scenario, phase, METRICS[metric])) is not None
            and standings.unsteady.keys().isdisjoint((with_orm, without))
            and (pair := standings.across(with_orm, without)) is not None
            and WORDS[pair.verdict] == price.word
            for phase, metric in front
        )


# The first trial of a subject was not proven steady: its figures are no values of the comparison.
COLD_ONCE = made([Nature(1.0, 1.0, 0.002), Nature(1.1, 1.0, 0.002, cold_blocks=1)], noise=0.003)


@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(COLD_ONCE)
@given(sessions)
def test_the_compare_page_has_the_word_of_the_standings(record: Record) -> None:
    file = compare_document(record, {}, recent=True)
    scenario = record.plan.scenarios[0]
    for head, base in combinations(file.contenders, 2):
        for head_values in head.values:
            base_values = next((values for values in base.values if values.measure == head_values.measure), None)
            measure = file.measures[head_values.measure]
            standings = in_record(record, scenario, measure.phase, METRICS[measure.metric])
            assert standings is not None
            rows = {slug_of(row.subject): row for row in standings.everybody}
            head_row, base_row = rows[head.subject], rows[base.subject]
            with_control = head.control or base.control
            pair = (
                standings.across(head_row.subject, base_row.subject)
                if with_control
                else standings.between(head_row, base_row)
            )
            word = (
                None
                if base_values is None
                else _as_the_page(file, head, base, head_values, base_values, measure.better)
            )
            assert word == (None if pair is None else pair.verdict)


@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([made([Nature(1.0, 1.0, 0.002)] * 4), made([Nature(1.0, 1.0, None)] * 4, blocks=2)])
@given(st.lists(sessions, min_size=1, max_size=4))
def test_the_pages_of_several_sessions_do_not_contradict_each_other(records: list[Record]) -> None:
    host_class = records[0].host.host_class
    history = branch([record for record in records if record.host.host_class == host_class])
    front, (*matrices,) = overview(*history), grids(*history)
    tables_of = {record.plan.session: tables(record)["report"] for record in history}
    columns = {
        (column.phase, column.metric): (place, column) for grid in matrices for place, column in enumerate(grid.columns)
    }
    steady = set()
    for table in (table for standing in front.standings for table in standing.tables if table.metric != "build_wall_s"):
        key = (table.phase, table.metric)
        sentence, ranks = tables_of[table.session.session][key]
        assert table.said == sentence
        assert {bar.subject: bar.rank for bar in table.bars} == {
            slug_of(subject): rank for subject, rank in ranks.items()
        }
        _nobody_newer_ranks_as_many(history, table.session.session, key)
        assert table.session in {standing.session for standing in (front.standings[0], *front.standings[0].others)}
        if table.warming_up or not any(bar.rank is not None for bar in table.bars):
            continue
        steady.add(key)
        (grid,), (place, column) = matrices, columns[key]
        assert grid.sources[column.source].session == table.session
        cells = {row.subject: row.cells[place] for row in grid.rows}
        for bar in table.bars:
            cell = cells[bar.subject]
            if bar.rank is not None:
                assert cell is not None
                assert (cell.rank, cell.tied, cell.mean, cell.source) == (
                    bar.rank,
                    bar.tied,
                    bar.mean,
                    column.source,
                )
                assert cell.word != "behind" or bar.rank > 1
            elif cell is not None:
                assert cell.rank is None
    assert steady <= set(columns)


def _nobody_newer_ranks_as_many(history: Sequence[Record], session: str, key: tuple[str, str]) -> None:
    """The chosen session ranks at least two thirds as many subjects as any other, and no newer session does."""
    counts = []
    for record in history:
        standings = in_record(record, record.plan.scenarios[0], key[0], METRICS[key[1]])
        counts.append(0 if standings is None else sum(row.rank is not None for row in standings.rows))
    chosen = next(place for place, record in enumerate(history) if record.plan.session == session)
    assert counts[chosen] >= max(counts) * 2 / 3
    assert all(count < max(counts) * 2 / 3 for count in counts[chosen + 1 :] if max(counts))


def _as_the_page(
    file: CompareFile, head: Contender, base: Contender, head_values: Values, base_values: Values, better: Better
) -> str | None:
    """The rule of site/src/compare/ratios.ts; site/tests/unit checks that file against `stats`."""
    if head_values.warming_up or base_values.warming_up:
        return None
    if not (head.control or base.control) and (head.data_access != base.data_access or head.data_access == "unknown"):
        return None
    base_value_of = dict(zip(base_values.blocks, base_values.values, strict=True))
    pairs = [
        (base_value_of[block], value)
        for block, value in zip(head_values.blocks, head_values.values, strict=True)
        if block in base_value_of
    ]
    if len(pairs) < MINIMUM_PAIRS:
        return None
    level = max(head_values.level, base_values.level)
    comparison = compare(differences(pairs, better), level)
    down, up = head_values.drift[0] + base_values.drift[1], head_values.drift[1] + base_values.drift[0]
    if better == "lower":
        down, up = up, down
    if comparison.verdict in ("faster", "slower") and not (comparison.low - down > 0 or comparison.high + up < 0):
        return "inconclusive"
    moved = down > 0 or up > 0
    if comparison.verdict == "equivalent" and moved and max(down - comparison.low, comparison.high + up) >= MARGIN:
        return "inconclusive"
    assert level <= file.rule.level == LEVEL
    return comparison.verdict


def _words_follow_from_ranks(standings: MetricStandings, sentence: str) -> None:
    for access in standings.classes:
        ranks = [row.rank for row in standings.of_class(access) if row.rank is not None]
        assert all(not row.warming_up for row in standings.of_class(access) if row.rank is not None)
        assert (len(set(ranks)) > 1) <= bool(re.search(r"leads?; ", sentence))
    if not any((row.rank or 0) > 1 for row in standings.rows):
        assert not re.search(r"\bleads?;|follows", sentence)
    for row in standings.rows:
        for other_row in standings.rows:
            pair = standings.between(row, other_row)
            if pair is not None and pair.verdict == "faster":
                assert row.data_access == other_row.data_access
                assert pair.comparison.low > 0
                assert row.mean is not None
                assert other_row.mean is not None


def _few_words_say_the_same(standings: MetricStandings) -> None:
    for access in standings.classes:
        short, full = in_short(standings, access, str), of_class(standings, access, str)
        assert len(short) < 120
        assert bool(re.search(r" leads?$", short)) == bool(re.search(r" leads?; ", full))
        if re.search(r" leads?$|^Only ", short):
            assert full.startswith(short)
        elif short.startswith("Equivalent: "):
            assert "are equivalent" in full
        else:
            assert re.match(r"Undecided: |Not decided$", short)
            assert not re.search(r"leads?;|follows|are equivalent", full)


def _numbers_read_well(text: str) -> None:
    for near, far in re.findall(r"([\d.,]+) to ([\d.,]+) %\)", text):
        assert near != far
    for percent in re.findall(r"([\d.,]+) % (?:more|less)", text):
        assert float(percent.replace(",", "")) <= 300
    assert not re.search(r"no change seen|told from chance|can't be told apart", text)
    assert not re.search(r"\b(?:nan|inf)\b", text)
