"""Draws a session's progress: one line a step, and on a terminal a last line that moves once a second."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.text import Text

from plumbline.model.plan import PlannedTrial
from plumbline.model.text import printable
from .console import duration

# The machine is measuring: a redraw costs some milliseconds of the housekeeping CPU.
REDRAWS_PER_S = 1


class TerminalProgress:
    """Draws the progress of a session on standard error; without a terminal it has no moving line."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(stderr=True, highlight=False, quiet=quiet)
        self._live: Live | None = None
        self._began_s = time.monotonic()
        self._phase_s = self._began_s
        self._trial = ""
        self._phase = ""
        self._remaining_s: float | None = None
        self._remaining_since_s = self._began_s
        self._place = ""

    def __enter__(self) -> TerminalProgress:
        if self._console.is_terminal and not self._console.quiet:
            self._live = Live(
                console=self._console,
                refresh_per_second=REDRAWS_PER_S,
                get_renderable=self._line,
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print a step outside the trials."""
        self._phase, self._phase_s = printable(text), time.monotonic()
        self._print(Text(f"{self._elapsed()}  {self._phase}"))

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None:
        """Note that a trial starts."""
        self._place = f"{count:>3}/{of}"
        self._trial = f"trial {self._place.lstrip()}  {trial.subject}  {trial.scenario}"
        self._remaining_s, self._remaining_since_s = remaining_s, time.monotonic()

    def phase_began(self, name: str) -> None:
        """Note that the trial enters a phase."""
        self._phase, self._phase_s = name, time.monotonic()

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None:
        """Print one line for the trial: its first figures, or why it failed."""
        role = "" if trial.role == "measured" else f" ({trial.proof or trial.role})"
        row = Text(f"{self._elapsed()}  {self._place}  {trial.subject}{role}  ")
        row.append(headline if problem is None else f"failed {problem}", style="" if problem is None else "red")
        row.append(f"  {self._time_left()}", style="dim")
        self._print(row)
        self._trial = ""

    def _print(self, row: Text) -> None:
        """Print a line. On a terminal a long line goes on below its first words; a log keeps it on one line."""
        if not self._console.is_terminal:
            self._console.print(row, soft_wrap=True)
            return
        first_line, *further_lines = row.wrap(self._console, self._console.width)
        self._console.print(first_line)
        indent = len(self._elapsed()) + 2
        for line in Text(" ").join(further_lines).wrap(self._console, max(1, self._console.width - indent)):
            self._console.print(Padding(line, (0, 0, 0, indent)))

    def _elapsed(self) -> str:
        minutes, seconds = divmod(int(time.monotonic() - self._began_s), 60)
        return f"{minutes:02d}:{seconds:02d}"

    def _time_left(self) -> str:
        if self._remaining_s is None:
            return ""
        left_s = max(0.0, self._remaining_s - (time.monotonic() - self._remaining_since_s))
        return f"{duration(left_s)} left"

    def _line(self) -> Text:
        """Return the moving line. It shortens the trial's name before it takes a second line."""
        inside_s = time.monotonic() - self._phase_s
        head, tail = f"{self._elapsed()}  ", f"  {self._phase} {inside_s:.0f} s  {self._time_left()}"
        room = self._console.width - len(head) - len(tail)
        trial = self._trial or "…"
        if len(trial) > room:
            trial = f"{trial[: max(room - 1, 0)]}…"
        return Text(f"{head}{trial}{tail}", style="cyan", no_wrap=True, overflow="ellipsis")
