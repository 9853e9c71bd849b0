"""Reads the method and the glossary from `docs/` as plain parts, and lists everything that can be searched for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from plumbline.archive.history.collect import Key
from plumbline.subjects.catalog.settings import SETTINGS
from plumbline.verdicts.figures.metrics import METRICS
from .addresses import run_page, trend_page
from .axes import Axes, axes_of
from .digest import Digest
from .model.series import AlertsFile
from .model.site import RulesFile, SiteIndex, StudiesFile
from .model.texts import Block, Found, FoundGroup, MethodFile, Section, Term
from .table import Nightly

PAGES: tuple[tuple[str, str, str], ...] = (
    (
        "Results",
        "",
        "overview ranking standings newest verdict ties filters which framework is faster fastest",
    ),
    (
        "Matrix",
        "matrix/",
        "every subject by every measure ratio to the best which for my case memory start latency",
    ),
    (
        "Classes",
        "classes/",
        "orm hibernate jpa entities hand-written sql jdbc r2dbc without database price of an orm release since",
    ),
    ("Trends", "trends/", "history charts change points series"),
    ("Compare", "compare/", "ratio verdict latency warm-up warmup two subjects commits"),
    ("Runs", "runs/", "sessions run reports certificates list"),
    ("Alerts", "alerts/", "regressions open closed changes"),
    ("Hosts", "hosts/", "doctor a/a rate machines isolation"),
    (
        "JVM, AOT cache, native",
        "starts/",
        "start startup first response graalvm mandrel native image leyden crac idle memory container cold page cache",
    ),
    ("Studies", "studies/", "published measured seeds"),
    ("Rules", "rules/", "why refused invalid in doubt referee threshold mistake every rule"),
    ("Method", "method/", "how glossary words rules referee trial control"),
    ("Integrity", "integrity/", "left out records corrupt"),
    ("API and badges", "api/", "data json schema download"),
)
"""The title, the address and the search words of every page that is not of one session."""

# The names by which people search for an engine and a unit.
_ENGINES = {"pg": "PostgreSQL"}
_UNITS = {"/s": "requests per second", "MiB": "memory megabytes", "ms": "milliseconds"}
_CONCURRENCY = {"virtual": "Virtual threads", "reactive": "Reactive", "imperative": "Imperative"}
# The most characters of a section's search words; the whole method is long.
_SECTION = 4000
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_LISTS: Mapping[str, Literal["list", "numbered"]] = {"bullet_list": "list", "ordered_list": "numbered"}
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def method_file(docs: Path, simulated: bool) -> MethodFile:
    """Return the documents of `docs/` as sections and terms."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")

    def read(name: str) -> SyntaxTreeNode:
        return SyntaxTreeNode(reader.parse((docs / name).read_text(encoding="utf-8")))

    title, sections = _sections(read("method.md"))
    return MethodFile(
        simulated=simulated,
        title=title,
        sections=tuple(sections),
        terms=tuple(_terms(read("glossary.md"))),
        settings=tuple(
            Term(word=setting.name, slug=setting.name, meaning=f"{setting.about}: {setting.values}")
            for setting in SETTINGS.values()
        ),
    )


def pages() -> Iterator[Found]:
    """Yield a search entry for each page."""
    for title, page, words in PAGES:
        yield _found("page", title, words, page or "./")


def _found(group: FoundGroup, title: str, words: str, page: str) -> Found:
    return Found(title=title, group=group, words=words.lower(), page=page)


def search_entries(
    index: SiteIndex,
    axes_by_variant: Mapping[str, Axes],
    alerts: AlertsFile,
    studies: StudiesFile,
    rules: RulesFile,
    method: MethodFile,
    nightly: Nightly,
    recent: Sequence[Digest],
) -> Iterator[Found]:
    """Yield all entries of the search; the sessions among them are the `recent` ones, the newest first, and a
    subject is among them if it has a chart.
    """
    yield from pages()
    names = {
        subject.variant: axes_of(subject.variant, axes_by_variant, subject.framework).name for subject in index.subjects
    }
    yield from _ways_to_filter(index, names)
    charts = _newest_charts(nightly)
    for subject in (subject for subject in index.subjects if subject.id in charts):
        words = [subject.framework, subject.packaging, subject.concurrency, subject.engine, subject.short]
        words += [names[subject.variant], _ENGINES.get(subject.engine, "")]
        words += ["tls"] if subject.tls else []
        words += ["retired"] if subject.retired else []
        yield _found("subject", subject.id, " ".join(words), trend_page(*charts[subject.id]))
    for scenario in index.scenarios:
        words_of_scenario = f"{scenario.workload} {scenario.operation}"
        yield _found("scenario", scenario.id, words_of_scenario, f"./?scenario={scenario.slug}")
    for host in index.hosts:
        yield _found("host", host.name, f"{host.host_class} {host.cpu_model}", f"hosts/#host-{host.slug}")
    for alert in (*alerts.open, *alerts.closed[:200]):
        yield _found("alert", alert.title, f"{alert.state} {alert.id}", alert.page)
    for study in studies.studies:
        yield _found("study", study.title, f"{study.id} {study.question}", f"studies/{study.id}/")
    for term in method.terms:
        yield _found("term", term.word, term.meaning, f"method/#term-{term.slug}")
    for setting in method.settings:
        yield _found("setting", setting.word, f"setting {setting.meaning}", f"method/#setting-{setting.slug}")
    for section in method.sections:
        text = " ".join(cell for block in section.blocks for row in block.rows for cell in row)
        yield _found("section", section.title, text[:_SECTION], f"method/#{section.slug}")
    for rule in rules.rules:
        words_of_rule = f"{rule.asks} {rule.mistake} refused"
        yield _found("rule", f"{rule.id}: {rule.title}", words_of_rule, f"rules/#{rule.slug}")
    for digest in reversed(recent):
        words_of_run = f"{digest.host} {digest.suite} {digest.word} {digest.commit or ''}".strip()
        yield _found("run", digest.session, words_of_run, run_page(digest.session))


def _newest_charts(nightly: Nightly) -> dict[str, Key]:
    """Return a chart of each subject that has charts: the newest, of a primary metric where there is one."""
    columns = nightly.table.columns
    order = sorted(columns, key=lambda key: (METRICS[key[4]].primary, columns[key].at[-1]))
    return {key[1]: key for key in order}


def _ways_to_filter(index: SiteIndex, names: Mapping[str, str]) -> Iterator[Found]:
    """Yield entries of frameworks, concurrency models and measures; each leads to the matrix, filtered where it can be.

    `names` are the variants' names for people, by variant: `Spring Boot 4 MVC, JDBC`.
    """
    shown = [subject for subject in index.subjects if not subject.control]
    for name in sorted({subject.framework for subject in shown}):
        variant_names = dict.fromkeys(names[subject.variant] for subject in shown if subject.framework == name)
        words = f"framework {' '.join(variant_names)}".strip()
        yield _found("framework", name, words, f"matrix/?framework={quote(name, safe='')}")
    for name in sorted({subject.concurrency for subject in shown}):
        words = f"{name} threads concurrency model loom" if name == "virtual" else f"{name} concurrency model"
        yield _found("framework", _CONCURRENCY.get(name, name), words, f"matrix/?concurrency={name}")
    for metric in index.metrics:
        if metric.better is not None:
            symbol = metric.symbol
            words = f"{metric.name} {metric.name.replace('_', ' ')} {symbol} {_UNITS.get(symbol, '')}".strip()
            yield _found("measure", metric.title, words, "matrix/")


def _sections(document: SyntaxTreeNode) -> tuple[str, list[Section]]:
    """Return the title, and a section for each heading; the text directly below the title has the title as its name."""
    title, name, blocks = "", "", list[Block]()
    sections: list[Section] = []
    for node in document.children:
        if node.tag not in ("h1", "h2"):
            blocks.append(_block(node))
            continue
        if blocks:
            sections.append(Section(title=name, slug=_slug(name), blocks=tuple(blocks)))
        name, blocks = _text(node), []
        title = name if node.tag == "h1" else title
    if blocks:
        sections.append(Section(title=name, slug=_slug(name), blocks=tuple(blocks)))
    return title, sections


def _block(node: SyntaxTreeNode) -> Block:
    if node.type == "table":
        return Block(kind="table", rows=tuple(_rows(node)))
    if node.type in _LISTS:
        return Block(kind=_LISTS[node.type], rows=tuple((_text(item),) for item in node.children))
    if node.type in ("code_block", "fence"):
        return Block(kind="drawing", rows=((node.content.rstrip("\n"),),))
    return Block(kind="heading" if node.type == "heading" else "paragraph", rows=((_text(node),),))


def _rows(table: SyntaxTreeNode) -> Iterator[tuple[str, ...]]:
    for part in table.children:
        for row in part.children:
            yield tuple(map(_text, row.children))


def _terms(document: SyntaxTreeNode) -> Iterator[Term]:
    for table in document.children:
        if table.type == "table":
            for word, meaning in list(_rows(table))[1:]:
                yield Term(word=word, slug=_slug(word), meaning=meaning)


def _text(node: SyntaxTreeNode) -> str:
    """Return the text of a node with its marks but without its links: they lead to files of the repository."""
    inline = (part.content for part in node.walk() if part.type == "inline")
    return _LINK.sub(r"\1", " ".join(" ".join(inline).split()))


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", text.lower()).strip("-")
