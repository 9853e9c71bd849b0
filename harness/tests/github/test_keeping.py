"""Comments, issues of alerts, releases of logs and requests for versions: updated in place, not made again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from laboratory.versions import propose
from plumbline.archive.history.alerts import Alert
from plumbline.archive.history.analysis import Candidate, Question
from plumbline.machine.tools.git import GitFailed
from plumbline.model.errors import UsageError
from plumbline.reporting.github.api import ApiError
from plumbline.reporting.github.issues import keep_comment, keep_issues
from plumbline.reporting.github.releases import keep_logs, packed_logs
from tests.change.checkout import files, git, make
from tests.data.remotes import bare
from tests.github.forge import Forge

BOT = {"login": "github-actions[bot]", "type": "Bot"}


def comment(number: int, body: str, **user: str) -> dict[str, Any]:
    return {"id": number, "body": body, "user": user or BOT, "html_url": f"https://x/{number}"}


def test_the_first_comment(forge: Forge) -> None:
    forge.on("GET", "/issues/12/comments", [])
    forge.on("POST", "/issues/12/comments", (201, {"html_url": "https://x/1"}))
    assert keep_comment(forge.api(), 12, "metal", "words") == "https://x/1"
    assert forge.sent("POST") == [("/issues/12/comments", {"body": "<!-- plumbline: metal -->\nwords"})]


def test_the_same_comment_again_wherever_it_stands(forge: Forge) -> None:
    foreign_comments = [comment(number, "hello", login="somebody", type="User") for number in range(70)]
    forge.on("GET", "/issues/12/comments", [*foreign_comments, comment(99, "<!-- plumbline: metal -->\nold")])
    forge.on("PATCH", "/issues/comments/99", {"html_url": "https://x/99"})
    assert keep_comment(forge.api(), 12, "metal", "new") == "https://x/99"
    assert forge.sent("PATCH") == [("/issues/comments/99", {"body": "<!-- plumbline: metal -->\nnew"})]
    assert forge.sent("POST") == []


def test_a_stranger_with_our_mark_and_another_kind_are_left_alone(forge: Forge) -> None:
    forge.on(
        "GET",
        "/issues/12/comments",
        [
            comment(1, "<!-- plumbline: metal -->\nmine", login="evil", type="User"),
            comment(2, "<!-- plumbline: hosted -->\nold"),
            comment(3, "quoting <!-- plumbline: metal -->"),
        ],
    )
    forge.on("POST", "/issues/12/comments", (201, {"html_url": "https://x/4"}))
    assert keep_comment(forge.api(), 12, "metal", "words") == "https://x/4"
    assert forge.sent("PATCH") == []


def test_a_comment_is_not_sent_twice(forge: Forge) -> None:
    forge.on("GET", "/issues/12/comments", [])
    forge.on("POST", "/issues/12/comments", (502, {"message": "gateway"}))
    with pytest.raises(ApiError):
        keep_comment(forge.api(retries=4), 12, "metal", "words")
    assert len(forge.sent("POST")) == 1


def test_a_comment_of_any_length_fits(forge: Forge) -> None:
    forge.on("GET", "/issues/12/comments", [])
    forge.on("POST", "/issues/12/comments", (201, {"html_url": "https://x/1"}))
    keep_comment(forge.api(), 12, "metal", "a line\n" * 20_000)
    ((_, body),) = forge.sent("POST")
    assert len(body["body"]) < 65_536


def alert(state: str = "open", id_: str = "0a1b2c3d4e5f") -> Alert:
    return Alert(
        id=id_,
        series="vertx-pg/jvm/pg fruits@1 closed throughput_per_s on lab",
        session="20260901T101500Z-lab-0a1b2c",
        t="2026-09-01T10:15:00Z",
        state=state,  # type: ignore[arg-type]
        reason="a change that nobody has confirmed",
        worse=True,
        ratio=0.97,
        low=0.96,
        high=0.98,
    )


CANDIDATE = Candidate("0a1b2c3d4e5f", Question("a" * 40, "b" * 40, "vertx-pg/jvm/pg", "fruits"), None)


def issue(body: str, state: str = "open", number: int = 7) -> dict[str, Any]:
    return {"number": number, "state": state, "body": body, "title": "x"}


def test_an_issue_names_a_change_beyond_300_per_cent_as_a_factor(forge: Forge) -> None:
    forge.on("GET", "/issues", [])
    forge.on("POST", "/issues", (201, {}))
    keep_issues(forge.api(), [alert().model_copy(update={"ratio": 6.3})], [CANDIDATE])
    ((_, new_issue),) = forge.sent("POST")
    assert new_issue["title"].startswith("Worse by a factor of 6.3: ")


def test_an_alert_has_one_issue_for_its_life(forge: Forge) -> None:
    forge.on("GET", "/issues", [])
    forge.on("POST", "/issues", (201, {}))
    assert keep_issues(forge.api(), [alert()], [CANDIDATE]).opened == 1
    ((_, new_issue),) = forge.sent("POST")
    assert new_issue["title"].startswith("Worse by 3.0 %: vertx-pg/jvm/pg")
    assert f"./bench compare {'a' * 40} {'b' * 40} --only 'vertx-pg/jvm/pg' --scenario fruits" in new_issue["body"]
    # The same alerts again: nothing to do.
    forge.on("GET", "/issues", [issue(new_issue["body"].replace("\n", "\r\n"))])
    changes = keep_issues(forge.api(), [alert()], [CANDIDATE])
    assert (changes.opened, changes.updated, changes.closed) == (0, 0, 0)
    # Confirmed: written anew. Fixed: closed. Fixed and closed: nothing.
    forge.on("PATCH", "/issues/7", {})
    assert keep_issues(forge.api(), [alert("confirmed")], []).updated == 1
    assert keep_issues(forge.api(), [alert("fixed")], []).closed == 1
    assert forge.sent("PATCH")[-1][1]["state"] == "closed"
    forge.on("GET", "/issues", [issue(new_issue["body"], "closed")])
    assert keep_issues(forge.api(), [alert("fixed")], []).closed == 0


def test_an_alert_that_was_cleared_before_anyone_was_told_opens_none(forge: Forge) -> None:
    forge.on("GET", "/issues", [])
    changes = keep_issues(forge.api(), [alert("cleared")], [])
    assert (changes.opened, changes.updated, changes.closed) == (0, 0, 0)
    assert forge.sent("POST") == []


def test_a_dry_run_only_reads(forge: Forge) -> None:
    forge.on("GET", "/issues", [])
    assert keep_issues(forge.api(), [alert()], [], dry_run=True).opened == 1
    assert {method for method, *_ in forge.asked} == {"GET"}


def test_a_pull_request_with_our_mark_is_no_issue(forge: Forge) -> None:
    forge.on("GET", "/issues", [{**issue("<!-- plumbline: alert 0a1b2c3d4e5f -->\n"), "pull_request": {}}])
    forge.on("POST", "/issues", (201, {}))
    assert keep_issues(forge.api(), [alert()], []).opened == 1


def session_with_logs(tmp_path: Path) -> Path:
    folder = tmp_path / "20260901T101500Z-lab-0a1b2c"
    (folder / "logs" / "0001").mkdir(parents=True)
    (folder / "logs" / "0001" / "app.log").write_text("words\n")
    (folder / "logs" / "link").symlink_to("/etc/passwd")
    return folder


def test_logs_are_an_asset_by_their_digest(forge: Forge, tmp_path: Path) -> None:
    name, content = packed_logs(session_with_logs(tmp_path))
    assert name == f"{hashlib.sha256(content).hexdigest()}.tar.gz"
    assert packed_logs(tmp_path / "20260901T101500Z-lab-0a1b2c") == (name, content)
    forge.on(
        "POST",
        "/releases",
        (201, {"id": 3, "upload_url": f"{forge.url}/repos/owner/name/releases/3/assets{{?name}}"}),
    )
    forge.on("GET", "/releases/3/assets", [])
    forge.on("POST", "/releases/3/assets", (201, {"browser_download_url": "https://x/a"}))
    assert keep_logs(forge.api(), "2026-09", name, content) == ("https://x/a", True)
    assert forge.sent("POST")[0][1]["tag_name"] == "logs-2026-09"
    forge.on("GET", "/releases/tags/logs-2026-09", {"id": 3, "upload_url": ""})
    forge.on("GET", "/releases/3/assets", [{"name": name, "browser_download_url": "https://x/a"}])
    assert keep_logs(forge.api(), "2026-09", name, content) == ("https://x/a", False)


def test_logs_whose_upload_broke_off_are_uploaded_again(forge: Forge) -> None:
    """GitHub leaves an empty asset in the state `starter`. https://docs.github.com/rest/releases/assets"""
    broken = {"id": 7, "name": "x.tar.gz", "state": "starter", "browser_download_url": "https://x/broken"}
    forge.on("GET", "/releases/tags/logs-2026-09", {"id": 3, "upload_url": ""})
    forge.on("GET", "/releases/3/assets", [broken])
    forge.on("DELETE", "/releases/assets/7", (204, b""))
    forge.on("POST", "/releases/3/assets", (201, {"browser_download_url": "https://x/a"}))
    assert keep_logs(forge.api(), "2026-09", "x.tar.gz", b"x") == ("https://x/a", True)
    assert [path for path, _ in forge.sent("DELETE")] == ["/releases/assets/7"]


def test_the_token_goes_to_no_other_host(forge: Forge) -> None:
    forge.on("GET", "/releases/tags/logs-2026-09", {"id": 3, "upload_url": "https://evil.example/assets{?name}"})
    forge.on("GET", "/releases/3/assets", [])
    with pytest.raises(ApiError, match="no address of the forge"):
        keep_logs(forge.api(), "2026-09", "x.tar.gz", b"x")


def test_a_session_without_logs_is_said(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with pytest.raises(UsageError, match="has no logs"):
        packed_logs(tmp_path)


def compared(remote: Path) -> dict[str, Any]:
    """The forge's comparison of main with the branch of a version."""
    rows = git(remote, "log", "--format=%H %T %ce", "main..versions/alpha").splitlines()
    return {
        "merge_base_commit": {"sha": git(remote, "merge-base", "main", "versions/alpha")},
        "commits": [
            {"sha": sha, "commit": {"tree": {"sha": tree}, "committer": {"email": email}}}
            for sha, tree, email in map(str.split, rows)
        ],
    }


def test_a_raised_version_is_one_pull_request(forge: Forge, tmp_path: Path) -> None:
    root, remote = make(tmp_path / "tree", files()), bare(tmp_path / "remote")
    git(root, "push", "-q", str(remote), "main")
    pom = root / "apps" / "pom.xml"
    pom.write_text(pom.read_text().replace("1.0.0", "1.1.0"))
    (root / "README.md").write_text("not meant\n")
    forge.on("GET", "/pulls", [])
    forge.on("POST", "/pulls", (201, {"html_url": "https://x/pull/1"}))
    args = ("versions/alpha", "alpha 1.0.0 -> 1.1.0", ("apps/pom.xml",), "main")
    assert propose(root, forge.api(), str(remote), *args) == ("https://x/pull/1", True)
    assert git(remote, "diff", "--name-only", "main", "versions/alpha") == "apps/pom.xml"
    assert git(remote, "log", "-1", "--format=%s", "versions/alpha") == "alpha 1.0.0 -> 1.1.0"
    assert git(root, "status", "--short").split() == ["M", "README.md", "M", "apps/pom.xml"], "left as it was"
    # A week later: the same branch, made anew, and the open request. Without a newer version nothing is pushed.
    forge.on("GET", "/compare/main...versions/alpha", compared(remote))
    forge.on("PATCH", "/pulls/1", {"html_url": "https://x/pull/1"})
    pom.write_text(pom.read_text().replace("1.1.0", "1.2.0"))
    open_request = {"number": 1, "head": {"ref": "versions/alpha", "repo": {"full_name": "owner/name"}}}
    forge.on("GET", "/pulls", [open_request])
    for is_new in (True, False):
        assert propose(root, forge.api(), str(remote), *args) == ("https://x/pull/1", is_new)
        forge.on("GET", "/compare/main...versions/alpha", compared(remote))
    assert git(remote, "rev-list", "--count", "main..versions/alpha") == "1"
    assert len(forge.sent("POST")) == 1


@pytest.mark.parametrize("way", ["a commit", "an amended commit"])
def test_a_branch_with_a_commit_of_somebody_else_stays(forge: Forge, tmp_path: Path, way: str) -> None:
    root, remote = make(tmp_path / "tree", files()), bare(tmp_path / "remote")
    git(root, "push", "-q", str(remote), "main")
    pom = root / "apps" / "pom.xml"
    pom.write_text(pom.read_text().replace("1.0.0", "1.1.0"))
    forge.on("GET", "/pulls", [])
    forge.on("POST", "/pulls", (201, {"html_url": "https://x/pull/1"}))
    args = ("versions/alpha", "alpha 1.0.0 -> 1.1.0", ("apps/pom.xml",), "main")
    propose(root, forge.api(), str(remote), *args)
    git(tmp_path, "clone", "-q", "-b", "versions/alpha", str(remote), "person")
    git(
        tmp_path / "person", "commit", "-q", "--allow-empty", *(["--amend"] if "amended" in way else []), "-m", "mended"
    )
    git(tmp_path / "person", "push", "-q", "--force", "origin", "HEAD")
    tip = git(remote, "rev-parse", "versions/alpha")
    forge.on("GET", "/compare/main...versions/alpha", compared(remote))
    pom.write_text(pom.read_text().replace("1.1.0", "1.2.0"))
    assert propose(root, forge.api(), str(remote), *args) == ("", False)
    assert git(remote, "rev-parse", "versions/alpha") == tip
    assert len(forge.sent("POST")) == 1 and not forge.sent("PATCH")


def test_a_commit_that_comes_after_the_look_at_a_branch_stays(forge: Forge, tmp_path: Path) -> None:
    root, remote = make(tmp_path / "tree", files()), bare(tmp_path / "remote")
    git(root, "push", "-q", str(remote), "main", "main:versions/alpha")
    pom = root / "apps" / "pom.xml"
    pom.write_text(pom.read_text().replace("1.0.0", "1.1.0"))
    for answer in (None, {"merge_base_commit": {"sha": "0" * 39 + "1"}, "commits": []}):
        if answer is not None:
            forge.on("GET", "/compare/main...versions/alpha", answer)
        with pytest.raises(GitFailed, match="push failed"):
            propose(root, forge.api(), str(remote), "versions/alpha", "x", ("apps/pom.xml",), "main")
    assert git(remote, "rev-parse", "versions/alpha") == git(remote, "rev-parse", "main")


def test_nothing_raised_is_said(forge: Forge, tmp_path: Path) -> None:
    root = make(tmp_path / "tree", files())
    with pytest.raises(UsageError, match="Nothing is raised"):
        propose(root, forge.api(), "origin", "versions/alpha", "x", ("apps/pom.xml",), "main")
