"""`./bench ci pr`, `resolve` and `comment`: the questions about a pull request, and the answers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError
from plumbline.reporting.github.workflow import outputs, summary
from ..changed import changed, matrix, table
from ..console import ROOT, duration
from ..selecting import scale_option
from .options import HOSTED, annotating_errors, digests_option, expected, host_option, places_of

if TYPE_CHECKING:
    from plumbline.subjects.change.affected import Explained

# The longest time of the hosted comparison of a pull request, at full scale; and the shortest, which one pair needs.
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
@click.option("--suite", default="", help="The suite of the comparison; `compare_suite` of bench.toml when left out.")
@scale_option
def pr_command(base: str, head: str, suite: str, scale: float) -> None:
    """Find what a pull request can affect, and which of that a hosted comparison measures within 8 minutes.

    The output `measured` says whether that is anything, and `built` whether bare metal could measure anything. The
    output `variants` lists the variants whose own files it adds or changes, for the check of their contract. An invalid
    configuration is an annotation at its line, and exit status 1.
    """
    from plumbline.machine.tools.git import Git
    from plumbline.subjects.change.affected import chosen
    from plumbline.subjects.change.measurable import measurable

    git = Git(ROOT)
    if git.commit(head) != git.commit("HEAD"):
        raise UsageError(f"'{head}' is not what is checked out.", "Check it out: this command reads the tree.")
    with annotating_errors():
        catalog, fork_point, effect = changed(ROOT, base, None)
        name, spec = catalog.suite(suite or catalog.bench.compare_suite)
    files_at_base = set(git.text("ls-tree", "-r", "--name-only", fork_point, "--", "apps").splitlines())
    old_subjects = [
        subject for subject in effect.subjects if f"apps/{subject.partition('/')[0]}/variant.toml" in files_at_base
    ]
    variants = changed_variants(catalog.variants, effect.files, files_at_base)
    budget_s = max(LEAST_S, CAP_S * scale)
    subjects, left_out = measurable(catalog, old_subjects, built_elsewhere=False, sandbox=False)
    choice = chosen(effect, subjects, spec.scenarios, budget_s)
    outputs(
        {
            "built": "true" if old_subjects else "false",
            "measured": "true" if choice.subjects else "false",
            "base": fork_point,
            "head": git.commit("HEAD"),
            "suite": name,
            "only": ",".join(choice.subjects),
            "scenarios": ",".join(choice.scenarios),
            "budget": f"{budget_s:.0f}s",
            "subjects": str(len(effect.subjects)),
            "matrix": json.dumps(matrix(catalog, effect.subjects), separators=(",", ":")),
            "variants": json.dumps(variants),
        }
    )
    parts = ["## What this changes\n"]
    if choice.subjects:
        names, scenarios = ",".join(choice.subjects), ",".join(choice.scenarios)
        line = f"./bench compare {fork_point[:12]} HEAD --only '{names}' --scenario {scenarios}"
        parts.append(
            f"The hosted comparison measures {_codes(choice.subjects)} under {scenarios}, within {duration(budget_s)}"
            + (
                f"; {len(choice.left_out)} more subjects wait for bare metal, or for you: "
                if choice.left_out
                else ". The same at home: "
            )
            + f"`{line}`\n"
        )
    elif not effect.subjects:
        parts.append("The configuration is valid, and nothing that is measured can be affected.\n")
    elif old_subjects:
        parts.append("The hosted comparison can measure nothing of this.\n")
    if left_out:
        parts.append(f"{left_out}\n")
    if len(old_subjects) < len(effect.subjects):
        new_subjects = [subject for subject in effect.subjects if subject not in old_subjects]
        parts.append(
            f"New, so that there is nothing to compare {'it' if len(new_subjects) == 1 else 'them'} with: "
            f"{_codes(new_subjects)}. `./bench run --only '{new_subjects[0]}'` measures one at home.\n"
        )
    if variants:
        parts.append(f"`contract` holds to the contract: {_codes(variants)}.\n")
    # The table is shown as code, so that file names that somebody chose stay plain text.
    parts.append("```\n" + re.sub(r"`{3,}", "'''", table(fork_point, effect)) + "\n```\n")
    summary("\n".join(parts))


def changed_variants(known: Container[str], files: Iterable[Explained], files_at_base: Container[str]) -> list[str]:
    """Return the known variants that are new, or of whose own folder a file changed that can affect a subject."""
    variants = set()
    for file in files:
        top, _, rest = file.path.partition("/")
        variant, _, _ = rest.partition("/")
        new = f"apps/{variant}/variant.toml" not in files_at_base
        if top == "apps" and variant in known and (new or file.cells):
            variants.add(variant)
    return sorted(variants)


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


@click.command(epilog="Example: ./bench ci resolve --number 12 --head 0123456789abcdef0123456789abcdef01234567")
@click.option("--number", type=click.IntRange(1), required=True, help="Number of the pull request.")
@click.option("--head", required=True, metavar="SHA", help="The commit that you looked at, in full.")
@click.option("--workflow", default="pr.yml", show_default=True, help="The workflow that built it on hosted runners.")
@click.option("--suite", default="", help="The suite of the comparison; `compare_suite` of bench.toml when left out.")
@host_option
@scale_option
def resolve_command(number: int, head: str, workflow: str, suite: str, host: str, scale: float) -> None:
    """Decide whether a pull request may be measured on hardware of our own: open, this head, built, within the
    allowlist.

    The forge answers every question. Exit status 1 with the first reason why not.
    """
    from plumbline.reporting.github.api import Api
    from plumbline.reporting.github.resolve import resolve
    from plumbline.subjects.catalog.catalog import read_catalog

    api, catalog, sandbox = Api.of(os.environ), read_catalog(ROOT), places_of(host)[0] != HOSTED
    resolved = resolve(api, catalog, number, head, workflow, suite or None, scale, sandbox=sandbox)
    if resolved.left_out:
        summary(f"{resolved.left_out}\n")
    outputs(
        {
            "number": str(resolved.number),
            "head": resolved.head,
            "base": resolved.base,
            "head_repository": resolved.head_repository,
            "run_id": str(resolved.run_id),
            "only": ",".join(resolved.subjects),
            "scenarios": ",".join(resolved.scenarios),
        }
    )


@click.command(epilog="Example: ./bench ci comment --number 12 --head SHA --session session/ID --kind metal")
@click.option("--number", type=click.IntRange(1), required=True, help="Number of the pull request.")
@click.option("--head", required=True, metavar="SHA", help="The commit that was measured.")
@click.option("--session", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True)
@click.option(
    "--kind",
    type=click.Choice(["metal", "hosted"]),
    required=True,
    help="Which machine measured; each kind has a comment of its own.",
)
@digests_option
@click.option("--run-url", default="", help="Address of the workflow run, for a link.")
def comment_command(number: int, head: str, session: Path, kind: str, digests: tuple[str, ...], run_url: str) -> None:
    """Write the one comment of a pull request, or update it: verdict, table, check results and link, all from a checked
    record.

    Exit status 1: the record is of other artifacts than --digests, or of another commit, and so of another pull
    request.
    """
    from plumbline.archive.data.check import checked
    from plumbline.machine.tools.git import full_id
    from plumbline.model.errors import AnswerIsNo, UsageError
    from plumbline.reporting.github.api import Api
    from plumbline.reporting.github.issues import keep_comment
    from plumbline.reporting.report.compose import compose
    from plumbline.reporting.report.markdown import brief

    full_id(head)
    if run_url and not re.fullmatch(r"https?://[\w.:-]+(/[\w.-]+)+", run_url):
        raise UsageError("--run-url is no address of a run.", "Leave it out, or hand over the forge's own.")
    record = checked(session, expected(None, digests, clean=False))
    plan = record.plan.comparison
    if plan is not None and plan.head.commit not in (None, head):
        raise AnswerIsNo(
            f"The record compares {str(plan.head.commit)[:12]}, not {head[:12]}: it belongs to another pull request."
        )
    api = Api.of(os.environ)
    pull = api.get(api.path("pulls", number))
    if pull["state"] != "open":
        raise AnswerIsNo(f"Pull request {number} is {pull['state']}.")
    notes = [f"Of commit {head[:12]}."]
    if pull["head"]["sha"] != head:
        notes.append("The pull request has newer commits: this is not about them.")
    if run_url:
        notes.append(f"[The run, with the record and its evidence]({run_url}).")
    heading = "On bare metal" if kind == "metal" else "On a hosted runner"
    text = brief(compose(record, {}), heading, notes)
    outputs({"comment_url": keep_comment(api, number, kind, text)})
