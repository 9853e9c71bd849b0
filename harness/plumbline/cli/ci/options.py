"""Options that several commands of `ci` share, the values of these options, and errors as annotations."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.reporting.github.workflow import annotate, summary
from ..console import ROOT

if TYPE_CHECKING:
    from plumbline.archive.data.branch import DataBranch
    from plumbline.archive.data.check import Expected

session_argument = click.argument(
    "session", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="SESSION_DIR"
)
data_argument = click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))


def _address(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Return the address of a remote that this checkout names; any other value as it is.

    The data branch is read and written through clones of their own, which do not know the names of this checkout.
    """
    from plumbline.machine.tools.git import Git, GitFailed

    if not re.fullmatch(r"\w[\w.-]*", value) or Path(value).exists():
        return value
    try:
        return Git(ROOT).text("remote", "get-url", value)
    except GitFailed:
        return value


remote_option = click.option(
    "--remote",
    required=True,
    metavar="URL|PATH|NAME",
    callback=_address,
    help="The repository of the data branch, or the name of a remote of this checkout.",
)
branch_option = click.option("--branch", default="data", show_default=True, help="The name of the data branch.")
tries_option = click.option(
    "--tries", type=click.IntRange(1, 100), default=12, show_default=True, help="Pushes before it gives up."
)
digests_option = click.option(
    "--digests",
    "digests",
    multiple=True,
    metavar="JSON",
    help="What `./bench ci digests` answered: the artifacts that this run handed over. Once for each side.",
)
commit_option = click.option("--commit", metavar="SHA", help="The commit that this run measured.")


HOSTED = "hosted"
host_option = click.option(
    "--host",
    default="",
    metavar="NAME[,NAME]",
    help=f"The host that measures, or the equal hosts, with commas; '{HOSTED}' is a hosted runner.",
)
# A hosted job ends after six hours whatever its own limit is, and a session that is cut off has no record.
_HOSTED_MINUTES = 350
# On a host of one's own the launcher ends a session after twelve hours, and systemd a job after fourteen.
_OWN_SESSION_MINUTES, _OWN_MINUTES = 690, 810


def places_of(hosts: str) -> tuple[str, ...]:
    """Return the sorted names of hosts from a list with commas; `hosted` for an empty list.

    Raises UsageError for a text that is no name, a host named twice, names that are together too long for a record, and
    hosted runners beside a host: no two hosted runners are equal.
    """
    from plumbline.archive.record.join import BETWEEN_HOSTS
    from plumbline.archive.record.names import is_host

    places = sorted(hosts.replace(",", " ").split()) or [HOSTED]
    for place in places:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,31}", place):
            raise UsageError(f"'{place[:60]}' is no name of a host.", "Small letters, digits and dashes.")
        if places.count(place) > 1:
            raise UsageError(f"The host {place} is named twice.", "Name each host once.")
    if len(places) > 1 and HOSTED in places:
        raise UsageError(
            f"'{HOSTED}' can't measure beside another host: no two hosted runners are equal.",
            f"Name hosts of your own alone, or '{HOSTED}' alone.",
        )
    if not is_host(BETWEEN_HOSTS.join(places)):
        raise UsageError("The names of these hosts are too long together.", "Name fewer hosts.")
    return tuple(places)


def job_minutes(expected_s: float, place: str, least_s: float | None = None) -> int:
    """Return the time limit of the job that measures. Raises UsageError where the place would end it earlier.

    `least_s` is how long the job takes where the most hosts divide its blocks, if hosts can divide them.
    """
    if place == HOSTED and expected_s > _HOSTED_MINUTES * 60:
        raise UsageError(
            f"This takes about {expected_s / 3600:.0f} h, and a hosted runner ends every job after six.",
            "Name a host of your own, a smaller suite, or fewer subjects.",
        )
    if place != HOSTED and expected_s > _OWN_SESSION_MINUTES * 60:
        divided = "several equal hosts, " if least_s is not None and least_s <= _OWN_SESSION_MINUTES * 60 else ""
        raise UsageError(
            f"This takes about {expected_s / 3600:.0f} h, and a host of your own ends every session after twelve.",
            f"Name {divided}a smaller suite or fewer subjects, or measure by hand on the host, with sudo.",
        )
    minutes = math.ceil(expected_s / 60 * 1.5) + 30
    return min(minutes, _HOSTED_MINUTES if place == HOSTED else _OWN_MINUTES)


def token() -> str | None:
    """Return the token of the job."""
    return os.environ.get("GITHUB_TOKEN") or None


def parsed_digests(text: str | None) -> Mapping[str, str] | None:
    """Read slug -> SHA-256 from JSON; None for an empty text. Raises UsageError."""
    if not text:
        return None
    try:
        digests = json.loads(text)
    except ValueError:
        digests = None
    if not isinstance(digests, dict) or not all(
        isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) for value in digests.values()
    ):
        raise UsageError("--digests is no JSON of slugs and digests.", "Hand over what `./bench ci digests` answered.")
    return digests


def expected(commit: str | None, digests: Sequence[str], *, clean: bool) -> Expected:
    """Return the facts that a record must match."""
    from plumbline.archive.data.check import Expected

    lots = [lot for text in digests if (lot := parsed_digests(text)) is not None]
    known_digests = frozenset(digest for lot in lots for digest in lot.values()) if lots else None
    return Expected(commit=commit or None, digests=known_digests, clean=clean)


def data_branch(remote: str, branch: str, tries: int) -> DataBranch:
    """Return the data branch, opened with the job's token; the branch prints every wait."""
    from plumbline.archive.data.branch import DataBranch
    from ..console import say

    return DataBranch(remote, branch, token=token(), tries=tries, say=say)


@contextmanager
def annotating_errors() -> Iterator[None]:
    """Turn a UsageError of the block into an annotation at the line that the error names, and into AnswerIsNo."""
    from plumbline.reporting.github.workflow import plain

    try:
        yield
    except UsageError as error:
        file, number = _file_and_line(error.problem, ROOT)
        annotate("error", f"{error.problem} {error.next_step}".strip(), file, number)
        where = f" ({file}{f', line {number}' if number else ''})" if file else ""
        summary(f"## Not valid\n\n{plain(error.problem, 600)} {plain(error.next_step)}{where}\n")
        raise AnswerIsNo(error.problem, error.next_step) from None


def _file_and_line(problem: str, root: Path) -> tuple[str | None, int | None]:
    """Return the file that a message names, and the line of the key or word that the message quotes, where found."""
    file_match = re.match(r"((?:[\w.-]+/)?(?:bench|variant)\.toml)", problem)
    if file_match is None:
        return None, None
    file = file_match[1] if file_match[1] == "bench.toml" else f"apps/{file_match[1]}"
    line_match = re.search(r"line (\d{1,9})\b", problem)
    if line_match:
        return file, int(line_match[1])
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
        table_line = next((number for number, line in enumerate(lines) if line.strip().startswith(head)), None)
        if table_line is not None:
            if depth == len(parts):
                return table_line + 1
            start = table_line
            break
    key = parts[-1] if not parts[-1].isdigit() else parts[-2] if len(parts) > 1 else parts[-1]
    for number in range(start, len(lines)):
        if re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", lines[number]):
            return number + 1
    whole_word = re.compile(rf"(?<![\w.-]){re.escape('.'.join(parts))}(?![\w.-])")
    return next((number + 1 for number, line in enumerate(lines) if whole_word.search(line.partition("#")[0])), None)
