"""Makes names and labels of objects, as the API of Kubernetes takes them."""

from __future__ import annotations

import hashlib
import re

from plumbline.model.errors import UsageError

SESSION_LABEL = "plumbline.dev/session"
TRIAL_LABEL = "plumbline.dev/trial"
ROLE_LABEL = "plumbline.dev/role"
PART_OF, PLUMBLINE = "app.kubernetes.io/part-of", "plumbline"
"""The label of all that a session makes, and its value."""
REST_PORT = 6565
"""The port at which every k6 is told to start, and says how many requests it has made."""
SUBJECT_ANNOTATION = "plumbline.dev/subject"
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names
_LONGEST = 63
_DIGITS = 6
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


def dns_label(text: str, longest: int = _LONGEST) -> str:
    """Return a text as the name of an object. A text that has other characters, or is too long, gets digits of its hash
    at the end, so that `open@80` and `open@80%` get two names.
    """
    word = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if word == text.lower() and 0 < len(word) <= longest:
        return word
    digits = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    return f"{word[: longest - _DIGITS - 1].strip('-') or 'x'}-{digits}"


def label_value(text: str) -> str:
    """Return the text if it can be the value of a label. Raises UsageError."""
    if _LABEL_VALUE.fullmatch(text) is None:
        raise UsageError(
            f"{text!r} can't be a label of Kubernetes.",
            "It takes at most 63 letters, digits, '-', '_' and '.'.",
        )
    return text
