"""A container engine for tests, that stands in for podman."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.machine.tools.container import ContainerEngine, find_container_engine
from plumbline.machine.tools.running import run
from tests import engine_stand_in


@dataclass(frozen=True)
class StandIn:
    """`folder` belongs on PATH; images and containers lie below `state`."""

    folder: Path
    state: Path

    @property
    def engine(self) -> ContainerEngine:
        """As the harness finds it."""
        found = find_container_engine({"PATH": f"{self.folder}:/usr/bin:/bin"}, run)
        assert isinstance(found, ContainerEngine), found
        return found

    def image(self, program: str) -> str:
        """An image that has nothing but `/app/program`, by its digest."""
        digest = "1" * 64
        file = self.state / "images" / digest / "app" / "program"
        file.parent.mkdir(parents=True)
        file.write_text(program)
        file.chmod(0o755)
        return digest

    def containers(self) -> list[dict[str, Any]]:
        """Those that are there, with the words that started them."""
        return [json.loads(path.read_text()) for path in sorted((self.state / "containers").iterdir())]


@contextmanager
def stand_in(java: Path) -> Iterator[StandIn]:
    """An engine of its own, where the user of images can read: not below pytest's folders, which are for us alone."""
    root = Path(tempfile.mkdtemp(prefix="bench-engine-", dir="/var/tmp"))
    root.chmod(0o755)
    made = StandIn(root / "bin", root / "state")
    for folder in (made.folder, *(made.state / name for name in ("images", "bases", "containers"))):
        folder.mkdir(parents=True)
    text = Path(engine_stand_in.__file__).read_text()
    text = text.replace("@STATE@", str(made.state), 1).replace("@JAVA@", str(java), 1)
    program = made.folder / "podman"
    program.write_text(f"#!{sys.executable} -I\n{text}")
    program.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(root)
