"""Pruning as a part of fitting: which policy, and the rows that it sets apart or goes back to."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import fsum
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.utils import check_random_state

from bosco.data.readers import Table
from bosco.data.recipe import Outcome, class_factors
from bosco.data.target import class_codes, real_numbers
from bosco.data.weights import read_weights
from bosco.errors import DataError, IdentifierWarning, ParameterError
from bosco.estimators.contents import content_order
from bosco.estimators.deciding import among
from bosco.growth import setting
from bosco.pruning import (
    CostComplexity,
    HeldOut,
    Policy,
    PruningLog,
    ReducedError,
    Subject,
    policy_named,
    prune,
)
from bosco.tree.tree import Tree


def policy_of(estimator: Any) -> Policy | None:
    """The policy that an estimator prunes by: as it says, or as its algorithm's row says."""
    given = estimator.pruning
    if estimator.ccp_alpha > 0:
        if given is not None and given != "none":
            raise ParameterError(
                f"ccp_alpha={estimator.ccp_alpha!r} and pruning={given!r} are two ways to prune. "
                f"Give one: pruning=CostComplexity(alpha=...) is the same as ccp_alpha."
            )
        return CostComplexity(alpha=float(estimator.ccp_alpha))
    if given is None and estimator._task == "regression":
        return None  # C4.5's bound, the only one that a row names, is one of wrong classes
    chosen = setting(estimator.algorithm, "pruning", given)
    return None if chosen == "none" else policy_named(chosen)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a fit that can be parted: those with a weight, ordered by what they hold.

    So the parts are the same in whatever order the rows were given.
    """

    table: Table
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    factor: NDArray[np.float64] | None
    codes: NDArray[np.uint32] | None  # of the classes, None for a real target

    @classmethod
    def read(cls, estimator: Any, table: Table, y: Any, sample_weight: Any) -> "Rows":
        """Read the rows as a fit reads them."""
        weight, keep = read_weights(sample_weight, table.n_rows)
        table = table if keep is None else table.take(keep)
        if estimator._task == "regression":
            numbers = real_numbers(y, keep)
            order = content_order(table, numbers, weight)
            return cls(table.take(order), numbers[order], _taken(weight, order), None, None)
        classes, codes = class_codes(y, keep)
        order = content_order(table, codes, weight)
        weight, codes = _taken(weight, order), codes[order]
        given = Outcome(len(codes), None, weight, codes, np.zeros(0))
        factor = class_factors(estimator.class_weight, classes, given)
        factors = None if factor is None else factor[codes]
        return cls(table.take(order), classes[codes], weight, factors, codes)

    def part(self, rows: NDArray[np.intp], judged: bool = False) -> tuple[Any, Any, Any]:
        """Some of the rows, to be learned from or (with class weights) to be judged by."""
        weight = self.weight
        if judged and self.factor is not None:
            weight = self.factor if weight is None else weight * self.factor
        return self.table.take(rows), self.y[rows], _taken(weight, rows)


def _taken(
    weight: NDArray[np.float64] | None, rows: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    return None if weight is None else weight[rows]


def set_apart(policy: ReducedError, rows: Rows, random_state: Any) -> tuple[Any, ReducedError]:
    """Rows to grow on, and the policy with the others to judge by."""
    share = policy.share
    n = len(rows.y)
    held = int(np.ceil(n * (share or 0.0)))
    fewest = n if rows.codes is None else int(np.bincount(rows.codes).min())
    n_classes = 1 if rows.codes is None else int(rows.codes.max()) + 1
    if fewest < 2 or min(held, n - held) < n_classes:
        raise DataError(
            f"{policy!r} would leave a class without a row in one of the parts: there are {n} rows"
            + ("" if rows.codes is None else f", {fewest} of the rarest of {n_classes} classes")
            + ". Hint: give validation rows, ReducedError(validation=(X, y)), or another share."
        )
    grown, judged = train_test_split(
        np.arange(n), test_size=share, stratify=rows.codes, random_state=seed_of(random_state)
    )
    return rows.part(grown), ReducedError(validation=rows.part(judged, judged=True))


def cross_validated(
    estimator: Any, policy: CostComplexity, subject: Subject, rows: Rows
) -> CostComplexity:
    """The policy with the alpha that cross-validation chooses."""
    most = len(rows.y) if rows.codes is None else int(np.bincount(rows.codes).max())
    if most < policy.cv:
        what = "rows" if rows.codes is None else "rows of some class"
        raise DataError(
            f"cv={policy.cv} folds need at least {policy.cv} {what}, and there are {most}. "
            f"Hint: choose fewer folds, CostComplexity(cv={max(2, most)}), or give alpha."
        )
    folder = KFold if rows.codes is None else StratifiedKFold
    folds = folder(policy.cv, shuffle=True, random_state=seed_of(estimator.random_state))
    like = rows.y if rows.codes is None else rows.codes
    plain = clone(estimator).set_params(
        pruning="none", ccp_alpha=0.0, record=False, fingerprint=False
    )
    if subject.decision:  # a part may lack a class
        plain.set_params(costs=None)

    def grown() -> Iterator[tuple[Subject, HeldOut]]:
        for train, test in folds.split(like, like):
            part = clone(plain)
            X, y, weight = rows.part(train)
            part.fit(X, y, sample_weight=weight)
            own = part.model_.subject()
            if subject.classes is not None and own.classes is not None:
                own = replace(own, decision=among(subject.decision, subject.classes, own.classes))
            yield own, counted(own, rows, test)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)
        # A class with fewer rows than folds is missing in some of them, which is allowed.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return policy.choose(subject, grown())


def counted(subject: Subject, rows: Rows, test: NDArray[np.intp]) -> HeldOut:
    """Rows of a fold at the nodes of its tree; a class that the tree has not seen is wrong."""
    if subject.classes is None:
        return subject.held_out(*rows.part(test, judged=True))
    seen = np.isin(rows.y[test], subject.classes)
    _, _, weight = rows.part(test, judged=True)
    weight = np.ones(len(test)) if weight is None else weight
    total, unseen = fsum(weight), fsum(weight[~seen])  # rounded once: any order
    if not seen.any():
        return HeldOut(np.zeros(subject.tree.node_count), total, unseen)
    held = subject.held_out(*rows.part(test[seen], judged=True))
    return HeldOut(held.errors, total, unseen)


def prune_grown(
    estimator: Any, subject: Subject, policy: Policy | None, rows: Any
) -> tuple[Tree, PruningLog]:
    """The tree of a fit, pruned, and why; `rows` gives the rows where folds are needed."""
    if policy is None:
        return subject.tree, PruningLog()
    if isinstance(policy, CostComplexity) and policy.alpha is None:
        policy = cross_validated(estimator, policy, subject, rows())
    made = prune(subject, policy)
    return made.tree, PruningLog((made.step,))


def seed_of(random_state: Any) -> int:
    """A seed for parting rows: 0 where none is given, so that fits can be repeated."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        random_state = int(random_state) % 2**32  # that of one tree of a forest is longer
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
