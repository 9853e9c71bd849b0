"""A comparison in all formats: the sentence first, then the answers, then the pairs."""

from __future__ import annotations

import re

import pytest
from rich.console import Console

from plumbline.model.comparison import Contest, FinalLook, Reproduces
from plumbline.model.record import Record
from plumbline.reporting.report import html, markdown, terminal
from plumbline.reporting.report.comparison_view import ReproductionView
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.terminal_comparison import print_reproduction
from tests.record.comparisons import FAST, SLOW, comparison_plan, duet, itself, record_of, slower
from tests.record.sessions import evidence_of
from tests.record.sessions import record as session_record
from tests.record.test_agreement import again
from tests.report.pages import Page
from tests.report.session import HOSTILE
from tests.report.test_study import of_suite

OTHER = "vertx-pg/jvm/pg+pool=3"


def sentence(record: Record) -> str:
    assert record.comparison is not None
    return record.comparison.sentence


def test_every_format_begins_with_the_sentence() -> None:
    record, evidence = slower()
    lead = sentence(record)
    page = Page(html.page(compose(record, evidence)))
    assert [text for tag, text in page.texts if tag == "span" and text == lead]
    assert markdown.document(compose(record, evidence)).splitlines()[0] == f"# {lead}"
    assert terminal.render(record, evidence, 400, colour=False).strip().splitlines()[0] == lead


def test_the_page_has_answers_margin_and_every_pair() -> None:
    record, evidence = slower()
    document = html.page(compose(record, evidence))
    for words in (
        "Holm over all leading questions",
        "The proof: 6 pairs",
        "shaded: closer than 2 %",
        "base first",
    ):
        assert words in document
    assert "Ranking" not in document
    assert document.count('class="whisker') >= 3


def test_a_duet_says_where_everything_ran() -> None:
    record, evidence = duet()
    for report in (
        html.page(compose(record, evidence)),
        markdown.document(compose(record, evidence)),
        terminal.render(record, evidence, 400, colour=False),
    ):
        assert "CPU 0 for application, database server and k6 together" in report
        assert "swapped" in report


@pytest.mark.slow
def test_a_host_compared_with_itself_says_so() -> None:
    record, evidence = itself()
    assert "this host with itself" in html.page(compose(record, evidence))
    assert "main (111111111111)" in html.page(compose(record, evidence))


@pytest.mark.slow
def test_a_session_that_was_run_again_leads_with_its_ratios() -> None:
    record = again(session_record("lab", 5), session_record("lab", 5))
    evidence = evidence_of("lab", 5)
    count = len(record.agreements)
    for report in (
        html.page(compose(record, evidence)),
        terminal.render(record, evidence, 300, colour=False),
    ):
        assert f"Of {count} ratios of" in report and "agree" in report
    assert "Run again" in markdown.document(compose(record, evidence))


@pytest.mark.slow
def test_the_page_and_markdown_have_the_same_sections() -> None:
    """The page alone lists all trials."""
    run_again = again(session_record("lab", 5), session_record("lab", 5)), evidence_of("lab", 5)
    for record, evidence in (slower(), run_again, of_suite("seed-002")):
        view = compose(record, evidence)
        in_page = [text for tag, text in Page(html.page(view)).texts if tag == "h2"]
        in_markdown = re.findall("^## (.+)", markdown.document(view).replace("\\", ""), re.MULTILINE)
        of_page, of_markdown = ([text.partition(":")[0].strip() for text in texts] for texts in (in_page, in_markdown))
        assert [section for section in of_page if section != "All trials"] == of_markdown


@pytest.mark.slow
def test_a_ratio_that_a_drift_could_turn_round_says_so() -> None:
    record = again(session_record("lab", 5), session_record("lab", 5))
    undone = tuple(
        agreement.model_copy(update={"word": "can't tell", "undone_by_drift": True}) for agreement in record.agreements
    )
    shown = markdown.document(compose(record.model_copy(update={"agreements": undone}), evidence_of("lab", 5)))
    assert "can't tell (a drift could turn it round)" in shown
    assert "a drift could turn it round" not in markdown.document(compose(record, evidence_of("lab", 5)))


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
def test_many_contests_fit_one_screen_and_what_moved_comes_first(width: int) -> None:
    record, evidence = slower()
    question, comparison = record.plan.comparison, record.comparison
    assert question is not None and comparison is not None
    # Eleven equal contests, and then the contest that moved.
    alike = [f"vertx-pg/jvm/pg+pool={number}" for number in range(3, 14)]
    answers = [
        answer.model_copy(update={"base_subject": id_, "head_subject": id_, "verdict": "equivalent"})
        for id_ in alike
        for answer in comparison.answers
    ]
    contests = tuple(Contest(base=id_, head=id_) for id_ in alike)
    many = record.model_copy(
        update={
            "plan": record.plan.model_copy(
                update={"comparison": question.model_copy(update={"contests": (*contests, *question.contests)})}
            ),
            "comparison": comparison.model_copy(update={"answers": (*answers, *comparison.answers)}),
        }
    )
    shown = terminal.render(many, evidence, width, colour=False)
    assert len(shown.splitlines()) <= terminal.LINES
    assert f"{FAST} against {SLOW}" in shown and alike[-1] not in shown
    assert re.search(r"\d+ more contests: see the report\.", shown) and "./bench verify" in shown


@pytest.mark.slow
def test_many_ratios_fit_one_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counting(console: Console, view: ReproductionView) -> None:
        tried.append(len(view.rows))
        print_reproduction(console, view)

    monkeypatch.setattr(terminal, "print_reproduction", counting)
    record = again(session_record("lab", 5), session_record("lab", 5))
    evidence = evidence_of("lab", 5)
    many = record.model_copy(update={"agreements": record.agreements * 9})
    shown = terminal.render(many, evidence, 100, colour=False)
    assert len(shown.splitlines()) <= terminal.LINES
    assert re.search(r"\d+ more ratios: see the report\.", shown)
    # A table with more ratios than the screen has lines takes seconds to write, and can't fit.
    assert tried and max(tried) <= terminal.LINES < len(many.agreements)


def test_the_look_that_the_end_of_the_budget_brought_is_named() -> None:
    plan = comparison_plan(FAST, SLOW, pairs=5)
    assert plan.comparison is not None
    final = FinalLook(base_subject=FAST, head_subject=SLOW, scenario=plan.scenarios[0].id, pairs=5)
    question = plan.comparison.model_copy(update={"final_looks": (final,)})
    record, evidence = record_of(plan.model_copy(update={"comparison": question}))
    report = markdown.document(compose(record, evidence))
    assert "after 6, 10, 12, 16, 20, 26 pairs, and at the end after 5, each time at a level of" in report


def test_the_answers_to_a_bound_name_their_load_and_of_several_contests_theirs() -> None:
    record, evidence = record_of(comparison_plan(FAST, SLOW, not_slower_than=0.03))
    comparison = record.comparison
    assert comparison is not None
    other = [
        answer.model_copy(update={"base_subject": OTHER, "head_subject": OTHER, "not_slower": "yes"})
        for answer in comparison.answers
    ]
    both = record.model_copy(
        update={"comparison": comparison.model_copy(update={"answers": (*comparison.answers, *other)})}
    )
    shown = [compose(asked, evidence).comparison for asked in (record, both)]
    single_contest, several = (dict(view.facts)["Not slower than 3.0 %?"] for view in shown if view is not None)
    assert single_contest.startswith("no: Throughput at full load (100 connections); yes: ")
    assert SLOW not in single_contest
    refused, held = several.split("; yes: ")
    assert refused == f"no: Throughput at full load (100 connections) (fruits@1, {FAST} against {SLOW})"
    assert f"Throughput at full load (100 connections) (fruits@1, {OTHER})" in held


@pytest.mark.parametrize("form", ["html", "markdown", "terminal"])
def test_a_hostile_name_stays_text(form: str) -> None:
    plan = comparison_plan(FAST, SLOW, refs=True)
    assert plan.comparison is not None
    base = plan.comparison.base.model_copy(update={"given": HOSTILE})
    head = plan.comparison.head.model_copy(update={"given": HOSTILE})
    question = plan.comparison.model_copy(update={"base": base, "head": head, "notes": (HOSTILE,)})
    record, evidence = record_of(plan.model_copy(update={"comparison": question}))
    if form == "html":
        report = html.page(compose(record, evidence))
        assert "<script" not in report and "<img" not in report
    elif form == "markdown":
        report = markdown.document(compose(record, evidence))
        assert "<script" not in report
        assert report.count("](javascript") == report.count("\\](javascript") > 0
    else:
        report = terminal.render(record, evidence, 200, colour=False)
    assert "\x1b" not in report and "\u202e" not in report


def test_a_comparison_that_was_run_again_and_stays_open_ended_with_its_pairs() -> None:
    plan = comparison_plan(FAST, SLOW, pairs=5)
    reproduces = Reproduces(session="s", record_sha256="1" * 64, commit=None, host="there", ratios=())
    ended = {
        repeated: dict(compose(*record_of(plan.model_copy(update={"reproduces": repeated}))).comparison.facts)["Ended"]  # type: ignore[union-attr]
        for repeated in (None, reproduces)
    }
    assert ended[None].startswith("the budget was spent before")
    assert ended[reproduces].startswith("all planned pairs were measured, and not every leading question is decided")
