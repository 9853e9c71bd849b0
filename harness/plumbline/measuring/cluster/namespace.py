"""The namespace of a session: objects are made, waited for, read and removed there; and what the API says of a pod."""

from __future__ import annotations

import calendar
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import urllib3

from plumbline.measuring.launch.interface import exit_in_words, last_words
from plumbline.measuring.run.draft import Halted
from plumbline.model.errors import UsageError
from .api import ApiRefused, ApiSilent, ClusterApi
from .clocks import ClockOffset, compare
from .load_request import LoadRequest
from .objects import frame_objects
from .pod import Object, is_ready

LOOK_S = 0.25
# Images are pulled, and a JVM starts on one CPU.
READY_S = 300.0
_GONE_S = 120.0
_QUESTIONS_A_DATE = 3
# The scheduler waits for nodes that come; a cluster that is full stays full.
_UNPLACED_S = 30.0
# A registry that is away for a moment is asked again by the kubelet.
_UNPULLED_S = 60.0
_NOT_PULLED = frozenset({"ErrImagePull", "ImagePullBackOff"})
_NEVER_PULLED = frozenset({"InvalidImageName", "ErrImageNeverPull"})
# A kubelet refuses a pod that the scheduler gave it, where its CPUs or its NUMA nodes don't suffice.
_REFUSED = ("OutOf", "TopologyAffinityError", "SMTAlignmentError", "UnexpectedAdmissionError")


@dataclass
class Namespace:
    """The namespace `name` with all that is in it. `phase` is the phase in flight, which every `Halted` names."""

    api: ClusterApi
    name: str
    phase: str = "restore"

    @property
    def place(self) -> str:
        """The path of the namespace."""
        return f"/api/v1/namespaces/{self.name}"

    def frame(self, request: LoadRequest) -> None:
        """Make the namespace and its network policies, and wait until it takes pods."""
        for item in frame_objects(request):
            self.api.apply(item)
        self.until_takes_pods("the namespace takes pods")

    def until_takes_pods(self, event: str) -> None:
        """Wait until the namespace has the account that pods run as; `event` says so in words."""
        self.until(event, lambda: self.api.has(f"{self.place}/serviceaccounts/default"))

    def apply(self, wanted: Object) -> None:
        """Apply an object. Raises UsageError where the cluster refuses it."""
        try:
            self.api.apply(wanted)
        except ApiRefused as refused:
            kind_and_name = f"{wanted['kind']} {wanted['metadata']['name']}"
            raise UsageError(
                f"The cluster refuses the {kind_and_name}: {refused.sentence.rstrip('.')}.",
                "Ask who runs the cluster for that right or quota.",
            ) from None

    def until_ready(self, name: str, event: str) -> Object:
        """Wait until the pod of that name is ready, and return the pod; `event` says so in words."""
        pod: Object = self.until(event, lambda: self.ready(self.api.get(f"{self.place}/pods/{name}")))
        return pod

    def ready(self, pod: Object) -> Object | None:
        """Return the pod once it is ready, None before. Raises UsageError if no node takes it, Halted if it ended."""
        _require_placed(pod)
        if (how := ended(pod)) is not None:
            name = pod["metadata"]["name"]
            raise Halted(self.phase, f"The {name} ended before it was ready: {how}.", self.tail(name))
        return pod if is_ready(pod) else None

    def until_ended(self, name: str, event: str) -> Object:
        """Wait until the pod of that name has ended, and return the pod; `event` says so in words."""

        def ended_pod() -> Object | None:
            pod = self.api.get(f"{self.place}/pods/{name}")
            _require_placed(pod)
            return pod if ended(pod) is not None else None

        pod: Object = self.until(event, ended_pod)
        return pod

    def until(self, event: str, look: Callable[[], Any], within_s: float = READY_S) -> Any:
        """Call `look` until it returns something, and return that. Raises Halted after `within_s`, with the event."""
        end_s = time.monotonic() + within_s
        while True:
            if result := look():
                return result
            if time.monotonic() > end_s:
                raise Halted(self.phase, f"It took longer than {within_s:.0f} s until {event}.")
            time.sleep(LOOK_S)

    def until_gone(self, event: str, look: Callable[[], Any]) -> None:
        """Call `look` until it returns nothing. Raises Halted if something stays; `event` says so in words."""
        self.until(event, lambda: not look(), _GONE_S)

    def clear(self) -> None:
        """Remove all pods and jobs, and wait until they are gone: each trial begins without any."""
        places = (f"/apis/batch/v1/namespaces/{self.name}/jobs", f"{self.place}/pods")
        for place in places:
            for item in self.api.get(place)["items"]:
                self.api.delete(f"{place}/{item['metadata']['name']}")
        self.until_gone("all pods are gone", lambda: any(self.api.get(place)["items"] for place in places))

    def remove(self) -> None:
        """Remove the namespace with all that is in it, and wait until it is gone."""
        self.api.delete(self.place)
        self.until_gone("the namespace is gone", lambda: self.api.has(self.place))

    def ask(
        self,
        pod: str,
        port: int,
        method: str,
        path: str,
        content: bytes | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> urllib3.BaseHTTPResponse:
        """Ask the HTTP server at a port of a pod, through the API's proxy; `content` is JSON. Returns an answer of any
        status.
        """
        content_type = {} if content is None else {"Content-Type": "application/json"}
        return self.api.ask(method, f"{self.place}/pods/{pod}:{port}/proxy{path}", content, {**content_type, **headers})

    def compare_clock(self, pod: str, port: int, path: str) -> ClockOffset:
        """Return how far the clock of a pod's node is ahead of this host's, by the dates of its HTTP server. Raises
        ValueError if the clocks can't be compared.
        """

        def date() -> str:
            # Where the pod does not answer, the API's own server does, by its own clock.
            for _ in range(_QUESTIONS_A_DATE):
                response = self.ask(pod, port, "GET", path)
                if response.status == 200:
                    return str(response.headers.get("Date"))
            raise ValueError(f"{pod} answers with the status {response.status}")

        return compare(date)

    def last_line(self, pod: str) -> str:
        """Return the last line that a pod wrote, in which it says what it measured."""
        lines = self.api.log(self.name, pod).strip().splitlines()
        return lines[-1] if lines else ""

    def words(self, pod: str) -> list[str] | None:
        """Return the lines that a pod wrote; None if the API does not give them."""
        with suppress(ApiRefused, ApiSilent):
            return self.api.log(self.name, pod).splitlines()
        return None

    def tail(self, pod: str) -> tuple[str, ...]:
        """Return the last lines that a pod wrote."""
        return last_words(self.words(pod) or ())


def image_of(pod: Object) -> str:
    """Return the id of the image that a pod's container runs, with its digest; empty where its runtime gives none."""
    return str(pod["status"]["containerStatuses"][0].get("imageID", ""))


def messages(pod: Object) -> tuple[str, ...]:
    """Return the lines of the message that a pod's container ended with: k6's errors."""
    for status in pod["status"].get("containerStatuses", ()):
        return last_words(str(status["state"].get("terminated", {}).get("message", "")).splitlines())
    return ()


def _require_placed(pod: Object) -> None:
    """Raise UsageError for a pod whose image can't be pulled, or that no node takes."""
    name, status = pod["metadata"]["name"], pod["status"]
    not_pulled = _NEVER_PULLED | _NOT_PULLED if _age_s(pod) > _UNPULLED_S else _NEVER_PULLED
    for entry in status.get("containerStatuses", ()):
        waiting = entry["state"].get("waiting", {})
        if waiting.get("reason") in not_pulled:
            reason = str(waiting.get("message", waiting["reason"])).splitlines()[0].rstrip(".")
            raise UsageError(
                f"The image {entry['image']} of the {name} can't be pulled: {reason}.",
                "Push it, or say by --images where the images lie.",
            )
    if (why := _why_unplaced(pod)) is not None:
        raise UsageError(
            f"No node takes the {name}: {why.rstrip('.')}.",
            "Label a node of more CPUs, or take other pods from it; `./bench doctor --on kubernetes` tells "
            "what there is.",
        )


def _why_unplaced(pod: Object) -> str | None:
    """Return why no node takes a pod, in the cluster's words; None while a node may take it."""
    status = pod["status"]
    if status.get("phase") == "Failed" and str(status.get("reason", "")).startswith(_REFUSED):
        return str(status.get("message") or status["reason"])
    for entry in status.get("conditions", ()):
        if entry["type"] == "PodScheduled" and entry["status"] == "False" and _age_s(pod) > _UNPLACED_S:
            return str(entry.get("message", entry.get("reason")))
    return None


def _age_s(pod: Object) -> float:
    created = time.strptime(pod["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
    return time.time() - calendar.timegm(created)


def ended_well(pod: Object) -> bool:
    """Return whether a pod's container ended with the code 0; the pod itself is called Succeeded a moment later."""
    return any(
        container["state"].get("terminated", {}).get("exitCode") == 0
        for container in pod["status"].get("containerStatuses", ())
    )


def ended(pod: Mapping[str, Any]) -> str | None:
    """Return how the container of a pod ended, or why the pod was ended; None while it may run."""
    for container in pod["status"].get("containerStatuses", ()):
        if (terminated := container["state"].get("terminated")) is not None:
            code = int(terminated.get("exitCode", 0))
            # As in a shell, a code above 128 names a signal.
            how = exit_in_words(128 - code if code > 128 else code)
            reason = terminated.get("reason", "")
            return how if reason in ("", "Error", "Completed") else f"{how}, {reason}"
    if pod["status"].get("phase") in ("Failed", "Succeeded"):
        return str(pod["status"].get("reason") or pod["status"]["phase"])
    return None
