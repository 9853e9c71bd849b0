"""Observe a trial from outside: samplers read each second, readers read at the edges of windows.

Promises: reads only, below the roots of /proc and /sys that it is given, from its own sessions of the
database, from the REST address of k6 and the mapped counters of the JVM; what can't be read is None, never a
guess and never an exception; nothing is attached to a process; what the samplers cost is itself a column.
Refuses to know what a reading means: figures and rules come later.
"""
