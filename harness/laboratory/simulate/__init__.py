"""Made-up data branches: years of nights in minutes, for development, tests and a demo of the site.

Promises that the same arguments give the same bytes, that every record has the shape of a measured record and says
that it is simulated, and that the branch contains what makes years of measuring hard: noise, steps with and without a
cause, changes of the environment, refused trials, missing nights, subjects that come and go, hostile texts, broken
records. Refuses to look measured: figures are drawn, not computed, and `verify` finds that they don't follow from the
evidence.
"""
