"""systemd-run, systemctl, ip and mount as far as the launcher uses them, for machines where systemd does not run.

Units are processes; each request is written down. `systemd-run` behaves as the real one with --pipe and --wait:
it hands on its three streams, stays until the unit ends, and answers as `start_transient_service` in systemd's
src/run/run.c does: 0 also after the signals that systemd takes for a clean end, 255 after other signals, 1 if the
unit's time or memory was at its end. A file `oom` stands for the kernel that ends programs for want of memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

_SYSTEMD_RUN = """#!{python}
import json, os, signal, subprocess, sys
state = {state!r}
words, program = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
unit = next((word.partition("=")[2] for word in words if word.startswith("--unit=")), None)
if unit is None:
    sys.exit(subprocess.run(program).returncode)
properties = dict(word.partition("=")[2].partition("=")[::2] for word in words if word.startswith("--property="))
json.dump({{"words": words, "properties": properties, "program": program}}, open(f"{{state}}/{{unit}}.json", "w"))
def note_pid():
    # Before the program says anything, so that whoever knows of the unit can end it.
    open(f"{{state}}/{{unit}}.part", "w").write(str(os.getpid()))
    os.rename(f"{{state}}/{{unit}}.part", f"{{state}}/{{unit}}.pid")
child = subprocess.Popen(program, start_new_session=True, preexec_fn=note_pid)
try:
    code = child.wait(float(properties["RuntimeMaxSec"]))
    clean = code == 0 or -code in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM)
    result = "success" if clean else "signal" if code < 0 else "exit-code"
except subprocess.TimeoutExpired:
    child.terminate()
    code, result = child.wait(), "timeout"
if os.path.exists(f"{{state}}/oom"):
    result = "oom-kill"
if result != "success":
    with open(f"{{state}}/{{unit}}.shown", "w") as shown:
        print(f"ExecMainCode={{os.CLD_KILLED if code < 0 else os.CLD_EXITED}}", file=shown)
        print(f"ExecMainStatus={{abs(code)}}", file=shown)
        print(f"Result={{result}}", file=shown)
sys.exit({{"success": 0, "signal": 255, "exit-code": code}}.get(result, 1))
"""

_SYSTEMCTL = """#!{python}
import fnmatch, os, signal, sys
state = {state!r}
words = [word for word in sys.argv[1:] if not word.startswith("-")]
units = [name[:-4] for name in os.listdir(state) if name.endswith(".pid")]
for unit in fnmatch.filter(units, words[1]):
    if words[0] in ("kill", "stop"):
        try:
            os.killpg(int(open(f"{{state}}/{{unit}}.pid").read()), signal.SIGKILL)
        except ProcessLookupError:
            pass
    elif words[0] == "show":
        # Systemd forgets a unit that did not fail.
        path = f"{{state}}/{{unit}}.shown"
        print(open(path).read() if os.path.exists(path) else "Result=success")
"""

_IP = """#!{python}
import os, sys
namespaces = {namespaces!r}
words = sys.argv[1:]
if words[:2] == ["netns", "add"]:
    # Everybody is in it: the namespace that this process has already.
    os.symlink("/proc/self/ns/net", f"{{namespaces}}/{{words[2]}}")
elif words[:2] == ["netns", "delete"]:
    os.unlink(f"{{namespaces}}/{{words[2]}}")
"""

# A plain folder does as well: what is mounted is empty.
_MOUNT = """#!{python}
import os, shutil, sys
shutil.rmtree(sys.argv[-1])
os.mkdir(sys.argv[-1])
"""


def install(folder: Path) -> tuple[Path, Path, Path]:
    """Write the programs; return the folders of programs, of units, and of namespaces."""
    programs, units, namespaces = folder / "bin", folder / "units", folder / "netns"
    for path in (programs, units, namespaces):
        path.mkdir()
    for name, text in (
        ("systemd-run", _SYSTEMD_RUN),
        ("systemctl", _SYSTEMCTL),
        ("ip", _IP),
        ("mount", _MOUNT),
    ):
        program = programs / name
        program.write_text(text.format(python=sys.executable, state=str(units), namespaces=str(namespaces)))
        program.chmod(0o755)
    return programs, units, namespaces
