"""Divide the CPUs into sets for application, database, load and housekeeping, and hold processes inside their sets.

Promises: from two cores on, no core is split between roles and the application shares no CPU, unless both sides of a
duet run at once; nothing outside the allowed CPUs is planned, and every group made is removed by name. Refuses to know
what the processes do, and how they are started: `ChildSetup` says what a spawner must do, and `launch` does it.
"""
