"""TLS keys of a session, for database and HTTP: an authority signs one server certificate and is then forgotten."""

from __future__ import annotations

import os
import secrets
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Longer than any campaign, and soon worthless.
_VALID = timedelta(days=30)
# Clocks of two hosts may differ a little.
_EARLIER = timedelta(hours=1)


@dataclass(frozen=True)
class TlsKeys:
    """PEM texts. The authority's private key is in none of them."""

    authority: bytes
    certificate: bytes
    key: bytes


@dataclass(frozen=True)
class TlsFiles:
    """The paths of the PEM texts."""

    authority: Path
    certificate: Path
    key: Path


def make_tls_keys(now: datetime) -> TlsKeys:
    """Make keys for a server called localhost or 127.0.0.1: ECDSA on P-256, valid for 30 days."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    server_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Plumbline session authority")])
    server_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    authority = (
        _builder(authority_name, authority_name, authority_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    certificate = (
        _builder(server_name, authority_name, server_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    return TlsKeys(
        authority.public_bytes(serialization.Encoding.PEM),
        certificate.public_bytes(serialization.Encoding.PEM),
        server_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def write_tls_keys(keys: TlsKeys, folder: Path) -> TlsFiles:
    """Write the PEM files; only we can read the key, from its first byte on."""
    authority, certificate = write_public_keys(keys, folder)
    return TlsFiles(authority, certificate, _write(folder / "server.key", keys.key, 0o600))


def write_public_keys(keys: TlsKeys, folder: Path) -> tuple[Path, Path]:
    """Write authority and certificate as PEM files for everybody, and return their paths; the owner writes the key."""
    folder.mkdir(mode=0o711, exist_ok=True)
    return (
        _write(folder / "authority.pem", keys.authority, 0o644),
        _write(folder / "server.pem", keys.certificate, 0o644),
    )


def _write(path: Path, text: bytes, mode: int) -> Path:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(text)
    path.chmod(mode)
    return path


def _builder(
    subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey, now: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + _VALID)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


@dataclass(frozen=True)
class HttpTls:
    """Certificate and key as PEM files, and both in a PKCS #12 store with a password."""

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
    """Make certificate and key in `folder`; `shared` lets other users, such as an application's, read the key."""
    keys = make_tls_keys(datetime.now(UTC))
    files = write_tls_keys(keys, folder)
    password = secrets.token_hex(16)
    store = folder / "server.p12"
    key = load_pem_private_key(keys.key, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    certificate, authority = (x509.load_pem_x509_certificate(text) for text in (keys.certificate, keys.authority))
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
