"""The six external sources of the workload orders: apps/stub, one process for a session, started when first needed."""

from __future__ import annotations

import http.client
import json
import shutil
from collections import Counter
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.launch.interface import Spawner
from plumbline.model.errors import CannotGoOn
from .hosted import OneProcess

# The sources keep up with any load of an application on other CPUs; G1 has no use for a heap this small.
FLAGS = ("-Xms128m", "-Xmx128m", "-XX:+UseSerialGC")
# The JDK compiles the one file first.
_START_S = 30.0
_POLL_S = 0.1


class SourcesService(OneProcess):
    """A context; `program` is the file Stub.java. The sources run on the database's CPUs, so rule R11 judges both."""

    stops_within_s = 5.0

    def __init__(self, spawner: Spawner, *, java: Path, program: Path, folder: Path, log: Path) -> None:
        self._spawner, self._java, self._program = spawner, java, program
        self._folder, self._log = folder, log
        self._port = 0

    def __enter__(self) -> SourcesService:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def url(self, latency_ms: float) -> str:
        """Return the address of the sources that answer after that time. Raises CannotGoOn."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return f"http://127.0.0.1:{self._port}/{latency_ms:g}"

    def answered(self, latency_ms: float) -> Counter[str]:
        """Return how often each source answered after that time with what it knows, since the start. Raises
        CannotGoOn.
        """
        try:
            counts: dict[str, int] = json.loads(self._get("/counts"))
        except (OSError, http.client.HTTPException, ValueError):
            problem = "The six sources of an order do not tell how often they answered."
            raise CannotGoOn(problem, f"The whole log is {self._log}.") from None
        latency = f"{latency_ms:g}/"
        return Counter({key.removeprefix(latency): counts[key] for key in counts if key.startswith(latency)})

    def _start(self) -> None:
        self._port = free_port()
        self._folder.mkdir(parents=True, exist_ok=True)
        # In the sandbox the sources run as the database's user, who can't enter the checkout.
        program = shutil.copy(self._program, self._folder)
        self._process = self._spawner.spawn(
            role="db",
            argv=[str(self._java), *FLAGS, str(program), str(self._port)],
            cwd=self._folder,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"},
            stdout=self._log,
        )
        for _ in range(int(_START_S / _POLL_S)):
            if self._answers():
                return
            if self._process.wait(_POLL_S) is not None:
                break
        raise CannotGoOn("The six sources of an order did not start.", f"The whole log is {self._log}.")

    def _answers(self) -> bool:
        try:
            return self._get("/0/customers/1") != b""
        except (OSError, http.client.HTTPException):
            return False

    def _get(self, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=1)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.read() if response.status == 200 else b""
        finally:
            connection.close()
