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
    """Start an application and its database on the CPUs of a trial, and keep them running until Ctrl-C.

    The application runs under the conditions of its settings. If its packaging has an AOT cache, the cache is trained
    first. The six sources of an order answer soon. Exit status 3: the application ended by itself.
    """
    from plumbline.measuring.conformance.serving import job_to_check, serving
    from plumbline.measuring.launch.interface import exit_in_words, last_words_in
    from plumbline.measuring.launch.lock import MachineLock
    from plumbline.measuring.run.context import open_context
    from plumbline.measuring.run.interruption import until_interrupted
    from plumbline.measuring.run.opening import testbed_for_now
    from plumbline.model.errors import CannotGoOn, UsageError

    context = open_context(ROOT, apps, say)
    variant = context.catalog.variant(context.catalog.subject(subject).variant)
    if variant.spec.serves_on == "cli":
        raise UsageError(
            f"{variant.id} is a program without a server: there is nothing to ask it.",
            f"Measure it: ./bench run --suite seed-001 --only {variant.id}",
        )
    # A build would disturb another run, and may take all CPUs; the testbed leaves this process those of housekeeping.
    with MachineLock() as lock:
        built = context.job(subject)
        with testbed_for_now(context, "start", [built.subject], lock.descriptor) as testbed:
            job = job_to_check(context, testbed, subject)
            with serving(testbed, job) as started:
                say(f"{job.subject.id} answered after {started.probed.first_response_ms / 1000:.2f} s")
                say(f"  application  {started.endpoint.url}  (try /fruits, /environment)")
                say(f"  database     {testbed.database.url}")
                say(f"  log          {started.log}")
                say("Ctrl-C ends both.")
                if until_interrupted(lambda: started.process.poll() is None):
                    return
                for line in last_words_in(started.log):
                    say(f"  {line}")
                how = exit_in_words(started.process.poll() or 0)
                raise CannotGoOn(f"The application ended by itself with {how}.", "Its last lines stand above.")
