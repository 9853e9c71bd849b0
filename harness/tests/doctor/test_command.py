"""`./bench doctor` on the machine of the tests, whatever that is."""

from __future__ import annotations

import json

from click.testing import CliRunner

from plumbline.cli.doctor_command import command

ONLY = ["--only", "swap", "--only", "four-sets"]


def test_json_is_one_document_of_a_known_shape() -> None:
    result = CliRunner().invoke(command, [*ONLY, "--json"], standalone_mode=False)
    document = json.loads(result.stdout)
    assert result.return_value == (0 if document["fit"] else 1)
    assert set(document) == {
        "examined_at",
        "host",
        "host_class",
        "why_class",
        "fit",
        "lab_ready",
        "summary",
        "conditions",
    }
    assert [condition["id"] for condition in document["conditions"]] == ["four-sets", "swap"]
    for condition in document["conditions"]:
        assert set(condition) == {"id", "title", "why", "needed_for", "verdict", "reading", "command"}
        assert condition["verdict"] in {"fit", "unfit", "unknown", "n/a"}


def test_words_for_people() -> None:
    result = CliRunner().invoke(command, ONLY, standalone_mode=False)
    assert "Swap off: " in result.stdout
    assert "a page of the heap" in result.stdout.lower()


def test_an_unknown_condition_names_the_nearest() -> None:
    result = CliRunner().invoke(command, ["--only", "governer"], standalone_mode=False)
    assert "Did you mean 'governor'?" in str(result.exception)
