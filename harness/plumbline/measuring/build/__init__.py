"""Build the artifact of a subject: from sources to a folder of the store, which the digest of the inputs names.

Promises: an unchanged artifact is not built twice and a changed one always is; wall time, peak memory, size and SHA-256
are recorded; a failed build shows the last lines of its log and names the log, and other builds go on. Refuses to know
how an artifact is started.
"""
