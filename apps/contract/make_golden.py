#!/usr/bin/env python3
"""Writes the exact answers of the contract, golden/*, from sql/ and the probes of golden_maker/.

    make_golden.py            writes them
    make_golden.py --check    exits 1 and names what is not current

A golden file holds the bytes of a body, with no newline at its end. golden/probes.toml lists the requests in the
order in which they are to be sent to a freshly restored database: the writes of a workload build on each other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from golden_maker import companies, fruits, hello, orders, zipcode
from golden_maker.probe import Probe

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
SQL = HERE / "sql"

HEAD = """\
# Written by make_golden.py. Send in this order to a freshly restored database. A body is equal byte for byte, but for
# the values of its `varying` keys, which the golden answer leaves out; a media type may carry ;charset=UTF-8; a probe
# with `serves_on` is for variants of that kind alone; those of part "write" are not for the control; every one of
# several `status` will do. Requests with a body are of application/json; `request_bytes` sends a string of that size.
"""


def all_probes() -> Iterator[Probe]:
    """Yield the probes, workload by workload."""
    yield from hello.probes()
    yield from fruits.probes((SQL / "fruits.sql").read_text(encoding="utf-8"))
    yield from zipcode.probes((SQL / "pg" / "rows.sql").read_text(encoding="utf-8"))
    yield from companies.probes()
    yield from orders.probes()


def toml_of(probes: list[Probe]) -> str:
    """Return the text of probes.toml: strings of ASCII in JSON are strings in TOML as well."""
    lines = [HEAD.rstrip()]
    for probe in probes:
        lines += ["", "[[probe]]"]
        fields = {
            "name": probe.name,
            "workload": probe.workload,
            "part": probe.part,
            "method": probe.method,
            "path": probe.path,
            "request": probe.request,
            "request_bytes": probe.request_bytes,
            "status": list(probe.status) if isinstance(probe.status, tuple) else [probe.status],
            "media_type": probe.media_type,
            "golden": probe.golden,
            "varying": list(probe.varying) or None,
            "serves_on": list(probe.serves_on) or None,
        }
        lines += [f"{key} = {json.dumps(value)}" for key, value in fields.items() if value is not None]
    return "\n".join(lines) + "\n"


def golden_files() -> dict[str, bytes]:
    """Return file name -> bytes of everything in golden/."""
    probes = list(all_probes())
    names = [probe.name for probe in probes]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    files: dict[str, bytes] = {}
    for probe in probes:
        if (
            probe.golden is not None
            and probe.body is not None
            and files.setdefault(probe.golden, probe.body) != probe.body
        ):
            duplicates.append(probe.golden)
    if duplicates:
        raise SystemExit(f"Two probes or two answers have one name: {', '.join(duplicates)}.")
    return {**files, "probes.toml": toml_of(probes).encode()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is not current")
    check = parser.parse_args().check

    expected = golden_files()
    present = {path.name: path.read_bytes() for path in GOLDEN.iterdir()} if GOLDEN.is_dir() else {}
    stale = sorted(name for name in expected.keys() | present.keys() if expected.get(name) != present.get(name))
    if check:
        for name in stale:
            print(f"golden/{name} is not current: run apps/contract/make_golden.py.", file=sys.stderr)
        return 1 if stale else 0
    GOLDEN.mkdir(exist_ok=True)
    for name in stale:
        if name in expected:
            (GOLDEN / name).write_bytes(expected[name])
        else:
            (GOLDEN / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
