"""Text that others wrote, made safe to print: terminals and plain text have no escaping.

Control characters (escape sequences of terminals among them) and marks that turn the direction of text become a
visible sign.
"""

from __future__ import annotations

import unicodedata

_SIGN = "\ufffd"
# Unicode categories: control, format (direction marks, zero width), surrogate, private use, not assigned.
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn")


def printable(text: str) -> str:
    """Return a text as one line of printable characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        " " if char in "\n\r\t" else _SIGN if unicodedata.category(char) in _UNSAFE else char for char in text
    )
