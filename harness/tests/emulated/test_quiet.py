"""bench-host quiet on a kernel with osnoise and hwlat, before and after apply, as the hosts page reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from plumbline.publish.quiet import read_quiet
from .box import ROOT, TRACED, get_box
from .machine import Machine

CPUS = 4
_QUIET = ("bench-host", "quiet", "--json", "--seconds", "3")
# What a test runs is a service of the system, which apply keeps off the measuring CPUs; a person logs in.
_AS_FROM_A_LOGIN = ("systemd-run", "--slice=user.slice", "--pipe", "--wait", "--quiet")


def test_what_the_tracers_say_reaches_the_hosts_page(tmp_path: Path) -> None:
    kept = tmp_path / "data/hosts/lab"
    kept.mkdir(parents=True)
    with Machine(get_box(os.environ, TRACED), tmp_path, brought=ROOT / "runner-setup", cpus=CPUS) as host:
        host.check("cp", "-r", "/srv/brought", "/srv/setup")
        host.check("/srv/setup/install.sh")
        for name in ("before", "after"):
            (kept / f"{name}.json").write_text(host.check(*_AS_FROM_A_LOGIN, *_QUIET, timeout_s=600))
            tracers = host.check(
                "cat", "/sys/kernel/tracing/current_tracer", "/sys/kernel/tracing/tracing_on"
            )
            assert tracers == "nop\n1\n", "they were not put back"
            host.check("bench-host", "apply", "--anyway", "--only", "system-slice", "--only", "aslr")
        refused = host.run(*_QUIET, "--cpus", "1")
        assert refused.status == 2 and "Run it from a login" in refused.output
    for path in kept.iterdir():
        said = json.loads(path.read_bytes())
        assert [one["cpu"] for one in said["osnoise"]] == list(range(CPUS))
        for one in said["osnoise"]:
            # An interrupt of the clock is the least that takes a CPU away.
            assert one["seconds"] >= 1 and one["per_s"]["interrupts"] > 0 and 0 < one["lost_share"] < 1
        assert said["hwlat"]["stalls"] > 0 and said["hwlat"]["longest_us"] > 0, (
            "an emulator stands still often"
        )
    found, bad = read_quiet(tmp_path / "data", ["lab"])
    assert bad == [] and found["lab"].before is not None and found["lab"].after is not None
    assert [len(one.cpus) for one in (found["lab"].before, found["lab"].after)] == [CPUS, CPUS]
