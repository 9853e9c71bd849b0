"""Draws the rooms of the package and what each stands on, as a diagram of Mermaid.

    python -m tests.architecture

An arrow leads from a room to one that imports it; an arrow that follows from others is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.test_rooms import ORDER, PACKAGE, imports

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
        "held",
        "lifecycle",
        "doctor",
    ),
    "what it is worth": ("stats", "figures", "judge"),
    "what is kept": ("record", "history", "data", "simulate"),
    "what is told": ("studies", "report", "publish", "github"),
}


def stands_on() -> dict[str, set[str]]:
    """room -> the rooms that it imports, without those that one of the others imports anyway."""
    direct = {
        room: {other for file in (PACKAGE / room).rglob("*.py") for other in imports(file)}
        for room in (*ORDER, "cli")
    }
    below: dict[str, set[str]] = {}
    for room in (*ORDER, "cli"):
        below[room] = direct[room].union(*(below[other] for other in direct[room]))
    return {
        room: {one for one in its if not any(one in below[other] for other in its)}
        for room, its in direct.items()
    }


def diagram(arrows: Mapping[str, set[str]]) -> str:
    """The Mermaid source: a frame for each wing, `model` below and `cli` above all of them."""
    lines = ["flowchart BT"]
    for number, (title, rooms) in enumerate(WINGS.items()):
        lines += [f'  subgraph wing{number}["{title}"]', *(f"    {room}" for room in rooms), "  end"]
    order = [*ORDER, "cli"]
    lines += [f"  {below} --> {room}" for room in order for below in sorted(arrows[room], key=order.index)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(diagram(stands_on()))
