"""The API of the forge, with the token of the job: a few calls, each bounded in time, size and tries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode
from urllib.request import getproxies, proxy_bypass

import urllib3

from plumbline.model.errors import CannotGoOn, UsageError

ANSWER_BYTES = 16 * 2**20
PAGES = 60
# The most items that a Gitea server gives at once.
PER_PAGE = 50


class ApiError(CannotGoOn):
    """The forge refused or did not answer; `status` is 0 when it did not answer."""

    def __init__(self, method: str, path: str, status: int, reason: str) -> None:
        hint = {
            0: "Run the job again.",
            401: "The token is missing or has ended.",
            403: "The job's `permissions` lack what this call needs.",
            404: "It is not there, or the token may not see it.",
        }.get(status, "")
        super().__init__(f"{method} {path} was answered with {status or 'nothing'}: {reason[:200]}.", hint)
        self.status = status


@dataclass(frozen=True)
class Api:
    """The API of a forge. `repository` is `owner/name`. The token goes to `url` alone: redirects are not followed."""

    url: str
    repository: str
    token: str | None = None
    retries: int = 4

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Api:
        """Return the API that `GITHUB_API_URL`, `GITHUB_REPOSITORY` and `GITHUB_TOKEN` name. Raises UsageError."""
        repository = environ.get("GITHUB_REPOSITORY", "")
        if repository.count("/") != 1:
            raise UsageError("GITHUB_REPOSITORY names no repository.", "Set it to owner/name, and GITHUB_TOKEN.")
        url = environ.get("GITHUB_API_URL") or "https://api.github.com"
        return cls(url.rstrip("/"), repository, environ.get("GITHUB_TOKEN") or None)

    def path(self, *parts: str | int) -> str:
        """Return `/repos/owner/name/part/…`, every part quoted."""
        return f"/repos/{self.repository}/" + "/".join(quote(str(part), safe="") for part in parts)

    def get(self, path: str, **query: str | int) -> Any:
        """Return the document at a path. Raises ApiError."""
        return self._call("GET", path, None, False, query)

    def file(self, path: str, commit: str) -> bytes:
        """Return the bytes of a file at a commit. Raises ApiError."""
        content: bytes = self._call("GET", f"{self.path('contents')}/{quote(path)}", None, True, {"ref": commit})
        return content

    def find(self, path: str) -> Any | None:
        """Return the document at a path; None when there is no such document."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def pages(self, path: str, key: str | None = None, **query: str | int) -> Iterator[Any]:
        """Yield the items of a list over all its pages; `key` names the list in an answer that wraps it."""
        for page in range(1, PAGES + 1):
            paging: dict[str, str | int] = {"per_page": PER_PAGE, "limit": PER_PAGE, "page": page, **query}
            answer = self.get(path, **paging)
            items = answer.get(key, []) if key is not None else answer
            if not isinstance(items, list):
                raise ApiError("GET", path, 200, "it is no list")
            yield from items
            if len(items) < PER_PAGE:
                return
        raise ApiError("GET", path, 200, f"it has more than {PAGES * PER_PAGE} items")

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> Any:
        """Send a document, and return the answer."""
        return self._call(method, path, json.dumps(body).encode(), False, {})

    def upload(self, address: str, name: str, content: bytes) -> Any:
        """Hand over a file to an address that the forge named; the address must be on the forge's own host."""
        hosts = [(urllib3.util.parse_url(url).host or "") for url in (self.url, address)]
        if hosts[1] not in (hosts[0], hosts[0].replace("api.", "uploads.", 1)):
            raise ApiError("POST", address, 0, "it is no address of the forge")
        return self._request("POST", address, f"{address}?{urlencode({'name': name})}", content, "application/gzip")

    def _call(self, method: str, path: str, body: bytes | None, raw: bool, query: Mapping[str, Any]) -> Any:
        address = f"{self.url}{path}" + (f"?{urlencode(query)}" if query else "")
        return self._request(method, path, address, body, "application/json", raw=raw)

    def _request(
        self,
        method: str,
        path: str,
        address: str,
        body: bytes | None,
        content_type: str,
        *,
        raw: bool = False,
    ) -> Any:
        headers = {
            "Accept": "application/vnd.github.raw+json" if raw else "application/vnd.github+json",
            "User-Agent": "plumbline",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = content_type
        try:
            answer = pool(address, self.retries).request(
                method, address, body=body, headers=headers, redirect=False, preload_content=False
            )
            content = answer.read(ANSWER_BYTES + 1, decode_content=True)
            answer.close()
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(method, path, 0, type(error).__name__) from None
        if len(content) > ANSWER_BYTES:
            raise ApiError(method, path, answer.status, f"more than {ANSWER_BYTES} bytes")
        if not 200 <= answer.status < 300:
            raise ApiError(method, path, answer.status, _message_of_answer(content))
        if raw:
            return content
        try:
            return json.loads(content) if content else None
        except ValueError:
            raise ApiError(method, path, answer.status, "it is no JSON document") from None


def pool(address: str, retries: int) -> urllib3.PoolManager:
    """Return a pool of connections, by the environment's proxy; the pool repeats requests that may be repeated."""
    parts = urllib3.util.parse_url(address)
    # Only reading is repeated: a comment sent twice is two comments.
    retry_policy = urllib3.Retry(
        total=retries,
        redirect=0,
        backoff_factor=0.5,
        backoff_jitter=0.5,
        status_forcelist=(429, 500, 502, 503, 504),
        allowed_methods=frozenset({"GET"}),
        raise_on_status=False,
    )
    timeout = urllib3.Timeout(connect=10, read=60)
    proxy = None if proxy_bypass(parts.host or "") else getproxies().get(parts.scheme or "")
    if proxy:
        return urllib3.ProxyManager(proxy, retries=retry_policy, timeout=timeout)
    return urllib3.PoolManager(retries=retry_policy, timeout=timeout)


def _message_of_answer(content: bytes) -> str:
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return "no reason was given"
