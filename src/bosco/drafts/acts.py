"""The verbs of a draft: pure functions of a state and an act to a state.

An act is plain values: the verb, the path of its node, and what else it is given. So a log of acts
can be done again, and gives the same states.

Over 400 lines, so that all verbs and what they share stand in one place.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bosco import _core
from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.drafts.advice import (
    Facts,
    excluded_at,
    judged,
    nodes_below,
    opened,
    reopened,
    say,
    spot_of,
)
from bosco.drafts.ground import Ground, Spot, Weighed, native_test
from bosco.drafts.saying import Said, is_known_or_missing, native_of
from bosco.drafts.shaping import as_leaf, below, grafted, one_level
from bosco.drafts.state import Path, State, is_below, node_at, path_of
from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.tree.edits import Order
from bosco.tree.searching import Found
from bosco.tree.tree import Tree

_MOST = 1e150
"""Answers beyond it would make errors overflow."""

Act = Mapping[str, Any]
"""A verb with its arguments, in plain values."""

_REGROW = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf",
    "min_impurity_decrease", "max_leaf_nodes", "max_features", "numeric_test", "nominal_test",
    "threshold", "max_branches", "splitter", "random_state",
)  # fmt: skip
"""Parameters that a part of a tree may be grown with; others say what all its nodes mean."""


Done = tuple[State, Facts]


def do(ground: Ground, state: State, act: Act) -> Done:
    """The state after an act; a refusal is a `ModelError`, and changes nothing."""
    verb = VERBS.get(act["verb"])
    if verb is None:
        raise ModelError(f"There is no verb {act['verb']!r}.{did_you_mean(act['verb'], VERBS)}")
    path = tuple(act.get("path", ()))
    made, facts = verb(ground, state, path, act)
    node = node_at(state.tree, path)
    rows = facts.rows or rows_of(ground, state.tree, node)
    return made, replace(facts, rows=rows)


def rows_of(ground: Ground, tree: Tree, node: int) -> float:
    """How many training rows a node has: as samples, where they are copies or shared out."""
    if ground.weights.plain or ground.weights.count is not None or ground.unit > 1:
        return float(tree.native.count[node]) / tree.native.count_scale
    inside = ground.spot(tree, path_of(tree, node)).rows
    return float(len(inside))


# Structure --------------------------------------------------------------------------------------


def best(ground: Ground, state: State, path: Path, _act: Act) -> Done:
    """The learner's own test at a node."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    stump = ground.stump(spot)
    test = ground.learned(stump)
    if test is None:
        raise ModelError(f"Node {spot.node}: the learner has no test for it.")
    tree = _put(ground, state.tree, spot.node, stump)
    made = replace(state.without(path, itself=True), tree=tree)
    words = say(ground, test)
    return opened(ground, made, path), Facts(yours=words, best=words)


def split(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """A test of one's own at a node."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    require_learned(ground, act["test"])
    test = native_of(ground.schema, act["test"])
    require_takes_part(ground, state, path, test.column)
    return _by_hand(ground, state, spot, test, act, {})


def move(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """Another threshold at a node; all below it stays, and is counted again."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    own = ground.learned(state.tree.native, spot.node)
    if own is None or not own.thresholds or own.thresholds == [float("inf")]:
        what = "is a leaf" if own is None else "has no threshold"
        raise ModelError(f"Node {spot.node} {what}, so that there is nothing to move.")
    if len(act["cuts"]) != len(own.thresholds):
        raise ModelError(
            f"Node {spot.node}: as many thresholds are moved as there are, "
            f"{len(own.thresholds)}. Got {len(act['cuts'])}."
        )
    said = {"column": ground.schema.names[own.column], "cuts": act["cuts"]}
    native = state.tree.native
    keeps = {b: below(native, child) for b, child in enumerate(state.tree.children(spot.node))}
    return _by_hand(ground, state, spot, native_of(ground.schema, said), act, keeps)


def merge(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """Two branches of a node made one, which is a leaf."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    first, second = sorted(act["branches"])
    own = ground.learned(state.tree.native, spot.node)
    if own is None or own.branches < 3:
        raise ModelError(
            f"Node {spot.node} has too few branches: two of at least three can be made one. "
            f"Hint: prune({spot.node}) makes it a leaf."
        )
    test = _merged(own, first, second)
    children, native = state.tree.children(spot.node), state.tree.native
    places = {b: b - (b > second) for b in range(own.branches) if b not in (first, second)}
    keeps = {place: below(native, children[b]) for b, place in places.items()}
    moved = {(*path, b): (*path, place) for b, place in places.items()}
    return _by_hand(ground, state, spot, test, act, keeps, moved)


def prune(ground: Ground, state: State, path: Path, _act: Act) -> Done:
    """A node made a leaf."""
    require_free(state, path, "change")
    node = node_at(state.tree, path)
    if state.tree.native.test[node] < 0:
        raise ModelError(f"Node {node} is a leaf already.")
    gone = _leaves(state.tree, node)
    tree = Tree(as_leaf(state.tree.native, node), state.tree.n_features)
    made = replace(state.without(path, itself=True), tree=tree)
    return opened(ground, made, path, alone=True), Facts(remarks=(_became_one(gone),))


def grow(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """The leaves below a node grown as the learner would; locked and ordered ones stay."""
    tree, node = state.tree, node_at(state.tree, path)
    stay = [p for p in (*state.locked, *state.orders) if p == path or is_below(p, path)]
    leaves = [leaf for leaf in _leaves_below(tree, node) if path_of(tree, leaf) not in stay]
    kept = [p for p in stay if tree.native.test[node_at(tree, p)] < 0]
    if not leaves:
        raise ModelError(f"Node {node} has no leaf below it that may grow: locked, or by order.")
    at, trees = [], []
    room = ground.growth.max_leaf_nodes
    n_leaves = tree.n_leaves
    for leaf in leaves:
        place = path_of(tree, leaf)
        changed: dict[str, Any] = {}
        if act.get("depth") is not None:
            deepest = len(path) + act["depth"]
            most = ground.growth.max_depth
            changed["max_depth"] = deepest if most < 0 else min(deepest, most)
        if room >= 0:
            changed["max_leaf_nodes"] = max(room - n_leaves + 1, 2)
            if room - n_leaves < 1:
                continue
        grown = ground.grow(spot_of(ground, state, place), **changed)
        if grown.n_nodes > 1:
            at.append(leaf)
            trees.append(grown)
            n_leaves += int(np.count_nonzero(grown.test < 0)) - 1
    if not at:
        raise ModelError(f"The learner would not split any leaf below node {node}.")
    made = grafted(tree.native, at, trees, ground.settings)
    state = replace(state, tree=Tree(made, tree.n_features))
    grew = len(at)
    for leaf in at:
        state = opened(ground, state, path_of(tree, leaf))
    remarks = [trn("{n} leaf grew", "{n} leaves grew", grew)]
    if kept:
        remarks.append(
            trn(
                "{n} leaf stayed, locked or by order",
                "{n} leaves stayed, locked or by order",
                len(kept),
            )
        )
    return state, Facts(remarks=tuple(remarks))


def regrow(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """All below a node grown anew, with other columns or settings."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    names = ground.schema.names
    without, only = act.get("without") or (), act.get("only")
    for name in (*without, *(only or ())):
        require_column(ground, name)
    banned = spot.banned | np.isin(names, list(without))
    if only is not None:
        banned |= ~np.isin(names, list(only))
    changed = dict(act.get("settings") or {})
    for name in changed:
        if name not in _REGROW:
            raise ParameterError(
                f"A part of a tree cannot be grown with another {name!r}: nodes of one tree must "
                f"mean the same. It can with {', '.join(_REGROW)}.{did_you_mean(name, _REGROW)}"
            )
    settings = ground.settings_with(changed) if changed else {}
    grown = ground.grow(replace(spot, banned=banned), **settings)
    if grown.n_nodes < 2:
        raise ModelError(f"Node {spot.node}: with these columns and settings nothing would grow.")
    tree = _put(ground, state.tree, spot.node, grown)
    made = replace(state.without(path, itself=True), tree=tree)
    leaves = int(np.count_nonzero(grown.test < 0))
    return opened(ground, made, path), Facts(remarks=(_grew_below(leaves),))


def optimal(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """All below a node the best subtree of so many levels, found as a whole."""
    require_free(state, path, "change")
    spot = spot_of(ground, state, path)
    room = ground.growth.max_leaf_nodes
    if room >= 0:
        room += len(_leaves_below(state.tree, spot.node)) - state.tree.n_leaves
    found = ground.best_subtree(spot, act["depth"], room)
    if found.tree is None or found.tree.n_nodes < 2:
        raise ModelError(
            f"Node {spot.node}: no subtree of {act['depth']} levels is better than the node as a "
            "leaf."
        )
    made = _recounted(ground, _put(ground, state.tree, spot.node, found.tree).native, path)
    state = replace(state.without(path, itself=True), tree=Tree(made, state.tree.n_features))
    kept = f"part of the best subtree of {act['depth']} levels"
    return reopened(ground, state, path, kept), Facts(remarks=(_certified(found, act["depth"]),))


def _certified(found: Found, depth: int) -> str:
    """What is known of a subtree among all of its depth."""
    bound, wrong = show_figure(float(found.bound)), show_figure(found.wrong)
    if found.cost is not None:
        cost = show_figure(found.cost)
        if found.end == "proved":
            return tr(
                "proved: of all subtrees of up to {depth} levels none costs less, {cost}",
                depth=depth,
                cost=cost,
            )
        return tr(
            "the best subtree of up to {depth} levels found in time costs {cost}; none less than "
            "{bound}",
            depth=depth,
            cost=cost,
            bound=bound,
        )
    if found.end == "proved":
        return tr(
            "proved: of all subtrees of up to {depth} levels none gets less wrong, {wrong}",
            depth=depth,
            wrong=wrong,
        )
    return tr(
        "the best subtree of up to {depth} levels found in time gets {wrong} wrong; none less than "
        "{bound}",
        depth=depth,
        wrong=wrong,
        bound=bound,
    )


def plant(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """The tests of another tree put below a node, from the top, each counted on the rows here.

    Where one parts nothing here, or asks for what is not here, its branch ends.
    """
    require_free(state, path, "change")
    before = state.without(path, itself=True)
    node = node_at(state.tree, path)
    if state.tree.native.test[node] >= 0:
        before = replace(before, tree=Tree(as_leaf(state.tree.native, node), state.tree.n_features))
    made, ended = before, 0
    for steps, branches, said in act["tests"]:
        place = (*path, *steps)
        if not _is_leaf(made.tree, place):
            continue  # below a branch that ended
        try:
            tried, _ = split(ground, made, place, {"test": said, "reason": act.get("reason", "")})
        except (ModelError, ParameterError):
            ended += 1
            continue
        same_shape = len(tried.tree.children(node_at(tried.tree, place))) == branches
        made, ended = (tried, ended) if same_shape else (made, ended + 1)
    if made is before:
        raise ModelError(f"No test of that tree parts the rows of node {node}.")
    gone = trn("{n} branch ended early", "{n} branches ended early", ended)
    return made, Facts(remarks=(gone,) if ended else ())


def _is_leaf(tree: Tree, path: Path) -> bool:
    """Whether a path leads to a leaf; not if it leads nowhere."""
    native, node = tree.native, 0
    for branch in path:
        if not 0 <= branch < native.n_children[node]:
            return False
        node = int(native.first_child[node]) + branch
    return bool(native.test[node] < 0)


# Words ------------------------------------------------------------------------------------------


def answer(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """A leaf's answer by order; None takes the order back."""
    node = node_at(state.tree, path)
    require_free(state, path, "answer otherwise", above=False)
    native = state.tree.native
    if native.test[node] >= 0:
        raise ModelError(f"Node {node} is no leaf. Hint: prune({node}) makes it one.")
    orders = {p: o for p, o in state.orders.items() if p != path}
    if act["answer"] is None:
        if path not in state.orders:
            raise ModelError(f"Node {node} answers by its rows already.")
        return replace(state, orders=orders), Facts()
    given = act["answer"]
    if ground.classes is None:
        if isinstance(given, bool) or not isinstance(given, int | float) or not _sane(given):
            raise ParameterError(
                f"The answer must be a number, at most {_MOST:g} in size. Got {given!r:.60}."
            )
        ordered: int | float = float(given)
    else:
        ordered = class_place(ground, given)
    orders[path] = Order(ordered, str(act.get("reason", "")))
    return replace(state, orders=orders), Facts()


def _sane(number: float) -> bool:
    """Not so large that errors overflow."""
    return -_MOST <= number <= _MOST


def class_place(ground: Ground, given: Any) -> int:
    """The place of a class among those that there are, by itself or by its text."""
    assert ground.classes is not None
    labels: list[Any] = ground.classes.tolist()
    shown: list[Any] = [show_label(label) for label in labels]
    for known in (labels, shown):
        if isinstance(given, str | int | float | bool) and given in known:
            return known.index(given)
    raise ParameterError(
        f"The answer must be one of the classes {', '.join(shown[:20])}. Got {given!r}."
        + did_you_mean(given, shown)
    )


def lock(_ground: Ground, state: State, path: Path, _act: Act) -> Done:
    """A node that must not change: neither its rows, nor its test, nor its answer."""
    if path in state.locked:
        raise ModelError(f"Node {node_at(state.tree, path)} is locked already.")
    return replace(state, locked=state.locked | {path}), Facts()


def unlock(_ground: Ground, state: State, path: Path, _act: Act) -> Done:
    """A locked node that may change again."""
    if path not in state.locked:
        raise ModelError(f"Node {node_at(state.tree, path)} is not locked.")
    return replace(state, locked=state.locked - {path}), Facts()


def exclude(ground: Ground, state: State, path: Path, act: Act) -> Done:
    """Columns that take no part from a node on; tests that ask for them stay."""
    if not act["columns"]:
        raise ParameterError("exclude takes the name of a column, or several.")
    for name in act["columns"]:
        require_column(ground, name)
    before = state.excluded.get(path, ())
    new = [name for name in act["columns"] if name not in excluded_at(state, path)]
    if not new:
        raise ModelError("These columns take no part there already.")
    tree, node = state.tree, node_at(state.tree, path)
    asking = []
    for inner in np.flatnonzero(tree.native.test >= 0).tolist():
        test = tree.test(inner)
        assert test is not None
        inside = inner == node or is_below(path_of(tree, inner), path)
        if inside and ground.schema.names[test.column] in new:
            asking.append(inner)
    remarks: tuple[str, ...] = ()
    if asking:
        nodes = ", ".join(map(str, asking[:8])) + (", …" if len(asking) > 8 else "")
        remarks = (tr("still asked at node {nodes}: regrow or prune there", nodes=nodes),)
    excluded = {**state.excluded, path: (*before, *new)}
    made = replace(state, excluded=excluded)
    return reopened(ground, made, path, "kept when its column was excluded"), Facts(remarks=remarks)


def note(_ground: Ground, state: State, path: Path, act: Act) -> Done:
    """Words beside a node; none take them away."""
    notes = {p: text for p, text in state.notes.items() if p != path}
    if act["text"]:
        notes[path] = str(act["text"])
    return replace(state, notes=notes), Facts()


VERBS: dict[str, Callable[[Ground, State, Path, Act], Done]] = {
    "best": best, "split": split, "move": move, "merge": merge, "prune": prune, "grow": grow,
    "regrow": regrow, "optimal": optimal, "plant": plant, "answer": answer,
    "lock": lock, "unlock": unlock, "exclude": exclude, "note": note,
}  # fmt: skip
"""All that changes a state; `undo` and `redo` go back and forth among states."""

WORDS_ONLY = frozenset({"lock", "unlock", "exclude", "note"})
"""Verbs that leave what the tree answers as it is, so that no figure is looked at."""


# What they share --------------------------------------------------------------------------------


def _by_hand(
    ground: Ground,
    state: State,
    spot: Spot,
    test: Any,
    act: Act,
    keeps: Mapping[int, Any],
    moved: Mapping[Path, Path] | None = None,
) -> Done:
    """A node with a test by hand; `keeps`: trees that stay below its branches."""
    tree, path = state.tree, spot.path
    stump = ground.stump(spot)
    learned = ground.learned(stump)
    asked = [test] if learned is None else [test, learned]
    yours, *own = ground.weigh(tree, spot, asked)
    _require_parts(ground, spot, yours)
    if len(keeps) > yours.test.branches:
        raise ModelError(f"Node {spot.node}: the branch of missing values would be gone.")
    chosen, facts = judged(ground, yours, own, str(act.get("reason", "")))
    leaf = as_leaf(stump) if stump.n_nodes > 1 else stump
    piece = one_level(leaf, yours.test, ground.stand_ins(tree, spot, yours.test))
    if keeps:
        piece = grafted(piece, [1 + b for b in keeps], list(keeps.values()), ground.settings)
    made = grafted(tree.native, [spot.node], [piece], ground.settings)
    made = _recounted(ground, made, path)
    if moved is not None:
        state = state.moved(moved, path)
    elif not keeps:
        state = state.without(path, itself=True)
    orders = {p: o for p, o in state.orders.items() if p != path}
    state = replace(
        state,
        tree=Tree(made, tree.n_features),
        orders=orders,
        chosen={**state.chosen, path: chosen},
    )
    if not keeps:
        return opened(ground, state, path), facts
    return reopened(ground, state, path, "kept when a test above it was changed"), facts


def _recounted(ground: Ground, native: Any, path: Path) -> Any:
    """The tree with a node and all below it counted again; a test without rows is refused."""
    node = node_at(Tree(native, len(ground.schema.names)), path)
    try:
        made = ground.recounted(native, node)
        empty = (made.test >= 0) & ~made.tally.any(axis=1)
    except _core.CoreError:  # there is nothing to share missing values out by
        empty = np.ones(1, bool)
    if empty.any():
        raise ModelError(
            f"No training row would come to a test below node {node} any more. Hint: prune there "
            f"first, or regrow({node})."
        )
    return made


def _put(ground: Ground, tree: Tree, node: int, piece: Any) -> Tree:
    return Tree(grafted(tree.native, [node], [piece], ground.settings), tree.n_features)


def _merged(own: Any, first: int, second: int) -> Any:
    """A test in which two branches are one."""
    kind, column, branches, missing, flip, cuts, jumps = own.__getstate__()

    def place(b: int) -> int:
        return first if b == second else b - (b > second)

    if not jumps and second <= len(cuts):
        if second != first + 1:
            raise ModelError("Of a column that is cut, neighbouring branches can be made one.")
        cuts = [cut for k, cut in enumerate(cuts) if k != first]
        cuts = cuts or [math.inf]  # what is known against what is missing
    missing = missing if missing < 0 else place(missing)
    jumps = [place(b) for b in jumps]
    return native_test(kind, column, branches - 1, missing, flip, cuts, jumps)


def require_free(state: State, path: Path, what: str, *, above: bool = True) -> None:
    """Refuse to change a locked node, or (`above`) one with a locked node below it."""
    node = node_at(state.tree, path)
    if path in state.locked:
        raise ModelError(f"Node {node} is locked: it cannot {what}. Hint: unlock({node}).")
    locked = [p for p in state.locked if is_below(p, path)]
    if above and locked:
        other = node_at(state.tree, min(locked))
        raise ModelError(
            f"Node {other}, below node {node}, is locked, and its rows would change. "
            f"Hint: unlock({other})."
        )


def require_column(ground: Ground, name: str) -> None:
    """Refuse the name of a column that is not there."""
    names = ground.schema.names
    if name not in names:
        raise ParameterError(
            f"There is no column {name!r}; there are {', '.join(map(repr, names[:20]))}."
            + did_you_mean(name, names)
        )


def require_learned(ground: Ground, said: Said) -> None:
    """Refuse to ask whether a value is missing where missing values have another way to go."""
    if is_known_or_missing(said) and not ground.growth.on_missing.learned:
        raise ModelError(
            f"With missing={ground.growth.missing!r} no test asks whether a value is missing. "
            f"Hint: missing='learn'."
        )


def require_takes_part(ground: Ground, state: State, path: Path, column: int) -> None:
    """Refuse a test of a column that is excluded at a node."""
    name = ground.schema.names[column]
    if name in excluded_at(state, path):
        raise ModelError(f"Column {name!r} is excluded there, so that no test may ask for it.")


def _require_parts(ground: Ground, spot: Spot, yours: Weighed) -> None:
    """Refuse a test that does not part the rows, or that turns a monotone order round."""
    words = say(ground, yours.test)
    if yours.holding < 2:
        raise ModelError(
            f"{words} does not part the {len(spot.rows)} rows of node {spot.node}: all go one way."
        )
    direction = ground.growth.monotonic[yours.test.column] if any(ground.growth.monotonic) else 0
    if not direction:
        if any(ground.growth.monotonic) and yours.test.branches > 2:
            raise ModelError("With monotonic_cst every test has two branches.")
        return
    if yours.test.branches > 2:
        raise ModelError("With monotonic_cst every test has two branches.")
    low, high = (_level_of(ground, tally) for tally in yours.tallies)
    if direction * (high - low) < 0:
        raise ModelError(
            f"{words} would turn round the order that monotonic_cst asks of "
            f"{ground.schema.names[yours.test.column]!r}."
        )


def _level_of(ground: Ground, tally: Any) -> float:
    """What a monotone order compares: the share of the second class, or the mean."""
    if ground.n_classes:
        return float(tally[1] / max(tally[: ground.n_classes].sum(), 1))
    return float(tally[1] / max(tally[0], 1))


def _leaves_below(tree: Tree, node: int) -> list[int]:
    return [i for i in nodes_below(tree, node) if tree.native.test[i] < 0]


def _became_one(leaves: int) -> str:
    return trn("{n} leaf became one", "{n} leaves became one", leaves)


def _grew_below(leaves: int) -> str:
    return trn("{n} leaf grew below it", "{n} leaves grew below it", leaves)


def _leaves(tree: Tree, node: int) -> int:
    return len(_leaves_below(tree, node))


def columns_named(columns: str | Iterable[str]) -> list[str]:
    """One name, or several, as a list."""
    names = [columns] if isinstance(columns, str) else list(columns) if _many(columns) else [None]
    if not all(isinstance(name, str) for name in names):
        raise ParameterError(f"Columns are given by name, one or several. Got {columns!r:.60}.")
    return [name for name in names if isinstance(name, str)]


def _many(given: Any) -> bool:
    return isinstance(given, Iterable)
