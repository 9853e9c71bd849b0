"""The CPUs that a session has to itself, on a made-up tree of control groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from launcher import partitions, systemd
from launcher.units import slice_of

FOUR: dict[str, tuple[int, ...]] = {"app": (1,), "db": (2,), "load": (3,), "harness": (0,)}
TWO: dict[str, tuple[int, ...]] = {"app": (1,), "db": (0,), "load": (0,), "harness": (0,)}
PLACE = "plumbline-0a1b2c-4711"


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of control groups: a slice that is started becomes a folder with the kernel's files."""
    settings = tmp_path / "settings"
    settings.mkdir()

    def start(name: str, cpus: tuple[int, ...]) -> None:
        (tmp_path / name).mkdir()
        (tmp_path / name / "cpuset.cpus").write_text(",".join(map(str, cpus)))
        (tmp_path / name / "cpuset.cpus.partition").write_text("member")
        (settings / f"{name}.d").mkdir()

    def end(names: list[str]) -> None:
        for name in names:
            (settings / f"{name}.d").rmdir()
            for path in (tmp_path / name).iterdir():
                path.unlink()
            (tmp_path / name).rmdir()

    monkeypatch.setattr(partitions, "GROUPS", tmp_path)
    monkeypatch.setattr(partitions, "_SETTINGS", settings)
    monkeypatch.setattr(systemd, "start_slice", start)
    monkeypatch.setattr(systemd, "end_slices", end)
    return tmp_path


def kinds_of_partition(groups: Path) -> dict[str, str]:
    return {path.parent.name: path.read_text() for path in sorted(groups.glob("*.slice/cpuset.cpus.partition"))}


def test_a_set_that_nobody_shares_is_a_partition(groups: Path) -> None:
    partitions.take(PLACE, FOUR)
    assert kinds_of_partition(groups) == {
        f"plumbline_0a1b2c_4711_{role}.slice": "root" for role in ("app", "db", "load")
    }
    assert (groups / slice_of(PLACE, "db") / "cpuset.cpus").read_text() == "2"


def test_a_set_that_others_share_is_none(groups: Path) -> None:
    partitions.take(PLACE, TWO)
    assert kinds_of_partition(groups) == {slice_of(PLACE, "app"): "root"}


def test_two_sides_at_once_have_none(groups: Path) -> None:
    partitions.take(PLACE, FOUR)
    partitions.take("plumbline-0a1b2c-4712", {**FOUR, "app": (4,)})
    assert set(kinds_of_partition(groups).values()) == {"member"} and slice_of(PLACE, "app") in kinds_of_partition(
        groups
    )
    assert slice_of("plumbline-0a1b2c-4712", "app") not in kinds_of_partition(groups)


def test_other_sessions_keep_theirs(groups: Path) -> None:
    partitions.take(PLACE, TWO)
    partitions.take("plumbline-ffffff-4711", {**TWO, "app": (2,)})
    assert set(kinds_of_partition(groups).values()) == {"root"} and len(kinds_of_partition(groups)) == 2
    partitions.give_back(PLACE)
    assert list(kinds_of_partition(groups)) == ["plumbline_ffffff_4711_app.slice"]
    partitions.give_back("plumbline")
    assert kinds_of_partition(groups) == {} and not list((groups / "settings").iterdir())


def test_a_kernel_that_refuses_is_told_of(
    groups: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Without the controller of cpusets there is no such file.
    monkeypatch.setattr(systemd, "start_slice", lambda name, cpus: (groups / name).mkdir())
    partitions.take(PLACE, TWO)
    assert "the CPUs of app are no partition of their own" in capsys.readouterr().err


@pytest.fixture
def outlived(groups: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The group of a unit that systemd has forgotten, in the slice of an application."""
    partitions.take(PLACE, TWO)
    monkeypatch.setattr(systemd, "end_slices", lambda names: None)
    group = groups / slice_of(PLACE, "app") / "plumbline-0a1b2c-app-4711-1.service"
    group.mkdir()
    (group.parent / "cgroup.kill").touch()
    return group


def test_what_outlived_its_unit_is_ended_and_its_group_removed(
    groups: Path, outlived: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = partitions._write

    def kernel(path: Path, word: str) -> None:
        write(path, word)
        if path.name == "cgroup.kill":
            # Files of a control group are no content of its folder, so that it can be removed.
            for file in path.parent.iterdir():
                if not file.is_dir():
                    file.unlink()

    monkeypatch.setattr(partitions, "_write", kernel)
    assert partitions.give_back(PLACE) == [] and not outlived.parent.exists()


def test_what_can_not_be_ended_is_named(groups: Path, outlived: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "_ENDS_WITHIN_S", 0.1)
    assert partitions.give_back("plumbline") == [slice_of(PLACE, "app")]
    assert (outlived.parent / "cgroup.kill").read_text() == "1"
