"""Makes the Atom feed of verdicts and alerts, the site map and `robots.txt`."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from xml.etree import ElementTree as ET

from plumbline.verdicts.judge.wording import counted
from .addresses import run_page
from .digest import Digest
from .model.series import AlertEntry

FEED = "feed.atom"
_ATOM = "http://www.w3.org/2005/Atom"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_SESSIONS, _ALERTS = 60, 60
# The feed must have a time even when nothing was measured yet.
_NEVER = 946_684_800


def atom(
    title: str, digests: Sequence[Digest], alerts: Iterable[AlertEntry], address: str | None, simulated: bool
) -> bytes:
    """Return the feed of the newest sessions and alerts, newest first. Without `address`, links are relative."""
    root = ET.Element("feed", {"xmlns": _ATOM})
    prefix = "SIMULATED: " if simulated else ""
    ET.SubElement(root, "title").text = f"{prefix}{title}: verdicts and alerts"
    ET.SubElement(root, "id").text = _id("feed", address or title)
    ET.SubElement(root, "link", {"rel": "self", "href": f"{address or ''}{FEED}"})
    ET.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": address or "./"})
    author = ET.SubElement(root, "author")
    ET.SubElement(author, "name").text = title
    entries: list[tuple[int, str, str, str, str]] = []
    for digest in islice(reversed(digests), _SESSIONS):
        trials = counted(digest.measured, "measured trial")
        summary = f"{trials}, {digest.refused} refused; scenarios {', '.join(digest.scenarios)}."
        entries.append(
            (
                digest.t,
                _id("run", digest.session),
                run_page(digest.session),
                f"{prefix}{digest.host}: {digest.word}",
                summary,
            )
        )
    for alert in islice(alerts, _ALERTS):
        size = f"{alert.ratio:.4g} ({alert.low:.4g} to {alert.high:.4g})"
        summary = f"{alert.state}: {alert.reason}. New level over old {size}."
        entries.append(
            (
                alert.t,
                _id("alert", f"{alert.id} {alert.state}"),
                alert.page,
                f"{prefix}Alert: {alert.title}",
                summary,
            )
        )
    entries.sort(key=lambda entry: (-entry[0], entry[1]))
    ET.SubElement(root, "updated").text = _time(entries[0][0] if entries else _NEVER)
    for t, id_, page, heading, summary in entries:
        entry = ET.SubElement(root, "entry")
        ET.SubElement(entry, "title").text = heading
        ET.SubElement(entry, "id").text = id_
        ET.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": f"{address or ''}{page}"})
        ET.SubElement(entry, "updated").text = _time(t)
        ET.SubElement(entry, "summary").text = summary
    return _document(root)


def sitemap(pages: Iterable[str], address: str) -> bytes:
    """Return the site map with every page by its full address: the protocol allows no relative addresses."""
    root = ET.Element("urlset", {"xmlns": _SITEMAP})
    for page in pages:
        ET.SubElement(ET.SubElement(root, "url"), "loc").text = f"{address}{page}"
    return _document(root)


def robots(address: str | None) -> bytes:
    """Return robots.txt, which lets everybody read everything."""
    lines = ["User-agent: *", "Allow: /"]
    if address is not None:
        lines.append(f"Sitemap: {address}sitemap.xml")
    return "\n".join(lines).encode("ascii") + b"\n"


def _document(root: ET.Element) -> bytes:
    content: bytes = ET.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + content + b"\n"


def _id(kind: str, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'plumbline:{kind}:{name}')}"


def _time(t: int) -> str:
    return datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
