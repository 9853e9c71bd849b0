"""`python3 -I /usr/local/lib/plumbline/launcher`: serves the connection that systemd hands over as descriptor 3.

With `sweep` it ends every session instead, and what a killed launcher left behind; the wipe after a job does so.
"""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path

# Isolated mode leaves the folder of this package out of the path.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from launcher.config import Refused, read_config
from launcher.serve import Connection, sweep

CONFIG = Path("/etc/plumbline/launcher.json")
_FIRST_DESCRIPTOR = 3


def main() -> int:
    """Serve or sweep; return 1 if the client was refused, or a session left something. The journal has the sentence."""
    # A stop of the service must still run the end of its session.
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
