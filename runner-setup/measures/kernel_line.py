"""The condition that the kernel leaves the measuring CPUs alone from its first moment on."""

from __future__ import annotations

from .changes import Change, File
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import commands, cpu_folder, format_cpus, online_cpus, read, shows_all

ID = "kernel-line"
TITLE = "Kernel's callbacks and interrupts on the housekeeping CPUs"
WHY = "Work that the kernel puts off (RCU) is done on the CPU that asked for it, in the middle of a request."
NEEDED_FOR: NeededFor = "extra"
SOURCE = "https://docs.kernel.org/admin-guide/kernel-parameters.html"

# GRUB reads these files by name, and a provider's file (Hetzner's `hetzner.cfg`) replaces the words of earlier files.
NAME = "default/grub.d/zz-plumbline-host.cfg"
# Threads that do a CPU's work in its place, as kernels with and without preemption name them.
THREADS = ("rcuop/", "rcuos/")
# A switch of mode while the host runs would reset what other measures set.
PASSIVE = "amd_pstate=passive"


def check(roots: Roots) -> Reading:
    """Read `rcu_nocbs` on the kernel's command line, and the threads of a kernel that knows this word.

    Only reported: nobody has shown how much it is worth here.
    """
    line = read(roots.proc / "cmdline")
    if not line or not roots.app_cpus:
        return unknown("not shown (/proc/cmdline)")
    words = dict(word.split("=", 1) for word in line.split() if "=" in word)
    try:
        relieved = set(online_cpus(words.get("rcu_nocbs")))
    except ValueError:
        return unknown(f"rcu_nocbs={words['rcu_nocbs']} names no CPUs by their numbers")
    if not set(roots.app_cpus) <= relieved:
        return unfit(*advised(roots, "rcu_nocbs does not name the application's CPUs"))
    running = commands(roots)
    if not shows_all(running):
        return unknown("whether the kernel obeys rcu_nocbs is not shown: its threads are hidden")
    cpus_with_thread = {name.partition("/")[2] for name in running if name.startswith(THREADS)}
    if {str(cpu) for cpu in roots.app_cpus} <= cpus_with_thread:
        return fit(f"rcu_nocbs={words['rcu_nocbs']}")
    return unfit("this kernel was built without rcu_nocbs (CONFIG_RCU_NOCB_CPU)", None)


def advised(roots: Roots, problem: str) -> tuple[str, str | None]:
    """Return a reading for a kernel that lacks our words, and the command that adds them: none if they are written."""
    if not any(isinstance(change, File) and read(change.path) == change.content.strip() for change in changes(roots)):
        return problem, "sudo bench-host apply --only kernel-line"
    written = f"{roots.etc / NAME} asks for it, and the kernel was started without it"
    return f"{problem}: {written}; reboot, or see what else sets GRUB's words", None


def needs_passive_driver(roots: Roots) -> bool:
    """Return whether amd_pstate shows no switch of boost: kernels before 6.11 have none in its active mode."""
    folder = cpu_folder(roots)
    return read(folder / "amd_pstate/status") == "active" and not (folder / "cpufreq/boost").exists()


def changes(roots: Roots) -> list[Change]:
    """Return a file of words for GRUB, if GRUB starts this host; otherwise a person adds them."""
    if not roots.housekeeping or not (roots.etc / "default/grub").is_file():
        return []
    words = f"irqaffinity={format_cpus(roots.housekeeping)} rcu_nocbs={format_cpus(roots.app_cpus)}"
    # Once the host has booted with this word, the switch is there.
    if needs_passive_driver(roots) or PASSIVE in (read(roots.proc / "cmdline") or "").split():
        words += f" {PASSIVE}"
    text = f'GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT {words}"\n'
    return [File(roots.etc / NAME, text, then=("update-grub",), reboot=True)]
