"""Stands in for podman where podman is missing: it takes the same words, and starts plain processes.

An image is a folder with the unpacked artifact. A container is a process with the folder, the variables and the CPUs
that the words ask for and, when root starts it, with the image's user. The stand-in does not do what the kernel would
do (a root folder of its own, mounts, quotas), and refuses words that it does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import tarfile
from pathlib import Path
from typing import Any, NoReturn

# tests.engines sets both in the copy that it makes.
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
    description = {
        "tag": options["--tag"][0],
        "recipe": options["--file"][0],
        "args": options.get("--build-arg", []),
        "labels": {"plumbline.jdk": "jdk-of-a-stand-in"},
    }
    (STATE / "images" / f"{digest}.json").write_text(json.dumps(description))


def pull(words: list[str]) -> None:
    _, (name,) = split(words, set(), {"--quiet"})
    (STATE / "bases" / f"{hashlib.sha256(name.encode()).hexdigest()}.json").write_text(
        json.dumps({"tag": name, "labels": None})
    )


def image(words: list[str]) -> None:
    if words[:3] != ["inspect", "--format", FORMAT]:
        refuse(f"unknown words {words}")
    for path in (*(STATE / "images").glob("*.json"), *(STATE / "bases").glob("*.json")):
        description = json.loads(path.read_text())
        if description["tag"] == words[3]:
            files = (file for file in path.with_suffix("").rglob("*") if file.is_file())
            print(path.stem, sum(file.stat().st_size for file in files), json.dumps(description["labels"]))
            return
    refuse(f"{words[3]}: image not known")


def run(words: list[str]) -> None:
    options, (digest, *arguments) = split(words, VALUES, FLAGS)
    root = STATE / "images" / digest / "app"
    if not root.is_dir():
        refuse(f"{digest}: image not known")
    for mount in options.get("--mount", []):
        source = dict(field.partition("=")[::2] for field in mount.split(","))["source"]
        if not Path(source).exists():
            refuse(f"statfs {source}: no such file or directory")
    (first,) = options["--entrypoint"]
    program = JAVA if first == "/opt/java/openjdk/bin/java" else str(root / Path(first).relative_to("/app"))
    names = [name for name in options["--env"] if name in os.environ]
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
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(pid, number))
    name = options["--name"][0]
    container_file = STATE / "containers" / name
    description = {"pid": pid, "id": hashlib.sha256(name.encode()).hexdigest(), "words": words}
    # Whoever looks finds all of it, or nothing.
    (STATE / name).write_text(json.dumps(description))
    (STATE / name).rename(container_file)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    container_file.unlink(missing_ok=True)
    sys.exit(status if status >= 0 else 128 - status)


def inspect(words: list[str]) -> None:
    if words[:4] != ["--type", "container", "--format", "{{.Id}} {{.State.Pid}}"]:
        refuse(f"unknown words {words}")
    description = container(words[4])
    print(description["id"], description["pid"])


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


def container(name: str) -> dict[str, Any]:
    path = STATE / "containers" / name
    if not path.exists():
        refuse(f'no such container "{name}"')
    description: dict[str, Any] = json.loads(path.read_text())
    return description


def split(words: list[str], values: set[str], flags: set[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The options, and the words that follow them."""
    options: dict[str, list[str]] = {}
    remaining = list(words)
    while remaining and remaining[0].startswith("--"):
        name = remaining.pop(0)
        if name in values:
            options.setdefault(name, []).append(remaining.pop(0))
        elif name not in flags:
            refuse(f"unknown flag: {name}")
    return options, remaining


if __name__ == "__main__":
    argv = sys.argv[1:]
    verb, *words_of_verb = argv[2:] if argv[:2] == ["--log-level", "error"] else argv
    if verb == "--version":
        print("podman version 5.6.2")
    else:
        verbs = (build, pull, image, run, inspect, kill, rm, ps)
        {function.__name__: function for function in verbs}[verb](words_of_verb)
