"""For all tests: machines differ, so no example of a property is timed, and every run sees the same ones.

`--hypothesis-profile quick`, as `./bench test --quick` has it, draws a fifth of them.
"""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("plumbline", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("plumbline"), max_examples=20)
settings.load_profile("plumbline")

# Whoever starts the tests by nohup, or in the background of a script, hands down that these are ignored, and the tests
# send them to what they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
