"""Of a session of short phases, no writer says which subject is ahead in capacity, CPU or latency."""

from __future__ import annotations

import re

import pytest

from plumbline.model.host import HostClass
from tests.truth.sessions import Nature, made
from tests.truth.writers import everything, overview, site_of

pytestmark = pytest.mark.slow

# The subjects differ threefold under load, and in nothing before.
SHORT = [Nature(speed, 1.0, None) for speed in (1.0, 3.0, 1.5, 1.0, 3.0)]
LONG = [Nature(nature.speed, 1.0, 0.005) for nature in SHORT]
CLAIM = re.compile(
    r"\bleads?\b[;:,. ]|\bfollows\b|\bfaster\b|\bslower\b|\bequivalent:|times as much"
    r"|\"word\":\"(?:ahead|behind)\"|\"rank\":[ ]?[1-9][^0-9,}]*[2-9]"
)
WRITERS = sorted(everything(made(SHORT)))
CLASSES: tuple[HostClass, ...] = ("lab", "shared", "small")
LOADED = {"throughput_per_s", "app_cpu_us_per_request", "latency_p99_ms"}
ENDS_A_SENTENCE = re.compile(r"[.<>\"\n]")


def around(text: str, claim: re.Match[str]) -> str:
    """The sentence of the text in which the claim stands."""
    end = ENDS_A_SENTENCE.search(text, claim.end())
    begin = max(text.rfind(mark, 0, claim.start()) for mark in '.<>"\n')
    return text[begin + 1 : end.start() if end else len(text)].strip()


def claims_of(natures: list[Nature], host_class: HostClass) -> set[tuple[str, str]]:
    """(path, sentence) of each sentence in the files of a site that may claim a lead."""
    return {
        (path, around(text, claim))
        for path, text in site_of(made(natures, host_class=host_class)).items()
        for claim in CLAIM.finditer(text)
    }


@pytest.mark.parametrize("host_class", CLASSES)
def test_no_file_of_the_site_claims_a_lead_of_programs_that_warm_up(host_class: HostClass) -> None:
    # A single subject has no order: what a page says about a session of one subject, it says about every session.
    always = {sentence for _, sentence in claims_of(SHORT[:1], host_class)}
    assert {(path, sentence) for path, sentence in claims_of(SHORT, host_class) if sentence not in always} == set()
    claimed = {path for path, sentence in claims_of(LONG, host_class) if sentence not in always}
    assert {"index.html", "classes/index.html"} <= claimed


@pytest.mark.parametrize("host_class", CLASSES)
@pytest.mark.parametrize("writer", WRITERS)
def test_no_writer_claims_a_lead_of_programs_that_warm_up(writer: str, host_class: HostClass) -> None:
    text = everything(made(SHORT, host_class=host_class))[writer]
    assert CLAIM.findall(text) == []


@pytest.mark.parametrize("writer", sorted({"terminal", "markdown", "html", "front page", "run page", "comment"}))
def test_the_same_of_phases_that_were_proven_is_claimed(writer: str) -> None:
    assert CLAIM.search(everything(made(LONG))[writer])


@pytest.mark.parametrize("writer", sorted({"terminal", "markdown", "html", "front page", "run page", "comment"}))
def test_it_is_said_that_phases_were_not_proven_steady(writer: str) -> None:
    assert re.search("[Nn]ot proven steady|too short to tell|Too short to tell", everything(made(SHORT))[writer])


def test_no_number_of_a_short_phase_stands_where_steady_ones_do() -> None:
    texts = everything(made(SHORT))
    for writer in ("json", "badges", "github-action-benchmark", "picture"):
        assert not re.search("(?i)throughput|CPU per request|percentile|latency|app_cpu", texts[writer])
    assert re.search("Throughput", everything(made(LONG))["badges"])
    ranked = [
        (table.metric, bar.subject)
        for standing in overview(made(SHORT)).standings
        for table in standing.tables
        for bar in table.bars
        if table.metric in LOADED and (bar.rank is not None or bar.gap or bar.ratio is not None)
    ]
    assert ranked == []


def test_the_front_page_begins_with_what_it_may_say() -> None:
    first = overview(made(SHORT)).standings[0].tables[0]
    assert not first.warming_up
    assert first.phase == "start"


def test_advisory_results_stand_in_no_standings() -> None:
    for writer, text in everything(made(LONG, host_class="shared")).items():
        if writer not in ("json", "compare page"):
            assert not re.search(r"\bStandings\b", text), writer
    assert "Ranking" in everything(made(LONG))["markdown"] + everything(made(LONG))["html"]
