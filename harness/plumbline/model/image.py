"""Paths within an image, as apps/containers/*.Containerfile set them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/app")
# Of the image of Temurin that theirs stand on.
JAVA = Path("/opt/java/openjdk/bin/java")
USER = 65532
