"""How a draft begins: the learner, the rows, and their parts."""

from typing import Any

from bosco.data.recipe import LOSSES
from bosco.drafts.course import Clock
from bosco.drafts.draft import Draft
from bosco.drafts.ground import Ground, require_tree
from bosco.errors import ParameterError


def draft(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    validation: float = 0.2,
    test: float = 0.2,
    seed: int = 0,
    groups: Any = None,
    date: Any = None,
    who: str | None = None,
    reasons: bool = True,
    clock: Clock | None = None,
) -> Draft:
    """Open a draft: a tree that you make, with the learner's advice, on rows in fixed parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        The learner, with its settings; it stays as it is.
    X, y, sample_weight
        The rows, as for `fit`.
    validation, test : float, default=0.2
        Shares of the rows: those to look at meanwhile, and those that are locked until `final`.
        0: none.
    seed : int, default=0
        The key of the parts, drawn class by class.
    groups : str or array-like, optional
        A column of X, which is then not learned from, or a value for each row: rows of one group
        stay in one part, and the shares are of groups.
    date : str or array-like, optional
        A column of X, which is then not learned from, or a value for each row: the latest rows
        are the test part, those before them the validation.
    who : str, optional
        The name that the log has.
    reasons : bool, default=True
        Ask for a reason for answers by order, and for tests that score less than the learner's own
        by more than a near-tie.
    clock : callable, optional
        What gives the time of an entry; by default the computer's clock.

    Returns
    -------
    Draft
        Its verbs change it; ``draft.model`` is a `Model` like any other.

    Examples
    --------
    >>> import bosco
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(DecisionTreeClassifier(algorithm="id3"), *loans(), who="Ada")
    >>> change = draft.split(0, "income = low", reason="the bank's own rule")
    >>> change.best
    'reputation, one branch per value'
    >>> draft.undo().leaves
    (2, 1)
    """
    tree = require_tree(estimator)
    if LOSSES.get(tree.criterion) == "absolute":
        raise ParameterError(
            f"A draft counts every node again from sums, which say no medians: "
            f"criterion={tree.criterion!r} is for fit. Hint: criterion='squared_error'."
        )
    ground = Ground(
        tree,
        X,
        y,
        sample_weight,
        validation=validation,
        test=test,
        seed=seed,
        groups=groups,
        date=date,
    )
    return Draft(ground, who=who, reasons=reasons, clock=clock)
