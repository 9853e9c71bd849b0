"""The kubeconfig of this user: the address of a cluster, and what shows the cluster who asks.

https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from plumbline.model.errors import UsageError
from plumbline.subjects.catalog.reading import nearest

_WHICH_CLUSTER = "KUBECONFIG names the file, and --on kubernetes:CONTEXT a context in it."
_PROGRAM_S = 60.0
# Passed over, they would lead to another cluster, or make another user of this one.
_UNKNOWN_FIELDS = (
    *("proxy-url", "tls-server-name"),
    *("as", "as-uid", "as-groups", "as-user-extra", "auth-provider", "username"),
)


class Identity(NamedTuple):
    """A user as the API knows one: the context of TLS, and the headers of each request."""

    tls: ssl.SSLContext
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Access:
    """A context of a kubeconfig: the address of its cluster, and the entries of the cluster and of its user."""

    context: str
    address: str
    file: Path
    cluster: Mapping[str, Any]
    user: Mapping[str, Any]
    environ: Mapping[str, str]

    def identity(self) -> Identity:
        """Return the user's identity as files and programs give it now: a token may end before a session does. Raises
        UsageError.
        """
        try:
            credentials = self._credentials()
            tls = _tls_context(self.cluster, credentials, self.file.parent)
        except (OSError, ValueError) as error:
            problem = f"A certificate, key or token of {self.file} can't be read: {error}."
            raise UsageError(problem, _WHICH_CLUSTER) from None
        token = credentials.get("token")
        return Identity(tls, {"Authorization": f"Bearer {token}"} if token else {})

    def _credentials(self) -> Mapping[str, Any]:
        """Return the user's token or certificate, from the kubeconfig or from the program that it names.

        https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
        """
        if "tokenFile" in self.user:
            return {"token": (self.file.parent / self.user["tokenFile"]).read_text(encoding="utf-8").strip()}
        if "exec" not in self.user:
            return self.user
        plugin = self.user["exec"]
        exec_info = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
        more_variables = {entry["name"]: entry["value"] for entry in plugin.get("env") or ()}
        argv = [str(plugin["command"]), *map(str, plugin.get("args") or ())]
        try:
            output = subprocess.run(
                argv,
                env={**self.environ, **more_variables, "KUBERNETES_EXEC_INFO": json.dumps(exec_info)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
                timeout=_PROGRAM_S,
            ).stdout
            status = json.loads(output)["status"]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
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


def read_access(environ: Mapping[str, str], context: str | None = None) -> Access:
    """Return the way to a context of the kubeconfig, its current one for None. Raises UsageError in one sentence."""
    file = _file_of(environ)
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
        unknown_fields = [field for field in _UNKNOWN_FIELDS if cluster.get(field) or user.get(field)]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UsageError(
            f"{file} is no whole kubeconfig: it lacks a context's cluster or user.", _WHICH_CLUSTER
        ) from None
    if not address.startswith("https://"):
        raise UsageError(f"{file} speaks to {address} without TLS.", "Give the cluster an address with https.")
    if unknown_fields:
        raise UsageError(
            f"The context '{name}' of {file} has {', '.join(unknown_fields)}, which this program does not know.",
            "Name a context without it by --on kubernetes:CONTEXT.",
        )
    return Access(name, address, file, cluster, user, environ)


def _file_of(environ: Mapping[str, str]) -> Path:
    names = [name for name in environ.get("KUBECONFIG", "").split(os.pathsep) if name]
    if len(names) > 1:
        raise UsageError(
            f"KUBECONFIG names {len(names)} files, and one is read here.",
            "Make one file of them: kubectl config view --flatten > FILE; then say KUBECONFIG=FILE.",
        )
    return Path(names[0]) if names else Path(environ.get("HOME", "/")) / ".kube" / "config"


def _tls_context(cluster: Mapping[str, Any], user: Mapping[str, Any], folder: Path) -> ssl.SSLContext:
    authority = _content(cluster, "certificate-authority", folder)
    tls = ssl.create_default_context(cadata=None if authority is None else authority.decode())
    # Since Python 3.13 the default is strict, and refuses authorities without a key identifier, as clusters have them.
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
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
