"""Whatever verbs are applied to a draft, in any order: its numbers are those of its rows, undo and
replay give the same bytes, a locked node stays, a refusal changes nothing.
"""

import pickle
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import bosco
from bosco import _core
from bosco.data.frame import Frame
from bosco.drafts.log import read_log, write_log
from bosco.drafts.state import node_at
from bosco.errors import BoscoError
from bosco.tree.edits import Edits
from tests.strategies import examples

LEARNERS: dict[str, Any] = {
    "cart": lambda: bosco.DecisionTreeClassifier(),
    "id3": lambda: bosco.DecisionTreeClassifier(algorithm="id3"),
    "c45": lambda: bosco.DecisionTreeClassifier(
        algorithm="c45", class_weight={"u": 2, "v": 1, "w": 3}
    ),
    "branch": lambda: bosco.DecisionTreeClassifier(missing="branch", numeric_test="intervals"),
    "surrogate": lambda: bosco.DecisionTreeClassifier(missing="surrogate", order="breadth"),
    "majority": lambda: bosco.DecisionTreeClassifier(missing="majority", order="best"),
    "limited": lambda: bosco.DecisionTreeClassifier(max_leaf_nodes=4, criterion="entropy"),
    "drawn": lambda: bosco.DecisionTreeClassifier(max_features=2, random_state=3, record=False),
    "numbers": lambda: bosco.DecisionTreeRegressor(),
    "shared": lambda: bosco.DecisionTreeRegressor(missing="fractional", min_samples_leaf=2),
    "rising": lambda: bosco.DecisionTreeRegressor(monotonic_cst={"a": 1}, record=False),
}


def table(seed: int, n: int, holes: bool) -> tuple[dict[str, Any], Any]:
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 6, n).astype(float), np.round(random.normal(size=n), 1)
    level = random.choice(list("pqrs"), n).astype(object)
    y = a + b**2 + 2 * (level == "q") + random.normal(size=n)
    if holes:
        a[random.random(n) < 0.15] = np.nan
        level[random.random(n) < 0.15] = None
    return {"a": a, "b": b, "level": level, "flag": random.random(n) < 0.5}, y


def clock() -> datetime:
    return datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


class Drafting(RuleBasedStateMachine):
    """Any verbs, in any order."""

    learner: str

    @initialize(
        learner=st.sampled_from(sorted(LEARNERS)),
        seed=st.integers(0, 50),
        n=st.integers(24, 60),
        holes=st.booleans(),
        weights=st.sampled_from(["none", "whole", "any"]),
    )
    def open(self, learner: str, seed: int, n: int, holes: bool, weights: str) -> None:
        X, y = table(seed, n, holes)
        estimator = LEARNERS[learner]()
        if estimator._task == "classification":
            y = np.array(list("uvw"))[np.digitize(y, [2.0, 4.0])]
        random = np.random.default_rng(seed)
        weight = {
            "none": None,
            "whole": random.integers(0, 4, n),
            "any": random.random(n),
        }[weights]
        self.given = (X, y, weight)
        how = {"reasons": bool(seed % 2), "who": "Ada", "clock": clock, "seed": seed}
        self.draft = bosco.draft(estimator, *self.given, **how)
        self.estimator = estimator

    # Verbs --------------------------------------------------------------------------------------

    def node(self, pick: int) -> int:
        return pick % self.draft.state.tree.node_count

    def bytes(self) -> str:
        model = self.draft.model
        return repr(model.tree.digest()) + repr(replace(model.edits, log=()))

    def locked(self) -> dict[Any, Any]:
        """What locked nodes are: the tests that lead there, their own, what they hold and say."""
        state, found = self.draft.state, {}
        native = state.tree.native
        for path in state.locked:
            node = node_at(state.tree, path)
            way = [str(state.tree.test(above)) for above in state.tree.path(node)]
            held = native.tally[node].tolist(), native.value[node].tolist()
            found[path] = (way, held, state.orders.get(path))
        return found

    def tried(self, verb: Any, unlocks: bool = False) -> None:
        """Do it; a refusal changes nothing; undo restores the same bytes, redo the others."""
        before, log, locked = self.bytes(), self.draft.log, self.locked()
        try:
            change = verb()
        except BoscoError:
            assert (self.bytes(), self.draft.log) == (before, log)
            return
        assert str(change)
        after, now = self.bytes(), self.locked()
        assert unlocks or all(now[path] == was for path, was in locked.items())
        self.draft.undo()
        assert self.bytes() == before
        self.draft.redo()
        assert self.bytes() == after

    @rule(pick=st.integers(0, 99))
    def best(self, pick: int) -> None:
        self.tried(lambda: self.draft.best(self.node(pick)))

    @rule(
        pick=st.integers(0, 99),
        test=st.sampled_from(
            ["a <= 2", "b > 0", "b cut at -0.5, 0.5", "level", "level in {p, s}", "flag = true",
             "level in {p} | {q}", "a <= 99", "colour = red", 1, 2, 3]
        ),
        reason=st.sampled_from(["", "because"]),
    )  # fmt: skip
    def split(self, pick: int, test: Any, reason: str) -> None:
        self.tried(lambda: self.draft.split(self.node(pick), test, reason=reason))

    @rule(pick=st.integers(0, 99), cut=st.sampled_from([-0.55, 0.0, 1.0, 2.5, 4.0]))
    def move(self, pick: int, cut: float) -> None:
        self.tried(lambda: self.draft.move(self.node(pick), cut, reason="rounder"))

    @rule(pick=st.integers(0, 99))
    def prune(self, pick: int) -> None:
        self.tried(lambda: self.draft.prune(self.node(pick)))

    @rule(pick=st.integers(0, 99), depth=st.sampled_from([None, 1, 2]))
    def grow(self, pick: int, depth: int | None) -> None:
        self.tried(lambda: self.draft.grow(self.node(pick), depth))

    @rule(pick=st.integers(0, 99), without=st.sampled_from([(), "a", ("b", "level")]))
    def regrow(self, pick: int, without: Any) -> None:
        settings = {"max_depth": 3} if without else {}
        self.tried(lambda: self.draft.regrow(self.node(pick), without=without, settings=settings))

    @rule(pick=st.integers(0, 99), other=st.integers(1, 3))
    def merge(self, pick: int, other: int) -> None:
        node = self.node(pick)
        self.tried(lambda: self.draft.merge(node, self.node(node + other), reason="alike"))

    @rule(pick=st.integers(0, 99), answer=st.sampled_from(["u", "w", 2.5, None]))
    def answer(self, pick: int, answer: Any) -> None:
        self.tried(lambda: self.draft.answer(self.node(pick), answer, reason="by law"))

    @rule(pick=st.integers(0, 99))
    def lock(self, pick: int) -> None:
        self.tried(lambda: self.draft.lock(self.node(pick)))

    @precondition(lambda self: self.draft.state.locked)
    @rule()
    def unlock(self) -> None:
        path = min(self.draft.state.locked)
        self.tried(lambda: self.draft.unlock(node_at(self.draft.state.tree, path)), unlocks=True)

    @rule(pick=st.integers(0, 99), column=st.sampled_from(["a", "level", "size"]))
    def exclude(self, pick: int, column: str) -> None:
        self.tried(lambda: self.draft.exclude(column, self.node(pick)))

    @rule(pick=st.integers(0, 99), text=st.sampled_from(["", "see file 12"]))
    def note(self, pick: int, text: str) -> None:
        self.tried(lambda: self.draft.note(self.node(pick), text))

    @rule()
    def back(self) -> None:
        if self.draft.can_undo:
            self.draft.undo()

    # What is true -------------------------------------------------------------------------------

    @invariant()
    def every_tally_is_recounted(self) -> None:
        """Against the rows of the training part alone, in a frame of their own."""
        if not hasattr(self, "draft"):
            return
        ground, tree = self.draft._ground, self.draft.state.tree
        X, y, weight = self.given
        rows = self.draft.rows("training")
        frame = Frame.read({name: np.asarray(x)[rows] for name, x in X.items()}, ground.schema)
        frame.native.encode(1)
        target = self.estimator._encode(
            np.asarray(y)[rows],
            None if weight is None else np.asarray(weight)[rows],
            ground.growth.on_missing.shared,
            0,
        )
        state = dict(tree.native.state())
        for name in ("tally", "count", "value", "impurity", "gain"):
            state[name] = np.zeros_like(state[name])
        forgotten = _core.tree_from_state(state)
        again = _core.recount(forgotten, frame.native, target.native, ground.settings).state()
        own = tree.native.state()
        for name in ("tally", "count", "known", "value", "impurity", "gain"):
            assert np.array_equal(own[name], again[name]), name

    @invariant()
    def figures_are_those_of_the_rows(self) -> None:
        if not hasattr(self, "draft"):
            return
        X, y, weight = self.given
        model = self.draft.model
        for part in ("training", "validation"):
            rows = self.draft.rows(part)
            some = {name: np.asarray(x)[rows] for name, x in X.items()}
            said, truth = model.predict(some), np.asarray(y)[rows]
            w = None if weight is None else np.asarray(weight, float)[rows]
            off = np.abs(said - truth) if model.classes is None else said != truth
            figure = getattr(self.draft.figures, part)
            assert figure.value == pytest.approx(float(np.average(off, weights=w)), abs=1e-12)
            assert figure.rows == (len(rows) if w is None else np.count_nonzero(w))

    @invariant()
    def the_model_can_be_kept(self) -> None:
        if hasattr(self, "draft"):
            model = self.draft.model
            assert pickle.loads(pickle.dumps(model)).tree == model.tree

    def teardown(self) -> None:
        if not hasattr(self, "draft"):
            return
        self.draft.final()
        log = self.draft.log
        again = bosco.replay(read_log(write_log(log)), *self.given)
        assert again.same, again
        assert again.draft.model.edits == self.draft.model.edits
        assert again.draft.model.tree == self.draft.model.tree
        assert isinstance(self.draft.model.edits, Edits)


def test_drafts() -> None:
    run_state_machine_as_test(
        Drafting,
        settings=settings(
            examples(60),
            stateful_step_count=15,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("learner", sorted(LEARNERS))
def test_growing_from_the_root_is_the_learners_own_tree(learner: str) -> None:
    """Where nothing is pruned: what `fit` makes of the training rows, node by node."""
    X, y = table(5, 90, holes=True)
    estimator = LEARNERS[learner]()
    if estimator._task == "classification":
        y = np.array(list("uvw"))[np.digitize(y, [2.0, 4.0])]
    estimator.set_params(pruning="none", record=False)
    draft = bosco.draft(estimator, X, y)
    draft.grow()
    assert draft.automatic.tree == draft.model.tree
    assert draft.compare().difference.equal
