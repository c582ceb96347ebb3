"""How far counts of rows are apart, and how likely that is by chance: pure functions of counts.

All tests compare two samples, for what was remembered is a sample too.
"""

from typing import cast

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

_EXPECTED = 5.0  # rows of a cell; with fewer, the chi-square distribution is not to be trusted


def psi(then: Counts, now: Counts) -> float:
    """The population stability index: Σ (q − p) ln(q / p) of the shares of bins, then and now.

    Half a row is added to every bin, so that one without rows does not make it infinite. Usual
    readings: below 0.1 little, above 0.25 much.

    Examples
    --------
    >>> then, now = np.array([50, 50]), np.array([80, 20])
    >>> psi(then, then), round(psi(then, now), 2)
    (0.0, 0.41)
    """
    p, q = ((counts + 0.5) / (counts + 0.5).sum() for counts in (then, now))
    return float(np.sum((q - p) * np.log(q / p)))


def same_shares(then: Counts, now: Counts) -> float:
    """The p of Pearson's chi-square test that two samples have the same shares of bins.

    Bins in which fewer than five rows of either sample are to be expected are put together, the
    smallest first; 1 where one bin is left.
    """
    from scipy.special import chdtrc

    n, m = int(then.sum()), int(now.sum())
    if not n or not m:
        return 1.0
    order = np.argsort(then + now, kind="stable")
    then, now = then[order], now[order]
    both = (then + now).astype(np.float64)
    small = both * min(n, m) / (n + m) < _EXPECTED
    # The smallest ones together, and as many more as that takes.
    least = int(np.count_nonzero(small))
    while 0 < least < len(both) and both[:least].sum() * min(n, m) / (n + m) < _EXPECTED:
        least += 1
    if least:
        then = np.concatenate([[then[:least].sum()], then[least:]])
        now = np.concatenate([[now[:least].sum()], now[least:]])
    both = (then + now).astype(np.float64)
    if len(both) < 2:
        return 1.0
    expected = np.outer([n, m], both / (n + m))
    found = float(np.sum((np.stack([then, now]) - expected) ** 2 / expected))
    return float(chdtrc(len(both) - 1, found))


def same_share(then: int, of_then: int, now: int, of_now: int) -> float:
    """Fisher's exact p that two shares are the same.

    Examples
    --------
    >>> same_share(0, 100, 0, 100), round(same_share(1, 100, 20, 100), 5)
    (1.0, 1e-05)
    """
    if not (then + now) or not (of_then - then + of_now - now):
        return 1.0
    from scipy.stats import fisher_exact

    table = [[then, of_then - then], [now, of_now - now]]
    return float(cast(tuple[float, float], fisher_exact(table))[1])


def beyond(now: int, of_then: int, of_now: int) -> float:
    """The p that so many of the new rows lie beyond all of the old ones, on one side.

    Of exchangeable rows without ties, that the k largest of all are new ones has the probability
    Π (m − i) / (n + m − i), i < k, whatever their distribution; ties make it less.

    Examples
    --------
    >>> beyond(0, 100, 100), beyond(1, 100, 100)
    (1.0, 0.5)
    """
    i = np.arange(now, dtype=np.float64)
    return float(np.exp(np.sum(np.log((of_now - i) / (of_then + of_now - i)))))


def unseen(now: int, once: int, of_then: int, of_now: int) -> float:
    """The p that so many new rows have a level that no old row had.

    Their expected share is about that of the levels that one old row had (Good and Turing); given
    both numbers together, each is one of a binomial.

    Examples
    --------
    >>> unseen(0, 3, 100, 100), round(unseen(9, 0, 100, 100), 3)
    (1.0, 0.011)
    """
    if not now:
        return 1.0
    from scipy.special import bdtrc

    return float(bdtrc(now - 1, now + once + 1, of_now / (of_then + of_now)))
