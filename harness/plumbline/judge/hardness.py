"""How hard a rule is, by class of host.

On a `lab` host all as the rules say. On `shared` and `small` hosts capacity and isolation can't be had as
they should be, so a breach of them is at most a warning; what is wrong stays wrong everywhere.
"""

from __future__ import annotations

from dataclasses import replace

from plumbline.model.finding import Kind
from plumbline.model.host import HostClass
from .rule import Check

SOFT_OUTSIDE_LABS: frozenset[Kind] = frozenset({"capacity", "isolation"})


def softened(check: Check, kind: Kind, host_class: HostClass) -> Check:
    """The check as it counts on a host of that class; `kind` is the rule's, unless the check has its own."""
    soft = host_class != "lab" and (check.kind or kind) in SOFT_OUTSIDE_LABS
    return replace(check, outcome="warn") if soft and check.outcome == "invalid" else check
