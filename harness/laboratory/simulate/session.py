"""One made-up night as the text of a record, in the shape of the model."""

from __future__ import annotations

import json
import math
import random
import time
from dataclasses import dataclass
from typing import Any

from plumbline.archive.record.evidence_file import evidence_name
from plumbline.archive.record.standings import standings
from plumbline.archive.record.steadiness import steadiness
from plumbline.model.plan import Plan
from plumbline.model.record import SCHEMA_VERSION, Figures, Trial, Verdict
from plumbline.subjects.plan.make import order_trials
from plumbline.verdicts.figures.compute import FIGURES_VERSION
from plumbline.verdicts.figures.proof import PhaseProof, named_by_proof
from plumbline.verdicts.figures.series import rounded
from plumbline.verdicts.judge.referee import RULES_VERSION
from plumbline.verdicts.judge.rules import RULES
from .origin import build_of, host_of, program_of, provenance_of
from .steadiness import proofs_of
from .texts import HOSTILE
from .world import BLOCKS, CONTROL, FIGURES, OPEN_RATES, Host, SimulatedSubject, World

# The last night; a made-up world knows no today.
END_S = 1_793_491_200
NIGHT_S = 86_400
SUITE = "simulated"
_REFUSED = 0.012
_ALL_REFUSED = 0.004
_HOSTILE = 0.02
# How much one night differs from the next on the same host, for control and subjects alike.
_NIGHT_SCATTER = 0.012

_WHY_INVALID = (
    ("R7", "closed", "12 of 250,344 requests failed with status 503.", 12.0, "requests", 0.0),
    (
        "R1",
        "closed",
        "The application used 81 % of its CPUs under a load that is meant to saturate it.",
        0.81,
        "share",
        0.9,
    ),
    ("R18", "closed", "Others used 4.1 % of the application's CPUs.", 0.041, "share", 0.02),
    ("R29", "closed", "The rate was still rising by 6.2 % when the load ended.", 0.062, "share", 0.02),
)


@dataclass(frozen=True)
class Night:
    """The text of a record, and what its evidence needs: number, subject, scenario and drawn figures of each trial."""

    session: str
    started_at: str
    record: str
    trials: tuple[tuple[int, str, str, Figures], ...]


def night_of(world: World, host: Host, night: int, of: int, seed: int) -> Night:
    """Return the session of a host in a night; the same for the same arguments."""
    draw = random.Random(f"night {seed} {host.name} {night}")
    start_s = END_S - (of - night) * NIGHT_S + draw.randrange(0, 900)
    started_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start_s))
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(start_s))
    session = f"{stamp}-{host.name}-{draw.randrange(16**6):06x}"
    things = [thing for thing in host.subjects if thing.first <= night < thing.last]
    by_id = {thing.id: thing for thing in things} | {CONTROL: world.control}
    scenarios = [f"{name}@1" for name in host.scenarios]
    planned_trials = order_trials([thing.id for thing in things], scenarios, CONTROL, BLOCKS, night)
    night_effect = draw.gauss(0, _NIGHT_SCATTER) + host.shift(night)
    refused_pairs = {(thing.id, scenario) for thing in things for scenario in scenarios if draw.random() < _ALL_REFUSED}
    hostile = draw.random() < _HOSTILE
    document = _plan(session, host, things, scenarios, night, planned_trials, hostile, draw)
    plan = Plan.model_validate(document)
    proofs = _proofs(plan, draw)
    drawn: list[tuple[int, str, str, Figures]] = []
    trials: list[Trial] = []
    texts: list[str] = []
    sound: Verdict = "valid" if host.host_class == "lab" else "advisory"
    for planned in planned_trials:
        figures = _figures(by_id[planned.subject], planned.scenario, night, night_effect, draw)
        key = (planned.subject, planned.scenario)
        refused = planned.role == "measured" and (key in refused_pairs or draw.random() < _REFUSED)
        trial = Trial(
            number=planned.number,
            block=planned.block,
            role=planned.role,
            subject=planned.subject,
            scenario=planned.scenario,
            evidence=evidence_name(planned.number),
            figures={
                phase: named_by_proof(values, proofs[key].get(phase), planned.number)
                for phase, values in figures.items()
            },
            findings=(),
            verdict="invalid" if refused else sound,
        )
        drawn.append((planned.number, planned.subject, planned.scenario, figures))
        trials.append(trial)
        texts.append(
            f'{{"block":{planned.block},"evidence":"{trial.evidence}","figures":{_json(trial.figures)},'
            f'"findings":{_findings(refused, hostile, draw)},"number":{planned.number},"role":"{planned.role}",'
            f'"scenario":"{planned.scenario}","side":null,"subject":"{planned.subject}","verdict":"{trial.verdict}"}}'
        )
    proven = steadiness({(None, *key): phase_proofs for key, phase_proofs in proofs.items()})
    parts = {
        "versions": {
            "schema_version": SCHEMA_VERSION,
            "figures": FIGURES_VERSION,
            "rules": RULES_VERSION,
            "workload": 1,
        },
        "plan": document,
        "host": host_of(host, night, start_s),
        "provenance": provenance_of(world, host, night, session, started_at, start_s, hostile, draw),
        "builds": list(
            {
                build["artifact"]: build for build in (build_of(thing, night) for thing in (*things, world.control))
            }.values()
        ),
        "training": [],
        "standings": [row.model_dump(mode="json") for row in standings(plan, trials, proven)],
        "steadiness": [row.model_dump(mode="json") for row in proven],
        "usage": {"session_cpu_s": 14_000.0, "sampler_cpu_s": 60.0, "harness_cpu_s": 240.0},
        "verdict": "invalid" if any(trial.verdict == "invalid" for trial in trials) else sound,
        "ran": [program_of(thing, night) for thing in (*things, world.control)],
    }
    text = ",".join(f'"{name}":{_json(part)}' for name, part in parts.items())
    return Night(session, started_at, f'{{{text},"trials":[{",".join(texts)}]}}\n', tuple(drawn))


def _proofs(plan: Plan, draw: random.Random) -> dict[tuple[str, str], dict[str, PhaseProof]]:
    """Return (subject, scenario) -> the proofs of its phases, by their names."""
    trial_numbers: dict[tuple[str, str], list[int]] = {}
    for trial in plan.trials:
        trial_numbers.setdefault((trial.subject, trial.scenario), []).append(trial.number)
    return {
        key: proofs_of(plan.scenario(key[1]).phases, numbers, plan.host_class, draw)
        for key, numbers in trial_numbers.items()
    }


def _figures(thing: SimulatedSubject, scenario: str, night: int, night_effect: float, draw: random.Random) -> Figures:
    """Return the figures of one trial. A greeting takes a fifth of the work that a list from the database takes."""
    figures: Figures = {}
    light = 1.6 if scenario.startswith("hello") else 0.0
    process = draw.gauss(0, 0.004)
    for (phase, metric), (_, sign, family, scatter) in FIGURES.items():
        value = math.log(thing.level(phase, metric, night)) + draw.gauss(0, scatter)
        if family != "memory":
            value += sign * (night_effect + process + (light if family == "speed" else 0.0))
        figures.setdefault(phase, {})[metric] = rounded(math.exp(value))
    closed = figures["closed"]
    closed["throughput_per_mib"] = rounded(closed["throughput_per_s"] * 2**20 / closed["rss_under_load_bytes"])
    for rate in OPEN_RATES:
        open_figures = figures[f"open@{rate}"]
        open_figures["latency_p50_ms"] = rounded(open_figures["latency_p99_ms"] / 4)
        open_figures["achieved_rate_per_s"] = float(rate)
    figures["trial"] = {"rss_peak_bytes": rounded(closed["rss_under_load_bytes"] * 1.04)}
    return figures


def _finding(
    rule: str,
    outcome: str,
    reading: str,
    phase: str | None = None,
    value: float | None = None,
    unit: str | None = None,
    threshold: float | None = None,
) -> dict[str, Any]:
    return {
        "rule": rule,
        "phase": phase,
        "outcome": outcome,
        "reading": reading,
        "value": value,
        "unit": unit,
        "threshold": threshold,
    }


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_PASSED = {rule.id: _json(_finding(rule.id, "pass", "As it should be (simulated).")) for rule in RULES}
_ALL_PASSED = f"[{','.join(_PASSED.values())}]"


def _findings(refused: bool, hostile: bool, draw: random.Random) -> str:
    if not refused and not hostile:
        return _ALL_PASSED
    findings = dict(_PASSED)
    if refused:
        rule, phase, reading, value, unit, threshold = draw.choice(_WHY_INVALID)
        findings[rule] = _json(_finding(rule, "invalid", reading, phase, value, unit, threshold))
    if hostile:
        rule = draw.choice(list(findings))
        findings.setdefault(rule, "")
        if '"pass"' in findings[rule]:
            findings[rule] = _json(_finding(rule, "pass", draw.choice(HOSTILE)))
    return f"[{','.join(findings.values())}]"


def _plan(
    session: str,
    host: Host,
    things: list[SimulatedSubject],
    scenarios: list[str],
    night: int,
    planned_trials: Any,
    hostile: bool,
    draw: random.Random,
) -> dict[str, Any]:
    return {
        "session": session,
        "suite": SUITE,
        "seed": night,
        "host": host.name,
        "host_class": host.host_class,
        "sets": _SETS,
        "placement": "cgroup2",
        "defaults": {"heap": "512m", "gc": "g1", "pool": "20", "db-tls": "off"},
        "subjects": [thing.id for thing in things],
        "control": CONTROL,
        "scenarios": [_scenario(scenario, hostile, draw) for scenario in scenarios],
        "blocks": BLOCKS,
        "trials": [
            {
                "number": trial.number,
                "block": trial.block,
                "subject": trial.subject,
                "scenario": trial.scenario,
                "role": trial.role,
            }
            for trial in planned_trials
        ],
        "expected_s": 21_000.0,
        "detectable": {"trials": BLOCKS, "cv": 0.01, "change": 0.06, "basis": "simulated"},
        "simulated": True,
    }


_SETS = {"app": [0, 1, 2, 3], "db": [4, 5], "load": [6], "housekeeping": [7]}


def _scenario(id_: str, hostile: bool, draw: random.Random) -> dict[str, Any]:
    name = id_.partition("@")[0]
    operation = "GET /fruits" if name == "fruits" else "GET /hello/{name}"
    return {
        "name": name,
        "version": 1,
        "workload": name,
        "script": f"{name}.ts",
        "operation": draw.choice(HOSTILE) if hostile else operation,
        "uses_database": name == "fruits",
        "phases": [
            {"kind": "start", "name": "start"},
            {"kind": "probe", "name": "probe"},
            {"kind": "warm-up", "name": "warm-up", "duration_s": 15, "connections": 100},
            {"kind": "closed", "name": "closed", "duration_s": 20, "connections": 100, "saturates": True},
            *({"kind": "open", "name": f"open@{rate}", "duration_s": 20, "rate_per_s": rate} for rate in OPEN_RATES),
            {"kind": "after", "name": "after"},
        ],
    }
