"""No text of a record becomes markup, an address or a file name, wherever the text stands in the record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from plumbline.reporting.publish.publish import Published
from .data import folders, published, read, tree, write

pytestmark = pytest.mark.slow

MARK = "xyzzy"
PAYLOAD = (
    f"\"'><script src=//{MARK}>{{{{7*7}}}}</script><img src={MARK} onerror={MARK}>]]>&lt;{MARK}&gt;\u202e\x1b[31m\n"
)
# The elements that templates of the tests, badges and the feed consist of.
TAGS = {"html", "head", "meta", "title", "link", "script", "body", "p", "main", "dt", "dd", "b", "li"}
PICTURE_TAGS = {"svg", "title", "rect", "text"}
FEED_TAGS = {"feed", "id", "link", "author", "name", "title", "updated", "entry", "summary"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "rel", "href", "type", "src", "title", "data-path"}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each string, in a list only of the first and the last entry; some keys count as strings too."""
    if isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, (*path, name))
            if path and path[-1] in ("defaults", "locks", "database_settings", "figures"):
                yield (*path, name, "its key")
    elif isinstance(value, list):
        for place in sorted({0, len(value) - 1} if value else ()):
            yield from leaves(value[place], (*path, place))
    elif isinstance(value, str):
        yield path


def poisoned(document: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """A copy of the document with the payload in one place."""
    copied: dict[str, Any] = json.loads(json.dumps(document))
    at: Any = copied
    named = path[-1] == "its key"
    *before, last = path[:-1] if named else path
    for part in before:
        at = at[part]
    if named:
        at[PAYLOAD] = at.pop(last)
    else:
        at[last] = PAYLOAD
    return copied


class Page(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


@pytest.fixture(scope="module")
def harmed(branch: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Published, dict[str, bytes], int]:
    """A site of copies of the branch's newest session, each with the payload in another place; its files; how many."""
    folder = tmp_path_factory.mktemp("hostile")
    document = read(folders(branch)[-1])
    # A few trials show as much as all of them; the next lines make one finding of each kind.
    for part in (document["trials"], document["plan"]["trials"]):
        del part[6:]
    document["standings"] = document["standings"][:2]
    document["steadiness"] = document["steadiness"][:1]
    document["trials"][1]["verdict"] = "invalid"
    document["trials"][1]["findings"][0]["outcome"] = "invalid"
    document["trials"][1]["findings"][1]["phase"] = "closed"
    document["training"] = [{"subject": document["plan"]["subjects"][0], "wall_s": 1.0, "size_bytes": 1, "sha256": "0"}]
    paths = sorted(set(leaves(document)), key=str)
    for number, path in enumerate(paths):
        harmed_document = poisoned(document, path)
        if path != ("plan", "session"):
            harmed_document["plan"]["session"] = f"20260101T000000Z-sim-{number:06x}"
        write(folder / "data" / "runs" / f"{number:06x}", harmed_document)
    site = published(folder / "data", folder / "out", processes=2)
    return site, tree(folder / "out"), len(paths)


def test_every_place_is_tried_and_some_of_each_kind(harmed: tuple[Published, dict[str, bytes], int]) -> None:
    site, _, count = harmed
    assert count > 110
    assert site.sessions + len(site.left_out) == count
    # Free texts are shown, names and enumerations are refused.
    assert site.sessions > 30 and {"hostile", "shape"} <= {omission.cause for omission in site.left_out}


def test_no_page_has_markup_or_addresses_out_of_a_record(
    harmed: tuple[Published, dict[str, bytes], int],
) -> None:
    shown = 0
    for path, content in harmed[1].items():
        if not path.endswith(".html"):
            continue
        page = Page(content.decode("utf-8"))
        assert page.tags <= TAGS, (path, page.tags - TAGS)
        assert page.attributes <= ATTRIBUTES, (path, page.attributes - ATTRIBUTES)
        assert not any(MARK in address for address in page.addresses), path
        assert b"\x1b" not in content and "\u202e" not in content.decode("utf-8"), path
        assert b"{{7*7}}" in content or MARK.encode() not in content, path
        shown += MARK.encode() in content
    assert shown > 20, "the payload is to be seen as text"


def test_no_feed_badge_or_picture_name_has_it(harmed: tuple[Published, dict[str, bytes], int]) -> None:
    for path, content in harmed[1].items():
        assert re.fullmatch(r"[A-Za-z0-9._~=/-]+", path), path
        if path.endswith((".svg", ".atom", ".xml")):
            tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(content).iter()}
            assert tags <= PICTURE_TAGS | FEED_TAGS, path


def test_addresses_in_documents_are_ours(harmed: tuple[Published, dict[str, bytes], int]) -> None:
    ours = re.compile(r"(\./)?[A-Za-z0-9._~=/@%&?#-]*\Z")

    def walk(value: object, key: str) -> None:
        if isinstance(value, dict):
            for name, child in value.items():
                walk(child, name)
        elif isinstance(value, list):
            for child in value:
                walk(child, key)
        elif isinstance(value, str) and key in (
            "path",
            "page",
            "data",
            "badge",
            "timeline",
            "compare",
            "slug",
        ):
            assert ours.match(value) and MARK not in value, (key, value)

    for path, content in harmed[1].items():
        if path.startswith("api/v1/"):
            walk(json.loads(content), "")


def test_the_list_of_what_was_left_out_is_published(harmed: tuple[Published, dict[str, bytes], int]) -> None:
    document = json.loads(harmed[1]["api/v1/integrity.json"])
    assert len(document["left_out"]) == len(harmed[0].left_out) == sum(document["causes"].values())
    assert document["records"] == document["shown"] + len(document["left_out"])


@pytest.mark.parametrize(
    ("harm", "cause"),
    [
        ("cut", "unreadable"),
        ("deep", "unreadable"),
        ("other schema", "schema"),
        ("no number", "shape"),
        ("manifest gone", "manifest"),
        ("manifest of another", "manifest"),
        ("link", "manifest"),
    ],
)
def test_bad_records_are_left_out_and_counted(harm: str, cause: str, branch: Path, tmp_path: Path) -> None:
    document = read(folders(branch)[0])
    good = write(tmp_path / "data" / "good", document)
    bad = tmp_path / "data" / "bad"
    if harm == "cut":
        whole = json.dumps(document)
        _raw(bad, whole[: len(whole) // 3])
    elif harm == "deep":
        _raw(bad, "[" * 200_000)
    elif harm == "other schema":
        write(bad, {**document, "versions": {**document["versions"], "schema_version": 99}})
    elif harm == "no number":
        _raw(bad, json.dumps({**document, "usage": {**document["usage"], "session_cpu_s": float("nan")}}))
    elif harm == "manifest gone":
        write(bad, document)
        (bad / "MANIFEST.sha256").unlink()
    elif harm == "manifest of another":
        write(bad, document)
        (bad / "record.json").write_text("{}", encoding="utf-8")
    else:
        write(bad, document)
        (bad / "record.json").unlink()
        (bad / "record.json").symlink_to(good / "record.json")
    site = published(tmp_path / "data", tmp_path / "out")
    assert site.sessions == 1
    assert [(omission.folder, "unreadable" if harm == "link" else omission.cause) for omission in site.left_out] == [
        ("bad", "unreadable" if harm == "link" else cause)
    ]


def test_one_session_in_two_records_counts_once(branch: Path, tmp_path: Path) -> None:
    document = read(folders(branch)[0])
    write(tmp_path / "data" / "a", document)
    write(tmp_path / "data" / "b", document)
    write(tmp_path / "data" / "c", {**document, "verdict": "advisory"})
    site = published(tmp_path / "data", tmp_path / "out")
    assert site.sessions == 1
    assert [(omission.folder, omission.cause) for omission in site.left_out] == [("c", "twice")]


def test_made_up_sessions_do_not_stand_beside_measured_ones(branch: Path, tmp_path: Path) -> None:
    document = read(folders(branch)[0])
    write(tmp_path / "data" / "made-up", document)
    measured = {
        **document,
        "plan": {**document["plan"], "simulated": False, "session": "20260101T000000Z-lab-1"},
    }
    write(tmp_path / "data" / "measured", measured)
    site = published(tmp_path / "data", tmp_path / "out")
    assert (site.sessions, site.simulated) == (1, False)
    assert [(omission.folder, omission.cause) for omission in site.left_out] == [("made-up", "simulated")]
    assert b"Simulated data" not in (tmp_path / "out" / "index.html").read_bytes()


def test_evidence_that_is_not_what_the_manifest_names_is_told(branch: Path, tmp_path: Path) -> None:
    from .data import copy

    newest = copy(folders(branch)[-1], tmp_path / "data" / "newest")
    evidence = sorted((newest / "evidence").iterdir())
    evidence[2].write_bytes(evidence[3].read_bytes())
    site = published(tmp_path / "data", tmp_path / "out")
    assert site.sessions == 1 and site.left_out == ()
    assert len(site.evidence) == 1 and evidence[2].name in site.evidence[0].problem
    shown = list((tmp_path / "out" / "api" / "v1" / "runs").glob("*/*.json"))
    assert len(shown) == len(evidence) - 1


def _raw(folder: Path, text: str) -> None:
    import hashlib

    from plumbline.archive.record.write import manifest_bytes

    folder.mkdir(parents=True)
    (folder / "record.json").write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / "MANIFEST.sha256").write_bytes(manifest_bytes({"record.json": digest}))
