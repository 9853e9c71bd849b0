"""The parts of `runner-setup/bench-host`, which turns a machine into a benchmark host, and back.

Promises: the old state is written down before every change, so that a rollback finds it however the program ended; and
a change is called done only after it was read again. Refuses to know the harness: the standard library and the measures
(`runner-setup/measures`) are enough, so that an install owned by root can stand alone.
"""
