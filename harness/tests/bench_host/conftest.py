"""`bench-host` and the measures are imported as they are installed: from the folder that holds both."""

from __future__ import annotations

import sys
from pathlib import Path

RUNNER_SETUP = Path(__file__).resolve().parents[3] / "runner-setup"

sys.path.insert(0, str(RUNNER_SETUP))
