"""Read the host: its CPUs, memory and kernel, and the class of host that follows from them.

Promises: reads only below the roots of /proc, /sys and /etc that it is given, changes nothing, and never
calls a host better than its readings show. Refuses to know what the machine is used for: who gets which CPU
is decided in `place`.
"""
