"""Policies that count errors: on the training rows with a price per leaf, or on other rows."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bosco import _core
from bosco.errors import ParameterError
from bosco.pruning.policy import Policy, Verdict, is_number
from bosco.pruning.subject import Floats, Subject


def bottom_up(
    subject: Subject, as_leaf: Floats, measure: str, of_test: Floats | None = None
) -> Verdict:
    """Cut, from the leaves up, every node that costs no more as a leaf."""
    of_test = np.zeros_like(as_leaf) if of_test is None else of_test
    cut, kept = _core.collapse(
        subject.native, np.ascontiguousarray(as_leaf), np.ascontiguousarray(of_test)
    )
    return Verdict(cut, kept, as_leaf, measure)


@dataclass(frozen=True)
class GeneralizationError(Policy):
    """Training error plus a price for every leaf; of equals the smaller tree.

    The error of a tree on new rows is estimated as its error on the training rows plus
    ``alpha * leaves / n``. From the leaves up, a subtree becomes a leaf where that does not make
    the estimate worse.

    Parameters
    ----------
    alpha : float, default=1.0
        Price of a leaf, in wrong rows, or in their weight where rows have weights (for a real
        target: in squared error of one row). 0 removes only what does not lower the training error.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> from bosco.pruning import GeneralizationError
    >>> tree = DecisionTreeClassifier(pruning=GeneralizationError(alpha=2)).fit(*golf())
    >>> tree.get_n_leaves()  # one leaf with 5 wrong rows costs 7
    1
    """

    name: ClassVar[str] = "generalization_error"
    alpha: float = 1.0

    def __post_init__(self) -> None:
        self._require("alpha", is_number(self.alpha) and self.alpha >= 0, "a number, 0 or more")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        measure = f"{subject.wrong} in training + {self.alpha:g} per leaf"
        return bottom_up(subject, subject.errors + self.alpha, measure)


@dataclass(frozen=True, eq=False)
class ReducedError(Policy):
    """Error on rows that the tree was not grown on; of equals the smaller tree.

    Parameters
    ----------
    validation : (X, y), (X, y, sample_weight) or float, default=0.25
        The rows to judge by. A float is the share of the training rows that `fit` sets apart
        (stratified by class; drawn with the estimator's `random_state`, 0 if it has none): the tree
        is then grown on the others.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> from bosco.pruning import ReducedError
    >>> X, y = golf()
    >>> model = DecisionTreeClassifier().fit(X, y).model_
    >>> model.prune(ReducedError(validation=(X, y))).n_leaves == model.n_leaves
    True
    """

    name: ClassVar[str] = "reduced_error"
    validation: Any = field(default=0.25)

    def __post_init__(self) -> None:
        if isinstance(self.validation, tuple):
            self._require(
                "validation",
                len(self.validation) in (2, 3),
                "(X, y), (X, y, sample_weight) or a share",
            )
        else:
            good = is_number(self.validation) and 0 < self.validation < 1
            self._require(
                "validation",
                good,
                "a tuple (X, y) or (X, y, sample_weight) of rows, or a share between 0 and 1",
            )

    def __repr__(self) -> str:
        if isinstance(self.validation, tuple):
            return f"ReducedError(validation={len(self.validation[1])} rows)"
        return f"ReducedError(validation={self.validation!r})"

    @property
    def share(self) -> float | None:
        """The share of the training rows to set apart, None if rows were given."""
        return None if isinstance(self.validation, tuple) else float(self.validation)

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        if self.share is not None:
            raise ParameterError(
                f"{self!r} sets rows apart before a tree is grown: give it to an estimator as "
                f"pruning=. A grown tree is pruned with rows: ReducedError(validation=(X, y))."
            )
        held = subject.held_out(*self.validation)
        what = "wrong validation rows" if subject.classes is not None else "squared error on them"
        if len(self.validation) == 3 and self.validation[2] is not None:
            what = f"weight of {what}" if subject.classes is not None else f"weighted {what}"
        return bottom_up(subject, held.errors, what)


@dataclass(frozen=True)
class SameAnswer(Policy):
    """Collapse tests whose leaves all predict the same: the predictions stay as they are.

    Class shares (``predict_proba``) become those of the joined rows, unless `probabilities` asks
    for them to stay too. Where missing values are shared out (``missing="fractional"``) they always
    stay: the shares of several leaves make the prediction.

    Parameters
    ----------
    probabilities : bool, default=False
        Collapse only where the leaves also agree in their class shares, to the last digit.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.pruning import SameAnswer
    >>> model = DecisionTreeClassifier().fit([[1], [2], [2]], [0, 0, 1]).model_
    >>> model.n_leaves
    2
    >>> model.prune(SameAnswer()).n_leaves  # the tie of the second leaf goes to class 1
    2
    """

    name: ClassVar[str] = "same_answer"
    probabilities: bool = False

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        inner = subject.inner
        values = subject.native.value
        shared_out = subject.growth.on_missing.shared
        exact = self.probabilities or shared_out or subject.classes is None
        answers = values if exact else subject.answer[:, None].astype(np.float64)
        same = inner.copy()
        for answer in answers.T:
            least = subject.below(np.where(inner, np.inf, answer), "least")
            most = subject.below(np.where(inner, -np.inf, answer), "most")
            # A leaf that joins others must say what they said.
            same &= (least == most) & (answer == least)
        errors = subject.errors
        return Verdict(same, subject.of_leaves(errors), errors, f"{subject.wrong} in training")
