"""Show the origin of the numbers: what was built, and how to run and check the same."""

from __future__ import annotations

import shlex

from plumbline.model.plan import Plan
from plumbline.model.record import Build, HostSession, Image, Record, Training
from plumbline.verdicts.judge.wording import counted, percent
from ..view import BuildRow
from .naming import MIB, plain


def builds(record: Record) -> tuple[BuildRow, ...]:
    """Return the builds: artifacts, then images and trained AOT caches, which are made on the host."""
    made: list[tuple[str, Build | Image | Training, int | None, str]] = [
        (
            one.artifact,
            one,
            one.peak_memory_bytes,
            "built before, unchanged" if one.reused else "built for this session",
        )
        for one in record.builds
    ]
    made += [(one.artifact, one, None, _of_image(one)) for one in record.images]
    made += [(one.subject, one, None, "AOT cache, trained on the host") for one in record.training]
    return tuple(
        BuildRow(
            artifact=name,
            wall_s=one.wall_s,
            memory_bytes=memory,
            size_bytes=one.size_bytes,
            sha256=one.sha256,
            note=note,
        )
        for name, one, memory, note in made
    )


def _of_image(image: Image) -> str:
    java = "" if image.jdk is None else f" ({image.jdk})"
    base = "" if image.base is None else f" on {image.base}{java}"
    return f"image, {'made before' if image.reused else 'made on the host'} by {image.engine}{base}"


def provenance(record: Record) -> tuple[tuple[str, str], ...]:
    """Return what decides the numbers, as (what, value)."""
    origin, host, plan, usage = record.provenance, record.host, record.plan, record.usage
    share = usage.sampler_cpu_s / usage.session_cpu_s if usage.session_cpu_s > 0 else 0.0
    return (
        ("Session", plan.session),
        ("Measured", f"{origin.started_at} to {origin.ended_at}"),
        ("Verdict", f"{record.verdict}, which is that of the worst measured trial"),
        ("Command", shlex.join(origin.command_line)),
        ("Commit", (origin.commit or "unknown") + (", with uncommitted changes" if origin.dirty else "")),
        ("Host", f"{host.name}, class {host.host_class}: {host.why_class}"),
        (
            "CPU",
            f"{host.cpu_model}, {counted(host.cpus, 'CPU')}, microcode {host.microcode or 'not readable'}",
        ),
        ("Memory", f"{plain(host.memory_bytes / MIB / 1024)} GiB"),
        ("System", f"{host.operating_system}, kernel {host.kernel}"),
        *((f"On {one.plan.host}", _of_host(one)) for one in record.parts),
        ("Placement", f"{plan.placement}; network {plan.network}"),
        ("JDK", origin.jdk),
        ("k6", origin.k6),
        ("Database", origin.database),
        ("Settings of all", ", ".join(f"{name}={value}" for name, value in sorted(plan.defaults.items()))),
        ("Scale", _scale(plan)),
        ("Order", _order(record)),
        ("Cost of sampling", f"{percent(share)} of the session's CPU time"),
        ("Python", origin.python),
        (
            "Locks",
            ", ".join(f"{name} {digest[:12]}" for name, digest in sorted(origin.locks.items())) or "none",
        ),
        (
            "Versions",
            f"schema {record.versions.schema_version}, figures {record.versions.figures},"
            f" rules {record.versions.rules}, workload {record.versions.workload}",
        ),
    )


def _of_host(part: HostSession) -> str:
    """Return what a host measured of a joined session."""
    numbers = [one.number for one in part.plan.trials]
    return (
        f"session {part.plan.session}, {counted(part.plan.blocks, 'block')} by seed {part.plan.seed}, trials "
        f"{min(numbers)} to {max(numbers)}, {part.provenance.started_at} to {part.provenance.ended_at}"
    )


def _order(record: Record) -> str:
    plan = record.plan
    seed = "each host by its own seed" if record.parts else f"seed {plan.seed}"
    return f"random within blocks, {seed}, {counted(plan.blocks, 'block')}"


def _scale(plan: Plan) -> str:
    if plan.scale == 1.0:
        return "1, all of the suite's times, batches and blocks"
    return f"{plan.scale:g} of the suite's times, batches and blocks: not to be set beside sessions of another scale"


def run_again(record: Record) -> tuple[str, ...]:
    """Return the commands that run the same plan again without the record.

    There is none for a comparison of two sides, and for a session that ran on several hosts.
    """
    if record.plan.comparison is not None or record.parts:
        return ()
    return (*_checkout(record), shlex.join(_run_words(record.plan)))


def reproduce(record: Record, folder: str | None = None) -> tuple[str, ...]:
    """Return the commands that run the same plan again and say which ratios agree with the record.

    The record lies in `folder`; where it was measured when left out.
    """
    return (*_checkout(record), f"./bench reproduce {shlex.quote(folder or _kept(record))}")


def _checkout(record: Record) -> tuple[str, ...]:
    commit = record.provenance.commit
    return () if commit is None else (f"git checkout {shlex.quote(commit)}",)


def _run_words(plan: Plan) -> list[str]:
    narrowed = [word for glob in plan.only for word in ("--only", glob)]
    narrowed += [word for name in plan.only_scenarios for word in ("--scenario", name)]
    narrowed += [] if plan.scale == 1.0 else ["--scale", f"{plan.scale:g}"]
    blocks = ["--blocks", str(plan.blocks), "--seed", str(plan.seed)]
    return ["./bench", "run", "--suite", plan.suite, *narrowed, *blocks]


def verify(record: Record, folder: str | None = None) -> str:
    """Return the command that recomputes every figure and check result of a record that lies in `folder`."""
    return f"./bench verify {shlex.quote(folder or _kept(record))}"


def _kept(record: Record) -> str:
    """Return the folder of a session where it was measured."""
    return f"results/local/{record.plan.session}"
