"""Puts one phase of load on an application with k6, and brings back what k6 saw.

Promises that a phase either yields a whole LoadResult or raises LoadFailed with a sentence that says why;
that k6 does nothing that costs without need; and that the window of the load is known to the millisecond.
Refuses to know what the numbers mean, and how processes are placed.
"""
