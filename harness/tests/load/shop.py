"""A shop that keeps the orders of its visitors as the contract has it, or takes one visitor's for another's."""

from __future__ import annotations

import json
import threading
from typing import Any

from .recorder import Request, Response

_FIRST = 10_001
_PATHS = ("/orders", "/orders/{orderId}", "/orders/{orderId}/items/{itemId}")


class Shop:
    """Answers requests for orders. Those of the kind `mixed_up` get what the visitor before would have got."""

    def __init__(self, mixed_up: str = "") -> None:
        self._mixed_up = mixed_up
        self._made: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Response:
        """Return the answer to a request of any thread."""
        with self._lock:
            return self._answer(request)

    def _answer(self, request: Request) -> Response:
        ids = [int(part) for part in request.path.split("/") if part.isdigit()]
        kind = f"{request.method} {_PATHS[len(ids)]}"
        sent = json.loads(request.body or b"{}")
        number = ids[0] - _FIRST if ids else self._make(sent)
        if kind == self._mixed_up:
            number, ids = number - 1, [identifier - 10 for identifier in ids]
        if request.method == "DELETE":
            return Response(204)
        answer = {**self._made[number], **sent} if len(ids) < 2 else {"itemId": ids[1], **sent}
        return Response(201 if request.method == "POST" else 200, json.dumps(answer, separators=(",", ":")).encode())

    def _make(self, sent: dict[str, Any]) -> int:
        """Keep a new order, and return its place among all."""
        lines = sent.pop("items")
        items = [{"itemId": line["productId"], "quantity": line["quantity"], "price": 2.48} for line in lines]
        self._made.append(
            {
                "id": _FIRST + len(self._made),
                **sent,
                "total": 12.16,
                "items": sorted(items, key=lambda item: item["itemId"]),
            }
        )
        sent.clear()
        return len(self._made) - 1
