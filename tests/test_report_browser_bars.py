"""The bar between two classes in a report, in a real browser.

Needs playwright with a chromium, the system's or its own; skipped without. The accessibility rules
are those of axe-core, which axe-playwright-python brings along.
"""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.datasets import load_breast_cancer

import bosco
from bosco.reporting.bars import round_top
from tests.browser import Open, usable


def cells() -> Any:
    """A tree of two classes, and rows that it has not seen."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    clf = bosco.DecisionTreeClassifier(max_depth=3).fit(data.data[::2], y[::2])
    return clf, data.data[1::2], y[1::2]


def bars_report() -> Any:
    return bosco.report(*cells(), positive="malignant", costs={"malignant": 20}, by="mean area")


@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
def test_everybody_can_use_it(show: Open, size: str, scheme: str) -> None:
    usable(show(bars_report(), size, scheme), size)


def test_the_bar_moves_and_says_what_it_finds(show: Open) -> None:
    page = show(bars_report(), "wide", "light")
    clf, X, y = cells()
    score, true = clf.predict_proba(X)[:, 1], y == "malignant"

    def shown() -> list[int]:
        return [int(n) for n in page.locator("#bar-cells td").all_inner_texts()]

    def counted(bar: float) -> list[int]:
        said = score >= bar
        cells = (true & said, true & ~said, ~true & said, ~true & ~said)
        return [int(cell.sum()) for cell in cells]

    assert shown() == counted(0.5)  # as the model answers
    found = bosco.curves(clf, X, y, positive="malignant", costs={"malignant": 20})["malignant"]
    page.locator("#bar-best").click()
    assert shown() == counted(found.cheapest)
    form = page.locator("#bar-form")
    assert float(form.get_attribute("data-cost") or "") == pytest.approx(found.cost.min())
    page.locator("#bar-miss").fill("1")
    page.locator("#bar-best").click()
    bars = found.scored.thresholds[1:]
    errors = [float((true != (score >= bar)).mean()) for bar in bars]
    assert float(form.get_attribute("data-cost") or "") == pytest.approx(min(errors))
    for miss in ("1", "20", "0.3"):  # the axis ends where a page of these costs would end it
        page.locator("#bar-miss").fill(miss)
        ends = page.locator("svg[data-curve=cost] text[text-anchor=end]").all_text_contents()
        above, whole = found.scored.above, found.scored.weight.sum(axis=0)
        mean = ((whole[1] - above[:, 1]) * float(miss) + above[:, 0]) / whole.sum()
        assert float(ends[-1]) == pytest.approx(round_top(float(mean.max())))
    slider = page.locator("#bar-at")
    slider.focus()
    page.keyboard.press("Home")
    assert page.locator("#bar-score").inner_text() == "none is"
    assert shown() == counted(2.0)
    page.keyboard.press("ArrowRight")
    assert shown() == counted(float(bars[0]))
    dot = page.locator("svg[data-curve=roc] .dot")
    alarms = counted(float(bars[0]))[2] / (~true).sum()
    assert float(dot.get_attribute("cx") or "") == pytest.approx(58 + 260 * alarms, abs=0.06)
