"""Pictures of what judging found: the points are those of the curves."""

from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, plot


def found(classes: int = 2, **how: Any) -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    edges = [-0.4, 0.4] if classes == 3 else [0]
    y = np.digitize(X[:, 0] + rng.normal(size=400), edges)
    tree = DecisionTreeClassifier(max_depth=3).fit(X[:200], y[:200])
    return bosco.curves(tree, X[200:], y[200:], **how)


def test_lines_are_the_curves() -> None:
    curves = found(costs={1: {0: 3}})
    one = curves[1]
    for draw, (x, y) in (
        (plot.roc, one.roc),
        (plot.precision_recall, one.pr),
        (plot.gain, one.gain),
        (plot.lift, tuple(v[1:] for v in one.lift)),
    ):
        line = draw(curves).lines[0]
        assert np.array_equal(line.get_xdata(), x)
        assert np.array_equal(line.get_ydata(), y)
    assert np.array_equal(plot.cost(curves).lines[0].get_ydata(), one.cost)
    points = plot.calibration(curves).containers[0].lines[0]
    assert np.array_equal(points.get_ydata(), one.calibration().observed)
    dot = plot.roc(one).lines[1]
    assert dot.get_xdata()[0] == one.point.false_alarms


def test_several_classes_have_a_line_each() -> None:
    labels = [text.get_text() for text in plot.roc(found(3)).get_legend().get_texts()]
    assert [label[0] for label in labels] == ["0", "1", "2"]


def test_residuals_and_segments() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + rng.normal(size=400)
    tree = DecisionTreeRegressor(max_depth=3).fit(X[:200], y[:200])
    left = bosco.residuals(tree, X[200:], y[200:])
    dots = plot.residuals(left).lines[0]
    assert dots.get_ydata().tolist() == [one.residual for one in left.bins]
    parts = bosco.segments(tree, X[200:], y[200:], by={"g": list("ab") * 100})
    ax = plot.segments(parts, key="residual")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    with pytest.raises(DataError, match="key must be one of absolute, residual"):
        plot.segments(parts, key="recall")


@pytest.mark.parametrize("name", ["roc", "gain", "residuals", "segments"])
def test_anything_else_is_refused(name: str) -> None:
    with pytest.raises(DataError, match="Got dict"):
        getattr(plot, name)({})
    with pytest.raises(DataError, match="costs"):
        plot.cost(found())
