"""Made-up branches: the same bytes for the same arguments, in the shape of measured branches, marked as simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from laboratory.simulate.world import WATCHED, world
from laboratory.simulate.write import simulate
from plumbline.archive.history.collect import series_of, sessions
from plumbline.model.errors import UsageError
from plumbline.reporting.publish.reading import evidence_of, read_record
from .data import folders, simulated, tree


def test_the_same_arguments_give_the_same_bytes(branch: Path, tmp_path: Path) -> None:
    assert tree(simulated(tmp_path / "again")) == tree(branch)
    simulate(tmp_path / "other", 20, 12, 8, 3)
    assert tree(tmp_path / "other") != tree(branch)


def test_every_record_has_the_shape_of_one_and_says_that_it_is_made_up(branch: Path) -> None:
    session_folders = folders(branch)
    assert len(session_folders) == 12
    for folder in session_folders:
        record, _ = read_record(folder)
        assert record.plan.simulated and folder.name == record.plan.session
        assert folder.parts[-3:-1] == (record.plan.session[:4], record.plan.session[4:6])
    newest, files = read_record(session_folders[-1])
    evidence, problem = evidence_of(session_folders[-1], newest, files)
    assert problem is None and set(evidence) == {trial.number for trial in newest.trials}
    assert all(len(trial_evidence.series.t_s) > 60 for trial_evidence in evidence.values())


def test_it_has_about_as_many_series_as_were_asked_for(branch: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(branch, tmp_path / "data", ignore=shutil.ignore_patterns("broken"))
    series = [line for line in series_of(sessions(tmp_path / "data", tmp_path / "cache")) if not line.control]
    assert len(series) == 2 * WATCHED


def test_years_bring_steps_changes_new_and_retired_subjects() -> None:
    simulated_world = world(300, 1000, 1)
    lab = simulated_world.hosts[0]
    assert [host.host_class for host in simulated_world.hosts] == ["lab", "shared"]
    assert any(subject.steps for subject in lab.subjects) and len(lab.changes) > 3
    assert any(subject.first > 0 for subject in lab.subjects) and any(subject.last < 1000 for subject in lab.subjects)
    assert len({subject.id for subject in lab.subjects}) == len(lab.subjects)
    assert len(lab.subjects) * len(lab.scenarios) + len(simulated_world.hosts[1].subjects) == pytest.approx(30, abs=1)


def test_a_folder_that_is_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="not an empty folder"):
        simulate(tmp_path, 20, 2, 1, 0)
