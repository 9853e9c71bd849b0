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
# The API answers an object with an unknown field by the status 500, however often it is asked.
_UNKNOWN_FIELD = "failed to create typed patch object"
_Answer = TypeVar("_Answer")
_WHICH_CLUSTER = "KUBECONFIG names the file, and --on kubernetes:CONTEXT a context in it."


class ApiRefused(Exception):
    """The API refused a request: its HTTP status and its sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status
        self.sentence = _sentence(status, text)


class ApiSilent(Exception):
    """The API gave no answer: it is not there, or says itself that it can't answer now (429, 5xx)."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def _sentence(status: int, text: str) -> str:
    try:
        return str(json.loads(text)["message"]).rstrip(".")
    except (ValueError, KeyError, TypeError):
        return text.strip().rstrip(".") or f"HTTP {status}"


class ClusterApi:
    """The API of one cluster at `address`, for the user that a TLS context and headers identify. An API that is silent
    or refuses everybody is asked again for `patience_s`, so that every request may be made twice. After that each
    request is made only once, until the API answers.
    """

    def __init__(self, address: str, tls: ssl.SSLContext, headers: Mapping[str, str]) -> None:
        self.address = address.rstrip("/")
        self.patience_s = 0.0
        self._is_given_up = False
        self._headers = dict(headers)
        # All generators are started at the same moment: a connection for each.
        self._pool = urllib3.PoolManager(ssl_context=tls, retries=False, timeout=_ANSWER_S, maxsize=64)

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
        return self._with_patience(lambda: self._request(method, path, content, headers))

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
        try:
            return self._pool.request(
                method, f"{self.address}{path}", body=content, headers={**self._headers, **headers}
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


def _words_of(error: urllib3.exceptions.HTTPError) -> str:
    """Return the words of an error without the library's own names."""
    text = str(error.args[-1] if error.args else error).rpartition(": ")[2]
    return text.partition(" (_ssl.c")[0].rstrip(".)\"'")


def open_api(environ: Mapping[str, str], context: str | None = None) -> ClusterApi:
    """Return the API of a context of the kubeconfig, its current one for None. Raises UsageError in one sentence.

    https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
    """
    file = Path(environ.get("KUBECONFIG") or Path(environ.get("HOME", "/")) / ".kube" / "config")
    try:
        kubeconfig: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"There is no cluster to speak to: {file}: {error.strerror}.", _WHICH_CLUSTER) from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UsageError(f"{file} is no kubeconfig: it is no YAML.", _WHICH_CLUSTER) from None
    try:
        contexts = {entry["name"]: entry["context"] for entry in kubeconfig.get("contexts") or ()}
        name = context or kubeconfig.get("current-context")
        if name not in contexts:
            raise UsageError(
                f"{file} has no context '{name}'." if name else f"{file} has no current context.",
                nearest(name or "", contexts) if contexts else _WHICH_CLUSTER,
            )
        (cluster,) = (
            entry["cluster"] for entry in kubeconfig["clusters"] if entry["name"] == contexts[name]["cluster"]
        )
        (user,) = (entry["user"] for entry in kubeconfig["users"] if entry["name"] == contexts[name]["user"])
        address = str(cluster["server"])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(
            f"{file} is no whole kubeconfig: it lacks a context's cluster or user.", _WHICH_CLUSTER
        ) from None
    if not address.startswith("https://"):
        raise UsageError(f"{file} speaks to {address} without TLS.", "Give the cluster an address with https.")
    credentials = _credentials(user, file.parent, environ)
    try:
        tls = _tls_context(cluster, credentials, file.parent)
    except (OSError, ValueError) as error:
        raise UsageError(f"A certificate or key of {file} can't be read: {error}.", _WHICH_CLUSTER) from None
    headers = {"Authorization": f"Bearer {credentials['token']}"} if credentials.get("token") else {}
    return ClusterApi(address, tls, headers)


def _credentials(user: Mapping[str, Any], folder: Path, environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a user's token or certificate, from the kubeconfig or from the program that it names.

    https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
    """
    if "tokenFile" in user:
        return {"token": (folder / user["tokenFile"]).read_text(encoding="utf-8").strip()}
    if "exec" not in user:
        return user
    plugin = user["exec"]
    exec_info = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    more_variables = {entry["name"]: entry["value"] for entry in plugin.get("env") or ()}
    argv = [str(plugin["command"]), *map(str, plugin.get("args") or ())]
    try:
        output = subprocess.run(
            argv,
            env={**environ, **more_variables, "KUBERNETES_EXEC_INFO": json.dumps(exec_info)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        status = json.loads(output)["status"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{argv[0]}, which gives the credentials of this cluster's user, failed.",
            "Log in to the cluster again.",
        ) from None
    names_in_status = {"client-certificate": "clientCertificateData", "client-key": "clientKeyData"}
    encoded = {
        f"{name}-data": base64.b64encode(status[key].encode()).decode()
        for name, key in names_in_status.items()
        if key in status
    }
    return {**encoded, "token": status.get("token")}


def _tls_context(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ssl.SSLContext:
    authority = _content(cluster, "certificate-authority", folder)
    tls = ssl.create_default_context(cadata=None if authority is None else authority.decode())
    if cluster.get("insecure-skip-tls-verify"):
        raise ValueError("insecure-skip-tls-verify would let anyone take the database's passwords")
    certificate, key = (_content(user, name, folder) for name in ("client-certificate", "client-key"))
    if certificate is not None and key is not None:
        # The module `ssl` reads a certificate and its key from a file alone.
        with tempfile.TemporaryDirectory() as private_folder:
            file = Path(private_folder) / "pair.pem"
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as pair:
                pair.write(certificate + b"\n" + key)
            tls.load_cert_chain(file)
    return tls


def _content(entry: Mapping[str, Any], name: str, folder: Path) -> bytes | None:
    """Return the content that an entry has in itself, or names as a file from the folder of the kubeconfig."""
    if f"{name}-data" in entry:
        return base64.b64decode(entry[f"{name}-data"])
    return (folder / entry[name]).read_bytes() if name in entry else None
