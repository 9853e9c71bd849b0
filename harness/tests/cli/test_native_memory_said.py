"""`./bench plan` and `./bench build` of native images say how much memory a build takes, or how to get a builder."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.cli import build_command, plan_command
from plumbline.machine.tools.native_image import INSTALL, NativeImage, NativeMemory
from plumbline.measuring.build.store import Store
from plumbline.measuring.run.context import Context

GIB = 2**30


def planned(monkeypatch: pytest.MonkeyPatch, native_image: NativeImage | None, available_bytes: int) -> str:
    monkeypatch.setattr(Context, "native_image", lambda context, builder: native_image)
    monkeypatch.setattr(Context, "native_memory", lambda context: NativeMemory(5 * GIB, available_bytes))
    ended = CliRunner().invoke(
        plan_command.command, ["--suite", "seed-003"], standalone_mode=False, catch_exceptions=False
    )
    return ended.output


def test_it_says_once_what_memory_a_native_build_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    mandrel = NativeImage("mandrel", Path("/mandrel"), "Mandrel-25.0.3.0-Final")
    output = planned(monkeypatch, mandrel, 20 * GIB)
    assert output.endswith(
        "To build a native image native-image needs 6.0 GiB of memory, 5.0 GiB of it as heap, and 20.0 GiB are "
        "available.\n"
    )
    output_when_short = planned(monkeypatch, mandrel, 5 * GIB)
    assert "and 5.0 GiB are available. Close what takes memory, or bound the heap lower" in output_when_short


def test_without_a_builder_it_says_nothing_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    output = planned(monkeypatch, None, 20 * GIB)
    assert "of memory" not in output
    assert f"`{INSTALL['mandrel']}`" in output


def test_a_build_without_the_memory_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    mandrel = NativeImage("mandrel", Path("/mandrel"), "Mandrel-25.0.3.0-Final")
    monkeypatch.setattr(Context, "native_image", lambda context, builder: mandrel)
    monkeypatch.setattr(Context, "native_memory", lambda context: NativeMemory(5 * GIB, GIB))
    monkeypatch.setattr(Store, "find", lambda store, artifact, inputs: None)
    ended = CliRunner().invoke(build_command.command, ["quarkus-hello-rest/native.mandrel"], standalone_mode=False)
    assert ended.return_value == 1
    assert (
        "bench: quarkus-hello-rest/native.mandrel/none is unavailable: native-image needs 6.0 GiB of memory, 5.0 GiB "
        "of it as heap, and 1.0 GiB are available. Close what takes memory"
    ) in ended.output
