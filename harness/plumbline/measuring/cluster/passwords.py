"""The passwords of a trial's database."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

_PLAIN = re.compile(r"[A-Za-z0-9_-]{8,64}")


@dataclass(frozen=True)
class ClusterPasswords:
    """The passwords of the administrator and of the application. They appear in a statement of SQL, so they
    have only letters, digits, '-' and '_'.
    """

    administrator: str
    application: str

    def __post_init__(self) -> None:
        for password in (self.administrator, self.application):
            if _PLAIN.fullmatch(password) is None:
                raise ValueError("a password has 8 to 64 letters, digits, '-' and '_'")


def drawn_passwords() -> ClusterPasswords:
    """Return new random passwords."""
    return ClusterPasswords(secrets.token_urlsafe(18), secrets.token_urlsafe(18))
