"""A mix is kept by use case and request, small enough for the data branch; `verify` computes its figures anew."""

from __future__ import annotations

import pytest

from plumbline.archive.record.assemble import judged
from plumbline.archive.record.evidence_file import evidence_bytes, parse_evidence
from plumbline.archive.record.trim import trimmed
from plumbline.model.evidence import PART_QUANTILES, Evidence, LoadPart, LoadResult
from plumbline.verdicts.figures.latency import parts
from tests.judge.damage import Change, with_column, with_fields
from tests.judge.evidence import evidence
from tests.judge.planned import host, plan

REQUESTS = ("POST /orders", "GET /orders/{orderId}", "PUT /orders/{orderId}", "DELETE /orders/{orderId}")


def part(use_case: str, request: str | None, requests: int) -> LoadPart:
    return LoadPart(
        use_case=use_case,
        request=request,
        requests=requests,
        latency_mean_ms=7.123456789,
        latency_max_ms=91.23456789,
        latency_ms=tuple(1.23456789 + 17.7654321 * quantile for quantile in PART_QUANTILES),
    )


def mixed(requests: int = 20_000) -> Evidence:
    whole = plan()
    plain = evidence(whole.trials[2], whole.sets)
    several = tuple(
        part(f"use-case-{letter}", request, requests) for letter in "abcde" for request in (None, *REQUESTS)
    )

    def with_parts(load: LoadResult) -> LoadResult:
        return load.model_copy(update={"parts": several})

    return plain.model_copy(update={"load": tuple(map(with_parts, plain.load))})


def test_parts_belong_to_open_load_and_keep_hundredths_of_a_millisecond() -> None:
    kept = trimmed(mixed())
    for load in kept.load:
        assert bool(load.parts) == (load.rate_per_s is not None)
        for load_part in load.parts:
            assert all(value == round(value, 2) for value in load_part.latency_ms)
    assert trimmed(kept) == kept


def test_each_phase_of_a_mix_takes_little() -> None:
    whole = plan()
    plain = evidence(whole.trials[2], whole.sets)
    assert len(evidence_bytes(mixed())) - len(evidence_bytes(plain)) < 2_000
    assert parse_evidence(evidence_bytes(mixed()), "x") == trimmed(mixed())


def test_evidence_of_no_mix_is_written_as_before_there_were_any() -> None:
    whole = plan()
    plain = evidence(whole.trials[2], whole.sets)
    assert '"parts"' not in plain.model_dump_json()


def test_figures_of_parts_have_the_quantiles_that_enough_requests_lie_beyond() -> None:
    by_count = {count: parts(trimmed(mixed(count)), {})[0].figures for count in (50, 300, 20_000)}
    assert set(by_count[50]) == {"warming_latency_mean_ms"}
    assert set(by_count[300]) == {"warming_latency_mean_ms", "warming_latency_p50_ms"}
    assert set(by_count[20_000]) == {
        f"warming_latency_{quantile}_ms" for quantile in ("mean", "p50", "p90", "p95", "p99")
    }
    assert by_count[20_000]["warming_latency_p50_ms"] == round(1.23456789 + 17.7654321 * 0.5, 2)


@pytest.mark.parametrize(("change", "proven"), [(with_fields(), True), (with_column("cpu.app.user_us", None), False)])
def test_figures_of_parts_have_the_names_that_their_phase_has_proven(change: Change, proven: bool) -> None:
    mix = change(mixed(2_000))
    (trial,) = judged(plan(), host(), {mix.trial: mix})
    names = {metric for part_figures in trial.parts for metric in part_figures.figures}
    assert names <= trial.figures[trial.parts[0].phase].keys()
    assert ("latency_mean_ms" in names) == proven
