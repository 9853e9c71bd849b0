from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from plumbline.measuring.observe.samplers import make_samplers
from plumbline.measuring.observe.samplers.base import Row, Sampler, Tick
from plumbline.measuring.observe.samplers.database import DatabaseSampler
from plumbline.measuring.observe.table import SampleTable, is_gauge
from plumbline.measuring.observe.targets import Roots, Targets
from plumbline.measuring.observe.threads import ThreadLog
from plumbline.measuring.services.interface import DatabaseTarget
from plumbline.model import evidence
from .conftest import JVM
from .test_postgres import FakeServer

# Where the model's text writes `<role>`, and which roles it names behind the columns.
_ROLES_OF = {"cpu": ("app", "db", "load", "harness"), "set": ("app", "db", "load", "housekeeping")}


def test_counters_count_from_their_first_value() -> None:
    table = SampleTable()
    table.add(0.0004, {"disk.writes": None, "app.rss_bytes": 900})
    table.add(1.0, {"disk.writes": 70, "app.rss_bytes": 800})
    table.add(2.0, {"app.rss_bytes": None})
    table.add(3.0, {"disk.writes": 75, "db.psi.cpu.some_us": None})
    series = table.series()
    assert series.t_s == (0.0, 1.0, 2.0, 3.0)
    assert series.columns == {"disk.writes": (None, 0, None, 5), "app.rss_bytes": (900, 800, None, None)}


def test_counters_of_the_jvm_count_from_its_start() -> None:
    table = SampleTable()
    table.add(0.0, {})
    table.add(1.0, {"jvm.jit_us": 700_000, "jvm.heap_used_bytes": 5})
    assert table.series().columns == {"jvm.jit_us": (None, 700_000), "jvm.heap_used_bytes": (None, 5)}


def documented(text: str = "") -> set[str]:
    """The columns of the model's text, with braces and roles written out; those whose description has a `text`."""
    columns = (evidence.__doc__ or "").split("The columns:\n")[1]
    names: set[str] = set()
    prefix = ""
    # The names of a line that ends in a comma have the description of the next line.
    for line in re.findall(r"^    (\S.*)$", columns.replace(",\n    ", ", "), re.MULTILINE):
        listed, _, description = line.partition("   ")
        if text not in description:
            continue
        for word in re.split(r"[,;]? +", listed):
            if not re.fullmatch(r"[a-z<.][\w<>.{},]*", word.rstrip(",")) or "." not in word:
                continue
            word = word.rstrip(",;")
            prefix = prefix if word.startswith(".") else word.rsplit(".", 1)[0]
            names |= spelled_out(prefix + word if word.startswith(".") else word)
    return names


def spelled_out(name: str) -> set[str]:
    """`set.<role>.{busy,idle}_us` as eight columns."""
    if choice := re.search(r"\{([^}]*)\}", name):
        return {
            column
            for word in choice[1].split(",")
            for column in spelled_out(name[: choice.start()] + word + name[choice.end() :])
        }
    if "<role>" not in name:
        return {name}
    roles = _ROLES_OF.get(name.split(".")[0], ("app", "db", "load"))
    return {name.replace("<role>", role) for role in roles}


def test_samplers_give_the_columns_of_the_model_and_no_others(
    roots: Roots, targets: Targets, recorded: Path, look: Callable[[Targets], Tick]
) -> None:
    def make(sampler: Sampler) -> Sampler:
        return DatabaseSampler(roots, FakeServer().connect) if isinstance(sampler, DatabaseSampler) else sampler

    (roots.sys / "block" / "vda" / "device").mkdir(parents=True)
    tick = look(
        replace(
            targets,
            hsperfdata=recorded / "two-cpus" / "hsperfdata",
            database=DatabaseTarget("", "fruits", "app"),
        )
    )
    harness = roots.proc / "self" / "stat"
    harness.parent.mkdir(exist_ok=True)
    harness.write_bytes(next((roots.proc / str(JVM) / "task").glob("*/stat")).read_bytes())
    rows: list[Row] = [make(sampler).sample(tick) for sampler in make_samplers(roots)]
    rows.append(ThreadLog(roots).sample(0.0, tick))
    assert {column for row in rows for column in row} == documented()


def test_gauges_are_the_levels_of_the_model() -> None:
    differing = documented("gauge") ^ {column for column in documented() if is_gauge(column)}
    assert not differing, (
        f"_GAUGES of observe/table.py and the text of model/evidence.py: {', '.join(sorted(differing))}"
    )
