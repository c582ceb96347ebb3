"""The trace of a pruning: every comparison in its order, with both sides of the inequality."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bosco.base.language import retold, tr
from bosco.base.numerals import lay_out, show_figure
from bosco.data.readers import given_to_fit
from bosco.data.schema import show_label
from bosco.errors import ModelError
from bosco.pruning import Policy
from bosco.pruning.log import PruningLog, head_of
from bosco.pruning.policies import policy_named
from bosco.pruning.policy import Verdict
from bosco.reasons.order import led_by
from bosco.render.card import show_amount

if TYPE_CHECKING:
    from bosco.models.model import Model

_TERMS = 6  # that a sum spells out


@dataclass(frozen=True, slots=True)
class Comparison:
    """One node that a pruning weighed: what it costs with its branches, and what as a leaf.

    Attributes
    ----------
    number : int
        Which comparison it is, from 1.
    pruning : int
        Which pruning of the tree it belongs to, from 1.
    node : int
        The node's number in the tree before that pruning.
    now : int or None
        Its number in the tree as it is after all; None: it went with a node above it.
    conditions : tuple of str
        What leads to it, where that is known.
    weight : float
        Of its training rows.
    kept, pruned : float
        What it costs with its branches, as far as these are still there, and what without.
    sides : tuple of (str, str)
        What both are, and the same as sums, where their terms are known.
    action : {"collapsed", "raised", "kept"}
        What became of it.
    raised : int or None
        The node below it that took its place.
    verdict : str
        The comparison, and what follows from it.
    """

    number: int
    pruning: int
    node: int
    now: int | None
    conditions: tuple[str, ...]
    weight: float
    kept: float
    pruned: float
    sides: tuple[tuple[str, str], tuple[str, str]]
    action: str
    raised: int | None
    verdict: str
    weighted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        plain = asdict(self)
        return plain | {"conditions": list(self.conditions), "sides": dict(self.sides)}

    def head(self) -> str:
        """Which node it is."""
        where = tr(" and ").join(self.conditions)
        where = where or (tr("all rows") if self.node == 0 else tr("gone with a node above it"))
        about = {"n": self.number, "node": self.node, "where": where}
        held = show_amount(None if self.weighted else self.weight, self.weight)
        return tr("comparison {n}: node {node}, {where}", **about) + f", {held}"

    def __str__(self) -> str:
        sides = lay_out([list(side) for side in self.sides], "<")
        return "\n".join([self.head(), *(f"  {line}" for line in sides), self.verdict])


@dataclass(frozen=True, slots=True, eq=False)
class PruningTrace:
    """Every comparison of a pruning, from the leaves up.

    Attributes
    ----------
    comparisons : tuple of Comparison
        In the order in which they are made.
    prunings : tuple of str
        A line for each pruning: the policy, what it counts, and how many leaves went.
    model : Model or None
        The tree before, where it is known.
    after : Model
        The tree that is left.
    note : str
        What is to be known of all comparisons, if anything.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> from bosco.pruning import GeneralizationError
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> trace = model.trace_pruning(GeneralizationError(alpha=2))
    >>> print(trace[-1])
    comparison 3: node 0, all rows, 14 rows
      with its branches  4 + 3·2 = 10
      as a leaf          5 + 1·2 = 7
    7 < 10: it becomes a leaf and says Yes.
    >>> trace.after.n_leaves
    1
    """

    comparisons: tuple[Comparison, ...]
    prunings: tuple[str, ...]
    model: "Model | None"
    after: "Model"
    note: str = ""

    def __len__(self) -> int:
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    @overload
    def __getitem__(self, at: int) -> Comparison: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Comparison, ...]: ...
    def __getitem__(self, at: int | slice) -> Comparison | tuple[Comparison, ...]:
        return self.comparisons[at]

    def __str__(self) -> str:
        blocks = [self.note] * bool(self.note)
        for number, head in enumerate(self.prunings, 1):
            blocks.append(head)
            blocks += [str(one) for one in self.comparisons if one.pruning == number]
        return "\n\n".join(blocks)

    def to_dict(self) -> dict[str, Any]:
        """All comparisons as plain values."""
        return {
            "note": self.note,
            "prunings": list(self.prunings),
            "comparisons": [one.to_dict() for one in self.comparisons],
        }


def trace_pruning(
    model: "Model",
    policy: Policy | str | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> PruningTrace:
    """What pruning the tree compares, node by node from the leaves up, with both sides as sums.

    Parameters
    ----------
    policy : Policy or str, optional
        The policy, or its name: what it would compare in this tree, and what it would leave.
        Without one, what was compared when this tree was pruned, by its log.
    X, y, sample_weight
        The training rows, for policies that need them; see `prune`.

    Returns
    -------
    PruningTrace
        One comparison per inner node; ``print`` it, iterate, or take ``to_dict()``. This model
        stays as it is; the one that is left is in ``after``.
    """
    if policy is None:
        return _by_log(model)
    chosen = policy_named(policy)
    subject = model.subject()
    if X is not None:
        subject = subject.trained_on(*given_to_fit(X, y, sample_weight))
    verdict = chosen.judge(subject)
    after = model.prune(chosen, X, y, sample_weight=sample_weight)
    (*_, step) = after.log.steps
    number = len(after.log.steps)
    sums = _Sums(model, verdict)
    found = [
        _compared(
            model,
            entry,
            at,
            1,
            led_by(model, entry.node),
            sums.of(entry.node),
            by_level=verdict.sums == "level",
        )
        for at, entry in enumerate(sorted(step.entries(number), key=lambda e: -e.node), 1)
    ]
    head = f"{head_of(1, step)}\n{chosen.rule()} {_measured(verdict.measure)}"
    return PruningTrace(tuple(found), (head,), model, after)


def _by_log(model: "Model") -> PruningTrace:
    log: PruningLog = model.log
    if not log.steps:
        raise ModelError(
            "This tree was not pruned, so there is nothing to tell. Hint: "
            "model.trace_pruning(policy) tells what a policy of bosco.pruning would compare."
        )
    found: list[Comparison] = []
    for number, step in enumerate(log.steps, 1):
        for entry in sorted(step.entries(number), key=lambda e: -e.node):
            where = () if entry.now is None else led_by(model, entry.now)
            names = tr("kept", "cost"), tr("pruned", "cost")
            sides = (names[0], show_figure(entry.kept)), (names[1], show_figure(entry.pruned))
            found.append(_compared(model, entry, len(found) + 1, number, where, sides))
    heads = tuple(
        f"{head_of(number, step)}\n{_measured(retold(step.measure, within=True))}"
        for number, step in enumerate(log.steps, 1)
    )
    note = tr(
        "By the log of the tree, which keeps what both sides came to. A tree that is grown with "
        "pruning='none' tells the sums: model.trace_pruning(policy)."
    )
    return PruningTrace(tuple(found), heads, None, model, note)


def _measured(measure: str) -> str:
    return tr("Counted: {measure}.", measure=measure)


def _compared(
    model: "Model",
    entry: Any,
    at: int,
    pruning: int,
    conditions: tuple[str, ...],
    sides: tuple[tuple[str, str], tuple[str, str]],
    by_level: bool = False,
) -> Comparison:
    """One entry of a log, with its sides as sums."""
    says = ""
    if entry.action == "collapsed":
        says = _says(model, entry)
    return Comparison(
        number=at,
        pruning=pruning,
        node=entry.node,
        now=entry.now,
        conditions=conditions,
        weight=entry.weight,
        kept=entry.kept,
        pruned=entry.pruned,
        sides=sides,
        action=entry.action,
        raised=entry.raised,
        verdict=_verdict(entry, says, by_level),
        weighted=model.counted is not None,
    )


def _says(model: "Model", entry: Any) -> str:
    """What a leaf would say; nothing where the node is no longer known."""
    node = entry.node if len(model.log.steps) < entry.step else entry.now
    if node is None:
        return ""
    if model.classes is None:
        return show_figure(float(model.tree.native.value[node, 0]))
    return show_label(model.classes[model.node_class[node]])


def _verdict(entry: Any, says: str, by_level: bool) -> str:
    """The inequality, and what follows."""
    first, second = entry.pruned, entry.kept
    if by_level:
        first, second = second, first
    near = abs(first - second) <= 1e-12 * abs(second)
    sign = "=" if near else "<" if first < second else ">"
    said = f"{show_figure(first)} {sign} {show_figure(second)}"
    if entry.action == "kept":
        return tr("{said}: it keeps its branches.", said=said)
    if entry.action == "raised":
        return tr("{said}: node {other} takes its place.", said=said, other=entry.raised)
    if not says:
        return tr("{said}: it becomes a leaf.", said=said)
    return tr("{said}: it becomes a leaf and says {says}.", said=said, says=says)


class _Sums:
    """What the sides of every comparison are sums of."""

    def __init__(self, model: "Model", verdict: Verdict):
        self.tree, self.verdict = model.tree, verdict
        native = model.tree.native
        leaf = (native.test < 0) | np.asarray(verdict.cut, bool)
        self.cost = np.where(leaf, verdict.pruned, verdict.kept)
        self.leaves = np.where(native.test < 0, 1, 0)
        for node in reversed(range(model.tree.node_count)):  # children come after their parent
            below = model.tree.children(node)
            if len(below):
                self.leaves[node] = 1 if leaf[node] else self.leaves[list(below)].sum()

    def of(self, node: int) -> tuple[tuple[str, str], tuple[str, str]]:
        """Both sides: what they are, and their sums."""
        if self.verdict.sums == "level":
            names = tr("p-value"), tr("level", "significance")
        else:
            names = tr("with its branches"), tr("as a leaf")
        left, right = self._sums(node)
        return (names[0], left), (names[1], right)

    def _sums(self, node: int) -> tuple[str, str]:
        verdict, below = self.verdict, list(self.tree.children(node))
        kept, pruned = float(verdict.kept[node]), float(verdict.pruned[node])
        sides = show_figure(kept), show_figure(pruned)
        if verdict.sums == "leaves":
            price, n = verdict.price, int(self.leaves[below].sum())
            both = ((kept, n, sides[0]), (pruned, 1, sides[1]))
            left, right = (
                f"{show_figure(total - price * k)} + {k}·{show_figure(price)} = {said}"
                for total, k, said in both
            )
            return left, right
        if verdict.sums == "branches" and len(below) <= _TERMS:
            parts = self.cost[below].tolist()
            test = kept - sum(parts)  # what the test itself costs, in bits
            first = [] if abs(test) <= 1e-9 * max(1.0, abs(kept)) else [test]
            return f"{' + '.join(map(show_figure, [*first, *parts]))} = {sides[0]}", sides[1]
        return sides
