"""Speak with a forge: GitHub, or a Gitea server by the same calls.

Promises: what came from an artifact or a pull request is only ever shown as plain text, in Markdown of our own making;
what the forge itself can answer is asked of the forge; one comment a pull request and one issue an alert, kept up to
date; settings are only read. Refuses to know how anything is measured, and holds no secret but the token of its job.
"""
