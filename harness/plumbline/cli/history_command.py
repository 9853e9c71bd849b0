"""`./bench history DATA` and `./bench history --series FILE`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from .console import ROOT, json_option, print_json

WORDS = ("faster", "slower", "equivalent", "inconclusive")


@click.command(epilog="Example: ./bench history results/local")
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option(
    "--series",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help='A series instead: {"series": [{"t": ..., "value": ..., "control": ..., "env": ...}, ...]}.',
)
@click.option(
    "--verdict",
    "verdicts",
    multiple=True,
    metavar="ALERT=WORD",
    help=f"What compare said of an alert: {', '.join(WORDS)}. May be repeated.",
)
@click.option("--update", is_flag=True, help="Keep the alerts in DATA/alerts.json for the next analysis.")
@json_option
def command(
    data: Path | None, file: Path | None, verdicts: tuple[str, ...], update: bool, as_json: bool
) -> int:
    """Show where series of measurements changed, and the alerts with their states.

    DATA is any tree of session folders, such as a checkout of the data branch. Series are compared within one
    environment, by their ratio to the control. Sessions that compare a subject with itself (`./bench run --suite
    aa`, or `./bench compare main main`) show how often the statistics found a difference between equal sides here.
    Exit status 1: an alert is open or confirmed.
    """
    from plumbline.history.alerts import UNSOLVED
    from plumbline.history.analysis import analyse
    from plumbline.history.collect import series_of, sessions
    from plumbline.history.given import read_given
    from plumbline.history.ledger import read_ledger, write_ledger
    from plumbline.history.noise import equal_sides_rate
    from plumbline.host.paths import Paths
    from plumbline.model.errors import UsageError

    if (data is None) == (file is None):
        raise UsageError(
            "Name either a folder of records or a file by --series.",
            "For example `./bench history results/local`.",
        )
    words = dict(_word(text) for text in verdicts)
    if file is not None:
        if update:
            raise UsageError("--update keeps alerts beside records, and --series has none.", "Leave it out.")
        seen = analyse((read_given(file),), (), words)
        equal = None
    else:
        assert data is not None
        cache = Paths.of(os.environ, ROOT, os.getuid()).cache / "history"
        extracts = sessions(data, cache)
        seen = analyse(series_of(extracts), read_ledger(data).alerts, words)
        equal = equal_sides_rate(extracts)
    if unknown := sorted(set(words) - {alert.id for alert in seen.alerts}):
        from plumbline.catalog.reading import nearest

        raise UsageError(
            f"There is no alert '{unknown[0]}'.", nearest(unknown[0], [alert.id for alert in seen.alerts])
        )
    if update and data is not None:
        write_ledger(data, seen.alerts)
    if as_json:
        from .history_document import document

        print_json(document(seen, equal))
    else:
        from .history_document import lines

        for line in lines(seen, equal):
            click.echo(line)
    return int(any(alert.state in UNSOLVED for alert in seen.alerts))


def _word(text: str) -> tuple[str, Any]:
    from plumbline.model.errors import UsageError

    alert, _, word = text.partition("=")
    if word not in WORDS:
        raise UsageError(f"'{text}' is no verdict on an alert.", f"Write it as ALERT={'|'.join(WORDS)}.")
    return alert, word
