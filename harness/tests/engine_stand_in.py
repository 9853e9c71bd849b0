"""Stands in for podman where there is none: it takes the same words, and starts plain processes.

An image is the unpacked artifact in a folder, a container a process with the folder, the variables and the CPUs that
the words ask for, and, of root, with the image's user. What the kernel would do (a root of its own, mounts, quotas) it
does not do, and refuses words that it does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import tarfile
from pathlib import Path
from typing import NoReturn

# Set in the copy that tests.engines makes.
STATE = Path("@STATE@")
JAVA = "@JAVA@"
USER = 65532

FORMAT = "{{.Id}} {{.Size}} {{json .Config.Labels}}"
FLAGS = {"--rm", "--read-only", "--pull=never"}
VALUES = {
    *(
        "--name",
        "--label",
        "--network",
        "--pid",
        "--log-driver",
        "--cap-drop",
        "--security-opt",
        "--userns",
        "--user",
    ),
    *("--cpuset-cpus", "--cpu-period", "--cpu-quota", "--pids-limit", "--ulimit"),
    *("--mount", "--env", "--entrypoint"),
}


def refuse(text: str, status: int = 125) -> NoReturn:
    print(f"Error: {text}", file=sys.stderr)
    sys.exit(status)


def build(words: list[str]) -> None:
    options, (context,) = split(words, {"--file", "--tag", "--label", "--build-arg"}, set())
    packed = Path(context) / "app.tar"
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    folder = STATE / "images" / digest
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")
    said = {
        "tag": options["--tag"][0],
        "recipe": options["--file"][0],
        "args": options.get("--build-arg", []),
        "labels": {"plumbline.jdk": "jdk-of-a-stand-in"},
    }
    (STATE / "images" / f"{digest}.json").write_text(json.dumps(said))


def pull(words: list[str]) -> None:
    _, (name,) = split(words, set(), {"--quiet"})
    (STATE / "bases" / f"{hashlib.sha256(name.encode()).hexdigest()}.json").write_text(
        json.dumps({"tag": name, "labels": None})
    )


def image(words: list[str]) -> None:
    if words[:3] != ["inspect", "--format", FORMAT]:
        refuse(f"unknown words {words}")
    for path in (*(STATE / "images").glob("*.json"), *(STATE / "bases").glob("*.json")):
        said = json.loads(path.read_text())
        if said["tag"] == words[3]:
            files = (one for one in path.with_suffix("").rglob("*") if one.is_file())
            print(path.stem, sum(one.stat().st_size for one in files), json.dumps(said["labels"]))
            return
    refuse(f"{words[3]}: image not known")


def run(words: list[str]) -> None:
    options, (digest, *arguments) = split(words, VALUES, FLAGS)
    root = STATE / "images" / digest / "app"
    if not root.is_dir():
        refuse(f"{digest}: image not known")
    for mount in options.get("--mount", []):
        source = dict(one.partition("=")[::2] for one in mount.split(","))["source"]
        if not Path(source).exists():
            refuse(f"statfs {source}: no such file or directory")
    (first,) = options["--entrypoint"]
    program = JAVA if first == "/opt/java/openjdk/bin/java" else str(root / Path(first).relative_to("/app"))
    names = [one for one in options["--env"] if one in os.environ]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/", **{name: os.environ[name] for name in names}}
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.sched_setaffinity(0, {int(cpu) for cpu in options["--cpuset-cpus"][0].split(",")})
        os.chdir(root)
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)
        os.execve(program, [first, *arguments], environment)
    named = STATE / "containers" / options["--name"][0]
    named.write_text(json.dumps({"pid": pid, "id": hashlib.sha256(named.name.encode()).hexdigest(), "words": words}))
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(pid, number))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    named.unlink(missing_ok=True)
    sys.exit(status if status >= 0 else 128 - status)


def inspect(words: list[str]) -> None:
    if words[:4] != ["--type", "container", "--format", "{{.Id}} {{.State.Pid}}"]:
        refuse(f"unknown words {words}")
    said = container(words[4])
    print(said["id"], said["pid"])


def kill(words: list[str]) -> None:
    options, (name,) = split(words, {"--signal"}, set())
    os.kill(int(container(name)["pid"]), int(options["--signal"][0]))


def rm(words: list[str]) -> None:
    _, (name,) = split(words, {"--time"}, {"--force", "--volumes"})
    path = STATE / "containers" / name
    if path.exists():
        pid = int(container(name)["pid"])
        path.unlink()
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def ps(words: list[str]) -> None:
    split(words, {"--filter"}, {"--all", "--quiet"})
    for path in sorted((STATE / "containers").iterdir()):
        print(path.name)


def container(name: str) -> dict[str, object]:
    path = STATE / "containers" / name
    if not path.exists():
        refuse(f'no such container "{name}"')
    said: dict[str, object] = json.loads(path.read_text())
    return said


def split(words: list[str], values: set[str], flags: set[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options and what follows them."""
    options: dict[str, list[str]] = {}
    rest = list(words)
    while rest and rest[0].startswith("--"):
        name = rest.pop(0)
        if name in values:
            options.setdefault(name, []).append(rest.pop(0))
        elif name not in flags:
            refuse(f"unknown flag: {name}")
    return options, rest


if __name__ == "__main__":
    given = sys.argv[1:]
    verb, *following = given[2:] if given[:2] == ["--log-level", "error"] else given
    if verb == "--version":
        print("podman version 5.6.2")
    else:
        verbs = (build, pull, image, run, inspect, kill, rm, ps)
        {known.__name__: known for known in verbs}[verb](following)
