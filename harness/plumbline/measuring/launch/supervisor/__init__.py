"""The supervisor: a small process of its own that starts all others and outlives the harness.

It knows the standard library only, has one thread (death signals come from the *thread* that forked), ignores
the signals that end a harness, and acts when its peer is gone. It speaks in JSON lines over a socket; `loop`
lists the messages.
"""
