"""`python3 -I /usr/local/lib/plumbline/launcher`: serves the connection that systemd hands over as descriptor 3.

`sweep` instead ends every session, and what a launcher left behind that was killed; the wipe after a job does so.
"""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path

# Isolated mode knows no path of ours.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from launcher.config import Refused, read_config
from launcher.serve import Connection, sweep

CONFIG = Path("/etc/plumbline/launcher.json")
_FIRST_DESCRIPTOR = 3


def main() -> int:
    """Exit status 1 when the client was refused, or a session left something; the journal has the sentence."""
    # Stopping the service must pass through the end of its session.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    try:
        config = read_config(CONFIG)
        if sys.argv[1:] == ["sweep"]:
            sweep(config)
        else:
            with socket.socket(fileno=_FIRST_DESCRIPTOR) as connection:
                Connection(config, connection).run()
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
