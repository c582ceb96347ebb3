"""What a draft is, and what can be asked of it; nothing here changes the tree.

A look at rows that were set apart is written into the log.

Over 400 lines, so that all that can be asked, with what it takes, stands in one class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from bosco.base.language import tr
from bosco.drafts.acts import Act, do, require_column
from bosco.drafts.advice import Facts
from bosco.drafts.change import Beside, Change, Final, facts_of
from bosco.drafts.course import Course, Stage
from bosco.drafts.figures import (
    Figures,
    confusion_on,
    curves_of_part,
    figure_on,
    figures_of,
    plain_figure,
)
from bosco.drafts.ground import Ground
from bosco.drafts.reasons import Asked, asked_at, candidate_tests, curve_at
from bosco.drafts.saying import Said, read_test, said_of
from bosco.drafts.state import State, node_at, path_of
from bosco.drafts.trial import Trial, trial_of
from bosco.errors import ModelError, ParameterError
from bosco.estimators.pruned import policy_of
from bosco.figures.curved import Curves
from bosco.figures.looks import Looks, looks_of
from bosco.models.model import Model
from bosco.reasons.curve import Curve
from bosco.reasons.why import Why
from bosco.rules.diff import diff
from bosco.tree.edits import Entry
from bosco.tree.tree import Tree, node_of

_PARTS = ("training", "validation", "test")


class Looking:
    """The rows, the tree so far and the way that led to it, to be looked at.

    Parameters
    ----------
    ground : Ground
        The rows.
    course : Course
        The way so far.
    reasons : bool
        Whether a reason is asked for where the learner is overridden.
    """

    def __init__(self, ground: Ground, course: Course, reasons: bool) -> None:
        self._ground, self._course, self._reasons = ground, course, reasons
        self._automatic: Model | None = None

    # What it is ---------------------------------------------------------------------------------

    @property
    def log(self) -> tuple[Entry, ...]:
        """All that was done: who, when, what, why, and the errors before and after.

        Each entry holds a hash of what came of it, and that of the entry before.
        """
        return self._course.log

    @property
    def state(self) -> State:
        """The tree and the edits, by path."""
        return self.stage.state

    @property
    def figures(self) -> Figures:
        """The errors on training and validation rows."""
        return self.stage.figures

    @property
    def ground(self) -> Ground:
        """The rows in their parts, and what is known of them."""
        return self._ground

    @property
    def stage(self) -> Stage:
        """The state with its figures, and the entry of the log that made it."""
        return self._course.stage

    @property
    def history(self) -> tuple[Stage, ...]:
        """Every stage that there was, also those that were undone and left, in order."""
        return self._course.every

    @property
    def line(self) -> tuple[Stage, ...]:
        """The stages that `undo` and `redo` go through."""
        return tuple(self._course.line)

    @property
    def can_undo(self) -> bool:
        """Whether there is a state to go back to."""
        return self._course.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an undo to take back."""
        return self._course.at + 1 < len(self._course.line)

    @property
    def asks_reasons(self) -> bool:
        """Whether a reason is asked for where the learner is overridden."""
        return self._reasons

    def model_of(self, state: State) -> Model:
        """Any state of this draft as a model, without the log."""
        return as_model(self._ground, state)

    def column_place(self, name: str) -> int:
        """The place of a column by its name; one that there is not is refused."""
        require_column(self._ground, name)
        return self._ground.schema.names.index(name)

    @property
    def looks(self) -> Looks:
        """How often the validation rows and the test part were looked at."""
        return looks_of(self.log)

    @property
    def model(self) -> Model:
        """The tree as a model like any other, with the edits and the log."""
        return as_model(self._ground, self.state, self.log)

    def rows(self, part: str = "training") -> Any:
        """The numbers of the rows of a part: "training", "validation" or "test"."""
        parts = {name: getattr(self._ground.parts, name) for name in _PARTS}
        if part not in parts:
            raise ParameterError(f"part must be one of {list(parts)}. Got {part!r}.")
        return parts[part].copy()

    def __repr__(self) -> str:
        return f"<Draft: {self.state.tree.n_leaves} leaves, {len(self.log) - 1} acts>"

    def __str__(self) -> str:
        parts = self._ground.parts.about
        rows = {name: f"{parts[f'{name}_rows']:,}" for name in _PARTS}
        said = tr("draft: training {training} rows, validation {validation}, test {test}", **rows)
        return f"{self.model}\n\n{said}; {self.looks}"

    def confusion(self, part: str = "validation") -> Any:
        """Rows of a part by their class and by what the tree says of them; the test is locked."""
        if part == "test":
            raise ParameterError("The test part is locked until final().")
        self.rows(part)  # which refuses what is no part
        rows = getattr(self._ground.parts, part)
        return confusion_on(self._ground, self.model_of(self.state), rows)

    def why(self, node: int = 0, column: str | None = None) -> Why | Curve:
        """The best test of every column at a node, by its rows; or every cut of one column.

        Parameters
        ----------
        node : int, default=0
            Number of a node, as the text shows it.
        column : str, optional
            A column, of which every cut (or level) is told, with what it gains.

        Returns
        -------
        Why or Curve
            ``print`` it. `split` takes a candidate by its rank, from 1.
        """
        path = self._path(node)
        if column is not None:
            return curve_at(self._ground, self.state, path, self.model_of(self.state), column)
        return self.asked(path).why

    def asked(self, path: tuple[int, ...]) -> Asked:
        """What the node at a path could ask, in words and as the verbs take it."""
        return asked_at(self._ground, self.state, path, self.model)

    def weigh(
        self,
        node: int,
        test: str | int,
        *,
        cuts: Sequence[Any] | None = None,
        groups: Sequence[Sequence[Any]] | None = None,
    ) -> Trial:
        """What a test would be worth at a node, by its training rows; nothing is done or logged.

        Parameters
        ----------
        node : int
            The node.
        test, cuts, groups
            As for `split`.

        Returns
        -------
        Trial
            Its score beside the learner's own, and what each branch would hold.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> [branch.words for branch in draft.weigh(0, "income = low").branches]
        ['income = low *', 'income = high']
        """
        said = self._said(node, test, cuts, groups)
        return trial_of(self._ground, self.state, self._path(node), said, self.model_of)

    # Verbs --------------------------------------------------------------------------------------

    # Looks --------------------------------------------------------------------------------------

    def consider(
        self,
        node: int,
        test: str | int | None = None,
        *,
        cuts: Sequence[Any] | None = None,
        groups: Sequence[Sequence[Any]] | None = None,
    ) -> Change:
        """Tell what a test would change, and leave the draft as it is; the look is counted.

        Parameters
        ----------
        node : int
            The node.
        test, cuts, groups
            As for `split`; None: the test that the learner would give it.

        Returns
        -------
        Change
            As of `split` or `best`: the errors before, and if it were done.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> draft.consider(0).leaves[1] > 1, draft.model.n_leaves
        (True, 1)
        """
        said = None if test is None else self._said(node, test, cuts, groups)
        return self._consider({"path": list(self._path(node)), "test": said})

    def compare(self, to: int | None = None) -> Beside:
        """Compare with the automatic tree, or with an earlier state.

        Parameters
        ----------
        to : int, optional
            The number of an entry of the log, 0 for the beginning; None: what the estimator makes
            of the training rows by itself, pruning included.
        """
        if to is None:
            other, name = self.automatic, tr("the automatic tree")
        else:
            stage = self._course.after(to)
            other, name = self.model_of(stage.state), tr("the state after entry {n}", n=to)
        there = figures_of(self._ground, other)
        model = self.model_of(self.state)
        table = self._ground.table.take(self._ground.parts.training)
        difference = diff(model, other, table)
        about = {"act": {"verb": "compare", "to": to}, **self._look()}
        self._course.write("compare", self.stage, **about)
        return Beside(
            name,
            difference,
            self.figures,
            there,
            (model.n_leaves, other.n_leaves),
            self.looks.validation,
        )

    @property
    def automatic(self) -> Model:
        """What the estimator makes of the training rows by itself, pruning included."""
        ground = self._ground
        if self._automatic is None and policy_of(ground.estimator) is None and ground.unit == 1:
            # Grown in place: no rows are copied.
            grown = ground.grow(ground.spot(self.state.tree, ()), pack=True)
            self._automatic = as_model(ground, State(Tree(grown, self.state.tree.n_features)))
        if self._automatic is None:
            train = ground.parts.training
            truth = ground.truth[train]
            y = truth if ground.classes is None else ground.classes[truth]
            weight = None if ground.row_weight is None else ground.row_weight[train]
            fitted = clone(ground.estimator).fit(ground.table.take(train), y, sample_weight=weight)
            self._automatic = fitted.model_
        return self._automatic

    def judge_automatic(self) -> Figures:
        """The errors of the automatic tree; the look is counted. `compare` tells more, and longer.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> draft.judge_automatic().training.rows
        24
        """
        figures = figures_of(self._ground, self.automatic)
        about = {"act": {"verb": "automatic"}, "figures": figures.to_dict(), **self._look()}
        self._course.write("automatic", self.stage, **about)
        return figures

    def curves(self, positive: Any = None, *, threshold: float | None = None) -> Curves:
        """ROC, precision, gain and calibration on the validation rows; the look is counted.

        Parameters
        ----------
        positive, threshold
            As in `bosco.curves`.

        Returns
        -------
        Curves
            Of a draft without validation rows those of training, which are no test.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> change = draft.grow(depth=1)
        >>> draft.curves("safe").n_rows, draft.looks.validation
        (8, 2)
        """
        ground, part = self._ground, self._ground.parts
        rows = part.validation if len(part.validation) else part.training
        found = curves_of_part(ground, self.model_of(self.state), rows, positive, threshold)
        self._curves_seen()
        return found

    def _curves_seen(self) -> None:
        self._course.write("curves", self.stage, act={"verb": "curves"}, **self._look())

    def final(self) -> Final:
        """Look at the test part, which is locked until then; each look is counted."""
        rows = self._ground.parts.test
        if not len(rows):
            raise ModelError("This draft has no test part: it was opened with test=0.")
        figure = figure_on(self._ground, self.model_of(self.state), rows)
        about = {"look": "test", "figures": plain_figure(figure)}
        self._course.write("final", self.stage, act={"verb": "final"}, **about)
        return Final(figure, self.looks.test, self.state.digest())

    def _consider(self, act: Act) -> Change:
        """The change that a test would make, the figures of which are looked at and kept."""
        before, path = self.stage, list(act["path"])
        tried = {"verb": "best" if act["test"] is None else "split", "path": path}
        state, facts = do(self._ground, before.state, {**tried, "test": act["test"], "reason": ""})
        figures = figures_of(self._ground, self.model_of(state))
        node = node_at(before.state.tree, tuple(path))
        act = {"verb": "consider", "path": path, "test": act["test"]}
        learner = {"test": facts.best, "loss": facts.loss}
        look = self._look()
        about = {"node": node, "act": act, "learner": learner, "figures": figures.to_dict()}
        self._course.write("consider", before, **about, **look)
        return replace(
            self._change("consider", node, facts, before, look),
            leaves=(before.state.tree.n_leaves, state.tree.n_leaves),
            after=figures,
        )

    def _change(
        self, verb: str, node: int, facts: Facts, before: Stage, look: Mapping[str, Any]
    ) -> Change:
        return Change(
            verb=verb,
            node=node,
            leaves=(before.state.tree.n_leaves, self.state.tree.n_leaves),
            before=before.figures,
            after=self.figures,
            look=self.looks.validation if look else None,
            **facts_of(facts),
        )

    def _look(self) -> dict[str, Any]:
        """What an entry says where it shows a figure of the validation rows."""
        return {"look": "validation"} if len(self._ground.parts.validation) else {}

    # What is asked for --------------------------------------------------------------------------

    def _path(self, node: Any) -> tuple[int, ...]:
        return path_of(self.state.tree, node_of(self.state.tree, node))

    def _said(self, node: int, test: Any, cuts: Any, groups: Any) -> Said:
        path, ranked = self._path(node), isinstance(test, int | np.integer)
        if not ranked or isinstance(test, bool):
            return read_test(self._ground.schema, test, cuts, groups)
        if cuts is not None or groups is not None:
            raise ParameterError("A candidate by its rank has cuts or groups of its own.")
        tests = candidate_tests(self._ground, self.state, path, self.model_of(self.state))
        if not 1 <= test <= len(tests):
            raise ParameterError(
                f"Node {node} has {len(tests)} candidates, by rank 1 to {len(tests)}. Got {test}."
            )
        return said_of(self._ground.schema, tests[test - 1])

    def before_entry(self, entry: int) -> State:
        """The state in which an entry of the log was made."""
        return self._course.after(max(entry - 1, 0)).state


def as_model(ground: Ground, state: State, log: tuple[Entry, ...] = ()) -> Model:
    """A state as a model like any other; with the log, one that tells how it came about."""
    return Model(
        tree=state.tree,
        schema=ground.schema,
        classes=ground.classes,
        growth=ground.growth,
        provenance=ground.provenance,
        counted=ground.census(state.tree),
        edits=state.edits(log),
        decision=ground.decision,
    )
