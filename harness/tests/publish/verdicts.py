"""Questions with the answers of `stats`, for the pages' own arithmetic: site/tests/unit/verdicts.json.

`./bench python -m tests.publish.verdicts` writes the file anew.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

from plumbline.reporting.publish.session.comparing import RULE
from plumbline.reporting.report.parts.naming import signed
from plumbline.verdicts.stats.amounts import change_with_interval, range_in_words
from plumbline.verdicts.stats.compare import Better, compare, differences
from plumbline.verdicts.stats.families import benjamini_hochberg, family, holm
from plumbline.verdicts.stats.interval import quantile, two_sided_p
from plumbline.verdicts.stats.wording import words

KEPT = Path(__file__).resolve().parents[3] / "site" / "tests" / "unit" / "verdicts.json"


def document() -> dict[str, Any]:
    """The rule, values of Student's distribution, families, and comparisons of every kind."""
    draw = random.Random(20260302)
    comparisons = [*_comparisons(draw)]
    return {
        "rule": RULE.model_dump(mode="json"),
        "student": [
            {"degrees": degrees, "t": t, "p": two_sided_p(degrees, t), "quantile": quantile(degrees, 0.995)}
            for degrees in (1, 2, 3.7, 5, 11.25, 25, 60)
            for t in (0.01, 0.5, 2.0, 7.5, 40.0)
        ],
        "families": [
            {"p": ps, "holm": holm(ps), "benjamini_hochberg": benjamini_hochberg(ps)}
            for ps in ([0.5], [0.01, 0.04, 0.03, 0.005], [0.2, 0.0, 1.0, 0.2, 0.003])
        ],
        "comparisons": comparisons,
        # The comparisons as one family.
        "adjusted": _adjusted(comparisons),
        "amounts": [
            {
                "ratio": ratio,
                "low": low,
                "high": high,
                "change": signed(ratio),
                "words": range_in_words(*ends) if low <= 1 <= high else change_with_interval(math.log(ratio), *ends),
            }
            for ratio, low, high in _RATIOS
            for ends in [(math.log(low), math.log(high))]
        ],
    }


_RATIOS = (
    (1.32, 1.11, 1.54),
    (0.76, 0.65, 0.9),
    (1.48, 1.478, 1.482),
    (1.48, 1.48, 1.48),
    (7.28, 5.12, 10.43),
    (3.5, 2.0, 6.0),
    (1.03, 0.97, 1.09),
    (1.001, 0.999, 1.004),
    (1.0, 0.997, 1.003),
    (1.01, 0.996, 1.0246),
    (0.1, 0.004, 3.2),
    (1.2, 0.0004, 4020.0),
    (0.0043, 0.0036, 0.0049),
    (0.0004, 0.0003, 1.2),
    (0.00004, 0.00003, 1.2),
    (1.05, 1.003, 1.12),
    (1.05, 1.00003, 1.12),
    (5.0, 1.04, 24.0),
    (5.0, 1.0004, 24.0),
    (0.004, 0.00002, 0.8),
)


def _comparisons(draw: random.Random) -> list[dict[str, Any]]:
    comparisons = []
    for pairs in (3, 4, 5, 9, 10, 12, 25):
        for effect in (0.0, 0.006, -0.006, 0.05, -0.3):
            for spread in (0.001, 0.02):
                better: Better = draw.choice(("higher", "lower"))
                base = [100 * draw.lognormvariate(0, 0.05) for _ in range(pairs)]
                head = [value * draw.lognormvariate(effect, spread) for value in base]
                if draw.random() < 0.25:
                    head[draw.randrange(pairs)] *= draw.choice((0.2, 6))
                comparisons.append(_comparison(base, head, better))
    # Odd trials decide the mean; a trimmed mean sees less of them.
    for odd in (6, 7, 8):
        base = [100.0 + place / 100 for place in range(20)]
        head = [value * (1.35 if place < odd else 1.0) for place, value in enumerate(base)]
        comparisons.append(_comparison(base, [value * draw.lognormvariate(0, 0.001) for value in head], "higher"))
    return comparisons


def _adjusted(comparisons: list[dict[str, Any]]) -> list[dict[str, float]]:
    by_place = {
        str(place): compare(
            differences(list(zip(comparison["base"], comparison["head"], strict=True)), comparison["better"])
        )
        for place, comparison in enumerate(comparisons)
    }
    return [
        {"p": comparison.p, "low": comparison.low, "high": comparison.high}
        for comparison in family(by_place, holm).values()
    ]


def _comparison(base: list[float], head: list[float], better: Better) -> dict[str, Any]:
    comparison = compare(differences(list(zip(base, head, strict=True)), better))
    return {
        "better": better,
        "base": base,
        "head": head,
        "effect": comparison.effect,
        "low": comparison.low,
        "high": comparison.high,
        "p": comparison.p,
        "words": words(comparison),
    }


def content() -> bytes:
    """The bytes of the file."""
    return json.dumps(document(), indent=1).encode("ascii") + b"\n"


if __name__ == "__main__":
    KEPT.write_bytes(content())
