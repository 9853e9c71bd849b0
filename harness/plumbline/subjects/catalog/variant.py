"""`apps/<variant>/variant.toml`: what a variant is, how it is built, and how it is started."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator

from plumbline.model.base import Frozen
from plumbline.model.data_access import DataAccess
from plumbline.model.errors import UsageError
from plumbline.model.subject import is_native
from .reading import nearest, read_toml
from .settings import OF_JVM_ALONE, SETTINGS, check_setting

WORKLOADS = ("hello", "fruits", "zipcode", "companies", "orders")
ENGINES = ("pg", "mysql", "none")
_WORD = re.compile(r"[a-z][a-z0-9-]*")
# The parts of a pattern in which * + ? { repeat nothing.
_LITERAL = re.compile(r"\\.|\[[^\]]*\]|\(\?P<\w+>", re.DOTALL)
_REPETITION = re.compile(r"[*+?{]")
_MOST_REPETITIONS = 2


class BuildSpec(Frozen):
    """How Maven builds a variant: as a module of `apps/pom.xml` with its siblings, or by the variant's pom alone.

    `release` is Maven's property with the release of the framework, which the setting `release` gives another value.
    """

    tool: Literal["maven-reactor", "maven"]
    release: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")] | None = None
    inputs: tuple[str, ...] = ()


class PackagingSpec(Frozen):
    """The files that a build keeps, and the command that runs them. `like` is the packaging whose artifact it has.

    `decides` names the settings that the build of this packaging decided, so that no start can choose them; of a
    setting with a value, such as profile=defaults, only this value.
    """

    output: str | None = None
    run: tuple[str, ...] = ()
    like: str | None = None
    decides: tuple[str, ...] = ()


class VariantSpec(Frozen):
    """The content of variant.toml. Of workloads in `reads_only` a variant answers the reads alone, as the control does.

    A variant that serves on `cli` has no server: it is a program that is told which batches to run, and prints their
    results. `data_access` is the class within which a variant is compared: `orm` where an ORM maps entities to rows,
    `sql` where the statements are written by hand, `none` without a database.
    `profile` has the settings that a value of the setting `profile` brings along: those that a framework's starter has.
    A variant that is wrong on purpose is in no suites but those of `only_in`, and held to no contract.
    `studies` is in files of older commits, and nothing reads it; `answer_fields` are the header fields of its answers
    besides the type and the length of a body, in lower case.
    """

    name: str
    framework: str
    http: str
    data: str
    data_access: DataAccess
    concurrency: Literal["imperative", "reactive", "virtual"]
    serves_on: Literal["worker", "event-loop", "virtual", "cli"]
    workloads: tuple[str, ...] = Field(min_length=1)
    engines: tuple[str, ...] = Field(min_length=1)
    reads_only: tuple[str, ...] = ()
    only_in: tuple[str, ...] = ()
    started: str | None = None
    ready: str | None = None
    build: BuildSpec
    packaging: dict[str, PackagingSpec]
    settings: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    profile: dict[str, dict[str, str]] = Field(default_factory=dict)
    studies: tuple[str, ...] = ()
    answer_fields: tuple[str, ...] = ()

    @field_validator("framework")
    @classmethod
    def _is_a_word(cls, text: str) -> str:
        if not _WORD.fullmatch(text):
            raise ValueError("it is one word of a-z, 0-9 and dashes, such as quarkus")
        return text

    @field_validator("started", "ready")
    @classmethod
    def _is_a_pattern(cls, text: str | None, field: ValidationInfo) -> str | None:
        if text is not None:
            try:
                names = re.compile(text).groupindex
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
            rest = _LITERAL.sub("x", text)
            if re.search(r"\)[*+?{]", rest) or len(_REPETITION.findall(rest)) > _MOST_REPETITIONS:
                raise ValueError("it repeats a group, or repeats more than twice: a search could take for ever")
            if field.field_name == "started" and not {"seconds", "milliseconds"} & names.keys():
                raise ValueError("it needs a group named 'seconds' or 'milliseconds'")
        return text


class Variant(Frozen):
    """A variant with the folder it stands in. `id` is the folder's name."""

    id: str
    folder: Path
    spec: VariantSpec

    def packaging(self, name: str) -> PackagingSpec:
        """Return the packaging of that name with `like` resolved; raises UsageError with the nearest name."""
        if name not in self.spec.packaging:
            raise UsageError(f"{self.id} has no packaging '{name}'.", nearest(name, self.spec.packaging))
        packaging_spec = self.spec.packaging[name]
        return self.packaging(packaging_spec.like) if packaging_spec.like else packaging_spec

    def decided(self, packaging: str) -> tuple[str, ...]:
        """Return the settings, or single values, that no start of this packaging can choose: its build decided them."""
        return (*self.spec.packaging[packaging].decides, *(OF_JVM_ALONE if is_native(packaging) else ()))

    def artifact_packaging(self, name: str) -> str:
        """Return the packaging that is built for `name`: itself, or the one it is `like`."""
        like = self.spec.packaging[name].like if name in self.spec.packaging else None
        return self.artifact_packaging(like) if like else name


def read_variant(folder: Path) -> Variant:
    """Read the variant in `folder`. Raises UsageError in one sentence for anything wrong with it."""
    shown = f"{folder.name}/variant.toml"
    spec = read_toml(folder / "variant.toml", VariantSpec, shown)
    for kind, names, known_names in (
        ("workload", spec.workloads, WORKLOADS),
        ("engine", spec.engines, ENGINES),
        ("setting", spec.settings, SETTINGS),
    ):
        for name in names:
            if name not in known_names:
                raise UsageError(f"{shown}: unknown {kind} '{name}'.", nearest(name, known_names))
    if (spec.data_access == "none") != (spec.engines == ("none",)):
        problem = f"{shown}: 'data_access' and 'engines' must both be none, or neither."
        raise UsageError(problem, "Say whether the variant has a database.")
    if ("release" in spec.settings) != (spec.build.release is not None):
        raise UsageError(
            f"{shown}: the setting 'release' and 'build.release' must both be there, or neither.",
            "Name the Maven property that the setting changes, such as quarkus.version.",
        )
    for profile, brought in spec.profile.items():
        for setting, value in {"profile": profile, **brought}.items():
            check_setting(setting, value, f"{shown}: 'profile.{profile}'")
    for name, packaging in spec.packaging.items():
        if packaging.like is not None and spec.packaging.get(packaging.like, packaging).like is not None:
            raise UsageError(f"{shown}: 'packaging.{name}.like' must name a packaging of its own artifact.", "")
        if packaging.like is None and (packaging.output is None or not packaging.run):
            raise UsageError(f"{shown}: 'packaging.{name}' needs 'output' and 'run', or 'like'.", "")
        for setting in packaging.decides:
            if setting.partition("=")[0] not in spec.settings:
                raise UsageError(
                    f"{shown}: 'packaging.{name}.decides' names '{setting}', which is no setting of it.",
                    nearest(setting, spec.settings),
                )
        if packaging.output is not None and not _stays_inside(packaging.output):
            raise UsageError(f"{shown}: 'packaging.{name}.output' must lie below the variant's folder.", "")
    for path in spec.build.inputs:
        if not (folder / path).exists():
            raise UsageError(f"{shown}: 'build.inputs' names '{path}', which does not exist.", "")
    return Variant(id=folder.name, folder=folder.resolve(), spec=spec)


def _stays_inside(path: str) -> bool:
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts
