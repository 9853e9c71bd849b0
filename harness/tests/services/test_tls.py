from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.verification import PolicyBuilder, Store

from plumbline.measuring.services.tls import make_tls_keys, write_tls_keys

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_the_authority_vouches_for_localhost_for_a_month() -> None:
    keys = make_tls_keys(NOW)
    authority, server = map(x509.load_pem_x509_certificate, (keys.authority, keys.certificate))
    policy = PolicyBuilder().store(Store([authority]))
    for name in (x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))):
        for moment in (NOW, NOW + timedelta(days=29)):
            policy.time(moment).build_server_verifier(name).verify(server, [])
    assert server.not_valid_after_utc == NOW + timedelta(days=30)


def test_the_key_is_the_certificates_and_every_session_has_its_own() -> None:
    first, second = make_tls_keys(NOW), make_tls_keys(NOW)
    key = serialization.load_pem_private_key(first.key, None)
    assert key.public_key() == x509.load_pem_x509_certificate(first.certificate).public_key()
    assert first.key != second.key and first.authority != second.authority


def test_the_key_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    for _ in range(2):
        files = write_tls_keys(make_tls_keys(NOW), tmp_path / "tls")
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.authority.stat().st_mode) == 0o644
    assert b"PRIVATE" not in files.authority.read_bytes() + files.certificate.read_bytes()
