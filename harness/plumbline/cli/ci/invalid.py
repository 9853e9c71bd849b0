"""A configuration that is not valid, told where GitHub shows it: at its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plumbline.github.workflow import annotate, summary
from plumbline.model.errors import AnswerIsNo, UsageError
from ..console import ROOT


@contextmanager
def annotating_errors() -> Iterator[None]:
    """Turn a UsageError of the block into an annotation at the line that the error names, and into AnswerIsNo."""
    from plumbline.github.workflow import plain

    try:
        yield
    except UsageError as error:
        file, number = _place(error.problem, ROOT)
        annotate("error", f"{error.problem} {error.next_step}".strip(), file, number)
        where = f" ({file}{f', line {number}' if number else ''})" if file else ""
        summary(f"## Not valid\n\n{plain(error.problem, 600)} {plain(error.next_step)}{where}\n")
        raise AnswerIsNo(error.problem, error.next_step) from None


def _place(problem: str, root: Path) -> tuple[str | None, int | None]:
    """Return the file that a message names, and the line of the key or word that it quotes, where found."""
    named = re.match(r"((?:[\w.-]+/)?(?:bench|variant)\.toml)", problem)
    if named is None:
        return None, None
    file = named[1] if named[1] == "bench.toml" else f"apps/{named[1]}"
    stated = re.search(r"line (\d+)", problem)
    if stated:
        return file, int(stated[1])
    try:
        lines = (root / file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return file, None
    for word in reversed(re.findall(r"'([^']+)'", problem)):
        parts = word.split(".")
        if (line := _line_of(lines, parts)) is not None:
            return file, line
    return file, 1


def _line_of(lines: list[str], parts: list[str]) -> int | None:
    """Return the line of a dotted key (its table first, then the key below it), or of a word anywhere."""
    start = 0
    for depth in range(len(parts), 0, -1):
        head = f"[{'.'.join(parts[:depth])}]"
        found = next((number for number, line in enumerate(lines) if line.strip().startswith(head)), None)
        if found is not None:
            if depth == len(parts):
                return found + 1
            start = found
            break
    key = parts[-1] if not parts[-1].isdigit() else parts[-2] if len(parts) > 1 else parts[-1]
    for number in range(start, len(lines)):
        if re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", lines[number]):
            return number + 1
    whole = re.compile(rf"(?<![\w.-]){re.escape('.'.join(parts))}(?![\w.-])")
    return next(
        (number + 1 for number, line in enumerate(lines) if whole.search(line.partition("#")[0])), None
    )
