"""The life cycle of an application as study 003 measured it: from a clean build to memory under load.

Promises: every run starts from a clean private copy of the sources or a fresh process, on the application's CPUs; runs
are repeated in blocks of random order, the first of each is thrown away, and figures carry the same intervals as
elsewhere; what a subject does not have, or this host can't do, is said in words; every log is kept. Refuses to touch
the checkout, or to download anything inside a measured run.
"""
