"""Holds a built subject to the contract, by a real run: what it says of itself, its answers, its SQL work, bad days.

Promises: each check answers in sentences of what falls short, none where nothing does, and asks the database for its
own view wherever it has one. What was held by a run is remembered (`ledger`), so that a table can say what was not.
Refuses to know who asks: tests of the project and authors of a new variant get the same words.
"""
