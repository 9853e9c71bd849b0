"""Shows the origin of the numbers: the builds, the facts that decide them, and commands to run and check them again."""

from __future__ import annotations

import shlex

from plumbline.model.host import HostFacts
from plumbline.model.plan import Plan
from plumbline.model.record import Build, HostSession, Image, Record, Training
from plumbline.verdicts.judge.wording import counted, percent
from ..view import BuildRow
from .naming import MIB, plain_number


def builds(record: Record) -> tuple[BuildRow, ...]:
    """Return the builds: artifacts, then images and trained AOT caches, which are made on the host."""
    products: list[tuple[str, Build | Image | Training, int | None, str]] = [
        (
            build.artifact,
            build,
            build.peak_memory_bytes,
            "built before, unchanged" if build.reused else "built for this session",
        )
        for build in record.builds
    ]
    products += [(image.artifact, image, None, _image_note(image)) for image in record.images]
    products += [(training.subject, training, None, "AOT cache, trained on the host") for training in record.training]
    return tuple(
        BuildRow(
            artifact=name,
            wall_s=product.wall_s,
            memory_bytes=memory,
            size_bytes=product.size_bytes,
            sha256=product.sha256,
            note=note,
        )
        for name, product, memory, note in products
    )


def _image_note(image: Image) -> str:
    java = "" if image.jdk is None else f" ({image.jdk})"
    base = "" if image.base is None else f" on {image.base}{java}"
    return f"image, {'made before' if image.reused else 'made on the host'} by {image.engine}{base}"


def cpus_in_words(host: HostFacts) -> str:
    """Return `AMD EPYC 7763, 8 CPUs`; a cluster shows their number alone."""
    return ", ".join(filter(None, (host.cpu_model, counted(host.cpus, "CPU"))))


def memory_in_words(host: HostFacts) -> str:
    """Return `23.5 GiB`."""
    return f"{plain_number(host.memory_bytes / MIB / 1024)} GiB"


def provenance(record: Record) -> tuple[tuple[str, str], ...]:
    """Return the facts that decide the numbers, as (label, value)."""
    origin, host, plan, usage = record.provenance, record.host, record.plan, record.usage
    share = usage.sampler_cpu_s / usage.session_cpu_s if usage.session_cpu_s > 0 else 0.0
    return (
        ("Session", plan.session),
        ("Measured", f"{origin.started_at} to {origin.ended_at}"),
        ("Verdict", f"{record.verdict}, which is that of the worst measured trial"),
        ("Command", shlex.join(origin.command_line)),
        ("Commit", (origin.commit or "unknown") + (", with uncommitted changes" if origin.dirty else "")),
        ("Host", f"{host.name}, class {host.host_class}: {host.why_class}"),
        ("CPU", cpus_in_words(host) + (f", microcode {host.microcode or 'not readable'}" if host.cpu_model else "")),
        *((("Memory", memory_in_words(host)),) if host.memory_bytes else ()),
        ("System", f"{host.operating_system}, kernel {host.kernel}"),
        *((f"On {part.plan.host}", _host_in_words(part)) for part in record.parts),
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


def _host_in_words(part: HostSession) -> str:
    """Return the part of a joined session that one host measured, in words."""
    numbers = [trial.number for trial in part.plan.trials]
    return (
        f"session {part.plan.session}, {counted(part.plan.blocks, 'block')} by seed {part.plan.seed}, trials "
        f"{min(numbers)} to {max(numbers)}, {part.provenance.started_at} to {part.provenance.ended_at}"
    )


def _order(record: Record) -> str:
    plan = record.plan
    measured = [trial for trial in plan.trials if trial.role == "measured"]
    in_turns = plan.comparison is not None or len(plan.subjects) == 2
    way = "two in turns (ABBA), the first at random" if in_turns else "random within blocks"
    seed = "each host by its own seed" if record.parts else f"seed {plan.seed}"
    return f"{way}, {seed}, {counted(len({trial.block for trial in measured}), 'block')}"


def _scale(plan: Plan) -> str:
    if plan.scale == 1.0:
        return "1, all of the suite's times and batches"
    return f"{plan.scale:g} of the suite's times and batches: not to be set beside sessions of another scale"


def reproduce(record: Record, folder: str | None = None) -> tuple[str, ...]:
    """Return the commands that run the trials again in the same order and say which ratios agree with the record.

    The record lies in `folder`, or without it in the folder where the session was measured.
    """
    return (*_checkout(record), f"./bench reproduce {shlex.quote(folder or _original_folder(record))}")


def _checkout(record: Record) -> tuple[str, ...]:
    commit = record.provenance.commit
    return () if commit is None else (f"git checkout {shlex.quote(commit)}",)


def verify(record: Record, folder: str | None = None) -> str:
    """Return the command that recomputes every figure and check result of a record that lies in `folder`."""
    return f"./bench verify {shlex.quote(folder or _original_folder(record))}"


def _original_folder(record: Record) -> str:
    """Return the folder of a session on the host where it was measured."""
    return f"results/local/{record.plan.session}"
