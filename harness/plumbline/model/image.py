"""Where an image has what runs in it, as apps/containers/*.Containerfile say."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("/app")
# Of the image of Temurin that theirs stand on.
JAVA = Path("/opt/java/openjdk/bin/java")
USER = 65532
