"""A record's plan for this host, or one sentence why nobody could run it here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.read import read_record
from plumbline.archive.record.write import write_record
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.planning import reproduction_of
from plumbline.measuring.run.rounds import rounds
from plumbline.measuring.run.sources import sources_of
from plumbline.model.comparison import SideSource
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.plan import Unproven
from plumbline.model.record import Record
from plumbline.subjects.catalog.bench import HostSpec
from plumbline.subjects.catalog.settings import SETTINGS
from plumbline.subjects.plan.duration import preparation_s, trial_s
from plumbline.verdicts.contract import WORKLOAD_VERSION
from tests.judge.planned import LAB, SMALL, host
from tests.record.comparisons import FAST, PLACES, SLOW, comparison_plan, record_of
from tests.record.sessions import evidence_of, rewritten, sealed_again
from tests.record.sessions import record as session_record
from tests.run.clones import context, git

pytestmark = pytest.mark.slow


def here(clone: Path) -> Context:
    opened = context(clone)
    tools = {
        "jdk": type("Jdk", (), {"home": clone, "vendor": "Temurin", "build": "25.0.9"})(),
        "k6": type("K6", (), {"version": "2.2.0"})(),
        "placement": type("Placement", (), {"name": "taskset"})(),
        "host": host("small").model_copy(update={"name": "here"}),
        "host_name": "here",
        "sets": SMALL,
        "places": (PLACES[1], PLACES[0]),
    }
    opened.__dict__.update(tools)
    return opened


def kept(clone: Path, folder: Path, change: Callable[[Record], Record] = lambda record: record) -> Path:
    """Write the record of a session that was measured on the clone's commit, as recomputed after a change; return its
    folder.
    """
    record = session_record("lab", 5)
    measured = record.model_copy(
        update={
            "provenance": record.provenance.model_copy(update={"commit": git(clone, "rev-parse", "HEAD")}),
            "versions": record.versions.model_copy(update={"workload": WORKLOAD_VERSION}),
        }
    )
    changed = change(measured)
    results = evidence_of("lab", 5)
    evidence = {
        trial.number: results.get(trial.number, results[max(results)]).model_copy(
            update={"trial": trial.number, "scenario": trial.scenario}
        )
        for trial in changed.trials
    }
    write_record(folder / "session", assembled_again(changed, evidence), evidence)
    return folder / "session"


def test_the_same_plan_on_this_host(clone: Path, tmp_path: Path) -> None:
    again = reproduction_of(here(clone), kept(clone, tmp_path))
    there = session_record("lab", 5).plan
    assert again.plan.trials == there.trials and again.plan.seed == there.seed
    assert again.plan.session != there.session and again.plan.host == "here"
    assert (again.plan.sets, there.sets) == (SMALL, LAB)
    reproduced = again.plan.reproduces
    assert reproduced is not None and reproduced.session == there.session
    assert reproduced.commit == git(clone, "rev-parse", "HEAD") and len(reproduced.ratios) > 0
    assert any(ratio.falls > 0 and ratio.rises > 0 for ratio in reproduced.ratios)


def test_blocks_that_ran_on_several_hosts_all_run_on_this_one(clone: Path, tmp_path: Path) -> None:
    def on_two_hosts(record: Record) -> Record:
        plan = record.plan
        trials = tuple(
            trial.model_copy(update={"host": "lab-a" if trial.block < 3 else "lab-b"}) for trial in plan.trials
        )
        return record.model_copy(update={"plan": plan.model_copy(update={"trials": trials})})

    again = reproduction_of(here(clone), kept(clone, tmp_path, on_two_hosts))
    assert again.plan.trials == session_record("lab", 5).plan.trials


def test_a_setting_that_came_later_is_as_it_is_today(clone: Path, tmp_path: Path) -> None:
    opened = here(clone)
    plan = reproduction_of(opened, kept(clone, tmp_path)).plan
    assert plan.defaults.keys() < SETTINGS.keys()
    defaults = sources_of(opened, plan).context.catalog.bench.defaults
    assert defaults.keys() == SETTINGS.keys()
    assert plan.defaults.items() <= defaults.items()


def test_a_session_goes_on_with_the_settings_that_it_began_with(clone: Path, tmp_path: Path) -> None:
    opened = here(clone)
    plan = reproduction_of(opened, kept(clone, tmp_path)).plan.model_copy(update={"reproduces": None})
    bench = opened.catalog.bench
    today = bench.model_copy(update={"defaults": {**bench.defaults, "heap": "1g"}})
    later = replace(opened, catalog=replace(opened.catalog, bench=today))
    assert plan.defaults["heap"] == "512m"
    assert sources_of(later, plan).context.catalog.bench.defaults["heap"] == "512m"


def test_proofs_of_the_cpus_there_are_left_out(clone: Path, tmp_path: Path) -> None:
    def proven(record: Record) -> Record:
        plan = record.plan
        last = plan.trials[-1]
        proof = last.model_copy(
            update={"number": last.number + 1, "role": "proof", "sets": LAB, "proof": "more load CPU"}
        )
        lacking = Unproven(proof="more database CPU", reason="This host has no CPU to lend the database.")
        changes = {"trials": (*plan.trials, proof), "unproven": (lacking,)}
        of_proof = record.trials[-1].model_copy(update={"number": proof.number, "role": "proof"})
        return record.model_copy(update={"plan": plan.model_copy(update=changes), "trials": (*record.trials, of_proof)})

    again = reproduction_of(here(clone), kept(clone, tmp_path, proven)).plan
    assert again.trials == session_record("lab", 5).plan.trials
    assert (again.sets, again.unproven) == (SMALL, ())


def test_it_says_first_what_could_be_detected_and_what_differs(clone: Path, tmp_path: Path) -> None:
    sentences = " ".join(reproduction_of(here(clone), kept(clone, tmp_path)).sentences)
    assert (
        "this host would tell a ratio that differs by" in sentences
        and "in the median, if no drift has to be excluded here" in sentences
    )
    assert "JDK: there" in sentences and "class of host: there lab, here small" in sentences
    assert "of throughput are left out, since a small host bounds it" in sentences


def kept_duet(clone: Path, folder: Path) -> Path:
    """Write the record of a duet that was measured on the clone's commit; return its folder."""
    record, evidence = record_of(comparison_plan(FAST, SLOW, design="duet"))
    commit = git(clone, "rev-parse", "HEAD")
    measured = record.model_copy(
        update={
            "provenance": record.provenance.model_copy(update={"commit": commit}),
            "versions": record.versions.model_copy(update={"workload": WORKLOAD_VERSION}),
        }
    )
    write_record(folder / "session", measured, evidence)
    return folder / "session"


def test_a_duet_needs_two_database_servers_here(clone: Path, tmp_path: Path) -> None:
    opened = here(clone)
    opened.__dict__["host_spec"] = HostSpec(database="postgresql://db.example/fruits")
    with pytest.raises(UsageError, match="A duet needs a database server for each side"):
        reproduction_of(opened, kept_duet(clone, tmp_path))


def test_a_duet_runs_on_the_places_of_this_host(clone: Path, tmp_path: Path) -> None:
    plan = reproduction_of(here(clone), kept_duet(clone, tmp_path)).plan
    assert [trial.sets for trial in plan.trials][:3] == [PLACES[1], PLACES[1], PLACES[0]]
    assert plan.sets == PLACES[1]


def test_a_pair_of_a_duet_takes_the_time_of_one_trial(clone: Path, tmp_path: Path) -> None:
    plan = reproduction_of(here(clone), kept_duet(clone, tmp_path)).plan
    (scenario,) = plan.scenarios
    trials_s = plan.expected_s - preparation_s(plan.trials, plan.scenarios)
    assert trials_s == pytest.approx(len(rounds(plan)) * trial_s(scenario), abs=0.1)


def with_provenance(**fields: object) -> Callable[[Record], Record]:
    return lambda record: record.model_copy(update={"provenance": record.provenance.model_copy(update=fields)})


def of_workload(record: Record) -> Record:
    return record.model_copy(update={"versions": record.versions.model_copy(update={"workload": 99})})


def of_scenario(record: Record) -> Record:
    """A record whose scenario this checkout no longer has, under that name wherever the record names it."""
    before = record.plan.scenarios[0]
    gone = before.model_copy(update={"version": 77})
    text = record.model_dump_json().replace(f'"{before.id}"', f'"{gone.id}"')
    renamed = Record.model_validate_json(text)
    return renamed.model_copy(update={"plan": renamed.plan.model_copy(update={"scenarios": (gone,)})})


def of_worktree(record: Record) -> Record:
    asked = comparison_plan(FAST, SLOW, refs=True).comparison
    assert asked is not None
    lying = asked.model_copy(update={"head": SideSource(given="worktree", kind="worktree", dirty=True)})
    return record.model_copy(update={"plan": record.plan.model_copy(update={"comparison": lying})})


def of_one_block(record: Record) -> Record:
    plan = record.plan.model_copy(update={"trials": tuple(trial for trial in record.plan.trials if trial.block == 1)})
    trials = tuple(trial for trial in record.trials if trial.block == 1)
    return record.model_copy(update={"plan": plan, "trials": trials})


@pytest.mark.parametrize(
    ("change", "problem", "step"),
    [
        (with_provenance(commit="a" * 40), "This clone lacks the commit aaaaaaaaaaaa", "git fetch"),
        (with_provenance(commit=None), "files that are in no commit", "measured on commits"),
        (of_worktree, "files that are in no commit", "measured on commits"),
        (of_workload, "workload of version 99", "Check out"),
        (of_scenario, "no scenario fruits@77 any more", "Check out"),
        (of_one_block, "no ratio to compare this host with", "two valid trials"),
    ],
)
def test_what_nobody_could_run_here(
    clone: Path, tmp_path: Path, change: Callable[[Record], Record], problem: str, step: str
) -> None:
    folder = kept(clone, tmp_path, change)
    with pytest.raises(UsageError) as caught:
        reproduction_of(here(clone), folder)
    assert problem in caught.value.problem and step in caught.value.next_step


def test_a_dirty_record_is_run_as_committed_and_that_is_said(clone: Path, tmp_path: Path) -> None:
    again = reproduction_of(here(clone), kept(clone, tmp_path, with_provenance(dirty=True)))
    assert any("what runs here is the commit" in line for line in again.sentences)


def test_a_changed_record_is_refused(clone: Path, tmp_path: Path) -> None:
    folder = kept(clone, tmp_path)
    path = folder / "evidence" / "0003.json.gz"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(AnswerIsNo, match="has changed"):
        reproduction_of(here(clone), folder)


def test_a_record_whose_verdicts_were_changed_is_refused_though_its_seal_is_new(clone: Path, tmp_path: Path) -> None:
    folder = kept(clone, tmp_path)
    record = read_record(folder)
    trials = tuple(trial.model_copy(update={"verdict": "advisory"}) for trial in record.trials)
    rewritten(folder, record.model_copy(update={"trials": trials}))
    with pytest.raises(AnswerIsNo, match="verdict of trial 1 is recorded as"):
        reproduction_of(here(clone), folder)


def test_a_newer_schema_is_refused(clone: Path, tmp_path: Path) -> None:
    folder = kept(clone, tmp_path)
    text = (folder / "record.json").read_text()
    (folder / "record.json").write_text(text.replace('"schema_version":3', '"schema_version":9'))
    sealed_again(folder)
    with pytest.raises(AnswerIsNo, match="schema 9"):
        reproduction_of(here(clone), folder)


def test_rates_that_were_shares_of_a_capacity_wait_for_ours(clone: Path, tmp_path: Path) -> None:
    def shared(record: Record) -> Record:
        scenario = record.plan.scenarios[0]
        phases = tuple(
            phase.model_copy(update={"rate_share": 0.5}) if phase.kind == "open" else phase for phase in scenario.phases
        )
        changed = scenario.model_copy(update={"phases": phases})
        return record.model_copy(update={"plan": record.plan.model_copy(update={"scenarios": (changed,)})})

    plan = reproduction_of(here(clone), kept(clone, tmp_path, shared)).plan
    assert {phase.rate_per_s for phase in plan.scenarios[0].phases if phase.kind == "open"} == {None}
    assert math.isfinite(plan.expected_s)


def test_network_and_connections_are_those_of_this_host_and_that_is_said(clone: Path, tmp_path: Path) -> None:
    opened = here(clone)
    bench = opened.catalog.bench
    fruits = bench.scenarios["fruits"].model_copy(update={"connections": 100, "connections_per_cpu": 25})
    fitting = bench.model_copy(update={"scenarios": {**bench.scenarios, "fruits": fruits}})
    opened = replace(opened, catalog=replace(opened.catalog, bench=fitting))
    opened.__dict__.update(here(clone).__dict__ | {"catalog": opened.catalog})

    def of_cluster(record: Record) -> Record:
        return record.model_copy(update={"plan": record.plan.model_copy(update={"network": "cluster"})})

    again = reproduction_of(opened, kept(clone, tmp_path, of_cluster))
    assert again.plan.network == "loopback"
    closed = [phase.connections for phase in again.plan.scenarios[0].phases if phase.connections is not None]
    assert closed == [25, 25]
    assert "connections under fruits@1: there 100, here 25" in again.sentences
    assert "network: there cluster, here loopback" in again.sentences
