"""The machine, and the programs on it: `host` reads what it is made of, `tools` finds or gets what runs on it."""
