"""A group of commands of which only the one that is asked for is imported."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """`lines` has each command with its line of the help; `module` is where one stands, with `{}` for its name."""

    def __init__(self, *words: Any, lines: Mapping[str, str], module: str, **more: Any) -> None:
        super().__init__(*words, **more)
        self._lines, self._module = lines, module

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lines:
            return None
        module = importlib.import_module(self._module.format(cmd_name.replace("-", "_")))
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._lines and not args[0].startswith("-"):
            from plumbline.catalog.reading import nearest

            ctx.fail(f"No command '{args[0]}'. {nearest(args[0], self._lines)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
