"""A session of a study's suite: every format shows the published figures beside it, and no other session has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.cli.report_command import BEGIN, END, command
from plumbline.model.evidence import PART_QUANTILES, Evidence, LoadPart
from plumbline.model.plan import Phase, Scenario, UseCase
from plumbline.model.record import Record
from plumbline.reporting.report.compose import compose
from plumbline.reporting.report.html import page
from plumbline.reporting.report.markdown import document
from plumbline.reporting.report.markdown_text import measured_block
from tests.report.session import HOSTILE, scenario, session

ORDER = UseCase(name="order", arrivals_per_minute=300, requests=("POST /orders", "GET /orders/{orderId}"))


def of_suite(suite: str, **given: object) -> tuple[Record, dict[int, Evidence]]:
    record, evidence = session(**given)  # type: ignore[arg-type]
    return record.model_copy(update={"plan": record.plan.model_copy(update={"suite": suite})}), evidence


def mix(requests: int | None = None, *, steady: bool = True) -> tuple[Record, dict[int, Evidence]]:
    """A session of a mix; each trial has so many requests of its use case, or as many as its load."""
    orders_mix = Scenario(
        **{
            **dict(scenario("orders-mix", rates=())),
            "use_cases": (ORDER,),
            "phases": (
                Phase(kind="start", name="start"),
                Phase(kind="open", name="open@x1", duration_s=60, rate_per_s=50, multiplier=1),
            ),
        }
    )
    record, evidence = of_suite("seed-004", scenarios=(orders_mix,), invalid=False, steady=steady)
    rows = tuple(1.0 + 10 * quantile for quantile in PART_QUANTILES)
    with_parts = {}
    for number, trial_evidence in evidence.items():
        loads = []
        for load in trial_evidence.load:
            parts = tuple(
                LoadPart(
                    use_case="order",
                    request=request,
                    requests=(requests or load.requests) if request is None else load.requests // 2,
                    latency_mean_ms=6.0,
                    latency_max_ms=30.0,
                    latency_ms=rows,
                )
                for request in (None, *ORDER.requests)
            )
            loads.append(load.model_copy(update={"executor": "constant-arrival-rate", "parts": parts}))
        with_parts[number] = trial_evidence.model_copy(update={"load": tuple(loads)})
    return record, with_parts


def test_a_study_stands_beside_its_session_and_no_other() -> None:
    view = compose(*of_suite("seed-002"))
    assert view.study is not None
    first_table = view.study.tables[0]
    assert [row.published for row in first_table.figures] == ["19,255 tps", "7,238 tps"]
    assert first_table.figures[1].published_ratio == "0.376"
    assert first_table.figures[1].word and first_table.figures[1].ratio
    assert compose(*session()).study is None


def test_every_format_shows_it() -> None:
    view = compose(*of_suite("seed-002"))
    for report in (page(view), document(view), measured_block(view)):
        assert "19,255 tps" in report and "7,238 tps" in report
        assert "GET /fruits at full load" in report.replace("\\", "")
    assert "What keeps the two apart" in document(view)


def test_what_a_record_says_stays_text() -> None:
    record, evidence = of_suite("seed-002", hostile=True)
    shown = page(compose(record, evidence))
    assert "<script" not in shown
    assert HOSTILE not in shown


def test_distributions_by_use_case() -> None:
    view = compose(*mix())
    (distributions,) = view.scenarios[0].mixes
    assert [boxes.use_case for boxes in distributions.boxes] == ["all use cases", "order"]
    box = distributions.boxes[1].rows[0]
    assert box.quantiles[0.5] == pytest.approx(6.0, rel=0.01)
    assert box.quantiles[0.25] == pytest.approx(3.5, rel=0.01)
    assert {request.request for request in distributions.requests} == set(ORDER.requests)
    shown = page(view)
    assert "Response times by use case" in shown and 'class="box' in shown
    assert "Response times by use case" in document(view)


def test_response_times_of_a_program_that_may_be_warming_up_stand_beside_no_other() -> None:
    steady, evidence = mix()
    warming, _ = mix(steady=False)
    first, *others = steady.plan.subjects
    trials = tuple(
        cold if cold.subject == first else warm for warm, cold in zip(steady.trials, warming.trials, strict=True)
    )
    view = compose(steady.model_copy(update={"trials": trials}), evidence)
    subjects = {
        mix_view.where: [[row.name.id for row in boxes.rows] for boxes in mix_view.boxes]
        for mix_view in view.scenarios[0].mixes
    }
    where = next(iter(subjects))
    assert subjects == {where: [others] * 2, f"{where}, while warming up": [[first]] * 2}
    assert f"{where}, while warming up" in page(view) and f"{where}, while warming up" in document(view)


def test_a_quantile_needs_enough_requests_in_each_trial() -> None:
    (distributions,) = compose(*mix(500)).scenarios[0].mixes
    box = distributions.boxes[1].rows[0]
    # Five trials have 2,500 requests together: 125 lie beyond the 95th percentile, 25 in each trial.
    assert (box.requests, set(box.quantiles)) == (2500, {0.25, 0.5, 0.75})


def test_a_page_takes_what_was_measured_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened_session = of_suite("seed-002")
    monkeypatch.setattr("plumbline.archive.record.gate.opened", lambda folder, say: opened_session)
    monkeypatch.setattr("plumbline.measuring.run.local.find_record", lambda results, named: tmp_path / str(named))
    target = tmp_path / "002.md"
    target.write_text(f"# Study 002\n\nBefore.\n\n{BEGIN}\nold\n{END}\n\nAfter.\n")
    result = CliRunner().invoke(command, ["one", "two", "--study-into", str(target)])
    assert result.exit_code == 0, result.output
    text = target.read_text()
    assert text.startswith("# Study 002\n\nBefore.\n") and text.endswith("\nAfter.\n")
    assert "old" not in text.split(BEGIN)[1].split(END)[0].split()
    assert text.count("19,255 tps") == 2
    again = CliRunner().invoke(command, ["one", "two", "--study-into", str(target)])
    assert again.exit_code == 0 and target.read_text() == text


@pytest.mark.parametrize(
    ("text", "suite", "said"),
    [
        ("no marks", "seed-002", "has no place for what was measured"),
        (f"{END}\n{BEGIN}\n", "seed-002", "has no place for what was measured"),
        (f"{BEGIN}\n{END}\n", "smoke", "is of the suite smoke, which is of no study"),
    ],
)
def test_what_can_not_be_put_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, suite: str, said: str
) -> None:
    opened_session = of_suite(suite)
    monkeypatch.setattr("plumbline.archive.record.gate.opened", lambda folder, say: opened_session)
    monkeypatch.setattr("plumbline.measuring.run.local.find_record", lambda results, named: tmp_path / str(named))
    target = tmp_path / "page.md"
    target.write_text(text)
    result = CliRunner().invoke(command, ["one", "--study-into", str(target)])
    assert said in str(result.exception)
    assert target.read_text() == text
