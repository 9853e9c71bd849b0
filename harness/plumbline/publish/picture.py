"""The picture that others show beside a link to a page (Open Graph), 1200 by 630 pixels."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from textwrap import wrap

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
_PAPER, _INK, _SOFT, _BAR, _WARNING = 0, 1, 2, 3, 4
# Paper, ink, soft ink, bar, warning: each readable on the first (5:1 and more), and few enough for a small file.
_PALETTE = (255, 255, 255, 27, 31, 42, 92, 99, 112, 31, 95, 139, 150, 30, 30)
_MARGIN = 70
_LINE_CHARS = 62
_LINES = 3

Bars = Sequence[tuple[str, float, str]]
"""Name, length, figure in words."""


def picture(site: str, title: str, lines: Sequence[str], bars: Bars, simulated: bool) -> bytes:
    """Return a PNG; the same words give the same bytes with the same version of the library."""
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
    for place, (name, length, figure) in enumerate(bars):
        y = top + place * step
        draw.text((_MARGIN, y), _drawable(name)[:28], fill=_INK, font=font)
        # Bars start at zero: a longer one is longer by as much as it says.
        end = 480 + round(430 * max(length, 0.0) / longest)
        draw.rectangle((480, y + 4, end, y + step - 14), fill=_BAR)
        draw.text((end + 12, y), _drawable(figure), fill=_SOFT, font=font)


def _drawable(text: str) -> str:
    """Return the text without characters that the built-in font lacks."""
    return text.replace("\u00a0", " ").encode("latin-1", "replace").decode("latin-1")
