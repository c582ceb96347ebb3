"""The policies: training errors with a price per leaf, errors on other rows, bits, chance.

Cost-complexity pruning, which is a whole path of trees, has its own file.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from bosco import _core
from bosco.base.language import tr
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.pruning.complexity import CostComplexity
from bosco.pruning.policy import Policy, Verdict, bottom_up, is_number
from bosco.pruning.subject import Subject


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
        target: in what the criterion says of one row, such as its squared error). 0 removes only
        what does not lower the training error.

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
        measure = tr(
            "{wrong} in training + {alpha:g} per leaf", wrong=subject.wrong, alpha=self.alpha
        )
        return bottom_up(subject, subject.errors + self.alpha, measure, price=self.alpha)


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
        good = is_number(self.validation) and 0 < self.validation < 1
        allowed = "a tuple (X, y) or (X, y, sample_weight) of rows, or a share between 0 and 1"
        if isinstance(self.validation, tuple):
            good = len(self.validation) in (2, 3)
            allowed = "(X, y), (X, y, sample_weight) or a share"
        self._require("validation", good, allowed)

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
        weighted = len(self.validation) == 3 and self.validation[2] is not None
        if subject.classes is not None:
            what = tr("wrong validation rows")
            what = tr("weight of wrong validation rows") if weighted else what
            if subject.decision.costs is not None:
                what = tr("weighted cost of validation rows") if weighted else tr("cost of them")
        else:
            what = tr("{wrong} on them", wrong=replace(subject, weighted=weighted).wrong)
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

    def rule(self) -> str:
        """When a node goes, in a sentence."""
        return tr("A node becomes a leaf where all leaves below it answer alike.")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        inner = subject.inner
        values = subject.values
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
        return Verdict(
            same, subject.of_leaves(errors), errors, tr("{wrong} in training", wrong=subject.wrong)
        )


@dataclass(frozen=True)
class Pessimistic(Policy):
    """C4.5's pruning: the upper confidence bound of the errors, with subtree raising.

    First, subtrees that save no training error are collapsed. Then, from the leaves up, each node
    is weighed as a leaf, as its subtree, and as its heaviest branch (of equals the last) with all
    rows of the node sent down it; the cheapest stays (what is at most 0.1 worse counts as equal,
    and smaller wins). A branch that is raised is pruned again. Under monotone constraints nothing
    is raised. With `costs` a bound of errors says nothing: there a node costs what its answer would
    on its rows with one more of each class (Laplace), scaled to its weight, and nothing is raised.

    Parameters
    ----------
    confidence : float, default=0.25
        The smaller, the more is pruned; in (0, 0.5].
    raising : bool, default=True
        Weigh the heaviest branch too. It needs the training rows, which `fit` has;
        `Model.prune` must be given them.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> DecisionTreeClassifier(algorithm="c45", pruning="none").fit(*golf()).get_n_leaves()
    5
    >>> DecisionTreeClassifier(algorithm="c45").fit(*golf()).get_n_leaves()
    5
    """

    name: ClassVar[str] = "pessimistic"
    confidence: float = 0.25
    raising: bool = True

    def rule(self) -> str:
        """When a node goes, in a sentence."""
        return tr(
            "From the leaves up, the cheapest stays: the node with its branches, as a leaf, or its "
            "heaviest branch in its place; what is at most 0.1 worse counts as equal, and the "
            "smaller wins."
        )

    def __post_init__(self) -> None:
        good = is_number(self.confidence) and 0 < self.confidence <= 0.5
        self._require("confidence", good, "a number above 0, at most 0.5")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        self._refuse_numbers(subject, "it bounds the number of wrong rows")
        if subject.decision.costs is not None:
            return self._by_costs(subject)
        raising = self.raising and not any(subject.growth.monotonic)
        rows = subject.training
        if raising and rows is None:
            raise ParameterError(
                f"{self!r} sends training rows down other branches, and a model keeps none. Give "
                f"them, model.prune(policy, X, y), or leave it out: "
                f"Pessimistic(confidence={self.confidence!r}, raising=False)."
            )
        first = bottom_up(subject, subject.errors, "").cut
        given: tuple[Any, Any, int] = (None, None, 1)
        if raising and rows:
            given = (rows.frame.native, rows.target.native, rows.n_threads)
        try:
            cut, stand_in, kept, pruned = _core.pessimistic(
                subject.native, first, self.confidence, *given
            )
        except _core.CoreError as error:
            raise DataError(
                f"{error}, or not with those weights. Hint: they are needed as `fit` had them, "
                "sample_weight too. Class weights are known, but where sample weights have many "
                "digits."
            ) from None
        raised = bool((stand_in != np.arange(len(stand_in))).any())
        confidence = self.confidence
        measure = tr("upper bound of errors at confidence {confidence:g}", confidence=confidence)
        return Verdict(cut, kept, pruned, measure, stand_in if raised else None)

    def _by_costs(self, subject: Subject) -> Verdict:
        """Weigh nodes by the cost expected by Laplace's shares; nothing is raised."""
        costs = np.array(subject.decision.costs)
        tally = subject.native.tally / subject.native.weight_scale
        expected = np.zeros(len(tally))
        for true, cells in enumerate(tally.T):  # in the order of the classes
            expected += (cells + 1.0) * costs[true, subject.answer]
        weight = subject.tree.node_weight
        return bottom_up(
            subject,
            expected * (weight / (weight + tally.shape[1])),
            tr("cost expected by shares of rows and one more of each class"),
        )


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
        return bottom_up(subject, as_leaf, tr("bits"), of_test)


@dataclass(frozen=True)
class CriticalValue(Policy):
    """A split must pass a test of significance: chi-square for classes, F for a real target.

    The p-value of a split is the probability that rows parted at random into branches of these
    sizes would differ as much. It does not know that the split was searched for, so small p-values
    come too easily; choose the level accordingly.

    Parameters
    ----------
    level : float, default=0.05
        Splits with a larger p-value fail.
    stop : bool, default=False
        False: a split that fails stays where one below it passes (Mingers). True: it goes, and all
        below it: the same tree as if the test had been made while growing.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> from bosco.pruning import CriticalValue
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> model.prune(CriticalValue(0.05)).n_leaves
    5
    >>> model.prune(CriticalValue(0.05, stop=True)).n_leaves  # Outlook has p = 0.17
    1
    """

    name: ClassVar[str] = "critical_value"
    level: float = 0.05
    stop: bool = False

    def rule(self) -> str:
        """When a node goes, in a sentence."""
        return tr("A node becomes a leaf where the p-value is above the level.")

    def __post_init__(self) -> None:
        good = is_number(self.level) and 0 < self.level < 1
        self._require("level", good, "a number between 0 and 1")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        if subject.classes is None and not subject.growth.spreads:
            raise ParameterError(
                f"{self!r} compares variances (an F test), and the tree was grown by "
                f"criterion={subject.growth.criterion!r}, which keeps none. "
                f"Hint: GeneralizationError, ReducedError and CostComplexity take it."
            )
        p = _core.p_values(subject.native)
        judged = p if self.stop else subject.below(p, "least")
        cut = subject.inner & (judged > self.level)
        what = tr("least p-value of the subtree's splits, against the level")
        what = tr("p-value of the split, against the level") if self.stop else what
        level = np.full(len(p), self.level)
        return Verdict(cut, judged, level, what, sums="level")


POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        GeneralizationError,
        ReducedError,
        CostComplexity,
        Pessimistic,
        MinimumDescriptionLength,
        CriticalValue,
        SameAnswer,
    )
}
"""The policies by name."""


def policy_named(policy: Policy | str) -> Policy:
    """A policy, or the one of that name with its defaults.

    Examples
    --------
    >>> policy_named("pessimistic")
    Pessimistic(confidence=0.25, raising=True)
    """
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str) and policy in POLICIES:
        return POLICIES[policy]()
    raise ParameterError(
        f"Pruning needs a policy of bosco.pruning, or the name of one: "
        f"{', '.join(map(repr, POLICIES))}. Got {policy!r}."
        + did_you_mean(policy, [*POLICIES, *(p.__name__ for p in POLICIES.values())])
    )
