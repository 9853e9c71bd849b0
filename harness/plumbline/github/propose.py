"""Open a pull request for each raised version, on a branch that is made anew on top of main, or renew the request."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from plumbline.data.branch import AUTHOR, credentials
from plumbline.model.errors import UsageError
from plumbline.tools.git import Git
from .api import Api
from .markdown import plain


def propose(
    root: Path, api: Api, remote: str, branch: str, title: str, files: tuple[str, ...], base: str
) -> str:
    """Commit the working tree's `files` on top of HEAD, push the commit as `branch`, and return the address of the pull
    request.

    The checkout's own branch and index stay as they are. The branch is the program's own, and written over.
    """
    git = Git(root, environ=AUTHOR, config=credentials(remote, api.token))
    if not git.text("diff", "--name-only", "HEAD", "--", *files):
        raise UsageError(
            f"Nothing is raised in {', '.join(files)}.", "First: ./bench ci versions --raise NAME"
        )
    with TemporaryDirectory(prefix="plumbline-index-") as folder:
        own = Git(root, environ={**AUTHOR, "GIT_INDEX_FILE": str(Path(folder) / "index")}, config=git.config)
        own.output("read-tree", "HEAD")
        own.output("add", "--", *files)
        tree = own.text("write-tree")
    commit = git.text("commit-tree", tree, "-p", "HEAD", "-m", title)
    git.output("push", "--quiet", "--force", remote, f"{commit}:refs/heads/{branch}")
    body = (
        f"{plain(title)}.\n\nThe comparison of this pull request measures what it changes. A pull request that a "
        "workflow opens starts no workflow by itself: close and reopen it, or push to it, to start them.\n"
    )
    owner = api.repository.partition("/")[0]
    for pull in api.pages(api.path("pulls"), state="open", head=f"{owner}:{branch}"):
        if pull["head"]["ref"] == branch and pull["head"]["repo"]["full_name"] == api.repository:
            changed = api.send("PATCH", api.path("pulls", pull["number"]), {"title": title, "body": body})
            return str(changed["html_url"])
    made = api.send("POST", api.path("pulls"), {"title": title, "body": body, "head": branch, "base": base})
    return str(made["html_url"])
