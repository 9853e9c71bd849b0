"""The pinned downloads of `pins.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.model.errors import UsageError

MAVEN_CENTRAL = "https://repo.maven.apache.org/maven2"

_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True)
class Pin:
    """A pinned file: the version of its tool, its address and its SHA-256 in hexadecimal."""

    version: str
    url: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name of the file: the last part of its address."""
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Pins:
    """All pins for one machine (`amd64`, `arm64`); `central` is Maven Central or its mirror."""

    tools: Mapping[str, Any]
    machine: str
    central: str

    @classmethod
    def of(cls, environ: Mapping[str, str], machine: str) -> Pins:
        """Return `machine` as `platform.machine()` says; `$PLUMBLINE_MAVEN_CENTRAL` names a mirror."""
        if machine not in _MACHINES:
            raise UsageError(
                f"There are no tools for a {machine} machine.", "Use an x86-64 or 64-bit Arm one."
            )
        tools = tomllib.loads(Path(__file__).with_name("pins.toml").read_text(encoding="utf-8"))
        central = environ.get("PLUMBLINE_MAVEN_CENTRAL") or MAVEN_CENTRAL
        return cls(tools, _MACHINES[machine], central.rstrip("/"))

    def version(self, tool: str) -> str:
        """Return the pinned version of a tool."""
        return str(self.tools[tool]["version"])

    def pin(self, tool: str) -> Pin:
        """Return the file of a tool for this machine. Raises UsageError when there is none."""
        facts = self.tools[tool].get(self.machine, self.tools[tool])
        if "sha256" not in facts:
            raise UsageError(
                f"The programs of {tool} are not published for {self.machine} machines.",
                "Leave out by --only what needs them.",
            )
        url = facts.get("url") or f"{self.central}/{facts['path']}"
        return Pin(self.version(tool), url, facts["sha256"])
