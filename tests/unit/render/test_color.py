"""Colours that all eyes tell apart, text that fits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco.render.color import DARK, LIGHT, OKABE_ITO, STYLES, class_colors
from bosco.render.measure import shorten, text_width, wrap


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(theme: dict[str, str]) -> None:
    """WCAG 2 asks 4.5 for text and 3 for lines that matter."""
    for name, style in STYLES.items():
        if style.size:
            assert style.size >= 10
            for ground in ("surface", "box"):
                assert contrast(theme[style.fill], theme[ground]) >= 4.5, name
    assert contrast(theme["line"], theme["surface"]) >= 3


def test_class_colors_differ_for_colour_blind_eyes() -> None:
    """The first eight stay apart under simulated deuteranopia and protanopia (Viénot 1999)."""
    blind = [
        np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
        np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    ]
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in OKABE_ITO])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    for matrix in [np.eye(3), *blind]:
        seen = np.clip(linear @ matrix.T, 0, 1)
        seen = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055)
        distance = np.linalg.norm(seen[:, None] - seen, axis=2) + np.eye(8)
        assert distance.min() > 0.12
    assert len(set(class_colors(24))) == 24


@given(text=st.text(max_size=80), width=st.floats(20, 300))
def test_shortened_text_fits(text: str, width: float) -> None:
    assert text_width(shorten(text, width, 12), 12) <= width
    lines = wrap(text, width, 12, max_lines=2)
    assert len(lines) <= 2
    assert all(text_width(line, 12) <= width for line in lines)
