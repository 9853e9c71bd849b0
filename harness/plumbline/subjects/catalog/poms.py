"""Reads a variant's pom.xml: what its build names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

from plumbline.model.errors import UsageError
from .variant import Variant

_OUR_GROUP = "org.plumbline"
# What a pom takes of elsewhere: the sources ../domain-spring-mvc/src/main/java, or the parent ../../pom.xml.
_ELSEWHERE = re.compile(r"(?:\.\./)+[\w./-]*\w")


def read_pom(path: Path) -> ElementTree.Element:
    """Return the root of a pom.xml. Raises UsageError where the file is not valid XML."""
    try:
        return ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise UsageError(f"{path.parent.name}/{path.name} is not valid XML: {error}.", "") from error


def inputs_left_out(variant: Variant) -> tuple[str, ...]:
    """Return the paths that a variant is built from by its pom and those of its modules, and that `inputs` leaves out.

    Raises UsageError where a pom is not valid XML.
    """
    named = [(variant.folder / path).resolve() for path in variant.spec.build.inputs]
    found: set[Path] = set()
    modules = [variant.folder]
    while modules:
        depended_on, others = _named_by(modules.pop() / "pom.xml")
        modules += depended_on - found
        found |= depended_on | others
    left_out = (path for path in found if path.exists() and not any(map(path.is_relative_to, named)))
    return tuple(sorted(os.path.relpath(path, variant.folder) for path in left_out))


def _named_by(pom: Path) -> tuple[set[Path], set[Path]]:
    """Return the modules that a pom depends on, and what else it takes: other sources, and the catalog of versions."""
    if not pom.is_file():
        return set(), set()
    apps, root = pom.parent.parent, read_pom(pom)
    modules = {
        apps / dependency.findtext("{*}artifactId", "").strip()
        for dependency in root.iterfind(".//{*}dependency")
        if dependency.findtext("{*}groupId") == _OUR_GROUP
    }
    others = {(pom.parent / path).resolve() for path in _ELSEWHERE.findall("\n".join(root.itertext()))}
    return modules, others | ({apps / "pom.xml"} if root.findtext("{*}parent/{*}groupId") == _OUR_GROUP else set())
