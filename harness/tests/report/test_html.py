"""The page: whole without network or script, honest in what it shows first, safe against every string of a record."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from plumbline.model.record import Finding
from plumbline.reporting.report import html
from plumbline.reporting.report.compose import compose
from tests.report.pages import Page
from tests.report.session import scenario, session

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "a", "header", "p", "b", "h1", "h2", "h3", "h4", "small"),
    *("span", "section", "ul", "li", "strong", "nav", "main", "br", "div", "figure", "figcaption", "details"),
    *("summary", "table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "pre", "footer"),
    *("svg", "desc", "text", "line", "rect", "path", "circle"),
}  # fmt: skip


@pytest.mark.parametrize("hostile", [False, True])
def test_a_page_asks_nothing_of_anybody_and_runs_nothing(hostile: bool) -> None:
    page = Page(html.page(compose(*session(hostile=hostile))))
    assert {tag for tag, _ in page.elements} <= ALLOWED
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "action")], tag
        assert attributes.get("href", "#").startswith("#")
    assert "url(" not in "".join(text for tag, text in page.texts if tag == "style")
    assert page.open == []


def test_prose_has_its_code_and_emphasis_and_nothing_else() -> None:
    assert html.prose("`a<b` is **one `c`**, *two*, 5 * 3 * 2, <i>") == (
        "<code>a&lt;b</code> is <strong>one <code>c</code></strong>, <em>two</em>, 5 * 3 * 2, &lt;i&gt;"
    )
    assert html.prose("count(*) and max(*)") == "count(*) and max(*)"


@pytest.mark.parametrize(("proven", "told"), [(1, "(1 trial was, of "), (2, "(2 trials were, of ")])
def test_trials_that_rule_29_proved_steady_are_counted(proven: int, told: str) -> None:
    record, evidence = session()
    rows = [trial.number for trial in record.trials if trial.role == "measured"]
    passed = Finding(rule="R29", phase="closed", outcome="pass", reading="Steady.")
    trials = tuple(
        trial.model_copy(
            update={
                "findings": (
                    *(finding for finding in trial.findings if finding.rule != "R29"),
                    *((passed,) if trial.number in rows[:proven] else ()),
                )
            }
        )
        for trial in record.trials
    )
    older = record.model_copy(update={"trials": trials, "steadiness": ()})
    assert told in Page(html.page(compose(older, evidence))).text


def test_a_command_in_a_reading_is_shown_as_code() -> None:
    record, evidence = session()
    finding = Finding(rule="R6", outcome="unknown", reading="Nobody asked for it (`./bench run --prove`).")
    trials = tuple(
        trial.model_copy(update={"findings": (*trial.findings, finding)}) if trial.role == "measured" else trial
        for trial in record.trials
    )
    document = html.page(compose(record.model_copy(update={"trials": trials}), evidence))
    assert "Nobody asked for it (<code>./bench run --prove</code>)." in document
    assert "(`./bench" not in document


def test_hostile_strings_are_read_as_they_are_and_change_no_structure() -> None:
    tame, hostile = (Page(html.page(compose(*session(hostile=hostile)))) for hostile in (False, True))
    assert [tag for tag, _ in tame.elements] == [tag for tag, _ in hostile.elements]
    assert "</style><script>alert(" in hostile.text
    document = html.page(compose(*session(hostile=True)))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", document)


def test_the_policy_forbids_all_but_the_style_sheet_of_that_hash() -> None:
    document = html.page(compose(*session()))
    policy = next(
        meta["content"] for meta in Page(document).of("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    )
    style = re.search(r"<style>(.*?)</style>", document, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert f"style-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy


def test_every_picture_has_a_name_and_a_description_and_every_id_is_one_element() -> None:
    page = Page(html.page(compose(*session(hostile=True))))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for picture in page.of("svg"):
        label_ids = set(picture.get("aria-labelledby", "").split())
        assert picture.get("aria-hidden") == "true" or (picture["role"] == "img" and len(label_ids & set(ids)) == 2)


def test_tables_scroll_in_a_box_that_a_keyboard_reaches() -> None:
    page = Page(html.page(compose(*session())))
    boxes = [attributes for attributes in page.of("div") if attributes.get("class") == "scroll"]
    assert len(boxes) == len(page.of("table")) > 0
    assert all(box["tabindex"] == "0" and box["role"] == "region" and box["aria-label"] for box in boxes)


def test_on_a_small_host_sound_figures_lead_and_throughput_names_its_limit() -> None:
    text = Page(html.page(compose(*session()))).text
    order = [
        text.index(words)
        for words in (
            "Application CPU per request",
            "Throughput, and what limited it",
            "the CPUs of database and load",
        )
    ]
    assert order == sorted(order)
    assert "the application has CPU 0; database, load generator and harness share CPU 1" in text
    assert "Not proven steady:" in text
    assert "differences of steady subjects under about 21 % may go unseen" in text
    assert "Side by side on this host, advisory" in text
    assert "Ranking" not in text


def test_what_was_not_proven_steady_stands_last_and_apart() -> None:
    text = Page(html.page(compose(*session(steady=False)))).text
    order = [
        text.index(words)
        for words in (
            "Time to first response",
            "Side by side on this host, advisory",
            "read no order and no ratio out of them",
        )
    ]
    assert order == sorted(order)
    assert "Application CPU per request while warming up" in text


def test_on_a_lab_host_throughput_leads_and_nothing_excuses_it() -> None:
    text = Page(html.page(compose(*session(host_class="lab", invalid=False)))).text
    assert text.index("Throughput") < text.index("Application CPU per request")
    assert "what limited it" not in text
    assert "A small host" not in text


def test_invalid_trials_stay_visible_in_grey_with_their_reasons() -> None:
    page = Page(html.page(compose(*session())))
    grey = [attributes for attributes in page.of("tr") if attributes.get("class") == "invalid"]
    # Two rows are in the list of all trials, two in the list of reasons.
    assert len(grey) == 4
    assert "2 of 15 measured trials are invalid and left out of every figure" in page.text
    assert "The application ended with exit code 137." in page.text


def test_a_session_says_how_to_run_and_verify_it() -> None:
    texts = Page(html.page(compose(*session()))).texts
    again, verify = (text.splitlines() for tag, text in texts if tag == "pre")
    checkout = "git checkout 386e255f7c1d1f0b6f0d0c5b6a4d3e2f1a0b9c8d"
    assert again == [checkout, "./bench reproduce results/local/20260731T101502Z-bench-2core-3fa9c1"]
    assert verify == ["./bench verify results/local/20260731T101502Z-bench-2core-3fa9c1"]


def test_hostile_names_are_quoted_for_the_shell() -> None:
    view = compose(*session(), record_folder="a folder; $(ls)")
    again, verify = (text for tag, text in Page(html.page(view)).texts if tag == "pre")
    assert again.endswith("./bench reproduce 'a folder; $(ls)'")
    assert verify == "./bench verify 'a folder; $(ls)'"


def test_the_same_session_gives_the_same_bytes() -> None:
    assert html.page(compose(*session())) == html.page(compose(*session()))


@pytest.mark.slow
def test_pages_stay_light_and_large_sessions_say_what_they_leave_out() -> None:
    nine = [f"{name}/{kind}/pg" for name in ("a", "b", "c") for kind in ("jvm", "aot", "native.mandrel")]
    scenarios = [scenario("hello", 6, 10), scenario("fruits", 6, 10)]
    usual = html.page(compose(*session(subjects=nine, scenarios=scenarios, blocks=3)))
    large = html.page(compose(*session(subjects=[f"v{n}/jvm/pg" for n in range(24)], scenarios=scenarios, blocks=8)))
    assert max(len(usual.encode()), len(large.encode())) <= 400_000
    assert "Left out here" not in usual
    assert "Left out here" in large


@pytest.mark.parametrize("evidence", [True, False])
@pytest.mark.parametrize("subjects", [1, 3])
def test_a_session_without_evidence_or_rivals_is_a_page_all_the_same(evidence: bool, subjects: int) -> None:
    record, trial_evidence = session(subjects=["vertx-pg/jvm/pg", "b/jvm/pg", "c/jvm/pg"][:subjects], invalid=False)
    page = Page(html.page(compose(record, trial_evidence if evidence else {})))
    assert ("Warm-up curves" in page.text) is evidence
    assert ("Only vertx-pg was measured." in page.text) is (subjects == 1)


def test_a_session_in_which_nothing_counts_says_so() -> None:
    record, evidence = session()
    lost = tuple(trial.model_copy(update={"verdict": "invalid"}) for trial in record.trials)
    text = Page(html.page(compose(record.model_copy(update={"trials": lost, "standings": ()}), evidence))).text
    assert "Nothing was measured that counts." in text
    assert "No measured trial counts." in text
