"""Hostile texts, which pages, feeds and pictures must show as text and nothing else."""

from __future__ import annotations

HOSTILE: tuple[str, ...] = (
    '<script>alert("1")</script>',
    "<img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "'; DROP TABLE trials; --",
    "[click](javascript:alert(1))",
    "{{ 7 * 7 }}{% raw %}",
    "]]></summary><script/>",
    "../../../../etc/passwd",
    "\u202egnp.exe \u0007\u001b[31m red",
    '=HYPERLINK("http://example.invalid")',
    "&lt;b&gt;&amp;#60;",
    "::error file=x::injected",
)
"""Each text shows a way in which data has become code somewhere."""
