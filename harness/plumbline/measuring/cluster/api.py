"""The API of a cluster: objects are applied, read and deleted by HTTPS, as the user of a kubeconfig."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import urllib3
import yaml

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.reading import nearest
from .pod import Object

_MANAGER = "plumbline"
_ANSWER_S = 10.0
_LOOK_S = 0.5
_FORBIDDEN, _TOO_MANY = 403, 429
# The API's answer to an object with a field that it does not know has the status 500, and stays the same.
_NOT_READ = "failed to create typed patch object"
_Found = TypeVar("_Found")
_WHICH = "KUBECONFIG names the file, and --on kubernetes:CONTEXT a context in it."


class ApiRefused(Exception):
    """The API's own no, with its HTTP status and its sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status
        self.sentence = _sentence(status, text)


class ApiSilent(Exception):
    """No answer: nobody is there, or the API says itself that it can't answer now (429, 5xx)."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def _sentence(status: int, text: str) -> str:
    try:
        return str(json.loads(text)["message"]).rstrip(".")
    except (ValueError, KeyError, TypeError):
        return text.strip().rstrip(".") or f"HTTP {status}"


class ClusterApi:
    """The API of one cluster at `address`, as the user that a TLS context and headers make it. An API that is silent or
    refuses everybody is asked again for `patience_s`, so that every request may be made twice; after that only once,
    until it answers.
    """

    def __init__(self, address: str, tls: ssl.SSLContext, headers: Mapping[str, str]) -> None:
        self.address = address.rstrip("/")
        self.patience_s = 0.0
        self._is_given_up = False
        self._headers = dict(headers)
        # Generators are let go at once: a connection for each.
        self._pool = urllib3.PoolManager(ssl_context=tls, retries=False, timeout=_ANSWER_S, maxsize=64)

    def text(
        self, method: str, path: str, body: Object | None = None, kind: str = "application/json", **given: str
    ) -> str:
        """Return the answer. Raises ApiRefused and ApiSilent."""
        content = None if body is None else json.dumps(body).encode()

        def once() -> str:
            said = self._request(method, f"{path}?{urlencode(given)}", content, {"Content-Type": kind})
            text = said.data.decode(errors="replace")
            is_unable = said.status >= 500 and _NOT_READ not in text
            if is_unable or said.status == _TOO_MANY:
                raise ApiSilent(_sentence(said.status, text))
            if said.status >= 300:
                raise ApiRefused(said.status, text)
            return text

        return self._patiently(once)

    def ask(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """Return the answer with its status and headers, whatever they are: a pod's own through the proxy. Raises
        ApiSilent.
        """
        return self._patiently(lambda: self._request(method, path, content, headers))

    def _patiently(self, once: Callable[[], _Found]) -> _Found:
        patience_s = 0.0 if self._is_given_up else self.patience_s
        end_s, is_sure = time.monotonic() + patience_s, False
        while True:
            try:
                found = once()
                self._is_given_up = False
                return found
            except (ApiSilent, ApiRefused) as error:
                if isinstance(error, ApiRefused) and (is_sure or error.status != _FORBIDDEN):
                    raise
                if time.monotonic() >= end_s:
                    self._is_given_up = True
                    raise
                # Asked once more: the rights may have become known between the two answers.
                is_sure = isinstance(error, ApiRefused) and self._knows_rights()
            time.sleep(_LOOK_S)

    def _knows_rights(self) -> bool:
        """Whether the API knows whom it may answer. One that was just started refuses everybody for a moment, even
        `/version`, which every user may read.
        """
        try:
            return self._request("GET", "/version", None, {}).status < 300
        except ApiSilent:
            return False

    def _request(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        try:
            return self._pool.request(
                method, f"{self.address}{path}", body=content, headers={**self._headers, **headers}
            )
        except urllib3.exceptions.HTTPError as error:
            raise ApiSilent(_words(error)) from error

    def get(self, path: str, **given: str) -> Object:
        """Return the object at that path, or its list."""
        found: Object = json.loads(self.text("GET", path, None, "application/json", **given))
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
        """Have it deleted, unless it is gone. A pod stays in the lists until its processes have ended: without that
        grace they would run on beside what comes next.
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
        version, kind, its = wanted["apiVersion"], wanted["kind"], wanted["metadata"]
        group = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for one in self.get(group)["resources"]:
            if one["kind"] == kind and "/" not in one["name"]:
                place = f"/namespaces/{its.get('namespace', 'default')}" if one["namespaced"] else ""
                return f"{group}{place}/{one['name']}/{its['name']}"
        raise ApiRefused(404, f"{version} has no {kind}")

    def has(self, path: str) -> bool:
        """Return whether there is such an object."""
        try:
            self.get(path)
        except ApiRefused as refused:
            if refused.status != 404:
                raise
            return False
        return True

    def log(self, namespace: str, pod: str) -> str:
        """Return the words of the only container of a pod."""
        return self.text("GET", f"/api/v1/namespaces/{namespace}/pods/{pod}/log")

    def pods(self, namespace: str, **labels: str) -> list[Object]:
        """Return the pods with those labels, oldest first."""
        chosen = ",".join(f"{name}={value}" for name, value in labels.items())
        found = self.get(f"/api/v1/namespaces/{namespace}/pods", labelSelector=chosen)["items"]
        return sorted(found, key=lambda pod: pod["metadata"]["creationTimestamp"])


def _words(error: urllib3.exceptions.HTTPError) -> str:
    """Return what went wrong without the library's own names."""
    said = str(error.args[-1] if error.args else error).rpartition(": ")[2]
    return said.partition(" (_ssl.c")[0].rstrip(".)\"'")


def open_api(environ: Mapping[str, str], context: str | None = None) -> ClusterApi:
    """Return the API of a context of the kubeconfig, its current one for None. Raises UsageError in one sentence.

    https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
    """
    file = Path(environ.get("KUBECONFIG") or Path(environ.get("HOME", "/")) / ".kube" / "config")
    try:
        read: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"There is no cluster to speak to: {file}: {error.strerror}.", _WHICH) from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UsageError(f"{file} is no kubeconfig: it is no YAML.", _WHICH) from None
    try:
        contexts = {one["name"]: one["context"] for one in read.get("contexts") or ()}
        name = context or read.get("current-context")
        if name not in contexts:
            raise UsageError(
                f"{file} has no context '{name}'." if name else f"{file} has no current context.",
                nearest(name or "", contexts) if contexts else _WHICH,
            )
        (cluster,) = (one["cluster"] for one in read["clusters"] if one["name"] == contexts[name]["cluster"])
        (user,) = (one["user"] for one in read["users"] if one["name"] == contexts[name]["user"])
        address = str(cluster["server"])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(
            f"{file} is no whole kubeconfig: it lacks a context's cluster or user.", _WHICH
        ) from None
    if not address.startswith("https://"):
        raise UsageError(
            f"{file} speaks to {address} without TLS.", "Give the cluster an address with https."
        )
    credentials = _credentials(user, file.parent, environ)
    try:
        tls = _tls(cluster, credentials, file.parent)
    except (OSError, ValueError) as error:
        raise UsageError(f"A certificate or key of {file} can't be read: {error}.", _WHICH) from None
    headers = {"Authorization": f"Bearer {credentials['token']}"} if credentials.get("token") else {}
    return ClusterApi(address, tls, headers)


def _credentials(user: Mapping[str, Any], folder: Path, environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a user's token or certificate; where a program gives them, what it gives.

    https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
    """
    if "tokenFile" in user:
        return {"token": (folder / user["tokenFile"]).read_text(encoding="utf-8").strip()}
    if "exec" not in user:
        return user
    asked = user["exec"]
    spoken = {"apiVersion": asked["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    more = {one["name"]: one["value"] for one in asked.get("env") or ()}
    argv = [str(asked["command"]), *map(str, asked.get("args") or ())]
    try:
        said = subprocess.run(
            argv,
            env={**environ, **more, "KUBERNETES_EXEC_INFO": json.dumps(spoken)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        status = json.loads(said)["status"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{argv[0]}, which gives the credentials of this cluster's user, failed.",
            "Log in to the cluster again.",
        ) from None
    texts = {"client-certificate": "clientCertificateData", "client-key": "clientKeyData"}
    encoded = {
        f"{name}-data": base64.b64encode(status[key].encode()).decode()
        for name, key in texts.items()
        if key in status
    }
    return {**encoded, "token": status.get("token")}


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ssl.SSLContext:
    authority = _content(cluster, "certificate-authority", folder)
    tls = ssl.create_default_context(cadata=None if authority is None else authority.decode())
    if cluster.get("insecure-skip-tls-verify"):
        raise ValueError("insecure-skip-tls-verify would let anyone take the database's passwords")
    certificate, key = (_content(user, name, folder) for name in ("client-certificate", "client-key"))
    if certificate is not None and key is not None:
        # The module reads pairs from files alone.
        with tempfile.TemporaryDirectory() as place:
            file = Path(place) / "pair.pem"
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as written:
                written.write(certificate + b"\n" + key)
            tls.load_cert_chain(file)
    return tls


def _content(of: Mapping[str, Any], name: str, folder: Path) -> bytes | None:
    """Return what a kubeconfig has in itself or names as a file, from its own folder."""
    if f"{name}-data" in of:
        return base64.b64decode(of[f"{name}-data"])
    return (folder / of[name]).read_bytes() if name in of else None
