"""A group of commands that imports only the command that is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group of commands that imports only the command that is called.

    `commands`: module -> the commands there, each with its line of the help. A module with `{}` for the command's name
    has the command as `command`, any other module as `<name>_command`.
    """

    def __init__(self, *arguments: Any, commands: Mapping[str, Mapping[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._lines = {name: line for lines in commands.values() for name, line in lines.items()}
        self._places = {
            name: (
                module.format(name.replace("-", "_")),
                "command" if "{}" in module else f"{name.replace('-', '_')}_command",
            )
            for module, lines in commands.items()
            for name in lines
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._lines:
            return None
        module, attribute = self._places[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._lines and not args[0].startswith("-"):
            from plumbline.subjects.catalog.reading import nearest

            ctx.fail(f"No command '{args[0]}'. {nearest(args[0], self._lines)}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        fitting = [name for name in self._lines if name.startswith(incomplete)]
        names = [CompletionItem(name, help=self._lines[name]) for name in fitting]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._lines.items()))
