"""A free port, and the wait until a server answers on it."""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg

_POLL_S = 0.05


def answers_within(conninfo: str, timeout_s: float, is_alive: Callable[[], bool]) -> bool:
    """True once a login succeeds; False when the server ends before, or after `timeout_s`.

    Raises psycopg.OperationalError when it answers and refuses the login.
    """
    until = time.monotonic() + timeout_s
    while time.monotonic() < until and is_alive():
        try:
            psycopg.connect(conninfo).close()
        except psycopg.OperationalError as error:
            if "authentication" in str(error) or "pg_hba" in str(error):
                raise
            time.sleep(_POLL_S)
        else:
            return True
    return False
