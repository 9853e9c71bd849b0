"""The settings of a PostgreSQL server of ours, each with its reason, and what is recorded of any server."""

from __future__ import annotations

from collections.abc import Mapping

from .roles import APPLICATION

# name -> (value, reason)
_REASONED: Mapping[str, tuple[str, str]] = {
    "fsync": ("on", "a commit is on disk as on a real server; off would flatter every write"),
    "synchronous_commit": ("on", "a commit is answered when it is durable"),
    "full_page_writes": ("on", "the cost of a torn page's repair belongs to a durable server"),
    "max_connections": ("300", "pools of 20 to 200, samplers, and some to spare"),
    "shared_buffers": ("256MB", "the whole dataset and then some: the disk is not what is compared"),
    "effective_cache_size": ("1GB", "stated, so that no plan depends on the host's memory"),
    "work_mem": ("4MB", "stated; no statement of the workloads sorts more"),
    "max_wal_size": ("2GB", "with the next one: no checkpoint by itself within a trial"),
    "checkpoint_timeout": ("1h", "a checkpoint is made at each restore instead"),
    "max_parallel_workers_per_gather": ("0", "a statement costs one CPU, on any host"),
    "jit": ("off", "the statements are short; compiling them would only add a threshold"),
    "autovacuum": ("on", "a real server has it; the template is vacuumed and analysed beforehand"),
    "default_transaction_isolation": ("read committed", "what the contract asks for"),
    "TimeZone": ("UTC", "no answer depends on the host's zone"),
    "shared_preload_libraries": ("pg_stat_statements", "counts the SQL work of every trial"),
    "pg_stat_statements.track": ("all", "statements inside functions count too"),
    "track_io_timing": ("off", "it reads a clock at every block"),
    "huge_pages": ("off", "try would depend on how the host was set up"),
    "password_encryption": ("scram-sha-256", "one way to log in for all drivers"),
    "log_destination": ("stderr", "the log is a file of the session"),
    "logging_collector": ("off", "one process less"),
    "log_line_prefix": ("%m [%p] ", "a time and a process in front of every line"),
}

SETTINGS: Mapping[str, str] = {name: value for name, (value, _) in _REASONED.items()}

# Arguments of initdb: the server's own C.UTF-8, so that texts have the same order on every host. Without the encoding
# initdb would derive SQL_ASCII from the locale C, and refuse C.UTF-8; without the method it would trust everybody on
# the loopback.
INITDB_ARGS = "--auth=scram-sha-256 --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C"

# The pg_hba.conf of a server on a host: everybody logs in over the loopback with a password, the application into its
# own database alone.
HBA = f"""host bench {APPLICATION} 127.0.0.1/32 scram-sha-256
host all {APPLICATION} all reject
host all all 127.0.0.1/32 scram-sha-256
"""

# One protocol and one cipher, so that two drivers can't negotiate different work.
TLS_SETTINGS: Mapping[str, str] = {
    "ssl": "on",
    "ssl_min_protocol_version": "TLSv1.3",
    "ssl_tls13_ciphers": "TLS_AES_128_GCM_SHA256",
}

# The settings that are read back from a running server: ours, and those whose default may differ between servers.
RECORDED = (
    *SETTINGS,
    *TLS_SETTINGS,
    "server_version",
    "server_encoding",
    "data_checksums",
    "io_method",
    "wal_level",
    "wal_sync_method",
    "wal_compression",
)


def configuration(settings: Mapping[str, str]) -> str:
    """Return the text of a postgresql.conf."""
    quoted = {name: value.replace("'", "''") for name, value in settings.items()}
    return "".join(f"{name} = '{value}'\n" for name, value in quoted.items())


def as_arguments(settings: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of a command line: `-c name=value`."""
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
