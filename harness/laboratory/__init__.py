"""Checks of the package and upkeep of its repository: the project's own checks, made-up records, and simulations of
what the statistics promise.

This package stands beside `plumbline`. It uses the rooms of `plumbline`, and what its commands share:

    simulate   made-up folders of records, for the site's development and tests
    promises   how often the statistics are wrong: simulated, and replayed on recorded processes
    checks     the checks of `./bench test`, and what they need besides their Python environment
    schemas    writes the files that are generated from models: the schema of a record, the types of k6's scripts
    freeze     keeps the verifiers of older rules and figures
    versions   raises the versions of what is measured: frameworks and databases

Refuses to be part of the measurement: nothing in `plumbline` imports this package, and the command line loads it for
the package's own commands alone. `harness/tests/test_rooms.py` checks both.
"""
