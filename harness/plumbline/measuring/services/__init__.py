"""The database: started for a session (or found on a server), and put back to the same state before every trial.

Promises: every trial meets the same rows, statistics and counters, at the durability of a real server; no
other database of a server is ever touched; keys live as long as their session. Refuses to know who asks the
database what, and to start a process by itself: a spawner is handed in. To add another kind of database server,
copy a module beside this one and name the copy in `registry.py`.
"""
