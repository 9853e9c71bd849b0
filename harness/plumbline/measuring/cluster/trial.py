"""Runs one trial as pods: database, application, load by an Indexed Job a phase; and keeps what each of them left.

Evidence is what the API can show: answers of the application, the generators' own summaries, how containers ended.
Observers on the nodes see CPU time, memory and where threads run; the database's counters stay unknown.
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

from plumbline.archive.record.files import keepable
from plumbline.machine.tools.download import Pins
from plumbline.measuring.load.k6 import K6_LOG, SLACK_S
from plumbline.measuring.load.params import TIMEOUT_S
from plumbline.measuring.load.segments import start_all, wait_for_all
from plumbline.measuring.load.summary import LoadFailed, LoadOutcome, merged, parse
from plumbline.measuring.run.draft import Draft, Halted, log_bytes, window_of
from plumbline.measuring.run.drivers import wanted_probes
from plumbline.measuring.run.job import Job
from plumbline.measuring.run.progress import Progress
from plumbline.measuring.run.trial import AFFINITY_AFTER_S
from plumbline.model.comparison import Side
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.model.evidence import Evidence, Failure, Probe
from plumbline.model.host import CpuSets, HostReading
from plumbline.model.plan import Phase, Plan
from plumbline.subjects.catalog.catalog import Catalog
from plumbline.verdicts.contract.probes import compared_answer
from . import application
from .api import ApiRefused, ApiSilent, ClusterApi
from .clocks import ClockOffset, clock_words
from .files import ClusterFiles
from .images import images_of
from .load import load_params
from .load_request import LoadRequest, generator_count, generators_of
from .names import PART_OF, PLUMBLINE, REST_PORT, ROLE_LABEL
from .namespace import LOOK_S, READY_S, Namespace, ended, ended_well, image_of, messages
from .objects import namespace_of, role_objects
from .observers import Observers
from .passwords import ClusterPasswords
from .pod import ClusterRole, Object
from .readings import read_network

INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
# An API server that is started again answers by then.
_SILENT_S = 60.0


@dataclass
class ClusterTrials:
    """Trials of one session in a cluster, in a namespace that is removed with the session.

    `work` takes the logs of the trial in flight, `images` is where the applications' images lie. `generators` is the
    number that each phase is divided over, None for as many as its rate takes, and `nodes` have the application and the
    database of every trial. `say` tells what is left in the cluster, `read` reads the cluster's conditions.
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
    nodes: Mapping[ClusterRole, str] = field(default_factory=dict)
    _zero_s: float = field(default=0.0, init=False)
    _serving_pods: dict[str, Object] = field(default_factory=dict, init=False)
    _placed_before: set[tuple[Side | None, str]] = field(default_factory=set, init=False)
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
        namespaces = self.api.get("/api/v1/namespaces", labelSelector=f"{PART_OF}={PLUMBLINE}")["items"]
        own = {self._namespace.name, self._observers.own_namespace}
        if other_names := sorted({namespace["metadata"]["name"] for namespace in namespaces} - own):
            left_over = f"namespace{'s' if len(other_names) > 1 else ''} {', '.join(other_names)}"
            raise UsageError(
                f"Another session is in the cluster, or was killed in it: the {left_over}.",
                f"Wait for its end, or remove what it left: kubectl delete namespace {' '.join(other_names)}",
            )

    def __exit__(self, *error: object) -> None:
        """Remove the namespaces with all that is in them."""
        removals = {
            self._observers.own_namespace: self._observers.remove,
            self._namespace.name: self._namespace.remove,
        }
        for name, remove in removals.items():
            try:
                remove()
            except (ApiRefused, ApiSilent, Halted):
                self.say(f"The namespace {name} may be left in the cluster: kubectl delete namespace {name}")

    @property
    def sets(self) -> CpuSets:
        """The CPUs of each role, as the plan counts them."""
        return self.plan.sets

    def read_before(self) -> HostReading:
        """Return the conditions of the cluster, with the network between the nodes of its roles as it was measured.

        What can't be measured is reported, and stays unknown.
        """
        images = images_of(self.catalog.subject(self.plan.control), self.pins, self.images)
        condition, paths = read_network(self._namespace, self.plan, self.catalog, self.files, images, self.nodes)
        self.say(f"network: {condition.reading}")
        reading = self.read()
        return reading.model_copy(update={"conditions": (*reading.conditions, condition), "network": paths})

    def run_trial(self, job: Job, progress: Progress) -> Evidence:
        """Run one trial. Raises UsageError where the cluster can't take the pods of a subject that came through no
        trial yet, and CannotGoOn where its API is silent from the start: no other trial would fare better.
        """
        self._require_api()
        draft = Draft(job)
        self._zero_s = time.time()
        request = self._asked_of(job, job.scenario.phases[0])
        try:
            self._begin_phase("restore", progress)
            self._clear()
            self._namespace.frame(request)
            self._observers.start()
            self._start_role("db", request)
            self._begin_phase("start", progress)
            self._start_role("app", request)
            self._begin_phase("probe", progress)
            self._observers.begin(self._zero_s, self._serving_pods.values())
            draft.images = {name: image for name, pod in self._serving_pods.items() if (image := image_of(pod))}
            draft.environment = self._environment()
            draft.probes = self._probes(job)
            for phase in job.scenario.phases:
                if phase.duration_s:
                    self._run_phase(draft, phase, progress)
            self._begin_phase("after", progress)
            draft.environment_after = self._environment()
            self._require_running()
            self._add_observations(draft)
            self._placed_before.add((job.trial.side, job.subject.id))
        except UsageError as error:
            if (job.trial.side, job.subject.id) not in self._placed_before:
                raise
            draft.failure = Failure(phase=self._namespace.phase, problem=error.problem)
        except Halted as failed:
            draft.failure = failed.failure
            with suppress(ApiSilent):
                self._add_observations(draft)
        except (ApiRefused, ApiSilent) as error:
            how = "refused" if isinstance(error, ApiRefused) else f"was silent for {_SILENT_S:.0f} s"
            problem = f"The cluster's API {how} in the trial: {error.sentence}."
            draft.failure = Failure(phase=self._namespace.phase, problem=problem)
        finally:
            self._keep_log()
            # If something is left, the next trial fails, with the reason.
            with suppress(ApiRefused, ApiSilent, Halted):
                self._clear()
        # The files that were built on this host, and its clock, say nothing of what ran in the cluster.
        unknown_fields = {"artifact_sha256": "", "clock_step_ms": None}
        return draft.evidence(self.work, {}, k6_logs=self.work).model_copy(update=unknown_fields)

    def _run_phase(self, draft: Draft, phase: Phase, progress: Progress) -> None:
        self._begin_phase(phase.name, progress)
        # No series says when the application is warm, so a warm-up has all of its cycles.
        request = self._asked_of(draft.job, phase.model_copy(update={"least_cycles": None}))
        if phase.kind != "warm-up":
            self._run_load(draft, request, progress)
            return
        log_start = self._keep_log()
        self._run_load(draft, request, progress)
        draft.warming_log = (log_start, self._keep_log())

    def _keep_log(self) -> int:
        """Write the application's log so far, where the API gives it, into `work`, and return its length in bytes."""
        if (words := self._namespace.words(application.NAME)) is not None:
            self._write_lines(self.work / "app.log", words)
        return log_bytes(self.work)

    def _add_observations(self, draft: Draft) -> None:
        observed = self._observers.end(draft.windows, self.plan.sets_of(draft.job.trial))
        draft.series, draft.threads = observed.series, observed.threads
        draft.rss_after_bytes, draft.pss_after_bytes = observed.rss_after_bytes, observed.pss_after_bytes
        draft.cpusets = observed.cpusets

    def _require_api(self) -> None:
        try:
            self.api.get("/version")
        except (ApiRefused, ApiSilent) as error:
            how = "refused this user" if isinstance(error, ApiRefused) else f"been silent for {_SILENT_S:.0f} s"
            raise CannotGoOn(
                f"The cluster at {self.api.address} has {how}: {error.sentence}.",
                f"Once it answers, go on by `./bench run --resume {self.plan.session}`.",
            ) from None

    def _clear(self) -> None:
        self._serving_pods.clear()
        self._namespace.clear()

    def _asked_of(self, job: Job, phase: Phase) -> LoadRequest:
        has_load = phase.rate_per_s is not None or phase.connections is not None
        generators = self.generators
        if phase.connections is not None and generators is not None:
            generators = min(generators, phase.connections)
        return LoadRequest(
            plan=self.plan,
            trial=job.trial,
            subject=job.subject,
            settings=job.settings,
            scenario=job.scenario,
            phase=phase,
            generators=generator_count(phase, generators) if has_load else generators_of(phase),
            load="job",
            whole_cpus=len(self.plan.sets.sharing("db")) == 1,
            nodes=self.nodes,
        )

    def _begin_phase(self, phase: str, progress: Progress) -> None:
        self._namespace.phase = phase
        progress.phase_began(phase)

    def _objects_of(self, role: str, request: LoadRequest) -> list[Object]:
        images = images_of(request.subject, self.pins, self.images)
        objects = role_objects(role, request, self.catalog, self.files, images, self.passwords)
        for item in objects:
            spec = item["spec"]["template"]["spec"] if item["kind"] == "Job" else item.get("spec", {})
            if item["kind"] in ("Pod", "Job"):
                # No name service and no proxy of services stands between the roles.
                spec["hostAliases"] = [
                    {"ip": pod["status"]["podIP"], "hostnames": [name]} for name, pod in self._serving_pods.items()
                ]
        return objects

    def _start_role(self, role: str, request: LoadRequest) -> None:
        """Make the pods of a role, and wait until each is ready."""
        for item in self._objects_of(role, request):
            self._namespace.apply(item)
            if item["kind"] == "Pod":
                name = item["metadata"]["name"]
                self._serving_pods[name] = self._namespace.until_ready(name, f"{name} is ready")

    def _environment(self) -> dict[str, Any] | None:
        response = self._namespace.ask(application.NAME, application.PORT, "GET", "/environment")
        try:
            environment = keepable(response.data) if response.status == 200 else None
        except ValueError:
            return None
        return environment if isinstance(environment, dict) else None

    def _probes(self, job: Job) -> tuple[Probe, ...]:
        answers = []
        for probe in wanted_probes(self.files.probes, job):
            response = self._namespace.ask(application.NAME, application.PORT, probe.method, probe.path, probe.content)
            answers.append(compared_answer(probe, response.status, response.headers.get, response.data))
        return tuple(answers)

    def _run_load(self, draft: Draft, request: LoadRequest, progress: Progress) -> None:
        objects = self._objects_of("load", request)
        (load,) = (item for item in objects if item["kind"] == "Job")
        for item in objects:
            self._namespace.apply(item)
        nodes = self._namespace.until("all generators are ready", lambda: self._ready_generators(request))
        pods = list(nodes)
        self._observers.aim(self._load_pods())
        self._require_no(wait_for_all(pods, READY_S, self._why_stop, self._ask_k6))
        clocks = self._clocks_of(nodes)
        self._require_no(start_all(pods, READY_S, self._why_stop, self._ask_k6))
        self._await_job(load, request, draft)
        params = load_params(request, self.files)
        k6_messages = {pod["metadata"]["name"]: messages(pod) for pod in self._load_pods()}
        try:
            outcomes = [
                _by_own_clock(
                    parse(self._namespace.last_line(pod), params, messages=k6_messages.get(pod, ())),
                    clocks[nodes[pod]],
                )
                for pod in pods
            ]
        except LoadFailed as error:
            raise Halted(request.phase.name, error.problem, error.tail) from error
        for number, pod in enumerate(pods):
            self._write_lines(self.work / f"{request.phase.name}.{number}{K6_LOG}", k6_messages.get(pod, ()))
        unsure_ms = _unsure_ms(clocks.values())
        starts_ms = [outcome.window[0] for outcome in outcomes]
        spread = f"within {max(starts_ms) - min(starts_ms):.0f} ms{f' ± {unsure_ms:.1f} ms' if unsure_ms else ''}"
        progress.say(f"{len(pods)} generators began {spread}; clocks ahead of this host's: {clock_words(clocks)}")
        outcome = merged(outcomes, unsure_ms)
        start_s, end_s = (round(ms / 1000 - self._zero_s, 4) for ms in outcome.window)
        phase = request.phase
        draft.windows.append(window_of(phase, ((start_s, end_s),)))
        draft.load.append(outcome.result)
        self.api.delete(place := self.api.path_of(load))
        # A job of the same name can be made once this one is gone.
        self._namespace.until_gone("the generators are gone", lambda: self._load_pods() or self.api.has(place))

    def _load_pods(self) -> list[Object]:
        return self.api.pods(self._namespace.name, **{ROLE_LABEL: "load"})

    def _ready_generators(self, request: LoadRequest) -> dict[str, str] | None:
        """Return the generators by their index, once all are ready: names of pods, and the node of each."""
        self._require_running()
        pods = self._load_pods()
        if len(pods) < request.generators or not all(self._namespace.ready(pod) for pod in pods):
            return None
        pods.sort(key=lambda pod: int(pod["metadata"]["labels"][INDEX_LABEL]))
        return {pod["metadata"]["name"]: str(pod["spec"]["nodeName"]) for pod in pods}

    def _clocks_of(self, nodes: Mapping[str, str]) -> dict[str, ClockOffset]:
        """Return by node how far its clock is ahead of this host's, by the answers of a generator on it."""
        pod_of_node = {node: pod for pod, node in nodes.items()}

        def ahead(pod: str) -> ClockOffset:
            return self._namespace.compare_clock(pod, REST_PORT, "/v1/status")

        with ThreadPoolExecutor(len(pod_of_node)) as threads:
            compared = threads.map(ahead, pod_of_node.values())
            try:
                return dict(zip(pod_of_node, compared, strict=True))
            except ValueError as error:
                problem = f"The clocks of the generators' nodes can't be compared with this host's: {error}."
                raise Halted(self._namespace.phase, problem) from None

    def _ask_k6(self, pod: str, method: str, body: str | None) -> Any:
        try:
            content = None if body is None else body.encode()
            response = self._namespace.ask(pod, REST_PORT, method, "/v1/status", content)
        except ApiSilent as silent:
            raise OSError(silent.sentence) from silent
        return json.loads(response.data)

    def _await_job(self, load: Object, request: LoadRequest, draft: Draft) -> None:
        """Wait until the Job is complete. Meanwhile check that application and database live, and once read where
        threads run.
        """
        place = self.api.path_of(load)
        phase = request.phase
        began_s = time.monotonic()
        end_s = began_s + phase.expected_s + TIMEOUT_S + SLACK_S + _SILENT_S
        look_s: float | None = began_s + min(AFFINITY_AFTER_S, phase.duration_s / 2)
        while time.monotonic() < end_s:
            if look_s is not None and time.monotonic() >= look_s:
                draft.affinity += self._observers.affinity()
                look_s = None
            status = self.api.get(place)["status"]
            self._require_running()
            true_conditions = {
                condition["type"] for condition in status.get("conditions", ()) if condition["status"] == "True"
            }
            if "Complete" in true_conditions:
                return
            lost = self._lost_generator(request)
            if lost is not None:
                raise lost
            if "Failed" in true_conditions:
                raise Halted(phase.name, "A generator was lost, and the Job has failed.")
            time.sleep(LOOK_S)
        raise Halted(phase.name, f"The generators did not end in time in the phase {phase.name}.")

    def _lost_generator(self, request: LoadRequest) -> Halted | None:
        """Return an error that names the generator which ended badly or is gone; None while all are well. A Job that
        lost one generator deletes the others: so a generator that ended by itself is named first, else the one that was
        deleted first, by times in whole seconds.
        """
        pods = {int(pod["metadata"]["labels"][INDEX_LABEL]): pod for pod in self._load_pods()}
        phase, deleted = request.phase.name, dict[int, str]()
        for index in range(request.generators):
            pod = pods.get(index)
            if pod is None or "deletionTimestamp" in pod["metadata"]:
                deleted[index] = "" if pod is None else pod["metadata"]["deletionTimestamp"]
            elif (how := ended(pod)) is not None and not ended_well(pod):
                generator = f"The generator {index + 1} of {request.generators}"
                where = f"{pod['metadata']['name']} on {pod['spec'].get('nodeName', 'no node')}"
                sentences = (f"{how}.", *messages(pod))[:2]
                problem = f"{generator} ({where}) ended in the phase {phase}: {' '.join(sentences)}"
                return Halted(phase, problem, messages(pod))
        if not deleted:
            return None
        first = [str(index + 1) for index, when in deleted.items() if when == min(deleted.values())]
        generator = f"The generator {first[0]}" if len(first) == 1 else f"One of the generators {', '.join(first)}"
        return Halted(phase, f"{generator} of {request.generators} was deleted in the phase {phase}.")

    def _why_stop(self) -> str | None:
        """Return why going on is of no use, in a sentence; None while every pod that serves is as it was."""
        pods = {pod["metadata"]["name"]: pod for pod in self.api.pods(self._namespace.name)}
        for name, started in self._serving_pods.items():
            pod = pods.get(name)
            if pod is None or pod["metadata"]["uid"] != started["metadata"]["uid"]:
                return f"The {name} is gone: its pod was deleted."
            if (how := ended(pod)) is not None:
                return f"The {name} ended by itself: {how}."
            if "deletionTimestamp" in pod["metadata"]:
                return f"The {name} is being deleted."
        return None

    def _require_running(self) -> None:
        self._require_no(self._why_stop())

    def _require_no(self, problem: str | None) -> None:
        if problem is not None:
            raise Halted(self._namespace.phase, problem, self._namespace.tail(application.NAME))

    @staticmethod
    def _write_lines(file: Path, lines: Sequence[str]) -> None:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _by_own_clock(outcome: LoadOutcome, clock: ClockOffset) -> LoadOutcome:
    """Return the outcome with times of this host's clock."""
    start_ms, end_ms = (ms - clock.middle_s * 1000 for ms in outcome.window)
    return outcome.model_copy(update={"window": (start_ms, end_ms)})


def _unsure_ms(clocks: Iterable[ClockOffset]) -> float:
    """Return how much the times of two nodes may be wrong relative to each other; 0 for a single node."""
    *_, second, first = sorted((0.0, *(clock.unsure_s * 1000 for clock in clocks)))
    return round(first + second, 3) if second else 0.0
