"""The parts of a client's request, each of which is checked before anything is done."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .config import Refused
from .nodes import parse_list
from .units import ROLES

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS_BYTES = 256 * 1024
READABLE = ("cmdline", "environ", "hsperfdata", "io", "smaps_rollup")
ONLINE = Path("/sys/devices/system/cpu/online")


def program(words: dict[str, Any]) -> dict[str, Any]:
    """Return argv, cwd and env of a process. Raises Refused for anything else."""
    argv, cwd, env = words.get("argv"), words.get("cwd"), words.get("env")
    if not isinstance(argv, list) or not argv or not all(_is_text(word) for word in argv):
        raise Refused("argv must be a list of words")
    if not argv[0].startswith("/"):
        raise Refused("the program must be named by its full path")
    if not _is_text(cwd) or not str(cwd).startswith("/"):
        raise Refused("cwd must be a full path")
    if not isinstance(env, dict) or not all(
        isinstance(name, str) and _NAME.match(name) and _is_text(value) for name, value in env.items()
    ):
        raise Refused("env must map names to words")
    if sum(len(str(word)) for word in (*argv, *env, *env.values())) > _WORDS_BYTES:
        raise Refused(f"command line and environment are longer than {_WORDS_BYTES} bytes")
    return {"argv": argv, "cwd": cwd, "env": env}


def cpus(words: dict[str, Any], online: Path = ONLINE) -> dict[str, tuple[int, ...]]:
    """Return the CPU numbers of each role. Raises Refused for a CPU that the file `online` does not list."""
    cpus_of_role = words.get("cpus")
    if not isinstance(cpus_of_role, dict) or set(cpus_of_role) != set(ROLES):
        raise Refused(f"cpus must name {', '.join(ROLES)}")
    # A count of CPUs does not do: with SMT switched off, numbers of siblings are missing in between.
    online_cpus = parse_list(online.read_text(encoding="ascii"))
    for numbers in cpus_of_role.values():
        if not isinstance(numbers, list) or not numbers:
            raise Refused("every role needs a CPU")
        if not all(type(number) is int and number in online_cpus for number in numbers):
            raise Refused("there is no such CPU")
    return {role: tuple(numbers) for role, numbers in cpus_of_role.items()}


def role(words: dict[str, Any]) -> str:
    """Return a role that is started inside the sandbox. Raises Refused."""
    name = words.get("role")
    if name not in ROLES:
        raise Refused(f"there is no role '{name}'")
    return str(name)


def number(words: dict[str, Any], name: str, low: float, high: float) -> float:
    """Return a number within bounds. Raises Refused."""
    value = words.get(name)
    if value is None or type(value) not in (int, float) or not low <= value <= high:
        raise Refused(f"{name} must be a number from {low:g} to {high:g}")
    return float(value)


def readable(words: dict[str, Any]) -> str:
    """Return a file of a process that the asking user could not read itself. Raises Refused."""
    name = words.get("file")
    if name not in READABLE:
        raise Refused(f"only {', '.join(READABLE)} are read")
    return str(name)


def _is_text(word: Any) -> bool:
    return isinstance(word, str) and "\0" not in word
