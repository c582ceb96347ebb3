"""Fitting several targets at once: what makes no sense for them, and the road of the rest."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.outputs import columns_of
from bosco.errors import ParameterError
from bosco.growth import MISSING, PRESETS, Growth, setting
from bosco.models.several import SeveralModel
from bosco.pruning import CostComplexity
from bosco.pruning.complexity import weakest_links
from bosco.tree.several import SeveralTree
from bosco.tree.tree import Tree

_OF_SEVERAL = ("gini", "entropy", "log_loss", "squared_error", "poisson")
_ONE = "Hint: fit one model for each output."


def refuse_for_several(estimator: Any, growth: Growth) -> None:
    """Raise `ParameterError` with the reason if a setting means something of one target only."""
    if any(growth.monotonic):
        raise ParameterError(
            "Monotonicity constraints are not supported with multiple output: 'more' and 'less' "
            f"are of one of them. {_ONE}"
        )
    if growth.psi is not None or growth.criterion not in _OF_SEVERAL:
        raise ParameterError(
            f"criterion={growth.criterion!r} is of one output. Of several the mean of 'gini', of "
            "'entropy' ('log_loss'), of 'squared_error' or of 'poisson' is taken. "
            "Hint: one of those."
        )
    if growth.search == "optimal" or not growth.alone:
        raise ParameterError(
            f"Searching, looking ahead and polishing count the errors of one output. {_ONE}"
        )
    if growth.numeric_test == "pairs":
        raise ParameterError(f"numeric_test='pairs' looks for columns of one output. {_ONE}")
    if getattr(estimator, "costs", None) is not None:
        raise ParameterError(f"costs say what mistakes on the classes of one output cost. {_ONE}")
    if growth.asking is not None:
        raise ParameterError(
            f"ask_costs say what the answers cost that a tree of one output asks for. {_ONE}"
        )
    if not growth.on_missing.one_way or growth.on_missing.stand_ins:
        raise ParameterError(
            f"missing={growth.missing!r} is for trees of one output. Use missing='learn', 'branch' "
            "or 'majority'."
        )


def can_learn_several(estimator: Any) -> bool:
    """Whether nothing that an estimator is told makes sense for one target only."""
    said = {name: getattr(estimator, name, None) for name in ("criterion", "missing", "pruning")}
    if estimator.algorithm not in PRESETS or said["missing"] not in (None, *MISSING):
        return True  # fit says what is wrong
    if estimator._task == "classification":
        criterion = setting(estimator.algorithm, "criterion", said["criterion"])
        if criterion not in _OF_SEVERAL:
            return False
    on_missing = MISSING[setting(estimator.algorithm, "missing", said["missing"])]
    plain = on_missing.one_way and not on_missing.stand_ins
    return plain and said["pruning"] in (None, "none") and getattr(estimator, "vote", "") != "mode"


def policy_for(policy: Any, given: Any, y: Any) -> Any:
    """The pruning policy for y; of several targets only a price for each leaf can be one."""
    if policy is None or columns_of(y) is None:
        return policy
    if isinstance(policy, CostComplexity) and policy.alpha is not None and policy.risk != "error":
        return policy
    if given is None:
        return None  # as for numbers: the bound that a row of the table names is of wrong classes
    raise ParameterError(
        f"{policy!r} weighs the errors of one output. Hint: ccp_alpha, by which impurity is "
        "weighed; or pruning='none'."
    )


def tree_of_several(
    estimator: Any, rows: Any, growth: Growth, policy: Any, about: dict[str, Any]
) -> SeveralModel:
    """Grow a tree, and prune it if a leaf has a price."""
    refuse_for_several(estimator, growth)
    settings = growth.for_core() | {"record": False}
    native = rows.grow(settings)
    tree = Tree(native, len(rows.schema.columns))
    if policy is not None:
        risk = tree.impurity * tree.node_weight / tree.node_weight[0]
        cut = (native.test >= 0) & (weakest_links(tree, risk)[2] <= policy.alpha)
        tree = Tree(_core.prune(native, cut), len(rows.schema.columns))
    return model_of_several((tree,), rows, growth, about)


def model_of_several(
    trees: tuple[Tree, ...], rows: Any, growth: Growth, about: dict[str, Any]
) -> SeveralModel:
    """What some trees learned together."""
    worth: NDArray[np.float64] = np.sum(
        [tree.compute_feature_importances() for tree in trees], axis=0
    )
    if worth.sum() > 0:
        worth /= worth.sum()
    outputs = rows.target.outputs
    return SeveralModel(trees, rows.schema, outputs, growth, worth, about)


def tree_told(model: SeveralModel) -> SeveralTree:
    """The first tree, by scikit-learn's names."""
    return SeveralTree(model.tree.native, len(model.schema.columns), model.outputs)
