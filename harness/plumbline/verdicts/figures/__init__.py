"""Figures: what one trial measured, computed from its evidence and from nothing else.

Promises that the same evidence gives the same figures, bit for bit: pure functions, sums by `math.fsum`, one
rounding at the end. A figure whose evidence is missing is absent, never 0. Refuses to know whether a figure
is to be believed (the referee's matter) and how it compares to another subject's (the record's).
"""
