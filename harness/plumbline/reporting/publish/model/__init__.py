"""The published data, `api/v1`: what pages are rendered from and what others may build on.

Every document names its `kind`. Times `t` are seconds since 1970 (UTC). Figures stand in the unit in which the record
stores them; `symbol` and `per` of a metric say how they are shown: value / per, then the symbol. All paths and page
addresses are relative to the site's root. Texts are plain: whoever shows them escapes them.
"""
