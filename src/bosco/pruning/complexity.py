"""Cost-complexity pruning: a price per leaf, chosen by cross-validation, and the whole path.

`Sweep` tells error against size: every tree of the path, as data to plot.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import fsum, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.base.numerals import lay_out, show_figure
from bosco.errors import ParameterError
from bosco.pruning.policy import Policy, Verdict, bottom_up, is_number
from bosco.pruning.subject import Floats, HeldOut, Subject
from bosco.tree.tree import Tree

RISKS = ("impurity", "error", "either")


@dataclass(frozen=True)
class CostComplexity(Policy):
    """Breiman's pruning: the subtree with the least risk plus ``alpha`` per leaf.

    Parameters
    ----------
    alpha : float or None, default=None
        Price of a leaf, as a share of the whole; the same as scikit-learn's ``ccp_alpha``. None:
        chosen by cross-validation in `fit`.
    cv : int, default=10
        Number of folds that choose alpha, stratified by class. They follow what the rows hold, in
        whatever order they stand; copies of a row may fall into several, a heavy row into one.
    one_standard_error : bool, default=True
        Choose the smallest tree whose cross-validated error is within one standard error of the
        least, rather than the least. The standard error is that of the folds' mean.
    risk : {"impurity", "error", "either"}, default="impurity"
        What leaves cost: the impurity that the tree was grown by, as in scikit-learn, or the share
        of wrong rows (where mistakes have costs, their cost), as Breiman and rpart have it. The
        same for a real target. "either": cross-validation chooses this, too; of equals the error.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.pruning import CostComplexity
    >>> from sklearn.datasets import load_iris
    >>> tree = DecisionTreeClassifier(pruning=CostComplexity(cv=10))
    >>> tree.fit(*load_iris(return_X_y=True)).get_n_leaves()
    4
    """

    name: ClassVar[str] = "cost_complexity"
    alpha: float | None = None
    cv: int = 10
    one_standard_error: bool = True
    risk: str = "impurity"

    def __post_init__(self) -> None:
        good = self.alpha is None or (is_number(self.alpha) and self.alpha >= 0)
        self._require("alpha", good, "a number, 0 or more, or None")
        whole = is_number(self.cv) and self.cv == int(self.cv) >= 2
        self._require("cv", whole, "a whole number of folds, 2 or more")
        self._require("risk", self.risk in RISKS, f"one of {', '.join(map(repr, RISKS))}")
        open_ = self.alpha is None or self.risk != "either"
        self._require("risk", open_, "'impurity' or 'error' where alpha is given")

    def judge(self, subject: Subject) -> Verdict:
        """Weigh every node of a tree."""
        if self.alpha is None:
            raise ParameterError(
                f"{self!r} chooses alpha by growing trees on parts of the rows: give it to an "
                f"estimator as pruning=. A grown tree is pruned with a number: "
                f"CostComplexity(alpha=0.01)."
            )
        risk = self.risk_of(subject)
        cut = subject.inner & (weakest_links(subject.tree, risk)[2] <= self.alpha)
        as_leaf = risk + self.alpha
        kept = bottom_up(subject, as_leaf, "").kept
        what = tr("error") if subject.decision.costs is None else tr("cost")
        what = tr("impurity") if self.risk == "impurity" else what
        measure = tr(
            "{risk} + {alpha:g} per leaf, as shares of the whole", risk=what, alpha=self.alpha
        )
        return Verdict(cut, kept, as_leaf, measure, sums="leaves", price=self.alpha)

    def risk_of(self, subject: Subject) -> Floats:
        """What every node costs as a leaf, as a share of the whole."""
        weight = subject.tree.node_weight
        if self.risk == "impurity" or subject.classes is None:
            return np.asarray(subject.impurities / weight[0], dtype=np.float64)
        return np.asarray(subject.errors / weight[0], dtype=np.float64)

    def choose(
        self, subject: Subject, folds: Iterable[tuple[Subject, HeldOut]]
    ) -> "CostComplexity":
        """The policy to prune a tree with, by trees of parts of its rows and the rows left out.

        Its alpha is the geometric mean of the ends of the interval of alphas that give the chosen
        tree.
        """
        risks = ("error", "impurity") if self.risk == "either" else (self.risk,)
        held = list(folds)
        found = [replace(self, risk=risk)._choose(subject, held) for risk in risks]
        if len(found) > 1 and no_dearer(np.array(found[0][0]), found[1][0]):
            found.pop()
        return found[-1][1]

    def _choose(
        self, subject: Subject, folds: list[tuple[Subject, HeldOut]]
    ) -> tuple[float, "CostComplexity"]:
        """The cross-validated error of one risk, and the policy that has it."""
        alphas = np.unique(weakest_links(subject.tree, self.risk_of(subject))[0])
        middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)  # the last cuts all
        wrong, weights = [], []
        for part, held in folds:
            ends = weakest_links(part.tree, self.risk_of(part))[2]
            wrong.append(along(part, ends, held.errors, middles) + held.unseen)
            weights.append(held.weight)
        mean = np.cumsum(wrong, axis=0)[-1] / fsum(weights)
        least = bound = float(mean.min())
        chosen = int(np.flatnonzero(no_dearer(mean, bound))[-1])
        if self.one_standard_error:
            shares = [own[chosen] / weight for own, weight in zip(wrong, weights, strict=True)]
            bound += standard_error(shares)
            chosen = int(np.flatnonzero(no_dearer(mean, bound))[-1])
        alpha = float(middles[chosen]) if chosen + 1 < len(alphas) else float(alphas[chosen])
        return least, replace(self, alpha=alpha)


def no_dearer(cost: Floats, than: float) -> NDArray[np.bool_]:
    """Whether costs are at most that, or equal to it but for rounding: ties go to smaller trees."""
    return np.asarray(cost <= than * (1 + _core.EQUAL_WITHIN))


def standard_error(values: list[float]) -> float:
    """That of their mean; sums are rounded once, so that no order of adding decides."""
    n = len(values)
    mean = fsum(values) / n
    return sqrt(fsum((value - mean) * (value - mean) for value in values) / (n - 1) / n)


def cost_complexity(tree: Tree) -> tuple[Floats, Floats, Floats]:
    """Alphas and total impurities of the path, and the alpha at which each node becomes a leaf."""
    return weakest_links(tree, tree.impurity * tree.node_weight / tree.node_weight[0])


def weakest_links(tree: Tree, risk: Floats) -> tuple[Floats, Floats, Floats]:
    """Alphas and total risks of the path, and the alpha at which each node becomes a leaf."""
    alphas, risks, _, cut_at = _core.weakest_links(tree.native, risk)
    return alphas, risks, cut_at


def along(subject: Subject, cut_at: Floats, values: Floats, alphas: Floats) -> Floats:
    """The sum over the leaves of the tree at each alpha of one value per node.

    A node is a leaf from the alpha that cuts it until one above it is cut.
    """
    from_alpha = np.where(subject.inner, cut_at, 0.0)
    until = np.full(len(cut_at), np.inf)
    least: Floats = _core.fold(subject.native, cut_at, "least", downwards=True)
    until[1:] = least[subject.native.parent[1:]]
    begins = from_alpha < until
    ends = begins & np.isfinite(until)
    at = np.concatenate((from_alpha[begins], until[ends]))
    steps = np.concatenate((values[begins], -values[ends]))
    order = np.argsort(at, kind="stable")
    sums = np.append(0.0, np.cumsum(steps[order]))
    return np.asarray(sums[np.searchsorted(at[order], alphas, side="right")])


@dataclass(frozen=True, eq=False)
class Sweep:
    """The trees of the cost-complexity path, from the whole tree to its root, one per row.

    Errors are shares of wrong rows, for a real target mean squared errors; where rows have weights,
    by these.

    Attributes
    ----------
    alpha : ndarray
        The price of a leaf from which on the tree is the best by training error +
        ``alpha * leaves / n``, n being the weight of all rows: in wrong rows, or in their weight
        where rows have weights, as `GeneralizationError` takes it (for a real target in squared
        error of one row). Divided by n it is the alpha of ``CostComplexity(risk="error")``.
    leaves : ndarray
        Its size.
    training, validation : ndarray
        Its error on the training rows and on the rows given (None without).
    generalization : ndarray
        Its training error plus ``price * leaves / n``.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> print(DecisionTreeClassifier().fit(*golf()).model_.sweep(price=1))
     leaves  alpha  training  generalization
          6      0    0.0000          0.4286
          1      1    0.3571          0.4286
    """

    alpha: Floats
    leaves: NDArray[np.int64]
    training: Floats
    generalization: Floats
    validation: Floats | None = None

    def __len__(self) -> int:
        return len(self.alpha)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists; ``validation`` only if rows were given."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column.tolist() for name, column in columns.items() if column is not None}

    def __str__(self) -> str:
        given = self.validation is not None
        names = ["leaves", "alpha", "training", *["validation"] * given, "generalization"]
        rows = [names]
        for i in range(len(self)):
            numbers = [getattr(self, name)[i] for name in names]
            errors = [f"{number:.4f}" for number in numbers[2:]]
            rows.append([str(numbers[0]), show_figure(numbers[1]), *errors])
        return "\n".join(f" {line}" for line in lay_out(rows, ">"))


def sweep(subject: Subject, validation: tuple[Any, ...] | None = None, price: float = 1.0) -> Sweep:
    """Table the path of a tree; see `Model.sweep`."""
    if not is_number(price) or price < 0:
        raise ParameterError(f"The price of a leaf must be a number, 0 or more. Got {price!r}.")
    weight = float(subject.tree.node_weight[0])
    alphas, _, cut_at = weakest_links(subject.tree, subject.errors)
    apart = np.append(np.diff(alphas) > 1e-12 * weight, True)
    alphas = alphas[apart]  # of those that rounding parts, the last
    leaves = np.rint(along(subject, cut_at, np.ones(len(cut_at)), alphas)).astype(np.int64)
    training = along(subject, cut_at, subject.errors, alphas) / weight
    other = None
    if validation is not None:
        held = subject.held_out(*validation)
        other = along(subject, cut_at, held.errors, alphas) / held.weight
    return Sweep(alphas, leaves, training, training + price * leaves / weight, other)
