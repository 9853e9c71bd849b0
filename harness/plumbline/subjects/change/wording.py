"""Find out whether two versions of a file differ in more than comments and layout.

Versions are compared as read where the format can be read whole (TOML, XML, Python, properties, Java). For TypeScript,
YAML, SQL and shell only lines that are a comment from end to end are left out, and only where no text can run over
several lines. When in doubt two versions differ.
"""

from __future__ import annotations

import ast
import io
import re
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath
from xml.etree import ElementTree

# A text block, a string, a character, a comment: whichever begins first is what it is.
_JAVA = re.compile(
    r'(?P<kept>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)",
    re.DOTALL,
)


def same_but_for_wording(path: str, before: bytes, after: bytes) -> bool:
    """Return whether nothing but comments and layout differs. False for any format without a reader here."""
    name = PurePosixPath(path)
    reader = _READERS.get(name.suffix)
    if reader is None:
        return before == after
    try:
        return reader(before.decode()) == reader(after.decode())
    except (ValueError, SyntaxError, RecursionError):
        return False


def _python(text: str) -> object:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            ast.get_docstring(node, clean=False) is not None and isinstance(body, list)
        ):
            # An empty body and one with only a docstring are not the same text, yet do the same.
            body[0] = ast.Pass()
    return ast.dump(tree)


def _xml(text: str) -> object:
    """Return elements, attributes and texts, without comments, and without white space around texts."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type could say anything")
    found = []
    for event, element in ElementTree.iterparse(io.StringIO(text), events=("start", "end")):
        if event == "end":
            found.append((element.tag, sorted(element.attrib.items()), (element.text or "").strip()))
            if (element.tail or "").strip():
                raise ValueError("mixed content")
        else:
            found.append((element.tag, [], "start"))
    return found


def _properties(text: str) -> object:
    rows: list[str] = []
    goes_on = False
    for line in text.splitlines():
        stripped = line.lstrip()
        if not goes_on and (not stripped or stripped[0] in "#!"):
            continue
        rows.append(stripped)
        goes_on = (len(line) - len(line.rstrip("\\"))) % 2 == 1
    return rows


def _java(text: str) -> object:
    """Return the text with comments as one space each; strings stay to the letter, other white space shrinks.

    Line numbers move with comments: they stand in stack traces of a class file and nowhere else.
    """
    if "\\u" in text:
        raise ValueError("an escape may open or close a comment")
    words: list[str] = []
    position = 0
    for match in _JAVA.finditer(text):
        words += [*text[position : match.start()].split(), match["kept"] or ""]
        position = match.end()
    return [word for word in (*words, *text[position:].split()) if word]


def _lines_of(mark: str, over_lines: Callable[[str], bool]) -> Callable[[str], object]:
    def read(text: str) -> object:
        if over_lines(text):
            return text
        lines = (line.rstrip() for line in text.splitlines())
        return [line for line in lines if line and not line.lstrip().startswith(mark)]

    return read


def _typescript_runs_over(text: str) -> bool:
    return "/*" in text or any(line.count("`") % 2 for line in text.splitlines())


def _yaml_runs_over(text: str) -> bool:
    return bool(re.search(r"[|>][-+0-9]*\s*(#.*)?$", text, re.MULTILINE)) or '"' in text or "'" in text


def _sql_runs_over(text: str) -> bool:
    return "/*" in text or "$$" in text or any(line.count("'") % 2 for line in text.splitlines())


_READERS: dict[str, Callable[[str], object]] = {
    ".toml": tomllib.loads,
    ".xml": _xml,
    ".py": _python,
    ".properties": _properties,
    ".java": _java,
    ".ts": _lines_of("//", _typescript_runs_over),
    ".js": _lines_of("//", _typescript_runs_over),
    ".yaml": _lines_of("#", _yaml_runs_over),
    ".yml": _lines_of("#", _yaml_runs_over),
    ".sql": _lines_of("--", _sql_runs_over),
}
