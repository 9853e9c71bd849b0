"""What happens in the repository, step after step: a tag, a Monday, a night with an alert, a pull request."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plumbline.measuring.build.packs import read_build
from plumbline.model.subject import file_slug
from .act import Job, Machine, Run, passed
from .checkout import REPOSITORY, commit, data_of, edited, git, make_actions, make_checkout, make_clone, pins
from .github import GitHub
from .seeds import SUBJECT, seed
from .serving import listening

TAG = "v0.0.1"
SPIN = "apps/vertx-pg/src/main/java/org/plumbline/app/plumbing/Spin.java"
BALLAST = "private static final byte[] BALLAST = new byte[64 << 20];"
BROKEN = "apps/spring4-mvc-jpa/src/main/java"
NUMBER, FORK = 12, "someone/plumbline"
RAN: list[Job] = []


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine whose main has two commits: by the second, one application holds 64 MiB more."""
    folder = tmp_path_factory.mktemp("github")
    bare = folder / "plumbline.git"
    checkout = make_checkout(folder, bare)
    edited(checkout, SPIN, "private final int us;", f"{BALLAST}\n    private final int us;")
    commit(checkout, "A change that makes one application larger")
    git(checkout, "tag", TAG)
    git(checkout, "push", "--quiet", "origin", TAG)
    (folder / "gitconfig").write_text(f'[url "{bare}"]\n    insteadOf = https://github.com/{REPOSITORY}\n')
    (folder / "artifacts").mkdir()
    (folder / "bin").mkdir()
    shutil.copy2(Path(__file__).parent / "gh.py", folder / "bin" / "gh")
    (folder / "bin" / "gh").chmod(0o755)
    with listening(GitHub(bare, pins())) as hub:
        yield Machine(folder, checkout, hub, make_actions(folder), RAN)


@pytest.fixture(scope="session")
def tagged(machine: Machine) -> Run:
    """A tag is pushed, on hosted runners."""
    payload = {"ref": f"refs/tags/{TAG}", "ref_name": TAG}
    return passed(machine.run("campaign.yml", "push", payload, about="a tag is pushed"))


@pytest.fixture(scope="session")
def checked(machine: Machine) -> Run:
    return passed(machine.run("ci.yml", "push", {"ref": "refs/heads/main"}, about="a push to main"))


@pytest.fixture(scope="session")
def maintained(machine: Machine, tagged: Run) -> Run:
    return passed(machine.run("maintenance.yml", "schedule", about="a Monday"))


@pytest.fixture(scope="session")
def raised(machine: Machine) -> Run:
    machine.hub.releases_of["vertx-stack-depchain"] = ["5.0.10", "5.0.99", "6.0.0"]
    environ = {"PLUMBLINE_MAVEN_CENTRAL": f"{machine.hub.url}/maven2"}
    return passed(machine.run("dependencies.yml", "schedule", about="a Tuesday", environ=environ))


@pytest.fixture(scope="session")
def published(machine: Machine, tagged: Run) -> Run:
    return passed(machine.run("_publish.yml", "workflow_dispatch", about="pages made again"))


@pytest.fixture(scope="session")
def night(machine: Machine, tagged: Run, maintained: Run) -> Run:
    """Weeks at one level, then nights that take a third more memory; tonight's session raises the alert."""
    base, head = (git(machine.sources, "rev-parse", ref).strip() for ref in ("main~1", "main"))
    seed(machine, session_of(machine, tagged), range(-40, -25), base, 0.75)
    seed(machine, session_of(machine, tagged), range(-25, -16), head, 1.0)
    return passed(machine.run("campaign.yml", "schedule", about="a night, which raises an alert"))


@pytest.fixture(scope="session")
def confirmed(machine: Machine, night: Run) -> Run:
    (requested,) = [inputs for name, _, inputs in machine.hub.dispatched if name == "confirm.yml"]
    payload = {"inputs": requested, "ref": "refs/heads/main"}
    return passed(machine.run("confirm.yml", "workflow_dispatch", payload, about="the alert is confirmed"))


@pytest.fixture(scope="session")
def mended(machine: Machine, confirmed: Run, tagged: Run) -> Run:
    """The level is back, and one of two applications of the campaign does not build."""
    source = next(iter(sorted((machine.sources / BROKEN).rglob("*.java"))))
    edited(machine.sources, str(source.relative_to(machine.sources)), ";", "; no java at all")
    head = commit(machine.sources, "A change that does not compile")
    seed(machine, session_of(machine, tagged), range(1, 10), head, 0.75)
    inputs = {
        "suite": "campaign",
        "subjects": f"{SUBJECT},spring4-mvc-jpa/jvm/pg",
        "host": "hosted",
        "note": "",
    }
    payload = {"inputs": inputs, "ref": "refs/heads/main"}
    run = machine.run("campaign.yml", "workflow_dispatch", payload, about="one artifact does not build")
    git(machine.sources, "revert", "--no-edit", "HEAD")
    git(machine.sources, "push", "--quiet", "origin", "main")
    return run


@pytest.fixture(scope="session")
def fork(machine: Machine) -> Path:
    """A clone with a branch that changes one application."""
    folder = make_clone(machine.hub.bare, machine.folder / "fork", machine.hub.bare)
    git(folder, "checkout", "--quiet", "-b", "change")
    edited(folder, SPIN, "[0-9]{1,5}", "[0-9]{1,6}")
    git(folder, "commit", "--quiet", "--all", "--message", "A change")
    git(folder, "push", "--quiet", "origin", f"HEAD:refs/pull/{NUMBER}/head")
    machine.hub.open_pull(NUMBER, head_of(folder), FORK)
    return folder


def head_of(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


def images(machine: Machine) -> dict[str, str]:
    """Return the images in the stand-in for a registry: their names, and the digests of the bytes in them."""
    lines = (machine.artifacts / "pushed").read_text().splitlines()
    return dict(line.split() for line in lines)


def of_artifacts(machine: Machine) -> dict[str, str]:
    """Return the images without observers, which every run for a tag pushes."""
    return {name: digest for name, digest in images(machine).items() if "/observer:" not in name}


def pushed(machine: Machine, fork: Path, about: str) -> Run:
    pull = machine.hub.pulls[NUMBER]
    payload = {
        "action": "opened",
        "number": NUMBER,
        "pull_request": {**pull, "head": {**pull["head"], "sha": head_of(fork)}},
    }
    # GitHub gives no variable to the run of a fork; without them this run would measure and check for an hour.
    return machine.run("pr.yml", "pull_request", payload, about=about, sources=fork)


@pytest.fixture(scope="session")
def hosted(machine: Machine, fork: Path) -> Run:
    run = passed(pushed(machine, fork, "a fork's pull request"))
    machine.hub.ran(run.number, "pr.yml", "pull_request", head_of(fork), FORK, "success")
    return run


def dispatched(machine: Machine, head: str, about: str) -> Run:
    inputs = {"number": str(NUMBER), "head": head, "suite": ""}
    payload = {"inputs": inputs, "ref": "refs/heads/main"}
    return machine.run("bench-pr.yml", "workflow_dispatch", payload, about=about)


@pytest.fixture(scope="session")
def measured(machine: Machine, fork: Path, hosted: Run) -> Run:
    return passed(dispatched(machine, head_of(fork), "the pull request is benched"))


def session_of(machine: Machine, run: Run) -> Path:
    (path,) = (machine.artifacts / str(run.number) / "session-hosted").glob("*/record.json")
    return path.parent


def builds_of(machine: Machine, run: Run) -> set[str]:
    """The digests of all builds of the one subject in a run: two where two commits are compared."""
    artifacts = machine.artifacts / str(run.number)
    return {read_build(path).sha256 for path in artifacts.glob(f"pack-*/{file_slug(SUBJECT)}.tar")}


@contextmanager
def another_data_branch(machine: Machine, change: Callable[[Path], object] | None) -> Iterator[None]:
    """Change the files of the data branch by a commit, or delete the branch; restore it at the end of the context."""
    commit_before = git(machine.hub.bare, "for-each-ref", "--format=%(objectname)", "refs/heads/data").strip()
    if change is None:
        git(machine.hub.bare, "update-ref", "-d", "refs/heads/data")
    else:
        data = data_of(machine.folder, machine.hub.bare)
        change(data)
        git(data, "commit", "--quiet", "--all", "--allow-empty", "--message", "Tampered")
        git(data, "push", "--quiet", "origin", "data")
    try:
        yield
    finally:
        git(
            machine.hub.bare,
            "update-ref",
            *(("refs/heads/data", commit_before) if commit_before else ("-d", "refs/heads/data")),
        )


def only(session: str, data: Path) -> None:
    """Remove every session but one."""
    for folder in data.glob("runs/*/*/2*"):
        if folder.name != session:
            shutil.rmtree(folder)
