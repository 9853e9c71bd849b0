"""Draws the package as two diagrams of Mermaid: all rooms with their imports, and the parts alone.

    python -m tests.architecture

An arrow leads from a room, or a part, to one that imports it. An arrow that follows from others is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.test_rooms import ABOUT, FOLDERS, HARNESS, ORDER, PARTS, imports

LABORATORY = "laboratory"


def stands_on() -> dict[str, set[str]]:
    """room -> the rooms that it imports, without those that one of the others imports anyway."""
    return _fewest(_imported(), (*ORDER, LABORATORY))


def parts_stand_on() -> dict[str, set[str]]:
    """part -> the parts that it imports, without those that one of the others imports anyway."""
    part_of = {room: part for part, rooms in PARTS.items() for room in (rooms or (part,))}
    direct: dict[str, set[str]] = {part: set() for part in PARTS}
    for room, its in _imported().items():
        if room in part_of:
            direct[part_of[room]] |= {part_of[other] for other in its} - {part_of[room]}
    return _fewest(direct, PARTS)


def _imported() -> dict[str, set[str]]:
    folders = FOLDERS | {LABORATORY: HARNESS / LABORATORY}
    return {
        room: {other for file in folder.rglob("*.py") for other in imports(file)}
        for room, folder in folders.items()
    }


def _fewest(direct: Mapping[str, set[str]], order: Iterable[str]) -> dict[str, set[str]]:
    below: dict[str, set[str]] = {}
    for one in order:
        below[one] = direct[one].union(*(below[other] for other in direct[one]))
    return {
        one: {it for it in its if not any(it in below[other] for other in its)} for one, its in direct.items()
    }


def diagram(arrows: Mapping[str, set[str]]) -> str:
    """The Mermaid source: a frame for each part that has rooms, and the laboratory above all of them."""
    lines = ["flowchart BT"]
    for part, rooms in PARTS.items():
        if rooms:
            lines += [
                f'  subgraph {part}_["{part}: {ABOUT[part]}"]',
                *(f"    {room}" for room in rooms),
                "  end",
            ]
    order = [*ORDER, LABORATORY]
    lines += [f"  {below} --> {room}" for room in order for below in sorted(arrows[room], key=order.index)]
    return "\n".join(lines)


def parts(arrows: Mapping[str, set[str]]) -> str:
    """The Mermaid source of the parts, each with its rooms."""
    lines = ["flowchart BT"]
    for part, rooms in PARTS.items():
        inside = "".join(f"<br>{line}" for line in _lines(rooms))
        lines.append(f'  {part}["<b>{part}</b>: {ABOUT[part]}{inside}"]')
    order = list(PARTS)
    lines += [f"  {below} --> {part}" for part in order for below in sorted(arrows[part], key=order.index)]
    return "\n".join(lines)


def _lines(rooms: Sequence[str]) -> list[str]:
    """At most four names a line."""
    return [", ".join(rooms[first : first + 4]) for first in range(0, len(rooms), 4)]


if __name__ == "__main__":
    print(f"docs/architecture.md:\n\n{diagram(stands_on())}\n\nREADME.md:\n\n{parts(parts_stand_on())}")
