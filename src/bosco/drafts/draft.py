"""A draft: the rows, the tree so far, and the log of what was done to it.

Verbs are methods; each checks what it is given, makes an act of it, and lets `acts.do` do it. The
log is written here and nowhere else.

Over 400 lines, so that all verbs, with what they take, stand in one class.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.base import clone

from bosco.base.language import tr
from bosco.drafts.acts import WORDS_ONLY, Act, columns_named, do, require_column
from bosco.drafts.advice import Facts
from bosco.drafts.change import Beside, Change, Final, facts_of
from bosco.drafts.figures import (
    Figures,
    confusion_on,
    figure_on,
    figures_of,
    plain_figure,
)
from bosco.drafts.ground import Ground, Spot, require_tree
from bosco.drafts.log import about_table, plain_estimator, save_log
from bosco.drafts.reasons import Asked, asked_at, candidate_tests, curve_at
from bosco.drafts.saying import Said, planted, read_test, said_of
from bosco.drafts.state import State, node_at, path_of
from bosco.drafts.trial import Trial, trial_of
from bosco.errors import ModelError, ParameterError
from bosco.figures.looks import Looks, looks_of
from bosco.models.model import Model
from bosco.reasons.curve import Curve
from bosco.reasons.why import Why
from bosco.rules.diff import diff
from bosco.tree.edits import Entry, chained
from bosco.tree.tree import Tree, node_of
from bosco.version import __version__

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A state that a draft was in, with its figures, and the entry of the log that made it."""

    state: State
    figures: Figures
    entry: int
    before: "Stage | None" = None

    def line(self) -> "list[Stage]":
        """The stages that led here, from the opening, and this one."""
        line = [self]
        while line[-1].before is not None:
            line.append(line[-1].before)
        return line[::-1]


class ReasonNeeded(ParameterError):  # noqa: N818
    """An act that is done once it is said why."""

    needs_reason = True


class Draft:
    """A tree that a person makes with the learner; see `bosco.draft`.

    Verbs return what changed, to print: rows, errors before and after, the learner's own choice.
    A refusal is an error that changes nothing. Nodes have the numbers that the text shows.

    Attributes
    ----------
    who : str or None
        The name that the next entries of the log have.
    log : tuple of entries
        All that was done, from the opening: who, when, what, why, the errors before and after, and
        a hash of what came of it. Each entry holds the hash of the one before.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
    >>> draft.grow(depth=1).leaves
    (1, 2)
    >>> draft
    <Draft: 2 leaves, 1 acts>
    """

    def __init__(
        self,
        ground: Ground,
        *,
        who: str | None = None,
        reasons: bool = True,
        clock: Clock | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> None:
        self._ground, self.who, self._reasons = ground, who, bool(reasons)
        self._clock = clock or (lambda: datetime.now(UTC))
        state = State(_root(ground))
        self.log: tuple[Entry, ...] = ()
        figures = figures_of(ground, self._model(state))
        self._stages, self._at = [Stage(state, figures, 0)], 0
        self._after: tuple[Stage, ...] = ()  # each entry of the log
        self._automatic: Model | None = None
        self._write(
            "open",
            self._stages[0],
            bosco=__version__,
            estimator=plain_estimator(ground.estimator),
            table=about_table(ground),
            parts=dict(ground.parts.about),
            reasons=self._reasons,
            figures=figures.to_dict(),
            **({} if source is None else {"source": dict(source)}),
        )

    # What it is ---------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The tree and the edits, by path."""
        return self._stages[self._at].state

    @property
    def figures(self) -> Figures:
        """The errors on training and validation rows."""
        return self._stages[self._at].figures

    @property
    def ground(self) -> Ground:
        """The rows in their parts, and what is known of them."""
        return self._ground

    @property
    def stage(self) -> Stage:
        """The state with its figures, and the entry of the log that made it."""
        return self._stages[self._at]

    @property
    def history(self) -> tuple[Stage, ...]:
        """Every stage that there was, also those that were undone and left, in order."""
        return tuple(dict.fromkeys(self._after))

    @property
    def line(self) -> tuple[Stage, ...]:
        """The stages that `undo` and `redo` go through."""
        return tuple(self._stages)

    @property
    def can_undo(self) -> bool:
        """Whether there is a state to go back to."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an undo to take back."""
        return self._at + 1 < len(self._stages)

    @property
    def asks_reasons(self) -> bool:
        """Whether a reason is asked for where the learner is overridden."""
        return self._reasons

    def model_of(self, state: State) -> Model:
        """Any state of this draft as a model, without the log."""
        return self._model(state)

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
        return self._model(self.state, self.log)

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
        return confusion_on(self._ground, self._model(self.state), rows)

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
            return curve_at(self._ground, self.state, path, self._model(self.state), column)
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
        return trial_of(self._ground, self.state, self._path(node), said, self._model)

    # Verbs --------------------------------------------------------------------------------------

    def best(self, node: int, *, reason: str = "") -> Change:
        """Give a node the test that the learner would; what was below it goes."""
        return self._do("best", node, reason)

    def split(
        self,
        node: int,
        test: str | int,
        *,
        cuts: Sequence[Any] | None = None,
        groups: Sequence[Sequence[Any]] | None = None,
        reason: str = "",
    ) -> Change:
        """Give a node a test of your own; what was below it goes.

        Parameters
        ----------
        node : int
            The node.
        test : str or int
            Such as "humidity <= 75", "humidity cut at 65, 75", "outlook in {sunny, rain}",
            "outlook" (one branch per value), the words of a candidate of `why`, or its rank from 1.
        cuts : sequence of numbers, optional
            With `test` a column: where it is cut.
        groups : sequence of sequences of levels, optional
            With `test` a column: the levels of each branch; the others have one of their own.
        reason : str
            Why. It is asked for where the learner's own test scores more than a near-tie above.
        """
        said = self._said(node, test, cuts, groups)
        return self._do("split", node, reason, test=said)

    def move(self, node: int, *thresholds: Any, reason: str = "") -> Change:
        """Cut the column of a node elsewhere; what is below stays, and is counted again."""
        own = self.state.tree.test(node_of(self.state.tree, node))
        if own is None:
            raise ModelError(f"Node {node} is a leaf, so that there is nothing to move.")
        name = self._ground.schema.names[own.column]
        said = read_test(self._ground.schema, name, cuts=thresholds)
        return self._do("move", node, reason, cuts=list(said["cuts"]))

    def prune(self, node: int, *, reason: str = "") -> Change:
        """Make a node a leaf."""
        return self._do("prune", node, reason)

    def grow(self, node: int = 0, depth: int | None = None, *, reason: str = "") -> Change:
        """Let the learner grow the leaves at or below a node, at most so deep below it."""
        whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool)
        if depth is not None and not (whole and 1 <= depth < _DEEPEST):
            raise ParameterError(
                f"depth must be a whole number from 1 to {_DEEPEST - 1}, or None. "
                f"Got {depth!r:.60}."
            )
        depth = None if depth is None else int(depth)
        return self._do("grow", node, reason, depth=depth)

    def regrow(
        self,
        node: int,
        *,
        without: str | Iterable[str] = (),
        only: str | Iterable[str] | None = None,
        settings: Mapping[str, Any] | None = None,
        reason: str = "",
    ) -> Change:
        """Let the learner grow all below a node anew.

        Parameters
        ----------
        node : int
            The node.
        without, only : str or iterable of str
            Columns that take no part, or the only ones that do.
        settings : mapping, optional
            Parameters of the estimator that are others there, such as ``{"max_depth": 3}``.
        reason : str
            Why.
        """
        given = {
            "without": columns_named(without),
            "only": None if only is None else columns_named(only),
            "settings": _plain_settings(settings),
        }
        return self._do("regrow", node, reason, **given)

    def optimal(self, node: int, depth: int = 2, *, reason: str = "") -> Change:
        """Put the best subtree below a node: of all up to a depth the one with the fewest errors.

        It is found as a whole on the training rows of the node (algorithm="optimal"), whatever the
        draft's own learner would do; what is known of it is told with the change. Where a test is
        not the learner's own, it is marked as by hand.

        Parameters
        ----------
        node : int
            The node; what was below it goes.
        depth : int, default=2
            How many levels of questions, 1 to 4.
        reason : str
            Why.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> draft.optimal(0, depth=2).remarks
        ('proved: of all subtrees of up to 2 levels none gets less wrong, 3',)
        """
        whole = isinstance(depth, int | np.integer) and not isinstance(depth, bool)
        if not (whole and 1 <= depth <= 4):
            raise ParameterError(f"depth must be a whole number from 1 to 4. Got {depth!r:.60}.")
        return self._do("optimal", node, reason, depth=int(depth))

    def plant(self, node: int, model: Model, *, reason: str = "") -> Change:
        """Put the tests of another tree below a node, each counted on the rows here.

        Parameters
        ----------
        node : int
            The node; what was below it goes.
        model : Model
            The other tree, over columns of the same names. Its answers stay behind: leaves answer
            by the training rows of the draft. A test that parts nothing here ends its branch.
        reason : str
            Why.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> X, y = loans()
        >>> model = bosco.DecisionTreeClassifier(max_depth=2).fit(X, y).model_
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), X, y)
        >>> draft.plant(0, model, reason="the tree in use").leaves[1] == model.n_leaves
        True
        """
        if not isinstance(model, Model):
            raise ParameterError(f"plant takes a model of one tree. Got {model!r:.60}.")
        return self._do("plant", node, reason, tests=planted(model))

    def merge(self, a: int, b: int, *, reason: str = "") -> Change:
        """Make two branches of one node, of three or more, one leaf; `a` and `b` are its nodes."""
        first, second = (path_of(self.state.tree, node_of(self.state.tree, n)) for n in (a, b))
        if not first or not second or first == second or first[:-1] != second[:-1]:
            raise ModelError(f"Nodes {a} and {b} are not two branches of one node.")
        above = node_at(self.state.tree, first[:-1])
        return self._do("merge", above, reason, branches=sorted((first[-1], second[-1])))

    def answer(self, node: int, answer: Any, *, reason: str = "") -> Change:
        """Let a leaf answer by order; None takes the order back. What its rows say stays beside."""
        given = answer.item() if isinstance(answer, np.generic) else answer
        return self._do("answer", node, reason, answer=given)

    def lock(self, node: int, *, reason: str = "") -> Change:
        """Keep a node as it is: its rows, its test, its answer. Nodes below it may change."""
        return self._do("lock", node, reason)

    def unlock(self, node: int, *, reason: str = "") -> Change:
        """Let a locked node change again."""
        return self._do("unlock", node, reason)

    def exclude(self, columns: str | Iterable[str], node: int = 0, *, reason: str = "") -> Change:
        """Let columns take no part in what is grown or chosen from a node on."""
        return self._do("exclude", node, reason, columns=columns_named(columns))

    def note(self, node: int, text: str, *, reason: str = "") -> Change:
        """Write something beside a node; an empty text takes it away."""
        return self._do("note", node, reason, text=_text(text, "text"))

    def undo(self, *, reason: str = "") -> Change:
        """Go back to the state before the last change."""
        return self._go("undo", -1, reason)

    def redo(self, *, reason: str = "") -> Change:
        """Take an undo back."""
        return self._go("redo", 1, reason)

    def goto(self, entry: int, *, reason: str = "") -> Change:
        """Go to the state that any entry of the log left, also one that was undone and left.

        From there `undo` goes back the way that led to it.

        Parameters
        ----------
        entry : int
            The number of an entry of the log, 0 for the beginning.
        reason : str
            Why.

        Examples
        --------
        >>> import bosco
        >>> from bosco.datasets import loans
        >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
        >>> grown = draft.grow().leaves[1]
        >>> back = draft.undo()
        >>> draft.goto(1).leaves == (1, grown)
        True
        """
        to, before = self._stage_of(entry), self.stage
        if to is before:
            raise ModelError(f"The draft is as entry {entry} left it already.")
        line = self._stages if to in self._stages else to.line()
        reason = _text(reason, "reason") or ""
        self._write("goto", to, act={"verb": "goto", "entry": int(entry)}, reason=reason)
        self._stages, self._at = line, line.index(to)
        remark = tr("as entry {n}, {verb}, left it", n=entry, verb=self.log[entry]["verb"])
        facts = Facts(rows=float(self._ground.n_rows), remarks=(remark,))
        return self._change("goto", 0, facts, before, {})

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
            stage = self._stage_of(to)
            other, name = self._model(stage.state), tr("the state after entry {n}", n=to)
        there = figures_of(self._ground, other)
        model = self._model(self.state)
        table = self._ground.table.take(self._ground.parts.training)
        difference = diff(model, other, table)
        self._write(
            "compare", self._stages[self._at], act={"verb": "compare", "to": to}, **self._look()
        )
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
        if self._automatic is None:
            ground, train = self._ground, self._ground.parts.training
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
        self._write("automatic", self.stage, **about)
        return figures

    def final(self) -> Final:
        """Look at the test part, which is locked until then; each look is counted."""
        rows = self._ground.parts.test
        if not len(rows):
            raise ModelError("This draft has no test part: it was opened with test=0.")
        figure = figure_on(self._ground, self._model(self.state), rows)
        about = {"look": "test", "figures": plain_figure(figure)}
        self._write("final", self._stages[self._at], act={"verb": "final"}, **about)
        return Final(figure, self.looks.test, self.state.digest())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the log, from which the draft can be made again; whole or not at all."""
        save_log(self.log, path)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is done inside stands as a whole or, if anything fails there, not at all."""
        before = self.log, self._after, self._stages, self._at, self.who
        try:
            yield
        except BaseException:
            self.log, self._after, self._stages, self._at, self.who = before
            raise

    # Acts ---------------------------------------------------------------------------------------

    def apply(self, act: Act, reason: str = "") -> Any:
        """Do an act of a log."""
        verb = act.get("verb")
        if verb in ("undo", "redo"):
            return self._go(verb, -1 if verb == "undo" else 1, reason)
        if verb == "final":
            return self.final()
        if verb == "compare":
            return self.compare(act.get("to"))
        if verb == "automatic":
            return self.judge_automatic()
        if verb == "goto":
            return self.goto(act["entry"], reason=reason)
        if verb == "consider":
            return self._consider(act)
        return self._apply(act, reason)

    def _do(self, verb: str, node: int, reason: str, **given: Any) -> Change:
        act = {"verb": verb, "path": list(self._path(node)), **given}
        return self._apply(act, _text(reason, "reason") or "")

    def _apply(self, act: Act, reason: str) -> Change:
        before = self._stages[self._at]
        node = node_at(before.state.tree, tuple(act["path"]))
        state, facts = do(self._ground, before.state, {**act, "reason": reason})
        verb = act["verb"]
        self._require_reason(verb, node, act, facts, reason)
        shows = verb not in WORDS_ONLY
        figures = figures_of(self._ground, self._model(state)) if shows else before.figures
        made = Stage(state, figures, len(self.log), before)
        stages = [*self._stages[: self._at + 1], made]
        learner = {"test": facts.best, "loss": facts.loss} if facts.yours else None
        look = self._look() if shows else {}
        about = {"node": node, "act": dict(act), "reason": reason, "learner": learner, **look}
        self._write(verb, made, **about)
        self._stages, self._at = stages, self._at + 1
        return self._change(verb, node, facts, before, look)

    def _consider(self, act: Act) -> Change:
        """The change that a test would make, the figures of which are looked at and kept."""
        before, path = self.stage, list(act["path"])
        tried = {"verb": "best" if act["test"] is None else "split", "path": path}
        state, facts = do(self._ground, before.state, {**tried, "test": act["test"], "reason": ""})
        figures = figures_of(self._ground, self._model(state))
        node = node_at(before.state.tree, tuple(path))
        act = {"verb": "consider", "path": path, "test": act["test"]}
        learner = {"test": facts.best, "loss": facts.loss}
        look = self._look()
        about = {"node": node, "act": act, "learner": learner, "figures": figures.to_dict()}
        self._write("consider", before, **about, **look)
        return replace(
            self._change("consider", node, facts, before, look),
            leaves=(before.state.tree.n_leaves, state.tree.n_leaves),
            after=figures,
        )

    def _go(self, verb: str, step: int, reason: str) -> Change:
        to = self._at + step
        if not 0 <= to < len(self._stages):
            raise ModelError(f"There is nothing to {verb}.")
        before = self._stages[self._at]
        reason = _text(reason, "reason") or ""
        self._write(verb, self._stages[to], act={"verb": verb}, reason=reason)
        self._at = to
        undone = self._stages[max(to, to - step)].entry
        about = {"n": undone, "verb": self.log[undone]["verb"]}
        remark = tr("entry {n}, {verb}, is redone", **about)
        remark = tr("entry {n}, {verb}, is undone", **about) if verb == "undo" else remark
        facts = Facts(rows=float(self._ground.n_rows), remarks=(remark,))
        return self._change(verb, 0, facts, before, {})

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

    def _require_reason(self, verb: str, node: int, act: Act, facts: Facts, reason: str) -> None:
        if reason.strip() or not self._reasons:
            return
        if verb == "answer" and act["answer"] is not None:
            raise ReasonNeeded(f"An answer by order needs a reason: answer({node}, …, reason=…).")
        if facts.overrides:
            raise ReasonNeeded(
                f"At node {node} the learner would take {facts.best}, which scores "
                f"{facts.loss:.4g} more than {facts.yours}: more than a near-tie. Say why: reason=…"
            )

    def _look(self) -> dict[str, Any]:
        """What an entry says where it shows a figure of the validation rows."""
        return {"look": "validation"} if len(self._ground.parts.validation) else {}

    def _write(self, verb: str, stage: "Stage", **content: Any) -> None:
        """Add an entry to the log: what was done, and the stage that came of it."""
        entry = {
            "number": len(self.log),
            "verb": verb,
            "who": _text(self.who, "who"),
            "when": self._clock().astimezone(UTC).isoformat(timespec="seconds"),
            **content,
            "state": stage.state.digest(),
        }
        if verb != "open":
            entry.setdefault("figures", stage.figures.to_dict())
        self.log, self._after = (*self.log, chained(self.log, entry)), (*self._after, stage)

    # What verbs are given -----------------------------------------------------------------------

    def _path(self, node: Any) -> tuple[int, ...]:
        return path_of(self.state.tree, node_of(self.state.tree, node))

    def _said(self, node: int, test: Any, cuts: Any, groups: Any) -> Said:
        path, ranked = self._path(node), isinstance(test, int | np.integer)
        if not ranked or isinstance(test, bool):
            return read_test(self._ground.schema, test, cuts, groups)
        if cuts is not None or groups is not None:
            raise ParameterError("A candidate by its rank has cuts or groups of its own.")
        tests = candidate_tests(self._ground, self.state, path, self._model(self.state))
        if not 1 <= test <= len(tests):
            raise ParameterError(
                f"Node {node} has {len(tests)} candidates, by rank 1 to {len(tests)}. Got {test}."
            )
        return said_of(self._ground.schema, tests[test - 1])

    def before_entry(self, entry: int) -> State:
        """The state in which an entry of the log was made."""
        return self._stage_of(max(entry - 1, 0)).state

    def _stage_of(self, entry: int) -> Stage:
        """The stage that an entry of the log left."""
        if isinstance(entry, bool) or not isinstance(entry, int) or not 0 <= entry < len(self.log):
            raise ParameterError(f"The log has entries 0 to {len(self.log) - 1}. Got {entry!r}.")
        return self._after[entry]

    def _model(self, state: State, log: tuple[Entry, ...] = ()) -> Model:
        ground = self._ground
        return Model(
            tree=state.tree,
            schema=ground.schema,
            classes=ground.classes,
            growth=ground.growth,
            provenance=ground.provenance,
            counted=ground.census(state.tree),
            edits=state.edits(log),
        )


_DEEPEST = 10_000
_PARTS = ("training", "validation", "test")


def draft(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    validation: float = 0.2,
    test: float = 0.2,
    seed: int = 0,
    groups: Any = None,
    date: Any = None,
    who: str | None = None,
    reasons: bool = True,
    clock: Clock | None = None,
) -> Draft:
    """Open a draft: a tree that you make, with the learner's advice, on rows in fixed parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        The learner, with its settings; it stays as it is.
    X, y, sample_weight
        The rows, as for `fit`.
    validation, test : float, default=0.2
        Shares of the rows: those to look at meanwhile, and those that are locked until `final`.
        0: none.
    seed : int, default=0
        The key of the parts, drawn class by class.
    groups : str or array-like, optional
        A column of X, or a value for each row: rows of one group stay in one part, and the shares
        are of groups.
    date : str or array-like, optional
        A column of X, or a value for each row: the latest rows are the test part, those before
        them the validation.
    who : str, optional
        The name that the log has.
    reasons : bool, default=True
        Ask for a reason for answers by order, and for tests that score less than the learner's own
        by more than a near-tie.
    clock : callable, optional
        What gives the time of an entry; by default the computer's clock.

    Returns
    -------
    Draft
        Its verbs change it; ``draft.model`` is a `Model` like any other.

    Examples
    --------
    >>> import bosco
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(DecisionTreeClassifier(algorithm="id3"), *loans(), who="Ada")
    >>> change = draft.split(0, "income = low", reason="the bank's own rule")
    >>> change.best
    'reputation, one branch per value'
    >>> draft.undo().leaves
    (2, 1)
    """
    ground = Ground(
        require_tree(estimator),
        X,
        y,
        sample_weight,
        validation=validation,
        test=test,
        seed=seed,
        groups=groups,
        date=date,
    )
    return Draft(ground, who=who, reasons=reasons, clock=clock)


def _root(ground: Ground) -> Tree:
    """The tree of one leaf, with the tests compared there where such are kept."""
    n = len(ground.schema.columns)
    spot = Spot(0, (), ground.parts.training, None, np.zeros(n, bool), (-np.inf, np.inf))
    if ground.unit > 1:
        whole = np.full(ground.n_rows, 2**24, np.uint32)
        spot = Spot(0, (), ground.parts.training, whole, np.zeros(n, bool), (-np.inf, np.inf))
    from bosco.drafts.shaping import as_leaf

    stump = ground.stump(spot) if ground.growth.record else ground.grow(spot, max_depth=0)
    return Tree(as_leaf(stump) if stump.n_nodes > 1 else stump, n)


def _plain_settings(given: Any) -> dict[str, Any]:
    """Settings that a log can keep."""
    if given is not None and not isinstance(given, Mapping):
        raise ParameterError(f"settings are given by name, in a dict. Got {given!r:.60}.")
    made = {str(k): v.item() if isinstance(v, np.generic) else v for k, v in (given or {}).items()}
    for name, value in made.items():
        if not isinstance(value, str | int | float | bool | None):
            raise ParameterError(
                f"settings[{name!r}] must be a number, a word, true, false or None, as a log keeps "
                f"it. Got {value!r:.60}."
            )
    return made


def _text(given: Any, name: str) -> Any:
    """A text that a file can hold, or None."""
    if given is None:
        return None
    if not isinstance(given, str):
        raise ParameterError(f"{name} must be a text. Got {given!r}.")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ParameterError(f"{name} holds what no file can: {given!r}.") from None
    return given
