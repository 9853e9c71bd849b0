"""The published data, `api/v1`: pages are rendered from these documents, and others may build on them.

Every document names its `kind`. Times `t` are seconds since 1970 (UTC). Figures stand in the unit in which the record
stores them; `symbol` and `per` of a metric say how they are shown: value / per, then the symbol. All paths and page
addresses are relative to the site's root. Texts are plain: a program that shows them escapes them.
"""
