"""The settings of a MySQL server of ours, each with its reason, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping

# name -> (value, reason)
_REASONED: Mapping[str, tuple[str, str]] = {
    "innodb_flush_log_at_trx_commit": ("1", "a commit is on disk as on a real server"),
    "innodb_doublewrite": ("ON", "the cost of a torn page's repair belongs to a durable server"),
    "disable_log_bin": ("ON", "no replica reads it; PostgreSQL writes one log too"),
    "transaction_isolation": ("READ-COMMITTED", "what the contract asks for; MySQL's own is repeatable read"),
    "character_set_server": ("utf8mb4", "as in study 000"),
    "collation_server": ("utf8mb4_unicode_ci", "as in study 000"),
    "max_connections": ("300", "pools of 20 to 200, samplers, and some to spare"),
    "innodb_buffer_pool_size": ("268435456", "the whole dataset and then some, as PostgreSQL's"),
    "innodb_redo_log_capacity": ("268435456", "no checkpoint has to hurry within a trial"),
    "innodb_dedicated_server": ("OFF", "no setting depends on the host's memory"),
    "performance_schema": ("ON", "counts the SQL work of every trial"),
    "performance_schema_digests_size": ("2000", "no statement goes uncounted"),
    "max_digest_length": ("4096", "statements of JPA are long, and are told apart to their end"),
    "performance_schema_max_digest_length": ("4096", "as above"),
    "skip_name_resolve": ("ON", "no name server decides how long a login takes"),
    "default_time_zone": ("+00:00", "no answer depends on the host's zone"),
    "default_authentication_plugin": (
        "mysql_native_password",
        "one way to log in for all drivers, TLS or not",
    ),
}

SETTINGS: Mapping[str, str] = {name: value for name, (value, _) in _REASONED.items()}

# One protocol and one cipher, so that two drivers can't negotiate different work.
TLS_SETTINGS: Mapping[str, str] = {
    "tls_version": "TLSv1.3",
    "tls_ciphersuites": "TLS_AES_128_GCM_SHA256",
}

# Read back from the running server.
RECORDED = (
    *(name for name in SETTINGS if name not in ("disable_log_bin", "default_time_zone")),
    *TLS_SETTINGS,
    "version",
    "time_zone",
    "log_bin",
    "innodb_flush_method",
    "innodb_io_capacity",
    "sync_binlog",
)


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Return words of mysqld's command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
