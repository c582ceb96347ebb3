"""Minimum description length: a test must pay for itself in bits."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bosco.conditions import CUT
from bosco.pruning.errors import bottom_up
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.subject import Floats, Subject


@dataclass(frozen=True)
class MinimumDescriptionLength(Policy):
    """The tree that, with the exceptions to it, is told in the fewest bits.

    A node costs one bit to say whether it is a leaf. A leaf tells the classes of its n rows: how
    many of each of the k classes, log2 C(n+k−1, k−1), and in which order, log2 n!/Π c!. A test
    tells its column, log2 of the number of columns, and its cuts among the n − 1 gaps, or the
    branch of each level.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> tree = DecisionTreeClassifier(pruning="minimum_description_length")
    >>> tree.fit(*play_tennis()).get_n_leaves()  # 14 days are too few to pay for a test
    1
    """

    name: ClassVar[str] = "minimum_description_length"

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        self._refuse_numbers(subject, "real numbers have no code without a limit of precision")
        return bottom_up(subject, 1 + leaf_bits(subject.class_samples), "bits", test_bits(subject))


def leaf_bits(counts: Floats) -> Floats:
    """Bits that tell the classes of the rows of each node, given its rows by class."""
    n, k = counts.sum(axis=1), counts.shape[1]
    how_many = _log2_choose(n + k - 1, np.full_like(n, k - 1))
    which: Floats = (_log_factorial(n) - _log_factorial(counts).sum(axis=1)) / np.log(2)
    return how_many + which


def test_bits(subject: Subject) -> Floats:
    """Bits that tell the test of each node, that it has one included; 0 for leaves."""
    pool, inner = subject.native.tests, subject.inner
    bits = np.zeros(len(inner))
    test = subject.native.test[inner]
    samples = subject.samples[inner]
    cuts = np.diff(pool.threshold_begin)[test]
    gaps = np.maximum(np.floor(samples) - 1, cuts)
    placing = _log2_choose(gaps, cuts)
    mapping = _map_bits(subject)[test]
    is_cut = pool.kind[test] == CUT
    bits[inner] = 1 + np.log2(subject.tree.n_features) + np.where(is_cut, placing, mapping)
    return bits


def _map_bits(subject: Subject) -> Floats:
    """Bits for the branches of the levels of each test: none if each level has its own."""
    pool = subject.native.tests
    begin, branches = pool.jump_begin, pool.branches.astype(np.float64)
    levels = np.maximum(np.diff(begin) - 1, 1).astype(np.float64)
    ones = np.zeros(len(levels))  # levels that take branch 1
    owner = np.repeat(np.arange(len(levels)), np.diff(begin))
    level = np.arange(len(pool.jumps)) > begin[owner]  # the first jump is that of missing values
    np.add.at(ones, owner[level], pool.jumps[level] == 1)
    alone = (branches == 2) & (np.minimum(ones, levels - ones) <= 1)
    anyhow = np.where(alone, np.log2(levels), levels * np.log2(branches))
    return np.where(branches >= levels, 0.0, anyhow)


def _log2_choose(n: Floats, k: Floats) -> Floats:
    chosen: Floats = (_log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)) / np.log(2)
    return chosen


def _log_factorial(n: Floats) -> Floats:
    from scipy.special import gammaln  # here: whoever only reads a model need not wait for it

    logarithm: Floats = gammaln(n + 1)
    return logarithm
