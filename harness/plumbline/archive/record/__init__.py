"""The record of a session: written once, checked by anyone.

Promises that a record can be recomputed from its evidence alone, bit for bit, and that a changed byte shows:
canonical JSON, a manifest over every byte, and `verify`. A folder holds `record.json`,
`evidence/NNNN.json.gz` and `MANIFEST.sha256`; reports and logs may lie beside them and are derived, or not
needed. Refuses to know how trials are run, and never changes what was written.
"""
