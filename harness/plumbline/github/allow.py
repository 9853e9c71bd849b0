"""The allowlist: what a pull request may change and still be measured on hardware of our own before it is merged.

Applications (`apps/<variant>/**`), the catalog of versions, `[defaults]` and which subjects a suite has. Hosts,
services, budgets, phases, load and the harness always come from the main branch.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree

from plumbline.catalog.catalog import Catalog
from plumbline.change.scope import FileChange

# Compared as data, so their content is needed.
READ_WHOLE = re.compile(r"bench\.toml|apps/pom\.xml|apps/[a-z0-9-]+/variant\.toml")
_VARIANT_FILE = re.compile(r"apps/(?P<variant>[a-z0-9][a-z0-9-]*)/.+")
# Folders of apps/ that more than one variant is built from or held to, and those that are no subject.
_SHARED = re.compile(r"contract|containers|stub|domain.*")
_SUITE_KEYS = {"about", "subjects", "rotation"}
# A flag of these runs a program, loads code, or reads more flags: whatever is measured needs none of them.
_FREE_FORM = re.compile(
    r"@.*|-XX:(On\w+|Flags|VMOptionsFile|\+?IgnoreUnrecognizedVMOptions).*|-(agentlib|agentpath|javaagent|Xrun|Xbootclasspath).*"
    r"|-XX:[+-]?\w*(File|Path|Dir|Log)\w*=.*"
)


def refused(change: FileChange, catalog: Catalog) -> str | None:
    """Return why a change is not on the allowlist; None when it is."""
    path = PurePosixPath(change.path)
    if path.is_absolute() or ".." in path.parts or not change.path.isascii():
        return "a path that no file of ours has"
    if change.path == "bench.toml":
        return next(_of_bench(change), None)
    if change.path == "apps/pom.xml":
        return next(_of_parent(change), None)
    if change.path.endswith(".md"):
        return None
    found = _VARIANT_FILE.fullmatch(change.path)
    if found is None:
        return "it lies outside the applications"
    variant = found["variant"]
    if _SHARED.fullmatch(variant):
        return "it is shared by several applications"
    if variant == catalog.control.variant:
        return "the control is frozen"
    if path.name == "variant.toml":
        return next(_of_variant(change), None)
    return None


def _of_bench(change: FileChange) -> Iterator[str]:
    try:
        before, after = (tomllib.loads((side or b"").decode()) for side in (change.before, change.after))
    except ValueError:
        yield "it is not valid TOML"
        return
    for key in {**before, **after}:
        if key not in ("defaults", "suites") and before.get(key) != after.get(key):
            yield f"'{key}' always comes from the main branch"
    yield from _of_suites(before.get("suites", {}), after.get("suites", {}))


def _of_suites(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in {**before, **after}:
        if name not in before or name not in after:
            yield f"suite '{name}' is new or gone, and its load always comes from the main branch"
            continue
        for key in {**before[name], **after[name]}:
            if key not in _SUITE_KEYS and before[name].get(key) != after[name].get(key):
                yield f"'{key}' of suite '{name}' always comes from the main branch"


def _of_parent(change: FileChange) -> Iterator[str]:
    """Yield the objections to a change of the parent pom, of which only versions and modules may change."""
    try:
        sides = [_stripped((side or b"").decode()) for side in (change.before, change.after)]
    except (ElementTree.ParseError, ValueError):
        yield "it is no XML that we read"
        return
    if sides[0] != sides[1]:
        yield "more than versions and modules differ"


def _stripped(text: str) -> list[tuple[str, str]]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type could say anything")
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag.rpartition("}")[2] in ("properties", "modules"):
            root.remove(child)
    return [(element.tag, (element.text or "").strip()) for element in root.iter()]


def _of_variant(change: FileChange) -> Iterator[str]:
    if change.after is None:
        return
    try:
        document = tomllib.loads(change.after.decode())
    except ValueError:
        yield "it is not valid TOML"
        return
    packaging = document.get("packaging")
    for spec in packaging.values() if isinstance(packaging, dict) else ():
        for word in spec.get("run", ()) if isinstance(spec, dict) else ():
            if _FREE_FORM.fullmatch(str(word)):
                yield f"the flag '{str(word)[:80]}' could run or load anything"
    inputs = document.get("build", {}).get("inputs", ()) if isinstance(document.get("build"), dict) else ()
    for path in inputs:
        if not re.fullmatch(r"\.\./(pom\.xml|[a-z0-9-]+)", str(path)):
            yield f"it is built from '{str(path)[:80]}', outside the applications"
