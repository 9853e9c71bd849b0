"""A subject's container has the words of its process, the testbed's CPUs, and the files that its settings need."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.launch.client import OPEN_FILES
from plumbline.measuring.launch.contained import Contained, InContainer, Mount
from plumbline.measuring.observe.targets import Roots
from plumbline.measuring.run.containing import limits_of_a_process, start_contained, user_words
from plumbline.measuring.run.job import Agent
from plumbline.measuring.run.starting import command_of
from plumbline.measuring.services.interface import DatabaseAddress
from plumbline.measuring.services.tls import HttpTls, TlsFiles
from plumbline.model.errors import CannotGoOn
from plumbline.model.host import CpuSets
from plumbline.model.record import Image
from plumbline.model.subject import Subject
from tests.checkout import CATALOG

DIGEST = "a" * 64
SETS = CpuSets(app=(2, 3), db=(1,), load=(1,), housekeeping=(0,))


@dataclass
class Remembers:
    """Containers that are never started."""

    engine: Any = field(default_factory=lambda: SimpleNamespace(is_podman=True, parent_words=("--cgroup-parent", "x")))
    asked: list[tuple[InContainer, Path]] = field(default_factory=list)

    def start(self, spawner: Any, asked: InContainer, *, cwd: Path, stdout: Path) -> Contained:
        self.asked.append((asked, stdout))
        return None  # type: ignore[return-value]


@dataclass
class Testbed:
    work: Path
    containers: Remembers | None
    http_tls: HttpTls
    database: Any
    sets: CpuSets = SETS
    placement: Any = field(default_factory=lambda: SimpleNamespace(memory_nodes=lambda cpus: (1,)))
    cpu_limit: float | None = None
    spawner: None = None
    sources: None = None
    roots: Roots = field(default_factory=Roots)
    environ: dict[str, str] = field(default_factory=lambda: {"PATH": "/bin", "HOME": "/root"})


@pytest.fixture
def testbed(tmp_path: Path) -> Testbed:
    for name in ("trial", "aot"):
        (tmp_path / name).mkdir()
    for name in ("server.pem", "server.key", "server.p12"):
        (tmp_path / name).touch()
    files = TlsFiles(tmp_path / "ca.pem", tmp_path / "server.pem", tmp_path / "server.key")
    address = DatabaseAddress("127.0.0.1", 5433, "bench", "bench", "secret", tmp_path / "db.pem")
    return Testbed(
        work=tmp_path / "trial",
        containers=Remembers(),
        http_tls=HttpTls(files, tmp_path / "server.p12", "p"),
        database=SimpleNamespace(address=address),
    )


def job(text: str) -> Any:
    subject: Subject = CATALOG.subject(text)
    variant = CATALOG.variant(subject.variant)
    image = Image(artifact=subject.artifact_id, engine="podman", sha256=DIGEST, size_bytes=1, wall_s=0, reused=True)
    return SimpleNamespace(
        subject=subject,
        variant=variant,
        settings=CATALOG.settings_of(subject),
        run_words=variant.packaging(subject.packaging).run,
        artifact=SimpleNamespace(folder=Path("/store/app")),
        java=Path("/usr/lib/jvm/25/bin/java"),
        scenario=SimpleNamespace(source_latency_ms=None),
        image=image if CATALOG.settings_of(subject)["run-in"] == "container" else None,
        agent=None,
        aot_cache=None,
    )


def asked(testbed: Testbed, subject_job: Any) -> InContainer:
    any_testbed: Any = testbed
    command = command_of(any_testbed, subject_job, port=8081, extra=("-Xlog:gc",))
    start_contained(any_testbed, subject_job, command, testbed.work / "app.log")
    assert testbed.containers is not None
    ((container, log),) = testbed.containers.asked
    assert log == testbed.work / "app.log"
    return container


def test_it_has_as_many_of_its_cpus_as_asked_for(testbed: Testbed) -> None:
    testbed.sets = CpuSets(app=(2, 3), db=(1,), load=(0,), housekeeping=(0,))
    assert asked(testbed, job("vertx-pg+cpus=1+run-in=container")).cpus == (2,)


def test_it_has_the_words_and_variables_of_the_process(testbed: Testbed) -> None:
    any_testbed: Any = testbed
    process = command_of(any_testbed, job("vertx-pg"), port=8081, extra=("-Xlog:gc",))
    container = asked(testbed, job("vertx-pg+run-in=container"))
    assert container.argv == ("/opt/java/openjdk/bin/java", *process.argv[1:])
    own = {name: value for name, value in process.env.items() if name not in ("PATH", "HOME")}
    assert container.env == {**own, "LC_ALL": "C.UTF-8"}
    assert (container.image, container.cpus, container.nodes, container.limit) == (DIGEST, (2, 3), (1,), None)
    assert container.limits == limits_of_a_process(testbed.roots.proc)
    assert container.parent == ("--cgroup-parent", "x")


def test_a_native_image_is_started_by_its_own_name(testbed: Testbed) -> None:
    container = asked(testbed, job("quarkus-hello-rest/native.mandrel/none+run-in=container"))
    name = CATALOG.variant("quarkus-hello-rest").packaging("native.mandrel").run[0]
    assert container.argv[0] == f"/app/{name}"


def test_it_writes_where_the_testbed_keeps_logs_and_nowhere_else(testbed: Testbed) -> None:
    container = asked(testbed, job("vertx-pg+run-in=container"))
    writable = {(mount.source, mount.target) for mount in container.mounts if mount.writable}
    temporary = testbed.work.parent / "tmp"
    assert writable == {(testbed.work, None), (temporary, Path("/tmp"))}
    assert temporary.is_dir() and temporary.stat().st_mode & 0o7777 == 0o1777
    assert [mount.source.name for mount in container.mounts if not mount.writable] == ["db.pem"]


def test_settings_bring_their_files_to_be_read_at_the_same_path(testbed: Testbed) -> None:
    subject_job = job("quarkus-rest-orm+db-tls=require+http-tls=on+otel=agent+run-in=container")
    subject_job.agent = Agent(Path("/tools/agent.jar"), None)
    container = asked(testbed, subject_job)
    names = {mount.source.name for mount in container.mounts if not mount.writable and mount.target is None}
    assert names == {"db.pem", "server.pem", "server.key", "server.p12", "agent.jar"}
    paths = {value for name, value in container.env.items() if name in ("DB_CA", "HTTP_TLS_KEY", "HTTP_TLS_STORE")}
    assert paths <= {str(mount.source) for mount in container.mounts}


def test_an_aot_cache_is_read_in_trials_and_no_other_cache_is_there(testbed: Testbed) -> None:
    subject_job, caches = job("vertx-pg/aot/pg+run-in=container"), testbed.work.parent / "aot"
    mounts = []
    for subject_job.aot_cache in (None, caches / "x.aot"):
        testbed.containers = Remembers()
        mounts.append([mount for mount in asked(testbed, subject_job).mounts if caches in (mount.source / "x").parents])
    assert mounts == [[], [Mount(caches / "x.aot")]]


@pytest.mark.parametrize(
    ("settings", "of_testbed", "limit"),
    [("", None, None), ("+cpu-share=50", None, 1.0), ("", 1.5, 1.5), ("+cpu-share=50", 1.5, 1.0)],
)
def test_its_share_of_the_cpus_is_the_engines_to_hold(
    testbed: Testbed, settings: str, of_testbed: float | None, limit: float | None
) -> None:
    container = asked(replace(testbed, cpu_limit=of_testbed), job(f"vertx-pg{settings}+run-in=container"))
    assert container.limit == limit


@pytest.mark.parametrize(("uid", "theirs"), [(0, {"trial", "tmp", "server.key", "server.p12"}), (1000, set())])
def test_what_roots_container_writes_and_what_is_secret_is_given_to_its_user(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, uid: int, theirs: set[str]
) -> None:
    owners: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setattr(os, "chown", lambda path, *owner: owners.update({path.name: owner}))
    asked(testbed, job("vertx-pg+http-tls=on+run-in=container"))
    assert owners == dict.fromkeys(theirs, (65532, 65532))


@pytest.mark.parametrize(
    ("is_podman", "uid", "words"),
    [
        (True, 0, ()),
        (False, 0, ()),
        (True, 1000, ("--userns", "keep-id:uid=65532,gid=65532")),
        (False, 1000, ("--user", "1000:1001")),
    ],
)
def test_who_is_not_root_runs_it_as_himself(is_podman: bool, uid: int, words: tuple[str, ...]) -> None:
    assert user_words(is_podman, uid, 1001) == words


def test_a_testbed_without_an_engine_says_so(testbed: Testbed) -> None:
    any_testbed: Any = replace(testbed, containers=None)
    subject_job = job("vertx-pg+run-in=container")
    with pytest.raises(CannotGoOn, match="no engine that would run vertx-pg/jvm/pg"):
        start_contained(
            any_testbed, subject_job, command_of(any_testbed, subject_job, port=8081), testbed.work / "app.log"
        )


@pytest.mark.parametrize(
    ("nproc", "limits"),
    [
        ((1000, 2000), (1000, 2000)),
        ((1000, 96365), (1000, 32768)),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), (32768, 32768)),
    ],
)
def test_it_has_the_limits_of_a_process_and_no_more_processes_than_have_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nproc: tuple[int, int], limits: tuple[int, int]
) -> None:
    (tmp_path / "sys/kernel").mkdir(parents=True)
    (tmp_path / "sys/kernel/pid_max").write_text("32768\n")
    monkeypatch.setattr(resource, "getrlimit", {resource.RLIMIT_NPROC: nproc}.__getitem__)
    assert limits_of_a_process(tmp_path) == (("nofile", *OPEN_FILES), ("nproc", *limits))


def test_an_aot_cache_is_read_from_where_it_was_trained(testbed: Testbed, tmp_path: Path) -> None:
    """The second place of a duet has a folder of its own, and the cache was trained in that of the first."""
    trained = tmp_path / "first" / "aot"
    trained.mkdir(parents=True)
    subject_job = job("vertx-pg/aot+run-in=container")
    subject_job.aot_cache = trained / "base.aot"
    container = asked(testbed, subject_job)
    assert Mount(trained / "base.aot") in container.mounts
