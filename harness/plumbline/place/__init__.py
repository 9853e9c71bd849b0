"""Who runs on which CPUs: sets for application, database, load and housekeeping, and what holds processes
inside.

Promises: no core is split between roles, the application never shares a CPU, nothing outside the allowed CPUs
is planned, and every group made is removed by name. Refuses to know what the processes do, and how they are
started: it says what a spawner must do (`Entry`), `launch` does it.
"""
