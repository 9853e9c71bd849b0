"""A real cluster of one node on this host: etcd, the API server, the controllers, the scheduler, containerd, a kubelet.

The cluster serves this host alone, and knows certificates of its own authority alone. However the tests end, nothing
of it is left: processes and mounts end with their name spaces (enclosure.py), and kept.py removes the rest.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.cluster.api import open_api
from plumbline.measuring.cluster.pod import Object
from plumbline.measuring.cluster.preflight import Right
from .authority import Authority, Pair
from .enclosure import Enclosure, Program
from .kept import Kept
from .node import NAME, SERVICES, Node
from .parts import kubernetes, require_programs
from .waiting import until

_LOOPBACK = "127.0.0.1"
# The default is 50 s.
_SILENCE_S = 10
"""After so many seconds without a message of its kubelet a node is not ready."""
# The controllers look for such a silence once in so many seconds.
_ROUND_S = 5


class Cluster:
    """One cluster: `api` speaks to it as its administrator; every program can be killed and started again."""

    def __enter__(self) -> Cluster:
        require_programs()
        self._programs = kubernetes()
        with ExitStack() as stack:
            self.folder = stack.enter_context(Kept()).folder
            self.enclosure = stack.enter_context(Enclosure())
            self._authority = Authority(self.folder)
            self._start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _start(self) -> None:
        self.api_server = self._start_api_server(self._start_etcd())
        administrator = self._authority.issue("administrator", "tests", "system:masters")
        self.configuration = self._configuration("administrator", administrator)
        self.api = open_api({"KUBECONFIG": str(self.configuration)})
        until("the API server is ready", self._api_is_ready)
        self.controllers = self._start_part(
            "kube-controller-manager",
            f"--service-account-private-key-file={self._accounts.key}",
            f"--root-ca-file={self._authority.file}",
            "--use-service-account-credentials",
            f"--flex-volume-plugin-dir={self.folder / 'volume-plugins'}",
            f"--node-monitor-grace-period={_SILENCE_S}s",
        )
        self.scheduler = self._start_part("kube-scheduler")
        self.node = Node(self.folder, self.enclosure)
        user = self._configuration("kubelet", self._issue(f"system:node:{NAME}", "system:nodes"))
        self.kubelet = self.node.start_kubelet(self._authority, self._programs / "kubelet", user)
        until("the node is ready", self.node_is_ready)
        until("pods may be made", lambda: self.api.get("/api/v1/namespaces/default/serviceaccounts/default"))

    def _start_etcd(self) -> str:
        clients, peers = (f"https://{_LOOPBACK}:{free_port()}" for _ in range(2))
        pair = self._issue("etcd", addresses=(_LOOPBACK,))
        secured = [
            *(f"--cert-file={pair.certificate}", f"--key-file={pair.key}"),
            *("--client-cert-auth", f"--trusted-ca-file={self._authority.file}"),
            *(f"--peer-cert-file={pair.certificate}", f"--peer-key-file={pair.key}"),
            *("--peer-client-cert-auth", f"--peer-trusted-ca-file={self._authority.file}"),
        ]
        # etcd holds what a test made a moment ago: nothing that has to outlive a power cut.
        words = [
            "--name=cluster",
            f"--data-dir={self.folder / 'etcd'}",
            "--unsafe-no-fsync",
            "--log-level=error",
        ]
        places = [
            *(f"--listen-client-urls={clients}", f"--advertise-client-urls={clients}"),
            *(f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}"),
            f"--initial-cluster=cluster={peers}",
        ]
        self.etcd = self.enclosure.start(["etcd", *words, *places, *secured], self.folder / "etcd.log")
        return clients

    def _start_api_server(self, etcd: str) -> Program:
        port = free_port()
        self._address = f"https://{_LOOPBACK}:{port}"
        served = self._issue("kube-apiserver", addresses=(_LOOPBACK,))
        asks_etcd = self._authority.issue("asks-etcd", "kube-apiserver")
        asks_kubelet = self._authority.issue("asks-kubelet", "kube-apiserver")
        self._accounts = self._authority.issue("accounts", "accounts")
        argv = [
            str(self._programs / "kube-apiserver"),
            *(f"--bind-address={_LOOPBACK}", f"--secure-port={port}", f"--advertise-address={_LOOPBACK}"),
            *(f"--etcd-servers={etcd}", f"--etcd-cafile={self._authority.file}"),
            *(f"--etcd-certfile={asks_etcd.certificate}", f"--etcd-keyfile={asks_etcd.key}"),
            *(f"--tls-cert-file={served.certificate}", f"--tls-private-key-file={served.key}"),
            *(f"--client-ca-file={self._authority.file}", "--authorization-mode=Node,RBAC"),
            f"--kubelet-certificate-authority={self._authority.file}",
            f"--kubelet-client-certificate={asks_kubelet.certificate}",
            f"--kubelet-client-key={asks_kubelet.key}",
            "--kubelet-preferred-address-types=InternalIP",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self._accounts.certificate}",
            f"--service-account-signing-key-file={self._accounts.key}",
            *(f"--service-cluster-ip-range={SERVICES}", "--endpoint-reconciler-type=none"),
        ]
        return self.enclosure.start(argv, self.folder / "kube-apiserver.log")

    def _start_part(self, name: str, *words: str) -> Program:
        user = self._configuration(name, self._issue(f"system:{name}"))
        argv = [
            *(str(self._programs / name), f"--kubeconfig={user}", f"--bind-address={_LOOPBACK}"),
            *(f"--secure-port={free_port()}", "--leader-elect=false", f"--cert-dir={self.folder}"),
        ]
        return self.enclosure.start([*argv, *words], self.folder / f"{name}.log")

    def _issue(self, name: str, group: str = "", addresses: Sequence[str] = ()) -> Pair:
        return self._authority.issue(name.replace(":", "-"), name, group, addresses)

    def _configuration(self, name: str, user: Pair) -> Path:
        """Write the kubeconfig by which a program speaks to the API as this user."""
        cluster = {"server": self._address, "certificate-authority": str(self._authority.file)}
        credentials = {"client-certificate": str(user.certificate), "client-key": str(user.key)}
        file = self.folder / f"{name}.kubeconfig"
        file.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "clusters": [{"name": "here", "cluster": cluster}],
                    "users": [{"name": name, "user": credentials}],
                    "contexts": [{"name": "here", "context": {"cluster": "here", "user": name}}],
                    "current-context": "here",
                }
            ),
            encoding="utf-8",
        )
        return file

    def _api_is_ready(self) -> bool:
        for program in (self.etcd, self.api_server):
            assert program.runs, program.said()
        return self.api.text("GET", "/readyz") == "ok"

    def node_is_ready(self) -> bool:
        """Whether the API takes the node for ready."""
        assert self.kubelet.runs, self.kubelet.said()
        return self.condition("Ready") == "True"

    def node_stays_ready(self) -> bool:
        """Whether the API takes the node for ready at every look for three rounds of the controllers.

        After an outage the API at first repeats the state from before. Then the controllers, which have missed messages
        of the kubelet, call the state unknown.
        """
        end_s = time.monotonic() + 3 * _ROUND_S
        while self.node_is_ready():
            if time.monotonic() > end_s:
                return True
            time.sleep(_ROUND_S / 10)
        return False

    def condition(self, name: str) -> str:
        """A condition of the node, as the API has it: True, False or Unknown."""
        node: Object = self.api.get(f"/api/v1/nodes/{NAME}")
        return str({condition["type"]: condition["status"] for condition in node["status"]["conditions"]}[name])

    @contextmanager
    def namespace(self, wanted: Object) -> Iterator[None]:
        """A namespace in which pods can be made, and which is gone at the end with all that is in it."""
        place = self.api.path_of(wanted)
        self.api.apply(wanted)
        try:
            until("pods may be made", lambda: self.api.get(f"{place}/serviceaccounts/default"))
            yield
        finally:
            for pod in self.api.pods(wanted["metadata"]["name"]):
                self.api.delete(f"{place}/pods/{pod['metadata']['name']}")
            self.api.delete(place)
            until("the namespace is gone", lambda: not self.api.has(place))

    def user_who_may(self, rights: Iterable[Right], name: str) -> Path:
        """Make a user who has these rights and no others; return the user's kubeconfig."""
        common = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": name}}
        rules = [{"apiGroups": [right.group], "resources": [right.resource], "verbs": [right.verb]} for right in rights]
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
        user = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}
        self.api.apply({**common, "kind": "ClusterRole", "rules": rules})
        self.api.apply({**common, "kind": "ClusterRoleBinding", "roleRef": role, "subjects": [user]})
        return self._configuration(name, self._issue(name))

    def kubectl(self, *words: str, given: str | None = None) -> str:
        """What kubectl says to the administrator. Raises CalledProcessError, with what it said, where it refuses."""
        argv = [str(self._programs / "kubectl"), f"--kubeconfig={self.configuration}", *words]
        return subprocess.run(argv, input=given, capture_output=True, text=True, check=True).stdout
