"""A native image is built by the native-image of its builder, or unavailable with the command that installs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.machine.tools.native_image import (
    INSTALL,
    NativeImage,
    NativeMemory,
    find_native_image,
    parse_version,
)
from plumbline.machine.tools.running import CommandOutput
from plumbline.measuring.build.builder import Builder, Unavailable
from plumbline.measuring.build.native_output import parse_native_output, read_native_output
from .test_build import FAKE_MAVEN, VARIANT
from .test_build import builder as builder

SAMPLE = Path(__file__).with_name("recorded") / "native-image.txt"
OLDER = """\
   7.49MB (36.04%) for code area:    12,700 compilation units
  20.77MB in total
                        0.5s (4.1% of total time) in 23 GCs | Peak RSS: 1.93GB | CPU load: 7.99
Finished generating 'helloworld' in 12.4s.
"""
SAYS = {
    "graalvm": "native-image 25.0.1 2025-10-21\nGraalVM Runtime Environment GraalVM CE 25.0.1+8.1 (build 25.0.1+8)\n",
    "mandrel": "native-image 25.0.1 2025-10-21\nOpenJDK Runtime Environment Mandrel-25.0.1.0-Final (build 25.0.1+8)\n",
}
NATIVE = """
[packaging."native.graalvm"]
output = "target/app"
run = ["app"]
"""


def test_time_peak_and_size_come_out_of_what_native_image_prints() -> None:
    output = read_native_output(SAMPLE)
    assert output.generate_s == 129
    assert output.peak_rss_bytes == round(3.02 * 2**30)


def test_the_words_of_older_releases_are_read_too_and_nothing_is_made_up() -> None:
    output = parse_native_output(OLDER)
    assert (output.generate_s, output.peak_rss_bytes) == (12.4, 1_930_000_000)
    without_facts = parse_native_output("[INFO] BUILD SUCCESS\n")
    assert (without_facts.generate_s, without_facts.peak_rss_bytes) == (None, None)


@pytest.mark.parametrize("builder_name", INSTALL)
def test_the_native_image_of_the_wanted_builder_is_found(tmp_path: Path, builder_name: str) -> None:
    for name in SAYS:
        program = tmp_path / "usr/lib/jvm" / name / "bin" / "native-image"
        program.parent.mkdir(parents=True)
        program.touch()

    def run(
        argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], waiting: Callable[[float], None]
    ) -> CommandOutput:
        return CommandOutput(0, SAYS[cwd.name])

    native_image = find_native_image(builder_name, {}, run, tmp_path)
    assert native_image is not None
    assert (native_image.builder, native_image.home.name) == (builder_name, builder_name)
    assert find_native_image(builder_name, {}, run, tmp_path / "usr") is None


def test_an_older_native_image_is_none() -> None:
    assert parse_version(Path("/"), SAYS["graalvm"].replace("native-image 25", "native-image 21")) is None


@pytest.fixture
def native(builder: Builder) -> Builder:
    from plumbline.subjects.catalog.variant import read_variant

    folder = builder.catalog.variants["toy"].folder
    (folder / "variant.toml").write_text(VARIANT + NATIVE)
    return replace(builder, catalog=replace(builder.catalog, variants={"toy": read_variant(folder)}))


def test_without_native_image_the_subject_is_unavailable_with_the_one_command(native: Builder) -> None:
    subject = native.catalog.subject("toy/native.graalvm/pg")
    with pytest.raises(Unavailable, match=r"toy/native\.graalvm/pg is unavailable") as caught:
        native.build(subject)
    assert f"`{INSTALL['graalvm']}`" in caught.value.problem
    assert native.unavailable(native.catalog.subject("toy/jvm/pg")) is None


def test_with_native_image_the_profile_is_built_and_its_distribution_is_an_input(
    native: Builder, tmp_path: Path
) -> None:
    subject = native.catalog.subject("toy/native.graalvm/pg")
    with_native_image = replace(native, native_image=lambda name: NativeImage(name, tmp_path, "GraalVM CE 25.0.1+8.1"))
    assert with_native_image.unavailable(subject) is None
    artifact = with_native_image.build(subject)
    assert "-Pnative" in artifact.build.command_line
    newer = replace(native, native_image=lambda name: NativeImage(name, tmp_path, "GraalVM CE 25.0.2+1.1"))
    toy = native.catalog.variants["toy"]
    assert newer.inputs(toy, artifact.build.artifact) != with_native_image.inputs(toy, artifact.build.artifact)


def with_memory(native: Builder, home: Path, available_bytes: int, sentences: list[str]) -> Builder:
    return replace(
        native,
        environ={**native.environ, "NATIVE_IMAGE_OPTIONS": "-Ob"},
        native_image=lambda name: NativeImage(name, home, "GraalVM CE 25.0.1+8.1"),
        native_memory=lambda: NativeMemory(5 * 2**30, available_bytes),
        say=sentences.append,
    )


def test_a_build_says_what_memory_it_needs_and_its_heap_is_bound_whatever_a_person_set(
    native: Builder, tmp_path: Path
) -> None:
    native.maven.write_text(FAKE_MAVEN + 'echo "$NATIVE_IMAGE_OPTIONS" > ../options\n')
    sentences: list[str] = []
    builder = with_memory(native, tmp_path, 6 * 2**30, sentences)
    builder.build(builder.catalog.subject("toy/native.graalvm/pg"))
    assert sentences[0] == (
        "toy/native.graalvm/pg: native-image needs 6.0 GiB of memory, 5.0 GiB of it as heap, and 6.0 GiB are available"
    )
    options = builder.catalog.variants["toy"].folder.parent / "options"
    assert options.read_text() == "-J-Xmx5120m\n"
    sentences.clear()
    builder.build(builder.catalog.subject("toy/jvm/pg"))
    assert options.read_text() == "-Ob\n"
    assert not [line for line in sentences if "memory" in line]


def test_without_the_memory_maven_is_never_called(native: Builder, tmp_path: Path) -> None:
    builder = with_memory(native, tmp_path, 6 * 2**30 - 1, [])
    with pytest.raises(Unavailable, match="is unavailable: native-image needs") as caught:
        builder.build(builder.catalog.subject("toy/native.graalvm/pg"))
    assert "PLUMBLINE_NATIVE_HEAP=4g" in caught.value.next_step
    assert not (builder.catalog.variants["toy"].folder.parent / "calls").exists()
