"""What a comparison of two subjects could find: the minimum detectable effect of a paired t test.

`change` is the relative difference found with 95 % power at alpha 1 % over n pairs of trials, for trials that scatter
by `cv`: (t(n-1, 0.995) + t(n-1, 0.95)) * sqrt(2) * cv / sqrt(n). The sum of two quantiles stands for the noncentral t
and is a little too large for few pairs, which errs on the honest side.
"""

from __future__ import annotations

import math

from scipy.special import stdtrit

from plumbline.model.host import HostClass
from plumbline.model.plan import Detectable

ALPHA = 0.01
POWER = 0.95

# Scatter of trials to assume where this kind of host has no history: METHOD 2 gives 1 % for a lab and 2.66 % for
# hosted runners; two cores shared with database and load scatter more.
ASSUMED_CV: dict[HostClass, float] = {"lab": 0.01, "shared": 0.0266, "small": 0.05}


def detectable(pairs: int, host_class: HostClass) -> Detectable:
    """The minimum detectable effect of `pairs` pairs on a host of this class, with what it is based on."""
    cv = ASSUMED_CV[host_class]
    basis = (
        f"no history of this host yet; assumes that trials scatter by {cv:.2%} as seen on {host_class} hosts"
    )
    if pairs < 2:
        return Detectable(trials=pairs, cv=cv, change=None, basis=basis)
    freedom = pairs - 1
    quantiles = float(stdtrit(freedom, 1 - ALPHA / 2)) + float(stdtrit(freedom, POWER))
    return Detectable(
        trials=pairs, cv=cv, change=quantiles * math.sqrt(2) * cv / math.sqrt(pairs), basis=basis
    )
