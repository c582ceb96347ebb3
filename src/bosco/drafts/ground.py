"""The rows of a draft, and what the native verbs say of them at any node of any tree.

One frame holds all rows, as they were given; the parts are row numbers, so that nothing is copied.
The target is that of the training rows alone: scales and classes do not know of the others.

Over 400 lines, so that all that touches the rows of a draft stands in one place.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.columns import Numbers
from bosco.data.deriving import derived
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.parting import without
from bosco.data.readers import Table, given_to_fit, read_table
from bosco.data.recipe import Recipe, Scaling
from bosco.data.schema import Schema, show_label
from bosco.data.target import Labels, Values, class_codes, real_numbers
from bosco.data.weights import Weights, read_weights
from bosco.drafts.parts import parted
from bosco.drafts.state import Path
from bosco.errors import DataError, ModelError, ParameterError
from bosco.estimators.about import about_rows
from bosco.estimators.base import TreeEstimator
from bosco.estimators.deciding import decision_of
from bosco.estimators.parameters import check_parameters
from bosco.growth import MISSING, Growth, recorded_from, setting
from bosco.reasons.held import Held, test_of
from bosco.reasons.rooted import WORK
from bosco.settings.settings import RECORD_CELLS
from bosco.tree.census import Census, Counted
from bosco.tree.family import threads
from bosco.tree.searching import Found, Search, family
from bosco.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A node, and all that a growth from there must know."""

    node: int
    path: Path
    rows: NDArray[np.uint32]
    shares: NDArray[np.uint32] | None  # of 2^-24, where rows are shared out
    banned: NDArray[np.bool_]  # columns that take no part
    bounds: tuple[float, float]  # monotone ones
    asked: list[tuple[int, int]]  # columns on the way there, and the weights that asked


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """What a test is worth at a node."""

    test: Any  # the native one, with the branch of missing values
    score: float  # by what tests are compared
    gain: float  # less the penalty
    holding: int  # branches that hold rows
    allowed: bool  # by what each branch must hold
    tallies: NDArray[np.int64]  # of the branches


class Ground:
    """Rows in parts, and the settings of a growth on the training rows."""

    def __init__(
        self,
        estimator: TreeEstimator,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        **how: Any,  # of `parted`
    ):
        X, y, sample_weight = given_to_fit(X, y, sample_weight)
        given = check_parameters(estimator)
        self.estimator, self.table = estimator, read_table(X)
        n = self.table.n_rows
        weight, keep = read_weights(sample_weight, n)
        if estimator._task == "regression":
            found, codes = real_numbers(y, keep), None
        else:
            found, codes = class_codes(y, keep)
        _require_as_many(self.table, keep, len(found) if codes is None else len(codes))
        parts = parted(self.table, codes, keep, **how)
        if "left_out" in parts.about:
            self.table = without(self.table, parts.about["left_out"])
        self.row_weight = None if weight is None else _placed(weight, keep, 1.0, n)  # as given
        known = _placed(found if codes is None else codes, keep, 0, n)
        policy = MISSING[setting(estimator.algorithm, "missing", estimator.missing)]
        train = parts.training
        own = None if self.row_weight is None else self.row_weight[train]
        learned = known[train] if codes is None else found[known[train]]
        target = estimator._encode(learned, own, policy.shared, 0)
        if target.keep is not None:  # classes of weight 0
            parts = replace(parts, training=train[target.keep])
        self.parts, self.classes, self.weights = parts, target.classes, target.weights
        self.n_classes: int = target.n_classes
        self.by_class: NDArray[np.int64] = target.by_class
        self._goal_digest = _digest(found if codes is None else known, found, keep, weight)
        self.truth: NDArray[Any] = known if codes is None else _truth(found, known, target.classes)
        self.schema = self._schema()
        name = type(estimator).__name__
        self.frame = Frame.read(self.table, self.schema, refuse_missing=policy.refused, owner=name)
        self.n_threads = threads(estimator.n_jobs, self.frame)
        self.frame.native.encode(self.n_threads)
        self.goal = self._all_rows(target)
        self.decision = decision_of(estimator, target.classes)
        self.growth: Growth = estimator._growth(given, self)  # type: ignore[arg-type]
        self.settings = self._settled(self.growth)
        self.unit = _core.sample_unit(self.frame.native, self.settings)
        self._routed: tuple[Any, NDArray[np.int32]] | None = None

    # What `Growth` and provenance ask of rows ---------------------------------------------------

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return len(self.parts.training)

    @property
    def samples(self) -> int:
        """How many samples they are."""
        return self.weights.samples  # type: ignore[no-any-return]

    @property
    def weight(self) -> float:
        """What they weigh."""
        return self.weights.total  # type: ignore[no-any-return]

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Where a model of these rows comes from."""
        wanted = self.estimator.fingerprint
        cells = self.n_rows * len(self.schema.columns)
        remembered = None
        if wanted is True or (wanted == "auto" and cells <= RECORD_CELLS):
            train = self.parts.training
            part = Frame.read(self.table.take(train), self.schema)
            remembered = Fingerprint.of(part, self.truth[train], self.n_threads)
        had = [
            name
            for j, name in enumerate(self.schema.names)
            if self.frame.native.has_missing(j)
            if self.frame.table.column(j).missing()[self.parts.training].any()
        ]
        return {**about_rows(self.estimator.algorithm, self, remembered), "missing": had}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what the rows hold, in their order."""
        keys = _core.row_keys(self.frame.native, 0, None, None, self.n_threads)
        sha = hashlib.sha256(np.ascontiguousarray(keys, "<u8").data)
        sha.update(self._goal_digest)
        return sha.hexdigest()

    # Reading ------------------------------------------------------------------------------------

    def _schema(self) -> Schema:
        """What the columns are, by the training rows; numbers need not be copied for it."""
        about = (self.estimator.categorical_features, self.estimator.domains)
        if about in ((None, None), ("from_dtype", None)):
            train = self.parts.training
            cells = (c if isinstance(c, Numbers) else c.take(train) for c in self.table.columns)
            part = replace(self.table, columns=tuple(cells))
        else:
            part = self.table.take(self.parts.training)
        return derived(Schema.infer(part, *about), self.estimator.derive)

    def _all_rows(self, target: Labels | Values) -> Any:
        """The target as the core sees it, with a place for every row of the frame."""
        n, train, w = self.table.n_rows, self.parts.training, target.weights
        weight, count = (
            None if a is None else _placed(a, train, 1, n) for a in (w.weight, w.count)
        )
        all_ = Weights(weight, count, w.scale, n, w.copies, w.by_class)
        if isinstance(target, Values):
            own = (target.center, int(log2(target.scale)), target.loss)
            recipe = Recipe(None, Scaling(scale=w.scale), *own)
            numbers = _placed(target.numbers, train, target.center, n)
            native = recipe.native(numbers, np.zeros(0, np.uint32), weight, count)
            of = (target.center, target.scale, self.truth, target.loss)
            return Values(native, None, n, all_, *of)
        codes = _placed(target.codes, train, 0, n)
        recipe = Recipe(target.classes, Scaling(scale=w.scale))
        native = recipe.native(np.zeros(0), codes, weight, count)
        return Labels(native, None, n, all_, target.classes, codes)

    def _settled(self, growth: Growth) -> dict[str, Any]:
        if growth.numeric_test == "pairs":
            raise ParameterError(
                "numeric_test='pairs' derives columns while a tree grows, and those of a draft are "
                "fixed when it is opened. Hint: fit a tree with it, and give what it found by "
                "derive={'x + y': 'x + y'}, with numeric_test='threshold'."
            )
        if growth.search == "optimal":
            raise ParameterError(
                "algorithm='optimal' finds a tree as a whole, and a draft grows node by node. "
                "Hint: use algorithm='cart' here, and draft.optimal(node) for the best subtree."
            )
        if not growth.alone:
            raise ParameterError(
                f"{'polish=True' if growth.polish else f'lookahead={growth.lookahead}'} looks at "
                f"more than one node, and a draft grows node by node. Hint: leave it out here, and "
                f"fit such a tree beside it."
            )
        settings = growth.for_core()
        if self.estimator.record == "auto":
            settings["record_samples"] = recorded_from(self.samples)
        return settings

    def settings_with(self, changed: dict[str, Any]) -> dict[str, Any]:
        """The settings of a growth in which some parameters of the estimator are others."""
        from sklearn.base import clone

        other = clone(self.estimator).set_params(**changed)
        require_tree(other)
        return self._settled(other._growth(check_parameters(other), self))

    # Rows of nodes ------------------------------------------------------------------------------

    def leaves(self, tree: Tree, rows: NDArray[np.uint32]) -> NDArray[np.int32]:
        """The leaf of some rows."""
        found: NDArray[np.int32] = _core.route(
            tree.native, self.frame.native, self.n_threads, rows=rows
        )
        return found

    def training_leaves(self, tree: Tree) -> NDArray[np.int32]:
        """The leaf of every training row; those of the last tree are kept."""
        if self._routed is None or self._routed[0] is not tree:
            self._routed = (tree, self.leaves(tree, self.parts.training))
        return self._routed[1]

    def spot(self, tree: Tree, path: Path, excluded: Sequence[str] = ()) -> Spot:
        """All that a growth from a node must know; `excluded`: columns that take no part there."""
        native, node, steps, asked = tree.native, 0, [], []
        units = self.unit / native.count_scale  # of a tally, those that growing counts in
        banned = np.isin(self.schema.names, list(excluded))
        bounds = (-np.inf, np.inf)
        for branch in path:
            column = int(native.tests.column[native.test[node]])
            banned[column] |= not self.growth.reuse
            asked.append((column, round(self._weight(tree, node) * units)))
            children = tree.children(node)
            if any(self.growth.monotonic) and len(children) == 2:
                bounds = self._bounds(tree, node, bounds)[branch]
            steps.append(node)
            node = children[branch]
        shares = None
        if self.unit > 1:
            held = self._walked(tree, steps)
            rows, shares = held.rows.numbers(node)
        elif not path:
            rows = self.parts.training
        else:
            inside = _core.fold(native, (np.arange(native.n_nodes) == node) + 0.0, "most", True) > 0
            rows = self.parts.training[inside[self.training_leaves(tree)]]
        rows = np.ascontiguousarray(rows)
        return Spot(node, path, rows, shares, banned, bounds, asked)

    def _walked(self, tree: Tree, steps: list[int]) -> Held:
        """Rows split along the way to a node."""
        held = Held(self.frame, self.goal, self.growth, rows=self.parts.training)
        for step in steps:
            held.split(tree, step)
        return held

    def _bounds(self, tree: Tree, node: int, bounds: tuple[float, float]) -> Any:
        """The monotone bounds of both branches of a node."""
        test, children = tree.test(node), tree.children(node)
        assert test is not None
        task = _core.Task(self.settings, self.goal.native, self.unit, self.whole)
        opened = _core.Node(task, self._slots(tree, node), 0, [], bounds)
        return opened.bounds(test.column, *(self._slots(tree, child) for child in children))

    def _slots(self, tree: Tree, node: int) -> NDArray[np.int64]:
        """A tally as the verbs have it, the samples behind it where they are counted apart."""
        native, apart = tree.native, self.goal.weights.count is not None
        count = [native.count[node]] if apart else []
        return np.concatenate((native.tally[node], count)).astype(np.int64)

    def _weight(self, tree: Tree, node: int) -> float:
        """The weight of a node as its tally counts it."""
        tally = tree.native.tally[node]
        return float(tally.sum() if self.n_classes else tally[0])

    @cached_property
    def whole(self) -> int:
        """The weight of all training rows, in fixed point."""
        weight = self.weights.weight
        return int(self.n_rows if weight is None else weight.sum()) * self.unit

    # Verbs --------------------------------------------------------------------------------------

    def grow(self, spot: Spot, *, pack: bool = False, **changed: Any) -> Any:
        """The native tree that grows from a node; settings may be changed."""
        return _core.grow(
            self.frame.native,
            self.goal.native,
            self.settings | changed,
            self.n_threads,
            rows=spot.rows,
            share=spot.shares,
            path=list(spot.path),
            weight=self.whole,
            bounds=spot.bounds,
            banned=spot.banned,
            unit=self.unit,
            asked=spot.asked,
            pack=pack,
        )

    def best_subtree(self, spot: Spot, depth: int, leaves: int) -> Found:
        """The best subtree of a node's rows up to a depth, and a number of leaves if it is not -1.

        Least errors are meant, or what they cost, whatever the draft's own criterion is.
        """
        growth = self.growth
        reason = {
            "numbers have no wrong rows to count": not self.n_classes,
            f"missing={growth.missing!r} sends missing values another way": not (
                growth.on_missing.learned or growth.on_missing.refused
            ),
            "it does not know monotonic_cst": any(growth.monotonic),
            "it may ask a column again, which reuse=False does not": not growth.reuse,
        }
        for why, holds in reason.items():
            if holds:
                raise ModelError(f"The best subtree is not searched for here: {why}.")
        asked = family(growth, depth, leaves)
        costs = self.decision.costs
        search = Search(self.frame, self.goal, asked, self.n_threads, self.parts.training, costs)
        banned = np.flatnonzero(spot.banned).tolist()
        found = search.best(rows=spot.rows, without=banned, work_limit=WORK)
        if found.end == "interrupted":
            raise KeyboardInterrupt
        return found

    def stump(self, spot: Spot, **changed: Any) -> Any:
        """The node with the test that the learner would give it, however deep it is."""
        return self.grow(spot, **changed, max_depth=len(spot.path) + 1, max_leaf_nodes=-1)

    def held(self, tree: Tree, spot: Spot) -> tuple[Held, int, Any]:
        """The rows of a node, its number among them, and the node opened."""
        if self.unit > 1:
            steps = tree.path(spot.node)[:-1]
            held, number = self._walked(tree, steps), spot.node
        else:
            held = Held(self.frame, self.goal, self.growth, rows=spot.rows, weight=self.whole)
            number = 0
        return held, number, held.node(number, spot.path, spot.bounds, spot.asked)

    def weigh(self, tree: Tree, spot: Spot, tests: Sequence[Any]) -> list[Weighed]:
        """What tests are worth at a node; where missing values go is found out if it is -1."""
        held, number, opened = self.held(tree, spot)
        weight, made = held.weight(number), []
        for test in tests:
            table = self._table(held, number, test)
            if test.missing < 0:
                test = self._sent(opened, table, test)
            figures, tallies, allowed = opened.weigh(table, test)
            gain = held.task.gain(figures.decrease, weight) - figures.penalty
            score = gain
            if self.growth.score != "gain":
                score = gain / figures.split_info if figures.split_info > 0 else float("nan")
            score = self._priced(tree, spot, test.column, score)
            holding = int(np.count_nonzero(tallies[:, : held.n_weights].any(axis=1)))
            made.append(Weighed(test, score, gain, holding, allowed, tallies))
        return made

    def _priced(self, tree: Tree, spot: Spot, column: int, score: float) -> float:
        """What a gain, or a gain ratio, is worth at a node, where prices weigh."""
        asking = self.growth.asking
        if asking is None or not asking.weighs:
            return score
        units = self.unit / tree.native.count_scale
        price = asking.price_at(column, spot.asked, self._weight(tree, spot.node) * units)
        if not self.n_classes and self.growth.score == "gain":  # in parts of the impurity
            score /= float(tree.native.impurity[spot.node]) or 1.0
        return asking.worth(score, price)

    def _sent(self, opened: Any, table: Any, test: Any) -> Any:
        """A test whose missing values go where it gains most.

        Where branches would hold too little then, they go where these hold enough, as the learner
        would send them.
        """
        figures, _, _ = opened.weigh(table, test)
        best = with_missing(test, figures.branches, figures.missing)
        if not self.growth.on_missing.learned or opened.weigh(table, best)[2]:
            return best
        ways = [with_missing(test, test.branches, b) for b in range(test.branches)]
        weighed = [(opened.weigh(table, way), way) for way in ways]
        allowed = [(told[0].decrease, -b) for b, (told, _) in enumerate(weighed) if told[2]]
        return ways[-max(allowed)[1]] if allowed else best

    def _table(self, held: Held, number: int, test: Any) -> Any:
        """The table of a test's column: of a coarse one, only bins that are cut are looked into.

        The penalty counts every value, so that all of them are wanted there.
        """
        cuts = None if self.growth.penalty else test.thresholds
        (table,) = held.tables(number, [test.column], cuts)
        return table

    def stand_ins(self, tree: Tree, spot: Spot, test: Any) -> list[Any]:
        """The tests that stand in for one whose value is missing, where the policy has such."""
        if not self.growth.on_missing.stand_ins or test.branches != 2:
            return []
        held, number, _ = self.held(tree, spot)
        tables = []
        for j in range(self.frame.native.n_columns):
            codes, cells, values, n = held.rows.branches_by(number, test, j)
            missing = np.zeros(2, np.int64)
            tables.append((codes, cells, missing, values if len(values) else None, n))
        tables[test.column] = None  # type: ignore[call-overload]
        return list(held.task.imitate(tables, test))

    def recounted(self, native: Any, node: int) -> Any:
        """The tree with a node and all below it counted again on the training rows."""
        changed = np.arange(native.n_nodes) == node
        return _core.recount(
            native,
            self.frame.native,
            self.goal.native,
            self.settings,
            changed,
            self.n_threads,
            rows=self.parts.training,
        )

    def census(self, tree: Tree) -> Census | None:
        """Training rows of every node, where tallies do not say it."""
        weights, n, train = self.weights, self.table.n_rows, self.parts.training
        if weights.plain:
            return None
        times = np.ones(len(train), np.int64) if weights.times is None else weights.times
        own = _placed(weights.weight, train, 0, n) if weights.own else None
        shared = self.growth.on_missing.shared
        counted = Counted(
            *_core.census(
                tree.native,
                self.frame.native,
                self.goal.codes if self.n_classes else np.zeros(n, np.uint32),
                max(1, self.n_classes),
                _placed(times, train, 0, n),
                own,
                shared,
                self.n_threads,
            )
        )
        return counted.census(tree, weights, shared)

    def learned(self, native: Any, node: int = 0) -> Any:
        """The test of a node of a native tree, as the verbs take it; None: it is a leaf."""
        at = int(native.test[node])
        return None if at < 0 else test_of(native.tests, at)


def with_missing(test: Any, branches: int, missing: int) -> Any:
    """A test with so many branches, of which one is that of missing values."""
    kind, column, _, _, flip, cuts, jumps = test.__getstate__()
    jumps = [max(missing, 0), *jumps[1:]] if jumps else []
    return native_test(kind, column, branches, missing, flip, cuts, jumps)


def native_test(*parts: Any) -> Any:
    """A native test from its parts."""
    made = _core.Test.__new__(_core.Test)
    made.__setstate__(parts)
    return made


def require_tree(estimator: Any) -> TreeEstimator:
    """Refuse what is no learner of one tree, or cannot be repeated."""
    if not isinstance(estimator, TreeEstimator):
        raise ParameterError(
            f"A draft is made with a learner of one tree, DecisionTreeClassifier or "
            f"DecisionTreeRegressor of bosco. Got {type(estimator).__name__}."
        )
    if estimator._is_random() and not isinstance(estimator.random_state, int | np.integer):
        raise ParameterError(
            f"A draft can be replayed, so random choices need a key: random_state must be a whole "
            f"number. Got {estimator.random_state!r}."
        )
    return estimator


def _placed(values: NDArray[Any], rows: NDArray[Any] | None, other: Any, n: int) -> NDArray[Any]:
    """Values of some rows (None: all) among those of all."""
    if rows is None:
        return values
    placed = np.full(n, other, values.dtype)
    placed[rows] = values
    return placed


def _truth(
    found: NDArray[Any], codes: NDArray[np.uint32], classes: NDArray[Any]
) -> NDArray[np.int32]:
    """The place of the class of each row among those of the training rows; -1: it has none."""
    place = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([place.get(label, -1) for label in found.tolist()], np.int32)[codes]


def _digest(
    known: NDArray[Any],
    found: NDArray[Any],
    keep: NDArray[np.bool_] | None,
    weight: Floats | None,
) -> bytes:
    """SHA-256 of a target and its weights; of classes, by their text."""
    sha = hashlib.sha256()
    real = known.dtype.kind == "f"
    if not real:
        sha.update(repr([show_label(label) for label in found.tolist()]).encode())
    for part, kind in ((known, "<f8" if real else "<u4"), (keep, "|b1"), (weight, "<f8")):
        sha.update(b"none" if part is None else np.ascontiguousarray(part, kind).data)
    return sha.digest()


def _require_as_many(table: Table, keep: NDArray[np.bool_] | None, n: int) -> None:
    kept = table.n_rows if keep is None else int(np.count_nonzero(keep))
    if n != kept:
        raise DataError(
            f"X has {table.n_rows} rows and y {n + table.n_rows - kept}; they must have equally "
            f"many."
        )
