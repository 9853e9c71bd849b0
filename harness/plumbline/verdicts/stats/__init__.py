"""Statistics of trials: intervals, ranks, verdicts on two sides, and their power. Numbers in, verdicts out.

Promises no looser methods than these: the trial is the unit, t intervals instead of percentile
bootstraps, and never "no difference" out of a missing significance. Refuses to know files, subjects and
metrics. Sums are by `math.fsum`; nothing here uses BLAS, so the same numbers give the same answer on every
machine.
"""
