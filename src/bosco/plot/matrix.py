"""Which classes are mistaken for which."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bosco.errors import DataError, ParameterError
from bosco.plot.given import labels_of
from bosco.render.card import show_weight
from bosco.render.measure import shorten
from bosco.render.mpl import new_axes


def confusion(
    matrix: Any,
    labels: Sequence[Any] | None = None,
    *,
    normalize: bool = True,
    ax: Any = None,
) -> Any:
    """A confusion matrix: true classes in rows, predicted ones in columns.

    Parameters
    ----------
    matrix : array of shape (n_classes, n_classes), or an evaluation
        The counts; or an object with ``confusion`` and ``classes``.
    labels : sequence, optional
        Names of the classes.
    normalize : bool, default=True
        Shade by the share of each true class, so that rare ones can be seen; the numbers written
        are the counts either way.
    @ax

    @axis

    Examples
    --------
    >>> from bosco.plot import confusion
    >>> ax = confusion([[8, 2], [1, 9]], ["risky", "safe"])
    >>> [text.get_text() for text in ax.texts]
    ['8', '2', '1', '9']
    """
    if hasattr(matrix, "confusion"):
        labels = matrix.classes if labels is None else labels
        matrix = matrix.confusion
    counts = np.asarray(matrix)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or counts.dtype.kind not in "iuf":
        raise DataError(
            "A confusion matrix has a row and a column of numbers for each class. Got an array of "
            f"shape {counts.shape} and type {counts.dtype}."
        )
    if not isinstance(normalize, bool):
        raise ParameterError(f"normalize must be True or False. Got {normalize!r}.")
    n = len(counts)
    names = [shorten(name, 150, 10) for name in labels_of(labels, n, "confusion")]
    if ax is None:
        side = 2.2 + 0.5 * min(n, 20)
        ax = new_axes(side + 0.6, side)
    whole = counts.sum(axis=1, keepdims=True) if normalize else counts.max(initial=0)
    shade = counts / np.maximum(whole, 1e-300)
    ax.imshow(shade, cmap="Blues", vmin=0, vmax=1, aspect="equal")
    size = 10 if n <= 8 else max(5, 80 / n)
    if n <= 30:
        for (row, column), value in np.ndenumerate(counts):
            color = "white" if shade[row, column] > 0.55 else "black" if value else "0.55"
            text = show_weight(float(value))
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=size)
    texts = [name.replace("$", r"\$") for name in names]
    steep = max(map(len, names), default=0) > 6
    ax.set_xticks(range(n), texts, rotation=45 if steep else 0, ha="right" if steep else "center")
    ax.set_yticks(range(n), texts)
    if n > 12:
        ax.tick_params(labelsize=size)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true")
    return ax
