"""Minimum description length: a test must pay for itself in bits."""

from dataclasses import dataclass
from typing import ClassVar

from bosco import _core
from bosco.pruning.errors import bottom_up
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.subject import Subject


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
        as_leaf, of_test = _core.description_bits(subject.native, subject.tree.n_features)
        return bottom_up(subject, as_leaf, "bits", of_test)
