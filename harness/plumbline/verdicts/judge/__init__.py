"""The referee: what the evidence of a trial allows to be said of its figures.

Promises findings that are a pure function of plan, host and evidence: `./bench judge` gives the same ones
again from the stored record. Every finding is a sentence with the figure that decided; evidence that is
missing reads `unknown`, never `pass`. Refuses to know how evidence was taken, how figures compare, and what
would be nice to publish.

One rule is one file in `rules/`: to add one, copy a neighbour. Thresholds live there, each with its reason.
"""
