"""A session builds what is missing, rehearses every subject, runs the blocks of trials, and leaves a record.

Promises: a fresh process and a restored database for every trial; no process left behind, however the session ends; at
most the trial in flight is lost, and `--resume` goes on from the journal; a failed trial is kept with its reason.
Refuses to know what a good number is.
"""
