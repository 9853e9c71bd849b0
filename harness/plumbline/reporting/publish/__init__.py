"""The public site: a folder of records becomes pages, small JSON files, feeds and badges.

Promises that the same records give the same bytes, whatever the order of their folders and whatever was published
before; that nothing is written outside the folder that the caller names; that a record is left out, counted and listed
if it can't be read or if it carries what no session of ours writes; and that no text of a record becomes markup or an
address. Refuses to know how anything was measured or judged: figures, findings, standings and changes come from the
rooms before this one, and `site/` decides how a page looks.
"""
