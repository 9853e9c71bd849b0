"""`./bench ci pack` and `unpack`: what was built on one runner is used on another."""

from __future__ import annotations

import json
from pathlib import Path

from plumbline.build.packs import pack
from plumbline.build.store import Store
from .job import Checkout


def test_a_pack_goes_from_one_store_to_another(checkout: Checkout, tmp_path: Path) -> None:
    output = tmp_path / "app"
    (output / "lib").mkdir(parents=True)
    (output / "app.jar").write_bytes(b"jar")
    (output / "lib" / "run").write_bytes(b"program")
    (output / "lib" / "run").chmod(0o755)
    one = Store(tmp_path / "one")
    made = one.keep(output, "alpha/jvm/pg", "a" * 64, ("mvn",), 1.0, 1)
    packs = tmp_path / "packs"
    first = pack(made, packs).read_bytes()
    assert pack(made, tmp_path / "again").read_bytes() == first
    wanted = json.dumps({"include": [{"slug": "alpha-jvm-pg"}]})
    digests = checkout.bench("ci", "digests", str(packs), "--matrix", wanted)
    assert json.loads(digests.outputs["digests"]) == {"alpha-jvm-pg": made.build.sha256}
    missing = json.dumps({"include": [{"slug": "alpha-jvm-pg"}, {"slug": "beta-jvm-pg"}]})
    assert checkout.bench("ci", "digests", str(packs), "--matrix", missing).status == 1
    (packs / "beta-jvm-pg.unavailable.txt").write_text("no native-image\n")
    said = checkout.bench("ci", "digests", str(packs), "--matrix", missing)
    assert said.status == 0 and said.outputs["unavailable"] == "beta-jvm-pg"
    into = tmp_path / "artifacts.json"
    ended = checkout.bench(
        "ci", "unpack", str(packs), "--digests", digests.outputs["digests"], "--into", str(into)
    )
    assert ended.status == 0, ended.err
    there = Store(tmp_path / "cache" / "plumbline" / "artifacts").find("alpha/jvm/pg", "a" * 64)
    assert there is not None and there.build.sha256 == made.build.sha256
    assert (there.folder / "lib" / "run").stat().st_mode & 0o111
    assert json.loads(into.read_text()) == {
        "alpha/jvm/pg": {"inputs_sha256": "a" * 64, "sha256": made.build.sha256}
    }
    wrong = json.dumps({"alpha-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", wrong, "--into", str(into)).status == 1
    absent = json.dumps({"gamma-jvm-pg": "b" * 64})
    assert checkout.bench("ci", "unpack", str(packs), "--digests", absent, "--into", str(into)).status == 1
