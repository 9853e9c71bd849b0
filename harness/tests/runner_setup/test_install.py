"""The files that install-runner.sh writes: for the watcher, and the addresses of the host for the runner's unit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import RUNNER_SETUP


def installed(path: Path) -> subprocess.CompletedProcess[str]:
    """Run the part of the script that writes watch.json, with another path."""
    script = (RUNNER_SETUP / "install-runner.sh").read_text(encoding="utf-8")
    [program] = re.findall(r"^python3 - /etc/plumbline/watch.json .*?\n(.*?)^END$", script, re.MULTILINE | re.DOTALL)
    words = [sys.executable, "-", str(path), "me/plumbline", "lab-2"]
    return subprocess.run(words, input=program, capture_output=True, text=True)


def test_the_first_installation_names_repository_and_host(tmp_path: Path) -> None:
    assert installed(tmp_path / "watch.json").returncode == 0
    assert json.loads((tmp_path / "watch.json").read_text()) == {"repository": "me/plumbline", "host": "lab-2"}


def test_an_update_keeps_the_keys_that_the_owner_added(tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    own_keys = {"organization": "me", "runner_group": 7, "deliver": ["scp", "--"]}
    path.write_text(json.dumps({"repository": "me/old", "host": "lab-1", **own_keys}))
    assert installed(path).returncode == 0
    assert json.loads(path.read_text()) == {"repository": "me/plumbline", "host": "lab-2", **own_keys}


def test_a_file_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "watch.json"
    path.write_text('{"organization": "me",')
    ended = installed(path)
    assert ended.returncode == 1 and f"install-runner: {path} is no JSON" in ended.stderr
    assert path.read_text() == '{"organization": "me",'


IP = """#!/bin/sh
[ "$*" = "-o address show scope global" ] && cat <<'END'
2: eth0    inet 203.0.113.7/24 brd 203.0.113.255 scope global dynamic eth0\\       valid_lft 86394sec
2: eth0    inet6 2001:db8::7/64 scope global \\       valid_lft forever preferred_lft forever
3: tun0    inet 198.51.100.1 peer 198.51.100.2/32 scope global tun0\\       valid_lft forever
END
"""


def addresses(folder: Path, *resolvers: str) -> subprocess.CompletedProcess[str]:
    """Run the function of the script that says what the runner's unit may reach, on a host with public addresses."""
    (folder / "ip").write_text(IP)
    (folder / "ip").chmod(0o755)
    (folder / "resolv.conf").write_text("search lab\n" + "".join(f"nameserver {resolver}\n" for resolver in resolvers))
    script = (RUNNER_SETUP / "install-runner.sh").read_text(encoding="utf-8")
    functions = script[: script.index("\nif [ ")]
    program = f'{functions}\naddresses=$(addresses {folder}/resolv.conf)\nprintf "%s\\n" "$addresses"'
    environ = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(["bash", "-c", program], capture_output=True, text=True, env=environ)


def test_a_job_reaches_the_resolvers_and_nothing_else_of_the_hosts_networks(tmp_path: Path) -> None:
    said = addresses(tmp_path, "127.0.0.53", "10.0.0.2")
    denied = ["203.0.113.7/24", "2001:db8::7/64", "198.51.100.1"]
    assert said.stdout.splitlines() == [
        "[Service]",
        "IPAddressAllow=127.0.0.53",
        "IPAddressAllow=10.0.0.2",
        *(f"IPAddressDeny={network}" for network in denied),
    ]
    unit = tmp_path / "plumbline-test.service"
    unit.write_text(f"{said.stdout}ExecStart=/bin/true\n")
    process = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True)
    assert unit.name not in process.stderr


@pytest.mark.parametrize("resolver", ["169.254.169.254", "168.63.129.16", "fd20:ce::254"])
def test_a_resolver_that_answers_with_metadata_too_is_refused(tmp_path: Path, resolver: str) -> None:
    """An address that is allowed is reached although it is denied too, whatever the port."""
    said = addresses(tmp_path, "10.0.0.2", resolver)
    assert said.returncode == 2 and said.stdout == ""
    assert f"at the resolver {resolver} of" in said.stderr and "apt install systemd-resolved" in said.stderr
