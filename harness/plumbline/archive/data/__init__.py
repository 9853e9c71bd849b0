"""The data branch: every session that was published, in the order in which it landed.

Promises: a session's folder is written once and never again; two sessions that land at the same time both land;
whatever came as an artifact is checked before a byte of it is kept (shape, sizes, numbers, paths, digests, and every
figure again); readers fetch no more than they read. Refuses to know what a result means, and anything of one forge
alone: it speaks git, to any remote.
"""
