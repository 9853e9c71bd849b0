"""Where an application is reached, plain or over TLS: one interface for the prober, probes and everybody who asks it."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass


@dataclass(frozen=True)
class Endpoint:
    """An address; `tls` is None for plain HTTP."""

    port: int
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """The base of its addresses."""
        return f"http{'' if self.tls is None else 's'}://{self.host}:{self.port}"

    def connection(self, timeout_s: float) -> http.client.HTTPConnection:
        """A connection that opens with its first request."""
        if self.tls is None:
            return http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout_s, context=self.tls)
