"""A process that somebody else started for us: its interface, whoever owns it."""

from __future__ import annotations

from typing import Any, Protocol

# After SIGKILL only the kernel itself (a write that hangs) can delay an end.
AFTER_KILL_S = 5.0


class ProcessOwner(Protocol):
    """The owner of a process, which started it and answers for it: the supervisor or the host's launcher."""

    def ask(self, **words: Any) -> dict[str, Any]:
        """Send one request, and wait for its answer."""
        ...

    def exit_of(self, pid: int, timeout_s: float) -> int | None:
        """Return the exit status of a process, or None when it still runs after `timeout_s`."""
        ...


class Child:
    """A process of an owner; see `launch.interface.Process`. `of_end` are words that its owner needs to end it."""

    def __init__(self, owner: ProcessOwner, pid: int, spawned_at_s: float, **of_end: int) -> None:
        self.pid = pid
        self.spawned_at_s = spawned_at_s
        self._owner = owner
        self._of_end = of_end

    def poll(self) -> int | None:
        """Return exit status (minus the signal's number when a signal ended it), or None while it runs."""
        return self._owner.exit_of(self.pid, 0.0)

    def wait(self, timeout_s: float) -> int | None:
        """Wait for the end; the exit status, or None when it still runs after `timeout_s`."""
        return self._owner.exit_of(self.pid, timeout_s)

    def signal(self, number: int) -> None:
        """Send a signal to this process alone; nothing happens when it has ended."""
        self._owner.ask(do="signal", pid=self.pid, number=int(number))

    def terminate(self, timeout_s: float) -> int | None:
        """Send the stop signal; after `timeout_s` its whole group or unit is killed. The exit status.

        None only when even that did not end it within a few seconds more.
        """
        self._owner.ask(do="terminate", pid=self.pid, grace_s=timeout_s, **self._of_end)
        return self._owner.exit_of(self.pid, timeout_s + AFTER_KILL_S)
