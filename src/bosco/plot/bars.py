"""Bars, one or two a column: what a model leans on, and whether other rows would change that."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from bosco.errors import DataError
from bosco.plot.given import labels_of, named, numbers
from bosco.render.color import OKABE_ITO
from bosco.render.measure import shorten
from bosco.render.mpl import new_axes


def importances(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    names: Sequence[Any] | None = None,
    top: int = 15,
    repeats: int = 30,
    random_state: Any = 0,
    ax: Any = None,
) -> Any:
    """How much each column brought to the decrease of impurity, with its spread.

    Parameters
    ----------
    estimator : fitted tree or forest, mapping, or array
        Anything with ``feature_importances_``; or column names with one importance or several; or
        one row of importances for each repetition.
    X, y : table and target, optional
        With them, the spread is that of trees fitted again to `repeats` bootstrap samples of the
        rows. Without, it is that over the trees of a forest; one tree alone has none.
    names : sequence, optional
        Names of the columns, if the estimator does not know them.
    top : int, default=15
        How many columns to show, the most important first.
    repeats : int, default=30
        How many bootstrap samples.
    random_state : int, RandomState or None, default=0
        Draws the samples.
    @ax

    Returns
    -------
    matplotlib.axes.Axes
        The axis. Bars are the estimator's own importances; a dot is the mean of the repetitions,
        and its line reaches one standard deviation to either side.

    Examples
    --------
    >>> from bosco.plot import importances
    >>> ax = importances({"age": [0.7, 0.5], "sex": [0.3, 0.5]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['age', 'sex']
    """
    value, several, known = _importances(estimator, X, y, repeats, random_state)
    labels = labels_of(known if names is None else names, len(value), "importances")
    order = np.argsort(-value, kind="stable")[:top]
    ax = new_axes(6, 0.8 + 0.3 * len(order)) if ax is None else ax
    place = np.arange(len(order))
    ax.barh(place, value[order], color=OKABE_ITO[4], height=0.7)
    if several is not None and len(several) > 1:
        mean, spread = several.mean(axis=0)[order], several.std(axis=0, ddof=1)[order]
        ax.errorbar(mean, place, xerr=spread, fmt="o", color="0.15", ms=4, capsize=3, lw=1.2)
    _name_rows(ax, [labels[k] for k in order])
    ax.set_xlabel("share of the decrease of impurity")
    ax.set_xlim(left=0)
    return ax


def _importances(
    estimator: Any, X: Any, y: Any, repeats: int, random_state: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, Sequence[Any] | None]:
    """Importances, their repetitions if there are any, and the names of the columns."""
    if not hasattr(estimator, "feature_importances_"):
        if isinstance(estimator, Mapping):
            table = np.array([np.atleast_1d(v) for v in estimator.values()], dtype=float).T
            return table.mean(axis=0), table, list(estimator)
        table = np.atleast_2d(np.asarray(estimator, dtype=float))
        if table.ndim != 2:
            raise DataError("importances must be numbers, one row for each repetition.")
        return table.mean(axis=0), table, None
    value = np.asarray(estimator.feature_importances_)
    known = getattr(estimator, "feature_names_in_", None)
    if X is not None:
        return value, _bootstrap(estimator, X, y, repeats, random_state), known
    trees = getattr(estimator, "estimators_", None)
    if trees is None:
        return value, None, known
    # scikit-learn's boosting keeps its trees in a matrix.
    flat = list(np.asarray(trees, dtype=object).ravel())
    return value, np.array([tree.feature_importances_ for tree in flat]), known


def _bootstrap(
    estimator: Any, X: Any, y: Any, repeats: int, random_state: Any
) -> NDArray[np.float64]:
    """Importances of fits to samples of the rows; a row drawn twice has weight 2."""
    if y is None:
        raise DataError("importances: X is given without y; to fit again, both are needed.")
    random = check_random_state(random_state)
    n = len(y)
    found = []
    for _ in range(repeats):
        weight = np.bincount(random.randint(n, size=n), minlength=n).astype(float)
        found.append(clone(estimator).fit(X, y, sample_weight=weight).feature_importances_)
    return np.array(found)


def stability(data: Any, ax: Any = None, *, top: int = 15) -> Any:
    """How often other samples of the rows lead to the same tests.

    Parameters
    ----------
    data : mapping, or object with ``to_dict()``
        ``"column"``: names; ``"root"``: the share of repetitions in which the column is tested
        first; ``"used"``: in which it is tested at all.
    @ax
    top : int, default=15
        How many columns to show, the most used first.

    @axis

    Examples
    --------
    >>> from bosco.plot import stability
    >>> ax = stability({"column": ["age", "sex"], "root": [0.9, 0.1], "used": [1.0, 0.6]})
    >>> ax.get_xlabel()
    'share of the repetitions'
    """
    given = named(data, "stability")
    used = numbers(given, "used")
    root = numbers(given, "root", len(used))
    labels = labels_of(given.get("column"), len(used), "stability")
    order = np.lexsort((-root, -used))[:top]
    ax = new_axes(6, 1.0 + 0.32 * len(order)) if ax is None else ax
    place = np.arange(len(order))
    ax.barh(place, used[order], color=OKABE_ITO[4], height=0.7, label="tested somewhere")
    ax.barh(place, root[order], color=OKABE_ITO[0], height=0.4, label="tested first")
    _name_rows(ax, [labels[k] for k in order])
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the repetitions")
    ax.legend(loc="lower right")
    return ax


def _name_rows(ax: Any, labels: list[str]) -> None:
    """Names at the left, the first on top."""
    texts = [shorten(label, 180, 10).replace("$", r"\$") for label in labels]
    ax.set_yticks(np.arange(len(labels)), texts)
    ax.invert_yaxis()
