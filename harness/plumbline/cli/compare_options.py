"""Values that commands take which measure, and how they are refused."""

from __future__ import annotations

from typing import Any

import click
from pydantic import TypeAdapter, ValidationError


class Budget(click.ParamType[float]):
    """A time with its unit, as in bench.toml."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from plumbline.catalog.bench import Seconds

        try:
            seconds: float = TypeAdapter(Seconds).validate_python(value)
        except ValidationError:
            self.fail(f"'{value}' is no time with a unit, such as 90s, 20m or 2h.", param, ctx)
        if seconds <= 0:
            self.fail("a budget must be more than nothing.", param, ctx)
        return seconds


class MostPairs(click.ParamType[int]):
    """An even number of pairs."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(click.IntRange(4, 26).convert(value, param, ctx))
        if number % 2:
            self.fail(f"{number} is odd: pairs take turns, so they come in twos.", param, ctx)
        return number
