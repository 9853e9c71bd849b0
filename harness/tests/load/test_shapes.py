"""The types that the scenarios are checked against are those of the models."""

from __future__ import annotations

from laboratory.schemas import K6_SHAPES, typescript


def test_the_kept_types_are_current() -> None:
    assert K6_SHAPES.read_text() == typescript(), "write it by `./bench python -m laboratory.schemas`"


def test_types_are_those_of_the_models() -> None:
    lines = typescript().splitlines()
    for line in (
        '  readonly executor: "constant-vus" | "ramping-vus" | "constant-arrival-rate" | "shared-iterations";',
        "  readonly golden: string | null;",
        "  readonly rate_per_s: number;",
        "  readonly use_cases: readonly UseCase[];",
        "  readonly latency_ms: readonly (number | null)[];",
        "  readonly statuses: Readonly<Record<string, number>>;",
        "  readonly parts: readonly SummaryPart[];",
    ):
        assert line in lines
