"""Starts every process of a session, and sees to it that none outlives it.

Promises: a process is on its CPUs and under its user before its program begins; whatever way the harness
ends, within five seconds nothing of its session runs. Refuses to know what the programs are.
"""
