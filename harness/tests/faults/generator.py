"""A load generator that does something else than the plan says: by its scripts, its options or its environment."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from plumbline.measuring.launch.interface import RunningProcess, Spawner, StartRequest
from plumbline.measuring.load.k6 import K6
from plumbline.model.evidence import Stray
from tests.live.conftest import ROOT


@dataclass(frozen=True)
class Generator:
    """The changes: texts in files below k6/, each of which occurs once; words behind `run`; variables."""

    scripts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    words: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def instead_of(self, k6: K6, folder: Path) -> K6:
        """The changed k6, with its scripts in a folder that this makes."""
        if not self.scripts:
            return replace(k6, spawner=Retold(k6.spawner, self))
        for part in ("lib", "scenarios"):
            shutil.copytree(ROOT / "k6" / part, folder / part)
        for file, changes in self.scripts:
            text = (folder / file).read_text(encoding="utf-8")
            for before, after in changes:
                assert text.count(before) == 1, f"{file} has changed: {before}"
                text = text.replace(before, after)
            (folder / file).write_text(text, encoding="utf-8")
        return replace(k6, scenarios=folder / "scenarios", spawner=Retold(k6.spawner, self))


class Retold:
    """A spawner that starts k6 with other words and variables."""

    def __init__(self, spawner: Spawner, changed: Generator) -> None:
        self._spawner, self._changed = spawner, changed

    def spawn(self, **program: Unpack[StartRequest]) -> RunningProcess:
        """As Spawner."""
        argv = program["argv"]
        at = argv.index("run") + 1
        program["argv"] = [*argv[:at], *self._changed.words, *argv[at:]]
        program["env"] = {**program["env"], **self._changed.variables}
        return self._spawner.spawn(**program)

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        """As Spawner."""
        return self._spawner.end_strays(spared)
