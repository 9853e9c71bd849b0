"""`./bench benchmark NAME`: a measurement of the harness itself, or a replay of recorded sessions."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

import click

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def benchmarks() -> dict[str, str]:
    """The first sentence of each benchmark's docstring, by the benchmark's name."""
    sentences = {}
    for file in sorted(FOLDER.glob("*.py")):
        parsed = ast.parse(file.read_text(encoding="utf-8"))
        if "__main__" in ast.unparse(parsed.body[-1]):
            sentences[file.stem] = (ast.get_docstring(parsed) or "").partition("\n")[0]
    return sentences


class _CommandWithBenchmarks(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Benchmarks"):
            formatter.write_dl(list(benchmarks().items()))


@click.command(
    cls=_CommandWithBenchmarks,
    # All words after the name belong to the benchmark, --help too.
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
    epilog="Example: ./bench benchmark repeats results/repeats",
)
@click.argument("name", type=click.Choice(list(benchmarks())), metavar="NAME")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
def command(name: str, arguments: tuple[str, ...]) -> int:
    """Run a benchmark of the harness; `./bench benchmark NAME --help` tells what it measures and prints.

    The figures of docs/promises.md and docs/method.md that no simulation gives come from here.
    """
    sys.argv = [f"./bench benchmark {name}", *arguments]
    try:
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")
    except SystemExit as program_exit:
        if isinstance(program_exit.code, str):
            click.echo(program_exit.code, err=True)
        return program_exit.code if isinstance(program_exit.code, int) else int(program_exit.code is not None)
    return 0
