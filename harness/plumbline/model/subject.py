"""The thing measured: variant + packaging + engine + settings, its id, and slugs of ids."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Literal

from .base import Frozen
from .errors import UsageError

# A database that a session can have; a subject without one has the engine "none".
Engine = Literal["pg", "mysql"]

ID_PART = r"[a-z0-9][a-z0-9.-]*"
"""The pattern of a variant's id, and of each other part of a subject's id."""

_PART = re.compile(rf"{ID_PART}\Z")

# Pages and files of series have the id in their names.
LONGEST_ID = 160

# (setting, its value in older records and applications) -> the value's name now.
_RENAMED_VALUES = {("profile", "out-of-the-box"): "parity"}

_OF_ADDRESSES = str.maketrans({"/": "_", "+": "~", "%": "p", "@": "-"})


def current_value_name(setting: str, value: str) -> str:
    """Return the name that a setting's value has now; older records and applications may use another name."""
    return _RENAMED_VALUES.get((setting, value), value)


# The settings that an artifact is built with: each value is another artifact.
OF_BUILD = ("release",)

NATIVE = "native."


def is_native(packaging: str) -> bool:
    """Return whether a packaging is a native image: `native.graalvm`, `native.mandrel`."""
    return packaging.startswith(NATIVE)


AOT_OF_FRAMEWORK = "aot.framework"


def has_aot_cache(packaging: str) -> bool:
    """Return whether a JVM of this packaging starts from an AOT cache: `aot`, and `aot.framework`, for which the
    framework did a part of its start at build time as well (Spring's process-aot).
    """
    return packaging in ("aot", AOT_OF_FRAMEWORK)


class Subject(Frozen):
    """A subject. `settings` holds only what differs from `[defaults]`, as `name -> value`.

    The id is `variant/packaging/engine[+setting[=value]...]`, settings sorted by name.
    """

    variant: str
    packaging: str
    engine: str
    settings: dict[str, str] = {}

    @property
    def id(self) -> str:
        """The id used in records, on the command line and in addresses of pages."""
        base = f"{self.variant}/{self.packaging}/{self.engine}"
        return base + "".join(f"+{name}={value}" for name, value in sorted(self.settings.items()))

    @property
    def artifact_id(self) -> str:
        """The id of what is built for the subject, unless the catalog says that its packaging shares an artifact.

        Of the settings the id has those that the build decides.
        """
        of_build = {name: value for name, value in self.settings.items() if name in OF_BUILD}
        return self.model_copy(update={"settings": of_build}).id

    def __hash__(self) -> int:
        return hash(self.id)

    @classmethod
    def parse(cls, text: str) -> Subject:
        """Read an id. `variant` alone means `variant/jvm/pg`.

        Raises UsageError when the text is not of that form; whether the names exist is the catalog's question.
        """
        return _parsed(text)

    @classmethod
    def try_parse(cls, text: str) -> Subject | None:
        """Return the subject of an id; None for any other text."""
        try:
            return _parsed(text)
        except UsageError:
            return None

    @classmethod
    def is_id(cls, text: str) -> bool:
        """Return whether a text is an id just as a record has it, short enough for an address."""
        subject = cls.try_parse(text) if len(text) <= LONGEST_ID else None
        return subject is not None and subject.id == text


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Subject:
    base, *marks = text.split("+")
    parts = base.split("/")
    if len(parts) > 3 or not all(_PART.match(part) for part in parts):
        raise UsageError(
            f"'{text}' is not a subject id.",
            "Write it as variant/packaging/engine[+setting=value], for example vertx-pg/jvm/pg+db-tls=require.",
        )
    variant, packaging, engine = (parts + ["jvm", "pg"][len(parts) - 1 :])[:3]
    settings: dict[str, str] = {}
    for mark in marks:
        name, equals, value = mark.partition("=")
        if not equals or not _PART.match(name) or not _PART.match(value) or name in settings:
            raise UsageError(f"'+{mark}' in '{text}' is not a setting.", "Write it as +name=value, each name once.")
        settings[name] = value
    return Subject(variant=variant, packaging=packaging, engine=engine, settings=dict(sorted(settings.items())))


def file_slug(name: str) -> str:
    """Return an id as the name of a file or of a workflow's artifact: `vertx-pg/jvm/pg` -> `vertx-pg-jvm-pg`."""
    return name.replace("/", "-").replace(" ", "-")


def image_name(artifact: str) -> str:
    """Return an artifact's id as the name of its container image, in which a registry allows neither `+` nor `=`."""
    return file_slug(artifact).replace("+", "__").replace("=", "_")


def slug_of(name: str) -> str:
    """Return an id of checked characters as a part of an address: a-z, 0-9 and . _ ~ = - only.

    Names that differ in their case alone get different slugs: some file systems could not keep them apart.
    """
    slug = name.translate(_OF_ADDRESSES)
    lower = slug.lower()
    return lower if lower == slug else f"{lower}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
