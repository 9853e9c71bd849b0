"""No program does by a slip what costs its framework alone: threads that start in a request, results left open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

APPS = Path(__file__).resolve().parents[3] / "apps"

# Executors that live as long as one request, so that each request waits for the start of threads.
SHORT_LIVED = re.compile(r"try \((ExecutorService|var) \w+ = Executors\.")
PLATFORM = re.compile(r"Executors\.new(Fixed|Cached|WorkStealing)\w*Pool")
VIRTUAL = re.compile(r"Executors\.newVirtualThreadPerTaskExecutor|TaskExecutors\.VIRTUAL")
# A client of others: its threads and its store of certificates would be in the start and the memory of every service.
CLIENT = re.compile(r"\bHttpClient\.newBuilder\b|\bRestClient\.builder\b")
MADE_WHEN_ASKED = re.compile(r"@ApplicationScoped|@Lazy")
# A stream that ends early holds its statement open until the transaction ends.
UNCLOSED = re.compile(r"\.getResultStream\(\)")


def sources_of(folder: Path) -> list[Path]:
    return [path for kind in ("java", "kt") for path in folder.glob(f"src/**/*.{kind}")]


def matches(pattern: re.Pattern[str]) -> set[Path]:
    """The files of all applications with such a text, without the control, which competes with nobody."""
    paths = [path for folder in APPS.iterdir() if folder.name != "control" for path in sources_of(folder)]
    assert len(paths) > 200
    return {path for path in paths if pattern.search(path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("pattern", [SHORT_LIVED, UNCLOSED], ids=["executor of one request", "open result"])
def test_no_program_does_so(pattern: re.Pattern[str]) -> None:
    assert matches(pattern) == set()


def test_a_variant_that_serves_on_virtual_threads_by_setting_takes_them_for_its_own_work() -> None:
    """A program that makes platform threads for its work makes virtual ones where it has the setting `threads`."""
    making = matches(PLATFORM)
    served = {
        path.parent for path in APPS.glob("*/variant.toml") if re.search(r"(?m)^threads = ", path.read_text("utf-8"))
    }
    by_setting = {path for path in making if any(variant in path.parents for variant in served)}
    assert by_setting
    assert by_setting <= matches(VIRTUAL)


def test_a_client_of_the_sources_is_made_for_the_first_order() -> None:
    """Quarkus makes a bean when it is first asked; Spring does so only where each bean that has it says so."""
    clients = matches(CLIENT)
    assert len(clients) > 5
    assert clients <= matches(MADE_WHEN_ASKED)
    endpoint = APPS / "spring4-mvc-jpa/src/main/java/org/plumbline/app/orders/OrderEndpoint.java"
    assert matches(re.compile(r"@Lazy SourceClient ")) == {endpoint}


def test_a_unit_of_persistence_has_all_entities() -> None:
    """Variants that name their entities start with as many as those that scan the module."""
    kinds = {"@Entity": "{}", "@Embeddable": "{}$Key"}
    entities = {
        name.format(path.stem)
        for path in (APPS / "domain-jpa/src/main/java/org/plumbline/domain/jpa").glob("*.java")
        for kind, name in kinds.items()
        if re.search(rf"(?m)^ *{kind}$", path.read_text(encoding="utf-8"))
    }
    units = list(APPS.glob("*/src/main/resources/META-INF/persistence.xml"))
    assert len(units) > 1 and len(entities) > 6
    for unit in units:
        named = re.findall(r"<class>org\.plumbline\.domain\.jpa\.(\S+)</class>", unit.read_text(encoding="utf-8"))
        assert set(named) == entities, unit


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (SHORT_LIVED, "try (ExecutorService threads = Executors.newFixedThreadPool(20)) {"),
        (UNCLOSED, "                .getResultStream()"),
    ],
)
def test_what_would_do_so_is_found(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


def test_reactor_netty_is_of_one_release_where_spring_boot_would_bring_a_newer_one() -> None:
    """Programs of study 001 without a server have the same one: they differ from Spring's variants by the web alone."""
    texts = {path.parent.name: path.read_text(encoding="utf-8") for path in APPS.glob("*/pom.xml")}
    taking = {
        name
        for name, text in texts.items()
        if "spring-boot-dependencies" in text and re.search(r"starter-webflux<|r2dbc-postgresql<", text)
    }
    pinned = {
        name for name, text in texts.items() if re.search(r"reactor-netty-core<[^$]*\$\{reactor-netty\.ver", text)
    }
    assert taking == pinned == {"spring4-webflux-r2dbc", "spring4-webflux-vertx", "standalone-r2dbc"}
