"""Java as the harness, the images and the rules name it: the name of a JDK's build, and the paths within an image."""

from __future__ import annotations

import re
from pathlib import Path

# Paths within an image, as apps/containers/*.Containerfile set them.
FOLDER = Path("/app")
# The launcher within Temurin's image, which is the base of the applications' images.
JAVA = Path("/opt/java/openjdk/bin/java")
USER = 65532

# What a JDK says of its maker (IMPLEMENTOR of its release file, java.vendor when it runs) -> what people call it.
_KNOWN_AS = {
    "eclipse adoptium": "temurin",
    "azul systems, inc.": "zulu",
    "amazon.com inc.": "corretto",
    "bellsoft": "liberica",
    "oracle corporation": "oracle",
    "graalvm community": "graalce",
    "sap se": "sapmachine",
    "red hat, inc.": "redhat",
    "ibm corporation": "semeru",
}


def jdk_name(vendor: str, version: str) -> str:
    """Return the name of a JDK's build as the setting `jdk` has it (`temurin-25.0.3`).

    The name is made of the vendor and of the version up to a `+`; any character but a-z, 0-9 and dot becomes a dash.
    """
    words = vendor.strip().lower()
    maker = _KNOWN_AS.get(words, words)
    return re.sub(r"[^a-z0-9.]+", "-", f"{maker}-{version.partition('+')[0].lower()}").strip("-.")
