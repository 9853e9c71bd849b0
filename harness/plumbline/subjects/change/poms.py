"""`apps/pom.xml`, the catalog of versions: which modules a changed property or plugin reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .scope import ChangeScope, FileChange, Touch

_POM = "{http://maven.apache.org/POM/4.0.0}"

# Plugins that clean, test, install or deploy; the build skips tests, so no byte of an artifact is theirs.
_MAKE_NOTHING = {
    "clean-plugin.version",
    "deploy-plugin.version",
    "install-plugin.version",
    "surefire-plugin.version",
}
# Maven binds them to every jar by itself, so no pom has to name them.
_MAKE_EVERY_JAR = {"maven-compiler-plugin", "maven-jar-plugin", "maven-resources-plugin"}


def touches(change: FileChange, scope: ChangeScope) -> Iterator[Touch]:
    """Yield the subjects that each changed property can affect; any other change reaches every module."""
    reactor = scope.of_variants(scope.with_input("pom.xml"))
    try:
        before, after = _parsed(change.before), _parsed(change.after)
    except (ElementTree.ParseError, UnicodeDecodeError, ValueError):
        yield Touch(reactor, "the parent pom could not be compared with its older version")
        return
    older, newer = _properties(before), _properties(after)
    for name in sorted(key for key in {**older, **newer} if older.get(key) != newer.get(key)):
        old_version, new_version = older.get(name, "none"), newer.get(name, "none")
        if name in _MAKE_NOTHING:
            yield Touch((), f"{name} {old_version} -> {new_version} makes no byte of an artifact")
            continue
        modules = _users(name, after, scope.catalog.root / "apps")
        variants = {
            variant
            for module in modules
            for variant in ([module] if module in scope.catalog.variants else scope.with_input(module))
        }
        cells = reactor if modules == EVERY else scope.of_variants(variants)
        yield Touch(cells, f"{name} {old_version} -> {new_version}")
    gone, added = set(_modules(before)) - set(_modules(after)), set(_modules(after)) - set(_modules(before))
    if added:
        new_variants = [module for module in added if module in scope.catalog.variants]
        yield Touch(scope.of_variants(new_variants), f"module {', '.join(sorted(added))} is new")
    if gone:
        yield Touch((), f"module {', '.join(sorted(gone))} is gone")
    for root in (before, after):
        for name in (f"{_POM}properties", f"{_POM}modules", "modules"):
            for element in root.findall(name):
                root.remove(element)
    if _flat(before) != _flat(after):
        yield Touch(reactor, "the parent pom changed in more than a version")


EVERY: frozenset[str] = frozenset({"*"})


def _parsed(content: bytes | None) -> ElementTree.Element:
    text = (content or b"").decode()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type could say anything")
    return ElementTree.fromstring(text)


def _properties(root: ElementTree.Element) -> dict[str, str]:
    properties = root.find(f"{_POM}properties")
    return {} if properties is None else {item.tag.removeprefix(_POM): (item.text or "").strip() for item in properties}


def _modules(root: ElementTree.Element) -> list[str]:
    return [(item.text or "").strip() for item in root.iterfind(f"{_POM}modules/{_POM}module")]


def _flat(root: ElementTree.Element) -> list[tuple[str, str]]:
    return [(element.tag, (element.text or "").strip()) for element in root.iter()]


def _users(name: str, parent: ElementTree.Element, apps: Path) -> frozenset[str]:
    """Return the modules whose pom has the property, or names a plugin that the parent gives this version."""
    use = f"${{{name}}}"
    plugins, dependencies = (
        {
            (item.findtext(f"{_POM}artifactId") or "").strip()
            for item in parent.iter(f"{_POM}{kind}")
            if (item.findtext(f"{_POM}version") or "").strip() == use
        }
        for kind in ("plugin", "dependency")
    )
    # A version that the parent manages decides for dependencies of dependencies too, which no pom names.
    unnamed = name.startswith(("maven.", "project.")) and not plugins
    if dependencies or plugins & _MAKE_EVERY_JAR or unnamed:
        return EVERY
    words = {use, *(f"<artifactId>{artifact}</artifactId>" for artifact in plugins)}
    chained = {other for other, value in _properties(parent).items() if use in value and other != name}
    modules: frozenset[str] = frozenset()
    for other in chained:
        modules |= _users(other, parent, apps)
    for pom in sorted(apps.glob("*/pom.xml")):
        text = re.sub(r"<!--.*?-->", "", pom.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
        if any(word in re.sub(r"\s+", "", text) for word in words):
            modules |= {pom.parent.name}
    return EVERY if modules >= EVERY else modules
