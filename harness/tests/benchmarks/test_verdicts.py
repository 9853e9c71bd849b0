"""The replay of recorded trials: which trials it takes, which parts of them, and the table that it writes."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from benchmarks import replaying, verdicts

from laboratory.promises import habits
from laboratory.promises.page import HABITS
from plumbline.archive.record.ran import took_s
from plumbline.archive.record.read import read_session
from plumbline.model.errors import UsageError
from tests.record.sessions import written

pytestmark = pytest.mark.slow


def test_processes_are_those_of_the_record(tmp_path: Path) -> None:
    record, evidence = read_session(written(tmp_path))
    groups, control_s = verdicts.processes_of(record, evidence)
    # The other subjects have two blocks; the control has four trials, the first of which is thrown away.
    counting = [trial for trial in record.trials if (trial.subject, trial.role) == (record.plan.control, "control")]
    ((*group,),) = groups.values()
    assert len(group) == len(control_s) == len(counting) == verdicts.LEAST_TRIALS
    costs = [-math.log(trial.figures["closed"]["throughput_per_s"]) for trial in counting]
    wider = math.sqrt(len(costs) / (len(costs) - 1))
    assert math.fsum(process.cost for process in group) == pytest.approx(0, abs=1e-9)
    assert group[0].cost - group[1].cost == pytest.approx(wider * (costs[0] - costs[1]))
    assert group[0].took_s == took_s(evidence[counting[0].number])
    # 65 s of closed load, less one second; five seconds and three times five from the first load on.
    assert len(group[0].seconds) == 64
    assert 20 < group[0].early_s < group[0].took_s


def test_the_table_stands_in_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "results")
    page = tmp_path / "docs" / "promises.md"
    page.parent.mkdir()
    page.write_text("# What is promised\n", encoding="utf-8")
    monkeypatch.setattr(replaying, "ROOT", tmp_path)
    monkeypatch.setattr(replaying, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["verdicts", str(tmp_path / "results"), "--jobs", "5", "--write"])
    assert verdicts.main() == 0
    text = page.read_text(encoding="utf-8")
    assert f"\n## {HABITS}\n" in text and "replayed 5 times for each share" in text
    assert "`./bench benchmark verdicts results --write`" in text
    for name in habits.HABITS:
        assert f"| {name} | " in text
    assert text.splitlines()[-1] in capsys.readouterr().out


def test_a_folder_without_warm_trials_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="a subject with 3 trials of a warm program"):
        verdicts.replayed([tmp_path], 5)
    monkeypatch.setattr("sys.argv", ["verdicts", str(tmp_path)])
    assert verdicts.main() == 2
    assert "./bench run" in capsys.readouterr().err


def test_a_record_without_its_evidence_is_left_out(tmp_path: Path) -> None:
    shutil.rmtree(written(tmp_path) / "evidence")
    with pytest.raises(UsageError, match="No session below"):
        verdicts.replayed([tmp_path], 1)
