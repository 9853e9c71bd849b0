"""Limits of a session's folder: far above what we write, far below what does harm."""

from __future__ import annotations

# DESIGN: what figures and rules read of one trial, compressed.
TRIAL_BYTES = 16 * 1000
# A nightly session of 200 trials has a record of some 5 MB.
RECORD_BYTES = 32 * 2**20
# Ten minutes of evidence are 0.4 MB as text.
EVIDENCE_PLAIN_BYTES = 4 * 2**20
MANIFEST_BYTES = 2**20

TRIALS = 5_000
ENTRIES = 10_000
# Scalars of one document; a trial has some 400 in the record, and 60 columns a second in its evidence.
RECORD_VALUES = 3_000_000
EVIDENCE_VALUES = 400_000
DEPTH = 24
# Command lines with class paths are the longest that we write.
TEXT_CHARACTERS = 16_384
KEY_CHARACTERS = 512

# A session lands within the life of its artifact (90 days), and clocks differ a little.
OLDEST_DAYS = 100
AHEAD_S = 900
