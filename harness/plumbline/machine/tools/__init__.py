"""JDK, Maven, k6 and the database's binaries: found, else downloaded, else built.

Promises: what is downloaded is the pinned file or is not used, a tool is whole in the cache or not there, and
whatever takes long says so while it lasts; what can't be had is refused in one sentence that names what to
install. Refuses to know what the tools are used for. To add one, copy a neighbour: one file a tool, its pins
in `pins.toml`.
"""
