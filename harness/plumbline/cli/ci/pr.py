"""`./bench ci pr`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click

from plumbline.github.workflow import annotate, outputs, summary
from plumbline.model.errors import UsageError
from ..changed import changed, table
from ..console import ROOT, duration, scale_option
from ..matrix import matrix

# What the hosted comparison of a pull request takes at most, at full scale; less would not reach one pair.
CAP_S = 8 * 60.0
LEAST_S = 90.0


@click.command(epilog='Example: ./bench ci pr --base "$(git merge-base origin/main HEAD)"')
@click.option("--base", required=True, metavar="REF", help="What the pull request goes to.")
@click.option(
    "--head", default="HEAD", show_default=True, metavar="REF", help="Its commit, which is checked out."
)
@click.option(
    "--suite", default="", help="The suite of the comparison; `compare_suite` of bench.toml when left out."
)
@scale_option
def command(base: str, head: str, suite: str, scale: float) -> int:
    """What a pull request can affect, and what of it a hosted comparison measures within 8 minutes.

    A configuration that is not valid is an annotation at its line, and exit status 1.
    """
    from plumbline.change.chosen import chosen
    from plumbline.github.markdown import plain
    from plumbline.tools.git import Git

    git = Git(ROOT)
    if git.commit(head) != git.commit("HEAD"):
        raise UsageError(
            f"'{head}' is not what is checked out.", "Check it out: this command reads the tree."
        )
    try:
        catalog, fork_point, effect = changed(ROOT, base, None)
        name, spec = catalog.suite(suite or catalog.bench.compare_suite)
    except UsageError as error:
        file, number = _place(error.problem, ROOT)
        annotate("error", f"{error.problem} {error.next_step}".strip(), file, number)
        where = f" ({file}{f', line {number}' if number else ''})" if file else ""
        summary(f"## Not valid\n\n{plain(error.problem, 600)} {plain(error.next_step)}{where}\n")
        return 1
    there = set(git.text("ls-tree", "-r", "--name-only", fork_point, "--", "apps").splitlines())
    old = [one for one in effect.subjects if f"apps/{one.partition('/')[0]}/variant.toml" in there]
    budget_s = max(LEAST_S, CAP_S * scale)
    asked = chosen(effect, old, spec.scenarios, budget_s)
    outputs(
        {
            "measured": "true" if asked.subjects else "false",
            "base": fork_point,
            "head": git.commit("HEAD"),
            "suite": name,
            "only": ",".join(asked.subjects),
            "scenarios": ",".join(asked.scenarios),
            "budget": f"{budget_s:.0f}s",
            "subjects": str(len(effect.subjects)),
            "matrix": json.dumps(matrix(catalog, effect.subjects), separators=(",", ":")),
        }
    )
    parts = ["## What this changes\n"]
    if asked.subjects:
        names, under = ",".join(asked.subjects), ",".join(asked.scenarios)
        line = f"./bench compare {fork_point[:12]} HEAD --only '{names}' --scenario {under}"
        parts.append(
            f"The hosted comparison measures {_codes(asked.subjects)} under {under}, within {duration(budget_s)}"
            + (
                f"; {len(asked.left)} more subjects wait for bare metal, or for you: "
                if asked.left
                else ". The same at home: "
            )
            + f"`{line}`\n"
        )
    elif not effect.subjects:
        parts.append("The configuration is valid, and nothing that is measured can be affected.\n")
    if len(old) < len(effect.subjects):
        new = [one for one in effect.subjects if one not in old]
        parts.append(
            f"New, so that there is nothing to compare {'it' if len(new) == 1 else 'them'} with: "
            f"{_codes(new)}. `./bench run --only '{new[0]}'` measures one at home; `test` holds all "
            "to the contract.\n"
        )
    # As code, so that names of files that somebody chose stay letters.
    parts.append("```\n" + re.sub(r"`{3,}", "'''", table(fork_point, effect)) + "\n```\n")
    summary("\n".join(parts))
    return 0


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _place(problem: str, root: Path) -> tuple[str | None, int | None]:
    """The file that a message names, and the line of the key or word that it quotes, as far as they are found."""
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
    """The line of a dotted key: its table first, then the key below it; or of a word anywhere."""
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
