"""Draws the rooms of the package, as two diagrams of Mermaid: all of them with their imports, and their wings alone.

    python -m tests.architecture

In the first an arrow leads from a room to one that imports it; an arrow that follows from others is left out. In the
second, which the README has, arrows are the way of a number from the configuration to a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tests.test_rooms import HARNESS, ORDER, PACKAGE, imports

WINGS: dict[str, tuple[str, ...]] = {
    "what is compared": ("catalog", "plan", "change"),
    "how it is measured": (
        "host",
        "tools",
        "build",
        "place",
        "launch",
        "services",
        "contract",
        "observe",
        "load",
        "run",
        "cluster",
        "conformance",
        "lifecycle",
        "doctor",
    ),
    "what it is worth": ("stats", "figures", "judge"),
    "what is kept": ("record", "history", "data"),
    "what is told": ("studies", "report", "publish", "github"),
}


def stands_on() -> dict[str, set[str]]:
    """room -> the rooms that it imports, without those that one of the others imports anyway."""
    folders = {room: PACKAGE / room for room in (*ORDER, "cli")} | {"laboratory": HARNESS / "laboratory"}
    direct = {
        room: {other for file in folder.rglob("*.py") for other in imports(file)}
        for room, folder in folders.items()
    }
    below: dict[str, set[str]] = {}
    for room in folders:
        below[room] = direct[room].union(*(below[other] for other in direct[room]))
    return {
        room: {one for one in its if not any(one in below[other] for other in its)}
        for room, its in direct.items()
    }


def diagram(arrows: Mapping[str, set[str]]) -> str:
    """The Mermaid source: a frame for each wing, `model` below, `cli` and the laboratory above all of them."""
    lines = ["flowchart BT"]
    for number, (title, rooms) in enumerate(WINGS.items()):
        lines += [f'  subgraph wing{number}["{title}"]', *(f"    {room}" for room in rooms), "  end"]
    order = [*ORDER, "cli", "laboratory"]
    lines += [f"  {below} --> {room}" for room in order for below in sorted(arrows[room], key=order.index)]
    return "\n".join(lines)


def wings() -> str:
    """The Mermaid source of the wings in their order, each with its rooms."""
    boxes = [
        f'wing{number}["<b>{title}</b><br>{"<br>".join(_lines(rooms))}"]'
        for number, (title, rooms) in enumerate(WINGS.items())
    ]
    return "\n".join(["flowchart LR", *(f"  {one} --> {other}" for one, other in pairwise(boxes))])


def _lines(rooms: Sequence[str]) -> list[str]:
    """At most four names a line."""
    return [", ".join(rooms[first : first + 4]) for first in range(0, len(rooms), 4)]


if __name__ == "__main__":
    print(f"docs/architecture.md:\n\n{diagram(stands_on())}\n\nREADME.md:\n\n{wings()}")
