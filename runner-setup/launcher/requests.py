"""What a client may say, held to its shape before anything is done."""

from __future__ import annotations

import os
import re
from typing import Any

from .config import Refused
from .units import ROLES

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS_BYTES = 256 * 1024
READABLE = ("cmdline", "environ", "smaps_rollup")


def program(words: dict[str, Any]) -> dict[str, Any]:
    """argv, cwd and env of a process. Raises Refused."""
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


def cpus(words: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """CPU numbers of each role. Raises Refused for what this machine does not have."""
    found = words.get("cpus")
    if not isinstance(found, dict) or set(found) != set(ROLES):
        raise Refused(f"cpus must name {', '.join(ROLES)}")
    most = os.cpu_count() or 1
    for numbers in found.values():
        if not isinstance(numbers, list) or not numbers:
            raise Refused("every role needs a CPU")
        if not all(type(number) is int and 0 <= number < most for number in numbers):
            raise Refused("there is no such CPU")
    return {role: tuple(numbers) for role, numbers in found.items()}


def role(words: dict[str, Any]) -> str:
    """A role that is started inside."""
    found = words.get("role")
    if found not in ROLES:
        raise Refused(f"there is no role '{found}'")
    return str(found)


def number(words: dict[str, Any], name: str, low: float, high: float) -> float:
    """A number within bounds."""
    found = words.get(name)
    if type(found) not in (int, float) or not low <= found <= high:
        raise Refused(f"{name} must be a number from {low:g} to {high:g}")
    return float(found)


def readable(words: dict[str, Any]) -> str:
    """A file of /proc/PID that the asking user could not read itself."""
    found = words.get("file")
    if found not in READABLE:
        raise Refused(f"only {', '.join(READABLE)} are read")
    return str(found)


def _is_text(word: Any) -> bool:
    return isinstance(word, str) and "\0" not in word
