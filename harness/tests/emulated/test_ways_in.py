"""The ways in that are not a person: cloud-init on a rented machine's first boot, then Ansible, on an emulated host."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator

import pytest

from .box import RENTED, ROOT, get_box
from .machine import Machine, Ran

SOURCE = "/srv/source"
SETUP = f"{SOURCE}/runner-setup"
_SEED = "/var/lib/cloud/seed/nocloud"
_FIRST_BOOT_WITHIN_S = 1200.0


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A rented machine after its first boot, which ended with a reboot."""
    brought = tmp_path_factory.mktemp("brought")
    brought.chmod(0o755)
    clone = ("git", "clone", "-q", "--depth=1", f"file://{ROOT}", str(brought / "checkout"))
    subprocess.run(clone, check=True)
    head = ("git", "-C", str(ROOT), "rev-parse", "HEAD")
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    words = (ROOT / "runner-setup/cloud-init.yaml").read_text(encoding="utf-8")
    # The two values that the file asks for, and the word for a virtual machine.
    for old, new in (
        ("https://github.com/OWNER/NAME", f"file://{SOURCE}"),
        ("0" * 40, commit),
        ("apply --yes", "apply --yes --anyway"),
    ):
        assert old in words
        words = words.replace(old, new)
    folder = tmp_path_factory.mktemp("host")
    with Machine(get_box(os.environ, RENTED), folder, brought=brought, cpus=4) as machine:
        # On the root disk: the other may be mounted later than cloud-init runs.
        machine.check("cp", "-r", "/srv/brought/checkout", SOURCE)
        machine.put(f"{_SEED}/meta-data", "instance-id: rented-1\nlocal-hostname: rented\n")
        machine.put(f"{_SEED}/user-data", words)
        machine.restart_twice(_FIRST_BOOT_WITHIN_S)
        yield machine


def play(host: Machine, *words: str) -> Ran:
    """Call the role as its file says, but on the machine itself, since the machine has no network."""
    options = (
        "-i",
        "lab-1,",
        "-b",
        f"{SETUP}/ansible/host.yml",
        "-c",
        "local",
        "-e",
        "plumbline_host_anyway=true",
    )
    # Ansible refuses to run where no locale of UTF-8 is set.
    return host.run("env", "LC_ALL=C.UTF-8", "HOME=/root", "ansible-playbook", *options, *words, timeout_s=1200)


def recap(ran: Ran) -> dict[str, int]:
    """Return the counts ok, changed, failed, ... of the one host."""
    assert ran, ran.output
    return {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", ran.output.partition("RECAP")[2])}


def test_cloud_init_applies_the_named_commit_and_reboots(host: Machine) -> None:
    log = host.run("cat", "/var/log/cloud-init-output.log").output
    status = host.run("bench-host", "status")
    assert status.output.startswith("Applied: ") and "no longer" not in status.output, f"{status.output}\n{log}"
    assert host.check("git", "-C", "/opt/plumbline", "rev-parse", "HEAD") in host.check(
        "sed", "-n", "s/^commit=//p", "/etc/plumbline/source"
    )


def test_it_does_not_apply_again_at_the_next_boot(host: Machine) -> None:
    assert "changes made" in host.check("cat", "/var/log/cloud-init-output.log")
    assert host.check("grep", "-c", "changes made", "/var/log/cloud-init-output.log") == "1\n"


def test_the_role_undoes_and_removes(host: Machine) -> None:
    undone = recap(play(host, "-e", "plumbline_host_state=absent"))
    assert undone["failed"] == 0 and undone["changed"] >= 1
    assert host.run("bench-host", "status").status == 127
    assert not host.shell("ls -d /var/lib/plumbline-host /usr/local/src/plumbline-host | grep .")


def test_the_role_sets_up_and_is_idempotent(host: Machine) -> None:
    first = recap(play(host))
    assert first["failed"] == 0 and first["changed"] >= 1
    assert host.check("bench-host", "status").startswith("Applied: ")
    assert recap(play(host))["changed"] == 0
