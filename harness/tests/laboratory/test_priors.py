"""The prior that simulated sessions use is fitted to earlier sessions."""

from __future__ import annotations

import random

import pytest

from laboratory.promises.comparison import fit_prior


def test_a_prior_fitted_to_history() -> None:
    draw = random.Random(8)

    def variance_of_session(sigma: float) -> float:
        return sigma**2 * draw.gammavariate(2.5, 1 / 2.5)  # the variance of six differences

    alike = fit_prior([variance_of_session(0.01) for _ in range(200)], 5)
    assert alike.variance == pytest.approx(0.01**2, rel=0.15) and alike.degrees > 50
    # Variances that are themselves drawn with ten degrees of freedom: s0^2 d0 / chi2(d0).
    unlike = fit_prior([variance_of_session(0.01) * 5 / draw.gammavariate(5, 1) for _ in range(2000)], 5)
    assert unlike.variance == pytest.approx(0.01**2, rel=0.15)
    assert 7 <= unlike.degrees <= 14
    with pytest.raises(ValueError, match="not above zero"):
        fit_prior([0.1, 0.0], 5)
    with pytest.raises(ValueError, match="fewer than two"):
        fit_prior([0.1], 5)
