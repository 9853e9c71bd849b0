"""Makes names of files and parts of addresses out of the ids of subjects, hosts and scenarios."""

from __future__ import annotations

import hashlib

_OF_ADDRESSES = str.maketrans({"/": "_", "+": "~", "%": "p", "@": "-"})


def file_slug(name: str) -> str:
    """Return an id as the name of a file or of a workflow's artifact: `vertx-pg/jvm/pg` -> `vertx-pg-jvm-pg`."""
    return name.replace("/", "-").replace(" ", "-")


def slug_of(name: str) -> str:
    """Return an id of checked characters as a part of an address: a-z, 0-9 and . _ ~ = - only.

    Names that differ in their case alone get different slugs: some file systems could not keep them apart.
    """
    slug = name.translate(_OF_ADDRESSES)
    lower = slug.lower()
    return lower if lower == slug else f"{lower}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
