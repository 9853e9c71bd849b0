"""Turns a machine into a benchmark host, and back: what `runner-setup/bench-host` is made of.

Promises: nothing is changed that was not written down before, so that a rollback finds it however the program
ended; and nothing is called done that was not read again afterwards. Refuses to know the harness: the standard
library and the measures (`runner-setup/measures`) are enough, so that an install owned by root can stand alone.
"""
