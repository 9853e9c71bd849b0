"""Sessions that came as an artifact from elsewhere: each trick is refused with a reason, or can do no harm."""

from __future__ import annotations

import gzip
import json
import os
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plumbline.archive.data.check import Expected, checked, files_of
from plumbline.archive.record.files import canonical_bytes
from plumbline.measuring.build.packs import unpack
from plumbline.measuring.build.store import Store, tree_sha256
from plumbline.model.errors import AnswerIsNo, UsageError
from plumbline.model.record import Record
from tests.judge.planned import digest_of
from tests.record.sessions import record, rewritten, sealed_again, written

pytestmark = pytest.mark.slow

NOW = datetime(2026, 9, 2, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script> [x](javascript:1) ![](http://evil/) ::set-output name=a::b\n::error::x @everyone `$(id)`"
)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return written(tmp_path, blocks=1)


def expected(**requirements: Any) -> Expected:
    return Expected(now=NOW, **requirements)


def refused(folder: Path, **requirements: Any) -> str:
    with pytest.raises(AnswerIsNo) as caught:
        checked(folder, expected(**requirements))
    return caught.value.problem


def edited(folder: Path, change: Any) -> None:
    """Changes a record as JSON and seals it again, as somebody who tampers would do."""
    document = json.loads((folder / "record.json").read_bytes())
    change(document)
    rewritten(folder, document)


def test_an_honest_session_passes(session: Path) -> None:
    landed = checked(session, expected(clean=True, commit="0" * 40))
    assert landed == record(blocks=1)
    assert set(files_of(session, landed)) == {
        path.relative_to(session).as_posix() for path in session.rglob("*") if path.is_file()
    }


def test_logs_and_reports_beside_it_are_neither_read_nor_kept(session: Path) -> None:
    (session / "logs").mkdir()
    (session / "logs" / "x").symlink_to("/etc/passwd")
    (session / "report.html").write_text(HOSTILE)
    landed = checked(session, expected())
    assert not {"report.html", "logs/x"} & set(files_of(session, landed))


@pytest.mark.parametrize("name", ["record.json", "MANIFEST.sha256", "evidence/0002.json.gz", "evidence"])
def test_links(session: Path, tmp_path: Path, name: str) -> None:
    (session / name).rename(tmp_path / "elsewhere")
    (session / name).symlink_to(tmp_path / "elsewhere")
    assert "no plain file" in refused(session)


def test_pipes_and_folders_and_strangers(session: Path) -> None:
    os.mkfifo(session / "evidence" / "0099.json.gz")
    assert "no plain file" in refused(session)
    (session / "evidence" / "0099.json.gz").unlink()
    (session / "evidence" / "0099.json.gz").mkdir()
    assert "no plain file" in refused(session)
    (session / "evidence" / "0099.json.gz").rmdir()
    (session / "index.html").write_text("<script>")
    assert "'index.html' is no plain file that a session leaves" in refused(session)


@pytest.mark.parametrize(
    "path", ["../../../etc/cron.d/x", "/etc/passwd", "evidence/../../x.json.gz", "evidence/x/0001.json.gz"]
)
def test_paths_that_leave_the_folder(session: Path, path: str) -> None:
    manifest = session / "MANIFEST.sha256"
    manifest.write_text(f"{'0' * 64}  {path}\n" + manifest.read_text())
    assert "not a digest and a path of a record" in refused(session)


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../tmp/x",
        "20260901T101500Z-lab-0a1b2c/../../x",
        "20260901T101500Z-<b>-0a1b2c",
        HOSTILE,
        "",
        "20269999T101500Z-lab-0a1b2c",
    ],
)
def test_ids_that_are_paths_or_markup(session: Path, name: str) -> None:
    edited(session, lambda document: document["plan"].update(session=name))
    assert "no id of a session" in refused(session)


def test_names_that_are_markup(session: Path) -> None:
    for keys in (("plan", "host"), ("plan", "suite"), ("host", "name")):
        unchanged = (session / "record.json").read_bytes()
        edited(session, lambda document, keys=keys: document[keys[0]].update({keys[1]: HOSTILE}))
        assert "is no name of a" in refused(session)
        (session / "record.json").write_bytes(unchanged)
    unchanged = (session / "record.json").read_bytes()
    for text in (HOSTILE, "vertx-pg", f"vertx-{'x' * 150}/jvm/pg"):
        edited(session, lambda document, text=text: document["plan"]["subjects"].append(text))
        assert "which is no id of a subject" in refused(session)
        (session / "record.json").write_bytes(unchanged)


def test_too_large_before_anything_is_parsed(session: Path) -> None:
    with (session / "record.json").open("r+b") as file:
        file.truncate(64 * 2**20)
    assert "are the most that is kept" in refused(session)


def test_ten_million_numbers(session: Path) -> None:
    content = b"[" + b"0," * 9_999_999 + b"0]"
    (session / "record.json").write_bytes(content)
    assert "holds more than 3,000,000 values" in refused(session)


def test_ten_million_numbers_in_a_few_kilobytes(session: Path) -> None:
    name = session / "evidence" / "0002.json.gz"
    name.write_bytes(gzip.compress(b"[" + b"0," * 9_999_999 + b"0]", compresslevel=9))
    sealed_again(session)
    assert "swells to more than 4,194,304 bytes" in refused(session)


def test_empty_columns_that_fill_the_memory(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column without a value is a few bytes in the file, and has a place for each row once it is read."""
    monkeypatch.setattr("plumbline.archive.data.layout.SESSION_VALUES", 10_000_000)
    columns: dict[str, list[int]] = {f"vm.x{number}": [] for number in range(52)}
    times = [0, *[1] * 189_999]
    for name in sorted((session / "evidence").iterdir())[:2]:
        document = json.loads(gzip.decompress(name.read_bytes()))
        document["series"] = {"t_ms": times, "rows": [], "milli": [], "columns": {}, "thinned": columns}
        name.write_bytes(gzip.compress(canonical_bytes(document), mtime=0))
    sealed_again(session)
    assert "spread to more than 10,000,000 values" in refused(session)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none(session: Path, word: str) -> None:
    text = (session / "record.json").read_text()
    assert '"seed":4711' in text
    (session / "record.json").write_text(text.replace('"expected_s":1200', f'"expected_s":{word}'))
    sealed_again(session)
    assert "is no JSON document that we read" in refused(session)
    plain = gzip.decompress((session / "evidence" / "0002.json.gz").read_bytes()).decode()
    (session / "record.json").write_text(text)
    changed = plain.replace('"environment":{', f'"environment":{{"x":{word},', 1)
    (session / "evidence" / "0002.json.gz").write_bytes(gzip.compress(changed.encode(), mtime=0))
    sealed_again(session)
    assert "0002.json.gz is no JSON document that we read" in refused(session)


def test_nesting_long_texts_and_long_names(session: Path) -> None:
    for content, words in (
        ("[" * 100_000, "nested too deep"),
        (
            json.dumps({"a": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}),
            "nested deeper than 24",
        ),
        (json.dumps({"a": "x" * 20_000}), "a text of more than 16,384 characters"),
        (json.dumps({"x" * 1000: 1}), "a name of more than 512 characters"),
        ("9" * 5000, "no JSON document that we read"),
    ):
        (session / "record.json").write_text(content)
        assert words in refused(session)


def test_evidence_beyond_what_a_trial_may_take(session: Path) -> None:
    name = session / "evidence" / "0002.json.gz"
    name.write_bytes(name.read_bytes() + os.urandom(64_000))
    sealed_again(session)
    assert "64,000 that are the most that is kept" in refused(session)


def test_figures_that_were_made_better(session: Path) -> None:
    def better(document: dict[str, Any]) -> None:
        document["trials"][1]["figures"]["closed"]["throughput_per_s"] = 9e9

    edited(session, better)
    assert "is recorded as" in refused(session)


def test_a_record_of_another_run(session: Path) -> None:
    assert "belongs to another run" in refused(session, commit="f" * 40)
    digests = {build.sha256 for build in record(blocks=1).builds}
    checked(session, expected(digests={*digests, "d" * 64}))
    assert "which this job did not hand over" in refused(session, digests={*sorted(digests)[1:], "e" * 64})
    assert "which this job did not hand over" in refused(session, digests=frozenset())


def _with(original: Record, **fields: Any) -> Record:
    return original.model_copy(update=fields)


def test_sessions_that_nobody_could_repeat(session: Path) -> None:
    base = record(blocks=1)
    for provenance in (
        base.provenance.model_copy(update={"dirty": True}),
        base.provenance.model_copy(update={"commit": None}),
    ):
        rewritten(session, _with(base, provenance=provenance))
        assert "nobody could repeat it" in refused(session, clean=True)
    rewritten(session, _with(base, plan=base.plan.model_copy(update={"simulated": True})))
    assert "simulated" in refused(session, clean=True)


@pytest.mark.parametrize(
    ("now", "passes"),
    [
        (datetime(2026, 9, 1, 10, 20, tzinfo=UTC), True),
        (datetime(2026, 9, 1, 10, 5, tzinfo=UTC), False),
        (datetime(2026, 9, 1, 9, 0, tzinfo=UTC), False),
        (datetime(2026, 12, 5, tzinfo=UTC), True),
        (datetime(2027, 1, 5, tzinfo=UTC), False),
    ],
)
def test_a_time_that_cannot_be(session: Path, now: datetime, passes: bool) -> None:
    if passes:
        checked(session, Expected(now=now))
    else:
        with pytest.raises(AnswerIsNo, match="are not in order, or it is older"):
            checked(session, Expected(now=now))


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({"started_at": "2199-01-01T00:00:00Z"}, "are not in order"),
        ({"started_at": "2199-01-01T00:00:00Z", "ended_at": "2199-01-01T01:00:00Z"}, "are not in order"),
        ({"ended_at": "2026-09-01T10:14:00Z"}, "are not in order"),
        ({"started_at": "2026-08-31T10:15:00Z"}, "are not in order"),
        ({"ended_at": "2026-9-1T10:35:0Z"}, "is no time as a session writes it"),
        ({"started_at": "2026-09-01T10:15:00+00:00"}, "is no time as a session writes it"),
        ({"ended_at": "soon"}, "is no time as a session writes it"),
    ],
)
def test_a_session_is_as_old_as_its_name(session: Path, times: dict[str, str], words: str) -> None:
    edited(session, lambda document: document["provenance"].update(times))
    assert words in refused(session)


# Packs of artifacts


def _tar(path: Path, *members: tuple[tarfile.TarInfo, bytes], **stated: str) -> Path:
    import io

    build = record(blocks=1).builds[0].model_copy(update=stated)
    content = build.model_dump_json().encode()
    with tarfile.open(path, "w") as tar:
        entry = tarfile.TarInfo("build.json")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/x",
        "/etc/passwd",
        "app/../../x",
        "app",
        "other/x",
        "app/../../../.ssh/authorized_keys",
        # Two names in one, by the lines that a digest is made of; and a name that no text has.
        "app/a\n0000  b",
        "app/\udcff",
    ],
)
def test_a_pack_that_leaves_its_folder(tmp_path: Path, name: str) -> None:
    path = _tar(tmp_path / "quarkus-rest-orm-jvm-pg.tar", (tarfile.TarInfo(name), b"x"))
    with pytest.raises(AnswerIsNo, match="which no pack does"):
        unpack(path, "0" * 64, Store(tmp_path / "store"))
    assert list((tmp_path / "store").iterdir()) == []
    assert not (tmp_path.parent / "x").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_a_pack_with_links_or_devices(tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo("app/x")
    member.type, member.linkname = kind, "/etc"
    path = _tar(tmp_path / "quarkus-rest-orm-jvm-pg.tar", (member, b""), (tarfile.TarInfo("app/x/passwd"), b"x"))
    with pytest.raises(AnswerIsNo, match="which no pack does"):
        unpack(path, "0" * 64, Store(tmp_path / "store"))


def test_a_pack_with_other_bytes(tmp_path: Path) -> None:
    path = _tar(tmp_path / "quarkus-rest-orm-jvm-pg.tar", (tarfile.TarInfo("app/app.jar"), b"other"))
    with pytest.raises(AnswerIsNo, match="was built"):
        unpack(path, digest_of("quarkus-rest-orm/jvm/pg"), Store(tmp_path / "store"))
    assert list((tmp_path / "store").iterdir()) == []


@pytest.mark.parametrize("field", ["inputs_sha256", "artifact", "sha256"])
@pytest.mark.parametrize(
    "words",
    [
        "../../outside",
        "a" * 64 + "\n",
        "..",
        "/etc/passwd",
        "quarkus-rest-orm/../pg",
        "quarkus-rest-orm/jvm/pg+release=../../outside",
        "quarkus-rest-orm/jvm/pg+release=3.34.3+x=1",
    ],
)
def test_no_word_of_a_pack_becomes_a_place_of_its_own_choice(tmp_path: Path, field: str, words: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").write_text("kept")
    path = tmp_path / "quarkus-rest-orm-jvm-pg.tar"
    jar = (tarfile.TarInfo("app/app.jar"), b"x")
    # The digest of the pack's content is right, so that only the name is a reason to refuse the pack.
    digest = tree_sha256(_folder(tmp_path / "app", b"x"))
    _tar(path, jar, **{"sha256": digest, field: words})
    with pytest.raises(AnswerIsNo, match="no pack of an artifact"):
        unpack(path, digest, Store(tmp_path / "a" / "store"))
    assert (tmp_path / "outside" / "kept").read_text() == "kept"


def test_a_store_has_no_place_outside_of_itself(tmp_path: Path) -> None:
    for artifact, inputs in (("x", "../../outside"), ("..", "a"), ("x", ".."), ("", "a")):
        with pytest.raises(UsageError, match="no place of an artifact"):
            Store(tmp_path).find(artifact, inputs)


def _folder(folder: Path, jar: bytes) -> Path:
    folder.mkdir()
    (folder / "app.jar").write_bytes(jar)
    return folder


@pytest.mark.parametrize("content", [b"", b"not a tar", b"PK\x03\x04zip"])
def test_what_is_no_pack(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "quarkus-rest-orm-jvm-pg.tar"
    path.write_bytes(content)
    with pytest.raises(AnswerIsNo, match="no pack"):
        unpack(path, "0" * 64, Store(tmp_path / "store"))


@pytest.mark.parametrize("name", ["rules", "figures"])
def test_nobody_chooses_rules_by_naming_older_ones(session: Path, name: str) -> None:
    edited(session, lambda document: document["versions"].update({name: document["versions"][name] - 1}))
    assert "a new one lands only by those in force" in refused(session)
