"""What judging found: curves of a class, calibration, residuals, segments."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bosco.errors import DataError
from bosco.figures.curved import Curves
from bosco.figures.curves import ClassCurves
from bosco.figures.residuals import Residuals
from bosco.figures.segmented import Segments
from bosco.render.color import OKABE_ITO
from bosco.render.measure import shorten
from bosco.render.mpl import new_axes

_LINES = ("-", "--", "-.", ":")
_MOST = 2000  # points of a line


def roc(found: Any, ax: Any = None) -> Any:
    """Recall over false alarms; the dot is the point that was asked for.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found.
    @ax

    @axis

    Examples
    --------
    >>> import bosco
    >>> from bosco.plot import roc
    >>> counted = bosco.Scored.of_rows([0.9, 0.6, 0.6, 0.1], [1, 1, 0, 0])
    >>> roc(bosco.Curves.of("yes", counted)).get_xlabel()
    'false alarms'
    """
    ax = _drawn(found, ax, lambda one: (*one.roc, f"{one.name}, area {_said(one.area.value)}"))
    for at, one in enumerate(_all(found)):
        _dot(ax, one.point.false_alarms, one.point.recall, at)
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":")
    return _framed(ax, "false alarms", "recall")


def precision_recall(found: Any, ax: Any = None) -> Any:
    """Precision over recall; the dotted line is the share of the class.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found.
    @ax

    @axis
    """
    ax = _drawn(
        found,
        ax,
        lambda one: (*one.pr, f"{one.name}, mean {_said(one.average_precision.value)}"),
        "steps-pre",
    )
    for at, one in enumerate(_all(found)):
        _dot(ax, one.point.recall, one.point.precision, at)
        ax.axhline(one.share, color=OKABE_ITO[at % 8], lw=1, ls=":")
    return _framed(ax, "recall", "precision")


def gain(found: Any, ax: Any = None) -> Any:
    """What is found of the class when only so many rows are looked at, the highest scores first.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found.
    @ax

    @axis
    """
    ax = _drawn(found, ax, lambda one: (*one.gain, one.name))
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":")
    return _framed(ax, "share of the rows looked at", "share of the class found")


def lift(found: Any, ax: Any = None) -> Any:
    """How much oftener the class is among the highest scores than among all rows.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found.
    @ax

    @axis
    """
    ax = _drawn(found, ax, lambda one: (one.lift[0][1:], one.lift[1][1:], one.name))
    ax.axhline(1, color="0.6", lw=1, ls=":")
    ax.set_xlim(0, 1)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("share of the rows looked at")
    ax.set_ylabel("lift")
    return ax


def cost(found: Any, ax: Any = None) -> Any:
    """What a row costs on average, over the bar; a dot where it is least on these rows.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found with ``costs``.
    @ax

    @axis
    """
    if any(one.costs is None for one in _all(found)):
        raise DataError("cost is drawn where costs were said. Hint: bosco.curves(…, costs=…).")

    def line(one: ClassCurves) -> tuple[Any, Any, str]:
        bars = one.scored.thresholds.copy()
        bars[0] = bars[1]
        return bars, one.cost, one.name

    ax = _drawn(found, ax, line, "steps-post")
    for at, one in enumerate(_all(found)):
        best = max(int(np.argmin(one.cost)), 0)
        _dot(ax, float(one.scored.thresholds[max(best, 1)]), float(one.cost[best]), at)
    ax.set_ylim(bottom=0)
    ax.legend(loc="upper left")
    ax.set_xlabel("the class is said from this score on")
    ax.set_ylabel("mean cost of a row")
    return ax


def calibration(found: Any, ax: Any = None) -> Any:
    """What was said of groups of rows, and what is true of them, with 95 % intervals.

    Parameters
    ----------
    found : Curves
        What `bosco.curves` found.
    @ax

    @axis
    """
    ax = new_axes(5, 5) if ax is None else ax
    for at, one in enumerate(_all(found)):
        points = one.calibration()
        reach = np.stack([points.observed - points.low, points.high - points.observed])
        ax.errorbar(
            points.predicted,
            points.observed,
            np.maximum(reach, 0),
            fmt="osD^v"[at % 5],
            color=OKABE_ITO[at % 8],
            ms=4,
            lw=1,
            capsize=2,
            label=f"{one.name}, Brier {_said(one.brier.value)}",
        )
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":")
    ax.legend(loc="upper left")
    return _framed(ax, "score, mean", "share of the class", legend=False)


def residuals(found: Any, ax: Any = None) -> Any:
    """What is true less what is predicted, by what is predicted: quantiles and the mean.

    Parameters
    ----------
    found : Residuals
        What `bosco.residuals` found.
    @ax

    @axis
    """
    if not isinstance(found, Residuals):
        raise DataError(f"residuals draws what bosco.residuals found. Got {type(found).__name__}.")
    ax = new_axes(6, 4) if ax is None else ax
    at = np.array([one.predicted for one in found.bins])
    ends = np.array([one.spread for one in found.bins])
    ax.vlines(at, ends[:, 0], ends[:, 4], color=OKABE_ITO[4], lw=1.5, label="5 to 95 % of the rows")
    ax.vlines(at, ends[:, 1], ends[:, 3], color=OKABE_ITO[4], lw=5, label="the middle half")
    ax.plot(at, [one.residual for one in found.bins], "o", color=OKABE_ITO[0], ms=5, label="mean")
    ax.axhline(0, color="0.5", lw=1)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true less predicted")
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.3 * (high - low))  # room for the legend
    ax.legend(loc="upper right")
    return ax


def segments(found: Any, column: str | None = None, key: str = "error", ax: Any = None) -> Any:
    """One figure of every segment with its interval, and that of all others as a line.

    Parameters
    ----------
    found : Segments
        What `bosco.segments` found.
    column : str, optional
        Whose segments; by default the first column that was asked for.
    key : str, default="error"
        Which figure: "error", "answered", "recall", "alarms", "precision" or "promised"; of
        numbers "absolute" or "residual". Of figures of several classes the first.
    @ax

    @axis
    """
    if not isinstance(found, Segments):
        raise DataError(f"segments draws what bosco.segments found. Got {type(found).__name__}.")
    group = found.columns[0] if column is None else found[column]
    rows = next((row for row in group.figures if row[0].key == key), None)
    if rows is None:
        known = ", ".join(dict.fromkeys(row[0].key for row in group.figures))
        raise DataError(f"key must be one of {known}. Got {key!r}.")
    ax = new_axes(6, 1.2 + 0.35 * len(rows)) if ax is None else ax
    for at, one in enumerate(rows):
        color = OKABE_ITO[5] if one.differs else "0.6" if one.few else OKABE_ITO[4]
        ax.plot([one.low, one.high], [at, at], color=color, lw=2)
        ax.plot([one.value], [at], "o", color=color, ms=6, mfc="white" if one.few else color)
        ax.plot([one.others], [at], "|", color="0.3", ms=12)
    names = [shorten(name, 180, 10).replace("$", r"\$") for name in group.segments]
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(f"{key}; | all others; hollow: too few to tell; red: differs")
    return ax


def _all(found: Any) -> Iterable[ClassCurves]:
    if isinstance(found, ClassCurves):
        return (found,)
    if not isinstance(found, Curves):
        raise DataError(f"What bosco.curves found is drawn. Got {type(found).__name__}.")
    return found.curves


def _drawn(
    found: Any, ax: Any, line: Callable[[ClassCurves], tuple[Any, Any, str]], steps: str = "default"
) -> Any:
    """A line for every class."""
    curves = tuple(_all(found))
    ax = new_axes(5, 5) if ax is None else ax
    for at, one in enumerate(curves):
        x, y, label = line(one)
        places = one.thinned(_MOST)
        places = places[places < len(x)]
        look = {"color": OKABE_ITO[at % 8], "ls": _LINES[at % 4]}
        ax.plot(x[places], y[places], label=label, drawstyle=steps, **look)
    ax.legend(loc="lower right")
    return ax


def _dot(ax: Any, x: float, y: float, at: int) -> None:
    if not np.isnan([x, y]).any():
        ax.plot([x], [y], "o", color=OKABE_ITO[at % 8], ms=7, mec="0.15", zorder=3)


def _framed(ax: Any, x: str, y: str, *, legend: bool = True) -> Any:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if legend:
        ax.legend(loc="lower right")
    return ax


def _said(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:.3f}"
