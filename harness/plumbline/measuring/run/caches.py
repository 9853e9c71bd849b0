"""Keeps the AOT caches of a session in its folder: trials before and after an interruption run with the same caches."""

from __future__ import annotations

import shutil
from pathlib import Path

from plumbline.archive.record.files import write_whole
from plumbline.machine.tools.download import file_sha256
from plumbline.model.record import Training
from .built import Contender, file_name, words_of
from .journal import Journal, Journaled


class Caches:
    """The caches of a session that is in a folder. The journal names every training, and so does the record."""

    def __init__(self, folder: Path, journaled: Journaled) -> None:
        self._folder, self._journal = folder / "aot", Journal(folder)
        self._earlier = {name: trainings[-1] for name, trainings in journaled.trained.items()}

    def keep(self, contender: Contender, cache: Path, training: Training) -> None:
        """Keep a cache that was just trained."""
        self._folder.mkdir(exist_ok=True)
        write_whole(self._place(contender), cache.read_bytes())
        self._journal.write("training", contender=words_of(contender), training=training.model_dump(mode="json"))

    def take(self, contender: Contender, cache: Path) -> bool:
        """Put the cache of the session before its interruption in its place, once; return whether there is one, as it
        was trained.
        """
        training, kept = self._earlier.pop(words_of(contender), None), self._place(contender)
        if training is None or not kept.is_file() or file_sha256(kept) != training.sha256:
            return False
        shutil.copyfile(kept, cache)
        # The application may be another user's.
        cache.chmod(0o644)
        return True

    def _place(self, contender: Contender) -> Path:
        return self._folder / f"{file_name(contender)}.aot"
