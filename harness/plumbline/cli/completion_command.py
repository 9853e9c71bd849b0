"""`./bench completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from plumbline.model.errors import UsageError
from . import bench


@click.command(epilog='Example: eval "$(./bench completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for bash, zsh or fish. Your shell reads the script."""
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"There is no completion for {shell}.", "")
    click.echo(kind(bench, {}, "bench", "_BENCH_COMPLETE").source())
