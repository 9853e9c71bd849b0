"""The waits of requests of the contract: the sleep of `/sleep` and `/split`, and the six sources of an order."""

from __future__ import annotations

SLEEP_MS = 2.0
# One of so many requests of a process sleeps in `/split`.
SPLIT_EVERY = 5

SOURCES = ("customers", "cards", "addresses", "products", "stock", "discounts")
ORDER = "POST /orders"
