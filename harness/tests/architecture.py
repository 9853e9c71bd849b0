"""Draws the package as two diagrams of Mermaid: all rooms with their imports, and the parts alone.

    ./bench python -m tests.architecture

An arrow leads from a room, or a part, to each that imports it. An arrow that follows from other arrows is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.test_rooms import ABOUT, FOLDERS, PART_OF, PARTS, imports


def stands_on() -> dict[str, set[str]]:
    """room -> the rooms that it imports, without each room that another of these rooms imports as well."""
    return _without_implied(_imports_of_rooms())


def parts_stand_on() -> dict[str, set[str]]:
    """part -> the parts that it imports, without each part that another of these parts imports as well."""
    direct: dict[str, set[str]] = {part: set() for part in PARTS}
    for room, imported in _imports_of_rooms().items():
        if room in PART_OF:
            direct[PART_OF[room]] |= {PART_OF[other] for other in imported} - {PART_OF[room]}
    return _without_implied(direct)


def _imports_of_rooms() -> dict[str, set[str]]:
    return {
        room: {other for file in folder.rglob("*.py") for other in imports(file)} for room, folder in FOLDERS.items()
    }


def _without_implied(direct: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Leave out each import that follows from others; each key comes after the keys that it imports."""
    below: dict[str, set[str]] = {}
    for importer, imported in direct.items():
        below[importer] = imported.union(*(below[other] for other in imported))
    return {
        importer: {name for name in imported if not any(name in below[other] for other in imported)}
        for importer, imported in direct.items()
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
    return "\n".join([*lines, *_arrow_lines(arrows)])


def parts(arrows: Mapping[str, set[str]]) -> str:
    """The Mermaid source of the parts, each with its rooms."""
    lines = ["flowchart BT"]
    for part, rooms in PARTS.items():
        inside = "".join(f"<br>{line}" for line in _lines_of_names(rooms))
        lines.append(f'  {part}["<b>{part}</b>: {ABOUT[part]}{inside}"]')
    return "\n".join([*lines, *_arrow_lines(arrows)])


def _arrow_lines(arrows: Mapping[str, set[str]]) -> list[str]:
    order = list(arrows)
    return [f"  {below} --> {above}" for above in order for below in sorted(arrows[above], key=order.index)]


def _lines_of_names(rooms: Sequence[str]) -> list[str]:
    """At most four names a line."""
    return [", ".join(rooms[first : first + 4]) for first in range(0, len(rooms), 4)]


if __name__ == "__main__":
    print(f"docs/architecture.md:\n\n{diagram(stands_on())}\n\nREADME.md:\n\n{parts(parts_stand_on())}")
