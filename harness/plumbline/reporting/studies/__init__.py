"""Studies: what the five studies published, and what a session of their suite shows of the same questions.

Promises that published figures stand in one place, each with where it is from (the study itself, or a later one), and
that what is compared between there and here are ratios between subjects, with their intervals: hosts, releases and
databases differ, so that absolute figures do not carry over. Refuses to explain a difference by itself: the reasons are
written beside the figures by people.
"""
