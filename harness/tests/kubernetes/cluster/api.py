"""A cluster's API as the tests speak it: objects are applied, read and deleted by HTTPS."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from .authority import Pair

Object = dict[str, Any]
_MANAGER = "plumbline-tests"
_LOOK_S = 0.1
_ANSWER_S = 10.0


class ApiRefused(Exception):
    """The API's own no, with its HTTP status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status


class Api:
    """The API of one cluster at `address`, spoken to as the user of a certificate."""

    def __init__(self, address: str, authority: Path, user: Pair) -> None:
        self.address = address
        self._pool = urllib3.PoolManager(
            ca_certs=str(authority),
            cert_file=str(user.certificate),
            key_file=str(user.key),
            retries=False,
            timeout=_ANSWER_S,
        )

    def text(
        self, method: str, path: str, body: Object | None = None, kind: str = "application/json", **given: str
    ) -> str:
        """What it answers. Raises ApiRefused, and urllib3's HTTPError where nobody answers."""
        said = self._pool.request(
            method,
            f"{self.address}{path}?{urlencode(given)}",
            body=None if body is None else json.dumps(body),
            headers={"Content-Type": kind},
        )
        text = said.data.decode(errors="replace")
        if said.status >= 300:
            raise ApiRefused(said.status, text)
        return text

    def get(self, path: str, **given: str) -> Object:
        """The object at that path, or its list."""
        found: Object = json.loads(self.text("GET", path, **given))
        return found

    def apply(self, wanted: Object, *, dry_run: bool = False) -> Object:
        """Apply an object on the server's side, strictly: a field that does not exist is refused."""
        given = {"fieldManager": _MANAGER, "fieldValidation": "Strict", "force": "true"}
        if dry_run:
            given["dryRun"] = "All"
        said = self.text("PATCH", self.path_of(wanted), wanted, "application/apply-patch+yaml", **given)
        made: Object = json.loads(said)
        return made

    def delete(self, path: str) -> None:
        """Have it deleted, without a grace."""
        self.text("DELETE", path, gracePeriodSeconds="0", propagationPolicy="Foreground")

    def path_of(self, wanted: Object) -> str:
        """Where an object is, by its kind, name and namespace. Raises ApiRefused for a kind that is not served."""
        version, kind, its = wanted["apiVersion"], wanted["kind"], wanted["metadata"]
        group = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for one in self.get(group)["resources"]:
            if one["kind"] == kind and "/" not in one["name"]:
                place = f"/namespaces/{its.get('namespace', 'default')}" if one["namespaced"] else ""
                return f"{group}{place}/{one['name']}/{its['name']}"
        raise ApiRefused(404, f"{version} has no {kind}")

    def has(self, path: str) -> bool:
        """Whether there is such an object."""
        try:
            self.get(path)
        except ApiRefused as refused:
            if refused.status != 404:
                raise
            return False
        return True

    def log(self, namespace: str, pod: str) -> str:
        """What the only container of a pod wrote."""
        return self.text("GET", f"/api/v1/namespaces/{namespace}/pods/{pod}/log")

    def pods(self, namespace: str, **labels: str) -> list[Object]:
        """The pods with those labels, oldest first."""
        chosen = ",".join(f"{name}={value}" for name, value in labels.items())
        found = self.get(f"/api/v1/namespaces/{namespace}/pods", labelSelector=chosen)["items"]
        return sorted(found, key=lambda pod: pod["metadata"]["creationTimestamp"])


def until(what: str, look: Callable[[], Any], within_s: float = 60.0) -> Any:
    """What `look` returns as soon as that is true. An API that does not answer is looked at again."""
    end_s = time.monotonic() + within_s
    last: object = None
    while time.monotonic() < end_s:
        try:
            if last := look():
                return last
        except (ApiRefused, urllib3.exceptions.HTTPError, OSError) as error:
            last = error
        time.sleep(_LOOK_S)
    raise AssertionError(f"not within {within_s:.0f} s: {what}; the last look said {last!r}")
