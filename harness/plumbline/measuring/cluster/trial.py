"""Runs one trial as pods: database, application, load phase by phase by an Indexed Job, and what each of them left.

Evidence is what the API can show: answers of the application, the generators' own summaries, how containers ended. CPU
time, memory and where threads run are what observers on the nodes see; the database's counters stay unknown.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plumbline.machine.tools.download import Pins
from plumbline.measuring.load.k6 import K6_LOG, SLACK_S
from plumbline.measuring.load.params import TIMEOUT_S
from plumbline.measuring.load.segments import let_go
from plumbline.measuring.load.summary import LoadFailed, LoadOutcome, merged, parse
from plumbline.measuring.run.draft import Draft
from plumbline.measuring.run.drivers import wanted_probes
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.progress import Progress
from plumbline.measuring.run.trial import AFFINITY_AFTER_S
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence, Failure, Probe, Window
from plumbline.model.host import HostReading
from plumbline.model.plan import Phase, Plan
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.verdicts.contract.probes import answered
from . import application
from .api import ApiRefused, ApiSilent, ClusterApi
from .asked import Asked, divided, generators_of
from .clocks import Ahead, told
from .files import ClusterFiles
from .images import images_of
from .load import load_params
from .names import PART_OF, PLUMBLINE, REST_PORT, ROLE_LABEL
from .namespace import LOOK_S, READY_S, Halted, Namespace, ended, ended_well, messages
from .objects import namespace_of, role_objects
from .observers import Observers
from .passwords import ClusterPasswords
from .pod import Object
from .readings import read_network

INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
# An API server that is started again answers by then.
_SILENT_S = 60.0


@dataclass
class ClusterTrials:
    """Trials of one session in a cluster, in a namespace that is gone with it.

    `work` takes the logs of the trial in flight, `images` is where the applications' images lie, `generators` how many
    divide each phase; as many as its rate takes for None. `say` tells what is left in the cluster, `read` reads the
    cluster's conditions.
    """

    api: ClusterApi
    catalog: Catalog
    files: ClusterFiles
    pins: Pins
    passwords: ClusterPasswords
    plan: Plan
    work: Path
    images: str
    say: Callable[[str], None]
    read: Callable[[], HostReading]
    generators: int | None = None
    _zero_s: float = field(default=0.0, init=False)
    _here: dict[str, Object] = field(default_factory=dict, init=False)
    _namespace: Namespace = field(init=False)
    _observers: Observers = field(init=False)

    def __post_init__(self) -> None:
        name = namespace_of(self.plan)
        self._namespace = Namespace(self.api, name)
        images = images_of(self.catalog.subject(self.plan.control), self.pins, self.images)
        self._observers = Observers(self.api, name, self.plan.session, images.observer, self.say)

    def __enter__(self) -> ClusterTrials:
        self.api.patience_s = _SILENT_S
        self._require_api()
        self._require_alone()
        self.work.mkdir(parents=True, exist_ok=True)
        return self

    def _require_alone(self) -> None:
        """Raise UsageError where another session is in the cluster: each would measure the other."""
        found = self.api.get("/api/v1/namespaces", labelSelector=f"{PART_OF}={PLUMBLINE}")["items"]
        own = {self._namespace.name, self._observers.own_namespace}
        if others := sorted({one["metadata"]["name"] for one in found} - own):
            which = f"namespace{'s' if len(others) > 1 else ''} {', '.join(others)}"
            raise UsageError(
                f"Another session is in the cluster, or was killed in it: the {which}.",
                f"Wait for its end, or remove what it left: kubectl delete namespace {' '.join(others)}",
            )

    def __exit__(self, *error: object) -> None:
        """Remove the namespaces with all that is in them."""
        both = {
            self._observers.own_namespace: self._observers.remove,
            self._namespace.name: self._namespace.remove,
        }
        for name, remove in both.items():
            try:
                remove()
            except (ApiRefused, ApiSilent, Halted):
                self.say(f"The namespace {name} may be left in the cluster: kubectl delete namespace {name}")

    def read_before(self) -> HostReading:
        """Return the conditions of the cluster, with the network between the nodes of its roles as it was measured.

        What can't be measured is told, and stays unknown.
        """
        images = images_of(self.catalog.subject(self.plan.control), self.pins, self.images)
        told, paths = read_network(self._namespace, self.plan, self.catalog, self.files, images)
        self.say(f"network: {told.reading}")
        reading = self.read()
        return reading.model_copy(update={"conditions": (*reading.conditions, told), "network": paths})

    def run_trial(self, job: Job, progress: Progress) -> Evidence:
        """Run one trial. Raises UsageError where the cluster can't take its pods, and CannotGoOn where its API is
        silent from the start: no other trial would fare better.
        """
        self._require_api()
        draft = Draft(job)
        self._zero_s = time.time()
        asked = self._asked(job, job.scenario.phases[0])
        try:
            self._begin("restore", progress)
            self._clear()
            self._namespace.frame(asked)
            self._observers.start()
            self._start_role("db", asked)
            self._begin("start", progress)
            self._start_role("app", asked)
            self._begin("probe", progress)
            self._observers.begin(self._zero_s, self._here.values())
            draft.environment = self._environment()
            draft.probes = self._probes(job)
            for phase in job.scenario.phases:
                if phase.duration_s:
                    self._begin(phase.name, progress)
                    # No series says when it is warm, so that a warm-up has all of its cycles.
                    whole = phase.model_copy(update={"least_cycles": None})
                    self._load(draft, self._asked(job, whole), progress)
            self._begin("after", progress)
            draft.environment_after = self._environment()
            self._require_running()
            self._observed(draft)
        except Halted as failed:
            draft.failure = failed.failure
            with suppress(ApiSilent):
                self._observed(draft)
        except (ApiRefused, ApiSilent) as error:
            how = "refused" if isinstance(error, ApiRefused) else f"was silent for {_SILENT_S:.0f} s"
            problem = f"The cluster's API {how} in the trial: {error.sentence}."
            draft.failure = Failure(phase=self._namespace.phase, problem=problem)
        finally:
            if (words := self._namespace.words(application.NAME)) is not None:
                self._keep(self.work / "app.log", words)
            # What is left fails the next trial, with its reason.
            with suppress(ApiRefused, ApiSilent, Halted):
                self._clear()
        # The files that were built here, and this host's clock, say nothing of what ran there.
        unknown = {"artifact_sha256": "", "clock_step_ms": None}
        return draft.evidence(self.work, {}).model_copy(update=unknown)

    def _observed(self, draft: Draft) -> None:
        seen = self._observers.end(draft.windows, self.plan.sets_of(draft.job.trial))
        draft.series, draft.threads = seen.series, seen.threads
        draft.rss_after_bytes, draft.pss_after_bytes = seen.rss_after_bytes, seen.pss_after_bytes
        draft.cpusets = seen.cpusets

    def _require_api(self) -> None:
        try:
            self.api.get("/version")
        except (ApiRefused, ApiSilent) as error:
            how = "refused this user" if isinstance(error, ApiRefused) else "been silent"
            raise CannotGoOn(
                f"The cluster at {self.api.address} has {how} for {_SILENT_S:.0f} s: {error.sentence}.",
                f"Once it answers, go on by `./bench run --resume {self.plan.session}`.",
            ) from None

    def _clear(self) -> None:
        self._here.clear()
        self._namespace.clear()

    def _asked(self, job: Job, phase: Phase) -> Asked:
        loads = phase.rate_per_s is not None or phase.connections is not None
        wanted = self.generators
        if phase.connections is not None and wanted is not None:
            wanted = min(wanted, phase.connections)
        return Asked(
            plan=self.plan,
            trial=job.trial,
            subject=job.subject,
            settings=job.settings,
            scenario=job.scenario,
            phase=phase,
            generators=divided(phase, wanted) if loads else generators_of(phase),
            load="job",
            whole_cpus=len(self.plan.sets.sharing("db")) == 1,
        )

    def _begin(self, phase: str, progress: Progress) -> None:
        self._namespace.phase = phase
        progress.phase_began(phase)

    def _objects(self, role: str, asked: Asked) -> list[Object]:
        images = images_of(asked.subject, self.pins, self.images)
        made = role_objects(role, asked, self.catalog, self.files, images, self.passwords)
        for one in made:
            spec = one["spec"]["template"]["spec"] if one["kind"] == "Job" else one.get("spec", {})
            if one["kind"] in ("Pod", "Job"):
                # No name service and no proxy of services stands between the roles.
                spec["hostAliases"] = [
                    {"ip": pod["status"]["podIP"], "hostnames": [name]} for name, pod in self._here.items()
                ]
        return made

    def _start_role(self, role: str, asked: Asked) -> None:
        """Make the pods of a role, and wait until each is ready."""
        for one in self._objects(role, asked):
            self._namespace.apply(one)
            if one["kind"] == "Pod":
                name = one["metadata"]["name"]
                self._here[name] = self._namespace.until_ready(name, f"{name} is ready")

    def _environment(self) -> dict[str, Any] | None:
        said = self._namespace.ask(application.NAME, application.PORT, "GET", "/environment")
        try:
            found = json.loads(said.data) if said.status == 200 else None
        except ValueError:
            return None
        return found if isinstance(found, dict) else None

    def _probes(self, job: Job) -> tuple[Probe, ...]:
        found = []
        for probe in wanted_probes(self.files.probes, job):
            said = self._namespace.ask(
                application.NAME, application.PORT, probe.method, probe.path, probe.content
            )
            found.append(answered(probe, said.status, said.headers.get, said.data))
        return tuple(found)

    def _load(self, draft: Draft, asked: Asked, progress: Progress) -> None:
        objects = self._objects("load", asked)
        (load,) = (one for one in objects if one["kind"] == "Job")
        for one in objects:
            self._namespace.apply(one)
        nodes = self._namespace.until("all generators are ready", lambda: self._generators(asked))
        pods = list(nodes)
        self._observers.aim(self._of_load())
        clocks = self._clocks(nodes)
        problem = let_go(pods, READY_S, self._trouble, self._ask_k6)
        if problem is not None:
            raise Halted(asked.phase.name, problem)
        self._await(load, asked, draft)
        params = load_params(asked, self.files)
        said = {pod["metadata"]["name"]: messages(pod) for pod in self._of_load()}
        try:
            outcomes = [
                _by_our_clock(
                    parse(self._namespace.last_line(pod), params, messages=said.get(pod, ())),
                    clocks[nodes[pod]],
                )
                for pod in pods
            ]
        except LoadFailed as error:
            raise Halted(asked.phase.name, error.problem, error.tail) from error
        for number, pod in enumerate(pods):
            self._keep(self.work / f"{asked.phase.name}.{number}{K6_LOG}", said.get(pod, ()))
        unsure_ms = _unsure_ms(clocks.values())
        starts_ms = [outcome.window[0] for outcome in outcomes]
        apart = (
            f"within {max(starts_ms) - min(starts_ms):.0f} ms{f' ± {unsure_ms:.1f} ms' if unsure_ms else ''}"
        )
        progress.say(f"{len(pods)} generators began {apart}; clocks ahead of this host's: {told(clocks)}")
        outcome = merged(outcomes, unsure_ms)
        start_s, end_s = (round(ms / 1000 - self._zero_s, 4) for ms in outcome.window)
        phase = asked.phase
        draft.windows.append(Window(phase=phase.name, kind=phase.kind, start_s=start_s, end_s=end_s))
        draft.load.append(outcome.result)
        self.api.delete(place := self.api.path_of(load))
        # A job of the same name can be made once this one is gone.
        self._namespace.until_gone("the generators are gone", lambda: self._of_load() or self.api.has(place))

    def _of_load(self) -> list[Object]:
        return self.api.pods(self._namespace.name, **{ROLE_LABEL: "load"})

    def _generators(self, asked: Asked) -> dict[str, str] | None:
        """Return the generators by their index, once all are ready: names of pods, and the node of each."""
        self._require_running()
        found = self._of_load()
        if len(found) < asked.generators or not all(self._namespace.ready(pod) for pod in found):
            return None
        found.sort(key=lambda pod: int(pod["metadata"]["labels"][INDEX_LABEL]))
        return {pod["metadata"]["name"]: str(pod["spec"]["nodeName"]) for pod in found}

    def _clocks(self, nodes: Mapping[str, str]) -> dict[str, Ahead]:
        """Return by node how far its clock is ahead of this host's, by the answers of a generator there."""
        of_node = {node: pod for pod, node in nodes.items()}

        def ahead(pod: str) -> Ahead:
            return self._namespace.compare_clock(pod, REST_PORT, "/v1/status")

        with ThreadPoolExecutor(len(of_node)) as threads:
            compared = threads.map(ahead, of_node.values())
            try:
                return dict(zip(of_node, compared, strict=True))
            except ValueError as error:
                problem = f"The clocks of the generators' nodes can't be compared with this host's: {error}."
                raise Halted(self._namespace.phase, problem) from None

    def _ask_k6(self, pod: str, method: str, body: str | None) -> Any:
        try:
            content = None if body is None else body.encode()
            said = self._namespace.ask(pod, REST_PORT, method, "/v1/status", content)
        except ApiSilent as silent:
            raise OSError(silent.sentence) from silent
        return json.loads(said.data)

    def _await(self, load: Object, asked: Asked, draft: Draft) -> None:
        """Wait until the Job is complete, and look whether application and database live meanwhile, and once where
        threads run.
        """
        place = self.api.path_of(load)
        phase = asked.phase
        began_s = time.monotonic()
        end_s = began_s + phase.expected_s + TIMEOUT_S + SLACK_S + _SILENT_S
        look_s: float | None = began_s + min(AFFINITY_AFTER_S, phase.duration_s / 2)
        while time.monotonic() < end_s:
            if look_s is not None and time.monotonic() >= look_s:
                draft.affinity += self._observers.affinity()
                look_s = None
            status = self.api.get(place)["status"]
            self._require_running()
            true = {one["type"] for one in status.get("conditions", ()) if one["status"] == "True"}
            if "Complete" in true:
                return
            lost = self._lost_generator(asked)
            if lost is not None:
                raise lost
            if "Failed" in true:
                raise Halted(phase.name, "A generator was lost, and the Job has failed.")
            time.sleep(LOOK_S)
        raise Halted(phase.name, f"The generators did not end in time in the phase {phase.name}.")

    def _lost_generator(self, asked: Asked) -> Halted | None:
        """Return which generator ended badly or is gone, None while all are well. A Job that has lost one deletes the
        others: so one that ended by itself comes first, and else the one that was deleted first, by the second.
        """
        found = {int(pod["metadata"]["labels"][INDEX_LABEL]): pod for pod in self._of_load()}
        phase, deleted = asked.phase.name, dict[int, str]()
        for index in range(asked.generators):
            pod = found.get(index)
            if pod is None or "deletionTimestamp" in pod["metadata"]:
                deleted[index] = "" if pod is None else pod["metadata"]["deletionTimestamp"]
            elif (how := ended(pod)) is not None and not ended_well(pod):
                which = f"The generator {index + 1} of {asked.generators}"
                where = f"{pod['metadata']['name']} on {pod['spec'].get('nodeName', 'no node')}"
                said = (f"{how}.", *messages(pod))[:2]
                problem = f"{which} ({where}) ended in the phase {phase}: {' '.join(said)}"
                return Halted(phase, problem, messages(pod))
        if not deleted:
            return None
        first = [str(index + 1) for index, when in deleted.items() if when == min(deleted.values())]
        which = (
            f"The generator {first[0]}" if len(first) == 1 else f"One of the generators {', '.join(first)}"
        )
        return Halted(phase, f"{which} of {asked.generators} was deleted in the phase {phase}.")

    def _trouble(self) -> str | None:
        """Return why going on is of no use, in a sentence; None while every pod that serves is as it was."""
        pods = {pod["metadata"]["name"]: pod for pod in self.api.pods(self._namespace.name)}
        for name, known in self._here.items():
            pod = pods.get(name)
            if pod is None or pod["metadata"]["uid"] != known["metadata"]["uid"]:
                return f"The {name} is gone: its pod was deleted."
            if (how := ended(pod)) is not None:
                return f"The {name} ended by itself: {how}."
            if "deletionTimestamp" in pod["metadata"]:
                return f"The {name} is being deleted."
        return None

    def _require_running(self) -> None:
        if (problem := self._trouble()) is not None:
            raise Halted(self._namespace.phase, problem, self._namespace.tail(application.NAME))

    @staticmethod
    def _keep(file: Path, lines: Sequence[str]) -> None:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _by_our_clock(outcome: LoadOutcome, clock: Ahead) -> LoadOutcome:
    """Return the outcome with the times that this host's clock would have shown."""
    start_ms, end_ms = (ms - clock.middle_s * 1000 for ms in outcome.window)
    return outcome.model_copy(update={"window": (start_ms, end_ms)})


def _unsure_ms(clocks: Iterable[Ahead]) -> float:
    """Return by how much the times of two nodes may be wrong against each other; nothing on one node."""
    *_, second, first = sorted((0.0, *(clock.unsure_s * 1000 for clock in clocks)))
    return round(first + second, 3) if second else 0.0
