"""The stub of the six sources: is it quicker than what it stands in for, and as late as it says?

    ./bench benchmark sources K6 JAVA [--rate 5000] [--seconds 10] [--latency-ms 5]

The stub runs on the last of our CPUs, k6 on the others: with fewer than two of them free, the lag is k6's. Prints the
stub's CPU time a request, and how much later than configured the answers came (median, p99). Exits 1 when it took fewer
than the rate asked for, or the median is more than 1 ms late.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from plumbline.machine.host.kernel import free_port
from plumbline.measuring.services.sources import FLAGS

STUB = Path(__file__).parents[2] / "apps" / "stub" / "Stub.java"
LATE_MS = 1.0
WARM_UP_S = 5

SCRIPT = """
import http from "k6/http";
const paths = ["/customers/17", "/cards/4", "/addresses/9", "/products?ids=12,7", "/stock?ids=12,7", "/discounts/17"];
const load = (rate, startTime, duration) => ({ executor: "constant-arrival-rate", rate, timeUnit: "1s", startTime,
  duration, preAllocatedVUs: 300, maxVUs: 1000, exec: "ask", tags: { part: startTime } });
const warm = +__ENV.WARM_UP_S;
export const options = {
  discardResponseBodies: true,
  summaryTrendStats: ["p(50)", "p(99)", "count"],
  scenarios: { warm: load(1000, "0s", `${warm}s`), load: load(+__ENV.RATE, `${warm}s`, `${__ENV.SECONDS}s`) },
  thresholds: { "http_req_duration{scenario:load}": ["p(50)>=0"], "http_reqs{scenario:load}": ["count>=0"] },
};
let n = 0;
export const ask = () => http.get(__ENV.URL + paths[n++ % paths.length]);
export const handleSummary = (data) => ({ [__ENV.SUMMARY]: JSON.stringify(data.metrics) });
"""


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("k6", type=Path)
    parser.add_argument("java", type=Path)
    parser.add_argument("--rate", type=int, default=5000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--latency-ms", type=float, default=5.0)
    arguments = parser.parse_args()

    *load_cpus, stub_cpu = sorted(os.sched_getaffinity(0))
    port = free_port()
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        stub = subprocess.Popen(
            [arguments.java, *FLAGS, STUB, str(port)],
            stdout=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, {stub_cpu}),
        )
        try:
            assert stub.stdout is not None
            stub.stdout.readline()
            url = f"http://127.0.0.1:{port}/{arguments.latency_ms:g}"
            urllib.request.urlopen(f"{url}/customers/1").read()
            script, summary = folder / "script.js", folder / "summary.json"
            script.write_text(SCRIPT)
            environment = {
                "URL": url,
                "RATE": arguments.rate,
                "SECONDS": arguments.seconds,
                "WARM_UP_S": WARM_UP_S,
                "SUMMARY": summary,
            }
            before = cpu_s(stub.pid)
            subprocess.run(
                [
                    arguments.k6,
                    "run",
                    "--quiet",
                    *(f"--env={name}={value}" for name, value in environment.items()),
                    script,
                ],
                check=True,
                preexec_fn=lambda: os.sched_setaffinity(0, set(load_cpus or [stub_cpu])),
            )
            used_s = cpu_s(stub.pid) - before
        finally:
            stub.kill()
            stub.wait()
        metrics = json.loads(summary.read_text())
    requests = metrics["http_reqs{scenario:load}"]["values"]["count"]
    durations = metrics["http_req_duration{scenario:load}"]["values"]
    total = metrics["http_reqs"]["values"]["count"]
    late_ms = durations["p(50)"] - arguments.latency_ms
    print(
        f"{requests / arguments.seconds:.0f} requests/s of {arguments.rate}, "
        f"{used_s / total * 1e6:.0f} us of CPU a request,"
    )
    latest_ms = durations["p(99)"] - arguments.latency_ms
    print(f"median {late_ms:.2f} ms later than {arguments.latency_ms:g} ms, p99 {latest_ms:.2f} ms later")
    return 0 if requests >= 0.99 * arguments.rate * arguments.seconds and late_ms <= LATE_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
