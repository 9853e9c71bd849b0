"""A container engine for tests that stands in for podman."""

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
        """The engine as the harness finds it."""
        engine = find_container_engine({"PATH": f"{self.folder}:/usr/bin:/bin"}, run)
        assert isinstance(engine, ContainerEngine), engine
        return engine

    def image(self, program: str) -> str:
        """An image that has nothing but `/app/program`, by its digest."""
        digest = "1" * 64
        file = self.state / "images" / digest / "app" / "program"
        file.parent.mkdir(parents=True)
        file.write_text(program)
        file.chmod(0o755)
        return digest

    def containers(self) -> list[dict[str, Any]]:
        """The containers that exist, each with the words that started it."""
        return [json.loads(path.read_text()) for path in sorted((self.state / "containers").iterdir())]


@contextmanager
def stand_in(java: Path) -> Iterator[StandIn]:
    """A new engine in a folder that the user of images can read: pytest's folders are for us alone."""
    root = Path(tempfile.mkdtemp(prefix="bench-engine-", dir="/var/tmp"))
    root.chmod(0o755)
    engine = StandIn(root / "bin", root / "state")
    for folder in (engine.folder, *(engine.state / name for name in ("images", "bases", "containers"))):
        folder.mkdir(parents=True)
    text = Path(engine_stand_in.__file__).read_text()
    text = text.replace("@STATE@", str(engine.state), 1).replace("@JAVA@", str(java), 1)
    program = engine.folder / "podman"
    program.write_text(f"#!{sys.executable} -I\n{text}")
    program.chmod(0o755)
    try:
        yield engine
    finally:
        shutil.rmtree(root)
