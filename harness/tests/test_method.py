"""docs/method.md names every rule, and no source cites a document that a reader does not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from plumbline.verdicts.judge.rules import RULES
from tests.faults import (
    test_answers_under_load,
    test_hidden_faults,
    test_invented_faults,
    test_invented_of_the_host,
    test_live_faults,
    test_machine_faults,
    test_one_loop,
)

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


def test_the_table_of_rules_is_that_of_the_referee() -> None:
    rows = re.findall(r"^\| (R\d+) \| (.+) \| (\w+) \| (yes )?\|$", PAGE, re.MULTILINE)
    assert [(number, title, kind, bool(needed)) for number, title, kind, needed in rows] == [
        (rule.id, rule.title, rule.kind, rule.required) for rule in RULES
    ]


def test_the_glossary_names_the_first_and_the_last_rule() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    assert f"`{RULES[0].id}` to `{RULES[-1].id}` |" in glossary


FAMILIES = ("application", "database", "load generator", "host")
LISTED, INVENTED = re.split(r"^\| of the \| invented fault .+$", PAGE, flags=re.MULTILINE)

# Faults with a test of their own; all other faults are rows of tables.
LISTED_ALONE = {
    "a limit elsewhere": test_live_faults.test_a_limit_elsewhere_and_too_little_load_are_proven,
    "a server that does not wait for its disk": (
        test_hidden_faults.test_a_server_that_stops_waiting_for_its_disk_in_mid_run_is_named
    ),
    "clock set in mid-trial": test_machine_faults.test_a_clock_that_is_set_in_mid_trial_is_named,
    "CPU quota in mid-run": test_machine_faults.test_a_quota_in_mid_run_is_named,
    "load generator on the application's CPUs": (
        test_machine_faults.test_a_load_generator_on_the_applications_cpus_is_named
    ),
    "neighbour in mid-run": test_machine_faults.test_a_neighbour_in_mid_run_is_named,
    "neighbour of the warm-up alone": test_machine_faults.test_a_neighbour_of_the_warm_up_alone_is_said,
    "no warm-up": test_live_faults.test_a_missing_warm_up_is_named,
    "one event loop": test_one_loop.test_one_loop_of_several_is_named_and_two_are_not,
    "one limit for two subjects": (test_live_faults.test_two_subjects_that_wait_for_the_same_database_are_named),
    "other CPUs for a moment": test_machine_faults.test_a_moment_on_other_cpus_is_named,
    "slow database": test_live_faults.test_a_slow_database_leaves_the_application_idle,
    "slow disk": test_machine_faults.test_a_slow_disk_is_named,
    "somebody stops in an open phase": (
        test_machine_faults.test_who_is_stopped_in_an_open_phase_is_named_and_not_the_load_generator
    ),
    "somebody's job before the trial": test_machine_faults.test_a_job_of_somebody_before_the_trial_is_named,
    "squeeze of memory": test_machine_faults.test_a_squeeze_of_memory_is_named,
    "starved load generator": test_machine_faults.test_a_starved_load_generator_is_named,
    "two connections of twenty at once": (test_answers_under_load.test_two_connections_of_twenty_at_once_are_named),
    "too few connections": test_live_faults.test_too_few_connections_leave_the_application_idle,
    "too little load": test_live_faults.test_a_limit_elsewhere_and_too_little_load_are_proven,
}
INVENTED_ALONE = {
    "a log of each statement": test_invented_faults.test_a_log_of_each_statement_from_mid_phase_on_is_named,
}
# Tests in the same modules that put in no fault of their own: those of whole tables, clean trials, and leftovers.
ASKED_BESIDES = re.compile(
    r"test_(the_fault_is|a_moment_in_the_database_is)_named_by_its_rule|test_a_clean_|test_what_was_"
)


def rows_of(page: str) -> list[tuple[str, str]]:
    """Family and name of each fault in a table of the page."""
    rows = re.findall(rf"^\| ({'|'.join(FAMILIES)}) \| (.+?) \| .+ \| R\d+ \|$", page, re.MULTILINE)
    return [(family, fault) for family, fault in rows]


def stated_counts(words: str) -> list[int]:
    """The numbers of faults that the page states: of all faults, then of each family."""
    each_family = r",\s+".join(rf"(\d+) of the {family}" for family in FAMILIES[:-1])
    match = re.search(rf"^(\d+) {words}[^:]*: {each_family}\s+and (\d+) of the host\.$", PAGE, re.MULTILINE)
    assert match is not None
    return [int(count) for count in match.groups()]


def counts(rows: list[tuple[str, str]]) -> list[int]:
    return [len(rows), *(sum(family_of_row == family for family_of_row, _ in rows) for family in FAMILIES)]


def alone_in(*modules: ModuleType) -> set[Callable[..., object]]:
    """The tests of modules that put in a fault of their own."""
    return {
        value
        for module in modules
        for name, value in vars(module).items()
        if name.startswith("test_") and callable(value) and not ASKED_BESIDES.match(name)
    }


def test_the_listed_faults_are_those_of_the_tests_and_as_many_of_each_family_as_the_page_says() -> None:
    rows = rows_of(LISTED)
    assert counts(rows) == stated_counts("faults were listed")
    in_tables = {*test_live_faults.FAULTS, *test_answers_under_load.FAULTS, *test_hidden_faults.HIDDEN}
    assert sorted(fault for _, fault in rows) == sorted({*in_tables, *LISTED_ALONE})
    modules = (
        test_live_faults,
        test_answers_under_load,
        test_hidden_faults,
        test_machine_faults,
        test_one_loop,
    )
    assert set(LISTED_ALONE.values()) == alone_in(*modules)


def test_the_invented_faults_are_those_of_the_tests_and_as_many_of_each_family_as_the_page_says() -> None:
    rows = rows_of(INVENTED)
    assert counts(rows) == stated_counts("more were invented")
    assert len(rows) >= 20 and min(counts(rows)[1:]) >= 5
    in_tables = {*test_invented_faults.INVENTED, *test_invented_faults.MOMENTS}
    assert sorted(fault for family, fault in rows if family != "host") == sorted({*in_tables, *INVENTED_ALONE})
    assert set(INVENTED_ALONE.values()) == alone_in(test_invented_faults)
    assert sum(family == "host" for family, _ in rows) == len(alone_in(test_invented_of_the_host))


def test_no_comment_cites_a_section_that_nobody_can_look_up() -> None:
    sources = [
        *(ROOT / "harness" / "plumbline").rglob("*.py"),
        *(ROOT / "harness" / "laboratory").rglob("*.py"),
    ]
    assert sources
    citing = re.compile(r"\bMETHOD\b")
    assert [path.name for path in sources if citing.search(path.read_text(encoding="utf-8"))] == []
