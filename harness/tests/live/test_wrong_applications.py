"""Applications that answer wrongly, never get healthy, end at once or hang: invalid trials that say why."""

from __future__ import annotations

import shutil
import signal
import threading
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.record.assemble import assemble
from plumbline.measuring.launch.interface import RunningProcess, Spawner
from plumbline.measuring.run.context import Context
from plumbline.measuring.run.finish import provenance
from plumbline.measuring.run.journal import Journaled, SessionOptions
from plumbline.measuring.run.origin import origin_of
from plumbline.measuring.run.planning import plan_session
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.run.trial import run_trial
from plumbline.model.evidence import Evidence, Stray
from plumbline.model.plan import Phase, Plan, PlannedTrial
from plumbline.model.record import HostSession, Trial, Usage
from plumbline.subjects.plan.make import Selection
from plumbline.verdicts.contract import WORKLOAD_VERSION

# For an application that never answers.
START_WITHIN_S = 4.0
SHORT = (
    Phase(kind="start", name="start"),
    Phase(kind="probe", name="probe"),
    Phase(kind="closed", name="closed", duration_s=2, connections=10, saturates=True),
    Phase(kind="after", name="after"),
)


class Quiet:
    """Progress that nobody watches."""

    def say(self, text: str) -> None: ...

    def trial_began(self, trial: PlannedTrial, count: int, of: int, remaining_s: float) -> None: ...

    def phase_began(self, name: str) -> None: ...

    def trial_ended(self, trial: PlannedTrial, headline: str, problem: str | None) -> None: ...


@dataclass(frozen=True)
class Bench:
    """Runs another application in the place of the control."""

    context: Context
    testbed: Testbed
    plan: Plan

    def trial(self, folder: Path, run: tuple[str, ...]) -> tuple[Evidence, Trial]:
        """The trial of an application that is started in a folder by these words, judged."""
        job = self.context.job(self.plan.control)
        packaging = job.variant.spec.packaging["jvm"].model_copy(update={"run": run})
        spec = job.variant.spec.model_copy(update={"packaging": {"jvm": packaging}})
        changed = replace(
            job,
            trial=self.plan.trials[1],
            scenario=self.plan.scenarios[0],
            artifact=replace(job.artifact, folder=folder),
            variant=job.variant.model_copy(update={"spec": spec}),
        )
        try:
            evidence = run_trial(self.testbed, changed, Quiet())
        finally:
            shutil.rmtree(self.testbed.work)
            self.testbed.work.mkdir()
        settings = self.testbed.database.settings
        journaled = Journaled(self.plan, evidence.started_at, SessionOptions(), origin=origin_of(self.context))
        session = HostSession(
            plan=self.plan,
            host=self.context.host,
            provenance=provenance(self.context, journaled, [evidence], settings, evidence.started_at),
            builds=(),
            training=(),
            usage=Usage(session_cpu_s=0, sampler_cpu_s=0, harness_cpu_s=0),
        )
        record = assemble(session, {evidence.trial: evidence}, workload_version=WORKLOAD_VERSION)
        return evidence, record.trials[0]


@pytest.fixture(scope="module")
def bench(context: Context, testbed: Testbed) -> Bench:
    plan = plan_session(context, Selection(suite="smoke", only=("vertx-pg",), blocks=1, seed=1))
    (scenario,) = plan.scenarios
    return Bench(
        context,
        testbed,
        plan.model_copy(update={"scenarios": (scenario.model_copy(update={"phases": SHORT}),)}),
    )


def said_by(trial: Trial, rule: str) -> str:
    return " ".join(row.reading for row in trial.findings if row.rule == rule and row.outcome == "invalid")


def source(folder: Path, body: str) -> Path:
    (folder / "App.java").write_text(f"void main() throws Exception {{ {body} }}\n")
    return folder


def test_a_wrong_body_is_invalid(bench: Bench, tmp_path: Path) -> None:
    """The control with one key of its JSON spelt another way."""
    built = bench.context.job(bench.plan.control).artifact.folder / "app.jar"
    name = "org/plumbline/app/fruits/FruitEndpoint.class"
    with zipfile.ZipFile(built) as whole, zipfile.ZipFile(tmp_path / "app.jar", "w") as changed:
        assert whole.read(name).count(b'"currency"') == 1
        for entry in whole.infolist():
            content = whole.read(entry)
            if entry.filename == name:
                content = content.replace(b'"currency"', b'"currencY"')
            changed.writestr(entry, content)
    evidence, trial = bench.trial(tmp_path, ("-jar", "app.jar"))
    assert trial.verdict == "invalid" and evidence.failure is None
    assert said_by(trial, "R16") and "had a wrong body" in said_by(trial, "R7")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "Thread.sleep(600_000);",
            "did not answer GET /health with 200 within 4 s: it refused connections",
        ),
        (
            'System.err.println("no luck today"); System.exit(7);',
            "The application ended by itself: exit status 7.",
        ),
    ],
)
def test_an_application_that_does_not_start_is_invalid(bench: Bench, tmp_path: Path, body: str, problem: str) -> None:
    if "sleep" in body:
        bench = replace(bench, testbed=replace(bench.testbed, deadline_s=START_WITHIN_S))
    evidence, trial = bench.trial(source(tmp_path, body), ("App.java",))
    assert trial.verdict == "invalid" and evidence.failure is not None
    assert evidence.failure.phase == "start" and problem in evidence.failure.problem
    assert problem in said_by(trial, "R7")
    assert ("no luck today" in evidence.failure.tail) is ("exit" in body)


class StopsTheApplication:
    """A spawner that stops the application (SIGSTOP) a second after k6 was started."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner
        self._application: RunningProcess | None = None

    def spawn(self, **words: Any) -> RunningProcess:
        process = self._spawner.spawn(**words)
        if words["role"] == "app":
            self._application = process
        elif words["role"] == "load" and self._application is not None:
            threading.Timer(1.0, self._application.signal, [signal.SIGSTOP]).start()
        return process

    def end_strays(self, spared: Iterable[int] = ()) -> tuple[Stray, ...]:
        return self._spawner.end_strays(spared)


def test_an_application_that_hangs_in_mid_trial_is_invalid(bench: Bench) -> None:
    spawner = StopsTheApplication(bench.testbed.spawner)
    testbed = replace(
        bench.testbed,
        spawner=spawner,
        stop_s=1.0,
        k6=replace(bench.testbed.k6, spawner=spawner, timeout_s=1.0),
    )
    job = bench.context.job(bench.plan.control)
    evidence, trial = replace(bench, testbed=testbed).trial(job.artifact.folder, job.run_words)
    assert trial.verdict == "invalid" and "failed" in said_by(trial, "R7")
    assert evidence.load[0].timeouts > 0
    (app,) = (process for process in evidence.processes if process.role == "app")
    assert (app.exit_code, app.ended_early) == (-signal.SIGKILL, False)
