"""Plan a session: what would run, in which order, for how long, and what difference it could detect.

Promises: the same catalog, seed and host give the same plan; every draw comes from the recorded seed. Refuses to know
whether anything is built or reachable.
"""
