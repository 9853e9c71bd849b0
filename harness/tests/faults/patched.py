"""The control with some words of its source changed: a faulty application, made for one trial and kept by nobody."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tests.live.conftest import ROOT

SOURCES = ROOT / "apps" / "control" / "src" / "main" / "java"
MAIN = "org.plumbline.app.Application"
RUN = ("-cp", "changed:app.jar", MAIN)


@dataclass(frozen=True)
class Patch:
    """In a file below the sources, each text, which has to occur once, is replaced by another."""

    file: str
    changes: tuple[tuple[str, str], ...]


def patched(folder: Path, jar: Path, patches: tuple[Patch, ...], java: Path) -> Path:
    """The folder with the built jar of the control and, before it on the class path, the changed classes."""
    shutil.copyfile(jar, folder / "app.jar")
    (folder / "changed").mkdir()
    for patch in patches:
        text = (SOURCES / patch.file).read_text(encoding="utf-8")
        for before, after in patch.changes:
            assert text.count(before) == 1, f"{patch.file} has changed: {before}"
            text = text.replace(before, after)
        source = folder / "source" / patch.file
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
    files = [str(folder / "source" / patch.file) for patch in patches]
    compiler = str(java.with_name("javac"))
    subprocess.run([compiler, "-d", str(folder / "changed"), "-cp", str(folder / "app.jar"), *files], check=True)
    return folder


def another_build(folder: Path, jar: Path, patches: tuple[Patch, ...], java: Path) -> Path:
    """The folder with one jar in it, as a build of the changed sources leaves it."""
    patched(folder, jar, patches, java)
    classes = {path.relative_to(folder / "changed").as_posix(): path for path in folder.rglob("*.class")}
    with zipfile.ZipFile(jar) as built, zipfile.ZipFile(folder / "app.jar", "w") as changed_jar:
        for entry in built.infolist():
            changed = classes.get(entry.filename)
            changed_jar.writestr(entry, built.read(entry) if changed is None else changed.read_bytes())
    shutil.rmtree(folder / "changed")
    shutil.rmtree(folder / "source")
    return folder
