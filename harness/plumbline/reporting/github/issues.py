"""Keeps one issue for each alert (opens it, keeps it up to date, closes it), and one comment on a pull request.

`history` decides what an alert is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plumbline.archive.history.alerts import UNSOLVED, Alert
from plumbline.archive.history.analysis import Candidate
from plumbline.archive.record.markdown import table
from plumbline.verdicts.stats.amounts import largest_change
from .api import Api
from .workflow import plain

LABEL = "performance"
MARK = "<!-- plumbline: alert {id} -->"


@dataclass(frozen=True)
class IssueCounts:
    """The numbers of issues that were opened, written anew and closed."""

    opened: int
    updated: int
    closed: int


def keep_issues(
    api: Api,
    alerts: Sequence[Alert],
    candidates: Sequence[Candidate],
    *,
    dry_run: bool = False,
) -> IssueCounts:
    """Bring the issues into the state of the alerts. An alert that is cleared before an issue was opened opens none."""
    issues = _issues_by_alert(api)
    candidates_by_alert = {candidate.alert: candidate for candidate in candidates}
    opened = updated = closed = 0
    for alert in alerts:
        issue = issues.get(alert.id)
        body = _body(alert, candidates_by_alert.get(alert.id))
        change = "Changed" if alert.worse is None else f"Worse by {largest_change([math.log(alert.ratio)])}"
        title = f"{change}: {alert.series}"[:250]
        if alert.state in UNSOLVED and issue is None:
            opened += 1
            if not dry_run:
                api.send("POST", api.path("issues"), {"title": title, "body": body, **_labels(api)})
        elif issue is not None and alert.state in UNSOLVED and (issue["body"], issue["state"]) != (body, "open"):
            updated += 1
            if not dry_run:
                api.send(
                    "PATCH",
                    api.path("issues", issue["number"]),
                    {"title": title, "body": body, "state": "open"},
                )
        elif issue is not None and alert.state not in UNSOLVED and issue["state"] == "open":
            closed += 1
            if not dry_run:
                api.send("PATCH", api.path("issues", issue["number"]), {"body": body, "state": "closed"})
    return IssueCounts(opened, updated, closed)


def _issues_by_alert(api: Api) -> dict[str, dict[str, str]]:
    """Return our issues by the alert that each issue is about."""
    issues: dict[str, dict[str, str]] = {}
    head, _, tail = MARK.partition("{id}")
    for issue in api.pages(api.path("issues"), state="all", labels=LABEL):
        body = str(issue.get("body") or "").replace("\r\n", "\n")
        first_line = body.partition("\n")[0]
        if first_line.startswith(head) and first_line.endswith(tail) and issue.get("pull_request") is None:
            fields = {"number": str(issue["number"]), "state": str(issue["state"]), "body": body}
            issues.setdefault(first_line.removeprefix(head).removesuffix(tail), fields)
    return issues


def _labels(api: Api) -> dict[str, list[object]]:
    """Return the field of labels: names for GitHub, ids for Gitea, where a missing label is made first."""
    existing = api.find(api.path("labels")) or []
    ids = [label["id"] for label in existing if label.get("name") == LABEL]
    if "/api/v1" in api.url:
        if not ids:
            ids = [api.send("POST", api.path("labels"), {"name": LABEL, "color": "#b60205"})["id"]]
        return {"labels": list(ids)}
    return {"labels": [LABEL]}


def _body(alert: Alert, candidate: Candidate | None) -> str:
    rows = [
        ("alert", f"`{alert.id}`"),
        ("series", plain(alert.series)),
        ("since", plain(str(alert.t))),
        ("first session", plain(alert.session)),
        ("new / old", f"{alert.ratio:.4g} ({alert.low:.4g} to {alert.high:.4g})"),
        ("state", f"{alert.state}: {plain(alert.reason)}"),
    ]
    if candidate is not None and alert.state == "open":
        confirmation = f"`{candidate.command}`" if candidate.command else plain(candidate.reason or "")
        rows.append(("to confirm", confirmation))
    footer = "This text is kept up to date by a program; comment below."
    return "\n".join((MARK.format(id=alert.id), *table(("", ""), rows, escape=False), "", footer))


# A comment is found again by this invisible line. It stands first, and only a comment of our own account counts.
COMMENT_MARK = "<!-- plumbline: {kind} -->"
COMMENT_LONGEST = 60_000


def keep_comment(api: Api, number: int, kind: str, body: str) -> str:
    """Write the comment of that kind, or replace the text of the existing one, and return its address."""
    mark = COMMENT_MARK.format(kind=kind)
    text = f"{mark}\n{body}"
    if len(text) > COMMENT_LONGEST:
        text = text[:COMMENT_LONGEST].rpartition("\n")[0] + "\n\nThe rest is in the job's summary.\n"
    for comment in api.pages(api.path("issues", number, "comments")):
        if str(comment.get("body", "")).startswith(mark) and _is_ours(comment):
            changed = api.send("PATCH", api.path("issues", "comments", comment["id"]), {"body": text})
            return str(changed["html_url"])
    created = api.send("POST", api.path("issues", number, "comments"), {"body": text})
    return str(created["html_url"])


def _is_ours(comment: dict[str, object]) -> bool:
    """Return whether a comment is ours: anybody may write our mark, so only bots count (in Gitea by their name)."""
    user = comment.get("user")
    if not isinstance(user, dict):
        return False
    return user.get("type") == "Bot" or user.get("login") in ("gitea-actions", "github-actions[bot]")
