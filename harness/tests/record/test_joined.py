"""Blocks of one session on several hosts: joined in one record, each host a stratum, nothing compared between hosts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.data.check import Expected, checked
from plumbline.archive.record.assemble import assembled_again
from plumbline.archive.record.join import joined_session, require_equal_machines
from plumbline.archive.record.names import Hostile, check_names
from plumbline.archive.record.read import read_session
from plumbline.archive.record.verify import verify
from plumbline.archive.record.write import write_record
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.host import Topology
from plumbline.model.plan import Budget, Phase
from plumbline.model.record import HostSession, Record, Standing, Trial
from plumbline.reporting.report.parts.trust import trust
from tests.host.readings import condition, reading
from tests.judge.damage import with_load
from tests.judge.planned import SUBJECTS
from tests.record.hosts import on, parts, together_on
from tests.record.sessions import rewritten

pytestmark = pytest.mark.slow

SLOWER = 1.5


def written(folder: Path, whole: Record, evidence: dict[int, Any]) -> Path:
    target = folder / whole.plan.session
    folder.mkdir(exist_ok=True)
    write_record(target, whole, evidence)
    return target


def test_the_record_holds_the_blocks_of_all_hosts_and_verifies(tmp_path: Path) -> None:
    first, second = on("lab-a", 3), on("lab-b", 2)
    whole, evidence = together_on(second, first)
    assert len(whole.trials) == len(first[0].trials) + len(second[0].trials) == len(evidence)
    assert [trial.number for trial in whole.trials] == list(range(1, len(whole.trials) + 1))
    assert (whole.host.name, whole.plan.host, whole.plan.blocks) == ("lab-a_lab-b", "lab-a_lab-b", 5)
    assert whole.plan.session.startswith("20260901T101500Z-lab-a-lab-b-")
    of_blocks = {trial.block: trial.host for trial in whole.plan.trials if trial.role == "measured"}
    assert of_blocks == {1: "lab-a", 2: "lab-a", 3: "lab-a", 4: "lab-b", 5: "lab-b"}
    folder = written(tmp_path, whole, evidence)
    assert verify(folder).difference is None
    assert read_session(folder)[0] == whole


def test_each_trial_is_judged_beside_those_of_its_host_alone() -> None:
    sessions = [on("lab-a", 3), on("lab-b", 2)]
    whole, _ = together_on(*sessions)
    alone = [trial for record, _ in sessions for trial in record.trials]

    def readings(trial: Trial) -> list[tuple[str, str | None, str, str]]:
        # R29 (how steady a program is) and R31 (how many trials there are) are judged over all hosts together.
        return [
            (finding.rule, finding.phase, finding.outcome, finding.reading)
            for finding in trial.findings
            if finding.rule not in ("R29", "R31")
        ]

    for joined_trial, single_trial in zip(whole.trials, alone, strict=True):
        assert (joined_trial.subject, joined_trial.role) == (single_trial.subject, single_trial.role)
        assert readings(joined_trial) == readings(single_trial)


def test_trials_of_all_hosts_count_together() -> None:
    few, _ = on("lab-a", 3)
    whole, _ = together_on(on("lab-a", 3), on("lab-b", 2))

    def r31(record: Record) -> set[str]:
        return {finding.outcome for trial in record.trials for finding in trial.findings if finding.rule == "R31"}

    assert r31(few) == {"warn"}
    assert r31(whole) == {"pass"}
    assert {trial.verdict for trial in whole.trials} == {"valid"}


def test_all_hosts_together_prove_how_steady_a_program_is() -> None:
    single, _ = on("lab-a", 3)
    whole, _ = together_on(on("lab-a", 3), on("lab-b", 2))
    key = (SUBJECTS[0], "closed", "app_cpu_us_per_request")
    processes = [
        next(row.processes for row in record.steadiness if (row.subject, row.phase, row.metric) == key)
        for record in (single, whole)
    ]
    assert processes == [3, 5]


def test_a_trial_that_its_host_refuses_proves_nothing_of_the_program_on_any_host() -> None:
    sound, evidence = together_on(on("lab-a", 3), on("lab-b", 2))
    number = next(trial.number for trial in sound.trials if (trial.subject, trial.block) == (SUBJECTS[0], 5))
    whole = assembled_again(sound, evidence | {number: with_load("closed", failed=1)(evidence[number])})
    assert [trial.number for trial in whole.trials if trial.verdict == "invalid"] == [number]
    rows = [row for row in whole.steadiness if (row.subject, row.phase) == (SUBJECTS[0], "closed")]
    assert {row.processes for row in rows} == {4}


def starts(record: Record) -> dict[str, Standing]:
    return {row.subject: row for row in record.standings if row.metric == "first_response_ms"}


def test_a_host_is_a_stratum() -> None:
    alike, _ = together_on(on("lab-a", 3), on("lab-b", 3))
    apart, _ = together_on(on("lab-a", 3), on("lab-b", 3, SLOWER))
    same, levels = starts(alike), starts(apart)
    for subject, row in levels.items():
        before = same[subject]
        assert row.mean == pytest.approx((before.mean or 0) * SLOWER**0.5)
        # The level of a host is in the mean, and neither in its interval nor in an order.
        assert (row.high or 0) / (row.low or 1) == pytest.approx((before.high or 0) / (before.low or 1))
        assert row.rank == before.rank
    assert {levels[subject].rank for subject in SUBJECTS[:2]} == {1, 2}


def test_a_lost_host_loses_its_blocks_alone(tmp_path: Path) -> None:
    whole, evidence = together_on(on("lab-a", 3), on("lab-c", 2), lost=("lab-b",))
    assert (whole.plan.blocks, whole.lost_hosts) == (5, ("lab-b",))
    assert {trial.verdict for trial in whole.trials} == {"valid"}
    assert verify(written(tmp_path, whole, evidence)).difference is None
    cautions = trust(whole).cautions
    assert "lab-b left no session: the blocks that it was to measure are missing." in cautions
    assert any("lab-a (3 blocks) and lab-c (2 blocks)" in caution for caution in cautions)


def test_one_host_that_is_left_is_the_whole_session(tmp_path: Path) -> None:
    single, _ = on("lab-a", 3)
    whole, evidence = together_on(on("lab-a", 3), lost=("lab-b",))
    assert [row.mean for row in whole.standings] == [row.mean for row in single.standings]
    assert verify(written(tmp_path, whole, evidence)).difference is None


def test_rates_that_are_shares_of_a_capacity_are_each_hosts_own(tmp_path: Path) -> None:
    def at(rate: int, part: HostSession) -> HostSession:
        phase = Phase(kind="open", name="open@50%", duration_s=15, rate_per_s=rate, rate_share=0.5)
        (plain,) = part.plan.scenarios
        scenario = plain.model_copy(update={"phases": (*plain.phases[:4], phase, plain.phases[5])})
        return part.model_copy(update={"plan": part.plan.model_copy(update={"scenarios": (scenario,)})})

    first, second = parts(on("lab-a", 3), on("lab-b", 2))
    same = joined_session((at(2000, first), at(2000, second))).plan.scenarios[0]
    differing = joined_session((at(2000, first), at(2100, second))).plan.scenarios[0]
    assert (same.phases[4].rate_per_s, differing.phases[4].rate_per_s) == (2000, None)


def test_names_of_hosts_are_held_before_anything_is_kept(tmp_path: Path) -> None:
    now = Expected(now=datetime(2026, 9, 2, tzinfo=UTC))
    whole, evidence = together_on(on("lab-a", 3), on("lab-c", 2), lost=("lab-b",))
    assert checked(written(tmp_path, whole, evidence), now) == whole
    whole, evidence = together_on(on("lab-a", 3), on("lab-c", 2), lost=("<b>",))
    with pytest.raises(AnswerIsNo, match="'<b>' is no name of a host"):
        checked(written(tmp_path / "hostile", whole, evidence), now)
    with pytest.raises(Hostile):
        check_names(whole)


HostChange = Callable[[HostSession], HostSession]


def of_host(**fields: object) -> HostChange:
    return lambda part: part.model_copy(update={"host": part.host.model_copy(update=fields)})


def of_plan(**fields: object) -> HostChange:
    return lambda part: part.model_copy(update={"plan": part.plan.model_copy(update=fields)})


def of_origin(**fields: object) -> HostChange:
    return lambda part: part.model_copy(update={"provenance": part.provenance.model_copy(update=fields)})


def other_artifact(part: HostSession) -> HostSession:
    first, *others = part.builds
    return part.model_copy(update={"builds": (first.model_copy(update={"sha256": "9" * 64}), *others)})


UNEQUAL: dict[str, tuple[HostChange, str]] = {
    "another class": (of_host(host_class="shared"), "class"),
    "another CPU": (of_host(cpu_model="Other CPU"), "CPU"),
    "another kernel": (of_host(kernel="6.13.0"), "system"),
    "less memory": (of_host(memory_bytes=8 * 2**30), "memory (by 50 %)"),
    "another placement": (of_plan(placement="affinity"), "sets of CPUs"),
    "other subjects": (of_plan(subjects=SUBJECTS[:2]), "subjects"),
    "other settings": (of_plan(defaults={"heap": "256m"}), "settings"),
    "another commit": (of_origin(commit="1" * 40), "commit"),
    "another JDK": (of_origin(jdk="25.0.4+1"), "tools"),
    "another artifact": (other_artifact, "artifacts"),
}


@pytest.mark.parametrize("case", UNEQUAL)
def test_hosts_that_are_not_equal_are_refused(case: str) -> None:
    change, words = UNEQUAL[case]
    first, second = parts(on("lab-a", 3), on("lab-b", 2))
    with pytest.raises(UsageError) as refused:
        joined_session((first, change(second)))
    assert refused.value.problem == f"lab-b can't be joined with lab-a: they differ in {words}."


OTHER_MACHINES: dict[str, tuple[HostChange, str]] = {
    "mitigations off": (of_host(kernel_command_line="quiet mitigations=off"), "kernel command line"),
    "another disk": (of_host(components={"disks": "Other disk"}), "disks"),
    "a database that loses commits": (
        of_origin(database_settings={"fsync": "off"}),
        "setting fsync of the database",
    ),
}


@pytest.mark.parametrize("case", OTHER_MACHINES)
def test_other_machines_are_not_joined_and_joined_records_stay_readable(case: str) -> None:
    """A record that was joined before the condition was asked has to be computed again."""
    change, words = OTHER_MACHINES[case]
    first, second = parts(on("lab-a", 3), on("lab-b", 2))
    require_equal_machines((first, second))
    with pytest.raises(UsageError) as refused:
        require_equal_machines((first, change(second)))
    assert refused.value.problem == f"lab-b can't be joined with lab-a: they differ in {words}."
    assert joined_session((first, change(second))).host.name == "lab-a_lab-b"


def test_a_little_less_memory_is_the_same() -> None:
    first, second = parts(on("lab-a", 3), on("lab-b", 2))
    assert joined_session((first, of_host(memory_bytes=16 * 2**30 - 4 * 2**20)(second))).host.name == "lab-a_lab-b"


def test_clusters_of_other_nodes_are_the_same() -> None:
    first, second = (
        of_host(topology=Topology(cpus=(), hypervisor=False), components={"node of app": part.host.name})(part)
        for part in parts(on("lab-a", 3), on("lab-b", 2))
    )
    require_equal_machines((first, second))
    assert joined_session((first, second)).host.name == "lab-a_lab-b"


def test_two_sessions_of_one_host_are_refused() -> None:
    with pytest.raises(UsageError, match="Two sessions are of the host lab-a"):
        together_on(on("lab-a", 3), on("lab-a", 2))


def test_a_session_until_it_is_decided_is_refused() -> None:
    first, second = parts(on("lab-a", 3), on("lab-b", 2))
    budget = Budget(budget_s=900.0, looks=(3, 4), level=0.01)
    with pytest.raises(UsageError, match="no session of a fixed number of blocks"):
        joined_session((first, of_plan(budget=budget)(second)))


def name_of_host(document: dict[str, Any]) -> None:
    document["host"]["name"] = "lab-a"


def blocks_of_plan(document: dict[str, Any]) -> None:
    document["plan"]["blocks"] = 6


def host_of_trial(document: dict[str, Any]) -> None:
    document["plan"]["trials"][3]["host"] = "lab-b"


def kernel_of_part(document: dict[str, Any]) -> None:
    document["parts"][1]["host"]["kernel"] = "6.13.0"


def trial_of_part(document: dict[str, Any]) -> None:
    document["parts"][1]["plan"]["trials"].pop()


def lab_of_part(document: dict[str, Any]) -> None:
    document["parts"][1]["host"]["readings"] = [reading(condition("governor", "unfit")).model_dump(mode="json")]


CHANGED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "the name of the host": (name_of_host, "host is recorded as"),
    "the number of blocks": (blocks_of_plan, "plan is recorded as"),
    "the host of a trial": (host_of_trial, "plan is recorded as"),
    "the kernel of one host": (kernel_of_part, "they differ in system"),
    "a planned trial of one host": (trial_of_part, "its plan is not that of its hosts together"),
    "the readings of one host": (lab_of_part, "readings of the host do not bear out that it is lab"),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_changed_part_is_found_though_the_seal_is_new(tmp_path: Path, case: str) -> None:
    change, words = CHANGED[case]
    whole, evidence = together_on(on("lab-a", 3), on("lab-b", 2))
    folder = written(tmp_path, whole, evidence)
    document = whole.model_dump(mode="json")
    change(document)
    rewritten(folder, Record.model_validate(document))
    found = verify(folder).difference
    assert found is not None
    assert words in found.problem
