"""In the emulated host, as root: each attempt again, in the same unit but without the locks that stand before it.

bare.py FACTS.json PLACE    ->  one line of JSON, as session.py's
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from launcher.config import read_config
from launcher.units import properties, run_words

from .attempts import ATTEMPTS, Attempt

HERE = Path(__file__).resolve().parent


def unlocked(attempts: list[Attempt], facts: dict[str, object], place: str, number: int) -> list[object]:
    config = read_config(Path("/etc/plumbline/launcher.json"))
    unit_properties = properties(config, "app", place.rpartition("-")[0], place, (1,)) | {
        "WorkingDirectory": f"{config.sessions}/{place}/work"
    }
    for name, value in attempts[0].without.items():
        unit_properties.pop(name, None)
        if value is not None:
            unit_properties[name] = value
    request = json.dumps({"attempts": [attempt.name for attempt in attempts], "facts": facts})
    program = ("/usr/bin/python3", "-I", str(HERE / "application.py"), request)
    process = subprocess.run(
        run_words(f"plumbline-bare-{number}.service", unit_properties, program),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in process.stdout.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines] or [
        {"attempt": attempts[0].name, "done": False, "said": (process.stdout + process.stderr)[-500:]}
    ]


def main() -> None:
    facts = json.loads(Path(sys.argv[1]).read_text())
    groups: dict[str, list[Attempt]] = {}
    for attempt in ATTEMPTS:
        key = attempt.name if attempt.alone else json.dumps(sorted(attempt.without.items()))
        groups.setdefault(key, []).append(attempt)
    outcomes: list[object] = []
    for group in groups.values():
        for _ in range(group[0].times):
            outcomes += unlocked(group, facts, sys.argv[2], len(outcomes))
    print(json.dumps({"said": outcomes}))


if __name__ == "__main__":
    main()
