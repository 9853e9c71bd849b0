"""The whole examination on recorded hosts: conditions that need the harness, the overall verdict, the table."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.download import Pins
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.doctor import machine_state, tools
from plumbline.measuring.doctor.diagnosis import diagnose, render
from plumbline.measuring.doctor.examine import Examination
from plumbline.measuring.run.context import Context
from plumbline.model.host import Condition, Met, NeededFor
from plumbline.subjects.catalog.catalog import read_catalog
from tests.doctor import trees
from tests.doctor.trees import BY_ID, CHECKOUT, put
from tests.passable import open_up

GUEST_MOUNT = "30 29 0:26 / /nowhere/cgroup rw - cgroup2 cgroup2 rw"


def examination(root: Path, host: Any, *, online: bool = True) -> Examination:
    """The doctor on a recorded host with a JDK, and nothing in the cache."""
    open_up(root)
    host(root)
    put(
        root,
        {
            "jdk/release": 'JAVA_VERSION="25.0.3"\nIMPLEMENTOR="Test"\nJAVA_RUNTIME_VERSION="25.0.3+9"',
            "jdk/bin/java": "",
            "jdk/bin/javac": "",
            "proc/self/mountinfo": GUEST_MOUNT,
            "proc/self/cgroup": "0::/",
            "etc/os-release": "PRETTY_NAME=Test",
        },
    )
    environ = {
        "HOME": str(root / "home"),
        "JAVA_HOME": str(root / "jdk"),
        "PATH": "",
        "PLUMBLINE_HOST": "bench-1",
    }
    environ["PLUMBLINE_SCRATCH"] = str(root / "var/tmp/plumbline-0")
    paths = Paths.of(environ, CHECKOUT, os.geteuid(), root)
    context = Context(
        CHECKOUT,
        read_catalog(CHECKOUT, []),
        paths,
        environ,
        lambda text: None,
        proc=root / "proc",
        sys=root / "sys",
        etc=root / "etc",
        run=root / "run",
        var=root / "var",
    )
    return Examination(
        context,
        is_root=False,
        lock=root / "lock",
        reachable=lambda url: online,
    )


def box(root: Path, **environ: str) -> Toolbox:
    return Toolbox(
        Paths.of({"HOME": str(root)}, root, os.geteuid(), root),
        Pins.of({}, "x86_64"),
        {"PATH": "", **environ},
        lambda text: None,
    )


def condition_with(verdict: Met, needed_for: NeededFor = "lab", title: str = "A condition") -> Condition:
    return Condition(id="x", title=title, why="It matters.", needed_for=needed_for, verdict=verdict, reading="1")


def test_a_small_guest_is_fit_and_advisory(tmp_path: Path) -> None:
    diagnosis = examination(tmp_path, trees.guest).diagnosis()
    assert (diagnosis.host, diagnosis.host_class, diagnosis.fit, diagnosis.lab_ready) == (
        "bench-1",
        "small",
        True,
        False,
    )
    assert diagnosis.summary == (
        "Fit to measure as small: every result is advisory, because 2 cores, and four sets need 4."
    )
    by_id = {condition.id: condition for condition in diagnosis.conditions}
    assert list(by_id)[:4] == ["jdk", "k6", "maven", "postgresql"]
    assert set(BY_ID) < set(by_id)
    assert by_id["sets"].reading == "app: 1; db, load, housekeeping: 0"
    assert (by_id["placement"].verdict, by_id["placement"].command) == ("unfit", "sudo ./bench run")


def test_the_docs_list_every_condition_as_it_is(tmp_path: Path) -> None:
    docs = (CHECKOUT / "docs" / "hosts.md").read_text(encoding="utf-8")
    for condition in examination(tmp_path, trees.guest).diagnosis().conditions:
        assert f"| `{condition.id}` | {condition.needed_for} | {condition.title} | {condition.why} |\n" in docs


def test_the_pages_quote_what_the_doctor_says_of_a_lab() -> None:
    diagnosis = diagnose(
        examined_at="2026-11-21T20:46:48Z",
        host="h",
        host_class="lab",
        why_class="all is met",
        conditions=(condition_with("fit"),),
    )
    for page in ("lab.md", "operate.md"):
        assert diagnosis.summary in (CHECKOUT / "docs" / page).read_text(encoding="utf-8")


def test_the_page_shows_of_chosen_conditions_what_the_doctor_says_of_them(tmp_path: Path) -> None:
    page = (CHECKOUT / "docs" / "hosts.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"by `\./bench doctor ([^`]+)`:\n", page)
    only = tuple(words.replace("--only", "").split())
    doctor = examination(tmp_path, trees.guest)
    shown = page.partition(words)[2].partition("\n\n    ")[2].partition("\n\nWithout `--only`")[0]
    assert shown.splitlines()[-1].strip() == doctor.diagnosis(only).summary
    assert set(re.findall(r"^ +(?:fit|unfit|unknown) +([a-z-]+)  ", shown, re.MULTILINE)) == set(only)
    assert doctor.diagnosis().summary.partition(":")[0] in " ".join(page.split())


def test_without_network_and_cache_nothing_can_be_measured(tmp_path: Path) -> None:
    diagnosis = examination(tmp_path, trees.tuned, online=False).diagnosis(("jdk", "maven", "postgresql"))
    assert not diagnosis.fit
    assert diagnosis.summary.startswith("Not fit to measure: ")
    assert "(wanted: Maven, or a way to it); " in diagnosis.summary
    assert diagnosis.summary.endswith("(wanted: PostgreSQL's programs, or a way to them).")


def test_no_failing_condition_is_titled_by_its_opposite(tmp_path: Path) -> None:
    diagnosis = examination(tmp_path, trees.guest).diagnosis()
    failing = [condition for condition in diagnosis.conditions if condition.verdict == "unfit"]
    table = render(diagnosis, 400, colour=False)
    assert failing
    for condition in failing:
        assert f"{condition.title}:" not in table
        assert f"{condition.reading} (wanted: {condition.title})" in table


def test_only_what_is_asked_for_is_looked_at(tmp_path: Path) -> None:
    def never(url: str) -> bool:
        raise AssertionError("nobody asked for a tool")

    doctor = examination(tmp_path, trees.tuned)
    object.__setattr__(doctor, "reachable", never)
    diagnosis = doctor.diagnosis(("swap",))
    assert [condition.id for condition in diagnosis.conditions] == ["swap"]
    assert diagnosis.summary == "Other conditions were not looked at."


def test_examining_makes_nothing(tmp_path: Path) -> None:
    doctor = examination(tmp_path, trees.guest)
    before = sorted(tmp_path.rglob("*"))
    doctor.diagnosis()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("host_class", "conditions", "fit", "lab_ready", "words"),
    [
        ("lab", (condition_with("fit"), condition_with("n/a")), True, True, "Fit to measure as lab"),
        ("lab", (condition_with("unknown"),), True, False, "not known: 1 (wanted: A condition)"),
        ("lab", (condition_with("unfit"),), True, False, "not met: 1 (wanted: A condition)"),
        (
            "lab",
            (condition_with("unfit", "any", "Disk"), condition_with("unfit")),
            False,
            False,
            "Not fit to measure: 1 (wanted: Disk).",
        ),
        ("shared", (condition_with("fit"),), True, False, "advisory, because of neighbours"),
    ],
)
def test_overall(host_class: Any, conditions: tuple[Condition, ...], fit: bool, lab_ready: bool, words: str) -> None:
    diagnosis = diagnose(
        examined_at="2026-11-21T20:46:48Z",
        host="h",
        host_class=host_class,
        why_class="of neighbours",
        conditions=conditions,
    )
    assert (diagnosis.fit, diagnosis.lab_ready) == (fit, lab_ready)
    assert words in diagnosis.summary


def test_a_k6_that_is_named_must_be_one(tmp_path: Path) -> None:
    program = tmp_path / "k6"
    toolbox = box(tmp_path, PLUMBLINE_K6=str(program))
    for text, verdict in (("k6 v2.3.1 (linux/amd64)", "fit"), ("k6 v1.4.0 (linux/amd64)", "unfit")):
        program.write_text(f"#!/bin/sh\necho '{text}'\n")
        program.chmod(0o755)
        condition = tools.k6(toolbox, lambda url: True)
        assert (condition.verdict, condition.command) == (verdict, None if verdict == "fit" else "unset PLUMBLINE_K6")
    program.unlink()
    assert "no k6" in tools.k6(toolbox, lambda url: True).reading


def test_a_cached_tool_asks_no_network(tmp_path: Path) -> None:
    def never(url: str) -> bool:
        raise AssertionError(f"asked for {url}")

    cached = box(tmp_path)
    pin = cached.pins.pin("maven")
    put(cached.paths.tools, {f"downloads/{pin.sha256[:16]}-{pin.file_name}": "", "k6-2.2.0-abc/k6": ""})
    assert tools.maven(cached, never).verdict == "fit"
    assert tools.k6(cached, never).reading == "2.2.0 in the cache"


def test_a_run_under_way_names_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert machine_state.lock(path).verdict == "fit"
    assert not path.exists()
    path.write_text('{"pid": 4711, "since": "2026-11-21T07:00:00+00:00"}')
    assert machine_state.lock(path).verdict == "fit"
    with path.open("r+") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        busy = machine_state.lock(path)
        assert busy.verdict == "unfit"
        assert "process 4711" in busy.reading
        assert machine_state.leftovers(tmp_path, busy).verdict == "n/a"
    assert machine_state.lock(path).verdict == "fit"


def test_a_dead_sessions_process_is_named_with_the_command(tmp_path: Path) -> None:
    put(tmp_path, {"77/stat": "77 (java) S 1 77 77"})
    (tmp_path / "77/environ").write_bytes(b"A=b\0PLUMBLINE_SESSION=20260102T030405Z-h-abc123\0")
    condition = machine_state.leftovers(tmp_path, condition_with("fit"))
    assert (condition.verdict, condition.command) == ("unfit", "kill -9 77")
    assert "20260102T030405Z-h-abc123" in condition.reading


def test_nothing_is_left_only_where_every_process_shows_its_session(tmp_path: Path) -> None:
    put(tmp_path, {"77/stat": "77 (java) S 1 77 77", "77/cmdline": "java", "2/stat": "2 (kthreadd) S 0 0 0"})
    put(tmp_path, {"78/stat": "78 (gone) S 1 78 78"})
    (tmp_path / "2/cmdline").touch()
    for pid in ("2", "77"):
        # Root may read every file, and nobody reads a folder as one.
        (tmp_path / pid / "environ").mkdir()
    condition = machine_state.leftovers(tmp_path, condition_with("fit"))
    assert (condition.verdict, condition.command) == ("unknown", "sudo ./bench doctor")
    assert "1 process" in condition.reading
    (tmp_path / "77/environ").rmdir()
    (tmp_path / "77/environ").write_bytes(b"A=b\0")
    assert machine_state.leftovers(tmp_path, condition_with("fit")).verdict == "fit"


def test_scratch_that_a_database_without_root_could_not_reach(tmp_path: Path) -> None:
    open_up(tmp_path)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    paths = Paths(tmp_path, tmp_path / "cache", closed / "mine" / "plumbline", 0)
    condition = machine_state.scratch(paths)
    assert condition.verdict == "unfit" and f"{closed} is closed to others" in condition.reading
    closed.chmod(0o711)
    assert machine_state.scratch(paths).verdict == "fit" and not list(closed.iterdir())


def test_scratch_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    paths = Paths(tmp_path, tmp_path / "cache", tmp_path / "file", os.geteuid())
    condition = machine_state.scratch(paths)
    assert (condition.verdict, "PLUMBLINE_SCRATCH" in (condition.command or "")) == ("unfit", True)


def test_scratch_that_runs_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "statvfs", lambda folder: SimpleNamespace(f_flag=os.ST_NOEXEC))
    condition = machine_state.scratch(Paths(tmp_path, tmp_path / "cache", tmp_path / "s", os.geteuid()))
    assert condition.verdict == "unfit" and f"{tmp_path} is mounted noexec" in condition.reading
    assert condition.command == "export PLUMBLINE_SCRATCH=/another/folder"


def test_table_keeps_commands_whole_and_colours_apart(tmp_path: Path) -> None:
    diagnosis = examination(tmp_path, trees.laptop).diagnosis()
    plain = render(diagnosis, 60, colour=False)
    assert "\x1b" not in plain
    for condition in diagnosis.conditions:
        assert condition.id in plain
        if condition.command:
            assert f"$ {condition.command}\n" in plain
    assert "\x1b[" in render(diagnosis, 60, colour=True)
    assert plain.endswith(diagnosis.summary.split()[-1])
