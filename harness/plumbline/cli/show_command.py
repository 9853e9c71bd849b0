"""`./bench show SESSION[/TRIAL]`."""

from __future__ import annotations

import click

from .console import ROOT, json_option, print_json, say


@click.command(epilog="Example: ./bench show 7   (trial 7 of the newest session)")
@click.argument("trial", type=int)
@click.option("--record", help="A session's folder or name; the newest when left out.")
@json_option
def command(trial: int, record: str | None, as_json: bool) -> int:
    """One trial: its figures, its findings with the reasons, and where its logs lie.

    Exit status 1 when it is invalid.
    """
    from plumbline.figures.metrics import METRICS
    from plumbline.judge.wording import counted
    from plumbline.model.errors import UsageError
    from plumbline.record.gate import opened
    from plumbline.record.steadiness import rows_of
    from plumbline.run.local import find_record

    folder = find_record(ROOT / "results" / "local", record)
    session, every = opened(folder, say)
    row = next((row for row in session.trials if row.number == trial), None)
    if row is None:
        raise UsageError(f"The session {folder.name} has no trial {trial}.", f"It has {len(session.trials)}.")
    evidence = every[trial]
    logs = folder / "logs" / f"{trial:04d}"
    if as_json:
        print_json(
            {
                **row.model_dump(mode="json"),
                "failure": evidence.failure and evidence.failure.model_dump(),
                "logs": str(logs),
            }
        )
        return 1 if row.verdict == "invalid" else 0
    click.echo(
        f"Trial {trial} of {folder.name}: {row.subject} under {row.scenario}, block {row.block} ({row.role})."
    )
    click.echo(f"Verdict: {row.verdict}.")
    if evidence.failure is not None:
        click.echo(f"It failed in the phase {evidence.failure.phase}: {evidence.failure.problem}")
        for line in evidence.failure.tail:
            click.echo(f"    {line}")
    for phase, metrics in row.figures.items():
        click.echo(f"\n{phase}")
        for name, value in metrics.items():
            title = METRICS[name].title if name in METRICS else name
            click.echo(f"  {title:48} {value:>16,.6g}  {name}")
        for told in rows_of(session.steadiness, row.subject, row.scenario, phase, row.side):
            processes = counted(told.processes, "process", "processes")
            click.echo(f"  {METRICS[told.metric].title}, by {processes}: {told.words}")
    click.echo("\nFindings")
    for finding in row.findings:
        if finding.outcome != "n/a":
            where = f" {finding.phase}" if finding.phase else ""
            click.echo(f"  {finding.outcome:8} {finding.rule:4}{where}: {finding.reading}")
    click.echo(
        f"\nLogs: {logs}" if logs.is_dir() else "\nIts logs are not here; they stay where it was measured."
    )
    return 1 if row.verdict == "invalid" else 0
