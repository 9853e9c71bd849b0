"""Requests, answers and news over one socket."""

from __future__ import annotations

import json
import socket

from plumbline.measuring.place.channel import Channel
from plumbline.model.errors import CannotGoOn


def test_a_process_with_the_id_of_an_ended_process_still_runs() -> None:
    """The kernel gives ids anew once it has counted to its largest."""
    own_end, peer_end = socket.socketpair()
    channel = Channel(own_end, lambda: CannotGoOn("It is gone."))
    with peer_end, peer_end.makefile("rb") as requests:
        peer_end.sendall(b'{"exited": 4711, "status": -15}\n')
        assert channel.exit_of(4711, None) == -15
        peer_end.sendall(b'{"id": 1, "pid": 4711}\n')
        assert channel.ask(do="spawn")["pid"] == 4711
        assert json.loads(requests.readline())["do"] == "spawn"
        assert channel.exit_of(4711, 0.0) is None
        peer_end.sendall(b'{"exited": 4711, "status": 0}\n')
        assert channel.exit_of(4711, None) == 0
        channel.hang_up()
    channel.close()
