"""Subjects that this host can't build or run are named once for each reason."""

from __future__ import annotations

from plumbline.cli.plan_command import SUBJECT, refusals

MISSING = f"{SUBJECT} is unavailable: there is no native-image of mandrel. `sdk install java` installs it."


def test_one_subject_stands_in_its_sentence() -> None:
    assert list(refusals({MISSING: ["a/native.mandrel/pg"]})) == [
        "a/native.mandrel/pg is unavailable: there is no native-image of mandrel. `sdk install java` installs it."
    ]


def test_several_share_a_sentence_and_are_listed_below_it() -> None:
    no_builder = f"{SUBJECT} names no builder."
    assert list(refusals({MISSING: ["a/native.mandrel/pg", "b/native.mandrel/pg"], no_builder: ["c", "d"]})) == [
        "2 subjects are unavailable: there is no native-image of mandrel. `sdk install java` installs it.",
        "  a/native.mandrel/pg",
        "  b/native.mandrel/pg",
        "Each of them names no builder.",
        "  c",
        "  d",
    ]
