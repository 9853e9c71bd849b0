"""Addresses of pages and files below the site's root. Every part of an address comes from a name that was checked."""

from __future__ import annotations

from urllib.parse import quote

from plumbline.model.subject import slug_of

API = "api/v1"


def run_page(session: str) -> str:
    """Return the address of the page of a session."""
    return f"run/{session}/"


def run_file(session: str) -> str:
    """Return the path of the run report of a session."""
    return f"{API}/runs/{session}.json"


def timeline_file(session: str, trial: int) -> str:
    """Return the path of the timeline of a trial."""
    return f"{API}/runs/{session}/{trial:04d}.json"


def compare_file(session: str) -> str:
    """Return the path of the file with trial values and curves of a session."""
    return f"{API}/compare/{session}.json"


def class_page(access: str) -> str:
    """Return the address of the page of a class of data access."""
    return f"classes/{access}/"


def matrix_page(host_class: str, scenario: str) -> str:
    """Return the address of the page of a matrix; `scenario` is a slug."""
    return f"matrix/{host_class}/{scenario}/"


def matrix_file(host_class: str, scenario: str) -> str:
    """Return the path of the document of a matrix; `scenario` is a slug."""
    return f"{API}/matrix/{host_class}/{scenario}.json"


def series_stem(host: str, subject: str, scenario: str, phase: str, metric: str) -> str:
    """Return the common stem of the paths of a series: its file, its older parts and its badge."""
    return f"{slug_of(host)}/{slug_of(subject)}/{slug_of(scenario)}.{slug_of(phase)}.{metric}"


def trend_page(host: str, subject: str, scenario: str, phase: str, metric: str) -> str:
    """Return the address of the trends page that shows this one chart."""
    words = {
        "host": slug_of(host),
        "subject": slug_of(subject),
        "scenario": slug_of(scenario),
        "phase": phase,
        "metric": metric,
    }
    return "trends/?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in words.items())
