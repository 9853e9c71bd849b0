"""Reporting: reports of a session, pages of all sessions, and what GitHub shows of them."""
