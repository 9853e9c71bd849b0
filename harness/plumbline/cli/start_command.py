"""`./bench start SUBJECT`."""

from __future__ import annotations

from pathlib import Path

import click

from . import completing
from .console import ROOT, app_option, say


@click.command(epilog="Example: ./bench start vertx-pg/jvm/pg+db-tls=require")
@click.argument("subject", shell_complete=completing.subjects)
@app_option
def command(subject: str, apps: tuple[Path, ...]) -> None:
    """Start an application and its database on the CPUs of a trial, and keep them running until Ctrl-C."""
    from plumbline.machine.host.kernel import free_port
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.interruption import until_interrupted
    from plumbline.measuring.run.opening import testbed_for_now
    from plumbline.measuring.run.starting import await_answers, endpoint_of, spawn_application
    from plumbline.model.errors import UsageError

    context = open_context(ROOT, apps, say)
    variant = context.catalog.variant(context.catalog.subject(subject).variant)
    if variant.spec.serves_on == "cli":
        raise UsageError(
            f"{variant.id} is a program without a server: there is nothing to ask it.",
            f"Measure it: ./bench run --suite seed-001 --only {variant.id}",
        )
    job = context.job(subject)
    with testbed_for_now(context, "start", [job.subject]) as testbed:
        testbed.database.restore()
        port = free_port()
        process = spawn_application(testbed, job, port=port)
        probed = await_answers(testbed, job, process, port)
        say(f"{job.subject.id} answered after {probed.first_response_ms / 1000:.2f} s")
        say(f"  application  {endpoint_of(testbed, job, port).url}  (try /fruits, /environment)")
        say(f"  database     {testbed.database.url}")
        say(f"  log          {testbed.work / 'app.log'}")
        say("Ctrl-C ends both.")
        until_interrupted(lambda: process.poll() is None)
