"""The generators of a Job, run as processes: files laid out as volumes say, one k6 for each index, let go together."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from plumbline.machine.host.kernel import free_port
from plumbline.machine.host.paths import Paths
from plumbline.machine.tools.k6 import get_k6
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.measuring.load.params import LoadParams
from plumbline.measuring.load.segments import start_all
from plumbline.measuring.load.summary import merged, parse
from plumbline.model.plan import Phase
from tests.checkout import ROOT
from tests.cluster.planned import objects, one, planned
from tests.load.server import Server

pytestmark = pytest.mark.slow

RATE, SECONDS = 150, 2


def load_objects(count: int) -> list[dict[str, Any]]:
    """The objects of an open load of two seconds over so many generators."""
    plan = planned("compare", "vertx-pg/*")
    phase = Phase(kind="open", name="open@150", duration_s=SECONDS, rate_per_s=RATE)
    scenarios = tuple(scenario.model_copy(update={"phases": (phase,)}) for scenario in plan.scenarios)
    return objects(plan.model_copy(update={"scenarios": scenarios}), generators=count)


class Generator:
    """One pod of the Job as a process. `root` is its file system, `server` stands for the application."""

    def __init__(self, objects_: list[dict[str, Any]], index: int, root: Path, server: Server, k6: Path) -> None:
        self._objects, self._index, self._root = objects_, index, root
        self._pod = one(objects_, "Job")["spec"]["template"]["spec"]
        (container,) = self._pod["containers"]
        for mount in container["volumeMounts"]:
            self._mount(mount)
        (root / "dev").mkdir()
        params_file = root / "load" / "params.json"
        params_file.write_text(params_file.read_text().replace("http://application:8080", server.url))
        self.params = LoadParams.model_validate_json(params_file.read_bytes())
        self.address = f"127.0.0.1:{free_port()}"
        words = [self._inside(word) for word in (*container["command"], *container["args"])]
        env = {variable["name"]: self._inside(variable["value"]) for variable in container["env"]}
        assert words[0] == "k6"
        self._popen = subprocess.Popen([k6, *words[1:]], env=env, cwd=root, stdout=subprocess.PIPE, text=True)

    def summary(self) -> str:
        """The last line of the generator's log, once the generator has ended well."""
        output, _ = self._popen.communicate(timeout=60)
        assert self._popen.returncode == 0
        return output.strip().splitlines()[-1]

    def problem(self) -> str | None:
        """Why the generator ended; None while it runs."""
        return None if self._popen.poll() is None else f"k6 ended with {self._popen.returncode}"

    def close(self) -> None:
        """End the generator."""
        self._popen.kill()
        self._popen.wait()
        if self._popen.stdout is not None:
            self._popen.stdout.close()

    def _inside(self, word: str) -> str:
        placed = re.sub(r"(^|=)(/(?:k6|load|segment|dev|tmp)\b)", rf"\1{self._root}\2", word)
        return placed.replace("0.0.0.0:6565", self.address)

    def _mount(self, mount: dict[str, Any]) -> None:
        (volume,) = (volume for volume in self._pod["volumes"] if volume["name"] == mount["name"])
        place = self._root / mount["mountPath"].lstrip("/")
        if "emptyDir" in volume:
            place.mkdir(parents=True)
            return
        data = one(self._objects, "ConfigMap", volume["configMap"]["name"])["data"]
        if "subPathExpr" in mount:
            key = mount["subPathExpr"].replace("$(JOB_COMPLETION_INDEX)", str(self._index))
            files = {place: data[key]}
        elif "items" in volume["configMap"]:
            files = {place / item["path"]: data[item["key"]] for item in volume["configMap"]["items"]}
        else:
            files = {place / key: text for key, text in data.items()}
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_three_generators_send_what_one_would(stack: ExitStack, tmp_path: Path) -> None:
    count = 3
    manifests = load_objects(count)
    toolbox = Toolbox.of(Paths.of(os.environ, ROOT, os.geteuid()), os.environ, lambda text: None)
    k6 = get_k6(toolbox).program
    data = one(manifests, "ConfigMap", one(manifests, "Job")["metadata"]["name"])["data"]
    golden = LoadParams.model_validate_json(data["params.json"]).golden
    assert golden is not None
    server = Server("ok", golden)
    stack.callback(lambda: server.stop() if server.running else None)
    generators = []
    for index in range(count):
        root = tmp_path / str(index)
        root.mkdir()
        generators.append(Generator(manifests, index, root, server, k6))
        stack.callback(generators[-1].close)
    addresses = [generator.address for generator in generators]
    problem = start_all(
        addresses,
        30,
        lambda: next((why for generator in generators if (why := generator.problem()) is not None), None),
    )
    assert problem is None
    outcomes = [parse(generator.summary(), generator.params) for generator in generators]
    total = merged(outcomes).result
    assert total.requests == server.stop()
    # The last arrivals of a busy machine may come too late for the window; none is sent twice.
    assert RATE * SECONDS - 20 <= total.requests + total.dropped <= RATE * SECONDS + 1
    assert total.failed == total.checks_failed == total.wrong_length == 0
    assert total.checks_passed > 0
    shares = [outcome.result.requests for outcome in outcomes]
    assert all(abs(share - RATE * SECONDS / count) <= 20 for share in shares)
