"""The tests that could be at a node of a draft, worked out from its rows when asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
from bosco.settings.settings import UNLIMITED
from bosco.tree.tree import Tree


def _looked(ground: Ground, state: State, path: Path, model: Model) -> tuple[Model, int, Any, Any]:
    """The model with the tests compared at a node, the node as a leaf, the learner's own test."""
    spot = spot_of(ground, state, path)
    everything: dict[str, Any] = {
        "record": True,
        "record_leaves": True,
        "record_whole": UNLIMITED,
    }
    settings = everything | {"record_samples": 0}
    stump = ground.stump(spot, **settings)
    leaf = as_leaf(stump) if stump.n_nodes > 1 else stump
    native = with_candidates(state.tree.native, spot.node, leaf)
    tree = Tree(native, state.tree.n_features)
    growth = replace(ground.growth, **everything)
    return replace(model, tree=tree, growth=growth), spot.node, leaf, ground.learned(stump)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a node could ask.

    Attributes
    ----------
    why : Why
        The best test of every column, in words and figures.
    tests : mapping of str to native tests
        The same as the verbs take them, by column.
    learned : native test or None
        The one that the learner would give the node; None: it would stop there.
    """

    why: Why
    tests: Mapping[str, Any]
    learned: Any


def asked_at(ground: Ground, state: State, path: Path, model: Model) -> Asked:
    """What a node could ask, by its rows."""
    looked, node, leaf, learned = _looked(ground, state, path, model)
    names, pool = ground.schema.names, leaf.candidates
    tests = {names[j]: test_of(pool, i) for i, j in enumerate(pool.column.tolist())}
    return Asked(why(looked, node), tests, learned)


def candidate_tests(ground: Ground, state: State, path: Path, model: Model) -> list[Any]:
    """The best test of every column at a node, as the learner ranks them."""
    looked, node, leaf, _ = _looked(ground, state, path, model)
    ranked = candidates(looked, compared(looked, node), None)
    column_of = {name: j for j, name in enumerate(ground.schema.names)}
    place = {int(j): i for i, j in enumerate(leaf.candidates.column.tolist())}
    return [test_of(leaf.candidates, place[column_of[c.column]]) for c in ranked]


def curve_at(
    ground: Ground, state: State, path: Path, model: Model, column: str, most: int = 0
) -> Curve:
    """What a column offers at a node: every cut (of more than `most`, some), or every level."""
    require_column(ground, column)
    held = Held(ground.frame, ground.goal, ground.growth, rows=ground.parts.training)
    return curve_by(model, held, node_at(state.tree, path), column, most)
