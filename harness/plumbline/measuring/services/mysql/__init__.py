"""MySQL: a server of our own on the pinned programs, restored by copying a stopped data folder."""
