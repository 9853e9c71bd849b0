"""The proxy's count rises when the connecting side first sends, and each time that it sends after an answer."""

from __future__ import annotations

import socket

from plumbline.measuring.conformance.lost_database import Proxy


def test_a_round_trip_is_what_is_sent_before_the_other_side_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, Proxy(server.getsockname()[:2]) as proxy:
        client = socket.create_connection(("127.0.0.1", proxy.port))
        served, _ = server.accept()
        with client, served:
            assert proxy.trips == 0
            # Two pieces without an answer between them are one round trip.
            for piece in (b"begin", b"query"):
                client.sendall(piece)
                assert served.recv(16) == piece
            assert proxy.trips == 1
            for piece in (b"row", b"row"):
                served.sendall(piece)
                assert client.recv(16) == piece
            assert proxy.trips == 1
            client.sendall(b"commit")
            assert served.recv(16) == b"commit"
            assert proxy.trips == 2


def test_what_is_sent_before_a_late_answer_arrives_did_not_wait_for_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, Proxy(server.getsockname()[:2], 0.5) as proxy:
        client = socket.create_connection(("127.0.0.1", proxy.port))
        served, _ = server.accept()
        with client, served:
            client.sendall(b"begin")
            assert served.recv(16) == b"begin"
            served.sendall(b"begun")
            client.sendall(b"query")
            assert served.recv(16) == b"query"
            assert client.recv(16) == b"begun"
            assert proxy.trips == 1
            client.sendall(b"commit")
            assert served.recv(16) == b"commit"
            assert proxy.trips == 2
