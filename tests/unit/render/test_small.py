"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest

from bosco.render.color import class_colors
from bosco.render.html import fill
from bosco.render.layout import place
from bosco.render.measure import shorten, text_width

EMPTY: dict[str, Any] = dict.fromkeys(("header", "rows", "bold", "right"), ())
LAYOUT = place([-1, 0, 0], [50, 20, 20], [10, 10, 10], gap=10, level_gap=5)


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        ((class_colors(2), len(set(class_colors(24)))), (("#0072b2", "#e69f00"), 24)),
        (fill("table", EMPTY | {"inline": False, "caption": "<b>"}).count("&lt;b&gt;"), 1),
        ((LAYOUT.x.tolist(), LAYOUT.y.tolist()), ([0.0, 0.0, 30.0], [0.0, 15.0, 15.0])),
        (LAYOUT.width, 50.0),
        (text_width("humidity", 10) < text_width("HUMIDITY", 10), True),
        (shorten("a very long name", 60, 12), "a very l…"),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted
