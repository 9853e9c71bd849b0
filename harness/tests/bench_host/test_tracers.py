"""The kernel's own tracers: what they print, by documentation and by a kernel, and that they are put back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from bench_host import quiet, tracers
from bench_host.cli import main
from bench_host.quiet import Jitter
from bench_host.refused import Refused
from bench_host.tracers import TRACERS
from measures.face import Roots

from tests.bench_host.hosts import HOSTS, live
from tests.doctor.trees import put

# https://docs.kernel.org/trace/osnoise-tracer.html, set closer, and a line of a kernel that shows one flag more.
OSNOISE = """\
# tracer: osnoise
#          TASK-PID     CPU# ||||  TIMESTAMP  RUNTIME  NOISE  AVAILABLE  MAX  HW  NMI   IRQ  SIRQ  THREAD
#             | |        |   ||||     |          |       |        |       |   |    |     |     |     |
          <...>-859    [000] ....   81.637220: 1000000  190  99.98100     9  18    0  1007    18     1
          <...>-860    [001] ....   81.638154: 1000000  656  99.93440    74  23    0  1006    16     3
CPU:1 [LOST 3 EVENTS]
      osnoise/0-859    [000] .....  82.638215: 1000000  210  99.97900    12   2    1   993    20     1
"""
# https://docs.kernel.org/trace/hwlat_detector.html
HWLAT = """\
# tracer: hwlat
           <...>-1729  [001] d...   678.473449: #1      inner/outer(us):   11/12    ts:1581527483.343962693 count:6
           <...>-1729  [004] d...   689.556542: #2      inner/outer(us):   16/9     ts:1581527494.889008092 count:1
"""
# Printed by Linux 6.1.0-56-rt-amd64 of Debian 12, on a busy emulated machine of four CPUs; shortened and moved left.
OSNOISE_OF_6_1 = """\
# tracer: osnoise
#
# TASK-PID      CPU# |||||||   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     HW    NMI    IRQ   SIRQ THREAD
 <...>-386     [000] .......    98.299382: 1014633     927643   8.57354   69115    106      0     77      0     58
 <...>-389     [003] .......    98.469552: 1000034     911896   8.81350  102463    143      0     89      0     62
 <...>-386     [000] .......    99.299133: 1000000     909774   9.02260   73547    155      0     80      0     56
"""
HWLAT_OF_6_1 = """\
# tracer: hwlat
#
# entries-in-buffer/entries-written: 6/6   #P:4
#
#           TASK-PID     CPU#  |||||||  TIMESTAMP  FUNCTION
 <...>-413     [001] dn.....   100.942599: #1     inner/outer(us): 22929/22342 ts:1795490601.590608330 count:135
 <...>-413     [003] d.L....   103.202264: #3     inner/outer(us): 26543/28700 ts:1795490603.845124800 count:132
"""
FOLDER = "sys/kernel/tracing"
FILES = {
    f"{FOLDER}/available_tracers": "timerlat osnoise hwlat blk function nop",
    f"{FOLDER}/current_tracer": "nop",
    f"{FOLDER}/tracing_on": "0",
    f"{FOLDER}/trace": "# tracer: nop",
}


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    put(tmp_path, FILES)
    return Roots(sys=tmp_path / "sys")


def kernel(roots: Roots, text: str, waited: list[float]) -> Callable[[float], None]:
    """A kernel that traces during the wait, if the test started a tracer."""
    folder = tracers.folder_of(roots)

    def wait(seconds: float) -> None:
        waited.append(seconds)
        name = (folder / "current_tracer").read_text().strip()
        if (folder / "tracing_on").read_text() == "1" and text.startswith(f"# tracer: {name}\n"):
            (folder / "trace").write_text(text)

    return wait


def settings(roots: Roots) -> list[str]:
    folder = tracers.folder_of(roots)
    return [(folder / name).read_text().strip() for name in ("current_tracer", "tracing_on")]


def test_osnoise_says_of_each_cpu_who_took_it(roots: Roots) -> None:
    waited: list[float] = []
    first, second = tracers.osnoise(roots, 5.0, kernel(roots, OSNOISE, waited))
    assert waited == [5.0] and settings(roots) == ["nop", "0"]
    assert (first.cpu, first.seconds, first.lost_share, first.longest_us) == (0, 2.0, 0.0002, 12.0)
    assert first.per_s == {
        "hardware": 10.0,
        "nmi": 0.5,
        "interrupts": 1000.0,
        "soft_interrupts": 19.0,
        "threads": 1.0,
    }
    assert (second.cpu, second.lost_share, second.longest_us) == (1, 0.000656, 74.0)


def test_what_a_kernel_printed_is_read_as_the_kernel_counted(roots: Roots) -> None:
    first, last = tracers.osnoise(roots, 2.0, kernel(roots, OSNOISE_OF_6_1, []))
    assert (first.cpu, first.seconds, first.longest_us) == (0, 2.015, 73547.0)
    assert (first.per_s["interrupts"], first.per_s["threads"]) == (77.93, 56.59)
    # The kernel's own column says what was left to the CPU, in percent.
    assert last.cpu == 3 and last.lost_share == pytest.approx(1 - 8.81350 / 100, abs=1e-6)
    assert tracers.hwlat(roots, 2.0, kernel(roots, HWLAT_OF_6_1, [])) == tracers.Stalls(2.0, 267, 28700.0)


def test_hwlat_says_how_long_the_hardware_stood_still(roots: Roots) -> None:
    found = tracers.hwlat(roots, 5.0, kernel(roots, HWLAT, []))
    assert found == tracers.Stalls(5.0, 7, 16.0)
    assert tracers.hwlat(roots, 5.0, kernel(roots, "# tracer: hwlat\n", [])) == tracers.Stalls(5.0, 0, 0.0)


def test_an_interruption_puts_the_tracers_back(roots: Roots) -> None:
    def interrupted(seconds: float) -> None:
        assert settings(roots) == ["osnoise", "1"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tracers.osnoise(roots, 5.0, interrupted)
    assert settings(roots) == ["nop", "0"]


def test_only_tracers_that_the_kernel_has(roots: Roots) -> None:
    names = tracers.folder_of(roots) / "available_tracers"
    assert tracers.offered(roots) == ("osnoise", "hwlat")
    names.write_text("osnoise function nop\n")
    assert tracers.offered(roots) == ("osnoise",)
    names.write_text("blk function nop\n")
    assert tracers.offered(roots) == ()
    names.unlink()
    assert tracers.offered(roots) is None


def test_who_traces_already_is_not_disturbed(roots: Roots) -> None:
    (tracers.folder_of(roots) / "current_tracer").write_text("function\n")
    with pytest.raises(Refused, match="Somebody traces this kernel") as refused:
        tracers.offered(roots)
    assert "echo nop" in refused.value.next_step and settings(roots) == ["function", "0"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("osnoise hwlat nop", "CPU   1 by osnoise: 0.0656% taken away, 74 us at once at most"),
        ("hwlat nop", "the hardware by hwlat: 7 stalls in 3 s, 16 us at once at most"),
        ("nop", "osnoise and hwlat, the kernel's own tracers, are not in this kernel"),
        (None, "osnoise and hwlat, the kernel's own tracers, are not shown (/sys/kernel/tracing)"),
    ],
)
def test_quiet_asks_the_tracers_that_are_there(
    names: str | None,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = HOSTS["small machine"](tmp_path / "host")
    if names is not None:
        put(root, FILES | {f"{FOLDER}/available_tracers": names})
    roots = Roots(sys=root / "sys")
    osnoise, hwlat = kernel(roots, OSNOISE, []), kernel(roots, HWLAT, [])
    monkeypatch.setattr(time, "sleep", lambda seconds: (osnoise(seconds), hwlat(seconds)))
    monkeypatch.setattr(quiet, "jitter", lambda cpu, seconds: Jitter(cpu, seconds, 0.0, 0.0, 0.0))
    words = ("quiet", "--root", str(root), "--seconds", "0.01")
    assert main(words, host=lambda root: live(root)) == 0
    assert said in capsys.readouterr().out
    assert main((*words, "--json"), host=lambda root: live(root)) == 0
    document = json.loads(capsys.readouterr().out)
    listed = (names or "").split()
    assert {name: document[name] is not None for name in TRACERS} == {name: name in listed for name in TRACERS}
    assert [row["cpu"] for row in document["jitter"]] == [0, 1, 2, 3] and document["housekeeping"] == [0]
    assert document["applied"] is False


def test_quiet_says_whether_it_is_before_or_after_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = HOSTS["small machine"](tmp_path / "host")
    monkeypatch.setattr(quiet, "jitter", lambda cpu, seconds: Jitter(cpu, seconds, 0.0, 0.0, 0.0))
    applied = []
    for words in (("apply", "--only", "ksm"), ("rollback",)):
        assert main((*words, "--root", str(root))) == 0
        capsys.readouterr()
        assert main(("quiet", "--root", str(root), "--json"), host=lambda root: live(root)) == 0
        applied.append(json.loads(capsys.readouterr().out)["applied"])
    assert applied == [True, False]
