"""Examines all conditions of this host, each only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from plumbline.measuring.launch.lock import DEFAULT_PATH
from plumbline.measuring.run.context import Context
from plumbline.model.host import Condition
from . import machine_state, tools
from .diagnosis import Diagnosis, diagnose


@dataclass(frozen=True)
class Examination:
    """Examines a host. `lock` is the machine's lock, `reachable` asks whether an address answers."""

    context: Context
    is_root: bool
    lock: Path = DEFAULT_PATH
    reachable: tools.Reachable = tools.answers

    @cached_property
    def looks(self) -> dict[str, Callable[[], Condition]]:
        """Id of a condition -> the function that reads it, in the order of the table."""
        context = self.context
        host_conditions = {condition.id: condition for condition in context.host.readings[-1].conditions}
        return {
            "jdk": lambda: tools.jdk(context.environ),
            "k6": lambda: tools.k6(context.box, self.reachable),
            "maven": lambda: tools.maven(context.box, self.reachable),
            "postgresql": lambda: tools.postgresql(context.box, self.reachable),
            "scratch": lambda: machine_state.scratch(context.paths),
            "lock": lambda: machine_state.lock(self.lock),
            "sets": lambda: machine_state.sets(context.topology),
            "leftovers": lambda: machine_state.leftovers(context.proc, machine_state.lock(self.lock)),
            "placement": lambda: machine_state.placement(context.placement, is_root=self.is_root),
            **{id_: partial(host_conditions.__getitem__, id_) for id_ in host_conditions},
        }

    def diagnosis(self, only: tuple[str, ...] = ()) -> Diagnosis:
        """Return the diagnosis of all conditions, or of those with the ids `only`."""
        host = self.context.host
        return diagnose(
            examined_at=host.readings[-1].read_at,
            host=host.name,
            host_class=host.host_class,
            why_class=host.why_class,
            conditions=tuple(read_condition() for id_, read_condition in self.looks.items() if not only or id_ in only),
            are_all=not only,
        )
