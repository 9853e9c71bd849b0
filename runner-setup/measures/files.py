"""Reading the small files of /proc and /sys; nothing here raises for a file that is missing or closed to us."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from .face import Roots

# Controllers of interrupts that each CPU has for itself, and how many of them the GIC numbers first.
_PRIVATE = ("xen-percpu", "RISC-V")
_PRIVATE_IN_GIC = 32


def read(path: Path) -> str | None:
    """Return the text of a file without the white space around it; None if it can't be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def lacks(path: Path) -> bool:
    """Return whether the kernel lacks the feature of a path: the folder can be listed, and has no such name."""
    try:
        return path.name not in {entry.name for entry in path.parent.iterdir()}
    except OSError:
        return False


def parse_cpus(text: str) -> tuple[int, ...]:
    """Return the numbers in a list of CPUs: `0-3,8` -> (0, 1, 2, 3, 8)."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(numbers))


def format_cpus(numbers: Iterable[int]) -> str:
    """Return numbers as a list of CPUs: (0, 1, 2, 3, 8) -> `0-3,8`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def online_cpus(text: str | None) -> tuple[int, ...]:
    """Return the CPUs of /sys/devices/system/cpu/online; none if it could not be read."""
    return parse_cpus(text) if text else ()


def format_mask(numbers: Iterable[int], like: str) -> str:
    """Return a mask in words of 32 bits, with as many digits as the kernel's own mask: (0, 1, 33) -> `2,00000003`."""
    words = [len(word) for word in like.strip().split(",")]
    digits = f"{sum(1 << number for number in numbers):x}".zfill(sum(words))
    parts: list[str] = []
    for length in reversed(words):
        parts.append(digits[-length:])
        digits = digits[:-length]
    return ",".join(reversed(parts))


def first_threads(roots: Roots) -> tuple[int, ...]:
    """Return the first online CPU of every core: the CPUs that stay when SMT is switched off."""
    folder = cpu_folder(roots)
    online = online_cpus(read(folder / "online"))
    siblings = {cpu: read(folder / f"cpu{cpu}/topology/thread_siblings_list") for cpu in online}
    return tuple(cpu for cpu in online if min(online_cpus(siblings[cpu]), default=cpu) == cpu)


def device_rows(table: str) -> Iterator[tuple[int, dict[int, int], str]]:
    """Yield number, counts by CPU and last word of each row of /proc/interrupts that is a device's.

    Of other rows most have no number. Each CPU's own timer, calls between CPUs and counters have numbers on ARM (the
    first 32 of the interrupt controller, GIC), on RISC-V and under Xen.
    """
    header, *rows = table.splitlines() or [""]
    cpus = [int(word.removeprefix("CPU")) for word in header.split()]
    for row in rows:
        number, _, fields = row.partition(":")
        words = fields.split()
        controller, *more = words[len(cpus) :] or [""]
        is_private = controller.startswith("GIC") and more[:1] and more[0].isdigit() and int(more[0]) < _PRIVATE_IN_GIC
        if number.strip().isdigit() and not is_private and controller not in _PRIVATE:
            yield int(number), dict(zip(cpus, map(int, words[: len(cpus)]), strict=False)), words[-1]


def cpu_folder(roots: Roots) -> Path:
    """Return the folder that has one folder for each CPU."""
    return roots.sys / "devices/system/cpu"


# The parent of all threads of the kernel. Where it is hidden, so are other processes (hidepid, a container).
_PARENT = "kthreadd"


def shows_all(running: frozenset[str]) -> bool:
    """Return whether these commands are all that run: a program that is not among them does not run."""
    return _PARENT in running


def commands(roots: Roots) -> frozenset[str]:
    """Return the commands that run and are shown to us, as the kernel names them (at most 15 characters); none if /proc
    can't be listed.
    """
    try:
        folders = [folder for folder in roots.proc.iterdir() if folder.name.isdigit()]
    except OSError:
        return frozenset()
    # A process may have ended since it was listed.
    return frozenset(filter(None, (read(folder / "comm") for folder in folders)))
