"""R5: Little's law holds between connections, rate and mean latency."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import SessionFacts, TrialFacts
from ..rule import PhaseChecks, Rule, broken, passed, unknown
from ..wording import percent

# Below 1 a connection had more than one request at a time, so a count is wrong. A tenth is left for requests that cross
# the edges of the window.
LEAST = 0.90
# Above 1 connections were idle between two requests: the client was at work. A healthy k6 takes a twentieth for that.
MOST = 1.05


def judge(trial: TrialFacts, session: SessionFacts) -> Iterable[PhaseChecks]:
    """Connections / (rate x mean duration), in each phase that saturates."""
    for facts in trial.saturating:
        load = facts.load
        if (
            load is None
            or not load.connections
            or not load.latency_mean_ms
            or load.completed <= 0
            or load.window_s <= 0
        ):
            yield facts.phase.name, [unknown("Connections, rate or mean latency are not known.")]
            continue
        ratio = load.connections / (load.completed / load.window_s * load.latency_mean_ms / 1000)
        # The end of the window cuts one request of each connection, on average in its middle. Of a single connection
        # it may cut nearly the whole request.
        cut = 1.0 if load.connections == 1 else 0.5
        most = MOST + cut * load.connections / load.completed
        reading = f"Connections over rate times mean latency are {ratio:.3f}"
        if ratio > most:
            reading += f": the client was busy with itself for {percent(1 - 1 / ratio)} of the time"
            check = broken(f"{reading}.", ratio, "ratio", most)
        elif ratio < LEAST:
            check = broken(f"{reading}: more answers than the connections could carry.", ratio, "ratio", LEAST)
        else:
            check = passed(f"{reading}.", ratio, "ratio", most)
        yield facts.phase.name, [check]


RULE = Rule(
    id="R5",
    title="Little's law holds",
    source="k6's summary",
    mistake="overhead of the client hidden in the throughput of the server",
    kind="capacity",
    needs=("load",),
    judge=judge,
)
