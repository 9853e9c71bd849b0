"""Paths within an image, as apps/containers/*.Containerfile set them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/app")
# The launcher within Temurin's image, which is the base of the applications' images.
JAVA = Path("/opt/java/openjdk/bin/java")
USER = 65532
