"""A plan as objects of Kubernetes: the pods of one trial on nodes by role, and its load divided over generators.

Promises: the same plan, files, images and passwords give the same objects. Each container gets whole CPUs and the least
rights; what a plan names reaches no name of an object unchecked. Refuses what a cluster can't give yet, in one
sentence: a missing right by its verb and resource, nodes that are too few. `preflight` looks at a cluster and makes
nothing in it; `trial` runs the trials of a session there, and takes all that it made away. `observers` are pods of the
session on its nodes, which run `observing` and read its own pods alone. What neither they nor the API show stays
unknown.
"""
