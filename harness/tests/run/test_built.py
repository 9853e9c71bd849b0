"""A subject that runs in a container needs an image too; a suite goes on without a subject that can't have one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plumbline.measuring.build.builder import BuildFailed, Unavailable, no_container
from plumbline.measuring.run.built import Built
from plumbline.model.errors import UsageError
from plumbline.model.record import Image
from plumbline.model.subject import Subject
from tests.judge.planned import CONTROL, SUBJECTS, plan
from tests.record.comparisons import FAST, SLOW, comparison_plan
from tests.run.test_duet import Silent

IMAGE = Image(artifact=SUBJECTS[0], engine="podman", sha256="a" * 64, size_bytes=1, wall_s=2.0, reused=False)


class Sources:
    """Everything is built already, and a subject's artifact is its name; `images` holds what comes of some images."""

    def __init__(self, images: dict[str, Image | BuildFailed]) -> None:
        self.images = images
        self.context = SimpleNamespace(image_of=self._image_of)

    def catalog(self, side: object) -> Any:
        return SimpleNamespace(subject=Subject.parse, settings_of=lambda subject: dict(subject.settings))

    def builder(self, side: object) -> Any:
        return SimpleNamespace(build=lambda subject: subject.id)

    def _image_of(self, subject: Subject, settings: Any, artifact: Any, commit: str | None) -> Image | None:
        outcome = self.images.get(subject.id)
        if isinstance(outcome, BuildFailed):
            raise outcome
        return outcome


def sources(images: dict[str, Image | BuildFailed]) -> Any:
    return Sources(images)


def test_images_are_kept_by_contender_and_counted_once() -> None:
    built = Built(plan(), sources({SUBJECTS[0]: IMAGE, SUBJECTS[1]: IMAGE}))
    built.build(Silent())
    assert built.images_of == {(None, SUBJECTS[0]): IMAGE, (None, SUBJECTS[1]): IMAGE}
    assert built.images == [IMAGE]


def test_a_suite_goes_on_without_what_has_no_engine_or_no_image() -> None:
    without = no_container(Subject.parse(SUBJECTS[0]), "there is no engine.")
    built = Built(plan(), sources({SUBJECTS[0]: without, SUBJECTS[1]: BuildFailed("It was not built.")}))
    built.build(Silent())
    assert built.not_built == {
        (None, SUBJECTS[0]): f"{SUBJECTS[0]} is unavailable: there is no engine.",
        (None, SUBJECTS[1]): "It was not built.",
    }
    assert {text for _, text in built.artifacts} == {SUBJECTS[2], CONTROL}


def test_a_comparison_with_a_side_that_has_no_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="`install it`"):
        Built(comparison_plan(FAST, SLOW), sources({SLOW: Unavailable("It is unavailable: `install it`.")})).build(
            Silent()
        )
