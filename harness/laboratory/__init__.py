"""Checks of the package and upkeep of its repository: the project's own checks, made-up records, and simulations of
what the statistics promise.

Stands beside `plumbline`, on its rooms and on the words and lines of its commands:

    simulate   made-up folders of records, for the site's development and tests
    promises   how often the statistics are wrong: simulated, and replayed on recorded processes
    checks     the checks of `./bench test`, and what they need beside their Python environment
    schemas    writes the files that are made of models: the schema of a record, the types of k6's scripts
    freeze     keeps the verifiers of older rules and figures
    versions   raises what is measured: frameworks and databases

Refuses to be part of what measures: nothing in `plumbline` imports it, and the command line loads it for its own
commands alone. `harness/tests/test_rooms.py` holds both.
"""
