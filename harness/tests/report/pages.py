"""Reads a page as a reader would: the page's text, its elements, and what it asks of the network."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """All elements with their attributes, every text with the element around it, and the elements still open."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def text(self) -> str:
        """The visible text of the page, in one line."""
        return " ".join(" ".join(text.split()) for tag, text in self.texts if tag not in ("style", "title", "desc"))

    def of(self, tag: str) -> list[dict[str, str]]:
        """The attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]
