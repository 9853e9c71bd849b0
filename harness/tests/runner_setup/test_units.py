"""The units, checked by systemd itself."""

from __future__ import annotations

import getpass
import json
import re
import socket
import subprocess
from pathlib import Path

import pytest
from launcher import partitions, serve, systemd
from launcher.config import Config, Refused, read_config
from launcher.units import ROLES, properties, run_words, unit_text

from .conftest import RUNNER_SETUP

CONFIG = Config("daemon", Path("/var/lib/plumbline"), dict.fromkeys(ROLES, 1 << 30), 4096)
PLACE = "plumbline-0a1b2c-4711"
UNITS = sorted((RUNNER_SETUP / "units").iterdir())


@pytest.mark.parametrize("role", ROLES)
def test_systemd_knows_every_property(tmp_path: Path, role: str) -> None:
    unit = tmp_path / f"plumbline-test-{role}.service"
    unit.write_text(unit_text(properties(CONFIG, role, "plumbline-0a1b2c", PLACE, (1, 2)), ("/bin/true",)))
    process = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    assert [line for line in process.stderr.splitlines() if unit.name in line] == []


@pytest.mark.parametrize("path", UNITS, ids=[path.name for path in UNITS])
def test_systemd_understands_what_is_installed(path: Path) -> None:
    process = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True)
    # Programs below /usr/local/lib are there only once they are installed.
    assert [line for line in process.stderr.splitlines() if path.name in line and "executable" not in line] == []


@pytest.mark.parametrize("role", ROLES)
def test_every_role_is_exposed_to_little(tmp_path: Path, role: str) -> None:
    unit = tmp_path / f"plumbline-test-{role}.service"
    unit.write_text(unit_text(properties(CONFIG, role, "plumbline-0a1b2c", PLACE, (1,)), ("/bin/true",)))
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(unit)]
    report = subprocess.run(words, capture_output=True, text=True).stdout
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", report)
    assert exposure and float(exposure[1]) <= 2.0, report


@pytest.mark.parametrize(("nodes", "given"), [(1, None), (2, "1")])
@pytest.mark.parametrize("role", ROLES)
def test_what_is_measured_has_the_memory_beside_its_cpus(
    role: str, nodes: int, given: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for node in range(nodes):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}/cpulist").write_text(f"{4 * node}-{4 * node + 3}\n")
    (tmp_path / "has_memory").write_text(f"{','.join(map(str, range(nodes)))}\n")
    monkeypatch.setattr("launcher.nodes.FOLDER", tmp_path)
    cpus = (4 * nodes - 2, 4 * nodes - 1)
    asked = properties(CONFIG, role, "plumbline-0a1b2c", PLACE, cpus).get("AllowedMemoryNodes")
    assert asked == (None if role == "harness" else given)


def of(role: str) -> dict[str, str]:
    return properties(CONFIG, role, "plumbline-0a1b2c", PLACE, (), f"{PLACE}-1" if role == "app" else "")


def test_only_the_application_has_a_user_that_exists_while_it_runs() -> None:
    assert {role for role in ROLES if "DynamicUser" in of(role)} == {"app"}
    users = {role: of(role).get("User") for role in ROLES}
    assert users == {"app": f"{PLACE}-1", "db": "plumbline-db", "load": "daemon", "harness": "daemon"}


def test_no_socket_of_the_host_has_a_path_inside() -> None:
    assert all("/run:ro" in of(role)["TemporaryFileSystem"].split() for role in ROLES)
    shown = {role: of(role)["BindReadOnlyPaths"] for role in ROLES if "BindReadOnlyPaths" in of(role)}
    assert set(shown) == {"app", "harness"}
    assert shown["app"] == f"/var/lib/plumbline-sessions/{PLACE}/names:/etc/passwd"


def test_what_an_application_makes_longer_and_longer_has_an_end() -> None:
    assert {role: of(role).get("LimitFSIZE") for role in ROLES} == {
        "app": "1G",
        "load": "1G",
        "db": None,
        "harness": None,
    }


@pytest.mark.parametrize("role", ROLES)
def test_every_role_has_the_cpu_controller_that_counts_throttled_time(role: str) -> None:
    assert of(role)["CPUWeight"] == "100"


def test_the_harness_sees_what_the_conditions_of_a_lab_are_read_from() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (RUNNER_SETUP / "measures").glob("*.py")]
    paths_read = {name for text in sources for name in re.findall(r'roots\.run / "([^"]+)"', text)}
    assert {"systemd/system", "systemd/timesync/synchronized"} <= paths_read
    visible_paths = [Path(word.removeprefix("-")) for word in of("harness")["BindReadOnlyPaths"].split()]
    assert [
        name for name in paths_read if not any(Path("/run", name).is_relative_to(visible) for visible in visible_paths)
    ] == []


def test_application_and_database_write_folders_of_their_own_alone() -> None:
    session = f"/var/lib/plumbline-sessions/{PLACE}"
    assert of("app")["ReadWritePaths"] == f"{session}/work"
    assert of("app")["BindPaths"] == f"{session}/tmp:/tmp {session}/tmp:/var/tmp"
    assert of("db")["ReadWritePaths"] == f"{session}/database"
    assert of("load")["ReadWritePaths"] == of("harness")["ReadWritePaths"].split()[0] == "/var/lib/plumbline"
    assert {of(role)["InaccessiblePaths"] for role in ("app", "db")} == {"-/var/lib/plumbline/runner"}


@pytest.mark.parametrize("role", ROLES)
def test_nobody_in_a_session_reads_the_runners_credentials(role: str) -> None:
    hidden = of(role)["InaccessiblePaths"].split()
    assert hidden == ["-/var/lib/plumbline/runner"] or "-/var/lib/plumbline/runner/.credentials" in hidden


def test_the_program_stands_behind_two_dashes() -> None:
    words = run_words("a.service", {"User": "nobody"}, ("/bin/true",))
    assert words[0] == "systemd-run" and words[-2:] == ["--", "/bin/true"]


def test_a_configuration_that_others_may_write_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "launcher.json"
    memory = dict.fromkeys(ROLES, 1)
    path.write_text(json.dumps({"user": "nobody", "state": "/s", "memory_bytes": memory, "tasks": 1}))
    path.chmod(0o600)
    assert read_config(path).user == "nobody"
    path.chmod(0o666)
    with pytest.raises(Refused, match="nobody else may write"):
        read_config(path)


@pytest.mark.parametrize("gone", [True, False])
def test_a_sweep_minds_a_namespace_only_while_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    """When the sweep ends a session, its connection deletes the namespace as well, and may be quicker."""
    namespaces = tmp_path / "netns"
    namespaces.mkdir()
    (namespaces / "plumbline-0a1b2c").touch()

    def fails(*words: str) -> None:
        if gone:
            (namespaces / words[-1]).unlink()
        raise Refused("ip netns delete: failed")

    monkeypatch.setattr(serve, "NAMESPACES", namespaces)
    monkeypatch.setattr(serve, "run_on_host", fails)
    monkeypatch.setattr(systemd, "stop", lambda pattern: None)
    if gone:
        serve.sweep(of_sessions(tmp_path))
    else:
        with pytest.raises(Refused, match="netns delete"):
            serve.sweep(of_sessions(tmp_path))


def of_sessions(folder: Path) -> Config:
    return Config(getpass.getuser(), folder, dict.fromkeys(ROLES, 1), 1, sessions=folder / "sessions")


def test_a_sweep_names_what_it_could_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systemd, "stop", lambda pattern: None)
    monkeypatch.setattr(serve, "NAMESPACES", tmp_path / "netns")
    monkeypatch.setattr(serve, "remove_folders", lambda config, place: None)
    folder = tmp_path / "sessions" / PLACE
    folder.mkdir(parents=True)
    monkeypatch.setattr(partitions, "give_back", lambda place: [f"{place}_left.slice"])
    with pytest.raises(Refused, match=f"still there after its session: plumbline_left.slice {folder}$"):
        serve.sweep(of_sessions(tmp_path))
    folder.rmdir()
    monkeypatch.setattr(partitions, "give_back", lambda place: [])
    serve.sweep(of_sessions(tmp_path))


def test_a_connection_that_ends_names_what_it_could_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "give_back", lambda place: [f"{place}.slice"])
    client, served_end = socket.socketpair()
    with served_end:
        connection = serve.Connection(of_sessions(tmp_path), served_end)
        connection._place = PLACE
        client.close()
        with pytest.raises(Refused, match=f"still there after its session: {PLACE}.slice"):
            connection.run()


UNITS_OF_SERVICES = [path for path in UNITS if path.suffix == ".service"]


@pytest.mark.parametrize("path", UNITS_OF_SERVICES, ids=[path.name for path in UNITS_OF_SERVICES])
def test_every_service_of_ours_is_exposed_to_little(tmp_path: Path, path: Path) -> None:
    unit = tmp_path / path.name.replace("@", "")
    unit.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(unit)]
    report = subprocess.run(words, capture_output=True, text=True).stdout
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", report)
    assert exposure and float(exposure[1]) <= 2.0, report
