"""A badge for each subject and metric: the newest value with its interval, as an SVG that any page may embed."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from plumbline.figures.metrics import METRICS
from plumbline.report.parts.naming import unit_of, with_interval
from .trends import Chart

# Widths of a 11 px sans-serif font are not known to us; this is wide enough for the widest in use.
_CHAR_PX, _PAD_PX, _HEIGHT_PX = 6.7, 8, 20
_LABEL, _VALUE, _TEXT = "#3b4252", "#1f5f8b", "#ffffff"
_NS = "http://www.w3.org/2000/svg"


def badge(chart: Chart) -> bytes:
    """Return the badge of a chart: `vertx-pg/jvm/pg fruits throughput | 4,870 ± 60 /s`."""
    series = chart.series
    metric = METRICS[series.metric]
    unit = unit_of(metric.unit, ())
    count = len(series.points)
    newest = chart.columns(count - 1, count)
    value, half = newest.value[0] / unit.per, newest.half[0]
    low, high = (None, None) if half is None else (value * math.exp(-half), value * math.exp(half))
    label = f"{series.subject} {series.scenario.partition('@')[0]} {metric.title.lower()}"
    said = f"{with_interval(value, low, high)} {unit.symbol}".replace(" /s", "/s")
    return svg(label, said)


def svg(label: str, said: str) -> bytes:
    """Return a badge: two fields with their texts."""
    widths = [round(len(text) * _CHAR_PX + 2 * _PAD_PX) for text in (label, said)]
    whole = sum(widths)
    root = ET.Element(
        "svg",
        {
            "xmlns": _NS,
            "width": str(whole),
            "height": str(_HEIGHT_PX),
            "role": "img",
            "aria-label": f"{label}: {said}",
        },
    )
    ET.SubElement(root, "title").text = f"{label}: {said}"
    x = 0
    for text, width, colour in zip((label, said), widths, (_LABEL, _VALUE), strict=True):
        ET.SubElement(
            root,
            "rect",
            {"x": str(x), "width": str(width), "height": str(_HEIGHT_PX), "fill": colour},
        )
        ET.SubElement(
            root,
            "text",
            {
                "x": str(x + _PAD_PX),
                "y": "14",
                "fill": _TEXT,
                "font-family": "Verdana, DejaVu Sans, sans-serif",
                "font-size": "11",
                "textLength": str(width - 2 * _PAD_PX),
                "lengthAdjust": "spacingAndGlyphs",
            },
        ).text = text
        x += width
    content: bytes = ET.tostring(root, encoding="utf-8")
    return content + b"\n"
