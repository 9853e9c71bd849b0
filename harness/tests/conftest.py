"""Settings for all tests: no example of a property has a time limit, since machines differ, and every run draws
the same examples.

`--hypothesis-profile quick`, as `./bench test --quick` has it, draws a fifth of the examples.
"""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("plumbline", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("plumbline"), max_examples=20)
settings.load_profile("plumbline")

# A shell that starts the tests by nohup, or in the background of a script, hands down that these signals are ignored;
# the tests send these signals to the processes that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
