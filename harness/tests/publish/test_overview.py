"""The front page: how it names subjects, and whose build times it shows."""

from __future__ import annotations

import json

from plumbline.model.record import Record
from plumbline.model.subject import slug_of
from plumbline.reporting.publish.model.standings import Bar
from plumbline.reporting.publish.session.comparing import compare_document
from tests.report.session import session
from tests.truth.sessions import SUBJECTS, Nature, branch, made
from tests.truth.writers import overview, site_of

NATURES = [Nature(1.0, 1.0, 0.002), Nature(1.2, 1.0, 0.002)]
PLAIN = ("quarkus-rest-orm/jvm/pg", "vertx-pg/jvm/pg")
OTHERS = ("quarkus-rest-orm/native.mandrel/mysql+pool=95", "vertx-pg/native.mandrel/mysql")
SHORT = {
    "quarkus-rest-orm",
    "vertx-pg",
    "quarkus-rest-orm native.mandrel mysql +pool=95",
    "vertx-pg native.mandrel mysql",
}


def test_a_subject_has_one_name_on_all_pages_which_tells_its_packaging_and_engine() -> None:
    """The newest session of the scenario is of other subjects, which share packaging and engine."""
    records = branch(
        [session(subjects=subjects, invalid=False, host_class="lab")[0] for subjects in (PLAIN, OTHERS)],
    )
    site = site_of(*records)
    index = {subject["slug"]: subject["short"] for subject in json.loads(site["api/v1/index.json"])["subjects"]}
    assert {index[slug_of(id_)] for id_ in (*PLAIN, *OTHERS)} == SHORT
    (standing,) = json.loads(site["api/v1/overview.json"])["standings"]
    shown = {bar["subject"]: bar["short"] for table in standing["tables"] for bar in table["bars"]}
    assert shown == {slug_of(id_): index[slug_of(id_)] for id_ in OTHERS}
    compared = [contender for record in records for contender in compare_document(record, {}, recent=False).contenders]
    assert SHORT | {"control"} == {contender.short for contender in compared}
    assert all(contender.short == index[contender.subject] for contender in compared)


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
