"""Draws badges, and the picture that other sites show beside a link to this site."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from textwrap import wrap
from xml.etree import ElementTree as ET

from PIL import Image, ImageDraw, ImageFont

from plumbline.reporting.report.parts.naming import unit_of, with_interval
from plumbline.verdicts.figures.metrics import METRICS
from .trends import Chart

# The widths of the reader's 11 px sans-serif font are unknown here; these are wide enough for the widest font in use.
_CHAR_PX, _PAD_PX, _HEIGHT_PX = 6.7, 8, 20
_LABEL, _VALUE, _TEXT = "#3b4252", "#1f5f8b", "#ffffff"
_NS = "http://www.w3.org/2000/svg"


def badge(chart: Chart, where: str, simulated: bool) -> bytes:
    """Return the badge of a chart: `vertx-pg/jvm/pg fruits@1: Throughput at full load on lab1 | 4,870 ± 60/s`.

    A verdict other than valid stands behind the figure. `where` is the phase in words.
    """
    series = chart.series
    metric = METRICS[series.metric]
    unit = unit_of(metric.unit, ())
    count = len(series.points)
    newest = chart.columns(count - 1, count)
    value, half_width = newest.value[0] / unit.per, newest.half[0]
    low, high = (None, None) if half_width is None else (value * math.exp(-half_width), value * math.exp(half_width))
    prefix = "SIMULATED: " if simulated else ""
    label = f"{prefix}{series.subject} {series.scenario}: {metric.title} {where} on {series.host}"
    value_text = f"{with_interval(value, low, high)} {unit.symbol}".replace(" /s", "/s")
    # A badge stands on pages of others, where nothing else tells the verdict.
    (verdict,) = newest.verdict
    return svg(label, value_text if verdict == "valid" else f"{value_text}, {verdict}")


def svg(label: str, value_text: str) -> bytes:
    """Return a badge as SVG: one field with the label, one with the value."""
    widths = [round(len(text) * _CHAR_PX + 2 * _PAD_PX) for text in (label, value_text)]
    total_width = sum(widths)
    root = ET.Element(
        "svg",
        {
            "xmlns": _NS,
            "width": str(total_width),
            "height": str(_HEIGHT_PX),
            "role": "img",
            "aria-label": f"{label}: {value_text}",
        },
    )
    ET.SubElement(root, "title").text = f"{label}: {value_text}"
    x = 0
    for text, width, colour in zip((label, value_text), widths, (_LABEL, _VALUE), strict=True):
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


WIDTH, HEIGHT = 1200, 630
_PAPER, _INK, _SOFT, _BAR, _WARNING = 0, 1, 2, 3, 4
# Paper, ink, soft ink, bar, warning: each is readable on paper (contrast 5:1 or more); few colours give a small file.
_PALETTE = (255, 255, 255, 27, 31, 42, 92, 99, 112, 31, 95, 139, 150, 30, 30)
_MARGIN = 70
_LINE_CHARS = 62
_LINES = 3

Bars = Sequence[tuple[str, float, str]]
"""The name, the length, and the figure in words of each bar."""


def picture(site: str, title: str, lines: Sequence[str], bars: Bars, simulated: bool) -> bytes:
    """Return the picture as PNG. The same words give the same bytes with the same version of the library."""
    image = Image.new("P", (WIDTH, HEIGHT), _PAPER)
    image.putpalette(_PALETTE)
    draw = ImageDraw.Draw(image)
    draw.fontmode = "1"
    draw.text((_MARGIN, 50), site, fill=_BAR, font=ImageFont.load_default(34))
    if simulated:
        draw.text((WIDTH - 400, 50), "SIMULATED", fill=_WARNING, font=ImageFont.load_default(48))
    draw.text((_MARGIN, 105), title, fill=_INK, font=ImageFont.load_default(72))
    y = 215
    for line in [part for text in lines for part in wrap(_drawable(text), _LINE_CHARS)][:_LINES]:
        draw.text((_MARGIN, y), line, fill=_SOFT, font=ImageFont.load_default(32))
        y += 42
    if not bars:
        draw.text(
            (_MARGIN, HEIGHT - 120),
            "Benchmarks of JVM web frameworks that anyone can check.",
            fill=_SOFT,
            font=ImageFont.load_default(32),
        )
    else:
        _draw_bars(draw, bars, y + 15)
    content = BytesIO()
    image.save(content, "PNG", optimize=False, compress_level=6)
    return content.getvalue()


def _draw_bars(draw: ImageDraw.ImageDraw, bars: Bars, top: int) -> None:
    step = (HEIGHT - 40 - top) // len(bars)
    longest = max(length for _, length, _ in bars) or 1.0
    font = ImageFont.load_default(min(28, max(14, step - 12)))
    for index, (name, length, figure) in enumerate(bars):
        y = top + index * step
        draw.text((_MARGIN, y), _drawable(name)[:28], fill=_INK, font=font)
        # Bars start at zero, so that their lengths have the same ratio as their figures.
        end = 480 + round(430 * max(length, 0.0) / longest)
        draw.rectangle((480, y + 4, end, y + step - 14), fill=_BAR)
        draw.text((end + 12, y), _drawable(figure), fill=_SOFT, font=font)


def _drawable(text: str) -> str:
    """Return the text without characters that the built-in font lacks."""
    return text.replace("\u00a0", " ").encode("latin-1", "replace").decode("latin-1")
