"""Actions that workflows pin by commit, held against their newest release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .api import Api, ApiError

_USES = re.compile(
    r"uses:\s*(?P<repository>[\w.-]+/[\w.-]+)(?:/[\w./-]+)?@(?P<commit>[0-9a-f]{40})\s+#\s*(?P<tag>v?[0-9][\w.-]*)"
)


@dataclass(frozen=True)
class ActionPin:
    """A pinned action. `moved`: its tag names another commit by now; `unknown`: the forge did not say."""

    repository: str
    commit: str
    tag: str
    newest: str | None
    answer: Literal["newest", "stale", "moved", "unknown"]


def pinned(root: Path) -> list[tuple[str, str, str]]:
    """Return (repository, commit, tag) of every pin below `.github`, each once."""
    found = set()
    for path in sorted((root / ".github").rglob("*.yml")):
        for match in _USES.finditer(path.read_text(encoding="utf-8")):
            found.add((match["repository"], match["commit"], match["tag"]))
    return sorted(found)


def looked_up(root: Path, api: Api) -> Iterator[ActionPin]:
    """Yield every pin with the newest release of its repository."""
    for repository, commit, tag in pinned(root):
        try:
            newest = str(api.get(f"/repos/{repository}/releases/latest")["tag_name"])
            now = str(api.get(f"/repos/{repository}/commits/{tag}")["sha"])
        except (ApiError, KeyError, TypeError):
            yield ActionPin(repository, commit, tag, None, "unknown")
            continue
        # A tag that moved is the one thing that a pin protects from: it is told before anything else.
        answer: Literal["newest", "stale", "moved"] = "newest" if newest == tag else "stale"
        yield ActionPin(repository, commit, tag, newest, "moved" if now != commit else answer)
