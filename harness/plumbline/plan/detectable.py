"""What a comparison of two subjects could find with the trials of a plan: its minimum detectable effect.

Pairs of trials by block, one look at the end, at the level and with the power of `stats`.
"""

from __future__ import annotations

import math

from plumbline.model.host import HostClass
from plumbline.model.plan import Detectable
from plumbline.stats.compare import MINIMUM_PAIRS
from plumbline.stats.power import detectable_effect

# Scatter of trials to assume where this kind of host has no history: METHOD 2 gives 1 % for a lab and 2.66 % for
# hosted runners; two cores shared with database and load scatter more.
ASSUMED_CV: dict[HostClass, float] = {"lab": 0.01, "shared": 0.0266, "small": 0.05}


def detectable(pairs: int, host_class: HostClass) -> Detectable:
    """The minimum detectable effect of `pairs` pairs on a host of this class, with what it is based on."""
    cv = ASSUMED_CV[host_class]
    basis = (
        f"no history of this host yet; assumes that trials scatter by {cv:.2%} as seen on {host_class} hosts"
    )
    if pairs < MINIMUM_PAIRS:
        return Detectable(trials=pairs, cv=cv, change=None, basis=basis)
    # Two trials that scatter by cv each: their difference scatters by sqrt(2) of that.
    change = math.expm1(detectable_effect(pairs, math.sqrt(2) * cv))
    return Detectable(trials=pairs, cv=cv, change=change, basis=basis)
