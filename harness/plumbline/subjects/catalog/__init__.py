"""The catalog of what can be compared: `bench.toml` and every `apps/*/variant.toml`, read with a schema.

Promises: an unknown key, an impossible combination, a wrong unit or a missing file is one sentence with file, key and
the nearest known name; nothing read here is ever handed to a shell. Refuses to know how anything is run.
"""
