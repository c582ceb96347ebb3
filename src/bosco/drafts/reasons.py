"""The tests that could be at a node of a draft, worked out from its rows when asked for."""

from dataclasses import replace
from typing import Any

from bosco.drafts.acts import require_column
from bosco.drafts.advice import spot_of
from bosco.drafts.candidates import with_candidates
from bosco.drafts.ground import Ground
from bosco.drafts.shaping import as_leaf
from bosco.drafts.state import Path, State, node_at
from bosco.models.model import Model
from bosco.reasons.compared import compared
from bosco.reasons.curve import Curve, curve_by
from bosco.reasons.held import Held, test_of
from bosco.reasons.why import Why, candidates, why
from bosco.tree.tree import Tree


def _looked(ground: Ground, state: State, path: Path, model: Model) -> tuple[Model, int, Any]:
    """The model with the tests compared at a node, and the node as a leaf."""
    spot = spot_of(ground, state, path)
    settings = {"record": True, "record_leaves": True, "record_samples": 0}
    stump = ground.stump(spot, **settings)
    leaf = as_leaf(stump) if stump.n_nodes > 1 else stump
    native = with_candidates(state.tree.native, spot.node, leaf)
    tree = Tree(native, state.tree.n_features)
    growth = replace(ground.growth, record=True, record_leaves=True)
    return replace(model, tree=tree, growth=growth), spot.node, leaf


def why_at(ground: Ground, state: State, path: Path, model: Model) -> Why:
    """The best test of every column at a node."""
    looked, node, _ = _looked(ground, state, path, model)
    return why(looked, node)


def candidate_tests(ground: Ground, state: State, path: Path, model: Model) -> list[Any]:
    """The best test of every column at a node, as the learner ranks them."""
    looked, node, leaf = _looked(ground, state, path, model)
    found = compared(looked, node)
    ranked = candidates(looked, found, None)
    column_of = {name: j for j, name in enumerate(ground.schema.names)}
    place = {int(j): i for i, j in enumerate(leaf.candidates.column.tolist())}
    return [test_of(leaf.candidates, place[column_of[c.column]]) for c in ranked]


def curve_at(ground: Ground, state: State, path: Path, model: Model, column: str) -> Curve:
    """What a column offers at a node: every cut, or every level."""
    require_column(ground, column)
    held = Held(ground.frame, ground.goal, ground.growth, rows=ground.parts.training)
    return curve_by(model, held, node_at(state.tree, path), column)
