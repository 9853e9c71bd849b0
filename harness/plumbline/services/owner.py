"""Who a database server of ours runs as when we are root."""

from __future__ import annotations

import os
import pwd

from plumbline.model.errors import UsageError

# The first of these that exists.
_UNPRIVILEGED = ("plumbline", "nobody")


def unprivileged_owner(server: str) -> tuple[str, int, int] | None:
    """Name, uid and gid of the user; None when we are not root, and it is us. Servers refuse root, or should."""
    if os.geteuid() != 0:
        return None
    for name in _UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_name, entry.pw_uid, entry.pw_gid
    raise UsageError(
        f"{server} refuses to run as root, and there is no user plumbline or nobody.",
        "Make one: `useradd --system plumbline`.",
    )
