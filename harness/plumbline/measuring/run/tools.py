"""Fetch all that a session downloads, before it enters a place without a network."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.measuring.services.registry import fetch_database
from plumbline.model.subject import Subject
from plumbline.subjects.plan.declared import engine_of
from .context import Context


def fetch_tools(context: Context, ids: Iterable[str]) -> None:
    """Fetch every tool that a session of the subjects with these ids uses. Raises UsageError."""
    context.say(f"JDK {context.jdk.build}, Maven {context.maven.version}, k6 {context.k6.version}")
    subjects = [Subject.parse(text) for text in ids]
    for subject in subjects:
        context.agent(context.catalog.settings_of(subject))
    fetch_database(engine_of(subjects), context.host_spec.database, context.box)
