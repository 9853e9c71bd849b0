"""Starts every process of a session, and makes sure that no process outlives the session.

Promises: a process is on its CPUs and under its user before its program begins; in whatever way the harness
ends, within five seconds no process of its session runs. Refuses to know what the programs are.
"""
