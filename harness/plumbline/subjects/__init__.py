"""The subjects: the catalog of variants, the plan of a session, and what a change of files can affect."""
