"""The certificate with which applications serve HTTP over TLS, made for a session beside the database's."""

from __future__ import annotations

import secrets
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates

from .tls import TlsFiles, make_tls_keys, write_tls_keys


@dataclass(frozen=True)
class HttpTls:
    """Certificate and key as PEM files, and the same in a PKCS #12 store with a password."""

    files: TlsFiles
    store: Path
    password: str

    @cached_property
    def client(self) -> ssl.SSLContext:
        """Return the TLS context of our connections: TLS 1.3, and a certificate of this session's authority."""
        context = ssl.create_default_context(cafile=str(self.files.authority))
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        return context


def make_http_tls(folder: Path, *, shared: bool = False) -> HttpTls:
    """Make certificate and key in `folder`; `shared` lets other users read the key, such as that of an application."""
    keys = make_tls_keys(datetime.now(UTC))
    files = write_tls_keys(keys, folder)
    password = secrets.token_hex(16)
    store = folder / "server.p12"
    key = load_pem_private_key(keys.key, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    certificate, authority = (
        x509.load_pem_x509_certificate(text) for text in (keys.certificate, keys.authority)
    )
    store.touch(mode=0o600)
    store.write_bytes(
        serialize_key_and_certificates(
            b"http", key, certificate, [authority], BestAvailableEncryption(password.encode())
        )
    )
    if shared:
        for path in (files.key, store):
            path.chmod(0o644)
    return HttpTls(files, store, password)
