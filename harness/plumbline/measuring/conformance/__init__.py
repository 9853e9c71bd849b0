"""Checks a built subject against the contract by a real run: the facts it states, its answers, its SQL work, bad days.

Promises: each check returns sentences on what falls short, none where nothing does, and asks the database for its own
view wherever it has one. The subjects that a run checked are remembered (`ledger`), so that a table can mark others.
Refuses to know who asks: tests of the project and authors of a new variant get the same words.
"""
