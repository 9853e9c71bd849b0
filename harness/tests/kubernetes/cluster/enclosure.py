"""The name spaces that a cluster's programs live in: they end with it, all of them, and their mounts as well.

unshare (killed with the tests) -> a shell that reaps -> etcd, API server, ..., containerd -> pods
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

# Services of the host don't look into these folders of the enclosure, and don't see what is in them.
_OWN_FOLDERS = ("/run", "/var/lib", "/var/log")
_SHELL = """set -e
for folder in {folders}; do mount -t tmpfs -o mode=755 plumbline-cluster "$folder"; done
echo ready
# Ends when the tests end, however they do: nobody writes into its standard input, which they hold.
cat
exit 0
"""
_ENDS_S = 30.0


class Program:
    """A program in an enclosure: its words, its log, and the process that runs them now."""

    def __init__(self, enclosure: Enclosure, argv: Sequence[str], log: Path) -> None:
        self._enclosure, self._argv, self.log = enclosure, argv, log
        self.start()

    @property
    def pid(self) -> int:
        """The process of the program itself, as this host counts it."""
        parent = self._entered.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        assert len(children) == 1, f"{self.name} has ended: {self.said()}"
        return int(children[0])

    @property
    def name(self) -> str:
        return Path(self._argv[0]).name

    @property
    def runs(self) -> bool:
        return self._entered.poll() is None

    def start(self) -> None:
        """Start the program, for the first time or again."""
        with self.log.open("ab") as log:
            self._entered = subprocess.Popen(
                self._enclosure.words(self._argv),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A signal from the keyboard is for the tests, which then end this program.
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the program, as the kernel does when memory runs out."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait(_ENDS_S)

    def wait(self, within_s: float) -> None:
        """Wait until the program has ended, and reap it."""
        self._entered.wait(within_s)

    def said(self) -> str:
        """The last lines of the program's log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-5:])


class Enclosure:
    """A PID and a mount name space. Its programs are children of this process, which reaps them."""

    def __enter__(self) -> Enclosure:
        self._programs: list[Program] = []
        words = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--mount-proc")
        script = _SHELL.format(folders=" ".join(_OWN_FOLDERS))
        self._holder = subprocess.Popen(
            [*words, "--kill-child", "bash", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n", "the name spaces could not be made"
        parent = self._holder.pid
        (child,) = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        self.init = int(child)
        return self

    def words(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs a program in the enclosure."""
        return ["nsenter", f"--target={self.init}", "--mount", "--pid", "--", *argv]

    def start(self, argv: Sequence[str], log: Path) -> Program:
        """Start a program that ends with the enclosure."""
        program = Program(self, argv, log)
        self._programs.append(program)
        return program

    def run(self, argv: Sequence[str]) -> str:
        """Run a program to its end, and return what it wrote."""
        ended = subprocess.run(self.words(argv), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, f"{argv[0]} ended with {ended.returncode}: {ended.stderr}"
        return ended.stdout

    def __exit__(self, *error: object) -> None:
        # The kernel ends every process of a name space whose first one has ended, and takes its mounts away.
        self._holder.communicate(timeout=_ENDS_S)
        for program in self._programs:
            program.wait(_ENDS_S)
