"""The options of a cluster: `--on kubernetes`, and the options and the text of `./bench plan --format kubernetes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .console import options_as, say

if TYPE_CHECKING:
    from plumbline.measuring.run.context import Context
    from plumbline.measuring.run.journal import ClusterOptions
    from plumbline.model.plan import Plan


@dataclass(frozen=True)
class ClusterChoice:
    """What is asked of a cluster; a field is None where its option was not given."""

    generators: int | None
    load: str | None
    trial: int | None
    phase: str | None
    images: str | None

    @property
    def given(self) -> str | None:
        """The first option that was given."""
        return next((f"--{name}" for name, value in vars(self).items() if value is not None), None)


generators_option = click.option(
    "--generators",
    type=int,
    metavar="N",
    help="With a cluster: divide the load over N generators of one CPU. As many as the rate takes when left out.",
)
images_option = click.option(
    "--images",
    metavar="PREFIX",
    help="With a cluster: where images of applications and observers lie, such as registry.example/plumbline.",
)

with_cluster_options = options_as(
    "cluster",
    ClusterChoice,
    (
        generators_option,
        click.option(
            "--load",
            metavar="KIND",
            help="With a cluster: load by an Indexed Job (job, the default) or by k6-operator.",
        ),
        click.option(
            "--trial",
            type=int,
            metavar="N",
            help="With a cluster: the trial of the plan by its number; the first measured one when left out.",
        ),
        click.option(
            "--phase",
            metavar="NAME",
            help="With a cluster: the phase of load, such as closed or open@200; the first with a rate when left out.",
        ),
        images_option,
    ),
)
"""Gives a command the options of a cluster."""


class _ClusterPlace(click.ParamType[str]):
    name = "kubernetes[:CONTEXT]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        kind, colon, context = str(value).partition(":")
        if kind != "kubernetes" or (colon and not context):
            self.fail(f"'{value}' is no place to measure on: say kubernetes, or kubernetes:CONTEXT.", param, ctx)
        return str(value)


on_option = click.option(
    "--on", type=_ClusterPlace(), help="A cluster instead of this host, by a context of the kubeconfig."
)


def context_of(on: str) -> str | None:
    """Return the context that `--on` names; None for the current context."""
    return on.partition(":")[2] or None


def cluster_options(
    on: str | None, generators: int | None, images: str | None, *, sandbox: str
) -> ClusterOptions | None:
    """Return the options of a session in a cluster; None for a session on this host. Raises UsageError."""
    from plumbline.measuring.cluster.load_request import generator_count
    from plumbline.measuring.run.journal import ClusterOptions
    from plumbline.model.errors import UsageError
    from plumbline.model.plan import Phase

    if on is None:
        options = {"generators": generators, "images": images}
        given = next((name for name, value in options.items() if value is not None), None)
        if given is not None:
            raise UsageError(f"--{given} is for a cluster.", "Say --on kubernetes as well.")
        return None
    if sandbox != "off":
        raise UsageError(
            "--sandbox holds programs of this host, and a cluster runs pods.", "Leave --sandbox or --on out."
        )
    if generators is not None:
        generator_count(Phase(kind="open", name="open"), generators)
    return ClusterOptions(context=context_of(on), generators=generators, images=images)


def kubernetes(context: Context, plan: Plan, choice: ClusterChoice) -> str:
    """Return the objects of a trial as YAML, and print what they are. Raises UsageError for a plan that a cluster can't
    run.
    """
    from plumbline.measuring.build.images import REPOSITORY
    from plumbline.measuring.cluster.files import read_files
    from plumbline.measuring.cluster.images import images_of
    from plumbline.measuring.cluster.load_request import beyond_one_host, generators_of, load_request
    from plumbline.measuring.cluster.objects import as_yaml, cluster_objects
    from plumbline.measuring.cluster.passwords import drawn_passwords

    request = load_request(
        beyond_one_host(plan, context.catalog),
        context.catalog,
        generators=choice.generators,
        load=choice.load or "job",
        trial=choice.trial,
        phase=choice.phase,
    )
    images = images_of(request.subject, context.box.pins, choice.images or REPOSITORY)
    files = read_files(context.root)
    objects = cluster_objects(request, context.catalog, files, images, drawn_passwords())
    say(
        f"trial {request.trial.number}: {request.subject.id} under {request.scenario.id}, load {request.phase.name} by"
        f" {request.generators} generator{'' if request.generators == 1 else 's'}"
    )
    if request.generators < (needed := generators_of(request.phase)):
        say(
            f"{request.phase.name} takes {needed} generators at 5,000 arrivals a second each: "
            "rule R4 would refuse fewer"
        )
    return as_yaml(objects)
