"""The door: for every column the best tree that asks it first, and all that follows from them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.progress import track
from bosco.data.fingerprint import Seen
from bosco.data.readers import given_to_fit
from bosco.data.weights import read_weights
from bosco.errors import ParameterError
from bosco.estimators.about import about_rows
from bosco.estimators.ground import InMemory
from bosco.models.model import Model
from bosco.reasons.rooted import WORK
from bosco.render.card import say_test
from bosco.rivals import judging
from bosco.rivals.alternatives import Alternatives
from bosco.rivals.values import Alternative
from bosco.tree.certificate import family_of
from bosco.tree.decision import Decision
from bosco.tree.family import model_of, threads
from bosco.tree.searching import DEEPEST, PASSES, Counted, Found, Search, family
from bosco.tree.tree import Tree


def alternatives(
    model: Any,
    X: Any,
    y: Any,
    *,
    within: float = 0.01,
    elsewhere: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    max_depth: int | None = None,
    work_limit: int | None = WORK,
    n_jobs: int | None = None,
) -> Alternatives:
    """The other trees that are as good: with each column at the root, and how many in all.

    Parameters
    ----------
    model : Model or fitted estimator
        One tree of classes. If algorithm="optimal" found it, the trees are those it was chosen
        among; else all trees of two branches a test up to its depth and number of leaves.
    X, y : table and its target
        The rows that it was grown on: trees are searched for, and judged, on these. Figures of
        seen rows are no test.
    within : float, default=0.01
        A tree is as good if it costs at most this share of the rows more than the best one known.
        A cost is the number of wrong rows (their weight, where rows have weights), and the price
        of leaves, if they have one. Of a model with `costs` it is what mistakes cost: at most so
        much more for each row.
    elsewhere : (table, target), optional
        Other rows: what the good trees get wrong there.
    sample_weight : array-like, optional
        Weights of the rows, as they were given to `fit`.
    max_depth : int, optional
        Another depth than the tree's own; of deep trees the search is long.
    work_limit : int or None, default=100_000_000
        About how many entries of columns each search looks at, and each count: then it says what
        is known so far. The same on every machine. None: no limit.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores.

    Returns
    -------
    Alternatives
        ``print`` it. Ctrl-C ends it early, and keeps what is done.

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.golf()
    >>> model = bosco.DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    >>> found = bosco.alternatives(model, X, y, within=0.1)
    >>> found.trees, found.exact, found.good
    (32, True, ('outlook', 'humidity', 'temperature', 'windy'))
    """
    asked = model_of(model, "alternatives takes a model or a fitted estimator.")
    if not isinstance(asked, Model) or asked.classes is None:
        raise ParameterError(
            f"alternatives compares a tree of classes with others: not {asked!r:.60}. Hint: "
            "DecisionTreeClassifier(algorithm='optimal', max_depth=3)."
        )
    if not _is_share(within):
        raise ParameterError(f"within is a share of the rows, from 0 to below 1. Got {within!r}.")
    if max_depth is not None and not _is_whole(max_depth, 20):
        raise ParameterError(f"max_depth is a whole number from 1 to 20. Got {max_depth!r}.")
    if work_limit is not None and not _is_whole(work_limit, inf):
        raise ParameterError(f"work_limit is a whole number from 1, or None. Got {work_limit!r}.")
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    training = asked.subject().trained_on(X, y, sample_weight).training
    assert training is not None
    rows = InMemory(training.frame, training.target, threads(n_jobs, training.frame, PASSES))
    seen = asked.seen(X, y)
    _, keep = read_weights(sample_weight, seen.rows)
    numbers = np.arange(seen.rows) if keep is None else np.flatnonzero(keep)
    finding = _Finding(asked, rows, numbers, within, max_depth, work_limit)
    return finding.run(seen, elsewhere)


def _is_share(given: Any) -> bool:
    return isinstance(given, Real) and 0 <= float(given) < 1


def _is_whole(given: Any, most: float) -> bool:
    return isinstance(given, Integral) and 1 <= int(given) <= most


@dataclass(frozen=True, slots=True)
class _Rooted:
    """The best tree that asks a column first."""

    column: int
    found: Found
    model: Model | None

    @property
    def standing(self) -> bool:
        """Whether its questions change any answer."""
        if self.model is None:
            return False
        leaves = self.model.tree.native.test < 0
        return len(np.unique(self.model.node_class[leaves])) > 1


class _Finding:
    """The searches, one after the other; whatever is not done when Ctrl-C comes is not known."""

    def __init__(
        self,
        model: Model,
        rows: InMemory,
        numbers: NDArray[np.intp],
        within: float,
        depth: int | None,
        work: int | None,
    ):
        self.model, self.rows, self.numbers = model, rows, numbers
        self.within, self.work = within, work
        growth = family(model.growth, max(1, model.depth), max(2, model.n_leaves))
        if depth is not None:
            growth = replace(growth, max_depth=depth)
            if model.growth.search != "optimal":
                growth = replace(growth, max_leaf_nodes=-1)
        if growth.max_depth > DEEPEST:
            raise ParameterError(
                f"The trees to compare are up to {growth.max_depth} levels deep, and at most "
                f"{DEEPEST} are searched. Hint: max_depth=3 compares the trees of that depth."
            )
        self.growth = growth
        self.decision = Decision(model.decision.costs)
        self.search = Search(
            rows.frame, rows.target, growth, rows.n_threads, costs=self.decision.costs
        )
        self.interrupted = False

    def run(self, seen: Seen, other: tuple[Any, Any] | None) -> Alternatives:
        names = self.model.schema.names
        roots = [*self._looked(range(len(names)), "columns at the root", self._rooted)]
        best, low = self._best(roots)
        most = best + Fraction(repr(float(self.within))) * Fraction(self.rows.weight)
        good = [one for one in roots if one.standing and one.found.objective <= most]
        counts = dict(self._looked(roots, "trees", lambda one: self._counted(one, most)))
        total, exact = self._sum(counts, len(names), most)
        needed, never = self._needed(good, most, total if exact else None)
        said = {one.column: one for one in roots}
        own = judging.missed(self.model, self.rows.frame, self.rows.target)
        trees = {names[one.column]: one.model for one in good if one.model is not None}
        return Alternatives(
            family=family_of(replace(self.model, growth=self.growth)),
            own_family=self.model.growth.search == "optimal",
            within=self.within,
            rows=self.rows.n_rows,
            weight=self.rows.weight,
            weighted=self.rows.weighted,
            alpha=self.growth.alpha,
            seen=seen.whose,
            own=own.wrong,
            own_cost=own.cost,
            best=float(best),
            bound=float(low),
            columns=self._sorted(
                [self._said(j, said.get(j), counts.get(j), most, needed, never)
                 for j in range(len(names))]
            ),
            trees=total,
            exact=exact,
            agreement=judging.agreement(trees, self.rows.frame, self.numbers),
            elsewhere=None if other is None else judging.elsewhere(self.model, trees, *other),
            interrupted=self.interrupted,
            work_limit=self.work,
        )  # fmt: skip

    @staticmethod
    def _sorted(columns: list[Alternative]) -> tuple[Alternative, ...]:
        """By what they cost; those of which it is not known by what they cost at least."""
        return tuple(sorted(columns, key=lambda c: (c.objective, c.bound)))

    def _looked(self, items: Sequence[Any], what: str, do: Any) -> Iterator[Any]:
        """What is done with each, until Ctrl-C."""
        with self._ending():
            for item in track([] if self.interrupted else items, len(items), what):
                done = do(item)
                if done is not None:
                    yield done
                if self.interrupted:
                    return

    @contextmanager
    def _ending(self) -> Iterator[None]:
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def _rooted(self, column: int) -> _Rooted:
        found = self.search.best(root=column, work_limit=self.work)
        self.interrupted |= found.end == "interrupted"
        return _Rooted(column, found, self._grown(found))

    def _grown(self, found: Found) -> Model | None:
        """The tree as a model that can be asked."""
        if found.tree is None:
            return None
        tree = Tree(found.tree, len(self.model.schema.columns))
        about = {**about_rows("optimal", self.rows, None), "missing": self.rows.missing}
        return Model(
            tree=tree,
            schema=self.model.schema,
            classes=self.model.classes,
            growth=self.growth,
            provenance=about,
            counted=self.rows.census(tree, False),
            decision=self.decision,
        )

    def _best(self, roots: list[_Rooted]) -> tuple[Fraction, Fraction]:
        """What the best tree costs that is known, and what none costs less than."""
        leaf = self.search.leaf()
        costs = [leaf, *(one.found.objective for one in roots)]
        whole = len(roots) == len(self.model.schema.names)
        low = min([leaf, *(one.found.bound for one in roots)]) if whole else 0
        return Fraction(min(costs)), Fraction(low)

    def _counted(self, one: _Rooted, most: Fraction) -> tuple[int, Counted]:
        if one.found.bound > most:
            return one.column, Counted(0, True)
        counted = self.search.count(most, root=one.column, work_limit=self.work)
        self.interrupted |= counted.interrupted
        return one.column, counted

    def _sum(self, counts: dict[int, Counted], columns: int, most: Fraction) -> tuple[int, bool]:
        """Trees of all columns, and the one that asks nothing."""
        total = sum(one.trees for one in counts.values()) + (self.search.leaf() <= most)
        return total, len(counts) == columns and all(one.exact for one in counts.values())

    def _needed(
        self, good: list[_Rooted], most: Fraction, trees: int | None
    ) -> tuple[dict[int, bool], dict[int, bool]]:
        """Which columns every good tree asks, and which none; those of which it is known."""
        asked = [set(one.model.tree.columns_asked.tolist()) for one in good if one.model]
        if self.search.leaf() <= most:
            asked.append(set())
        every = range(len(self.model.schema.names))
        needed = {j: False for j in every if any(j not in columns for columns in asked)}
        never = {j: False for j in every if any(j in columns for columns in asked)}

        def look(j: int) -> bool:
            if j not in needed:
                found = self.search.best(without=[j], work_limit=self.work)
                self.interrupted |= found.end == "interrupted"
                if found.objective <= most or found.bound > most:
                    needed[j] = found.bound > most
                if found.objective <= most:
                    for k in set(every) - never.keys():
                        if k in Tree(found.tree, len(every)).columns_asked:
                            never[k] = False
            if j not in never and trees is not None:
                counted = self.search.count(most, without=[j], work_limit=self.work)
                self.interrupted |= counted.interrupted
                if counted.exact:
                    never[j] = counted.trees == trees
            return True

        open_ = [j for j in every if asked and (j not in needed or j not in never)]
        for _ in self._looked(open_, "columns left out", look):
            pass
        return needed, never

    def _said(
        self,
        j: int,
        one: _Rooted | None,
        counted: Counted | None,
        most: Fraction,
        needed: dict[int, bool],
        never: dict[int, bool],
    ) -> Alternative:
        """What is known of a column."""
        about: dict[str, Any] = {
            "column": self.model.schema.names[j],
            "needed": needed.get(j),
            "never": never.get(j),
            "trees": None if counted is None else counted.trees,
            "exact": counted is not None and counted.exact,
        }
        if one is None or one.model is None:
            bound = 0.0 if one is None else float(one.found.bound)
            good = False if bound > most else None
            return Alternative(**about, test="", wrong=inf, leaves=0, objective=inf, bound=bound,
                               good=good, standing=False, model=None)  # fmt: skip
        test = one.model.tree.test(0)
        assert test is not None
        found = one.found
        good = one.standing if found.objective <= most else (False if found.bound > most else None)
        return Alternative(
            **about,
            test=say_test(self.model.schema, test),
            wrong=found.wrong,
            leaves=found.leaves,
            objective=float(found.objective),
            bound=float(found.bound),
            good=good,
            standing=one.standing,
            model=one.model,
            cost=found.cost,
        )
