"""`./bench ci pack` and `unpack`: an artifact that was built on one runner is used on another."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.measuring.build.packs import MOST_BYTES_TOGETHER, pack
from plumbline.measuring.build.store import Store
from .job import Checkout

pytestmark = pytest.mark.slow


def test_a_pack_goes_from_one_store_to_another(checkout: Checkout, tmp_path: Path) -> None:
    output = tmp_path / "app"
    (output / "lib").mkdir(parents=True)
    (output / "app.jar").write_bytes(b"jar")
    (output / "lib" / "run").write_bytes(b"program")
    (output / "lib" / "run").chmod(0o755)
    store = Store(tmp_path / "one")
    artifact = store.keep(output, "alpha/jvm/pg", "a" * 64, ("mvn",), 1.0, 1)
    packs = tmp_path / "packs"
    packed_bytes = pack(artifact, packs).read_bytes()
    assert pack(artifact, tmp_path / "again").read_bytes() == packed_bytes
    wanted = json.dumps({"include": [{"slug": "alpha-jvm-pg"}]})
    digests = checkout.bench("ci", "digests", str(packs), "--matrix", wanted)
    assert json.loads(digests.outputs["digests"]) == {"alpha-jvm-pg": artifact.build.sha256}
    assert digests.outputs["sha256"] == artifact.build.sha256
    missing = json.dumps({"include": [{"slug": "alpha-jvm-pg"}, {"slug": "beta-jvm-pg"}]})
    fetched, other = tmp_path / "fetched", tmp_path / "fetched" / "pack-head-beta-jvm-pg"
    shutil.copytree(packs, fetched / "pack-head-alpha-jvm-pg")
    other.mkdir()
    (other / "beta-jvm-pg.failed.txt").write_text("no such symbol\n")
    assert checkout.bench("ci", "digests", str(fetched), "--matrix", missing).status == 1
    partial_digests = checkout.bench("ci", "digests", str(fetched), "--matrix", missing, "--missing", "leave-out")
    assert partial_digests.status == 0 and partial_digests.outputs["failed"] == "beta-jvm-pg"
    assert "::warning::beta-jvm-pg was not built, and is left out." in partial_digests.out
    (other / "beta-jvm-pg.unavailable.txt").write_text("no native-image\n")
    digests_with_unavailable = checkout.bench("ci", "digests", str(fetched), "--matrix", missing)
    assert digests_with_unavailable.status == 0 and digests_with_unavailable.outputs["unavailable"] == "beta-jvm-pg"
    into = tmp_path / "artifacts.json"
    ended = checkout.bench("ci", "unpack", str(packs), "--digests", digests.outputs["digests"], "--into", str(into))
    assert ended.status == 0, ended.err
    unpacked = Store(tmp_path / "cache" / "plumbline" / "artifacts").find_unpacked(
        "alpha/jvm/pg", artifact.build.sha256
    )
    assert unpacked is not None and unpacked.build.sha256 == artifact.build.sha256
    assert (unpacked.folder / "lib" / "run").stat().st_mode & 0o111
    assert json.loads(into.read_text()) == {"alpha/jvm/pg": artifact.build.sha256}
    wrong = json.dumps({"alpha-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", wrong, "--into", str(into)).status == 1
    absent = json.dumps({"gamma-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", absent, "--into", str(into)).status == 1


def _packed(folder: Path, out: Path, content: bytes, **stated: str) -> str:
    folder.mkdir()
    (folder / "app.jar").write_bytes(content)
    artifact = Store(folder / "store").keep(folder / "app.jar", "alpha/jvm/pg", "a" * 64, ("mvn",), 1.0, 1)
    pack(replace(artifact, build=artifact.build.model_copy(update=stated)), out)
    return artifact.build.sha256


def test_a_digest_is_of_what_a_pack_holds_and_not_of_what_it_states(checkout: Checkout, tmp_path: Path) -> None:
    honest = _packed(tmp_path / "honest", tmp_path / "a", b"honest")
    evil = _packed(tmp_path / "evil", tmp_path / "b", b"evil", sha256=honest)
    ended = checkout.bench("ci", "digests", str(tmp_path / "b"))
    assert ended.status == 1 and f"has the digest {evil[:12]}" in ended.err and not ended.outputs


@pytest.mark.parametrize(
    "place",
    ["pack-head-beta-jvm-pg", "pack-head-beta-jvm-pg/pack-head-alpha-jvm-pg", "."],
    ids=["beta", "below", "lost"],
)
def test_a_build_hands_on_no_pack_of_another(checkout: Checkout, tmp_path: Path, place: str) -> None:
    _packed(tmp_path / "one", tmp_path / "packs" / place, b"one")
    matrix = json.dumps({"include": [{"slug": "alpha-jvm-pg"}, {"slug": "beta-jvm-pg"}]})
    words = ("ci", "digests", str(tmp_path / "packs"), "--matrix", matrix, "--missing", "leave-out")
    ended = checkout.bench(*words)
    assert ended.status == 1 and "is no file of the build that kept it" in ended.err
    assert not ended.outputs


def test_only_what_was_expected_is_handed_on(checkout: Checkout, tmp_path: Path) -> None:
    digest = _packed(tmp_path / "one", tmp_path / "a", b"one")
    expected = json.dumps({"alpha-jvm-pg": digest, "beta-jvm-pg": "b" * 64})
    ended = checkout.bench("ci", "digests", str(tmp_path / "a"), "--expect", expected)
    assert json.loads(ended.outputs["digests"]) == {"alpha-jvm-pg": digest}
    _packed(tmp_path / "two", tmp_path / "b", b"two")
    for words in (expected, "{}"):
        ended = checkout.bench("ci", "digests", str(tmp_path / "b"), "--expect", words)
        assert ended.status == 1 and "none of those that were built in this run" in ended.err
        assert not ended.outputs


@pytest.mark.parametrize("name", ["notes.txt", "below/alpha-jvm-pg.tar", "pack-head-alpha-jvm-pg/alpha-jvm-pg.tar"])
def test_nothing_but_what_builds_keep_goes_on_to_a_host(checkout: Checkout, tmp_path: Path, name: str) -> None:
    """The artifacts of a pull request come without a matrix, in one folder, which goes on as it is."""
    packs = tmp_path / "packs"
    _packed(tmp_path / "one", packs, b"one")
    (packs / "beta-native-pg.unavailable.txt").write_text("no native-image\n")
    ended = checkout.bench("ci", "digests", str(packs))
    assert ended.status == 0 and ended.outputs["unavailable"] == "beta-native-pg"
    (packs / name).parent.mkdir(exist_ok=True)
    shutil.copy(packs / "alpha-jvm-pg.tar", packs / name)
    ended = checkout.bench("ci", "digests", str(packs))
    assert ended.status == 1 and "is no file of the build that kept it" in ended.err and not ended.outputs


def test_packs_that_would_fill_the_disk_of_a_host_are_refused(checkout: Checkout, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    _packed(tmp_path / "one", packs, b"one")
    # A sparse file; the end of its archive is where a reader stops.
    os.truncate(packs / "alpha-jvm-pg.tar", MOST_BYTES_TOGETHER)
    assert checkout.bench("ci", "digests", str(packs)).status == 0
    os.truncate(packs / "alpha-jvm-pg.tar", MOST_BYTES_TOGETHER + 1)
    ended = checkout.bench("ci", "digests", str(packs))
    assert ended.status == 1 and f"have {MOST_BYTES_TOGETHER + 1} bytes" in ended.err and not ended.outputs
