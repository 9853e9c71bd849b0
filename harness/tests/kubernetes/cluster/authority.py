"""Certificates of one cluster: an authority of its own, and a pair for each part and each user."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LASTS = timedelta(days=1)
# For clocks that are behind.
_BEFORE = timedelta(minutes=5)


@dataclass(frozen=True)
class Pair:
    """The files of a certificate and of its key."""

    certificate: Path
    key: Path


class Authority:
    """An authority whose certificate is `file`; certificates that it issues stand beside it, and last a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("cluster", "")
        whole = x509.BasicConstraints(ca=True, path_length=0)
        certificate = self._builder(self._name, self._key).add_extension(whole, critical=True)
        self.file = folder / "authority.crt"
        self.file.write_bytes(_pem(certificate.sign(self._key, hashes.SHA256())))

    def issue(self, file: str, name: str, group: str = "", addresses: Sequence[str] = ()) -> Pair:
        """Issue a pair for `name`, which Kubernetes takes for a member of `group`, to serve at these IP addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH])
        builder = self._builder(_named(name, group), key).add_extension(usage, critical=False)
        if addresses:
            served = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
            builder = builder.add_extension(x509.SubjectAlternativeName(served), critical=False)
        pair = Pair(self._folder / f"{file}.crt", self._folder / f"{file}.key")
        pair.certificate.write_bytes(_pem(builder.sign(self._key, hashes.SHA256())))
        pair.key.touch(mode=0o600)
        pair.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return pair

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _BEFORE)
            .not_valid_after(now + _LASTS)
        )


def _named(name: str, group: str) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
    if group:
        parts.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
    return x509.Name(parts)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
