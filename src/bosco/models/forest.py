"""What many trees learned together: one compact value, asked and applied like a `Model`."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.export.program import Program, program_of
from bosco.growth import Growth
from bosco.models.exported import Exported
from bosco.models.model import Model
from bosco.reasons.account import Account, of_columns
from bosco.reasons.contributions import Contributions, refused_as_model, shaped
from bosco.reasons.given import by_name, derived_values, frame_of
from bosco.reasons.votes import Vote, Votes
from bosco.render.card import statistic
from bosco.render.worth import show_importances
from bosco.store.decisions import write_decision
from bosco.store.forests import ForestParts, restored_forest
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.family import Kind, few_floats, rows_of, threads
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class ForestModel(Exported):
    """Many trees that vote.

    Fitted forests hold one as ``model_``. It is immutable.

    Parameters
    ----------
    native : bosco._core.Forest
        The trees, sixteen bytes a node.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray or None
        The class labels in order; None for a real target.
    growth : Growth
        The settings that grew the trees; their random choices are keyed by its seed and the number
        of the tree.
    tree_weights : ndarray
        What each tree's vote counts; they sum to 1.
    vote : {"mean", "mode"}
        A tree gives the class shares of the leaf, or its whole vote to the heaviest class.
    provenance : mapping
        Where it comes from: algorithm, size of the training data.
    decision : Decision
        How the votes become an answer: the heaviest class, the least cost, or a cut-off.

    Examples
    --------
    >>> from bosco import RandomForestClassifier
    >>> from bosco.datasets import play_tennis
    >>> X, y = play_tennis()
    >>> model = RandomForestClassifier(n_estimators=25, random_state=0).fit(X, y).model_
    >>> model
    <ForestModel: 2-class forest, 25 trees, 120 leaves>
    >>> day = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    >>> model.predict(day)
    'Yes'
    """

    native: _core.Forest
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    tree_weights: NDArray[np.float64]
    vote: str = "mean"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    decision: Decision = HEAVIEST

    kind: ClassVar[Kind] = "forest"
    instead: ClassVar[str] = "model.tree(0) is its first tree, as a model of its own."

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = np.array(self.tree_weights, np.float64)
        weights.flags.writeable = False
        object.__setattr__(self, "tree_weights", weights)

    def __reduce__(self) -> tuple[Any, ...]:
        meaning = (self.schema.to_dict(), self.classes, self.growth.to_dict())
        rest = (self.tree_weights, self.vote, dict(self.provenance))
        decided = [write_decision(self.decision)] if self.decision else []
        return _restore, (self.native.state(), *meaning, *rest, *decided)

    def __repr__(self) -> str:
        return f"<ForestModel: {self.task} forest, {self.n_trees} trees, {self.n_leaves} leaves>"

    def __str__(self) -> str:
        lines = [self.headline, "", *show_importances(self.schema, self.feature_importances)]
        if notes := [*self.meanings, *self.deciding]:
            lines += ["", *notes]
        return "\n".join(lines)

    @property
    def headline(self) -> str:
        """How many trees there are, grown on what, and how large they are, in a line."""
        target = tr("a real target")
        if self.classes is not None:
            target = tr("{n} classes", n=len(self.classes))
        rows = visible(str(self.provenance.get("rows", "?")))
        derived = f" + {len(self.schema.derived)}" if self.schema.derived else ""
        return tr(
            "{trees} trees ({criterion}) · {rows} rows, {columns} columns, {target} · {leaves} "
            "leaves, {size:,} bytes",
            trees=self.n_trees,
            criterion=self.growth.criterion,
            rows=rows,
            columns=f"{len(self.schema.given)}{derived}",
            target=target,
            leaves=self.n_leaves,
            size=self.native.n_bytes,
        )

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.native.n_trees)

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        state: dict[str, Any] = self.native.state()
        return int(np.count_nonzero(state["first"] < 0))

    def digest(self) -> str:
        """SHA-256 of the trees, their weights and their vote: equal for equal forests."""
        sha = hashlib.sha256(f"bosco forest, {self.vote}".encode())
        sha.update(self.tree_weights.tobytes())
        for tree in self.trees():
            sha.update(tree.digest().encode())
        return sha.hexdigest()

    def trees(self) -> Iterator[Tree]:
        """Give the trees one by one, each in full."""
        for t in range(self.n_trees):
            yield Tree(self.native.tree(t), len(self.schema.columns))

    @property
    def begin(self) -> NDArray[np.int64]:
        """Where the nodes of each tree begin, and where those of the last one end."""
        return np.array(self.native.begin)

    def alone(self, index: int) -> Model:
        """The same as `tree`."""
        return self.tree(index)

    def tree(self, index: int) -> Model:
        """One tree as a model of its own: print it, ask it.

        Parameters
        ----------
        index : int
            Number of the tree; negative ones count from the end.

        Returns
        -------
        Model
            The tree with the columns and classes of the forest.
        """
        at = range(self.n_trees)[index]
        about = dict(self.provenance)
        by_draws = str(about.get("algorithm")).startswith("RandomForest")  # older files do not say
        drawn = about.get("drawn", about.get("rows") if by_draws else None)
        about |= {"algorithm": f"tree {at} of {self.n_trees}"}
        return Model(
            tree=Tree(self.native.tree(at), len(self.schema.columns)),
            schema=self.schema,
            classes=self.classes,
            growth=replace(self.growth, tree=at),
            provenance=about if drawn is None else about | {"rows": drawn, "drawn": drawn},
            decision=self.decision,
        )

    @cached_property
    def feature_importances(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share of the decrease of impurity; sums to 1.

        Columns with many values are favoured, since they offer more tests to choose from, and what
        is learned by heart counts too. ``permutation_importances_oob`` has neither fault.
        """
        total = np.zeros(len(self.schema.columns))
        for tree in self.trees():
            total += tree.compute_feature_importances()
        return total / total.sum() if total.sum() > 0 else total

    @property
    def worth(self) -> NDArray[np.float64]:
        """The `feature_importances`."""
        return self.feature_importances

    @property
    def root_value(self) -> NDArray[np.float64]:
        """Mean over the trees of what their roots say: shares of the classes, or a number."""
        roots = [tree.native.value[0] for tree in self.trees()]
        return np.average(roots, axis=0, weights=self.tree_weights)

    def parts(self) -> ForestParts:
        """What a file keeps."""
        meaning = (self.native, self.schema, self.classes, self.growth, self.tree_weights)
        return ForestParts(*meaning, self.vote, dict(self.provenance), self.decision)

    def program(self) -> Program:
        """The trees as plain nodes, end to end, for exports."""

        def trees() -> Iterator[tuple[Tree, NDArray[np.float64], float]]:
            for tree, weight in zip(self.trees(), self.tree_weights.tolist(), strict=True):
                says = tree.native.value
                if self.vote == "mode":
                    says = np.eye(says.shape[1])[heaviest(says)]
                yield tree, says, weight

        return program_of(self, trees())

    # Applying ---------------------------------------------------------------------------------

    def apply(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Number of the leaf that each raw row reaches in each tree: shape (n_rows, n_trees)."""
        rows, single = rows_of(X)
        leaves = self.apply_frame(self.read(rows), n_jobs)
        return leaves[0] if single else leaves

    def contributions(self, X: Any, *, n_jobs: int | None = None) -> Contributions:
        """What each column added to the prediction of each raw row; see `Model.contributions`.

        Summed over the trees, they add up to `predict_proba` (with ``vote="mode"``, to the shares
        of the votes), or to the number predicted.
        """
        return self._contributions_frame(self.read(X), n_jobs)

    def _contributions_frame(self, frame: Frame, n_jobs: int | None = None) -> Contributions:
        n_threads = threads(n_jobs, frame, self.n_trees)
        with refused_as_model():
            if self.vote == "mean" or self.classes is None:
                flat, base = _core.forest_contributions(
                    self.native, frame.native, self.tree_weights, n_threads
                )
                return shaped(flat, base, frame, self.classes)
            flat, base = np.zeros(1), np.zeros(1)
            for t, weight in enumerate(self.tree_weights.tolist()):
                native = self.native.tree(t)
                votes = np.eye(len(self.classes))[heaviest(native.value)]
                added, mean = _core.contributions(native, frame.native, votes, n_threads)
                flat, base = flat + weight * added, base + weight * mean
        return shaped(flat, base, frame, self.classes)

    def explain(self, row: Any) -> Account:
        """Which columns decided one case, and by how much: exact contributions (TreeSHAP).

        Parameters
        ----------
        row : mapping or sequence
            The case: values by column name, or in the order of the columns.

        Returns
        -------
        Account
            What each column added to the share of the class, or to the number, that is predicted;
            ``print`` it.
        """
        case = by_name(self.schema, row)
        frame = frame_of(self, case)
        case |= derived_values(frame)
        prediction = self.predict_frame(frame).tolist()[0]
        found = self._contributions_frame(frame)
        if self.classes is None:
            added, base = found.values[0], float(found.base)
            of = ""
            if self.growth.medians:
                word = statistic(self.growth)
                of = tr("the mean over the trees ({statistic} of each leaf)", statistic=word)
            return of_columns(self.schema, case, prediction, added, base, {}, of=of)
        shares = self.values_frame(frame)
        at = int(self.decision.answers(shares)[0])
        said = dict(zip(self.classes.tolist(), shares[0].tolist(), strict=True))
        added, base = found.values[0][:, at], float(found.base[at])
        votes = self.vote == "mode"
        about = (prediction, added, base, said, votes, self.decision)
        return of_columns(self.schema, case, *about)

    def votes(self, row: Any) -> Votes:
        """What every tree says of one case, and what that comes to.

        Parameters
        ----------
        row : mapping or sequence
            The case: values by column name, or in the order of the columns.

        Returns
        -------
        Votes
            The leaf of each tree and what it says there; ``print`` it.
        """
        case = by_name(self.schema, row)
        frame = frame_of(self, case)
        case |= derived_values(frame)
        told = []
        for t, (tree, weight) in enumerate(
            zip(self.trees(), self.tree_weights.tolist(), strict=True)
        ):
            leaf = int(_core.route(tree.native, frame.native, 1)[0])
            says = tree.native.value[leaf]
            if self.vote == "mode" and self.classes is not None:
                says = np.eye(len(says))[heaviest(says[None])[0]]
            told.append(Vote(t, leaf, weight, float(tree.node_weight[leaf]), tuple(says.tolist())))
        return Votes(
            case={name: case.get(name) for name in self.schema.names},
            prediction=self.predict_frame(frame).tolist()[0],
            classes=() if self.classes is None else tuple(self.classes.tolist()),
            total=tuple(self.values_frame(frame)[0].tolist()),
            votes=tuple(told),
            statistic="" if self.classes is not None else statistic(self.growth),
        )

    def _columns(self) -> list[int]:
        asked: set[int] = set()
        for tree in self.trees():
            asked.update(tree.columns_asked.tolist())
            if len(asked) == len(self.schema.columns):
                break
        return sorted(asked)

    @cached_property
    def _plain(self) -> bool:
        return (
            all(c.kind == "numeric" and c.formula is None for c in self.schema.columns)
            and not self.growth.on_missing.refused
            and self.native.plain
        )

    def predict_few(self, X: Any) -> NDArray[Any] | None:
        """Predict a few rows of plain floats; None where that needs a frame."""
        if not (few_floats(X, len(self.schema.columns)) and self._plain):
            return None
        votes = _core.vote_few(self.native, X, self.tree_weights, self.vote == "mode")
        return self._answers(votes if self.classes is None else np.minimum(votes, 1.0))

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Votes for the classes, or the number, of rows that are read already."""
        n_threads = threads(n_jobs, frame, self.n_trees)
        votes: NDArray[np.float64] = _core.sum_votes(
            self.native, frame.native, self.tree_weights, self.vote == "mode", n_threads
        )
        if self.classes is None:
            return votes
        return np.minimum(votes, 1.0)  # weights sum to 1 but for the last digit

    def apply_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Leaves of rows that are read already, one column per tree."""
        n_threads = threads(n_jobs, frame)
        leaves = np.empty((frame.n_rows, self.n_trees), np.int32)
        for t in range(self.n_trees):
            leaves[:, t] = _core.route(self.native.tree(t), frame.native, n_threads)
        return leaves


def _restore(*content: Any) -> ForestModel:
    """A forest from a pickle, checked as one from a file."""
    return ForestModel(*restored_forest(*content))
