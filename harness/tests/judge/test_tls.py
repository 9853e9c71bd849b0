"""R13: connections are as encrypted as declared, and alike, to the database and to the load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from plumbline.model.evidence import Evidence, HttpTlsUse, TlsUse
from tests.judge.damage import (
    damaged,
    each_measured,
    findings,
    first,
    with_column,
    with_fields,
)
from tests.judge.evidence import TIMES, session
from tests.judge.planned import SUBJECTS


def test_another_cipher_is_told() -> None:
    whole = session(subjects=(SUBJECTS[2], "quarkus-rest-orm/jvm/pg"))
    tls = (TlsUse(version="TLSv1.3", cipher="TLS_CHACHA20_POLY1305_SHA256", connections=20),)
    number = first(whole, SUBJECTS[2])
    found = findings(damaged(whole, number, with_fields(tls=tls)), number, "R13")[None]
    assert found.outcome == "invalid"
    assert "Ciphers differ" in found.reading


def test_an_old_version_of_tls_is_told() -> None:
    whole = session()
    tls = (TlsUse(version="TLSv1.2", cipher="ECDHE-RSA-AES128-GCM-SHA256", connections=20),)
    whole = each_measured(whole, SUBJECTS[2], with_fields(tls=tls))
    found = findings(whole, first(whole, SUBJECTS[2]), "R13")[None]
    assert found.outcome == "invalid"
    assert "TLSv1.3 is asked for" in found.reading


def test_plain_connections_where_encrypted_are_declared() -> None:
    whole = session()
    number = first(whole, SUBJECTS[2])
    change = with_fields(tls=(TlsUse(version=None, cipher=None, connections=20),))
    found = findings(damaged(whole, number, change), number, "R13")[None]
    assert found.outcome == "invalid"
    assert "20 connections to the database are plain where encrypted ones are declared" in found.reading


def test_plain_connections_under_load_that_are_encrypted_when_it_is_over() -> None:
    whole = session()
    number = first(whole, SUBJECTS[2])
    start_s, end_s = TIMES["closed"]
    change = with_column("db.tls_connections", lambda t_s, value: 0.0 if start_s < t_s < end_s else value)
    found = findings(damaged(whole, number, change), number, "R13")[None]
    assert found.outcome == "invalid"
    assert "Up to 20 connections to the database at once were plain in closed where encrypted" in found.reading


def over_tls(version: str | None, cipher: str | None) -> Callable[[Evidence], Evidence]:
    return with_fields(http_tls=HttpTlsUse(version=version, cipher=cipher))


@pytest.mark.parametrize(
    ("second", "outcome", "words"),
    [
        (over_tls("TLSv1.3", "TLS_AES_128_GCM_SHA256"), "pass", "HTTP is served over TLSv1.3"),
        (over_tls("TLSv1.3", "TLS_AES_256_GCM_SHA384"), "invalid", "Ciphers of HTTP differ"),
        (over_tls("TLSv1.2", "TLS_AES_128_GCM_SHA256"), "invalid", "HTTP is served over TLSv1.2"),
        (with_fields(), "unknown", "was not seen"),
    ],
)
def test_http_over_tls_is_as_declared_and_alike(
    second: Callable[[Evidence], Evidence], outcome: str, words: str
) -> None:
    whole = session()
    defaults = {**whole.plan.defaults, "http-tls": "on"}
    whole = replace(whole, plan=whole.plan.model_copy(update={"defaults": defaults}))
    for subject, change in zip(SUBJECTS, (over_tls("TLSv1.3", "TLS_AES_128_GCM_SHA256"), second), strict=False):
        whole = each_measured(whole, subject, change)
    found = findings(whole, first(whole, SUBJECTS[1]), "R13")[None]
    assert found.outcome == outcome
    assert words in found.reading
