"""The API of a cluster: objects are applied, read and deleted by HTTPS, as the user of a kubeconfig."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

import urllib3

from plumbline.model.errors import CannotGoOn, UsageError
from .kubeconfig import Access, read_access
from .load_request import MOST_GENERATORS
from .pod import Object

_MANAGER = "plumbline"
_ANSWER_S = 10.0
_LOOK_S = 0.5
_UNAUTHORIZED, _FORBIDDEN, _TOO_MANY = 401, 403, 429
# The API answers an object with an unknown field by the status 500, however often it is asked.
_UNKNOWN_FIELD = "failed to create typed patch object"
# The words of a server that has too much to do, which are no JSON, and those of a proxy that did not reach a pod.
_OVERLOADED, _UNREACHED = "Too many requests, please try again later.", "error trying to reach service"
_Answer = TypeVar("_Answer")


class ApiRefused(CannotGoOn):
    """The API refused a request: its HTTP status and its sentence."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        self.sentence = _sentence(status, text)
        super().__init__(f"The cluster's API refuses a request: {self.sentence}.", "Log in to it as a user who may.")


class ApiSilent(CannotGoOn):
    """The API gave no answer: it is not there, or says itself that it can't answer now (429, 5xx)."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(f"The cluster's API does not answer: {sentence}.", "Run the command again once it does.")


def _sentence(status: int, text: str) -> str:
    try:
        return str(json.loads(text)["message"]).rstrip(".")
    except (ValueError, KeyError, TypeError):
        return text.strip().rstrip(".") or f"HTTP {status}"


class _Login(NamedTuple):
    """Connections that show the API who the user is, and the headers that do."""

    pool: urllib3.PoolManager
    headers: Mapping[str, str]


class ClusterApi:
    """The API of one cluster at `address`, a context of the kubeconfig. An API that is silent or refuses everybody is
    asked again for `patience_s`, so that every request may be made twice. After that each request is made only once,
    until the API answers. A user whom the API knows no longer is identified anew: a token may end before a session.
    """

    def __init__(self, access: Access) -> None:
        self.context, self.address = access.context, access.address.rstrip("/")
        self.patience_s = 0.0
        self._is_given_up = False
        self._access = access
        self._renewing = threading.Lock()
        self._login = self._log_in()

    def _log_in(self) -> _Login:
        tls, headers = self._access.identity()
        # All generators are started at the same moment: a connection for each.
        pool = urllib3.PoolManager(ssl_context=tls, retries=False, timeout=_ANSWER_S, maxsize=MOST_GENERATORS)
        return _Login(pool, headers)

    def text(
        self, method: str, path: str, body: Object | None = None, kind: str = "application/json", **query: str
    ) -> str:
        """Return the answer. Raises ApiRefused and ApiSilent."""
        content = None if body is None else json.dumps(body).encode()

        def request_once() -> str:
            response = self._request(method, f"{path}?{urlencode(query)}", content, {"Content-Type": kind})
            text = response.data.decode(errors="replace")
            is_unavailable = response.status >= 500 and _UNKNOWN_FIELD not in text
            if is_unavailable or response.status == _TOO_MANY:
                raise ApiSilent(_sentence(response.status, text))
            if response.status >= 300:
                raise ApiRefused(response.status, text)
            return text

        return self._with_patience(request_once)

    def ask(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """Return the answer with its status and headers, whatever they are: a pod answers so through the proxy. Raises
        ApiSilent.
        """

        def request_once() -> urllib3.BaseHTTPResponse:
            response = self._request(method, path, content, headers)
            text = response.data.decode(errors="replace")
            if not _is_outage(response.status, text):
                return response
            if response.status == _FORBIDDEN:
                raise ApiRefused(response.status, text)
            raise ApiSilent(_sentence(response.status, text))

        try:
            return self._with_patience(request_once)
        except ApiRefused:
            return self._request(method, path, content, headers)

    def _with_patience(self, request: Callable[[], _Answer]) -> _Answer:
        patience_s = 0.0 if self._is_given_up else self.patience_s
        end_s, is_final = time.monotonic() + patience_s, False
        while True:
            try:
                answer = request()
                self._is_given_up = False
                return answer
            except (ApiSilent, ApiRefused) as error:
                if isinstance(error, ApiRefused) and (is_final or error.status != _FORBIDDEN):
                    raise
                if time.monotonic() >= end_s:
                    self._is_given_up = True
                    raise
                # The request is made once more: the rights may have become known between the two answers.
                is_final = isinstance(error, ApiRefused) and self._knows_rights()
            time.sleep(_LOOK_S)

    def _knows_rights(self) -> bool:
        """Return whether the API knows the rights of users. An API that was just started refuses everybody for a
        moment, even for `/version`, which every user may read.
        """
        try:
            return self._request("GET", "/version", None, {}).status < 300
        except ApiSilent:
            return False

    def _request(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        login = self._login
        response = self._send(login, method, path, content, headers)
        if response.status != _UNAUTHORIZED:
            return response
        return self._send(self._renewed(login), method, path, content, headers)

    def _renewed(self, refused: _Login) -> _Login:
        """Return a login younger than the one that was refused: of several threads one logs in for all."""
        with self._renewing:
            if self._login is refused:
                try:
                    self._login = self._log_in()
                except UsageError as error:
                    raise ApiRefused(_UNAUTHORIZED, error.problem) from None
            return self._login

    def _send(
        self, login: _Login, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        try:
            return login.pool.request(
                method, f"{self.address}{path}", body=content, headers={**login.headers, **headers}
            )
        except urllib3.exceptions.HTTPError as error:
            raise ApiSilent(_words_of(error)) from error

    def get(self, path: str, **query: str) -> Object:
        """Return the object at that path, or the list of objects."""
        answer: Object = json.loads(self.text("GET", path, None, "application/json", **query))
        return answer

    def apply(self, wanted: Object, *, dry_run: bool = False) -> Object:
        """Apply an object on the server's side, strictly: an unknown field is refused. Returns the result."""
        query = {"fieldManager": _MANAGER, "fieldValidation": "Strict", "force": "true"}
        if dry_run:
            query["dryRun"] = "All"
        text = self.text("PATCH", self.path_of(wanted), wanted, "application/apply-patch+yaml", **query)
        applied: Object = json.loads(text)
        return applied

    def delete(self, path: str) -> None:
        """Delete the object at that path, unless it is gone. A pod stays in the lists until its processes have ended:
        without that grace they would still run beside the next pods.
        """
        try:
            self.text("DELETE", path, propagationPolicy="Foreground")
        except ApiRefused as refused:
            if refused.status != 404:
                raise

    def path_of(self, wanted: Object) -> str:
        """Return the path of an object, by its kind, name and namespace. Raises ApiRefused for a kind that is not
        served.
        """
        version, kind, metadata = wanted["apiVersion"], wanted["kind"], wanted["metadata"]
        group = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for resource in self.get(group)["resources"]:
            if resource["kind"] == kind and "/" not in resource["name"]:
                place = f"/namespaces/{metadata.get('namespace', 'default')}" if resource["namespaced"] else ""
                return f"{group}{place}/{resource['name']}/{metadata['name']}"
        raise ApiRefused(404, f"{version} has no {kind}")

    def has(self, path: str) -> bool:
        """Return whether there is an object at that path."""
        try:
            self.get(path)
        except ApiRefused as refused:
            if refused.status != 404:
                raise
            return False
        return True

    def log(self, namespace: str, pod: str) -> str:
        """Return the log of the only container of a pod."""
        return self.text("GET", f"/api/v1/namespaces/{namespace}/pods/{pod}/log")

    def pods(self, namespace: str, **labels: str) -> list[Object]:
        """Return the pods with those labels, oldest first."""
        selector = ",".join(f"{name}={value}" for name, value in labels.items())
        pods = self.get(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector)["items"]
        return sorted(pods, key=lambda pod: pod["metadata"]["creationTimestamp"])


def _is_outage(status: int, text: str) -> bool:
    """Return whether the API itself answered in the place of a pod, for the time being. It does so as well where it
    reached no pod: that is no outage.
    """
    if status < 500 and status not in (_FORBIDDEN, _TOO_MANY):
        return False
    try:
        is_of_api = json.loads(text)["kind"] == "Status"
    except (ValueError, KeyError, TypeError):
        return text.strip() == _OVERLOADED
    return is_of_api and _UNREACHED not in text


def _words_of(error: urllib3.exceptions.HTTPError) -> str:
    """Return the words of an error without the library's own names."""
    text = str(error.args[-1] if error.args else error).rpartition(": ")[2]
    return text.partition(" (_ssl.c")[0].rstrip(".)\"'")


def open_api(environ: Mapping[str, str], context: str | None = None) -> ClusterApi:
    """Return the API of a context of the kubeconfig, its current one for None. Raises UsageError in one sentence."""
    return ClusterApi(read_access(environ, context))
