"""`./bench new-variant NAME --like OTHER`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from plumbline.model.errors import UsageError
from . import completing
from .console import ROOT, say

if TYPE_CHECKING:
    from plumbline.subjects.catalog.new_variant import Facts
    from plumbline.subjects.catalog.variant import Variant


@click.command(
    epilog="Example: ./bench new-variant jooby-jdbc --like spring4-mvc-jdbc --framework jooby --serves-on worker"
)
@click.argument("name")
@click.option(
    "--like",
    required=True,
    metavar="VARIANT",
    shell_complete=completing.variants,
    help="The variant whose folder is the pattern.",
)
@click.option("--framework", metavar="WORD", help="The framework's name in GET /environment: quarkus, spring, javalin.")
@click.option("--serves-on", metavar="KIND", help="What handles a request: worker, event-loop, virtual or cli.")
@click.option(
    "--started",
    metavar="PATTERN",
    help="The line of the log that says how long the start took, with a group named seconds or milliseconds.",
)
@click.option(
    "--ready",
    metavar="PATTERN",
    help="The log line after which the application serves, if no line has the duration of the start.",
)
def command(name: str, like: str, **given_facts: str | None) -> None:
    """Copy a variant to apps/NAME, and mark the places to write.

    The copy builds and keeps the contract as its model does. In a terminal the command asks for the facts that the
    options leave out; what stays from the model is marked.
    """
    from plumbline.subjects.catalog.catalog import read_catalog
    from plumbline.subjects.catalog.new_variant import Facts, free_folder, marks_left, new_variant

    catalog = read_catalog(ROOT)
    model = catalog.variant(like)
    facts = Facts(**given_facts)
    # Nobody answers questions for a name that is taken.
    free_folder(catalog, name, model)
    folder = new_variant(catalog, name, model, _ask_for_facts(facts, model) if sys.stdin.isatty() else facts)
    say(f"apps/{name} is there, like {like}; what is yours to write is marked:")
    for path, number, line in marks_left(folder):
        say(f"  {path.relative_to(ROOT)}:{number}: {line}")
    say(f"Then: ./bench check-variant {name} --contract-only, which says what falls short.")


def _ask_for_facts(facts: Facts, model: Variant) -> Facts:
    """Ask for the facts that are missing, and return all facts; an empty answer leaves a fact as in the model."""
    from dataclasses import replace

    questions = {
        "framework": f"Framework, one word (that of {model.id}: {model.spec.framework})",
        "serves_on": f"Requests are handled on worker, event-loop, virtual or cli ({model.spec.serves_on})",
    }
    if facts.ready is None:
        questions["started"] = (
            "Pattern of the line of the log that says how long the start took"
            f" (empty: no line does, or as in {model.id})"
        )
    answers = {
        fact: _ask(model, fact, question) for fact, question in questions.items() if getattr(facts, fact) is None
    }
    if answers.get("started") == "":
        question = f"Pattern of the line of the log after which it serves (empty: as in {model.id})"
        answers["ready"] = _ask(model, "ready", question)
    return replace(facts, **{fact: answer for fact, answer in answers.items() if answer})


def _ask(model: Variant, fact: str, question: str) -> str:
    answer: str = click.prompt(question, "", show_default=False, err=True, value_proc=_answer_reader(model, fact))
    return answer


def _answer_reader(model: Variant, fact: str) -> Callable[[str], str]:
    """Return a reader of answers; click asks again after an answer that does not fit."""
    from plumbline.subjects.catalog.new_variant import fitting_fact

    def read_answer(answer: str) -> str:
        try:
            return fitting_fact(model, fact, answer) if answer else answer
        except UsageError as error:
            raise click.UsageError(error.problem) from error

    return read_answer
