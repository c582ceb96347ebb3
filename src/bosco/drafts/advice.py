"""What the learner says of the nodes of a draft: what it compares there, what it would take.

Tests that people chose are told beside its own, and so are tests that it chose once and would not
take now, because the rows or the columns of the node are others.
"""

from dataclasses import dataclass, replace
from typing import Any

from bosco.base.language import ENGLISH, speaking, tr
from bosco.drafts.candidates import with_candidates
from bosco.drafts.ground import Ground, Spot, Weighed
from bosco.drafts.shaping import as_leaf, grafted
from bosco.drafts.state import Path, State, is_below, node_at, path_of
from bosco.reasons.held import same
from bosco.reasons.why import NEAR_TIE
from bosco.render.card import say_test
from bosco.tree.conditions import test_from
from bosco.tree.edits import ByHand
from bosco.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Facts:
    """What an act did, besides the state.

    Attributes
    ----------
    rows : float
        Training rows of the node, which are affected.
    yours, best : str
        The test that was chosen, and the learner's own; empty where there is none.
    loss : float
        How much more the learner's own scores.
    overrides : bool
        Whether it is more than a near-tie.
    remarks : tuple of str
        What else is to be known.
    """

    rows: float = 0.0
    yours: str = ""
    best: str = ""
    loss: float = 0.0
    overrides: bool = False
    remarks: tuple[str, ...] = ()


def spot_of(ground: Ground, state: State, path: Path) -> Spot:
    """A node with all that a growth from there must know."""
    return ground.spot(state.tree, path, excluded_at(state, path))


def say(ground: Ground, test: Any) -> str:
    """A native test in words, as the log and the file of the model keep them."""
    with speaking(ENGLISH):
        return say_test(ground.schema, test_from(*test.__getstate__()))


def judged(ground: Ground, yours: Weighed, own: list[Weighed], reason: str) -> tuple[ByHand, Facts]:
    """A test by hand beside the learner's own."""
    said = say(ground, yours.test)
    short = tr("a branch holds less than the settings of growth ask for")
    limit = () if yours.allowed else (short,)
    if not own:
        return ByHand("", 0.0, reason), Facts(yours=said, remarks=limit)
    (best_,) = own
    loss = 0.0 if same(best_.test, yours.test) else best_.score - yours.score
    loss = max(loss, 0.0) if loss == loss else abs(best_.score)
    words = say(ground, best_.test)
    overrides = loss > NEAR_TIE * abs(best_.score)
    facts = Facts(yours=said, best=words, loss=loss, overrides=overrides, remarks=limit)
    return ByHand(words, loss, reason), facts


def opened(ground: Ground, state: State, path: Path, *, alone: bool = False) -> State:
    """The tests compared at the leaves below a node, where the growth keeps such.

    `alone`: at the node itself only.
    """
    if not ground.growth.record:
        return state
    tree, top = state.tree, node_at(state.tree, path)
    nodes = [top] if alone else nodes_below(tree, top)
    leaves = [node for node in nodes if tree.native.test[node] < 0 and _has_rows(tree, node)]
    stumps = {node: ground.stump(spot_of(ground, state, path_of(tree, node))) for node in leaves}
    return _with_leaves(ground, state, stumps)


def reopened(ground: Ground, state: State, path: Path, kept: str) -> State:
    """The same at inner nodes too, as their rows or columns are others now.

    What people chose is judged anew. A test that the learner chose and would not take now stays
    too, by hand from now on: `kept` is why.
    """
    tree, chosen, native = state.tree, dict(state.chosen), state.tree.native
    leaves = {}
    for node in nodes_below(tree, node_at(tree, path)):
        place = path_of(tree, node)
        spot = spot_of(ground, state, place)
        stump = ground.stump(spot) if _has_rows(tree, node) else None
        own = ground.learned(tree.native, node)
        if own is None:
            if stump is not None:
                leaves[node] = stump
            continue
        learned = None if stump is None else ground.learned(stump)
        before = chosen.get(place)
        if before is not None or learned is None or not same(learned, own):
            reason = kept if before is None else before.reason
            chosen[place] = _beside(ground, tree, spot, own, learned, reason)
        if ground.growth.record:
            leaf = None if stump is None else _as_leaf(stump)
            native = with_candidates(native, node, leaf)
    state = replace(state, chosen=chosen, tree=Tree(native, tree.n_features))
    return _with_leaves(ground, state, leaves) if ground.growth.record else state


def _beside(ground: Ground, tree: Tree, spot: Spot, own: Any, learned: Any, reason: str) -> ByHand:
    """A test that stays at a node, beside what the learner would take there."""
    if learned is None:
        return ByHand("", 0.0, reason)
    yours, *best = ground.weigh(tree, spot, [own, learned])
    return judged(ground, yours, best, reason)[0]


def _with_leaves(ground: Ground, state: State, stumps: dict[int, Any]) -> State:
    """The tree with what was compared at some leaves."""
    if not stumps:
        return state
    leaves = [_as_leaf(stump) for stump in stumps.values()]
    native = grafted(state.tree.native, list(stumps), leaves, ground.settings)
    return replace(state, tree=Tree(native, state.tree.n_features))


def _as_leaf(stump: Any) -> Any:
    return as_leaf(stump) if stump.n_nodes > 1 else stump


def _has_rows(tree: Tree, node: int) -> bool:
    return bool(tree.native.tally[node].any())


def excluded_at(state: State, path: Path) -> tuple[str, ...]:
    """Columns that take no part at a node."""
    above = (names for p, names in state.excluded.items() if p == path or is_below(path, p))
    return tuple(name for names in above for name in names)


def nodes_below(tree: Tree, node: int) -> list[int]:
    """A node and all below it, ascending."""
    found = {node}
    for child, parent in enumerate(tree.native.parent.tolist()):
        if parent in found:
            found.add(child)
    return sorted(found)
