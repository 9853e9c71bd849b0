"""The front page: how it names subjects, and whose build times it shows."""

from __future__ import annotations

from plumbline.model.record import Record
from plumbline.reporting.publish.model.standings import Bar
from tests.truth.sessions import SUBJECTS, Nature, made
from tests.truth.writers import overview

NATURES = [Nature(1.0, 1.0, 0.002), Nature(1.2, 1.0, 0.002)]


def build_times(record: Record) -> tuple[Bar, ...]:
    tables = [table for standing in overview(record).standings for table in standing.tables]
    return tuple(bar for table in tables if table.metric == "build_wall_s" for bar in table.bars)


def test_build_times_are_those_of_builds_of_the_session() -> None:
    record = made(NATURES)

    def reusing(*artifacts: str) -> Record:
        builds = tuple(build.model_copy(update={"reused": build.artifact in artifacts}) for build in record.builds)
        return record.model_copy(update={"builds": builds})

    assert [bar.short for bar in build_times(reusing(SUBJECTS[1]))] == ["quarkus-rest-orm"]
    assert build_times(reusing(*SUBJECTS)) == ()
