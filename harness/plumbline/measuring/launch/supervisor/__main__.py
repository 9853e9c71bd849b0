"""`python -I -S .../launch/supervisor SOCKET_FD PARENT_PID SESSION`, as `launch.client` starts it."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

# Isolated mode leaves our path out of `sys.path`.
sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from plumbline.measuring.launch.supervisor.loop import Loop

if __name__ == "__main__":
    descriptor, parent, session = sys.argv[1:]
    Loop(socket.socket(fileno=int(descriptor)), int(parent), session).run()
