"""The name of a JDK's build as the setting `jdk` has it: `temurin-25.0.3`."""

from __future__ import annotations

import re

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
    """Return vendor and version, of which what stands behind a `+` is left out; any other character becomes a dash."""
    words = vendor.strip().lower()
    known = _KNOWN_AS.get(words, words)
    return re.sub(r"[^a-z0-9.]+", "-", f"{known}-{version.partition('+')[0].lower()}").strip("-.")
