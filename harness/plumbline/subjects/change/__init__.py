"""Find what a difference between two states of the tree can affect: the smallest set of subjects and scenarios.

Promises: every changed file is explained, either by what it can affect or by why it affects nothing that is measured; a
file that no rule knows is taken to affect everything. Files are compared as programs read them, so that a difference in
words alone (comments, order of keys, layout) affects nothing. Refuses to know whether a change is good, and to run
anything.
"""
