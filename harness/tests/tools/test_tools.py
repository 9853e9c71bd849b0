"""Maven, k6 and PostgreSQL: which way to each is taken, and what is said when no way is open."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import pytest

from plumbline.machine.tools.download import MAVEN_CENTRAL, Pins
from plumbline.machine.tools.jdk import get_maven, maven_version
from plumbline.machine.tools.k6 import get_k6, parse_version
from plumbline.machine.tools.mysql import get_mysql
from plumbline.machine.tools.postgres import get_postgres
from plumbline.machine.tools.running import CommandOutput, run
from plumbline.machine.tools.toolbox import Toolbox
from plumbline.model.errors import UsageError
from tests.passable import open_up
from .conftest import FileServer


def tar(mode: Literal["w:gz", "w:xz"], names: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, body in names.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(body), 0o755
            archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


def jar(name: str, archive: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as opened:
        opened.writestr("META-INF/MANIFEST.MF", "")
        opened.writestr(name, archive)
    return content.getvalue()


def pinned(box: Toolbox, server: FileServer, tool: str, body: bytes, name: str) -> Toolbox:
    """The toolbox with the pin of one tool on a file of the test's server."""
    url = server.serve(f"/{name}", body)
    facts = {"version": box.pins.version(tool), "url": url, "sha256": hashlib.sha256(body).hexdigest()}
    tools = {**box.pins.tools, tool: facts}
    return dataclasses.replace(box, pins=dataclasses.replace(box.pins, tools=tools))


def program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return folder / name


class FakeRun:
    """Answers every command with one exit status and one output; `act` does the command's work."""

    def __init__(self, output: CommandOutput, act: Callable[[Sequence[str]], object] = lambda argv: None) -> None:
        self.output, self.act = output, act
        self.calls: list[tuple[list[str], Path, dict[str, str]]] = []

    def __call__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        self.calls.append((list(argv), cwd, dict(env)))
        self.act(argv)
        waiting(12.0)
        return self.output


def test_every_pin_is_whole() -> None:
    for machine in ("x86_64", "aarch64"):
        pins = Pins.of({"PLUMBLINE_MAVEN_CENTRAL": "http://mirror/maven/"}, machine)
        # MySQL is there for one machine alone, in a jar with a version of its own.
        for tool in pins.tools if machine == "x86_64" else pins.tools.keys() - {"mysql"}:
            pin = pins.pin(tool)
            assert len(pin.sha256) == 64 and int(pin.sha256, 16)
            assert pin.version in pin.url or tool == "mysql"
            assert pin.url.startswith(("http://mirror/maven/", "https://github.com/grafana/k6/"))
    assert Pins.of({}, "x86_64").pin("maven").url.startswith(f"{MAVEN_CENTRAL}/org/apache/maven/")


def test_a_mirror_without_a_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'mirror\.corp/maven2', which is no address\. Begin it with https://"):
        Pins.of({"PLUMBLINE_MAVEN_CENTRAL": "mirror.corp/maven2"}, "x86_64")


def test_other_machines_are_refused() -> None:
    with pytest.raises(UsageError, match="no tools for a riscv64 machine"):
        Pins.of({}, "riscv64")


def test_the_k6_module_builds_the_pinned_version() -> None:
    module = (Path(__file__).parents[3] / "k6" / "go.mod").read_text()
    assert f"go.k6.io/k6/v2 v{Pins.of({}, 'x86_64').version('k6')}" in module


# Maven


def test_maven_of_the_same_version_on_path_is_used(box: Toolbox, tmp_path: Path) -> None:
    version = box.pins.version("maven")
    mvn = program(tmp_path / "m" / "bin", "mvn")
    program(tmp_path / "m" / "lib", f"maven-core-{version}.jar")
    box = dataclasses.replace(box, environ={"PATH": str(mvn.parent)})
    assert get_maven(box).program == mvn


def test_another_maven_is_passed_over_for_the_pinned_one(box: Toolbox, server: FileServer, tmp_path: Path) -> None:
    version = box.pins.version("maven")
    mvn = program(tmp_path / "m" / "bin", "mvn")
    program(tmp_path / "m" / "lib", "maven-core-3.8.7.jar")
    body = tar("w:gz", {f"apache-maven-{version}/bin/mvn": b"#!/bin/sh\n"})
    box = pinned(dataclasses.replace(box, environ={"PATH": str(mvn.parent)}), server, "maven", body, "m.tar.gz")
    maven = get_maven(box)
    assert maven.program.read_bytes() == b"#!/bin/sh\n" and maven.version == version
    assert get_maven(box) == maven
    assert server.asked == ["/m.tar.gz"]


def test_maven_version_of_no_maven(tmp_path: Path) -> None:
    assert maven_version(tmp_path) is None


# k6


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("k6 v2.2.0 (go1.26.8, linux/amd64)\n", "2.2.0"),
        ("k6 v2.3.1 (commit/abc, go1.26, linux/arm64)\nExtensions:\n  x v0.1.0\n", "2.3.1"),
        ("warning: something\nk6 v10.0.0-rc1 (devel)\n", "10.0.0"),
        ("K9s v2.2.0", None),
        ("", None),
    ],
)
def test_k6_version(text: str, version: str | None) -> None:
    assert parse_version(text) == version


def with_k6(box: Toolbox, tmp_path: Path, version: str) -> tuple[Toolbox, Path]:
    k6 = program(tmp_path / "bin", "k6", f"#!/bin/sh\necho 'k6 v{version} (go1.26, linux/amd64)'\n")
    return dataclasses.replace(box, environ={"PATH": str(k6.parent)}), k6


def test_k6_on_path(box: Toolbox, tmp_path: Path) -> None:
    box, program_on_path = with_k6(box, tmp_path, "2.4.1")
    k6 = get_k6(box)
    assert (k6.program, k6.version, k6.origin) == (program_on_path, "2.4.1", "PATH")


def test_an_old_k6_is_passed_over_and_the_release_fetched(
    box: Toolbox, server: FileServer, tmp_path: Path, said: list[str]
) -> None:
    box, _ = with_k6(box, tmp_path, "1.9.0")
    module(box)
    body = tar("w:gz", {"k6-v2.2.0-linux-amd64/k6": b"binary"})
    k6 = get_k6(pinned(box, server, "k6", body, "k6-v2.2.0-linux-amd64.tar.gz"))
    assert k6.program.read_bytes() == b"binary" and (k6.version, k6.origin) == ("2.2.0", "release")
    assert "k6 1.9.0, and 2.2 or newer is needed" in said[0]


def test_a_named_k6_must_fit(box: Toolbox, tmp_path: Path) -> None:
    box, old = with_k6(box, tmp_path, "2.1.9")
    named_box = dataclasses.replace(box, environ={"PLUMBLINE_K6": str(old)})
    with pytest.raises(UsageError, match=r"names k6 2\.1\.9; 2\.2 or newer is needed"):
        get_k6(named_box)
    with pytest.raises(UsageError, match="which is no k6"):
        get_k6(dataclasses.replace(box, environ={"PLUMBLINE_K6": str(tmp_path / "nothing")}))
    old.write_text(old.read_text().replace("2.1.9", "2.2.0"))
    assert get_k6(named_box).origin == "$PLUMBLINE_K6"


def test_a_k6_named_from_here_is_found_from_everywhere(
    box: Toolbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, program_on_path = with_k6(box, tmp_path, "2.4.1")
    monkeypatch.chdir(program_on_path.parent)
    k6 = get_k6(dataclasses.replace(box, environ={"PLUMBLINE_K6": "./k6"}))
    assert k6.program == program_on_path.absolute()


def module(box: Toolbox) -> None:
    (box.paths.checkout / "k6").mkdir()
    for name in ("go.mod", "go.sum"):
        (box.paths.checkout / "k6" / name).write_text("module\n")


def test_without_release_it_is_built_once_with_go(
    box: Toolbox, server: FileServer, tmp_path: Path, said: list[str]
) -> None:
    module(box)
    program(tmp_path / "bin", "go")
    compiler = FakeRun(CommandOutput(0, ""), lambda argv: Path(argv[argv.index("-o") + 1]).write_bytes(b"built"))
    box = pinned(box, server, "k6", b"", "k6.tar.gz")
    server.files.clear()
    box = dataclasses.replace(box, environ={"PATH": str(tmp_path / "bin"), "GOFLAGS": "-mod=mod"}, run=compiler)
    k6 = get_k6(box)
    assert k6.program.read_bytes() == b"built" and k6.origin == "built with Go"
    ((argv, cwd, env),) = compiler.calls
    assert argv[1:3] == ["build", "-trimpath"] and argv[-1] == "go.k6.io/k6/v2"
    assert cwd == box.paths.checkout / "k6" and env["GOFLAGS"] == "" and env["CGO_ENABLED"] == "0"
    assert any("404" in line for line in said) and "building k6: 12 s so far" in said
    get_k6(box)
    assert len(compiler.calls) == 1


def test_a_failed_build_is_one_sentence_and_leaves_no_k6(box: Toolbox, server: FileServer, tmp_path: Path) -> None:
    module(box)
    program(tmp_path / "bin", "go")
    box = pinned(box, server, "k6", b"", "k6.tar.gz")
    server.files.clear()
    compiler = FakeRun(
        CommandOutput(1, "go: downloading x\ngo: x@v1: no network\n"),
        lambda argv: Path(argv[argv.index("-o") + 1]).write_bytes(b"half"),
    )
    with pytest.raises(UsageError, match="could not be built with Go: go: x@v1: no network"):
        get_k6(dataclasses.replace(box, environ={"PATH": str(tmp_path / "bin")}, run=compiler))
    assert [path.name for path in box.paths.tools.rglob("k6*") if path.is_file()] == []


# PostgreSQL


def test_postgres_is_unpacked_where_others_can_reach_it(box: Toolbox, server: FileServer) -> None:
    inner = tar("w:xz", {"bin/postgres": b"program", "share/x": b"x"})
    box = pinned(box, server, "postgresql", jar("postgres-linux-x86_64.txz", inner), "p.jar")
    open_up(box.paths.scratch.parent)
    postgres = get_postgres(box)
    assert postgres.program("postgres").read_bytes() == b"program"
    for folder in (postgres.home, postgres.home.parent, postgres.home.parent.parent):
        assert folder.stat().st_mode & 0o001


# MySQL

# Says what the dynamic linker says where a library is missing.
MYSQLD = b"""#!/bin/sh
[ -e "${0%/bin/*}/lib/private/libaio.so.1" ] && exit
echo "mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file"
exit 127
"""


def test_libaio_under_its_new_name_is_linked_for_mysql_alone(box: Toolbox, server: FileServer, tmp_path: Path) -> None:
    inner = tar("w:gz", {"bin/mysqld": MYSQLD, "lib/private/libssl.so.3": b""})
    box = pinned(box, server, "mysql", jar("mysql-Linux-amd64.tar.gz", inner), "m.jar")
    open_up(box.paths.scratch.parent)
    renamed = tmp_path / "libaio.so.1t64"
    with pytest.raises(UsageError, match=r"needs libaio\.so\.1, which is not here"):
        get_mysql(box, renamed)
    renamed.touch()
    link = get_mysql(box, renamed).home / "lib" / "private" / "libaio.so.1"
    assert link.readlink() == renamed


def test_run_hands_back_status_and_words(tmp_path: Path) -> None:
    output = run(
        ["sh", "-c", 'echo "$WORD"; pwd; echo sorry >&2; exit 3'],
        cwd=tmp_path, env={"WORD": "hello", "PATH": "/usr/bin:/bin"}, waiting=lambda _: None,
    )  # fmt: skip
    assert output == CommandOutput(3, f"hello\n{tmp_path}\nsorry\n")
