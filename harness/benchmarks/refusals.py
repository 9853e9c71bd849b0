"""How many trials of recorded sessions were refused, and why? A count for each subject.

    ./bench benchmark refusals FOLDER... [--write]

FOLDER holds sessions that were measured on a machine at rest with nothing wrong, of any suites and commits:
results/repeats and results/families are such folders. Their evidence is judged anew, by the rules of this checkout. A
trial of theirs that is refused is a false alarm, until somebody finds what was wrong with it. Prints whether the goal
is met, and a row for each subject, by framework: its trials, those refused, and the rules that refused them. With
--write the table stands in docs/promises.md.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from laboratory.promises.page import REFUSALS
from plumbline.model.errors import UsageError
from plumbline.model.plan import COUNTED
from plumbline.model.record import Record, Trial
from .replaying import PAGE_WIDTH, judged_anew, parser, real_sessions, tell, written_by

# Fewer trials say too little: of a hundred with nothing wrong, one may be refused.
TRIALS_MIN = 100
REFUSED_MAX = 0.01
# The framework that a program without a framework names.
NO_FRAMEWORK = "none"


def counted(records: Sequence[Record]) -> list[Trial]:
    """Return the trials whose figures count: not the trials that were planned to be thrown away."""
    return [trial for record in records for trial in record.trials if trial.role in COUNTED]


def rules(trials: Sequence[Trial]) -> str:
    """Return the rules that refused some of the trials, each with the number of trials it refused."""
    counts = Counter(
        rule
        for trial in trials
        if trial.verdict == "invalid"
        for rule in {finding.rule for finding in trial.findings if finding.outcome == "invalid"}
    )
    return ", ".join(f"{rule} {count} times" if count > 1 else rule for rule, count in sorted(counts.items()))


def frameworks(records: Sequence[Record]) -> dict[str, str]:
    """Return the framework of each subject, as its programs name it."""
    return {program.subject: program.framework or NO_FRAMEWORK for record in records for program in record.ran}


def goal(trials: int, refused: int) -> str:
    """Return the sentence that says whether so many refused trials are few enough."""
    condition = f"{TRIALS_MIN} trials or more, of which at most {REFUSED_MAX:.0%} are refused".replace("%", " %")
    if refused > REFUSED_MAX * max(trials, TRIALS_MIN):
        return f"The goal, {condition}, is missed."
    if trials < TRIALS_MIN:
        return f"The goal, {condition}, wants {TRIALS_MIN - trials} more."
    return f"The goal, {condition}, is met."


def text(folders: Sequence[Path]) -> str:
    """Return the part of the page on all sessions below the folders.

    Raises UsageError where no trial of a real session is there.
    """
    records = [record for record, _ in judged_anew(folder for folder, _ in real_sessions(folders))]
    trials = counted(records)
    if not trials:
        raise UsageError(
            f"There is no trial of a real session below {' and '.join(map(str, folders))}.",
            "Name folders that hold sessions with their records, such as results/repeats.",
        )
    refused = sum(trial.verdict == "invalid" for trial in trials)
    framework_of = frameworks(records)
    subjects = sorted({(framework_of.get(trial.subject, NO_FRAMEWORK), trial.subject) for trial in trials})
    named_frameworks = {framework for framework, _ in subjects} - {NO_FRAMEWORK}
    paragraph = (
        f"Of {len(trials)} trials in {len(records)} sessions, of {len(named_frameworks)} frameworks and without one, "
        f"{refused} {'was' if refused == 1 else 'were'} refused. {goal(len(trials), refused)} "
        f"{written_by('refusals', folders)}"
    )
    rows = []
    for framework, subject in subjects:
        subject_trials = [trial for trial in trials if trial.subject == subject]
        refused = sum(trial.verdict == "invalid" for trial in subject_trials)
        rows.append(f"| {framework} | {subject} | {len(subject_trials)} | {refused} | {rules(subject_trials)} |")
    lines = ["| framework | subject | trials | refused | by the rules |", "|---|---|---:|---:|---|", *rows]
    return f"{fill(paragraph, PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)}\n\n" + "\n".join(lines)


if __name__ == "__main__":
    sys.exit(tell(parser(__doc__).parse_args(), REFUSALS, text))
