"""Terminal and Markdown: both show the same view, and each is safe in its own way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.archive.record.markdown import escaped
from plumbline.model.plan import Phase
from plumbline.reporting.report import markdown, terminal, write
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.parts.clean import LONGEST, clean_text
from plumbline.reporting.report.parts.naming import mebibytes, phases_in_words
from plumbline.reporting.report.parts.origin import builds
from tests.record.sessions import record
from tests.report.session import NATURES, scenario, session


def test_a_report_is_written_beside_its_record(tmp_path: Path) -> None:
    report = write(*session(), tmp_path)
    assert report.html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert report.markdown.read_text(encoding="utf-8").startswith("# Application CPU per request, fruits@1: ")


def test_the_terminal_has_classes_ranks_and_what_was_refused_in_a_line_each() -> None:
    lines = terminal.render(*session(), 100, False).splitlines()
    shown = "\n".join(lines)
    assert re.search(r"Entities through an ORM\n +quarkus-rest-orm +1 .*\n +spring4-mvc-jpa +2 ", shown)
    assert re.search(r"Hand-written SQL\n +vertx-pg ", shown)
    assert [line for line in lines if line.startswith("  R7 No errors, 2 trials: Trial 6: 12 of 1,403")]
    short = terminal.render(*session(steady=False), 100, False)
    assert "Throughput per MiB of memory: no order. Not proven steady" in " ".join(short.split())


@pytest.mark.parametrize("scenarios", [1, 2, 6])
@pytest.mark.parametrize("subjects", [2, 3, pytest.param(30, marks=pytest.mark.slow)])
def test_the_terminal_is_one_screen(scenarios: int, subjects: int) -> None:
    more_subjects = [f"vertx-pg/jvm/pg+pool={number}" for number in range(3, subjects)]
    subjects_of_nature = (*NATURES,)[: min(3, subjects)]
    recorded = session(
        subjects=[*subjects_of_nature, *more_subjects],
        scenarios=[scenario(f"fruits{number}") for number in range(scenarios)],
        blocks=3,
    )
    shown = terminal.render(*recorded, 100, False)
    assert len(shown.splitlines()) <= terminal.LINES
    assert "./bench verify" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_terminal_keeps_to_its_width() -> None:
    for width in (60, 80, 132):
        assert max(map(len, terminal.render(*session(), width, False).splitlines())) <= width


def test_colours_are_for_terminals_only_and_no_record_brings_its_own() -> None:
    plain, coloured = (terminal.render(*session(hostile=True), 100, colour) for colour in (False, True))
    assert "\x1b" not in plain
    bare = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == plain.splitlines()
    # `[31m` of the hostile string lost its escape character.
    assert "\ufffd[31m" in plain.replace("\n", "")


def test_markdown_lets_no_string_become_markup() -> None:
    document = markdown.document(compose(*session(hostile=True)))
    assert "<" not in "".join(line for line in document.splitlines() if not line.startswith("    "))
    headings = [line for line in document.splitlines() if line.startswith("#")]
    assert headings == [line for line in markdown.document(compose(*session())).splitlines() if line.startswith("#")]
    for line in document.splitlines():
        if line.startswith("|") and "R7" in line:
            assert len(re.findall(r"(?<!\\)\|", line)) == 6


@given(st.text())
def test_markup_signs_are_escaped_wherever_they_stand(text: str) -> None:
    shown = escaped(clean_text(text))
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]|~$]", re.sub(r"\\.", "", shown))
    assert not re.search(r"[<>\n]", shown)
    assert not re.search(r"(?<!\w)[@#]\w", shown)
    assert not re.match(r"\s*(#+(\s|$)|[-+=]\s|\d+[.)]\s)", shown)


@given(st.text())
def test_clean_text_is_printable_and_short(text: str) -> None:
    shown = clean_text(text)
    assert len(shown) <= LONGEST
    assert all(char.isprintable() or char == " " or char.isspace() for char in shown)
    assert "\n" not in shown and "\x1b" not in shown


def test_an_image_is_shown_with_its_size_and_what_it_stands_on() -> None:
    shown = next(build for build in builds(record()) if build.note.startswith("image"))
    assert mebibytes(shown.size_bytes) == "296 MiB"
    assert shown.note == "image, made on the host by podman version 5.6.2 on localhost/java:25 (jdk-25.0.3+9)"


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (None, 1, "10 s of warm-up"),
        (1, 1, "10 s of warm-up"),
        (4, 4, "4 times 10 s of warm-up"),
        (2, 4, "2 to 4 times 10 s of warm-up, until nothing gets quicker any more"),
    ],
)
def test_a_warm_up_in_words(least: int | None, most: int, words: str) -> None:
    phase = Phase(kind="warm-up", name="warm-up", duration_s=10, connections=20, cycles=most, least_cycles=least)
    assert phases_in_words(scenario().model_copy(update={"phases": (phase,)})) == words
