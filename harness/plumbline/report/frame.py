"""Print for a terminal, and return the text."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console


def framed(write: Callable[[Console], None], width: int, colour: bool) -> str:
    """Return what `write` prints, in at most `width` columns; with escape sequences only when `colour` is set."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as captured:
        write(console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
