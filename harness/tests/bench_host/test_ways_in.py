"""The files that install, call and describe bench-host name commands and options that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import textwrap
from pathlib import Path

import pytest
import yaml
from bench_host.cli import parser
from bench_host.host import INSTALLED

from tests.bench_host.conftest import RUNNER_SETUP

ROOT = RUNNER_SETUP.parent
PLACES = (
    *(RUNNER_SETUP / name for name in ("install.sh", "cloud-init.yaml", "bench_host/host.py")),
    RUNNER_SETUP / "ansible/roles/plumbline_host/tasks/main.yml",
    *(ROOT / "docs" / name for name in ("lab.md", "hosts.md", "operate.md")),
)
COMMANDS = "check|apply|rollback|status|fingerprint|quiet"


@pytest.mark.parametrize("path", PLACES, ids=lambda path: path.name)
def test_every_command_that_is_named_is_one(path: Path) -> None:
    # Templates of Ansible that are an option or nothing.
    text = re.sub(r"\s*\{\{ '(--[a-z]+)' if [^}]+ else '' }}", r" \1", path.read_text(encoding="utf-8"))
    found = re.findall(rf"bench-host ((?:{COMMANDS})(?: +(?:--[a-z-]+|\S*[A-Z/0-9]\S*|swap|governor))*)", text)
    assert found or path.name in ("hosts.md", "operate.md")
    for words in found:
        parser().parse_args(shlex.split(words.rstrip("`\"'.,;:)")))


def test_the_files_for_other_programs_are_what_they_read() -> None:
    for path in (RUNNER_SETUP / "cloud-init.yaml", *(RUNNER_SETUP / "ansible").rglob("*.yml")):
        assert yaml.safe_load(path.read_text(encoding="utf-8")), path
    user_data = yaml.safe_load((RUNNER_SETUP / "cloud-init.yaml").read_text(encoding="utf-8"))
    script = user_data["write_files"][1]["content"]
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    [packages] = re.findall("^    apt install (.*)$", (ROOT / "docs/lab.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert user_data["packages"] == packages.split()


def test_install_refuses_in_one_sentence(tmp_path: Path) -> None:
    fake = tmp_path / "id"
    fake.write_text("#!/bin/sh\necho 1000\n")
    fake.chmod(0o755)
    process = subprocess.run(
        [RUNNER_SETUP / "install.sh"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == "install: it writes below /usr/local; run it by sudo.\n"


def test_the_program_is_installed_where_everybody_finds_it() -> None:
    """Debian leaves every sbin out of the PATH of a user who is not root."""
    assert INSTALLED.startswith("usr/local/bin/")
    named = [re.findall(r"/usr/local/\w+/bench-host", path.read_text(encoding="utf-8")) for path in PLACES[:4]]
    assert {path for paths in named for path in paths} == {f"/{INSTALLED}"}


@pytest.mark.parametrize("name", ["install.sh", "install-runner.sh"])
def test_the_page_shows_what_an_installation_prints(name: str) -> None:
    script = (RUNNER_SETUP / name).read_text(encoding="utf-8")
    [printed] = re.findall(r"^cat <<END\n(.*?)^END$", script, re.MULTILINE | re.DOTALL)
    document_text = printed.replace("$lib", "/usr/local/lib/plumbline-host")
    assert textwrap.indent(document_text, "    ") in (ROOT / "docs/lab.md").read_text(encoding="utf-8")


def test_what_is_installed_is_all_that_is_imported(tmp_path: Path) -> None:
    names = (RUNNER_SETUP / "install.sh").read_text(encoding="utf-8")
    assert all(f'"$here"/{folder}/*.py' in names for folder in ("bench_host", "measures"))
    for folder in ("bench_host", "measures"):
        for path in (RUNNER_SETUP / folder).glob("*.py"):
            assert not re.search(r"^\s*(from|import) (plumbline|pydantic|click)", path.read_text(), re.MULTILINE)
