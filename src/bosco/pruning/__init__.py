"""Pruning: making a grown tree smaller, by a policy, with a reason for every node that goes.

A policy looks at an immutable tree and gives a `Verdict`: which nodes become leaves and, where
subtrees are raised, whose test each node has now. One function, `prune`, rebuilds the tree and
writes down why. docs/pruning.md tells what each policy weighs, with worked numbers.

>>> from bosco import DecisionTreeClassifier
>>> from bosco.datasets import golf
>>> from bosco.pruning import GeneralizationError
>>> model = DecisionTreeClassifier().fit(*golf()).model_
>>> model.n_leaves, model.prune(GeneralizationError(alpha=2)).n_leaves
(6, 1)
"""

from bosco.pruning.complexity import CostComplexity, Sweep, cost_complexity, sweep
from bosco.pruning.log import Pruned, PruningLog
from bosco.pruning.policies import (
    POLICIES,
    CriticalValue,
    GeneralizationError,
    MinimumDescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
    policy_named,
)
from bosco.pruning.policy import Policy, Verdict
from bosco.pruning.rebuild import collapse, prune
from bosco.pruning.subject import HeldOut, Subject, Training

__all__ = [
    "POLICIES",
    "CostComplexity",
    "CriticalValue",
    "GeneralizationError",
    "HeldOut",
    "MinimumDescriptionLength",
    "Pessimistic",
    "Policy",
    "Pruned",
    "PruningLog",
    "ReducedError",
    "SameAnswer",
    "Subject",
    "Sweep",
    "Training",
    "Verdict",
    "collapse",
    "cost_complexity",
    "policy_named",
    "prune",
    "sweep",
]
