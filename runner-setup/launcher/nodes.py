"""The nodes of memory that belong to CPUs, as the kernel names them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/sys/devices/system/node")


def memory_nodes(cpus: tuple[int, ...]) -> tuple[int, ...]:
    """Return the nodes of the CPUs that have memory; none if these are all nodes, or if the kernel shows none.

    The harness gives the groups that it makes itself the same nodes (`memory_nodes` in its measuring/place/groups.py).
    """
    try:
        with_memory = parse_list((FOLDER / "has_memory").read_text(encoding="ascii"))
        own_nodes = {
            node
            for node in with_memory
            if parse_list((FOLDER / f"node{node}/cpulist").read_text(encoding="ascii")) & set(cpus)
        }
    except FileNotFoundError:
        return ()
    return () if own_nodes == with_memory else tuple(sorted(own_nodes))


def parse_list(text: str) -> set[int]:
    """Return the numbers in a list of the kernel: `0,2,8-10` -> {0, 2, 8, 9, 10}."""
    # This folder is installed alone, without measures/files.py, which reads such lists for bench-host.
    runs = (part.partition("-") for part in text.strip().split(",") if part.strip())
    return {number for first, _, last in runs for number in range(int(first), int(last or first) + 1)}
