"""Keeps one comment on a pull request up to date."""

from __future__ import annotations

from .api import Api

# Found again by this line, which shows nowhere. It stands first, and only a comment of our own account counts.
MARK = "<!-- plumbline: {kind} -->"
LONGEST = 60_000


def keep_comment(api: Api, number: int, kind: str, body: str) -> str:
    """Write the comment of that kind, or write it anew in its place, and return its address."""
    mark = MARK.format(kind=kind)
    text = f"{mark}\n{body}"
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition("\n")[0] + "\n\nThe rest is in the job's summary.\n"
    for comment in api.pages(api.path("issues", number, "comments")):
        if str(comment.get("body", "")).startswith(mark) and _is_ours(comment):
            changed = api.send("PATCH", api.path("issues", "comments", comment["id"]), {"body": text})
            return str(changed["html_url"])
    made = api.send("POST", api.path("issues", number, "comments"), {"body": text})
    return str(made["html_url"])


def _is_ours(comment: dict[str, object]) -> bool:
    """Return whether a comment is ours: anybody may write our mark, so only a bot's counts (Gitea names its)."""
    user = comment.get("user")
    if not isinstance(user, dict):
        return False
    return user.get("type") == "Bot" or user.get("login") in ("gitea-actions", "github-actions[bot]")
