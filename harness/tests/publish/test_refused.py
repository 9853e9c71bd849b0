"""The first page says of its workload alone which trials were refused, and counts those of the control apart."""

from __future__ import annotations

import pytest

from plumbline.model.record import Record
from tests.truth.sessions import Nature, made
from tests.truth.writers import overview, site_of

pytestmark = pytest.mark.slow

WHOLE = made([Nature(1.0, 1.0, 0.002), Nature(1.2, 1.0, 0.002)])


def refused(role: str) -> Record:
    """The session with its last two trials of a role refused."""
    numbers = [trial.number for trial in WHOLE.trials if trial.role == role][-2:]
    trials = tuple(
        trial.model_copy(update={"verdict": "invalid"}) if trial.number in numbers else trial for trial in WHOLE.trials
    )
    return WHOLE.model_copy(update={"trials": trials})


@pytest.mark.parametrize(
    ("record", "counts", "shown", "hidden"),
    [
        (WHOLE, (0, 0), "None: every measured trial of this workload counts.", "refused."),
        (refused("control"), (0, 2), "2 trials of the control were refused.", "Refused: "),
        (refused("measured"), (2, 0), "Refused: 2 of 10 trials.", "of the control"),
    ],
)
def test_refused_trials_of_the_control_are_counted_apart(
    record: Record, counts: tuple[int, int], shown: str, hidden: str
) -> None:
    (standing,) = overview(record).standings
    assert (standing.refused, standing.control_refused) == counts
    page = site_of(record)["index.html"]
    section = page[page.index('<h2 id="refused">') : page.index('<h2 id="questions">')]
    assert shown in section and hidden not in section
