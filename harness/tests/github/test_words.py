"""Texts of strangers in our Markdown, outputs and annotations are plain words, whatever the texts contain."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from plumbline.archive.record.markdown import table
from plumbline.model.record import Finding
from plumbline.reporting.github.workflow import Guarded, annotation, outputs, plain, summary
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.markdown import brief, document
from plumbline.reporting.report.view import View
from tests.record.sessions import record

TRICKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "![](https://evil.example/pixel.png)",
    "@owner please merge",
    "fixes #1, see owner/name#2",
    "https://evil.example www.evil.example",
    "::set-output name=digests::{}",
    "a\n::error file=bench.toml::x\n::add-mask::y",
    "| a | b |\n|---|---|",
    "# heading\n- item\n1. item\n```\ncode\n```",
    "`code` **bold** _it_ ~~gone~~ $x$ \\(x\\)",
    "&lt;b&gt; &#60;b&#62;",
    "\u202eevil\u2066\x1b[31m\x00",
    "<!-- plumbline: metal -->",
    "%0A::warning::x",
)


@pytest.mark.parametrize("text", TRICKS)
def test_a_trick_is_one_line_of_words(text: str) -> None:
    words = plain(text)
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(words)
    inner = html.strip().removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inner, html
    assert "\n" not in words and "::" not in words
    assert "@owner" not in words and "#1" not in words and "://" not in words and "www." not in words
    assert all(letter.isprintable() or letter == "\u200b" for letter in words)


@given(st.text(max_size=400))
def test_any_text_is_one_line_of_words(text: str) -> None:
    words = plain(text)
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(words)
    inner = html.strip().removeprefix("<p>").removesuffix("</p>")
    assert "<" not in inner and "\n" not in words and "::" not in words


def test_a_cell_stays_in_its_cell() -> None:
    lines = table(("a", "b"), [("x | y", "1")])
    assert MarkdownIt("commonmark").enable("table").render("\n".join(lines)).count("<td>") == 2


@pytest.mark.parametrize("writer", [document, lambda view: brief(view, "Session")])
def test_a_record_full_of_tricks_is_rendered_harmless(writer: Callable[[View], str]) -> None:
    base = record(blocks=1)
    trick = " ".join(TRICKS)
    bad = Finding(rule="R7", outcome="invalid", reading=trick)
    trial = base.trials[1].model_copy(update={"findings": (bad,), "verdict": "invalid"})
    text = writer(compose(base.model_copy(update={"trials": (base.trials[0], trial)}), {}))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert not any(mark in html for mark in ("<script", "<img", "<a ", "onerror=alert(1)>"))
    assert "\n::" not in text and "@owner" not in text
    assert "Invalid trials and doubts" in text and "| invalid | R7 |" in text


def test_outputs_cannot_be_ended_by_a_value(tmp_path: Path) -> None:
    target = tmp_path / "output"
    outputs({"a": "x\nend-00\nb=evil", "c": "1"}, {"GITHUB_OUTPUT": str(target)})
    lines = target.read_text().splitlines()
    ends = [line.partition("<<")[2] for line in lines if "<<" in line]
    assert len(ends) == 2 and len(set(ends)) == 2 and all(len(end) > 30 for end in ends)
    first_end = lines.index(ends[0])
    assert lines[1:first_end] == ["x", "end-00", "b=evil"]


def test_a_summary_is_cut_at_what_a_step_may_say(tmp_path: Path) -> None:
    target = tmp_path / "summary"
    summary("line of words\n" * 200_000, {"GITHUB_STEP_SUMMARY": str(target)})
    assert target.stat().st_size <= 1024 * 1024
    assert target.read_text().endswith("a summary takes no more.\n")


def test_an_annotation_is_one_command() -> None:
    command_line = annotation("error", "a\n::warning::b 100%", "a,b:c.toml", 3)
    assert command_line == "::error file=a%2Cb%3Ac.toml,line=3::a%0A::warning::b 100%25"


def test_an_annotation_and_a_summary_take_any_text(tmp_path: Path) -> None:
    assert annotation("error", "a\x1b[31m\r\n\udcff\u202e") == "::error::a\ufffd[31m%0A\ufffd\ufffd"
    summary("a \udcff\n", {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary")})
    assert (tmp_path / "summary").read_text() == "a \\udcff\n"


COMMAND = re.compile(r"(?:^|[\r\n])\s*::|##\[")


@given(st.lists(st.text(alphabet=":#[]\n\r ax", max_size=6), max_size=20))
def test_nothing_printed_is_a_command_however_it_is_cut(pieces: list[str]) -> None:
    raw = io.BytesIO()
    stream = Guarded(raw, "utf-8", newline="")
    for piece in pieces:
        assert stream.write(piece) == len(piece)
    stream.flush()
    printed = raw.getvalue().decode()
    assert not COMMAND.search(printed)
    assert printed.replace(" ", "") == "".join(pieces).replace(" ", "")


@pytest.mark.parametrize(
    "document", ['{"a": "http://[::1]:80/"}\n', "    lpad((501 + n * 7)::text, 5),\n", ' "::1",\n', "Stub::serve"]
)
def test_what_is_no_command_stays_as_it_is_however_it_is_cut(document: str) -> None:
    for cut in range(len(document)):
        raw = io.BytesIO()
        stream = Guarded(raw, "utf-8", newline="")
        stream.write(document[:cut])
        stream.write(document[cut:])
        stream.flush()
        assert raw.getvalue().decode() == document


@pytest.mark.parametrize(
    "words", ["::set-output name=path::evil", "##[set-output name=path;]evil", "x\r::stop-commands::a"]
)
@pytest.mark.parametrize("where", ["out", "err"])
def test_a_job_hears_no_command_of_a_stranger(words: str, where: str) -> None:
    program = (
        "import sys; from plumbline.reporting.github.workflow import annotate, guard_streams\n"
        "guard_streams(); print(sys.argv[1], file=getattr(sys, 'std' + sys.argv[2])); annotate('error', 'ours')"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, words, where],
        capture_output=True,
        check=True,
        env={**os.environ, "GITHUB_ACTIONS": "true", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    printed = (ended.stdout + ended.stderr).decode()
    assert COMMAND.findall(printed.replace("::error::ours", "")) == []
    assert "::error::ours" in printed


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["words", "document"])
def test_the_whole_command_line_is_guarded(more: tuple[str, ...]) -> None:
    """A sentence on standard error and a document on standard output that repeat the words of a stranger."""
    program = (
        sys.executable,
        str(Path(__file__).parents[2]),
        "explain",
        "##[set-output name=path;]evil",
        *more,
    )
    ended = subprocess.run(program, capture_output=True, env={**os.environ, "GITHUB_ACTIONS": "true"})
    printed = (ended.stdout if more else ended.stderr).decode()
    assert ended.returncode == 2 and "set-output name=path" in printed
    assert COMMAND.findall((ended.stdout + ended.stderr).decode()) == []
