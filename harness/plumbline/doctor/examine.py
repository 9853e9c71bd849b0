"""All conditions of this host, each looked at only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path

from plumbline.launch.lock import DEFAULT_PATH
from plumbline.run.workshop import Workshop
from . import ground, placing, tools
from .condition import Condition, Diagnosis, diagnose
from .measures import condition, load


@dataclass(frozen=True)
class Examination:
    """`run_root` and `var_root` are those of /run and /var, `lock` the machine's lock.

    `reachable` asks whether an address answers, `now` what time it is in UTC.
    """

    workshop: Workshop
    is_root: bool
    run_root: Path = Path("/run")
    var_root: Path = Path("/var")
    lock: Path = DEFAULT_PATH
    reachable: tools.Reachable = tools.answers
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    @cached_property
    def looks(self) -> dict[str, Callable[[], Condition]]:
        """Id of a condition -> what reads it, in the order they are shown."""
        shop = self.workshop
        package = load(shop.root / "runner-setup" / "measures")
        planned = placing.planned_sets(shop.topology)
        roots = package.face.Roots(
            proc=shop.proc,
            sys=shop.sys,
            etc=shop.etc,
            run=self.run_root,
            var=self.var_root,
            scratch=shop.paths.scratch,
            app_cpus=planned.app if planned else (),
        )
        return {
            "jdk": lambda: tools.jdk(shop.environ),
            "k6": lambda: tools.k6(shop.box, self.reachable),
            "maven": lambda: tools.maven(shop.box, self.reachable),
            "postgresql": lambda: tools.postgresql(shop.box, self.reachable),
            "scratch": lambda: ground.scratch(shop.paths),
            "lock": lambda: ground.lock(self.lock),
            "sets": lambda: placing.sets(shop.topology),
            "leftovers": lambda: ground.leftovers(shop.proc, ground.lock(self.lock)),
            "placement": lambda: placing.placement(shop.placement, is_root=self.is_root),
            **{measure.ID: partial(condition, measure, roots) for measure in package.MEASURES},
        }

    def diagnosis(self, only: tuple[str, ...] = ()) -> Diagnosis:
        """The whole, or the conditions of those ids alone."""
        host = self.workshop.host
        return diagnose(
            examined_at=self.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
            host=host.name,
            host_class=host.host_class,
            why_class=host.why_class,
            conditions=tuple(look() for id_, look in self.looks.items() if not only or id_ in only),
        )
