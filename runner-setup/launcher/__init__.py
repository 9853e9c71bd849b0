"""The sandbox of a host that measures programs of others: a root service that takes requests over a Unix socket.

    ./bench run --sandbox required
        |  enter            the harness itself, as the user that asked, in a network namespace that has a loopback alone
        v
    plumbline-launcher@1    (root, one instance a connection)
        ^
        |  join, spawn, signal, terminate, read
    harness in the namespace        application: a throw-away user; database: its own user; load: the user that asked

Promises: a started program has no right that the asking user lacks, no network but the loopback it shares with its
session, no way to this socket, and bounds on memory, tasks, CPUs and time; CPUs that no other role shares are kept from
everybody else on the host while the session lasts; and a program ends when the connection ends. Refuses to
know what the programs are. Nothing that a client says ever stands in a unit or on a command line of systemd: programs
get their words over a socket, in `start`. Standard library only; installed below /usr/local/lib, never run from a
checkout.
"""
