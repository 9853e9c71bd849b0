"""docs/method.md names every rule, and no source cites a document that a reader does not have."""

from __future__ import annotations

import re
from pathlib import Path

from plumbline.judge.rules import RULES
from tests.faults import test_invented_faults, test_invented_of_the_host

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


def test_the_table_of_rules_is_that_of_the_referee() -> None:
    rows = re.findall(r"^\| (R\d+) \| (.+) \| (\w+) \| (yes )?\|$", PAGE, re.MULTILINE)
    assert [(number, title, kind, bool(needed)) for number, title, kind, needed in rows] == [
        (rule.id, rule.title, rule.kind, rule.required) for rule in RULES
    ]


def test_the_invented_faults_are_those_of_the_tests_and_as_many_of_each_family_as_the_page_says() -> None:
    rows = re.findall(
        r"^\| (application|database|load generator|host) \| (.+?) \| .+ \| R\d+ \|$", PAGE, re.MULTILINE
    )
    said = re.search(
        r"^(\d+) more were invented .+: (\d+) of the application, (\d+) of the database, "
        r"(\d+) of the load generator\sand (\d+) of the host\.$",
        PAGE,
        re.MULTILINE,
    )
    assert said is not None
    families = ("application", "database", "load generator", "host")
    by_family = {family: [fault for of, fault in rows if of == family] for family in families}
    assert [int(count) for count in said.groups()] == [len(rows), *(len(by_family[one]) for one in families)]
    assert len(rows) >= 20 and min(len(faults) for faults in by_family.values()) >= 5
    # Faults with a test of their own, beside those that tables hold.
    alone = {
        "a log of each statement": test_invented_faults.test_a_log_of_each_statement_from_mid_phase_on_is_named
    }
    assert {*(fault for of, fault in rows if of != "host")} == {
        *test_invented_faults.INVENTED,
        *test_invented_faults.MOMENTS,
        *alone,
    }
    tests_of_the_host = [name for name in vars(test_invented_of_the_host) if name.startswith("test_")]
    assert len(by_family["host"]) == len(tests_of_the_host)


def test_no_comment_cites_a_section_that_nobody_can_look_up() -> None:
    sources = [
        *(ROOT / "harness" / "plumbline").rglob("*.py"),
        *(ROOT / "harness" / "laboratory").rglob("*.py"),
    ]
    assert sources
    citing = re.compile(r"\bMETHOD\b")
    assert [path.name for path in sources if citing.search(path.read_text(encoding="utf-8"))] == []
