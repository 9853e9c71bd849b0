"""Reads a host: every condition of `runner-setup/measures`, and the counters that rules compare over a session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from plumbline.model.host import CpuSets, HostReading
from .classify import condition, load
from .kernel import parse_cpulist, utc_now


def read_host(
    measures: Path,
    *,
    proc: Path,
    sys_root: Path,
    etc: Path,
    run: Path,
    var: Path,
    scratch: Path,
    sets: CpuSets | None,
) -> HostReading:
    """Return what the host shows at this moment. `measures` is the folder of the measures, `sets` are the CPUs of the
    roles, if known.

    Raises UsageError when the folder is not there. What the host does not show is `unknown` or left out.
    """
    package = load(measures)
    roots = package.face.Roots(
        proc=proc, sys=sys_root, etc=etc, run=run, var=var, scratch=scratch, app_cpus=sets.app if sets else ()
    )
    cpus = parse_cpulist(_text(sys_root / "devices/system/cpu/online") or "")
    uptime = (_text(proc / "uptime") or "").split()
    return HostReading(
        read_at=utc_now(),
        uptime_s=float(uptime[0]) if uptime else None,
        conditions=tuple(condition(measure, roots) for measure in package.MEASURES),
        frequency_khz=dict(_frequencies(sys_root, cpus)),
        throttled=dict(_throttled(sys_root, cpus)),
        interrupts=_interrupts(package, _text(proc / "interrupts") or ""),
    )


def _frequencies(sys_root: Path, cpus: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, int]]]:
    for cpu in cpus:
        folder = sys_root / f"devices/system/cpu/cpu{cpu}/cpufreq"
        low, high = (_number(folder / f"scaling_{end}_freq") for end in ("min", "max"))
        if low is not None and high is not None:
            yield cpu, (low, high)


def _throttled(sys_root: Path, cpus: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for cpu in cpus:
        folder = sys_root / f"devices/system/cpu/cpu{cpu}/thermal_throttle"
        core, package = (_number(folder / f"{part}_throttle_count") for part in ("core", "package"))
        if core is not None:
            yield cpu, core + (package or 0)


def _interrupts(package: ModuleType, table: str) -> dict[int, int]:
    """Return the interrupts by devices of each CPU, of /proc/interrupts."""
    header = table.partition("\n")[0]
    total = {int(word.removeprefix("CPU")): 0 for word in header.split()}
    for _, counts, _ in package.files.device_rows(table):
        for cpu, count in counts.items():
            total[cpu] += count
    return total


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text and text.isdigit() else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
