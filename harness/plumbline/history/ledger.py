"""`alerts.json` beside the records: what is known of alerts from one analysis to the next."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.record.canonical import canonical_bytes
from plumbline.record.difference import first_problem
from plumbline.record.files import write_whole
from .alerts import Alert

NAME = "alerts.json"


class Ledger(Frozen):
    """All alerts ever opened, in the order in which they were."""

    alerts: tuple[Alert, ...] = ()


def read_ledger(data: Path) -> Ledger:
    """Return the ledger of a folder, empty when there is none. Raises UsageError when it is damaged."""
    path = data / NAME
    try:
        return Ledger.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return Ledger()
    except ValidationError as error:
        raise UsageError(f"{path}: {first_problem(error)}.", "Restore it from the data branch.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read ({error}).", "Restore it from the data branch.") from None


def write_ledger(data: Path, alerts: tuple[Alert, ...]) -> None:
    """Keep the alerts for the next analysis."""
    write_whole(data / NAME, canonical_bytes(Ledger(alerts=alerts)))
