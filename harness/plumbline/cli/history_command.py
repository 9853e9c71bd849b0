"""`./bench history DATA` and `./bench history --series FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plumbline.model.errors import UsageError
from . import completing
from .console import colour, columns, json_option, print_json, say, user_paths
from .selecting import only_option, scenario_option

if TYPE_CHECKING:
    from plumbline.archive.history.extract import Extract

WORDS = ("faster", "slower", "equivalent", "inconclusive", "accepted")


@click.command(epilog="Example: ./bench history results/local --metric app_cpu_us_per_request")
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option(
    "--series",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help='A series instead, of one or more points: {"series": [{"t": ..., "value": ..., "control": ..., "env": ...}, '
    "...]}.",
)
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    metavar="ALERT=WORD",
    help=f"What compare said of an alert: {', '.join(WORDS[:-1])}; or {WORDS[-1]}: a person accepts the new level. "
    "May be repeated.",
)
@click.option("--update", is_flag=True, help="Keep the alerts in DATA/alerts.json for the next analysis.")
@click.option(
    "--metric",
    metavar="NAME",
    shell_complete=completing.metrics,
    help="Instead: where each subject stands by one metric, and since when.",
)
@only_option
@scenario_option
@json_option
def command(
    data: Path | None,
    file: Path | None,
    verdicts: tuple[str, ...],
    update: bool,
    metric: str | None,
    only: tuple[str, ...],
    scenarios: tuple[str, ...],
    as_json: bool,
) -> int:
    """Show where series of measurements changed, and the alerts with their states.

    DATA is any tree of session folders, such as a checkout of the data branch. Series are compared within one
    environment, by their ratio to the control. Sessions that compare a subject with itself (`./bench run --suite
    aa`, or `./bench compare main main`) show how often the statistics found a difference between equal sides here.
    Records that can't be read are left out, which the command says; --update refuses them. Exit status 1: an alert is
    open or confirmed.

    With --metric the command lists levels instead, and ends with 0. A level is what a subject needed, or did, in all
    sessions since the last change.
    """
    if metric is not None:
        _refuse_beside_metric(data, file, verdicts, update)
        assert data is not None
        _print_levels(data, metric, only, scenarios, as_json)
        return 0
    from plumbline.archive.history.alerts import UNSOLVED, read_ledger, write_ledger
    from plumbline.archive.history.analysis import analyse
    from plumbline.archive.history.collect import read_given, series_of
    from plumbline.archive.history.noise import equal_sides_rate

    if only or scenarios:
        raise UsageError("--only and --scenario choose among what --metric lists.", "Name a metric, or leave them out.")
    if (data is None) == (file is None):
        raise UsageError(
            "Name either a folder of records or a file by --series.",
            "For example `./bench history results/local`.",
        )
    verdict_words = dict(_verdict_on_alert(text) for text in verdicts)
    unreadable: list[str] = []
    if file is not None:
        if update:
            raise UsageError("--update keeps alerts beside records, and --series has none.", "Leave it out.")
        analysis = analyse((read_given(file),), (), verdict_words)
        equal_sides = None
    else:
        assert data is not None
        extracts = _sessions(data, None if update else unreadable)
        analysis = analyse(series_of(extracts), read_ledger(data).alerts, verdict_words)
        equal_sides = equal_sides_rate(extracts)
    if unknown := sorted(set(verdict_words) - {alert.id for alert in analysis.alerts}):
        from plumbline.subjects.catalog.reading import nearest

        raise UsageError(
            f"There is no alert '{unknown[0]}'.", nearest(unknown[0], [alert.id for alert in analysis.alerts])
        )
    if update and data is not None:
        write_ledger(data, analysis.alerts)
    if as_json:
        from .history_document import document

        print_json(document(analysis, equal_sides, unreadable))
    else:
        from .history_document import lines

        for line in lines(analysis, equal_sides):
            say(line, err=False)
    return int(any(alert.state in UNSOLVED for alert in analysis.alerts))


def _refuse_beside_metric(data: Path | None, file: Path | None, verdicts: tuple[str, ...], update: bool) -> None:
    if data is None or file is not None:
        raise UsageError(
            "--metric lists what records say, and needs their folder.",
            "For example `./bench history results/local --metric app_cpu_us_per_request`.",
        )
    if verdicts or update:
        raise UsageError("--metric lists levels, and --verdict and --update are for alerts.", "Leave one out.")


def _print_levels(data: Path, metric: str, only: tuple[str, ...], scenarios: tuple[str, ...], as_json: bool) -> None:
    """Print where each subject stands by a metric."""
    from plumbline.archive.history.analysis import analyse
    from plumbline.archive.history.collect import series_of
    from plumbline.archive.history.extract import FOLLOWED
    from plumbline.archive.history.levels import levels, narrowed, require_metric
    from plumbline.subjects.catalog.reading import nearest
    from .history_document import levels_document, levels_table

    if metric not in FOLLOWED:
        raise UsageError(f"History follows no metric '{metric}'.", nearest(metric, FOLLOWED))
    unreadable: list[str] = []
    extracts = _sessions(data, unreadable)
    require_metric(extracts, metric)
    all_series = series_of(extracts)
    groups = levels(analyse([series for series in all_series if series.metric == metric], (), {}))
    groups = narrowed(groups, only, scenarios)
    if as_json:
        print_json(levels_document(metric, groups, unreadable))
        return
    click.echo(levels_table(metric, groups, columns(), colour()), nl=False)


def _sessions(data: Path, unreadable: list[str] | None) -> list[Extract]:
    """Return the sessions below a folder. Records that can't be read are added to `unreadable`; None refuses them."""
    from plumbline.archive.history.collect import sessions
    from plumbline.verdicts.judge.wording import counted

    cache = user_paths().cache / "history"
    extracts = sessions(data, cache, unreadable=unreadable)
    if unreadable:
        say(f"Left out: {counted(len(unreadable), 'record')} that can't be read. {unreadable[0]}")
    # Where no session is left, the reason is not a note beside an answer: it is the answer.
    return extracts or sessions(data, cache)


def _verdict_on_alert(text: str) -> tuple[str, Any]:
    alert, _, word = text.partition("=")
    if word not in WORDS:
        raise UsageError(f"'{text}' is no verdict on an alert.", f"Write it as ALERT={'|'.join(WORDS)}.")
    return alert, word
