"""Waits for a state of a cluster that its API shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import urllib3

from plumbline.measuring.cluster.api import ApiRefused, ApiSilent

_LOOK_S = 0.1


def until(state: str, look: Callable[[], Any], within_s: float = 60.0) -> Any:
    """Return what `look` returns as soon as it is true. An API that does not answer is asked again."""
    end_s = time.monotonic() + within_s
    last: object = None
    while time.monotonic() < end_s:
        try:
            if last := look():
                return last
        except (ApiRefused, ApiSilent, urllib3.exceptions.HTTPError, OSError) as error:
            last = error
        time.sleep(_LOOK_S)
    raise AssertionError(f"not within {within_s:.0f} s: {state}; the last look said {last!r}")
