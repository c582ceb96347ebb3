"""The tree under judgement: what its nodes would get wrong as leaves."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.readers import read_table
from bosco.data.recipe import LOSSES, Loss
from bosco.data.schema import Schema
from bosco.data.target import Labels, encode_among, encode_values, real_numbers
from bosco.data.weights import Weights, read_weights
from bosco.errors import DataError, ModelError
from bosco.growth import Growth
from bosco.tree.census import Census
from bosco.tree.costs import toll
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Training:
    """The rows that a tree was grown on: a frame, and labels or values."""

    frame: Frame
    target: Any
    n_threads: int = 1


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Other rows, counted at every node: what each would get wrong as a leaf, and their weight.

    `unseen` is the weight of rows whose class the tree does not know: wrong at every node.
    """

    errors: Floats
    weight: float
    unseen: float = 0.0


@dataclass(frozen=True, eq=False)
class Subject:
    """A tree, what its columns and classes mean, and the rows it was grown on, where at hand.

    `weighted` says that its rows have weights which are no copies, `counted` how many they were;
    `votes` what its answers go by, where some leaves answer by order.
    """

    tree: Tree
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    training: Training | None = None
    weighted: bool = False
    counted: Census | None = None
    votes: Floats | None = None
    decision: Decision = HEAVIEST

    @property
    def values(self) -> Floats:
        """What answers go by: shares of the classes, or the mean, or what was ordered instead."""
        return np.asarray(self.native.value) if self.votes is None else self.votes

    @property
    def native(self) -> _core.Tree:
        """The tree as arrays."""
        return self.tree.native

    @property
    def inner(self) -> NDArray[np.bool_]:
        """Which nodes have a test."""
        inner: NDArray[np.bool_] = self.native.test >= 0
        return inner

    @cached_property
    def answer(self) -> NDArray[np.intp]:
        """The class that each node predicts."""
        return self.decision.answers(self.values)

    @cached_property
    def impurities(self) -> Floats:
        """Impurity of every node times its weight; of no rows 0, be the impurity infinite."""
        weight = self.tree.node_weight
        none = np.zeros(len(weight))
        with np.errstate(over="ignore"):
            return np.multiply(self.native.impurity, weight, out=none, where=weight > 0)

    @cached_property
    def errors(self) -> Floats:
        """Training error of every node as a leaf: weight or cost of wrong rows.

        Of a real target what the tree was grown to lower: squared error, or half the deviance.
        """
        if self.classes is None:
            if self.votes is None:
                return self.impurities
            if self.growth.medians:
                raise ModelError(
                    "What an answer by order costs, where leaves say medians, is known of single "
                    "rows only. Hint: ReducedError(validation=(X, y)) has rows."
                )
            with np.errstate(over="ignore"):  # as squares of large targets may, orders may
                off = self._apart(self.native.value[:, 0], self.votes[:, 0])
                weight = self.tree.node_weight
                more = np.multiply(off, weight, out=np.zeros(len(weight)), where=weight > 0)
                return np.asarray(self.impurities + more, np.float64)
        return np.asarray(self._wrong(self.native.tally) / self.native.weight_scale, np.float64)

    def _apart(self, mean: Floats, said: Floats) -> Floats:
        """What saying a number costs more than saying the mean, of one row."""
        if self.growth.criterion != "poisson":
            return np.asarray((said - mean) ** 2)
        allowed = said > 0
        more = _core.half_deviance(mean, np.where(allowed, said, 1.0))
        return np.where(allowed, more, np.inf)

    def _wrong(self, tally: NDArray[np.int64]) -> NDArray[Any]:
        """What the rows of every node get wrong, or cost, by the answer of that node."""
        if self.decision.costs is None:
            own = np.take_along_axis(tally, self.answer[:, None], axis=1)[:, 0]
            return np.asarray(tally.sum(axis=1) - own)
        return toll(tally, self.answer, self.decision.costs)

    @property
    def wrong(self) -> str:
        """What `errors` are, in words."""
        if self.classes is None:
            if self.growth.criterion == "absolute_error":
                words = (tr("weighted absolute error"), tr("absolute error"))
            elif self.growth.criterion == "quantile":
                words = (tr("weighted quantile loss"), tr("quantile loss"))
            elif self.growth.criterion == "poisson":
                words = (tr("half the weighted Poisson deviance"), tr("half the Poisson deviance"))
            else:
                words = (tr("weighted squared error"), tr("squared error"))
            return words[0] if self.weighted else words[1]
        if self.decision.costs is not None:
            return tr("weighted cost") if self.weighted else tr("cost")
        return tr("weight of wrong rows") if self.weighted else tr("wrong rows")

    @cached_property
    def samples(self) -> Floats:
        """Number of training samples of every node."""
        return np.asarray(self.native.count / self.native.count_scale, dtype=np.float64)

    def below(self, values: Floats, how: str = "sum") -> Floats:
        """The sum, the least or the most of the values of every subtree."""
        folded: Floats = _core.fold(self.native, np.ascontiguousarray(values, np.float64), how)
        return folded

    def of_leaves(self, values: Floats) -> Floats:
        """The sum of the values of the leaves below every node."""
        return self.below(np.where(self.inner, 0.0, values))

    def trained_on(self, X: Any, y: Any, sample_weight: Any = None) -> "Subject":
        """The same with the rows that the tree was grown on."""
        frame, target = self._read(
            X, y, sample_weight, LOSSES.get(self.growth.criterion, "squared")
        )
        if self.classes is not None and self.counted is not None:
            target = self._times_class(frame, target, self.counted.by_class[0])
        return replace(self, training=Training(frame, target))

    def _times_class(self, frame: Frame, target: Labels, rows: Floats) -> Labels:
        """The target with the class weights that the tree was grown with, of which it has the sums.

        They are left out where the rows, or their own weights, are others. Products of weights that
        were rounded one by one come again but for their last digits.
        """
        w, n = target.weights, target.n_classes
        ones = np.ones(len(target.codes), np.int64)
        own = ones if w.weight is None else w.weight
        totals, counts = np.zeros(n, np.int64), np.bincount(target.codes, minlength=n)
        np.add.at(totals, target.codes, own)
        whole = w.weight is not None and w.count is None
        copies = whole and not np.array_equal(counts, rows) and np.array_equal(totals, rows)
        sums, rest = np.divmod(self.native.tally[0], int(self.native.count_scale))
        factor, more = np.divmod(sums, np.maximum(totals, 1))
        same = copies or np.array_equal(counts, rows)
        if not same or np.array_equal(sums, totals):
            return target
        scale = self.native.weight_scale / self.native.count_scale
        count = own if whole else ones
        rounded = rest.any() or more.any()
        if rounded:
            times = sums / np.maximum(totals, 1)
            weight = np.maximum(np.rint(own * times[target.codes]), 1).astype(np.int64)
        else:
            weight = own * factor[target.codes]
        weights = Weights(weight, count, scale, len(own), copies, by_class=True)
        native = _core.Target.classes(target.codes, n, weight, count, scale)
        made = replace(target, native=native, weights=weights)
        if rounded and not np.allclose(self._recounted(frame, made), self.native.tally, rtol=1e-9):
            return target
        return made

    def held_out(self, X: Any, y: Any, sample_weight: Any = None) -> HeldOut:
        """Count other rows at every node."""
        frame, target = self._read(X, y, sample_weight)
        if self.classes is not None:
            tally = self._recounted(frame, target)
            wrong = self._wrong(tally)
            return HeldOut(wrong * (target.weight / int(tally[0].sum())), target.weight)
        if self.growth.medians:
            return HeldOut(self._off(frame, target, sample_weight), target.weight)
        # Losses about the root's mean, so that nothing cancels: they are a target like any other.
        middle, numbers = float(self.native.value[0, 0]), real_numbers(y)
        poisson = self.growth.criterion == "poisson"
        if poisson and (numbers < 0).any():
            raise DataError(
                f"A tree of criterion='poisson' has no deviance from a negative number. Got "
                f"y = {float(numbers.min())!r} among the rows to judge by."
            )
        lost = (numbers - middle) ** 2
        if poisson:
            lost = _core.half_deviance(numbers, np.full(len(numbers), middle))
        about: Any = encode_values(lost, sample_weight, self.growth.on_missing.shared)
        weight, sums = self._moments(frame, target)
        _, errors = self._moments(frame, about)
        said = self.values[:, 0]
        if poisson:
            ratio = np.where(said > 0, said / middle, 1.0)
            # y ln(middle / said), and what the deviance adds so that it is least where they agree
            log = _core.half_deviance(np.ones(len(ratio)), ratio) + 1 - ratio
            errors = errors + sums * log + weight * middle * (ratio - 1)
            errors = np.where(said > 0, errors, np.inf)
        else:
            off = said - middle
            errors = errors - 2 * off * (sums - middle * weight) + off**2 * weight
        return HeldOut(np.maximum(errors, 0.0), target.weight)

    def _off(self, frame: Frame, target: Any, sample_weight: Any) -> Floats:
        """By how much other rows are off what every node says: absolutely, or as quantiles count.

        Nodes of one depth are asked together: each row counts at the one that it passes there.
        """
        share = 0.5 if self.growth.criterion == "absolute_error" else self.growth.quantile
        unit = 2.0 if self.growth.criterion == "absolute_error" else 1.0
        weight, _ = read_weights(sample_weight, target.n_rows)
        node = self.tree.leaves_of(frame.native, 1)
        depth, parent = self.tree.depth, self.native.parent
        errors = np.zeros(self.tree.node_count)
        for level in range(int(depth.max()), -1, -1):
            node = np.where(depth[node] > level, parent[node], node)
            off = target.numbers - self.values[node, 0]
            lost = unit * np.where(off > 0, share * off, (share - 1) * off)
            about: Any = encode_values(lost, weight, False)
            here = depth == level
            errors[here] = self._moments(frame, about)[1][here]
        return errors

    def fingerprint(self, X: Any, y: Any, sample_weight: Any = None) -> Fingerprint:
        """What is remembered of rows that decided what was cut."""
        frame, target = self._read(X, y, sample_weight)
        return Fingerprint.of(frame, target.numbers if self.classes is None else target.codes)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, loss: Loss = "squared"
    ) -> tuple[Frame, Any]:
        """Rows with a weight and their target, checked against the columns and classes known."""
        shared = self.growth.on_missing.shared
        target: Any
        if self.classes is not None:
            target = encode_among(y, self.classes, sample_weight, shared)
        else:
            target = encode_values(y, sample_weight, shared, loss=loss)
        kept = target.rows_of(read_table(X))
        return Frame.read(kept, self.schema, refuse_missing=self.growth.on_missing.refused), target

    def _recounted(self, frame: Frame, target: Any) -> NDArray[np.int64]:
        """Tally of every node by other rows."""
        shared = self.growth.on_missing.shared
        return _core.tallies(self.native, frame.native, target.native, shared)[0]

    def _moments(self, frame: Frame, target: Any) -> tuple[Floats, Floats]:
        """Weight and weighted sum of a real target at every node."""
        tally = self._recounted(frame, target)
        scale = target.weight / int(tally[0, 0])
        weight = tally[:, 0] * scale
        return weight, tally[:, 1] * scale / target.scale + target.center * weight
