"""The application that attacks: tries what it was told to, and says of each attempt whether it got through.

    python3 -I application.py '{"attempts": [...], "facts": {...}}'  ->  {"attempt": "...", "done": true, "said": "..."}

It prints one line for each attempt. It runs in the emulated host, as role `app` of a real session, and once more with
the barrier taken away.
Standard library only; the attempts are written for Linux on x86-64.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]
Attempt = Callable[[Facts], str]

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWUSER = 0x10000000
_MIB = 1 << 20


def read(path: str) -> str:
    with open(path, "rb") as file:
        return f"{len(file.read(4096))} bytes of {path}"


def connect(family: int, address: Any) -> str:
    with socket.socket(family, socket.SOCK_STREAM) as line:
        line.settimeout(3)
        line.connect(address)
    return f"connected to {address!r}"


def write(path: str) -> str:
    with open(path, "wb") as file:
        file.write(b"x")
    return f"wrote {path}"


def called(result: int) -> str:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return "the kernel did it"


def runners_files(facts: Facts) -> str:
    return read(facts["credentials"])


def runners_environment(facts: Facts) -> str:
    return read(f"/proc/{facts['runner']}/environ")


def runners_memory(facts: Facts) -> str:
    with open(f"/proc/{facts['runner']}/maps") as maps:
        start = int(maps.readline().partition("-")[0], 16)
    with open(f"/proc/{facts['runner']}/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        return f"{len(memory.read(4096))} bytes of its memory"


def minting_token(facts: Facts) -> str:
    return read("/etc/plumbline/token")


def jit_configuration(facts: Facts) -> str:
    return read("/run/plumbline-runner/jitconfig")


def processes_of_others(facts: Facts) -> str:
    return read("/proc/1/stat")


def metadata_address(facts: Facts) -> str:
    return connect(socket.AF_INET, ("169.254.169.254", facts["port"]))


def loopback_of_the_host(facts: Facts) -> str:
    return connect(socket.AF_INET, ("127.0.0.1", facts["port"]))


def abstract_socket(facts: Facts) -> str:
    return connect(socket.AF_UNIX, facts["abstract"].encode())


def system_bus(facts: Facts) -> str:
    return connect(socket.AF_UNIX, "/run/dbus/system_bus_socket")


def resolver(facts: Facts) -> str:
    return connect(socket.AF_UNIX, facts["resolver"])


def launchers_socket(facts: Facts) -> str:
    return connect(socket.AF_UNIX, "/run/plumbline/launcher.sock")


def write_to_the_system(facts: Facts) -> str:
    return write("/usr/local/bin/planted")


def write_to_the_cache(facts: Facts) -> str:
    return write("/var/lib/plumbline/cache/planted")


def write_to_the_database(facts: Facts) -> str:
    return write(f"{facts['database']}/planted")


def write_the_measurements(facts: Facts) -> str:
    return write(f"{facts['private']}/closed.summary.json")


def write_an_aot_cache(facts: Facts) -> str:
    return write(f"{facts['aot']}/other.aot")


def files_for_the_next(facts: Facts) -> str:
    if os.path.exists("left"):
        return "found what the application before it left"
    write("left")
    raise FileNotFoundError("nothing is left of the application before it")


def fill_the_disk(facts: Facts) -> str:
    places = ("/tmp", "/var/tmp", "/dev/shm", os.getcwd(), "/var/lib/plumbline/scratch")
    for place in places:
        try:
            if os.stat(place).st_dev == facts["disk"]:
                return write(f"{place}/filling")
        except OSError:
            continue
    raise PermissionError("no place that it may write to lies on the disk")


def fill_the_log(facts: Facts) -> str:
    with open(f"{os.getcwd()}/sparse", "wb") as file:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        file.seek(900 * _MIB)
        file.write(b"x")
        file.seek(1100 * _MIB)
        file.write(b"x")
    return "a file of more than 1 GiB"


def fork_bomb(facts: Facts) -> str:
    children: list[int] = []
    try:
        while len(children) < facts["tasks"] + 50:
            child = os.fork()
            if child == 0:
                time.sleep(120)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
    return f"{len(children)} processes"


def memory_bomb(facts: Facts) -> str:
    allocated = bytearray()
    for _ in range(facts["memory_mb"] + 64):
        allocated += b"x" * _MIB
    return f"{len(allocated) // _MIB} MiB"


def child_that_stays(facts: Facts) -> str:
    words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", facts["mark"]]
    subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return "started"


def higher_priority(facts: Facts) -> str:
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return "nice -5"


def real_time(facts: Facts) -> str:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "first in, first out"


def other_cpus(facts: Facts) -> str:
    os.sched_setaffinity(0, {facts["other_cpu"]})
    return f"on CPU {facts['other_cpu']}"


def own_group(facts: Facts) -> str:
    with open("/sys/fs/cgroup/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
    return "in the root of control groups"


def clock(facts: Facts) -> str:
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + 1)
    return "a second later"


def signal_the_load(facts: Facts) -> str:
    os.kill(facts["load"], signal.SIGCONT)
    return "k6 got it"


def signal_the_harness(facts: Facts) -> str:
    os.kill(facts["harness"], signal.SIGCONT)
    return "the harness got it"


def user_namespace(facts: Facts) -> str:
    return called(_LIBC.unshare(_CLONE_NEWUSER))


def setuid_program(facts: Facts) -> str:
    user_id = subprocess.run([facts["setuid"], "-u"], capture_output=True, text=True, check=True).stdout.strip()
    if user_id != "0":
        raise PermissionError(f"it runs as {user_id}")
    return "root"


def disk_device(facts: Facts) -> str:
    return read("/dev/vda")


def kernel_setting(facts: Facts) -> str:
    with open("/proc/sys/kernel/panic", "r+") as file:
        file.write(file.read())
    return "set"


def kernel_log(facts: Facts) -> str:
    if (size := _LIBC.klogctl(3, ctypes.create_string_buffer(4096), 4096)) < 0:
        called(size)
    return f"{size} bytes"


def shared_memory(facts: Facts) -> str:
    if (segment := _LIBC.shmget(facts["shared_memory"], 4096, 0o666)) < 0:
        called(segment)
    return "attached"


ATTEMPTS: dict[str, Attempt] = {
    attempt.__name__.replace("_", "-"): attempt
    for attempt in (
        runners_files,
        runners_environment,
        runners_memory,
        minting_token,
        jit_configuration,
        processes_of_others,
        metadata_address,
        loopback_of_the_host,
        abstract_socket,
        system_bus,
        resolver,
        launchers_socket,
        write_to_the_system,
        write_to_the_cache,
        write_to_the_database,
        write_the_measurements,
        write_an_aot_cache,
        files_for_the_next,
        fill_the_disk,
        fill_the_log,
        fork_bomb,
        memory_bomb,
        child_that_stays,
        higher_priority,
        real_time,
        other_cpus,
        own_group,
        clock,
        signal_the_load,
        signal_the_harness,
        user_namespace,
        setuid_program,
        disk_device,
        kernel_setting,
        kernel_log,
        shared_memory,
    )
}


def main() -> None:
    request = json.loads(sys.argv[1])
    for name in request["attempts"]:
        try:
            succeeded, message = True, ATTEMPTS[name](request["facts"])
        except (OSError, MemoryError) as error:
            succeeded, message = False, f"{type(error).__name__}: {error}"
        print(json.dumps({"attempt": name, "done": succeeded, "said": message}), flush=True)


if __name__ == "__main__":
    main()
