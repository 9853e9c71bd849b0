"""A clone with two commits, and a context in it: as little as planning a comparison takes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from plumbline.machine.host.paths import Paths
from plumbline.measuring.run.context import Context
from plumbline.subjects.catalog.catalog import read_catalog
from tests.judge.planned import host

ROOT = Path(__file__).resolve().parents[3]


def git(folder: Path, *words: str) -> str:
    options = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    ran = subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


_BENCH = """
default_suite = "one"
control = "control/jvm/pg"
[defaults]
DEFAULTS
[scenarios.fruits]
about = "fruits"
version = 1
workload = "fruits"
script = "fruits.ts"
operation = "GET /fruits"
connections = 10
[suites.one]
about = "for tests"
subjects = ["quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg"]
scenarios = ["fruits"]
blocks = 1
budget = "5m"
phases = [{ kind = "warm-up", time = "1s" }, { kind = "open", time = "1s", rates = [100] }]
"""


def _defaults() -> str:
    text = (ROOT / "bench.toml").read_text()
    return text[text.index("[defaults]") + len("[defaults]") : text.index("[scenarios.")]


def context(root: Path) -> Context:
    environ = {"HOME": str(root.parent / "home"), "PATH": os.environ["PATH"]}
    opened = Context(root, read_catalog(root), Paths.of(environ, root, os.geteuid()), environ, lambda text: None)
    opened.__dict__["host"] = host("small")
    return opened


def make_clone(root: Path) -> Path:
    """Make a clone with two commits: the first lacks a variant, and a packaging of another variant."""
    left_out = shutil.ignore_patterns("target", "node_modules", ".quarkus")
    for variant in ("control", "vertx-pg", "quarkus-rest-orm"):
        shutil.copytree(ROOT / "apps" / variant, root / "apps" / variant, ignore=left_out)
    modules = (folder.name for folder in (ROOT / "apps").glob("domain*"))
    for name in ("pom.xml", "contract", *modules):
        source = ROOT / "apps" / name
        if source.is_dir():
            shutil.copytree(source, root / "apps" / name, ignore=left_out)
        else:
            shutil.copy(source, root / "apps" / name)
    (root / "k6").symlink_to(ROOT / "k6")
    (root / "bench.toml").write_text(_BENCH.replace("DEFAULTS", _defaults()))
    git(root, "init", "-q")
    git(
        root,
        "add",
        "bench.toml",
        "k6",
        "apps/control",
        "apps/vertx-pg",
        "apps/pom.xml",
        "apps/domain",
        "apps/domain-vertx",
        "apps/domain-vertx-web",
    )
    toml = root / "apps" / "vertx-pg" / "variant.toml"
    text = toml.read_text()
    toml.write_text(text.replace('[packaging.aot]\nlike = "jvm"\n', ""))
    git(root, "add", "apps/vertx-pg")
    git(root, "commit", "-qm", "first")
    git(root, "branch", "old")
    toml.write_text(text)
    git(root, "add", "apps")
    git(root, "commit", "-qm", "second")
    return root
