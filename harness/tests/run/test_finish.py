"""The record of a session keeps the host as it was before and after, and its class is one that both readings meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.archive.record.verify import verify
from plumbline.measuring.run import finish as finishing
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.journal import Journal, read_journal
from plumbline.model.host import HostReading
from plumbline.model.record import Record
from tests.doctor import trees
from tests.doctor.test_examine import examination
from tests.record.sessions import evidence_of, record

pytestmark = pytest.mark.slow

TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"


def lab(root: Path) -> Context:
    """A host that meets every condition; the harness itself reads the conditions."""
    return examination(root, trees.tuned).context


def finished(shop: Context, running: Path, before: HostReading, monkeypatch: pytest.MonkeyPatch) -> Record:
    sample = record()
    running.mkdir()
    journal = Journal(running)
    journal.write("plan", plan=sample.plan.model_dump(mode="json"), started_at="", options={})
    journal.write("host", reading=before.model_dump(mode="json"))
    monkeypatch.setattr(finishing, "provenance", lambda *words: sample.provenance)
    object.__setattr__(shop, "paths", shop.paths.__class__(running.parent, running, running, 0))
    done = finishing.finish(
        shop,
        read_journal(running),
        running,
        evidence_of(),
        builds=sample.builds,
        training=(),
        images=(),
        database_settings={},
        ended_at="",
    )
    assert verify(done.folder).difference is None
    return done.record


def test_a_lab_from_beginning_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = lab(tmp_path / "host")
    saved = finished(shop, tmp_path / "running", shop.host.readings[0], monkeypatch)
    assert (saved.host.host_class, saved.plan.host_class) == ("lab", "lab")
    assert len(saved.host.readings) == 2 and all(reading.conditions for reading in saved.host.readings)


@pytest.mark.parametrize("text", ["0", None], ids=["turbo on", "turbo hidden"])
def test_what_changed_during_the_session_costs_the_class(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = lab(tmp_path / "host")
    before = shop.host.readings[0]
    assert shop.host.host_class == "lab"
    (tmp_path / "host" / TURBO).unlink()
    if text is not None:
        (tmp_path / "host" / TURBO).write_text(text)
    saved = finished(shop, tmp_path / "running", before, monkeypatch)
    assert (saved.host.host_class, saved.plan.host_class) == ("shared", "shared")
    assert "Turbo off" in saved.host.why_class
    assert "valid" not in {trial.verdict for trial in saved.trials}
