from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.machine.tools.jdk import Jdk, find_jdk, named_jdk, read_jdk
from plumbline.model.errors import UsageError

TEMURIN = 'IMPLEMENTOR="Eclipse Adoptium"\nJAVA_RUNTIME_VERSION="{v}+9-LTS"\nJAVA_VERSION="{v}"\nOS_ARCH="x86_64"\n'


def jdk(home: Path, version: str, *, programs: tuple[str, ...] = ("java", "javac"), text: str = TEMURIN) -> Path:
    (home / "bin").mkdir(parents=True)
    for name in programs:
        (home / "bin" / name).touch(mode=0o755)
    (home / "release").write_text(text.format(v=version))
    return home


def test_reads_the_release_file(tmp_path: Path) -> None:
    home = jdk(tmp_path / "jdk", "25.0.3")
    assert read_jdk(home) == Jdk(home, "25.0.3", "Eclipse Adoptium", "25.0.3+9-LTS")


def test_a_bare_release_file_will_do(tmp_path: Path) -> None:
    found = read_jdk(jdk(tmp_path / "jdk", "25", text='JAVA_VERSION="{v}"\n'))
    assert found is not None and (found.build, found.vendor, found.feature) == ("25", "unknown", 25)


@pytest.mark.parametrize(
    ("version", "feature"), [("25", 25), ("25.0.3", 25), ("26-ea", 26), ("1.8.0_402", 8), ("odd", 0)]
)
def test_feature_release(version: str, feature: int) -> None:
    assert Jdk(Path("/"), version, "v", version).feature == feature


def test_a_runtime_is_no_jdk(tmp_path: Path) -> None:
    assert read_jdk(jdk(tmp_path / "jre", "25.0.3", programs=("java",))) is None
    assert read_jdk(tmp_path / "nothing") is None


def test_java_home_goes_first_when_it_is_new_enough(tmp_path: Path) -> None:
    named = jdk(tmp_path / "named", "26.0.1")
    on_path = jdk(tmp_path / "path", "25.0.3")
    environ = {"JAVA_HOME": str(named), "PATH": str(on_path / "bin")}
    assert find_jdk(environ, tmp_path).home == named
    jdk(tmp_path / "old", "17.0.2")
    assert find_jdk({**environ, "JAVA_HOME": str(tmp_path / "old")}, tmp_path).home == on_path


def test_a_link_on_path_is_followed_to_its_home(tmp_path: Path) -> None:
    home = jdk(tmp_path / "usr/lib/jvm/temurin-25", "25.0.3")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_jdk({"PATH": f":{tmp_path / 'none'}:{tmp_path / 'bin'}"}, tmp_path / "elsewhere").home == home


@pytest.mark.parametrize(
    "place", ["root/usr/lib/jvm/x", "root/opt/x", "home/.sdkman/candidates/java/x", "home/.jdks/x"]
)
def test_finds_it_beyond_path(tmp_path: Path, place: str) -> None:
    old = jdk(tmp_path / "root/usr/lib/jvm/a17", "17.0.2")
    home = jdk(tmp_path / place, "25.0.3")
    environ = {"PATH": str(old / "bin"), "HOME": str(tmp_path / "home")}
    assert find_jdk(environ, tmp_path / "root").home == home


def test_the_oldest_that_will_do(tmp_path: Path) -> None:
    for version in ("27", "21.0.4", "25.0.3", "26.0.1"):
        jdk(tmp_path / "opt" / version, version)
    assert find_jdk({}, tmp_path).version == "25.0.3"


def test_none_names_the_newest_and_what_to_install(tmp_path: Path) -> None:
    jdk(tmp_path / "opt" / "a", "17.0.2")
    jdk(tmp_path / "opt" / "b", "21.0.4")
    with pytest.raises(UsageError, match=r"the newest is 21\.0\.4 in .*openjdk-25-jdk-headless"):
        find_jdk({}, tmp_path)
    with pytest.raises(UsageError, match=r"No JDK was found\. Install JDK 25"):
        find_jdk({}, tmp_path / "empty")


def test_each_build_of_the_host_has_a_name(tmp_path: Path) -> None:
    temurin = jdk(tmp_path / "usr/lib/jvm/a", "25.0.3")
    corretto = jdk(tmp_path / "opt/b", "25.0.1", text=TEMURIN.replace("Eclipse Adoptium", "Amazon.com Inc."))
    odd = jdk(tmp_path / "opt/c", "26-ea", text=TEMURIN.replace("Eclipse Adoptium", "My Own & Sons"))
    jdk(tmp_path / "opt/old", "21.0.1")
    assert named_jdk("temurin-25.0.3", {}, tmp_path).home == temurin
    assert named_jdk("corretto-25.0.1", {}, tmp_path).home == corretto
    assert named_jdk("my-own-sons-26-ea", {}, tmp_path).home == odd
    with pytest.raises(UsageError, match=r"there are: corretto-25.0.1, my-own-sons-26-ea, temurin-25.0.3"):
        named_jdk("temurin-21.0.1", {}, tmp_path)
