"""The condition that an idle CPU does not sleep deeply."""

from __future__ import annotations

from .changes import Change, Value
from .face import NeededFor, Reading, Roots, fit, unfit, unknown
from .files import cpu_folder, first_threads, online_cpus, read

ID = "cstates"
TITLE = "C-states capped"
WHY = "A CPU that slept deeply answers the next request late, which makes light load look slower than heavy load."
NEEDED_FOR: NeededFor = "lab"
SOURCE = "https://docs.kernel.org/admin-guide/pm/cpuidle.html"

# C1 and C1E wake within 10 us on servers; deeper states take tens to hundreds of us, as much as a whole request.
MAX_WAKE_US = 10
COMMAND = (
    "sudo sh -c 'for s in /sys/devices/system/cpu/cpu*/cpuidle/state*; do "
    f'[ "$(cat $s/latency)" -le {MAX_WAKE_US} ] || echo 1 >$s/disable; done\''
)


def check(roots: Roots) -> Reading:
    """Read `latency` (us to wake) and `disable` of every idle state of every online CPU."""
    folder = cpu_folder(roots)
    deep: dict[str, int] = {}
    state_count = 0
    cpus = online_cpus(read(folder / "online"))
    for cpu in cpus:
        states = sorted((folder / f"cpu{cpu}" / "cpuidle").glob("state*"))
        if not states:
            return unknown("no idle states are shown (cpuidle)")
        for state in states:
            latency, disabled = read(state / "latency"), read(state / "disable")
            if latency is None or not latency.isdigit() or disabled is None:
                return unknown(f"{state} does not say how long it takes to wake, or whether it is off")
            state_count += 1
            if int(latency) > MAX_WAKE_US and disabled == "0":
                deep[read(state / "name") or state.name] = int(latency)
    if not state_count:
        return unknown("no idle states are shown (cpuidle)")
    if deep:
        deep_names = ", ".join(f"{name} ({wake_us} us)" for name, wake_us in deep.items())
        return unfit(f"states that take over {MAX_WAKE_US} us to wake are on: {deep_names}", COMMAND)
    return fit(f"no state that takes over {MAX_WAKE_US} us to wake is on")


def changes(roots: Roots) -> list[Change]:
    """Return the changes that disable every idle state that wakes too slowly."""
    folder = cpu_folder(roots)
    return [
        Value(state / "disable", "1")
        for cpu in first_threads(roots)
        for state in sorted((folder / f"cpu{cpu}/cpuidle").glob("state*"))
        if (read(state / "latency") or "").isdigit()
        and int(read(state / "latency") or 0) > MAX_WAKE_US
        and read(state / "disable") is not None
    ]
