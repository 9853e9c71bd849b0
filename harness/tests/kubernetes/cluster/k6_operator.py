"""k6's operator beside a cluster: its manager, built beforehand, with the definitions and rights that it asks for.

The operator speaks with runners by services of Kubernetes, and the cluster has no kube-proxy: a small stand-in is
here too.
"""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import urllib3
import yaml

from plumbline.measuring.cluster.api import ApiSilent
from plumbline.measuring.cluster.names import REST_PORT
from plumbline.measuring.cluster.pod import Object
from plumbline.model.errors import UsageError
from .cluster import Cluster
from .enclosure import Program
from .kept import BRIDGE

VARIABLE = "PLUMBLINE_K6_OPERATOR"
"""Names a checkout of grafana/k6-operator in which `go build -o bin/manager ./cmd` was run."""
STARTER = "ghcr.io/grafana/k6-operator:latest-starter"

_ACCOUNT = "/api/v1/namespaces/k6-operator-system/serviceaccounts/k6-operator-controller"
# Where a pod finds its service account, and where the operator looks when it reads a log.
_MOUNT = "/run/secrets/kubernetes.io/serviceaccount"
_LOOK_S = 0.2
_ANSWER_S = 10.0


def start_operator(cluster: Cluster, checkout: Path) -> Program:
    """Start the manager as its own service account, not as an administrator. Raises UsageError if it is not built."""
    manager = checkout / "bin" / "manager"
    if not manager.exists():
        raise UsageError(f"There is no {manager}.", f"cd {checkout} && go build -o bin/manager ./cmd")
    for document in yaml.safe_load_all((checkout / "bundle.yaml").read_text(encoding="utf-8")):
        if document["kind"] != "Deployment":
            cluster.api.apply(document)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = cluster.folder / "operator.token"
    token.write_text(json.loads(cluster.api.text("POST", f"{_ACCOUNT}/token", request))["status"]["token"])
    cluster.enclosure.run(["mkdir", "-p", _MOUNT])
    cluster.enclosure.run(["cp", str(token), f"{_MOUNT}/token"])
    cluster.enclosure.run(["cp", str(cluster.folder / "authority.crt"), f"{_MOUNT}/ca.crt"])
    host, _, port = cluster.api.address.removeprefix("https://").partition(":")
    pod = ["env", f"KUBERNETES_SERVICE_HOST={host}", f"KUBERNETES_SERVICE_PORT={port}"]
    silent = ["--metrics-bind-address=0", "--health-probe-bind-address=0"]
    return cluster.enclosure.start([*pod, str(manager), *silent], cluster.folder / "operator.log")


class RunnerServices:
    """Stands for kube-proxy, for the services of runners alone: this host has their addresses, and passes each request
    on to the pod of the service, if the pod is ready. The addresses end with the node's bridge.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._api = cluster.api
        self._is_over = threading.Event()
        self._serving: dict[str, ThreadingHTTPServer] = {}
        self._watching = threading.Thread(target=self._watch)

    def __enter__(self) -> RunnerServices:
        self._watching.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._watching.join()
        for server in self._serving.values():
            server.shutdown()
            server.server_close()

    def _watch(self) -> None:
        while not self._is_over.wait(_LOOK_S):
            with suppress(ApiSilent):
                for service in self._api.get("/api/v1/services", labelSelector="runner=true")["items"]:
                    address = service["spec"]["clusterIP"]
                    if address not in self._serving:
                        self._serving[address] = self._served(address, service["metadata"])

    def _served(self, address: str, metadata: Object) -> ThreadingHTTPServer:
        place = f"/apis/discovery.k8s.io/v1/namespaces/{metadata['namespace']}/endpointslices"

        def ready() -> str | None:
            for part in self._api.get(place, labelSelector=f"kubernetes.io/service-name={metadata['name']}")["items"]:
                for endpoint in part["endpoints"] or ():
                    if endpoint["conditions"]["ready"]:
                        return str(endpoint["addresses"][0])
            return None

        class Way(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._pass_on()

            def do_PATCH(self) -> None:
                self._pass_on()

            def log_message(self, format: str, *words: object) -> None:
                pass

            def _pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                pod = ready()
                if pod is None:
                    self.send_error(503)
                    return
                url = f"http://{pod}:{REST_PORT}{self.path}"
                answer = urllib3.request(self.command, url, body=body, retries=False, timeout=_ANSWER_S)
                self.send_response(answer.status)
                self.end_headers()
                self.wfile.write(answer.data)

        subprocess.run(["ip", "address", "add", f"{address}/32", "dev", BRIDGE], check=True)
        server = ThreadingHTTPServer((address, REST_PORT), Way)
        threading.Thread(target=server.serve_forever).start()
        return server
