"""The ground floor: the types that flow through the pipeline. They depend on nothing but pydantic.

Units are in the names (`_s`, `_ms`, `_us`, `_bytes`, `_per_s`, `_share` for 0 to 1).
"""
