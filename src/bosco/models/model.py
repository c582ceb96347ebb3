"""What was learned: a tree, what its columns mean, and how it came about.

What every kind of model does is in `tree.family` and `exported`; pruning and drawing a tree are in
`pruning.prunable` and `export.drawing`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.visible import can_draw
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.export import graphs, pmml
from bosco.export.drawing import Drawable
from bosco.export.program import Program, program_of
from bosco.figures.calibrating import calibrated
from bosco.figures.leaves import training_leaves
from bosco.figures.recount import recount as recount_leaves
from bosco.growth import Growth
from bosco.models.exported import Exported
from bosco.pruning.log import PruningLog
from bosco.pruning.prunable import Prunable
from bosco.reasons import cutting
from bosco.reasons.contributions import Contributions, contributions
from bosco.reasons.curve import why as why_node
from bosco.reasons.explain import explain as explain_case
from bosco.reasons.recorded import trace as trace_making
from bosco.render import text
from bosco.rules.ruleset import RuleSet
from bosco.store.check import restored
from bosco.store.decisions import write_decision
from bosco.store.edits import write_edits
from bosco.store.header import Parts, write_log
from bosco.tree.census import Census, known_census
from bosco.tree.certificate import Certificate
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.edits import Edits
from bosco.tree.family import Kind, few_floats, rows_of, threads
from bosco.tree.polished import Polished
from bosco.tree.prices import Prices, price, price_frame
from bosco.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Model(Prunable, Drawable, Exported):
    """A tree that can be read, asked and applied to raw rows.

    Fitted estimators hold one as ``model_``. It is immutable.

    Parameters
    ----------
    tree : Tree
        The tree as arrays.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray or None
        The class labels in order; None for a real target.
    growth : Growth
        The settings that grew the tree.
    provenance : mapping
        Where it comes from: algorithm, version, size of the training data.
    log : PruningLog
        What was pruned, and why.
    counted : Census or None
        The training rows of every node, where the tallies of the tree are of other weights.
    edits : Edits
        What people put in by hand: tests, answers by order, notes, locks, and the log of it.
    decision : Decision
        How shares become an answer: the heaviest class, the least cost, or a cut-off.

    Notes
    -----
    A leaf that answers by order predicts what was ordered. Its shares stay those of its rows, for
    they are counts: there `predict` is not the largest share of `predict_proba`. Where a missing
    value goes down several branches, each leaf has its part of the decision: one that answers by
    order gives all of it to the class ordered, the others by the shares of their rows. Of a real
    target, the number ordered is the prediction.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> print(model)
    id3 (entropy) · 14 rows, 4 columns, 2 classes · 5 leaves, depth 2
    <BLANKLINE>
    [0] · 14 rows: Yes 9, No 5
    ├─ [1] Outlook = Overcast → Yes · 4 rows
    ├─ [2] Outlook = Rain * · 5 rows: Yes 3, No 2
    │  ├─ [4] Wind = Strong → No · 2 rows
    │  └─ [5] Wind = Weak * → Yes · 3 rows
    └─ [3] Outlook = Sunny · 5 rows: No 3, Yes 2
       ├─ [6] Humidity = High * → No · 3 rows
       └─ [7] Humidity = Normal → Yes · 2 rows
    <BLANKLINE>
    * A missing value would go here; training had none in Outlook, Humidity, Wind.
    A level the tree does not know is read as missing.
    >>> day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    >>> model.predict(day)
    'Yes'
    """

    tree: Tree
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: Mapping[str, Any] = field(default_factory=dict)
    log: PruningLog = field(default_factory=PruningLog)
    counted: Census | None = None
    edits: Edits = field(default_factory=Edits)
    decision: Decision = HEAVIEST

    kind: ClassVar[Kind] = "tree"
    instead: ClassVar[str] = "model.explain(row) tells what one tree says of a case, and why."

    # Functions of other rooms, which say what they take.
    to_text = text.to_text
    why = why_node
    trace = trace_making
    trace_pruning = cutting.trace_pruning
    explain = explain_case
    leaves = training_leaves
    calibrated = calibrated
    recount = recount_leaves
    price = price
    price_frame = price_frame
    to_dot = graphs.to_dot
    to_mermaid = graphs.to_mermaid
    to_pmml = pmml.to_pmml

    def __reduce__(self) -> tuple[Any, ...]:
        schema, growth = self.schema.to_dict(), self.growth.to_dict()
        content = (self.tree, schema, self.classes, growth, dict(self.provenance))
        rows = (None, None) if self.counted is None else (self.counted.rows, self.counted.effective)
        edits = write_edits(self.edits, classes=self.classes is not None) if self.edits else None
        decided = write_decision(self.decision) if self.decision else None
        last = [edits, decided] if decided else [edits] if edits else []
        return _restore, (*content, write_log(self.log), *rows, *last)

    def __str__(self) -> str:
        return self.to_text(ascii=not can_draw())

    def __repr__(self) -> str:
        return f"<Model: {self.task} tree, {self.n_leaves} leaves, depth {self.depth}>"

    @property
    def headline(self) -> str:
        """How it was grown, on what, and how large it is, in a line."""
        return text.headline(self)

    @property
    def certificate(self) -> Certificate | None:
        """What is known of the tree among all of its size; None unless a search found it."""
        return Certificate.of(self)

    @property
    def polished(self) -> Polished | None:
        """What polishing brought; None unless the tree was polished."""
        return Polished.of(self)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Length of the longest path from the root."""
        return self.tree.max_depth

    @property
    def worth(self) -> NDArray[np.float64]:
        """Each column's share of the decrease of impurity."""
        return self.tree.compute_feature_importances()

    @property
    def root_value(self) -> NDArray[np.float64]:
        """Shares of the classes, or the mean, of all training rows."""
        return np.asarray(self.tree.native.value[0])

    @cached_property
    def census(self) -> Census | None:
        """The training rows of every node, by class; None where only their weight is known."""
        if self.counted is not None:
            return self.counted
        noun = "drawn row" if self.provenance.get("drawn") else "row"
        return known_census(self.tree, self.provenance.get("rows"), noun)

    @cached_property
    def amounts(self) -> NDArray[np.float64]:
        """Training rows of every node by class; their weight where rows are not known."""
        if self.census is not None:
            return self.census.by_class
        native = self.tree.native
        tally = native.tally if native.n_classes else native.tally[:, :1]
        return np.asarray(tally / native.weight_scale, np.float64)

    @cached_property
    def prices(self) -> Prices | None:
        """What cases pay for answers on their way; None where nothing has a price."""
        asking = self.growth.asking
        return None if asking is None else Prices(self.tree, asking)

    @property
    def mean_price(self) -> float | None:
        """What a training row pays for answers, on average; None where nothing has a price.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import golf
        >>> tree = DecisionTreeClassifier(ask_costs={"outlook": 1, "humidity": 7}).fit(*golf())
        >>> tree.model_.mean_price
        1.0
        """
        return None if self.prices is None else self.prices.mean(self.amounts.sum(axis=1))

    @cached_property
    def decided(self) -> NDArray[np.float64]:
        """What predictions go by: what the rows of each node say, or what was ordered instead.

        Shares of the classes, all for one class where a leaf answers by order; or the mean, or the
        number ordered.
        """
        said = self.shares if self.decision.calibration else self.tree.leaf_value
        if not self.edits.orders:
            return said
        return self.edits.decided(said, classes=self.classes is not None)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Shares of the classes at every node: of its rows, or as they are calibrated."""
        native = self.tree.native
        own, how = np.asarray(native.value), self.decision.calibration
        if how is None:
            return own
        made = how.of(own, self.tree.node_weight)
        empty = self.tree.node_weight == 0
        for node in np.flatnonzero(empty).tolist():  # they say what the node above them says
            made[node] = made[native.parent[node]]
        made.flags.writeable = False
        return made

    @property
    def node_value(self) -> NDArray[np.float64]:
        """What is said of each node: its shares; of numbers, what it predicts."""
        if self.classes is None:
            return self.decided
        return self.shares if self.decision.calibration else self.tree.leaf_value

    @cached_property
    def node_class(self) -> NDArray[np.intp]:
        """Index of the class that each node predicts: the one decided for, or the one ordered."""
        own = self.decision.answers(self.shares)
        if self.classes is not None:
            for node, order in self.edits.orders.items():
                own[node] = order.answer
        return own

    @cached_property
    def turned(self) -> NDArray[np.bool_]:
        """Which nodes predict another class than the heaviest of their rows, and by no order."""
        turned = self.decision.turned(self.shares, self.tree.native.value)
        turned[list(self.edits.orders)] = False
        return turned

    @cached_property
    def ties(self) -> NDArray[np.bool_]:
        """Of classes: at which nodes two come to the same, so that their order decides."""
        native = self.tree.native
        ties = self.decision.tied(self.shares if self.decision else native.tally)
        ties[list(self.edits.orders)] = False
        return ties

    @cached_property
    def _answer(self) -> NDArray[Any]:
        """What each leaf predicts, ready to be looked up by node."""
        return np.ascontiguousarray(self._answers(self.decided))

    def text_within(self, **limits: Any) -> str:
        """The text of `to_text`, whose limits they are."""
        return self.to_text(**limits)

    def rules(self, *, missing: bool = True) -> RuleSet:
        """What the model decides, as if-then rules.

        Parameters
        ----------
        missing : bool, default=True
            Also say where missing values go. If not, the rules are for rows without any, and
            refuse others.

        Returns
        -------
        RuleSet
            One rule per leaf (more where missing values go several ways): print it, simplify it,
            compare it, apply it.
        """
        return RuleSet.of(self, missing=missing)

    def program(self) -> Program:
        """The tree as plain nodes, for exports."""
        one = (self.tree, self.node_value, 1.0)
        orders = self.edits.orders
        turned = np.flatnonzero(self.turned & (self.tree.native.test < 0)).tolist()
        answers = self.node_class.tolist()
        return program_of(self, [one], answers=answers, orders=orders, turned=turned)

    def parts(self) -> Parts:
        """What a file keeps."""
        about = (self.schema, self.classes, self.growth, dict(self.provenance))
        return Parts(self.tree, *about, self.log, self.counted, self.edits, self.decision)

    def _columns(self) -> Iterable[int]:
        return self.tree.columns_asked

    def apply(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Number of the leaf that each raw row reaches.

        Where missing values go down all branches, the leaf at the end of the heaviest ones.
        """
        rows, single = rows_of(X)
        leaves = self.apply_frame(self.read(rows), n_jobs)
        return int(leaves[0]) if single else leaves

    def contributions(self, X: Any, *, n_jobs: int | None = None) -> Contributions:
        """What each column added to the prediction of each raw row (TreeSHAP).

        Parameters
        ----------
        X : table
            Anything `fit` would take.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        Contributions
            They add up to the prediction.
        """
        frame = self.read(X)
        return contributions(self, frame, threads(n_jobs, frame))

    @cached_property
    def _plain(self) -> bool:
        """Whether all columns are numbers and all tests binary cuts with one place for a row."""
        policy = self.growth.on_missing
        columns = self.schema.columns
        numbers = all(c.kind == "numeric" and c.formula is None for c in columns)
        return policy.one_way and not policy.refused and numbers and self.tree.is_plain

    def predict_few(self, X: Any) -> NDArray[Any] | None:
        """Predict a few rows of plain floats, without the way through a frame; else None.

        One case at a time is how models are asked in service: there, reading a table costs more
        than the answer.
        """
        if not (few_floats(X, self.tree.n_features) and self._plain):
            return None
        return self._answer.take(self.tree.leaves_of_few(X), axis=0)

    def predict_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict rows that are read already."""
        if not self.growth.on_missing.shared:
            return self._answer.take(self.apply_frame(frame, n_jobs), axis=0)
        return self._answers(self._by_share(frame, self.decided, n_jobs))

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Class shares, or the mean, of rows that are read already."""
        if not self.growth.on_missing.shared:
            return self.node_value.take(self.apply_frame(frame, n_jobs), axis=0)
        return self._by_share(frame, self.node_value, n_jobs)

    def _by_share(
        self, frame: Frame, values: NDArray[np.float64], n_jobs: int | None
    ) -> NDArray[np.float64]:
        """What the leaves that each row reaches say together."""
        n_threads = threads(n_jobs, frame)
        said: NDArray[np.float64]
        said = _core.values_by_share(self.tree.native, frame.native, values, n_threads)
        return said

    def apply_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Leaves of rows that are read already."""
        return self.tree.leaves_of(frame.native, threads(n_jobs, frame))


def _restore(*content: Any) -> Model:
    """A model from a pickle, checked as one from a file."""
    return Model(*restored(*content))
