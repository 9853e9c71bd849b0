"""`./bench ci versions`, `propose` and `pins`: newer versions of frameworks and databases, and the pins of actions.

The index of a Maven repository says which versions there are.

A framework is raised within its major version: a new major is another variant, since it changes how applications are
written. The catalog is text that people read, so only one value in it is replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from xml.etree import ElementTree

import click
import urllib3

from plumbline.archive.data.branch import AUTHOR, credentials
from plumbline.cli.ci.options import remote_option
from plumbline.cli.console import ROOT
from plumbline.cli.selecting import refuse_other_options
from plumbline.machine.tools.download import central_of
from plumbline.machine.tools.git import Git
from plumbline.model.errors import CannotGoOn, UsageError
from plumbline.reporting.github.api import Api, ApiError, pool
from plumbline.reporting.github.workflow import annotate, outputs, plain
from plumbline.subjects.catalog.reading import nearest

CATALOG = "apps/pom.xml"
PINS = "harness/plumbline/machine/tools/pins.toml"
# A version in the catalog, with the artifact whose releases raise this version.
_FRAMEWORK = re.compile(
    r"<(?P<name>[a-z0-9-]+)\.version>\s*(?P<version>[^<\s]+)\s*</(?P=name)\.version>"
    r"\s*<!-- (?P<coordinates>[\w.-]+:[\w.-]+) -->"
)
_RELEASE = re.compile(r"[0-9]+(\.[0-9]+){1,3}(\.Final|\.GA)?")
_PINNED_PATH = re.compile(r"(?P<group>[\w./-]+)/(?P<artifact>[\w.-]+)/(?P<version>[0-9][\w.-]*)/(?P<file>[\w.-]+)")
_INDEX_BYTES = 8 * 2**20

Fetch = Callable[[str, int], bytes]
"""An address and the most bytes that it may hold -> its content."""


@dataclass(frozen=True)
class NewerVersion:
    """A framework or database that has a newer version."""

    name: str
    now: str
    newer: str

    @property
    def branch(self) -> str:
        """The branch of the pull request: one for each name, so that a newer version replaces an older one."""
        return f"versions/{self.name}"

    @property
    def title(self) -> str:
        """The title of the commit and of the pull request."""
        return f"{self.name} {self.now} -> {self.newer}"


def fetch(address: str, most: int) -> bytes:
    """Return the content of an address, of at most `most` bytes. Raises CannotGoOn."""
    try:
        answer = pool(address, 3).request("GET", address, preload_content=False)
        content: bytes = answer.read(most + 1)
        answer.close()
    except urllib3.exceptions.HTTPError as error:
        raise CannotGoOn(f"{address} could not be read: {type(error).__name__}.", "Run it again.") from None
    if answer.status != 200 or len(content) > most:
        raise CannotGoOn(
            f"{address} was answered with {answer.status}, or holds too much.",
            "Is PLUMBLINE_MAVEN_CENTRAL right?",
        )
    return content


def newer_versions(root: Path, central: str, only: str | None = None, fetch: Fetch = fetch) -> tuple[NewerVersion, ...]:
    """Return the newer versions of frameworks and databases in Maven Central or its mirror. Raises UsageError."""
    catalog = _catalog_entries(_catalog_texts(root))
    if only is not None and only not in catalog:
        raise UsageError(f"The catalog has no '{only}'.", nearest(only, catalog))
    newer_versions = []
    for name, (version, coordinates) in sorted(catalog.items()):
        if only in (None, name):
            newer = _newest(version, _versions(central, coordinates, fetch))
            if newer is not None:
                newer_versions.append(NewerVersion(name, version, newer))
    return tuple(newer_versions)


def apply(root: Path, update: NewerVersion, central: str, fetch: Fetch = fetch) -> tuple[str, ...]:
    """Write the newer version into the catalog, and return the files that changed, below `root`."""
    if update.name in frameworks(_catalog_texts(root)):
        _replace(root / CATALOG, f"<{update.name}.version>{update.now}<", f"<{update.name}.version>{update.newer}<")
        return (CATALOG,)
    text = (root / PINS).read_text(encoding="utf-8")
    lines = text.split("\n")
    pins = tomllib.loads(text)[update.name]
    for kind in ("amd64", "arm64"):
        path, digest = pins[kind]["path"], pins[kind]["sha256"]
        newer_path = path.replace(f"/{update.now}", f"/{update.newer}").replace(f"-{update.now}", f"-{update.newer}")
        content = fetch(f"{central}/{newer_path}", 512 * 2**20)
        lines = [line.replace(path, newer_path).replace(digest, hashlib.sha256(content).hexdigest()) for line in lines]
    plain_now, plain_newer = pins["version"], _shortened_like(pins["version"], update.newer)
    heading_row = lines.index(f"[{update.name}]")
    row = next(row for row in range(heading_row, len(lines)) if lines[row].startswith("version = "))
    lines[row] = lines[row].replace(plain_now, plain_newer)
    (root / PINS).write_text("\n".join(lines), encoding="utf-8")
    return (PINS,)


def version_of(name: str, files: Mapping[str, str]) -> str:
    """Return the version that the catalog has, by the texts of its files. Raises UsageError."""
    catalog = _catalog_entries(files)
    if name not in catalog:
        raise UsageError(f"The catalog has no '{name}'.", nearest(name, catalog))
    return catalog[name][0]


def _catalog_texts(root: Path) -> dict[str, str]:
    return {path: (root / path).read_text(encoding="utf-8") for path in (CATALOG, PINS)}


def _catalog_entries(files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {**frameworks(files), **_databases(files)}


def frameworks(files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the version and the coordinates of every framework in the catalog's texts that has both, by name."""
    return {match["name"]: (match["version"], match["coordinates"]) for match in _FRAMEWORK.finditer(files[CATALOG])}


def _databases(files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Name -> version and coordinates of pinned databases that a Maven repository has for both machines."""
    pins = tomllib.loads(files[PINS])
    databases = {}
    for name, pin in pins.items():
        path = pin.get("amd64", {}).get("path") if isinstance(pin.get("arm64"), dict) else None
        match = _PINNED_PATH.fullmatch(path) if path else None
        if match:
            databases[name] = (match["version"], f"{match['group'].replace('/', '.')}:{match['artifact']}")
    return databases


def _versions(central: str, coordinates: str, fetch: Fetch) -> Iterator[str]:
    group, _, artifact = coordinates.partition(":")
    address = f"{central}/{group.replace('.', '/')}/{artifact}/maven-metadata.xml"
    content = fetch(address, _INDEX_BYTES)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise CannotGoOn(f"{address} is no index of versions.")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        raise CannotGoOn(f"{address} is no index of versions.") from None
    for item in root.iterfind("versioning/versions/version"):
        yield (item.text or "").strip()


def _newest(current: str, versions: Iterator[str]) -> str | None:
    """Return the newest release of the same major version, None if that is `current` itself."""
    released = [version for version in versions if _RELEASE.fullmatch(version) and _key(version)[0] == _key(current)[0]]
    newest = max(released, key=_key, default=current)
    return newest if _key(newest) > _key(current) else None


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)) or (0,)


def _shortened_like(old: str, newer: str) -> str:
    """Return the newer version with as many parts as the version that it replaces: 18.7.0 for 18.6 is 18.7."""
    return ".".join(newer.split(".")[: old.count(".") + 1])


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise CannotGoOn(f"{path} names '{old}' {text.count(old)} times, not once.", "Raise it by hand.")
    path.write_text(text.replace(old, new), encoding="utf-8")


_USES = re.compile(
    r"uses:\s*(?P<repository>[\w.-]+/[\w.-]+)(?:/[\w./-]+)?@(?P<commit>[0-9a-f]{40})\s+#\s*(?P<tag>v?[0-9][\w.-]*)"
)


@dataclass(frozen=True)
class ActionPin:
    """A pinned action. `moved`: its tag names another commit by now; `unknown`: the forge did not say."""

    repository: str
    commit: str
    tag: str
    newest: str | None
    answer: Literal["newest", "stale", "moved", "unknown"]


def pinned(root: Path) -> list[tuple[str, str, str]]:
    """Return (repository, commit, tag) of every pin below `.github`, each once."""
    pins = set()
    for path in sorted((root / ".github").rglob("*.yml")):
        for match in _USES.finditer(path.read_text(encoding="utf-8")):
            pins.add((match["repository"], match["commit"], match["tag"]))
    return sorted(pins)


def checked_pins(root: Path, api: Api) -> Iterator[ActionPin]:
    """Yield every pin with the newest release of its repository."""
    for repository, commit, tag in pinned(root):
        try:
            newest = str(api.get(f"/repos/{repository}/releases/latest")["tag_name"])
            tag_commit = str(api.get(f"/repos/{repository}/commits/{tag}")["sha"])
        except (ApiError, KeyError, TypeError):
            yield ActionPin(repository, commit, tag, None, "unknown")
            continue
        # A pin protects from a tag that moves, and from nothing else: this answer comes before all others.
        answer: Literal["newest", "stale", "moved"] = "newest" if newest == tag else "stale"
        yield ActionPin(repository, commit, tag, newest, "moved" if tag_commit != commit else answer)


def propose(
    root: Path, api: Api, remote: str, branch: str, title: str, files: tuple[str, ...], base: str
) -> tuple[str, bool]:
    """Commit the working tree's `files` on top of HEAD and push the commit as `branch`. Return the address of the pull
    request, and whether anything was pushed.

    The checkout's own branch and index stay as they are. A `branch` to which somebody else has committed stays too:
    then the address is empty.
    """
    git = Git(root, environ=AUTHOR, config=credentials(remote, api.token))
    if not git.text("diff", "--name-only", "HEAD", "--", *files):
        raise UsageError(f"Nothing is raised in {', '.join(files)}.", "First: ./bench ci versions --raise NAME")
    with TemporaryDirectory(prefix="plumbline-index-") as folder:
        own_index = Git(root, environ={**AUTHOR, "GIT_INDEX_FILE": str(Path(folder) / "index")}, config=git.config)
        own_index.output("read-tree", "HEAD")
        own_index.output("add", "--", *files)
        tree = own_index.text("write-tree")
    own_tip = _own_tip(api, base, branch)
    if own_tip is None:
        annotate("notice", f"Somebody else has committed to {branch}, which stays as it is.")
        return "", False
    tip, tip_tree = own_tip
    is_new = tip_tree != tree
    if is_new:
        commit = git.text("commit-tree", tree, "-p", "HEAD", "-m", title)
        # Only while nobody else has pushed since the look at it.
        lease = f"--force-with-lease=refs/heads/{branch}:{tip}"
        git.output("push", "--quiet", lease, remote, f"{commit}:refs/heads/{branch}")
    body = (
        f"{plain(title)}.\n\nThe comparison of this pull request measures what it changes. GitHub holds back the runs "
        "of a pull request that a workflow opens or updates: approve them, or close and reopen the pull request. A "
        "newer version takes the place of this one, unless somebody else has committed to the branch: then it stays as "
        "it is.\n"
    )
    owner = api.repository.partition("/")[0]
    for pull in api.pages(api.path("pulls"), state="open", head=f"{owner}:{branch}"):
        if pull["head"]["ref"] == branch and pull["head"]["repo"]["full_name"] == api.repository:
            changed = api.send("PATCH", api.path("pulls", pull["number"]), {"title": title, "body": body})
            return str(changed["html_url"]), is_new
    created = api.send("POST", api.path("pulls"), {"title": title, "body": body, "head": branch, "base": base})
    return str(created["html_url"]), is_new


def _own_tip(api: Api, base: str, branch: str) -> tuple[str, str | None] | None:
    """Return the tip of a branch and the tree of its one commit, if it has one; None if it has a commit of others.

    The tip of a branch that does not exist is empty.
    """
    comparison = api.find(api.path("compare", f"{base}...{branch}"))
    if comparison is None:
        return "", None
    if not comparison["commits"]:
        return str(comparison["merge_base_commit"]["sha"]), None
    first, *others = comparison["commits"]
    if others or first["commit"]["committer"]["email"] != AUTHOR["GIT_COMMITTER_EMAIL"]:
        return None
    return str(first["sha"]), str(first["commit"]["tree"]["sha"])


@click.command(epilog="Example: ./bench ci versions --raise quarkus")
@click.option("--only", default=None, metavar="NAME", help="One framework or database.")
@click.option("--raise", "name", default=None, metavar="NAME", help="Write its newer version into the catalog.")
def versions_command(only: str | None, name: str | None) -> int:
    """List frameworks and databases that have a newer version of the same major, from the index of Maven Central.

    PLUMBLINE_MAVEN_CENTRAL names a mirror. With --raise, exit status 1 when there is nothing newer.
    """
    if name is not None:
        refuse_other_options({"name"}, "--raise names what it raises")
    central = central_of(os.environ)
    updates = newer_versions(ROOT, central, name or only)
    if name is not None:
        if not updates:
            click.echo(f"There is nothing newer than the {name} that the catalog has.", err=True)
            return 1
        (update,) = updates
        apply(ROOT, update, central)
        outputs(
            {
                "name": update.name,
                "from": update.now,
                "to": update.newer,
                "branch": update.branch,
                "title": update.title,
            }
        )
        return 0
    rows = [
        {"name": update.name, "from": update.now, "to": update.newer, "branch": update.branch} for update in updates
    ]
    outputs(
        {
            "raises": json.dumps({"include": rows}, separators=(",", ":")),
            "any": "true" if rows else "false",
        }
    )
    return 0


@click.command(epilog="Example: GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… ./bench ci pins")
def pins_command() -> int:
    """Compare the pinned actions of all workflows with their tags and with their newest releases.

    An action that is older than its newest release is a warning: Dependabot raises it once the release is some days
    old. Exit status 1: the tag of an action names another commit by now.
    """
    rows = list(checked_pins(ROOT, Api.of(os.environ)))
    for pin in rows:
        newest = f", newest is {pin.newest}" if pin.newest and pin.newest != pin.tag else ""
        click.echo(f"{pin.answer:8} {pin.repository}@{pin.commit[:12]} # {pin.tag}{newest}")
        if pin.answer == "stale":
            annotate("warning", f"{pin.repository} {pin.tag} is older than {pin.newest}.")
    return 1 if any(pin.answer == "moved" for pin in rows) else 0


@click.command(epilog="Example: ./bench ci propose --name quarkus --remote https://github.com/owner/name")
@click.option("--name", required=True, help="What `./bench ci versions --raise` raised in this checkout.")
@remote_option
@click.option("--base", default="main", show_default=True, help="The branch that it goes to.")
def propose_command(name: str, remote: str, base: str) -> None:
    """Commit a raised version on its branch, push the branch, and open or update its pull request.

    The output `pushed` is false where the branch has the same files already, or commits of somebody else, which stay.
    """
    if not re.fullmatch(r"[a-z0-9-]{1,40}", name):
        raise UsageError(f"'{name[:60]}' is no name of the catalog.", "See `./bench ci versions`.")
    before = {path: Git(ROOT).output("show", f"HEAD:{path}").decode() for path in (CATALOG, PINS)}
    after = {path: (ROOT / path).read_text(encoding="utf-8") for path in (CATALOG, PINS)}
    title = f"{name} {version_of(name, before)} -> {version_of(name, after)}"
    address, is_new = propose(ROOT, Api.of(os.environ), remote, f"versions/{name}", title, (CATALOG, PINS), base)
    pushed = "true" if is_new else "false"
    outputs({"pull_request": address, "branch": f"versions/{name}", "title": title, "pushed": pushed})
