"""How sure a figure is: intervals of a share, of a mean, and of a mean over overlapping samples.

scipy is imported where it is used: whoever only reads a model need not wait for it.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bosco import _core
from bosco.errors import ParameterError

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]


def check_confidence(confidence: Any) -> float:
    """Refuse a confidence that is not between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, float | int | np.number):
        raise ParameterError(f"confidence must be a number between 0 and 1. Got {confidence!r}.")
    if not 0 < confidence < 1:
        hint = f" Hint: {confidence / 100:g}?" if 1 < confidence < 100 else ""
        raise ParameterError(f"confidence must lie between 0 and 1. Got {confidence!r}.{hint}")
    return float(confidence)


def wilson(share: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Wilson's score interval of a share seen in n rows; 0 to 1 where there is no row."""
    p, rows = np.broadcast_arrays(np.asarray(share, np.float64), np.asarray(n, np.float64))
    low, high = _core.wilson(p.ravel(), rows.ravel(), check_confidence(confidence))
    return low.reshape(p.shape), high.reshape(p.shape)


def mean_interval(mean: ArrayLike, sd: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Student's t interval of a mean; unbounded where fewer than two rows were seen.

    `sd` is that of single rows, with n − 1 in the denominator.
    """
    from scipy.special import stdtrit  # slow to import, and most who read a model need no mean

    m, s, rows = np.broadcast_arrays(*(np.asarray(a, np.float64) for a in (mean, sd, n)))
    enough = rows >= 2
    rows = np.where(enough, rows, 2.0)
    reach = stdtrit(rows - 1, (1 + check_confidence(confidence)) / 2) * s / np.sqrt(rows)
    reach = np.where(enough, reach, np.inf)
    return m - reach, m + reach


def paired_interval(
    better: float,
    worse: float,
    whole: float,
    effective: float | None = None,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Interval of the share of rows that one is right on and another wrong, less the reverse.

    Rows on which both are right or both wrong say nothing of the difference. Among the others, the
    share of the first has Clopper and Pearson's exact interval; it excludes a half, and so this one
    excludes 0, where McNemar's exact test rejects that both are equally good.

    Of `whole` rows, only the first is right on those that are `better`, only the second on `worse`.
    Weighted rows on which they differ count as `effective` ones, (Σw)² / Σw², which is an
    approximation.
    """
    differ = better + worse
    if not differ:
        return 0.0, 0.0
    n = differ if effective is None else effective
    k = n * better / differ
    tail = (1 - check_confidence(confidence)) / 2
    from scipy.special import betaincinv

    low = float(betaincinv(k, n - k + 1, tail)) if better > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if worse > 0 else 1.0
    return (2 * low - 1) * differ / whole, (2 * high - 1) * differ / whole


def mean_sd(scores: ArrayLike) -> tuple[float, float, int]:
    """Mean and standard deviation (with n − 1) of those that are not NaN, and how many they are."""
    x = _defined(scores)
    mean = float(x.mean()) if len(x) else float("nan")
    return mean, float(x.std(ddof=1)) if len(x) > 1 else float("nan"), len(x)


def _defined(scores: ArrayLike) -> Floats:
    x = np.asarray(scores, np.float64)
    return x[~np.isnan(x)]


def corrected_interval(
    scores: ArrayLike, ratio: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Interval of the mean of scores whose training sets overlap (Nadeau and Bengio, 2003).

    The scores of J repeats are not independent. Their variance s² enters as (1/J + ratio)·s²
    instead of s²/J, and the t distribution has J − 1 degrees of freedom; `ratio` is rows tested on
    divided by rows trained on. Scores that are NaN are left out; NaN if fewer
    than two are left.
    """
    from scipy.special import stdtrit

    x = _defined(scores)
    if len(x) < 2:
        return float("nan"), float("nan")

    t = float(stdtrit(len(x) - 1, (1 + check_confidence(confidence)) / 2))
    reach = t * _spread(x) * (1 / len(x) + ratio) ** 0.5
    return float(x.mean()) - reach, float(x.mean()) + reach


def corrected_p(differences: ArrayLike, ratio: float) -> float:
    """Two-sided p of the corrected resampled t test that paired differences have mean 0.

    There is one difference per repeat, both learners on the same split; `ratio` as above. It is 1
    where all differences are 0, NaN if there are fewer than two.
    """
    from scipy.special import stdtr

    d = _defined(differences)
    if len(d) < 2:
        return float("nan")

    error = _spread(d) * (1 / len(d) + ratio) ** 0.5
    if error == 0:
        return 1.0 if d[0] == 0 else 0.0
    return float(2 * stdtr(len(d) - 1, -abs(float(d.mean())) / error))


def holm(p: Floats) -> Floats:
    """Holm's adjusted p: the least times their number, the next times one less, never falling."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _spread(x: Floats) -> float:
    """Standard deviation (with n − 1), also where squares would vanish."""
    largest = float(np.abs(x).max())
    return largest * float((x / largest).std(ddof=1)) if largest > 0 else 0.0
