"""The evidence of one trial as a file: `evidence/NNNN.json.gz`, canonical JSON, compressed the same way every time."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path

from pydantic import ValidationError

from plumbline.model.errors import AnswerIsNo
from plumbline.model.evidence import Evidence
from plumbline.model.plan import PlannedTrial
from plumbline.model.record import Trial
from .difference import RecordDifference, RecordRefused, first_problem
from .files import canonical_bytes, parsed, read_plain, write_whole
from .steps import PackedSeries, packed
from .steps import unpacked as unpacked_series
from .trim import rows_with_values, thinned_columns, trimmed

FOLDER = "evidence"
# A trial of five minutes takes 24 kB compressed and 110 plain; what swells to more was not written by this program.
MOST_BYTES = 64 * 2**20


def evidence_name(trial: int) -> str:
    """Return the path of a trial's evidence below the session's folder."""
    return f"{FOLDER}/{trial:04d}.json.gz"


def evidence_bytes(evidence: Evidence) -> bytes:
    """Return the bytes of the file: trimmed, canonical, compressed without a time or a name in the header."""
    return gzip.compress(plain_bytes(evidence), compresslevel=9, mtime=0)


def plain_bytes(evidence: Evidence) -> bytes:
    """Return the evidence as canonical JSON, not compressed; its series are in steps (see `record.steps`)."""
    small = trimmed(evidence)
    thin = thinned_columns(small.series)
    rows = rows_with_values(small.series, thin)
    document = small.model_dump(mode="json", exclude={"series"})
    return canonical_bytes({**document, "series": packed(small.series, thin, rows).model_dump(mode="json")})


def write_evidence(folder: Path, evidence: Evidence) -> Path:
    """Write a trial's evidence below a session's folder, complete or not at all, and return its path."""
    path = folder / evidence_name(evidence.trial)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, evidence_bytes(evidence))
    return path


def read_evidence(folder: Path, trial: Trial | PlannedTrial, sha256: str | None = None) -> Evidence:
    """Return the evidence of a trial below a session's folder. The file must have the digest `sha256`, if one is given.

    Raises RecordRefused that names the file and its problem: no file of evidence, changed, or of another trial.
    """
    name = evidence_name(trial.number)
    try:
        content = read_plain(folder / name, MOST_BYTES)
        evidence = parse_evidence(content, name)
    except AnswerIsNo as error:
        raise RecordRefused("unreadable", RecordDifference(error.problem, name, trial.number)) from None
    if sha256 is not None and (digest := hashlib.sha256(content).hexdigest()) != sha256:
        raise RecordRefused("manifest", RecordDifference.of_digest(name, sha256, digest))
    if (evidence.trial, evidence.subject, evidence.scenario) != (trial.number, trial.subject, trial.scenario):
        problem = f"{name} is the evidence of another trial than {trial.number}."
        raise RecordRefused("manifest", RecordDifference(problem, name, trial.number))
    return evidence


def parse_evidence(compressed: bytes, name: str) -> Evidence:
    """Return evidence from a file's bytes, which must be canonical. Raises AnswerIsNo naming `name`."""
    try:
        plain = unpacked(compressed)
        evidence = evidence_of(plain)
        canonical = plain_bytes(evidence)
    except (OSError, EOFError, zlib.error) as error:
        raise AnswerIsNo(f"{name} is no intact gzip file ({error}).") from error
    except ValidationError as error:
        raise AnswerIsNo(f"{name} does not have the shape of evidence: {first_problem(error)}.") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise AnswerIsNo(f"{name} is no JSON document ({str(error)[:200]}).") from error
    if canonical != plain:
        raise AnswerIsNo(f"{name} is not canonical: it was not written by this program, or changed since.")
    return evidence


def evidence_of(plain: bytes) -> Evidence:
    """Return evidence from the file's plain bytes, canonical or not. Raises ValueError, which ValidationError is."""
    document = parsed(plain)
    series = PackedSeries.model_validate(document.get("series") if isinstance(document, dict) else None)
    return Evidence.model_validate({**document, "series": unpacked_series(series)})


def unpacked(compressed: bytes) -> bytes:
    """Return the plain bytes of one gzip member. Raises OSError (also above MOST_BYTES), EOFError or zlib.error."""
    worker = zlib.decompressobj(wbits=31)
    plain = worker.decompress(compressed, MOST_BYTES)
    if worker.unconsumed_tail:
        raise OSError(f"it holds more than {MOST_BYTES // 2**20} MiB")
    if not worker.eof:
        raise EOFError("it ends too early")
    if worker.unused_data:
        raise OSError("something follows its end")
    return plain
