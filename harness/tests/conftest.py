"""Puts this folder on the path, so that tests of every room may use the recorded machines beside it."""
