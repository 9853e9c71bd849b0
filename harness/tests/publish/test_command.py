"""`./bench publish` and `./bench simulate`, with the templates of the site itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from plumbline.model.errors import UsageError
from plumbline.reporting.publish.assets import build_folder, read_assets
from .data import ROOT, copy, folders
from .plain_assets import plain_assets

pytestmark = pytest.mark.slow


def bench(*words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ) if path is None else {**os.environ, "PATH": path}
    return subprocess.run(
        [sys.executable, str(ROOT / "harness"), *words], capture_output=True, text=True, env=env, check=False
    )


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build whose scripts are empty: pages must be whole without script."""
    folder = tmp_path_factory.mktemp("build")
    plain_assets(folder)
    return folder / "dist"


class Tables(HTMLParser):
    """Counts rows of tables and inline scripts, and collects addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows = self.inline = 0
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.rows += tag == "tr"
        self.inline += tag == "script" and "src" not in attributes and attributes.get("type") != "application/json"
        self.inline += any(name.startswith("on") or name == "style" for name in attributes)
        self.addresses += [attributes[name] or "" for name in ("href", "src") if name in attributes]


def test_the_pages_of_the_site_are_whole_without_script(branch: Path, build: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    publication = bench("publish", str(branch), str(out), "--site-build", str(build), "--json")
    assert publication.returncode == 0, publication.stderr
    assert json.loads(publication.stdout)["sessions"] == 12
    for path in (out / "index.html", next(out.glob("run/*/index.html"))):
        assert Tables(path.read_text(encoding="utf-8")).rows > 5, path
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        page = Tables(text)
        assert page.inline == 0, path
        assert "Content-Security-Policy" in text and "unsafe" not in text.split("</head>")[0], path
        depth = len(path.relative_to(out).parts) - 1
        for address in page.addresses:
            if not address.startswith(("http://", "https://", "#", "mailto:")):
                assert not address.startswith("/"), (path, address)
                assert address.count("../") <= depth, (path, address)


def test_a_damaged_ledger_of_alerts_is_listed_and_is_no_record(branch: Path, build: Path, tmp_path: Path) -> None:
    alert = {"id": "0", "series": "x", "session": "x", "t": 0.0, "state": "open", "reason": "", "worse": True}
    copy(folders(branch)[0], tmp_path / "data" / "only")
    ledger = {"alerts": [{**alert, "ratio": 0.0, "low": 0.0, "high": 0.0}]}
    (tmp_path / "data" / "alerts.json").write_text(json.dumps(ledger), encoding="utf-8")
    words = ("publish", str(tmp_path / "data"), str(tmp_path / "out"), "--site-build", str(build))
    publication = bench(*words)
    assert publication.returncode == 0 and ", 0 records left out" in publication.stdout, publication.stderr
    page = (tmp_path / "out" / "integrity" / "index.html").read_text(encoding="utf-8")
    assert "<h1>The one record is shown</h1>" in page and "alerts.json" in page
    assert bench(*words, "--strict").returncode == 1


def test_a_repository_is_linked_to_and_an_empty_address_is_none(branch: Path, build: Path, tmp_path: Path) -> None:
    out, home = tmp_path / "out", "https://example.org/o/r"
    words = ("--repository", home, "--address", "", "--site-build", str(build))
    assert bench("publish", str(branch), str(out), *words).returncode == 0
    session = sorted((out / "run").iterdir())[-1].name
    page = Tables((out / "run" / session / "index.html").read_text(encoding="utf-8"))
    run = json.loads((out / "api" / "v1" / "runs" / f"{session}.json").read_text(encoding="utf-8"))
    assert f"{home}/tree/data/{run['folder']}" in page.addresses
    assert f"{home}/commit/{run['commit']}" in page.addresses
    assert not (out / "sitemap.xml").exists()


def test_strict_says_no_with_the_list(branch: Path, build: Path, tmp_path: Path) -> None:
    publication = bench("publish", str(branch), str(tmp_path / "out"), "--site-build", str(build), "--strict")
    assert publication.returncode == 1
    assert publication.stderr.count("left out: runs/broken/") == 7
    assert (tmp_path / "out" / "index.html").is_file()


def test_wrong_use_is_one_sentence(branch: Path, build: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, sentence in (
        (("publish", str(tmp_path / "nowhere"), str(tmp_path / "out")), "is no folder"),
        (("publish", str(empty), str(tmp_path / "out")), "holds no session"),
        (
            ("publish", str(branch), str(tmp_path / "out"), "--address", "javascript:alert(1)"),
            "no web address",
        ),
        (("publish", str(branch), str(branch)), "lies in the other"),
        (("simulate", str(branch)), "not an empty folder"),
    ):
        build_option = ("--site-build", str(build)) if words[0] == "publish" else ()
        publication = bench(*words, *build_option)
        assert (publication.returncode, publication.stderr.count("\n")) == (2, 1), publication.stderr
        assert sentence in publication.stderr and "Traceback" not in publication.stderr
    assert not (tmp_path / "out").exists()


def test_without_node_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plumbline.reporting.publish import assets

    monkeypatch.setattr(assets, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"no Node\.js on PATH") as caught:
        build_folder(ROOT / "site", tmp_path / "cache", {"PATH": str(tmp_path)})
    assert "Install Node.js 20.19 or newer with npm" in caught.value.next_step


def test_a_build_is_made_once_for_the_same_sources(tmp_path: Path) -> None:
    site, tools, cache = tmp_path / "site", tmp_path / "tools", tmp_path / "cache"
    (site / "src").mkdir(parents=True)
    tools.mkdir()
    (site / "package.json").write_text("{}", encoding="utf-8")
    (site / "src" / "a.ts").write_text("export {};", encoding="utf-8")
    (tools / "node").write_text("#!/bin/sh\n", encoding="utf-8")
    # A substitute for npm: notes each call and the files that lie there, and writes a manifest where the build belongs.
    (tools / "npm").write_text(
        f'#!/bin/sh\necho "$1" $(find . -type f | sort) >>{tmp_path}/calls\n[ "$1" = run ] || exit 0\n'
        'while [ "$1" != --outDir ]; do shift; done\nmkdir -p "$2/.vite" && echo "{}" >"$2/.vite/manifest.json"\n',
        encoding="utf-8",
    )
    for tool in tools.iterdir():
        tool.chmod(0o755)
    env = {"PATH": f"{tools}:/usr/bin:/bin"}
    first = build_folder(site, cache, env)
    assert build_folder(site, cache, env) == first
    assert (tmp_path / "calls").read_text().splitlines() == [
        "ci ./package.json ./src/a.ts",
        "run ./package.json ./src/a.ts",
    ]
    (site / "src" / "a.ts").write_text("export const a = 1;", encoding="utf-8")
    assert build_folder(site, cache, env) != first
    # Packages and the build belong to a copy: somebody may be at work with the packages and the build of `site` itself.
    assert sorted(path.name for path in site.iterdir()) == ["package.json", "src"]
    assert len(list((cache / "site").iterdir())) == 2


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no build of the site"):
        read_assets(ROOT / "site" / "templates", tmp_path)


def test_a_page_is_told_of_all_that_its_script_imports(tmp_path: Path) -> None:
    assets = plain_assets(tmp_path)
    chunks = {"_shared.js": ("_deep.js",), "_deep.js": ("_shared.js",)}
    manifest = {name: {"file": f"assets/{name[1:]}", "imports": others} for name, others in chunks.items()}
    manifest["src/pages/run.ts"] = {
        "file": "assets/run.js",
        "imports": ["_shared.js"],
        "dynamicImports": ["_late.js"],
    }
    manifest["_late.js"] = {"file": "assets/late.js", "imports": ()}
    files_of_page = replace(assets, manifest=manifest).of_page("run")
    assert files_of_page == {"css": [], "js": ["assets/run.js"], "imports": ["assets/deep.js", "assets/shared.js"]}
    assert assets.of_page("overview")["css"] == ["assets/style-0.css"]
    assert assets.of_page("none") == {"css": [], "js": [], "imports": []}
