"""`./bench completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, ShellComplete, get_completion_class

from plumbline.model.errors import UsageError
from . import bench


class _Bash(BashComplete):
    """The script for bash, which takes `vertx-pg+db-tls=re` for three words and puts back the last of them alone.

    Words are read off the line by their spaces; of an answer is left out what the line keeps. All else is click's.
    """

    source_template = r"""%(complete_func)s() {
    local IFS=$' \n' line=${COMP_LINE:0:COMP_POINT} kept= type value
    local -a words
    read -ra words <<< "$line"
    [[ $line == *[^\ ] ]] || words+=("")
    local typed=${words[-1]}
    if [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]]; then
        kept=${typed%%"${typed##*=}"}
    fi
    while IFS=',' read -r type value; do
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("${value#"$kept"}") ;;
        esac
    done < <(COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(complete_var)s=bash_complete "$1")
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


@click.command(epilog='Example: eval "$(./bench completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for bash, zsh or fish. Your shell reads the script."""
    kind: type[ShellComplete] | None = _Bash if shell == "bash" else get_completion_class(shell)
    if kind is None:
        raise UsageError(f"There is no completion for {shell}.", "")
    click.echo(kind(bench, {}, "bench", "_BENCH_COMPLETE").source())
