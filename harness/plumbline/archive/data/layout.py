"""The layout of the data branch: where a session lies, and which files may lie there at all.

README.md  .gitattributes
runs/YYYY/MM/<session>/record.json, MANIFEST.sha256, evidence/NNNN.json.gz      written once
runs/YYYY/MM/index.json                                                         made from the records of the month
alerts.json, github-action-benchmark/*.json                                     kept by later steps
hosts/<host>/before.json, after.json                                            how quiet a host was, by `bench-host`
"""

from __future__ import annotations

import re

from plumbline.model.errors import AnswerIsNo

BRANCH = "data"
RUNS = "runs"
INDEX = "index.json"
README = "README.md"
ATTRIBUTES = ".gitattributes"
POINTS = "github-action-benchmark"

_SESSION = re.compile(
    r"(?P<year>20[0-9]{2})(?P<month>0[1-9]|1[0-2])[0-3][0-9]T[0-2][0-9][0-5][0-9][0-5][0-9]Z"
    r"-[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?-[0-9a-f]{6}"
)
_KEPT = re.compile(
    rf"alerts\.json|{POINTS}/[a-z0-9-]{{1,64}}\.json"
    r"|hosts/[0-9A-Za-z][0-9A-Za-z._-]{0,62}/(before|after)\.json"
)


def month_of(session: str) -> str:
    """Return `runs/YYYY/MM` of a session's id. Raises AnswerIsNo for other texts, which could name another place."""
    match = _SESSION.fullmatch(session)
    if match is None:
        raise AnswerIsNo(f"'{session[:80]}' is no id of a session (YYYYMMDDTHHMMSSZ-host-6hex).")
    return f"{RUNS}/{match['year']}/{match['month']}"


def run_path(session: str) -> str:
    """Return `runs/YYYY/MM/<session>`; raises AnswerIsNo."""
    return f"{month_of(session)}/{session}"


def may_be_kept(path: str) -> bool:
    """Return whether a file beside the runs may be written again; runs never are."""
    return _KEPT.fullmatch(path) is not None


# What figures and rules read of one trial, compressed: twice what `growth` expects, since one larger trial keeps a
# session of hours from landing.
TRIAL_BYTES = 64 * 1000
# A nightly session of 200 trials has a record of some 5 MB.
RECORD_BYTES = 32 * 2**20
# Ten minutes of evidence are 0.4 MB as text.
EVIDENCE_PLAIN_BYTES = 4 * 2**20
MANIFEST_BYTES = 2**20

ENTRIES = 10_000
# Scalars of one document; a trial has some 400 in the record, and 60 columns a second in its evidence.
RECORD_VALUES = 3_000_000
EVIDENCE_VALUES = 400_000
# Rows times columns of all trials: a column without a value takes few bytes in a file, and one place a row in memory. A
# thousand trials of five minutes have 40 million.
SESSION_VALUES = 100_000_000
DEPTH = 24
# Command lines with class paths are the longest that we write.
TEXT_CHARACTERS = 16_384
KEY_CHARACTERS = 512

# A session lands within the life of its artifact (90 days), and clocks differ a little.
OLDEST_DAYS = 100
AHEAD_S = 900
