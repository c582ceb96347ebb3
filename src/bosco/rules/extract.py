"""The rules of a tree: one for each way through it."""

from collections.abc import Sequence
from typing import Any

from bosco.census import Census
from bosco.rules.rule import Rule
from bosco.rules.space import Space
from bosco.rules.walk import Walk, Way, all_ways, conditions_of
from bosco.schema import Schema
from bosco.tree import Tree


def extract(
    tree: Tree,
    schema: Schema,
    classes: Sequence[Any] | None,
    census: Census | None = None,
    *,
    missing: bool = True,
    values: bool = False,
) -> tuple[Rule, ...]:
    """Read the rules of a tree off its leaves.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    classes : sequence or None
        Its class labels; None for a real target.
    census : Census or None, default=None
        The training rows of its nodes, if they are known.
    missing : bool, default=True
        Whether to say where missing values go.
    values : bool, default=False
        Whether rules must also agree with the tree in class shares, not in the class only.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_
    >>> rules = extract(model.tree, model.schema, ["a", "b"], model.census)
    >>> [(rule.answer, rule.support) for rule in rules]
    [('a', 1.0), ('b', 1.0)]
    """
    space = Space(schema, conditions_of(tree), missing=missing)
    walk = Walk(tree, space, by_class=not values)
    return tuple(_rule(walk, way, classes, census) for way in all_ways(walk, space.full))


def _rule(walk: Walk, way: Way, classes: Sequence[Any] | None, census: Census | None) -> Rule:
    native = walk.tree.native
    whole = not way.open
    value = tuple(walk.value(way).tolist()) if whole else None
    k = None if classes is None else walk.answer(way)
    leaves = tuple(sorted(leaf for leaf, _ in way.leaves))
    support = confidence = weight = None
    # The rows of a leaf with several boxes, or of a mixture, are not known box by box.
    one = whole and len(leaves) == 1 and not native.surrogates.column.size
    if one and census is not None:
        rows = census.by_class[leaves[0]]
        support = float(census.total[leaves[0]])
        weight = float(walk.tree.node_weight[leaves[0]])
        if k is not None and support > 0:
            confidence = float(rows[k] / support)
    return Rule(
        answer=value[0] if k is None and value is not None else classes[k],  # type: ignore[index]
        conditions=walk.space.conditions(way.box),
        leaves=leaves,
        support=support,
        confidence=confidence,
        weight=weight,
        value=value,
    )
