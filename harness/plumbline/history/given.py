"""A series out of a file: `{"series": [{"t": ..., "value": ..., "control": ...?, "env": ...?}, ...]}`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictFloat, StrictInt, StrictStr, ValidationError

from plumbline.figures.metrics import Better
from plumbline.model.base import Frozen
from plumbline.model.errors import UsageError
from plumbline.record.difference import first_problem
from .points import Point, Points
from .series import FigureSeries

# What is measured by a comparison; every other component of `env` starts a segment.
LABELS = frozenset({"framework", "jdk", "flags"})

_Number = Annotated[StrictFloat, Field(gt=0)]
_Component = StrictStr | StrictInt | StrictFloat | bool | None


class _GivenPoint(Frozen):
    t: StrictStr | StrictInt | StrictFloat
    value: _Number
    control: _Number | None = None
    env: StrictStr | StrictInt | StrictFloat | dict[str, _Component] | None = None


class _Given(Frozen):
    series: tuple[_GivenPoint, ...] = Field(min_length=1)
    name: str = "series"
    better: Better | None = None


def read_given(path: Path) -> FigureSeries:
    """Return the series of a file, its points in the order given. Raises UsageError, naming what is wrong."""
    try:
        given = _Given.model_validate(json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", "Name a file with a series.") from None
    except ValidationError as error:
        raise UsageError(f"{path}: {first_problem(error)}.", _FORM) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON document ({error}).", _FORM) from None
    points = []
    for one in given.series:
        parts = one.env if isinstance(one.env, dict) else {} if one.env is None else {"env": one.env}
        words = {name: str(value) for name, value in parts.items()}
        points.append(
            Point(
                t=one.t,
                session=str(one.t),
                value=one.value,
                control=one.control,
                environment={name: word for name, word in words.items() if name not in LABELS},
                labels={name: word for name, word in words.items() if name in LABELS},
            )
        )
    return FigureSeries(id=given.name, better=given.better, points=Points.of(points))


_FORM = (
    'Write it as {"series": [{"t": "2026-09-01", "value": 4012.5, "control": 5200.0, "env": "lab1"}, ...]}.'
)
