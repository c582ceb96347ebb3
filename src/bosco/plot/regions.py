"""Decision regions: what a model says everywhere in the plane of two columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bosco.data.columns import Coded
from bosco.data.readers import Table, read_table
from bosco.data.schema import show_label, show_level
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.figures.figure import codes_of
from bosco.render.color import MARKERS, class_colors
from bosco.render.mpl import new_axes
from bosco.tree.family import AnyModel


@dataclass(frozen=True)
class _Axis:
    """One column of the plane: where its points are, and the grid that is asked about.

    `grid` holds numbers, or positions among `levels`.
    """

    column: int
    name: str
    points: NDArray[np.float64]
    grid: NDArray[np.float64]
    ends: tuple[float, float]
    levels: tuple[str, ...] = ()


def regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: Sequence[Any] | None = None,
    ax: Any = None,
    resolution: int = 300,
    points: bool = True,
    legend: bool = True,
) -> Any:
    """Colour the plane of two columns by what a model predicts there, and draw the rows on it.

    Parameters
    ----------
    model : Model or fitted estimator
        bosco's or scikit-learn's, for classes or numbers: anything with ``predict``.
    X : table
        The rows, with all columns the model wants. Where there are more than two, the others are
        held at their median or most frequent level.
    y : sequence, optional
        Classes or numbers to colour the rows by; without, no row is drawn.
    columns : two names or positions, optional
        The plane. By default the two columns of X, or the two most important ones.
    @ax
    resolution : int, default=300
        Predictions along each axis.
    points, legend : bool, default=True
        Whether to draw rows, and which colour is which class.

    @axis

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.plot import regions
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "b", "b", "a"]
    >>> ax = regions(DecisionTreeClassifier().fit(X, y), X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    if not isinstance(resolution, int | np.integer) or resolution < 2:
        raise ParameterError(f"resolution must be a whole number above 1. Got {resolution!r}.")
    table = read_table(X)
    first, second = (_axis(table, j, resolution) for j in _plane(model, table, columns))
    ours: Any = getattr(model, "model_", model)
    is_ours = isinstance(ours, AnyModel)
    grid = _grid(X, table, first, second, is_ours)
    said = np.asarray(model.predict(grid)).reshape(len(second.grid), len(first.grid))
    classes = ours.classes if is_ours else getattr(model, "classes_", None)
    ax = new_axes(6, 4.5) if ax is None else ax
    if y is not None and len(y) != table.n_rows:
        raise DataError(f"y must have one value for each of the {table.n_rows} rows. Got {len(y)}.")
    drawn = np.asarray(y) if y is not None and points else None
    if classes is None:
        _numbers(ax, said.astype(float), drawn, first, second, legend)
    else:
        _classes(ax, said, drawn, np.asarray(classes), first, second, legend)
    for axis, side in ((first, ax.xaxis), (second, ax.yaxis)):
        side.set_label_text(axis.name)
        if axis.levels:
            side.set_ticks(range(len(axis.levels)), axis.levels)
    if len(table.names) > 2:
        ax.set_title("other columns at their median or most frequent level", fontsize="small")
    ax.set_xlim(first.ends)
    ax.set_ylim(second.ends)
    return ax


def _plane(model: Any, table: Table, columns: Sequence[Any] | None) -> list[int]:
    """The two columns to draw."""
    n = len(table.names)
    if columns is None:
        if n == 2:
            return [0, 1]
        weight = getattr(model, "feature_importances_", None)
        if weight is None and isinstance(model, AnyModel):
            weight = model.worth
        if weight is None or n < 2:
            raise ParameterError(
                f"regions draws two columns, and X has {n}. Say which: columns=(…, …)."
            )
        return sorted(np.argsort(-np.asarray(weight), kind="stable")[:2].tolist())
    if isinstance(columns, str) or len(columns) != 2:
        raise ParameterError(f"columns must name two columns. Got {columns!r}.")
    found = []
    for item in columns:
        if str(item) in table.names:
            found.append(table.names.index(str(item)))
        elif isinstance(item, int | np.integer) and 0 <= item < n:
            found.append(int(item))
        else:
            raise ParameterError(
                f"X has no column {item!r}.{did_you_mean(item, table.names)} It has "
                f"{', '.join(map(repr, table.names[:10]))}{' …' if n > 10 else ''}."
            )
    return found


def _axis(table: Table, j: int, resolution: int) -> _Axis:
    """One column as an axis."""
    cells, name = table.column(j), table.names[j]
    if isinstance(cells, Coded):
        k = len(cells.levels)
        places = np.where(cells.codes == 0, np.nan, cells.codes.astype(np.float64) - 1)
        shown = tuple(map(show_level, cells.levels))
        return _Axis(j, name, places, np.arange(float(k)), (-0.5, k - 0.5), shown)
    if cells.unit != "number":
        raise ParameterError(
            f"regions draws numbers and levels; column {name!r} holds a {cells.unit}. "
            "Hint: choose other columns."
        )
    values: NDArray[np.float64] = cells.values.astype(np.float64)
    known = values[np.isfinite(values)]
    if not known.size:
        raise DataError(f"Column {name!r} has no value to draw.")
    low, high = float(known.min()), float(known.max())
    margin = 0.05 * (high - low) or 0.5
    low, high = low - margin, high + margin
    cell = (high - low) / resolution
    grid = low + cell * (np.arange(resolution, dtype=np.float64) + 0.5)
    return _Axis(j, name, values, grid, (low, high))


def _grid(X: Any, table: Table, first: _Axis, second: _Axis, ours: bool) -> Any:
    """Every point of the plane as a row like those of X."""
    across, up = np.meshgrid(first.grid, second.grid)
    asked = {first.column: across.ravel(), second.column: up.ravel()}
    n = across.size
    columns: list[NDArray[Any]] = []
    for j in range(len(table.names)):
        cells = table.column(j)
        if isinstance(cells, Coded):
            usual = np.full(n, np.argmax(np.bincount(cells.codes)[1:]) if cells.levels else 0)
            levels = np.array(cells.levels or (None,), dtype=object)
            columns.append(levels[asked.get(j, usual).astype(np.intp)])
        else:
            known = cells.values[~np.isnan(cells.values.astype(float))]
            usual = np.full(n, np.median(known) if known.size else np.nan)
            columns.append(asked.get(j, usual))
    if hasattr(X, "iloc"):  # pandas: columns of levels keep their dtype, categories included
        frame = type(X)(dict(zip(X.columns, columns, strict=True)))
        coded = [isinstance(table.column(j), Coded) for j in range(len(columns))]
        return frame.astype(dict(X.dtypes[coded]))
    if not table.named:
        return np.column_stack(columns)
    by_name = dict(zip(table.names, columns, strict=True))
    if ours or isinstance(X, Mapping):
        return by_name
    native = nw.from_native(X)
    plain = {name: values.tolist() for name, values in by_name.items()}
    return nw.from_dict(plain, backend=native.implementation).to_native()


def _classes(
    ax: Any,
    said: NDArray[Any],
    drawn: NDArray[Any] | None,
    classes: NDArray[Any],
    first: _Axis,
    second: _Axis,
    legend: bool,
) -> None:
    """Regions and points by class: a colour and a shape for each."""
    from matplotlib.colors import ListedColormap
    from matplotlib.lines import Line2D

    places = codes_of(said, classes).reshape(said.shape)
    colors = class_colors(len(classes))
    look = {"cmap": ListedColormap(colors), "vmin": -0.5, "vmax": len(classes) - 0.5}
    _image(ax, places, first, second, alpha=0.35, **look)
    if drawn is not None:
        for k, label in enumerate(classes.tolist()):
            rows = drawn == label
            shape = {"marker": MARKERS[k % 8], "color": colors[k], "edgecolors": "0.15"}
            size = 26 if len(drawn) <= 500 else 12
            x, y = _jitter(first, rows), _jitter(second, rows)
            ax.scatter(x, y, s=size, linewidths=0.5, zorder=3, **shape)
    if legend:
        points = [
            Line2D([], [], ls="", marker=MARKERS[k % 8], color=colors[k], mec="0.15", mew=0.5)
            for k in range(len(classes))
        ]
        names = [show_label(label).replace("$", r"\$") for label in classes]
        ax.legend(points, names, fontsize="small", framealpha=0.85)


def _numbers(
    ax: Any,
    said: NDArray[np.float64],
    drawn: NDArray[Any] | None,
    first: _Axis,
    second: _Axis,
    legend: bool,
) -> None:
    """Regions and points by number, on a scale that colour-blind eyes read as well."""
    seen = said if drawn is None else np.concatenate((said.ravel(), drawn.astype(float)))
    look = {"cmap": "cividis", "vmin": float(np.nanmin(seen)), "vmax": float(np.nanmax(seen))}
    image = _image(ax, said, first, second, **look)
    if drawn is not None:
        every = np.ones(len(drawn), dtype=bool)
        x, y = _jitter(first, every), _jitter(second, every)
        ax.scatter(x, y, c=drawn.astype(float), s=22, edgecolors="white", linewidths=0.5, **look)
    if legend:
        ax.figure.colorbar(image, ax=ax)


def _image(ax: Any, values: NDArray[Any], first: _Axis, second: _Axis, **look: Any) -> Any:
    extent = (*first.ends, *second.ends)
    return ax.imshow(
        values, extent=extent, origin="lower", aspect="auto", interpolation="nearest", **look
    )


def _jitter(axis: _Axis, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Places of rows; those on a level are spread a little, the same way every time."""
    if not axis.levels:
        return axis.points[rows]
    spread = np.random.default_rng(axis.column).uniform(-0.3, 0.3, len(axis.points))
    placed: NDArray[np.float64] = axis.points[rows] + spread[rows]
    return placed
