"""Nothing that is written of one session, or of several, contradicts anything else: one word, one level, one base.

`PLUMBLINE_SESSIONS=1000 python -m pytest tests/truth` asks a thousand sessions instead of a few.
"""

from __future__ import annotations

import math
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
# Hypothesis writes each example down, and a record is a long one.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Generating overly large repr")]

natures = st.builds(
    Nature,
    speed=st.sampled_from((1.0, 1.003, 1.02, 1.1, 1.5, 4.0, 9.0)),
    start=st.sampled_from((1.0, 1.01, 1.3, 6.0)),
    drift=st.sampled_from((None, 0.002, 0.01, 0.08)),
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


# Three classes: one leads and says what is open, one is undecided, one not known. No writer cuts that short.
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
    every = everything(record)
    for key, (said, ranks) in written["report"].items():
        phase, name = key
        for writer in ("front page", "run page"):
            if key in written[writer]:
                assert written[writer][key] == (said, ranks), writer
        for subject, rank in ranks.items():
            if (phase, name, subject) in stored:
                assert stored[phase, name, subject] == rank
        found = in_record(record, scenario, phase, METRICS[name])
        assert found is not None
        _words_follow_from_ranks(found, said)
        _few_words_say_the_same(found)
        if key in written["told"]:
            assert said in every["markdown"]
            assert said in every["html"]
        if METRICS[name].primary and any(row.mean is not None for row in found.rows):
            assert said.replace("/jvm/pg", "") in every["comment"].replace("/jvm/pg", "")
    _class_pages_say_the_same(record, written["front page"])
    for width in (80, 120):
        assert len(terminal.render(record, {}, width, False).splitlines()) <= terminal.LINES
    for text in every.values():
        _numbers_read_well(text)


def _class_pages_say_the_same(record: Record, front: Mapping[tuple[str, str], tuple[str, dict[str, int]]]) -> None:
    """A class's page has the words and ranks of the front page, and no price of a program that may be warming up."""
    scenario = record.plan.scenarios[0]
    pages = class_pages(record)
    for standing in (its for one in pages.classes for its in one.standings):
        table = standing.table
        said, ranks = front[table.phase, table.metric]
        assert table.said[1:] in said
        by_slug = {slug_of(subject): rank for subject, rank in ranks.items()}
        assert all(bar.rank == by_slug.get(bar.subject) for bar in table.bars)
        every = {said for said, _ in front.values()}
        assert all(any(other.said[1:] in one for one in every) for other in standing.others)
    for price in (row for one in pages.prices for row in one.rows):
        ids = {slug_of(subject): subject for subject in record.plan.subjects}
        with_orm, without = ids[price.with_orm], ids[price.without]
        assert any(
            METRICS[metric].title == price.title
            and (found := in_record(record, scenario, phase, METRICS[metric])) is not None
            and found.unsteady.keys().isdisjoint((with_orm, without))
            and (pair := found.across(with_orm, without)) is not None
            and WORDS[pair.verdict] == price.word
            for phase, metric in front
        )


@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sessions)
def test_the_compare_page_has_the_word_of_the_standings(record: Record) -> None:
    file = compare_document(record, {}, recent=True)
    scenario = record.plan.scenarios[0]
    for one, other in combinations([its for its in file.contenders if not its.control], 2):
        for mine in one.values:
            theirs = next((its for its in other.values if its.measure == mine.measure), None)
            measure = file.measures[mine.measure]
            found = in_record(record, scenario, measure.phase, METRICS[measure.metric])
            assert found is not None
            rows = {slug_of(row.subject): row for row in found.rows}
            pair = found.between(rows[one.subject], rows[other.subject])
            word = None if theirs is None else _as_the_page(file, one, other, mine, theirs, measure.better)
            assert word == (None if pair is None else pair.verdict)


@settings(max_examples=SESSIONS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([made([Nature(1.0, 1.0, 0.002)] * 4), made([Nature(1.0, 1.0, None)] * 4, blocks=2)])
@given(st.lists(sessions, min_size=1, max_size=4))
def test_the_pages_of_several_sessions_do_not_contradict_each_other(records: list[Record]) -> None:
    host_class = records[0].host.host_class
    its = branch([one for one in records if one.host.host_class == host_class])
    front, (*matrices,) = overview(*its), grids(*its)
    told = {one.plan.session: tables(one)["report"] for one in its}
    columns = {(one.phase, one.metric): (place, one) for grid in matrices for place, one in enumerate(grid.columns)}
    steady = set()
    for table in (one for its in front.standings for one in its.tables if one.metric != "build_wall_s"):
        key = (table.phase, table.metric)
        said, ranks = told[table.session.session][key]
        assert table.said == said
        assert {one.subject: one.rank for one in table.bars} == {
            slug_of(subject): rank for subject, rank in ranks.items()
        }
        _nobody_newer_ranks_as_many(its, table.session.session, key)
        assert table.session in {one.session for one in (front.standings[0], *front.standings[0].others)}
        if table.warming_up or not any(one.rank is not None for one in table.bars):
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


def _nobody_newer_ranks_as_many(its: Sequence[Record], session: str, key: tuple[str, str]) -> None:
    """A session that could decide is hidden only by another one that could, of most of the subjects."""
    counts = []
    for one in its:
        found = in_record(one, one.plan.scenarios[0], key[0], METRICS[key[1]])
        counts.append(0 if found is None else sum(row.rank is not None for row in found.rows))
    chosen = next(at for at, one in enumerate(its) if one.plan.session == session)
    assert counts[chosen] >= max(counts) * 2 / 3
    assert all(count < max(counts) * 2 / 3 for count in counts[chosen + 1 :] if max(counts))


def _as_the_page(
    file: CompareFile, head: Contender, base: Contender, mine: Values, theirs: Values, better: Better
) -> str | None:
    """The rule that site/src/compare/ratios.ts follows, which site/tests/unit holds to `stats`."""
    if mine.warming_up or theirs.warming_up or head.data_access != base.data_access:
        return None
    if head.data_access == "unknown":
        return None
    of = dict(zip(theirs.blocks, theirs.values, strict=True))
    pairs = [(of[block], value) for block, value in zip(mine.blocks, mine.values, strict=True) if block in of]
    if len(pairs) < MINIMUM_PAIRS:
        return None
    level = max(mine.level, theirs.level)
    its = compare(differences(pairs, better), level)
    down, up = mine.drift[0] + theirs.drift[1], mine.drift[1] + theirs.drift[0]
    if better == "lower":
        down, up = up, down
    if its.verdict in ("faster", "slower") and not (its.low - down > 0 or its.high + up < 0):
        return "inconclusive"
    moved = down > 0 or up > 0
    if its.verdict == "equivalent" and moved and max(down - its.low, its.high + up) >= MARGIN:
        return "inconclusive"
    assert level <= file.rule.level == LEVEL
    return its.verdict


def _words_follow_from_ranks(found: MetricStandings, said: str) -> None:
    for access in found.classes:
        ranks = [row.rank for row in found.of_class(access) if row.rank is not None]
        assert all(not row.warming_up for row in found.of_class(access) if row.rank is not None)
        assert (len(set(ranks)) > 1) <= bool(re.search(r"leads?; ", said))
    if not any((row.rank or 0) > 1 for row in found.rows):
        assert not re.search(r"\bleads?;|follows", said)
    for one in found.rows:
        for other in found.rows:
            pair = found.between(one, other)
            if pair is not None and pair.verdict == "faster":
                assert one.data_access == other.data_access
                assert pair.comparison.low > 0
                assert one.mean is not None
                assert other.mean is not None


def _few_words_say_the_same(found: MetricStandings) -> None:
    for access in found.classes:
        few, whole = in_short(found, access, str), of_class(found, access, str)
        assert len(few) < 120
        assert bool(re.search(r" leads?$", few)) == bool(re.search(r" leads?; ", whole))
        if re.search(r" leads?$|^Only ", few):
            assert whole.startswith(few)
        elif few.startswith("Equivalent: "):
            assert "are equivalent" in whole
        else:
            assert re.match(r"Undecided: |Not decided$", few)
            assert not re.search(r"leads?;|follows|are equivalent", whole)


def _numbers_read_well(text: str) -> None:
    for near, far in re.findall(r"([\d.,]+) to ([\d.,]+) %\)", text):
        assert near != far
    for percent in re.findall(r"([\d.,]+) % (?:more|less)", text):
        assert float(percent.replace(",", "")) <= 300
    assert not re.search(r"no change seen|told from chance|can't be told apart", text)
    assert not re.search(r"\b(?:nan|inf)\b", text)
    assert math.isfinite(len(text))
