"""The condition that devices do not interrupt the application's CPUs."""

from __future__ import annotations

from .changes import Change, Value, masked
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import (
    commands,
    cpu_folder,
    device_rows,
    format_cpus,
    format_mask,
    online_cpus,
    read,
    shows_all,
)

ID = "interrupts"
TITLE = "Interrupts elsewhere than the application"
WHY = "A network card or a disk that interrupts the application's CPU takes time that is counted as the framework's."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/core-api/irq/irq-affinity.html"

# The limit of rule R27, which judges a session's own interrupts. A disk's queue that is bound to its CPU fires at boot
# and hardly again; no command can move it, and it is not worth a verdict.
RARE_PER_S = 100.0

STOP_BALANCING = "sudo systemctl disable --now irqbalance"


def check(roots: Roots) -> Reading:
    """Read /proc/interrupts (counts since boot), the affinity of each device's interrupt, and if irqbalance runs."""
    running = commands(roots)
    if "irqbalance" in running:
        return unfit("irqbalance runs, and moves interrupts as it sees fit", STOP_BALANCING)
    if not roots.app_cpus:
        return unknown("which CPUs the application gets is not known")
    table, uptime = read(roots.proc / "interrupts"), read(roots.proc / "uptime")
    online = online_cpus(read(cpu_folder(roots) / "online"))
    if not table or not uptime or not online:
        return unknown("the interrupts of this host are not shown (/proc/interrupts)")
    per_s: dict[str, float] = {}
    for number, counts, name in device_rows(table):
        fired = sum(counts.get(cpu, 0) for cpu in roots.app_cpus)
        if not fired:
            continue
        folder = roots.proc / "irq" / str(number)
        affinity = read(folder / "effective_affinity_list") or read(folder / "smp_affinity_list")
        if affinity is None:
            return unknown(f"where interrupt {number} may fire is not shown (/proc/irq)")
        if set(online_cpus(affinity)) & set(roots.app_cpus):
            per_s[name] = per_s.get(name, 0.0) + fired / float(uptime.split()[0])
    app = format_cpus(roots.app_cpus)
    if sum(per_s.values()) >= RARE_PER_S:
        busy = sorted(per_s, key=lambda name: -per_s[name])
        other_cpus = format_cpus(set(online) - set(roots.app_cpus))
        return unfit(
            f"{', '.join(busy[:3])}{' and others' if len(busy) > 3 else ''} may fire on the application's CPUs ({app})",
            f"for irq in /proc/irq/[0-9]*; do echo {other_cpus} | sudo tee $irq/smp_affinity_list; done",
        )
    if not shows_all(running):
        return unknown("whether irqbalance runs is not shown (/proc)")
    return fit(f"no device fires often on the application's CPUs ({app})")


def changes(roots: Roots) -> list[Change]:
    """Return the changes that put all interrupts and the kernel's own queues on the housekeeping CPUs for good."""
    target_cpus = set(roots.housekeeping)
    if not target_cpus:
        return []
    host_changes = masked(roots, ("irqbalance.service",))
    for path in (roots.proc / "irq/default_smp_affinity", roots.sys / "devices/virtual/workqueue/cpumask"):
        mask = read(path)
        if mask:
            host_changes.append(Value(path, format_mask(target_cpus, like=mask)))
    lines = sorted((roots.proc / "irq").glob("[0-9]*"), key=lambda folder: int(folder.name))
    return host_changes + [
        Value(folder / "smp_affinity_list", format_cpus(target_cpus))
        for folder in lines
        if read(folder / "smp_affinity_list") is not None
    ]
