"""Maven from a clean folder: to classes, through the variant's own tests, to the package, to a native image."""

from __future__ import annotations

from pathlib import Path

from plumbline.measuring.build.builder import Builder
from plumbline.measuring.build.command import NATIVE_GOALS, native_arguments
from plumbline.measuring.build.native_output import read_native_output
from plumbline.measuring.build.store import tree_size_bytes
from plumbline.model.errors import AnswerIsNo
from plumbline.model.subject import Subject, is_native
from plumbline.subjects.catalog.variant import Variant
from ..step_context import StepContext
from .step import Lacking, Step, StepResult


def _lacking_for_native(subject: Subject, variant: Variant, builder: Builder) -> Lacking | None:
    if is_native(subject.packaging):
        return Lacking("none", "what is compiled, tested and packaged is the same as for its JVM packaging")
    return None


def _lacking_tests(subject: Subject, variant: Variant, builder: Builder) -> Lacking | None:
    if not any((variant.folder / "src" / "test").rglob("*.*")):
        return Lacking("none", "it has no tests of its own in its folder; the contract is its test")
    return _lacking_for_native(subject, variant, builder)


def _compile(step_context: StepContext) -> StepResult:
    return _maven(step_context, "compile_s", "clean", "compile")


def _test(step_context: StepContext) -> StepResult:
    return _maven(step_context, "test_s", "clean", "test")


def _package(step_context: StepContext) -> StepResult:
    result = _maven(step_context, "package_s", "clean", "package")
    packaging = step_context.job.variant.packaging(step_context.job.subject.packaging)
    size = tree_size_bytes(step_context.folder / str(packaging.output))
    return StepResult({**result.values, "package_bytes": float(size)}, result.command_line)


def _maven(step_context: StepContext, metric: str, *goals: str) -> StepResult:
    command = step_context.maven_words(*goals)
    return StepResult({metric: step_context.timed(command, step_context.maven_env())}, tuple(command))


BUILDING = (
    Step("compile", "mvn clean compile", {"compile_s": "clean compile"}, _lacking_for_native, _compile),
    Step("test", "mvn clean test", {"test_s": "clean test"}, _lacking_tests, _test),
    Step(
        "package",
        "mvn clean package, its tests included",
        {"package_s": "clean package", "package_bytes": "size of the package"},
        _lacking_for_native,
        _package,
    ),
)


# Ten times what study 003 took, since one CPU may have to do it.
LIMIT_S = 3600.0


def _lacking_native_build(subject: Subject, variant: Variant, builder: Builder) -> Lacking | None:
    if not is_native(subject.packaging):
        return Lacking("none", "it is no native image")
    missing = builder.unavailable(subject)
    return None if missing is None else Lacking("unavailable", missing.problem)


def _build_native(step_context: StepContext) -> StepResult:
    variant, packaging = step_context.job.variant, step_context.job.subject.packaging
    command = step_context.maven_words("-DskipTests", *native_arguments(variant), *NATIVE_GOALS)
    env = step_context.maven_env(step_context.builder.native_environment(step_context.job.subject.artifact_id))
    values = {"native_build_s": step_context.timed(command, env, limit_s=LIMIT_S)}
    output = read_native_output(step_context.log)
    if output.generate_s is not None:
        values["native_generate_s"] = output.generate_s
    if output.peak_rss_bytes is not None:
        values["native_peak_bytes"] = float(output.peak_rss_bytes)
    image = step_context.folder / str(variant.packaging(packaging).output)
    if not image.exists():
        raise AnswerIsNo(f"Maven left no {Path(image).name}.")
    return StepResult({**values, "native_image_bytes": float(tree_size_bytes(image))}, tuple(command))


NATIVE_BUILD = Step(
    "native-build",
    "a native image from a clean folder",
    {
        "native_build_s": "native build",
        "native_generate_s": "native-image alone, as it says",
        "native_peak_bytes": "peak memory of native-image",
        "native_image_bytes": "size of the image",
    },
    _lacking_native_build,
    _build_native,
)
