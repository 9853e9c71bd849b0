"""The public site: a folder of records becomes pages, small JSON files, feeds and badges.

Promises that the same records give the same bytes, in whatever order they lie and whatever was published before;
that nothing is written outside the folder it was given; that a record which can't be read, or that carries what no
session of ours writes, is left out, counted and listed; and that no text of a record becomes markup or an address.
Refuses to know how anything was measured or judged: figures, findings, standings and changes come from the rooms
before it, and what a page looks like is the matter of `site/`.
"""
