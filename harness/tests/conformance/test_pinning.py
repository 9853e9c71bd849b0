"""Waits that pin a virtual thread are counted, and waits that pin none are not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plumbline.machine.tools.jdk import find_jdk
from plumbline.measuring.conformance.pinning import Recording, events_in

# For each letter that the program reads, a virtual thread waits once. At the first p it waits while a class is
# initialised, which pins the thread.
PROGRAM = """
public class Waits {
    static class Pinning {
        static { pause(); }
        static void touch() {}
    }
    static void pause() {
        try { Thread.sleep(50); } catch (InterruptedException e) { throw new IllegalStateException(e); }
    }
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        for (int line = System.in.read(); line >= 0; line = System.in.read()) {
            int asked = line;
            if (asked == '\\n') continue;
            Thread.ofVirtual().start(() -> { if (asked == 'p') Pinning.touch(); else pause(); }).join();
            System.out.println("done");
        }
    }
}
"""


@contextmanager
def waiting(folder: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    source = folder / "Waits.java"
    source.write_text(PROGRAM)
    java = find_jdk(os.environ).java
    with subprocess.Popen(
        [str(java), str(source)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        try:
            yield java, process
        finally:
            process.kill()


def counted(java: Path, process: subprocess.Popen[str], word: str) -> int:
    assert process.stdin is not None and process.stdout is not None
    recording = Recording(java, process.pid)
    recording.start()
    process.stdin.write(word + "\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    return recording.stop()


@pytest.mark.slow
def test_a_wait_that_pins_is_counted_and_another_is_not(tmp_path: Path) -> None:
    with waiting(tmp_path) as (java, process):
        assert counted(java, process, "w") == 0
        assert counted(java, process, "p") == 1
        assert counted(java, process, "w") == 0


def test_events_are_counted_in_what_the_tool_prints() -> None:
    assert events_in('{"recording": {"events": [{"type": "jdk.VirtualThreadPinned"}]}}') == 1
    assert events_in('{"recording": {"events": []}}') == 0
