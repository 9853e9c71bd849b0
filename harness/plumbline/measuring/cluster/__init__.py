"""A plan as objects of Kubernetes: the pods of one trial on nodes by role, and its load divided over generators.

Promises: the same plan, files, images and passwords give the same objects. Each container gets whole CPUs and the least
rights; a name in a plan is checked before it becomes a name of an object. Refuses what a cluster can't give yet, in one
sentence: a missing right by its verb and resource, nodes that are too few. `preflight` looks at a cluster and makes
nothing in it; `nodes` chooses where all trials of a session have their application and database; `trial` runs the
trials there, and removes all that it made. `observers` are pods of the session on its nodes, which run `observing` and
read only the session's own pods. What neither observers nor the API show stays unknown.
"""
