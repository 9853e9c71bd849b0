"""`./bench completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from . import bench


class _Bash(BashComplete):
    """The script for bash, which takes `vertx-pg+db-tls=re` for three words and replaces only the last of them.

    So the script splits the line at its spaces, and leaves out the part of an answer that the line keeps. All else is
    click's.
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


class _Zsh(ZshComplete):
    """The script for zsh, which asks the program that was typed: click's script does nothing for `./bench`."""

    source_template = r"""#compdef %(prog_name)s
%(complete_func)s() {
    local type key descr
    local -a response plain described
    response=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) \
        %(complete_var)s=zsh_complete ${~words[1]})}")
    for type key descr in ${response}; do
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain) [[ $descr == _ ]] && plain+=("$key") || described+=("$key:$descr") ;;
        esac
    done
    (( ! ${#described} )) || _describe -V unsorted described -U
    (( ! ${#plain} )) || compadd -U -V unsorted -a plain
}
compdef %(complete_func)s %(prog_name)s
"""


class _Fish(FishComplete):
    """The script for fish, which asks the program that was typed, and keeps the commas of an answer: click's script
    asks the program on PATH, and cuts `control,vertx-pg` off at its comma.
    """

    source_template = r"""function %(complete_func)s
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    for completion in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \
            COMP_CWORD=(commandline -t) $program)
        set -l parts (string split -m 1 "," -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


_SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


@click.command(epilog='Example: eval "$(./bench completion bash)"')
@click.argument("shell", type=click.Choice(list(_SHELLS)))
def command(shell: str) -> None:
    """Print the completion script for bash, zsh or fish. Your shell reads the script.

    In zsh, after `compinit`: `source <(./bench completion zsh)`. In fish: `./bench completion fish | source`.
    """
    click.echo(_SHELLS[shell](bench, {}, "bench", "_BENCH_COMPLETE").source())
