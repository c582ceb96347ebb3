"""A draft: a tree that a person makes with the learner, verb by verb.

Each verb checks what it is given, makes an act of it, lets `acts.do` do it, and writes it into the
log. All verbs stand together, over 400 lines with what they say: people look for them in one place.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.drafts.acts import WORDS_ONLY, Act, columns_named, do
from bosco.drafts.advice import Facts
from bosco.drafts.change import Change
from bosco.drafts.course import Clock, Course, Stage, writable
from bosco.drafts.figures import figures_of
from bosco.drafts.ground import Ground, Spot
from bosco.drafts.log import about_table, plain_estimator, save_log
from bosco.drafts.looking import Looking, as_model
from bosco.drafts.saying import planted, read_test
from bosco.drafts.shaping import as_leaf
from bosco.drafts.state import State, node_at, path_of
from bosco.errors import ModelError, ParameterError
from bosco.models.model import Model
from bosco.tree.edits import Entry
from bosco.tree.tree import Tree, node_of
from bosco.version import __version__

_DEEPEST = 10_000


# An error is called by what is wanted, as `except ReasonNeeded` reads.
class ReasonNeeded(ParameterError):  # noqa: N818
    """An act that is done once it is said why."""

    needs_reason = True


class Draft(Looking):
    """A tree that a person makes with the learner; see `bosco.draft`.

    Verbs return what changed, to print: rows, errors before and after, the learner's own choice.
    A refusal is an error that changes nothing. Nodes have the numbers that the text shows.

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
        state = State(_root(ground))
        figures = figures_of(ground, as_model(ground, state))
        course = Course(Stage(state, figures, 0), who, clock)
        super().__init__(ground, course, bool(reasons))
        course.write(
            "open",
            course.stage,
            bosco=__version__,
            estimator=plain_estimator(ground.estimator),
            table=about_table(ground),
            parts=dict(ground.parts.about),
            reasons=self._reasons,
            figures=figures.to_dict(),
            **({} if source is None else {"source": dict(source)}),
        )

    @property
    def who(self) -> str | None:
        """The name that the next entries of the log have."""
        return self._course.who

    @who.setter
    def who(self, name: str | None) -> None:
        self._course.who = name

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
        return self._do("note", node, reason, text=writable(text, "text"))

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
        to, before = self._course.after(entry), self.stage
        if to is before:
            raise ModelError(f"The draft is as entry {entry} left it already.")
        reason = writable(reason, "reason") or ""
        self._course.write("goto", to, act={"verb": "goto", "entry": int(entry)}, reason=reason)
        self._course.goes_to(to)
        remark = tr("as entry {n}, {verb}, left it", n=entry, verb=self.log[entry]["verb"])
        facts = Facts(rows=float(self._ground.n_rows), remarks=(remark,))
        return self._change("goto", 0, facts, before, {})

    # Keeping ------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the log, from which the draft can be made again; whole or not at all."""
        save_log(self.log, path)

    def keep_log(self, log: tuple[Entry, ...]) -> None:
        """Go on from a log as another version wrote it, whose entries this one has, too."""
        self._course.log = log

    def whole(self) -> AbstractContextManager[None]:
        """What is done inside stands as a whole or, if anything fails there, not at all."""
        return self._course.whole()

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
        if verb == "curves":
            return self._curves_seen()
        if verb == "goto":
            return self.goto(act["entry"], reason=reason)
        if verb == "consider":
            return self._consider(act)
        return self._apply(act, reason)

    def _do(self, verb: str, node: int, reason: str, **given: Any) -> Change:
        act = {"verb": verb, "path": list(self._path(node)), **given}
        return self._apply(act, writable(reason, "reason") or "")

    def _apply(self, act: Act, reason: str) -> Change:
        before = self.stage
        node = node_at(before.state.tree, tuple(act["path"]))
        state, facts = do(self._ground, before.state, {**act, "reason": reason})
        verb = act["verb"]
        self._require_reason(verb, node, act, facts, reason)
        shows = verb not in WORDS_ONLY
        figures = figures_of(self._ground, self.model_of(state)) if shows else before.figures
        made = Stage(state, figures, len(self.log), before)
        learner = {"test": facts.best, "loss": facts.loss} if facts.yours else None
        look = self._look() if shows else {}
        about = {"node": node, "act": dict(act), "reason": reason, "learner": learner, **look}
        self._course.write(verb, made, **about)
        self._course.goes_on(made)
        return self._change(verb, node, facts, before, look)

    def _go(self, verb: str, step: int, reason: str) -> Change:
        course, before = self._course, self.stage
        to = course.step(verb, step)
        reason = writable(reason, "reason") or ""
        course.write(verb, course.line[to], act={"verb": verb}, reason=reason)
        course.at = to
        undone = course.line[max(to, to - step)].entry
        about = {"n": undone, "verb": self.log[undone]["verb"]}
        remark = tr("entry {n}, {verb}, is redone", **about)
        remark = tr("entry {n}, {verb}, is undone", **about) if verb == "undo" else remark
        facts = Facts(rows=float(self._ground.n_rows), remarks=(remark,))
        return self._change(verb, 0, facts, before, {})

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


def _root(ground: Ground) -> Tree:
    """The tree of one leaf, with the tests compared there where such are kept."""
    n = len(ground.schema.columns)
    whole = np.full(ground.n_rows, 2**24, np.uint32) if ground.unit > 1 else None
    rows, none = ground.parts.training, np.zeros(n, bool)
    spot = Spot(0, (), rows, whole, none, (-np.inf, np.inf), [])
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
