"""An impurity of the user's own: any function ψ of class shares, asked with arrays.

Whatever is compared while a tree grows is compared by what ψ says; so what it says is checked each
time, and before growing it is asked on a grid whether it is what an impurity should be: 0 where one
class has all, and concave, so that no test makes things worse and a cut never pays inside a run of
one class.
"""

import functools
import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.errors import CriterionWarning, ParameterError

OWN = "custom: "
"""How a model calls a criterion that is a function: this, and the function's name."""

_GRID = 64  # steps from one class to another
_MIXED = 48  # points among more than two classes
_SLACK = 1e-9  # what rounding may do
_LEAST, _MOST = 1e-4, 1e9  # of the largest impurity


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, as a model keeps it.

    Examples
    --------
    >>> name_of(np.sum), name_of(functools.partial(np.sum, axis=1))
    ('sum', 'sum')
    """
    while isinstance(function, functools.partial):
        function = function.func
    said = getattr(function, "__name__", None) or type(function).__name__
    return visible(str(said))[:100] or "function"


class Psi:
    """A function of class shares, held to what the core asks of it.

    Examples
    --------
    >>> psi = Psi(lambda p: 1 - (p**2).sum(axis=-1))
    >>> psi.word, psi(np.array([[0.5, 0.5], [1.0, 0.0]]))
    ('custom: <lambda>', array([0.5, 0. ]))
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.name = function, name_of(function)
        self.word = OWN + self.name

    def __call__(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The impurity at each row of shares."""
        takes = f"criterion={self.name} takes an array of shape (n, n_classes), whose "
        takes += "rows are class shares, and returns n impurities. "
        given = self.function(shares)
        try:
            said = np.asarray(given)
        except ValueError:
            raise ParameterError(f"{takes}It returned no array of numbers.") from None
        if said.shape != shares.shape[:1]:
            hint = "Hint: sum over the classes with axis=-1."
            raise ParameterError(f"{takes}Of shape {shares.shape} it made {said.shape}. {hint}")
        if said.dtype.kind not in "fiub":
            raise ParameterError(f"{takes}It returned an array of {said.dtype}.")
        made = np.ascontiguousarray(said, np.float64)
        wrong = np.flatnonzero(~np.isfinite(made))
        if wrong.size:
            at = _shown(shares[wrong[0]])
            raise ParameterError(
                f"{takes}At {at} it is {made[wrong[0]]}. Hint: 0 · log 0 is to be 0, for instance "
                f"by scipy.special.xlogy."
            )
        return made

    def examine(self, n_classes: int) -> None:
        """Warn where ψ is not 0 though one class has all, or not concave, on a grid."""
        pure = np.eye(n_classes)
        said = self(pure)
        off = int(np.argmax(np.abs(said)))
        what = f"criterion={self.name}"
        low, high = _chords(n_classes)
        ends, middle = self(np.concatenate((low, high))), self((low + high) / 2)
        largest = float(max(np.abs(said).max(), np.abs(ends).max(), np.abs(middle).max()))
        self._require_size(largest)
        slack = _SLACK * largest
        if abs(said[off]) > slack:
            _warn(
                f"{what} is {show_figure(said[off])}, not 0, where class {off} has all rows. The "
                f"impurity of a pure node is shown as 0 all the same, and gains are off by that."
            )
        between = ends.reshape(2, -1).mean(axis=0)
        short = between - middle
        at = int(np.argmax(short))
        if short[at] > slack:
            _warn(
                f"{what} is not concave: at {_shown((low[at] + high[at]) / 2)} it is "
                f"{show_figure(middle[at])}, less than {show_figure(between[at])}, the mean of "
                f"what it is at {_shown(low[at])} and {_shown(high[at])}. Tests may then make "
                f"things worse, and cuts inside a run of one class, which are left out, be better."
            )

    def _require_size(self, largest: float) -> None:
        """Gains are rounded to about 1e-12, and added up over all rows."""
        if 0 < largest < _LEAST or largest > _MOST:
            raise ParameterError(
                f"criterion={self.name} is {show_figure(largest)} at most, where gains are rounded "
                f"to about 1e-12 and summed over rows: it should be between {_LEAST:g} and "
                f"{_MOST:g}. Hint: multiply it by a constant, which changes no tree."
            )


def _chords(n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both ends of the lines on which concavity is asked for.

    Neighbours but one of a grid between every two of the first classes; and, of more than two, all
    pairs among points that mix them, the same in every run.
    """
    t = np.arange(_GRID + 1)[:, None] / _GRID
    if n_classes == 2:
        grid = np.hstack((1 - t, t))
        return grid[:-2], grid[2:]
    lines = []
    for a, b in combinations(range(min(n_classes, 6)), 2):
        line = np.zeros((_GRID + 1, n_classes))
        line[:, [a]], line[:, [b]] = 1 - t, t
        lines.append(line)
    mixed = np.random.default_rng(0).dirichlet(np.full(n_classes, 0.7), _MIXED)
    first, second = np.triu_indices(_MIXED, 1)
    low = [*(line[:-2] for line in lines), mixed[first]]
    high = [*(line[2:] for line in lines), mixed[second]]
    return np.concatenate(low), np.concatenate(high)


def _shown(shares: NDArray[np.float64]) -> str:
    if len(shares) == 2:
        return f"p = {show_figure(shares[1])}"
    most = 6
    said = [show_figure(share) for share in shares[:most]]
    return f"p = ({', '.join(said)}{', …' if len(shares) > most else ''})"


def _warn(what: str) -> None:
    warnings.warn(what, CriterionWarning, stacklevel=8)
