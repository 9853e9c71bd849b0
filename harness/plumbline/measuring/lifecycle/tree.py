"""A private copy of the sources, and Maven in it.

    <scratch>/tree/apps            every module but build outputs, as in the checkout
    <cache>/lifecycle/repository   what Maven adds: the shared modules, installed, and what only these steps need
    ~/.m2/repository               searched after that one, never written (`maven.repo.local.tail`)

A variant is built alone. The modules that it shares with all others are installed beforehand, so that their compilation
is no part of its build.
"""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbline.measuring.build.store import not_sources
from plumbline.model.errors import AnswerIsNo
from plumbline.subjects.catalog.variant import Variant

# The start of the greeting in the source of every variant: the literal that `edit` changes.
GREETING = '"Hello, '


@dataclass(frozen=True)
class Tree:
    """A private copy of the sources: `root` has the copies, `repository` what Maven writes, `behind` what it reads."""

    root: Path
    repository: Path
    user_repository: Path

    def folder(self, variant: Variant) -> Path:
        """Return the folder of the copy of a variant."""
        return self.root / ("guests" if _is_guest(variant) else "apps") / variant.id

    def take(self, variant: Variant, apps: Path) -> None:
        """Copy a variant with its siblings, unless they were copied for another one."""
        if _is_guest(variant) and not self.folder(variant).exists():
            _copy(variant.folder, self.folder(variant))
        elif not _is_guest(variant) and not (self.root / "apps").exists():
            _copy(apps, self.root / "apps")

    def maven(self, maven: Path, goals: tuple[str, ...], *, offline: bool) -> list[str]:
        """Return the command line of Maven in this tree, with these goals."""
        return [
            str(maven),
            "--batch-mode",
            "--no-transfer-progress",
            "-Dstyle.color=never",
            f"-Dmaven.repo.local={self.repository}",
            f"-Dmaven.repo.local.tail={self.user_repository}",
            *(["--offline"] if offline else []),
            *goals,
        ]

    def shared_modules(self, variant: Variant) -> tuple[str, ...]:
        """Return the siblings that a module of the reactor is built with: those of its `inputs` that have a pom.xml."""
        if _is_guest(variant):
            return ()
        return tuple(
            Path(text).name for text in variant.spec.build.inputs if (variant.folder / text / "pom.xml").is_file()
        )

    def edit(self, variant: Variant, number: int) -> None:
        """Change the greeting, in the only source that has it, to `"Hello <number>, `; 0 restores the original.

        Raises AnswerIsNo where no source, or more than one, has the greeting.
        """
        sources = [
            path
            for path in sorted((self.folder(variant) / "src" / "main").rglob("*"))
            if path.suffix in (".java", ".kt", ".scala", ".groovy")
        ]
        texts = {path: path.read_text(encoding="utf-8") for path in sources}
        original = {path: _original(text) for path, text in texts.items()}
        paths = [path for path, text in original.items() if GREETING in text]
        if len(paths) != 1 or original[paths[0]].count(GREETING) != 1:
            plural = "" if len(paths) == 1 else "s"
            raise AnswerIsNo(
                f"{variant.id} has {len(paths)} source{plural} with the greeting {GREETING} to change, instead of one.",
                "Build the greeting of GET /hello in one class, as the other variants do.",
            )
        greeting = GREETING if number == 0 else f'"Hello {number}, '
        paths[0].write_text(original[paths[0]].replace(GREETING, greeting), encoding="utf-8")


def _copy(sources: Path, target: Path) -> None:
    shutil.copytree(sources, target, ignore=lambda folder, names: not_sources(names))


def _original(text: str) -> str:
    """Return the source with its original greeting, whatever `edit` has made of it."""
    head, hello, after_hello = text.partition('"Hello ')
    digits, comma, tail = after_hello.partition(", ")
    return head + GREETING + tail if hello and comma and digits.isdigit() else text


def _is_guest(variant: Variant) -> bool:
    return variant.spec.build.tool != "maven-reactor"


def repository_of(environ: Mapping[str, str]) -> Path:
    """Return the user's own repository of Maven: `localRepository` of ~/.m2/settings.xml, else ~/.m2/repository."""
    home = Path(environ.get("HOME", "/"))
    settings = home / ".m2" / "settings.xml"
    try:
        root = ElementTree.parse(settings).getroot()
    except (OSError, ElementTree.ParseError):
        return home / ".m2" / "repository"
    configured = next((element.text for element in root if element.tag.rpartition("}")[2] == "localRepository"), None)
    return Path(configured.strip().replace("${user.home}", str(home))) if configured else home / ".m2" / "repository"
