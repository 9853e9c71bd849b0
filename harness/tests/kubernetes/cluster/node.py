"""The node of a cluster: containerd with a network of its own, and a kubelet that gives whole CPUs away for good."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.cluster.names import ROLE_LABEL
from plumbline.measuring.cluster.pod import CLUSTER_ROLES, node_value
from .authority import Authority
from .enclosure import Enclosure, Program
from .images import write_image
from .kept import ADDRESS, BRIDGE, GROUP, NETWORK
from .parts import CNI, own_programs
from .waiting import until

NAME = "node-0"
RESERVED_CPU = 0
"""The CPU that no pod gets as its own."""

SERVICES = "10.97.0.0/24"
"""Addresses of services. Pods ask the node for them, which has none but those that a test gives it."""

_PAUSE = "docker.io/plumbline/pause:1"
# Containerd keeps the images of Kubernetes apart from other images.
_SPACE = "k8s.io"
_CONTAINERD = """version = 2
root = "{folder}/containerd"
state = "/run/containerd-state"
[grpc]
address = "{socket}"
[plugins."io.containerd.internal.v1.opt"]
path = "{folder}/programs"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
stream_server_address = "127.0.0.1"
netns_mounts_under_state_dir = true
disable_apparmor = true
# A small machine may lack the right to lower it.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{cni}"
conf_dir = "{folder}/network"
"""


class Node:
    """The node's programs; their files are in `folder`, which is removed with the cluster."""

    def __init__(self, folder: Path, enclosure: Enclosure) -> None:
        self._folder, self._enclosure = folder, enclosure
        self._socket = folder / "containerd.sock"
        network = folder / "network"
        network.mkdir()
        (network / "node.conflist").write_text(json.dumps(_network()), encoding="utf-8")
        config = folder / "containerd.toml"
        config.write_text(
            _CONTAINERD.format(folder=folder, socket=self._socket, pause=_PAUSE, cni=CNI), encoding="utf-8"
        )
        argv = ["containerd", "--config", str(config), "--log-level", "warn"]
        self.containerd = enclosure.start(argv, folder / "containerd.log")
        until("containerd answers", self._answers)
        self.load(_PAUSE, {"/pause": own_programs() / "pause"})

    def _answers(self) -> bool:
        assert self.containerd.runs, self.containerd.said()
        return self._socket.exists() and bool(self._ctr("version"))

    def load(self, name: str, files: Mapping[str, Path]) -> None:
        """Give the node an image of these programs, by their paths in the image."""
        archive = self._folder / "image.tar"
        write_image(archive, name, files)
        self._ctr("images", "import", str(archive))
        archive.unlink()

    def forget(self, name: str) -> None:
        """Take an image away from the node."""
        self._ctr("images", "remove", "--sync", name)

    def _ctr(self, *words: str) -> str:
        return self._enclosure.run(["ctr", f"--address={self._socket}", f"--namespace={_SPACE}", *words])

    def start_kubelet(self, authority: Authority, program: Path, user: Path) -> Program:
        """Start the kubelet, which speaks to the API by the kubeconfig `user`."""
        served = authority.issue("kubelet-serves", NAME, addresses=(ADDRESS,))
        config = self._folder / "kubelet.json"
        config.write_text(
            json.dumps(
                {
                    "apiVersion": "kubelet.config.k8s.io/v1beta1",
                    "kind": "KubeletConfiguration",
                    "address": ADDRESS,
                    "port": free_port(),
                    "healthzPort": 0,
                    "tlsCertFile": str(served.certificate),
                    "tlsPrivateKeyFile": str(served.key),
                    "authentication": {
                        "anonymous": {"enabled": False},
                        "webhook": {"enabled": False},
                        "x509": {"clientCAFile": str(authority.file)},
                    },
                    "authorization": {"mode": "AlwaysAllow"},
                    "containerRuntimeEndpoint": f"unix://{self._socket}",
                    "cgroupDriver": "cgroupfs",
                    "cgroupRoot": f"/{GROUP}",
                    "failCgroupV1": False,
                    "failSwapOn": False,
                    # The lease is renewed in a quarter of this time, and the controllers wait for 10 s (cluster.py).
                    "nodeLeaseDurationSeconds": 8,
                    "cpuManagerPolicy": "static",
                    "cpuManagerReconcilePeriod": "1s",
                    "reservedSystemCPUs": str(RESERVED_CPU),
                    "enforceNodeAllocatable": [],
                    "oomScoreAdj": 0,
                    "makeIPTablesUtilChains": False,
                    "resolvConf": "",
                    "volumePluginDir": str(self._folder / "volume-plugins"),
                    # A full disk of the host is no matter of these pods.
                    "evictionHard": {"memory.available": "1Mi"},
                    "imageGCHighThresholdPercent": 100,
                }
            ),
            encoding="utf-8",
        )
        argv = [
            *(str(program), f"--config={config}", f"--kubeconfig={user}", f"--node-ip={ADDRESS}"),
            *(f"--hostname-override={NAME}", f"--root-dir={self._folder / 'kubelet'}"),
            f"--node-labels={ROLE_LABEL}={node_value(*CLUSTER_ROLES)}",
        ]
        return self._enclosure.start(argv, self._folder / "kubelet.log")


def _network() -> dict[str, object]:
    """The node's bridge for pods that want an address of their own; nothing is routed elsewhere."""
    pods = {"subnet": NETWORK, "rangeStart": "10.98.0.10"}
    addresses = {"type": "host-local", "ranges": [[pods]], "routes": [{"dst": SERVICES, "gw": ADDRESS}]}
    bridge = {"type": "bridge", "bridge": BRIDGE, "ipam": addresses}
    return {"cniVersion": "0.4.0", "name": "node", "plugins": [bridge]}
