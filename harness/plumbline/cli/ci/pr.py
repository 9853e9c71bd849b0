"""`./bench ci pr`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import click

from plumbline.github.workflow import outputs, summary
from plumbline.model.errors import UsageError
from ..changed import changed, table
from ..console import ROOT, duration
from ..matrix import matrix
from ..selecting import scale_option
from .invalid import annotating_errors

# What the hosted comparison of a pull request takes at most, at full scale; less would not reach one pair.
CAP_S = 8 * 60.0
LEAST_S = 90.0


@click.command(epilog='Example: ./bench ci pr --base "$(git merge-base origin/main HEAD)"')
@click.option("--base", required=True, metavar="REF", help="The base of the pull request.")
@click.option(
    "--head",
    default="HEAD",
    show_default=True,
    metavar="REF",
    help="The commit of the pull request, which is checked out.",
)
@click.option(
    "--suite", default="", help="The suite of the comparison; `compare_suite` of bench.toml when left out."
)
@scale_option
def command(base: str, head: str, suite: str, scale: float) -> None:
    """Find what a pull request can affect, and which of that a hosted comparison measures within 8 minutes.

    An invalid configuration is an annotation at its line, and exit status 1.
    """
    from plumbline.change.chosen import chosen
    from plumbline.tools.git import Git

    git = Git(ROOT)
    if git.commit(head) != git.commit("HEAD"):
        raise UsageError(
            f"'{head}' is not what is checked out.", "Check it out: this command reads the tree."
        )
    with annotating_errors():
        catalog, fork_point, effect = changed(ROOT, base, None)
        name, spec = catalog.suite(suite or catalog.bench.compare_suite)
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


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
