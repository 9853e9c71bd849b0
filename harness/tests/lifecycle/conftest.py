"""A variant with a greeter, and a Maven that is a small Python program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plumbline.machine.host.kernel import free_port
from plumbline.machine.tools.native_image import NativeMemory
from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.store import Store
from plumbline.measuring.lifecycle.step_context import StepContext
from plumbline.measuring.lifecycle.tree import Tree
from plumbline.measuring.run.testbed import Testbed
from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.model.host import CpuSets
from plumbline.model.subject import Subject
from plumbline.subjects.catalog.variant import Variant, read_variant
from tests.checkout import CATALOG
from tests.processes import PlainSpawner

GREETER = 'class Greeter {\n    String greet(String name) {\n        return "Hello, " + name + "!";\n    }\n}\n'
SPEC = """
name = "X"
framework = "quarkus"
http = "h"
data = "none"
data_access = "none"
concurrency = "imperative"
serves_on = "worker"
workloads = ["hello"]
engines = ["none"]
started = 'started in (?P<seconds>[0-9.]+)s'

[build]
tool = "maven-reactor"
inputs = ["../pom.xml", "../domain"]

[packaging.jvm]
output = "target/app"
run = ["-jar", "app.jar"]

[packaging."native.mandrel"]
output = "target/runner"
run = ["runner"]
"""


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    source = tmp_path / "checkout" / "apps" / "x" / "src" / "main" / "java" / "Greeter.java"
    source.parent.mkdir(parents=True)
    source.write_text(GREETER)
    folder = tmp_path / "checkout" / "apps"
    (folder / "x" / "variant.toml").write_text(SPEC)
    (folder / "x" / "target").mkdir()
    (folder / "domain").mkdir()
    for module in (folder, folder / "x", folder / "domain"):
        (module / "pom.xml").write_text("<project/>")
    return folder


@pytest.fixture
def variant(apps: Path) -> Variant:
    return read_variant(apps / "x")


@pytest.fixture
def spawner() -> Iterator[PlainSpawner]:
    plain = PlainSpawner()
    yield plain
    for process in plain.started:
        if process.poll() is None:
            process.terminate(0.1)


@pytest.fixture
def step_context(tmp_path: Path, apps: Path, variant: Variant, spawner: PlainSpawner) -> Callable[..., StepContext]:
    """A step_context whose Maven is the Python program of the given text; keywords change other fields."""

    def make(maven: str, packaging: str = "jvm", **changes: Any) -> StepContext:
        tree = Tree(tmp_path / "tree", tmp_path / "repository", tmp_path / "behind")
        tree.take(variant, apps)
        program = tmp_path / "mvn"
        program.write_text(f"#!{sys.executable}\n{maven}")
        program.chmod(0o755)
        testbed = SimpleNamespace(
            spawner=spawner,
            free_port=free_port,
            work=tmp_path,
            java=Path("/jdk/bin/java"),
            sets=CpuSets(app=(1,), db=(0,), load=(0,), housekeeping=(0,)),
            database=SimpleNamespace(address=DatabaseAddress("127.0.0.1", 1, "b", "b", "s", None)),
            sources=None,
            http_tls=None,
            environ={},
        )
        job = SimpleNamespace(
            subject=Subject(variant="x", packaging=packaging, engine="none"),
            variant=variant,
            scenario=SimpleNamespace(source_latency_ms=None),
            artifact=SimpleNamespace(folder=tmp_path),
            image=None,
            java=Path("/jdk/bin/java"),
            agent=None,
            run_words=("-jar", "app.jar"),
            settings=dict(CATALOG.bench.defaults),
        )
        return StepContext(
            testbed=cast(Testbed, testbed),
            tree=tree,
            builder=Builder(
                catalog=CATALOG,
                store=Store(tmp_path / "store"),
                logs=tmp_path / "logs",
                java_home=Path("/jdk"),
                maven=program,
                toolchain=(),
                environ={"PATH": "/usr/bin:/bin", "MAVEN_ARGS": "-T9", "NATIVE_IMAGE_OPTIONS": "-Ob"},
                say=print,
                native_image=changes.pop("native_image", lambda builder: None),
                native_memory=lambda: NativeMemory(5 * 2**30, changes.get("available_bytes", 6 * 2**30)),
            ),
            job=cast(Any, job),
            requests=10,
            discarded=changes.pop("discarded", False),
            log=tmp_path / "run.log",
        )

    return make
