"""The end of a phase when k6 itself goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from plumbline.measuring.load.k6 import K6
from plumbline.measuring.load.params import Target
from plumbline.measuring.load.summary import LoadFailed
from plumbline.model.plan import Phase, Scenario
from tests.processes import PlainSpawner

PHASE = Phase(kind="closed", name="closed", duration_s=0.1, connections=1)
SCENARIO = Scenario(
    name="fruits",
    version=1,
    workload="fruits",
    script="fruits.ts",
    operation="GET /fruits",
    uses_database=True,
    phases=(),
)
TARGET = Target(base_url="http://127.0.0.1:1", name="Apple", golden="[]")
THROWS = "open('closed.k6.log', 'w').write('boom\\n at x\\n'); raise SystemExit(107)"


@pytest.mark.parametrize(
    ("text", "why", "sentence"),
    [
        ("raise SystemExit(0)", "summary", "k6 left no summary of the phase closed: No such file"),
        ("open('closed.summary.json', 'w').write('{')", "summary", "summary of the phase closed is garbled"),
        ("raise SystemExit(109)", "died", "k6 died in the phase closed: k6 itself crashed"),
        ("raise SystemExit(33)", "died", "k6 died in the phase closed: exit status 33"),
        (THROWS, "script", "the script threw: boom"),
        ("raise SystemExit(108)", "script", "the script gave up"),
        pytest.param(
            "import time; time.sleep(60)",
            "hung",
            "k6 did not end within 1 s in the phase closed",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_each_way_to_fail_has_its_sentence(
    program: Callable[[str], Path],
    spawner: PlainSpawner,
    tmp_path: Path,
    free_port: int,
    text: str,
    why: str,
    sentence: str,
) -> None:
    # Only the one that hangs is waited for so short a time.
    k6 = K6(program(text), tmp_path, 1, spawner, timeout_s=0.5, slack_s=0.5 if why == "hung" else 60.0)
    with pytest.raises(LoadFailed, match=sentence) as caught:
        k6.run(PHASE, SCENARIO, TARGET, folder=tmp_path, rest_port=free_port)
    assert caught.value.why == why
    assert caught.value.exit_status == 1
    assert spawner.started[0].poll() is not None


@pytest.mark.parametrize("name", ["closed.params.json", "closed.k6.out"])
def test_a_file_that_cant_be_written_fails_the_phase(
    program: Callable[[str], Path], spawner: PlainSpawner, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    k6 = K6(program("raise SystemExit(109)"), tmp_path, 1, spawner)
    with pytest.raises(LoadFailed, match="A file for k6 in the phase closed can't be written: Is a directory"):
        k6.run(PHASE, SCENARIO, TARGET, folder=tmp_path, rest_port=29_999)
    assert not spawner.started


def test_how_k6_is_started(program: Callable[[str], Path], spawner: PlainSpawner, tmp_path: Path) -> None:
    k6 = K6(program("raise SystemExit(109)"), Path("/scenarios"), 3, spawner)
    with pytest.raises(LoadFailed):
        k6.run(PHASE, SCENARIO, TARGET, folder=tmp_path, rest_port=29_999)
    role, argv, env = spawner.calls[0]
    assert role == "load"
    assert argv[-1] == "/scenarios/fruits.ts"
    assert {"--no-usage-report", "--address=127.0.0.1:29999"} <= set(argv)
    assert (env["GOMAXPROCS"], env["GOGC"]) == ("3", "400")
