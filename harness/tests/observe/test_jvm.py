from __future__ import annotations

import os
import signal
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.machine.tools.jdk import find_jdk
from plumbline.measuring.observe.hsperfdata import HsperfData
from plumbline.measuring.observe.readers.flags import flags_of, in_force
from plumbline.measuring.observe.samplers.base import Tick
from plumbline.measuring.observe.samplers.jvm import JvmSampler
from plumbline.measuring.observe.targets import Roots, Targets
from .conftest import JVM

Look = Callable[[Targets], Tick]


@pytest.fixture
def counters(recorded: Path) -> bytes:
    return (recorded / "two-cpus" / "hsperfdata").read_bytes()


def sample(path: Path, roots: Roots, targets: Targets, look: Look) -> dict[str, float | None]:
    return dict(JvmSampler(roots).sample(look(replace(targets, hsperfdata=path))))


def test_counters_of_a_jdk_25(roots: Roots, targets: Targets, recorded: Path, look: Look) -> None:
    assert sample(recorded / "two-cpus" / "hsperfdata", roots, targets, look) == {
        "jvm.gc_pauses": 6 + 1 + 6,
        "jvm.gc_us": (4_142_978 + 1_868_959 + 1_045_078) // 1000,
        "jvm.heap_used_bytes": 135_491_992,
        "jvm.heap_committed_bytes": 59_768_832 + 208_666_624,
        "jvm.metaspace_bytes": 79_984,
        "jvm.jit_us": 609,
        "jvm.compiled_methods": 4,
        "jvm.loaded_classes": 7 + 405,
        "jvm.safepoint_us": 9126,
    }


@pytest.fixture
def of_mixed_mode(counters: bytes, tmp_path: Path) -> Path:
    """The recorded counters, whose texts were left out, with the counter that names the mode."""
    name = b"java.property.java.vm.info\0"
    at = counters.index(name) + len(name)
    text = b"mixed mode, sharing\0"
    path = tmp_path / "counters"
    path.write_bytes(counters[:at] + text + counters[at + len(text) :])
    return path


def test_its_mode_is_a_text_of_the_same_file(of_mixed_mode: Path) -> None:
    assert HsperfData.text_in(of_mixed_mode.read_bytes(), "java.property.java.vm.info") == "mixed mode, sharing"
    assert HsperfData.text_in(of_mixed_mode.read_bytes(), "no.such.text") is None


def test_flags_as_jcmd_writes_them() -> None:
    answer = "436:\n-XX:ActiveProcessorCount=1 -XX:MaxHeapSize=536870912 -XX:-TieredCompilation -XX:+UseG1GC \n"
    assert flags_of(answer) == {
        "ActiveProcessorCount": "1",
        "MaxHeapSize": "536870912",
        "TieredCompilation": "false",
        "UseG1GC": "true",
    }
    assert flags_of("436:\ncom.sun.tools.attach.AttachNotSupportedException: state is not ready\n") == {}


def jcmd_that(program: str, folder: Path) -> Path:
    path = folder / "jcmd"
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(0o755)
    return path


def test_flags_in_force_are_asked_of_the_jvm_itself(of_mixed_mode: Path, tmp_path: Path) -> None:
    jcmd = jcmd_that('echo "$1:"; echo "-XX:+Use$2"', tmp_path)
    settings_in_force = in_force(Roots(), jcmd, 436, of_mixed_mode.read_bytes())
    assert settings_in_force is not None
    assert (settings_in_force.mode, settings_in_force.flags) == ("mixed mode, sharing", {"UseVM": "true"})


def test_a_jvm_of_another_user_is_asked_beside_it(of_mixed_mode: Path, tmp_path: Path) -> None:
    asked: list[tuple[int, tuple[str, ...]]] = []

    def run_beside(pid: int, argv: Sequence[str]) -> str | None:
        asked.append((pid, tuple(argv)))
        return "436:\n-XX:+UseG1GC\n"

    jcmd = tmp_path / "jcmd"
    settings_in_force = in_force(Roots(run_beside=run_beside), jcmd, 436, of_mixed_mode.read_bytes())
    assert settings_in_force is not None and settings_in_force.flags == {"UseG1GC": "true"}
    assert asked == [(436, (str(jcmd), "436", "VM.flags"))]
    assert in_force(Roots(run_beside=lambda *_: None), jcmd, 436, of_mixed_mode.read_bytes()) is None


def test_counters_of_another_user_are_read_by_a_service(
    counters: bytes, roots: Roots, targets: Targets, look: Look
) -> None:
    contents = {"hsperfdata": counters}
    others_roots = replace(roots, read_privileged=lambda pid, name: contents.get(name) if pid == JVM else None)
    sampler = JvmSampler(others_roots)
    tick = look(replace(targets, hsperfdata=Path("/nonexistent")))
    assert sampler.sample(tick)["jvm.loaded_classes"] == 412
    # An application may change its file at any time.
    contents["hsperfdata"] = counters[:3000]
    assert sampler.sample(tick) == {}
    contents["hsperfdata"] = counters
    assert sampler.sample(tick)["jvm.loaded_classes"] == 412


@pytest.mark.parametrize("program", ["exit 1", "echo", "kill -9 $$"])
def test_a_jvm_that_does_not_answer_has_no_flags(program: str, of_mixed_mode: Path, tmp_path: Path) -> None:
    assert in_force(Roots(), jcmd_that(program, tmp_path), 436, of_mixed_mode.read_bytes()) is None
    assert in_force(Roots(), tmp_path / "none", 436, of_mixed_mode.read_bytes()) is None
    assert in_force(Roots(), jcmd_that('echo "-XX:+A"', tmp_path), 436, b"no counters") is None
    assert in_force(Roots(), jcmd_that('echo "-XX:+A"', tmp_path), 436, None) is None


def test_a_value_that_changes_is_seen(
    tmp_path: Path, counters: bytes, roots: Roots, targets: Targets, look: Look
) -> None:
    path = tmp_path / "4711"
    path.write_bytes(counters)
    offset = HsperfData().numbers(counters)["sun.ci.totalCompiles"]
    sampler = JvmSampler(roots)
    tick = look(replace(targets, hsperfdata=path))
    assert sampler.sample(tick)["jvm.compiled_methods"] == 4
    with path.open("r+b") as file:
        file.seek(offset)
        file.write((905).to_bytes(8, "little"))
    assert sampler.sample(tick)["jvm.compiled_methods"] == 905
    path.unlink()
    assert sampler.sample(tick) == {}


def test_the_file_may_appear_later(tmp_path: Path, counters: bytes, roots: Roots, targets: Targets, look: Look) -> None:
    path = tmp_path / "4711"
    sampler = JvmSampler(roots)
    tick = look(replace(targets, hsperfdata=path))
    assert sampler.sample(tick) == {}
    path.write_bytes(b"")
    assert sampler.sample(tick) == {}
    path.write_bytes(counters)
    assert sampler.sample(tick)["jvm.loaded_classes"] == 412


@pytest.mark.parametrize(
    ("what", "spoil"),
    [
        ("cut in the prologue", lambda counters: counters[:20]),
        ("cut in the entries", lambda counters: counters[:3000]),
        ("another file", lambda counters: b"\x7fELF" + counters[4:]),
        ("version 1", lambda counters: counters[:5] + b"\1" + counters[6:]),
        ("not yet accessible", lambda counters: counters[:7] + b"\0" + counters[8:]),
        ("an entry of length 0", lambda counters: counters[:32] + bytes(4) + counters[36:]),
        ("entries before the file", lambda counters: counters[:24] + b"\xff" * 4 + counters[28:]),
        (
            "a number behind the end",
            lambda counters: counters[:24] + struct.pack("<iiiiiibbbbi", 32, 1, 26, 20, 0, 0, 74, 0, 0, 0, 22)[:34],
        ),
        ("noise behind the prologue", lambda counters: counters[:32] + b"\xa5" * (len(counters) - 32)),
    ],
)
def test_a_file_that_is_not_well_formed_reads_as_nothing(
    what: str,
    spoil: Callable[[bytes], bytes],
    tmp_path: Path,
    counters: bytes,
    roots: Roots,
    targets: Targets,
    look: Look,
) -> None:
    path = tmp_path / what
    path.write_bytes(spoil(counters))
    assert sample(path, roots, targets, look) == {}


def test_no_jvm_gives_no_columns(roots: Roots, targets: Targets, look: Look) -> None:
    assert JvmSampler(roots).sample(look(targets)) == {}


@pytest.mark.parametrize("trap", ["a link", "a pipe", "a folder"])
def test_only_a_regular_file_has_counters(
    trap: str, tmp_path: Path, counters: bytes, roots: Roots, targets: Targets, look: Look
) -> None:
    path, elsewhere = tmp_path / "4711", tmp_path / "elsewhere"
    elsewhere.write_bytes(counters)
    make: dict[str, Callable[[], None]] = {
        "a link": lambda: path.symlink_to(elsewhere),
        "a pipe": lambda: os.mkfifo(path),
        "a folder": path.mkdir,
    }
    make[trap]()
    assert sample(path, roots, targets, look) == {}


@pytest.mark.slow
def test_a_question_that_a_jvm_does_not_answer_leaves_nothing_in_its_folder(
    of_mixed_mode: Path, tmp_path: Path
) -> None:
    jdk, folder = find_jdk(os.environ), tmp_path / "artifact"
    folder.mkdir()
    words = (str(jdk.java), "-m", "jdk.httpserver", "--bind-address", "127.0.0.1", "--port", "0")
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE) as jvm:
        assert jvm.stdout is not None
        try:
            jvm.stdout.readline()
            jvm.send_signal(signal.SIGSTOP)
            counters = of_mixed_mode.read_bytes()
            assert in_force(Roots(), jdk.java.with_name("jcmd"), jvm.pid, counters) is None
        finally:
            jvm.kill()
    assert list(folder.iterdir()) == []
