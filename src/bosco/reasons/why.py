"""Why a node has the test it has, or none: the best test of every column, side by side."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from bosco import _core
from bosco.base.language import ENGLISH, phrase, speaking, tr
from bosco.base.numerals import lay_out, show_figure
from bosco.errors import ModelError
from bosco.growth import recorded_from
from bosco.reasons.compared import Compared, compared, partly_kept, samples, scored, surely_kept
from bosco.reasons.ending import AS_A_WHOLE, FARTHER, ending, how_to_keep, say_raised
from bosco.render.card import say_test
from bosco.render.edited import say_chosen
from bosco.render.html import Table
from bosco.tree.tree import node_of

if TYPE_CHECKING:
    from bosco.models.model import Model

NEAR_TIE: float = _core.near_tie
"""A score within this part of the winner's is called a near-tie: other rows, another winner."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The best test of one column at one node.

    Attributes
    ----------
    column, test : str
        The column, and its test in words.
    gain : float
        The decrease of impurity, less the penalty.
    penalty : float
        What C4.5 takes off the gain of a threshold for having searched many; else 0.
    split_info, gain_ratio : float
        The information in the split itself, and the gain divided by it (NaN where it is 0).
    score : float
        What columns were compared by: the gain or the gain ratio. NaN: not in the running, because
        it has no ratio, gains too little, or gains less than the average of all candidates.
    margin : float
        How far the score is from the winner's.
    near_tie : bool
        Not the winner, but within 1 % of its score.
    chosen : bool
        The winner, or the test that a person chose instead.
    by_hand : bool
        A person chose it: margins are from the learner's own choice.
    own : bool
        What the learner would have chosen, where a person chose another.
    price : float
        What its answer costs a case there, where prices weigh: 0 if it is paid, or free.
    """

    column: str
    test: str
    gain: float
    penalty: float
    split_info: float
    gain_ratio: float
    score: float
    margin: float
    near_tie: bool
    chosen: bool
    by_hand: bool = False
    own: bool = False
    price: float = 0.0


_FIELDS = tuple(field.name for field in fields(Candidate))


@dataclass(frozen=True, slots=True)
class Why:
    """The candidates of one node, the winner first, then by score; of a leaf, why it is one.

    Iterating gives one `Candidate` per column that had a test to propose; `to_dict` gives columns,
    so that ``pandas.DataFrame(why.to_dict())`` is a table.

    Attributes
    ----------
    node : int
        The node.
    score : str
        What tests are compared by.
    candidates : tuple of Candidate
        The best test of each column. A leaf has them where tests were compared, and kept.
    ended : str or None
        Of a leaf, why it is one, in a word: "pure", "empty" (no row came here), "depth",
        "samples" (too few), "columns" (none is left), "constant" (no column has two values),
        "no_test" (none leaves enough in each branch), "gain" (none, or less than asked for),
        "penalty" (not paid), "leaves" (the limit), "pruned", "raised" (it ended when it held fewer
        rows), "by_hand" (a person grew it no further) or "unknown".
    reason : str
        The same in a sentence. Of an inner node, what is to be known of the comparison, if
        anything.
    priced : bool
        Whether gains were weighed against what answers cost: scores are then what they are worth.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> why = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_.why(0)
    >>> [(c.column, round(c.gain, 4)) for c in why][:2]
    [('Outlook', 0.2467), ('Humidity', 0.1518)]
    >>> why.near_tie
    False
    >>> print(DecisionTreeClassifier(max_depth=1).fit([[1], [2], [3]], [0, 1, 0]).model_.why(2))
    node 2, a leaf: It is at depth 1, and max_depth=1.
    """

    node: int
    score: str
    candidates: tuple[Candidate, ...]
    ended: str | None = None
    reason: str = ""
    priced: bool = False

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def chosen(self) -> Candidate:
        """The winner; a leaf has none."""
        if self.ended is not None:
            raise ModelError(f"Node {self.node} is a leaf: no test was chosen. {self.reason}")
        return self.candidates[0]

    @property
    def near_tie(self) -> bool:
        """Whether another column came within 1 % of the winner's score."""
        return any(candidate.near_tie for candidate in self.candidates)

    def to_dict(self) -> dict[str, list[Any]]:
        """The candidates as columns."""
        return {name: [getattr(c, name) for c in self.candidates] for name in _FIELDS}

    def _columns(self) -> list[str]:
        names = ["gain", "penalty", "split_info", "gain_ratio", "price", "score", "margin"]
        if not any(c.penalty for c in self.candidates):
            names.remove("penalty")
        return [name for name in names if self.priced or name not in ("price", "score")]

    @property
    def by(self) -> str:
        """What tests are compared by, in words."""
        score = BY[self.score]()
        return tr("{score} for its price", score=score) if self.priced else score

    def _heads(self, names: list[str]) -> list[str]:
        return [tr("test"), *(_HEADS[name]() for name in names), ""]

    def table(self) -> Table:
        """What a notebook or a report shows of it."""
        names = self._columns()
        rows = [[c.test, *(getattr(c, n) for n in names), _remark(c)] for c in self.candidates]
        caption = tr("Node {n}", n=self.node)
        by = self.by
        if self.ended is not None:
            caption += f", {tr('a leaf: {reason}', reason=self.reason)}"
        if self.candidates and self.ended:
            caption += " " + tr("Compared by {score}", score=by)
        elif self.candidates:
            caption += ", " + tr("compared by {score}", score=by)
        return Table(self._heads(names), rows, caption, [] if self.ended else [0])

    def _repr_html_(self) -> str:
        return self.table().to_html()

    def __str__(self) -> str:
        names = self._columns()
        if self.ended is not None:
            leaf = tr("a leaf: {reason}", reason=self.reason)
            lines = [f"{tr('node {n}', n=self.node)}, {leaf}"]
            if not self.candidates:
                return lines[0]
            lines.append(tr("compared by {score}", score=self.by))
        else:
            by = tr("compared by {score}", score=self.by)
            lines = [f"{tr('node {n}', n=self.node)}, {by}"]
            lines += [self.reason] if self.reason else []
        rows = [self._heads(names)]
        usual = 0.01 <= self.candidates[0].gain < 1000
        for c in self.candidates:
            values = [getattr(c, name) for name in names]
            numbers = [f"{x:.4f}".replace("nan", "–") if usual else show_figure(x) for x in values]
            rows.append([c.test, *numbers, _remark(c)])
        return "\n".join([*lines, *lay_out(rows, f"<{'>' * len(names)}<")])


BY = {
    "gain": phrase("gain", "score"),
    "gain_ratio": phrase("gain_ratio", "score"),
    "gain_ratio_above_average": phrase("gain_ratio_above_average", "score"),
}
"""What tests are compared by, in words."""

_HEADS = {
    "gain": phrase("gain"),
    "penalty": phrase("penalty"),
    "split_info": phrase("split_info"),
    "gain_ratio": phrase("gain_ratio"),
    "price": phrase("price"),
    "score": phrase("for its price"),
    "margin": phrase("margin"),
}


def _remark(candidate: Candidate) -> str:
    if candidate.by_hand:
        return tr("chosen, by hand")
    if candidate.own:
        return tr("the learner's own")
    if candidate.chosen:
        return tr("chosen")
    if candidate.near_tie:
        return tr("near-tie")
    return tr("out of the running") if math.isnan(candidate.score) else ""


def say_near(node: int) -> str:
    """That candidates far from the best were not kept."""
    return tr(
        "Every other column gains at least 1 % less. What each gains is told by the training rows: "
        "model.why({node}, X=X, y=y).",
        node=node,
    )


def say_not_kept(model: "Model", node: int) -> str:
    """Why an inner node has no candidates."""
    if model.growth.search == "optimal":
        if model.classes is None:
            return AS_A_WHOLE()
        hint = tr(
            "What each column's best subtree would cost: model.why({node}, X=X, y=y).", node=node
        )
        return f"{AS_A_WHOLE()} {hint}"
    if not model.growth.alone:
        return FARTHER()
    if not model.growth.record:
        not_kept = tr("The candidates were not kept when this tree was grown.")
        return f"{not_kept} {how_to_keep()}"
    reasons = []
    if not surely_kept(model, node):
        least = recorded_from(samples(model, 0))
        reasons.append(
            tr(
                "record='auto' keeps none of nodes with fewer than {least} samples (record=True "
                "does)",
                least=least,
            )
        )
    raised = model.log.raised()
    if node in raised or not (reasons and model.log.told):
        reasons.append(
            tr(
                "pruning raised the test of node {node} from below, where it was compared with "
                "others on fewer rows than the node has now",
                node=node,
            )
        )
    return tr("There are no candidates: {reasons}.", reasons=tr(", or ").join(reasons))


def why(model: "Model", node: int = 0) -> Why:
    """The best test of every column at a node, with gain, ratio and margin to the winner.

    Of a leaf, the reason why it is one, and what was compared there.

    Parameters
    ----------
    node : int, default=0
        Number of a node, as the text shows it.

    Returns
    -------
    Why
        One row per column; ``print`` it, iterate, or make a dataframe of ``to_dict()``. A leaf
        has its reason in ``ended`` (a word) and ``reason`` (a sentence).
    """
    native, node = model.tree.native, node_of(model.tree, node)
    found = compared(model, node)
    by, priced = model.growth.score, model.growth.weighs_prices
    above = model.log.raised() & set(model.tree.path(node))
    if native.test[node] < 0:
        end = ending(model, node)
        return Why(node, by, candidates(model, found, None), end.kind, end.reason, priced)
    if by_hand := model.edits.chosen.get(node):
        found, at = with_own(model, node, found)
        side_by_side = candidates(model, found, at, by_hand=True)
        note = tr("A person chose this test, {how}.", how=say_chosen(by_hand))
        return Why(node, by, side_by_side, None, note, priced)
    if not len(found):
        with speaking(ENGLISH):  # as all errors
            raise ModelError(say_not_kept(model, node))
    winner = int(native.tests.column[native.test[node]])
    at = next(i for i, test in enumerate(found.tests) if test.column == winner)
    note = ""
    if above:
        note = tr("Compared when it held fewer rows: {how}.", how=say_raised(max(above)))
    elif partly_kept(model, node):
        note = say_near(node)
    return Why(node, by, candidates(model, found, at), None, note, priced)


def with_own(model: "Model", node: int, found: Compared) -> tuple[Compared, int]:
    """What was compared at a node, the node's own test among it, and where that one is.

    A test by hand need not be the best of its column. What the split itself tells is known from the
    tree alone where no value of the column was missing.
    """
    own = model.tree.test(node)
    assert own is not None
    if own in found.tests:
        return found, found.tests.index(own)
    info, native = math.nan, model.tree.native
    if own.column in model.never_missing:
        below = model.tree.children(node)
        parts = model.tree.node_weight[below.start : below.stop] / model.tree.node_weight[node]
        info = -sum(p * math.log2(p) for p in parts.tolist() if p > 0)
    gains = [*found.gains, float(native.gain[node])]
    penalties, infos = [*found.penalties, 0.0], [*found.infos, info]
    return scored(model, node, [*found.tests, own], gains, penalties, infos), len(found)


def candidates(
    model: "Model", found: Compared, winner: int | None, *, by_hand: bool = False
) -> tuple[Candidate, ...]:
    """The candidates, the winner (of a leaf, none) first; by hand, it need not be the best."""
    scores = list(found.scores)
    first = found.best if winner is None else winner
    if winner is not None:  # in the running whatever rounding says
        scores[winner] = found.values[winner]
    own = found.best if by_hand else None
    best = math.nan if first is None else scores[first if own is None else own]
    columns = [test.column for test in found.tests]

    def rank(i: int) -> tuple[bool, bool, float, int]:
        """The first, those in the running by score, then the others by gain."""
        out = math.isnan(scores[i])
        return i != first, out, -found.gains[i] if out else -scores[i], columns[i]

    return tuple(
        Candidate(
            column=model.schema.columns[columns[i]].name,
            test=say_test(model.schema, found.tests[i]),
            gain=found.gains[i],
            penalty=found.penalties[i],
            split_info=found.infos[i],
            gain_ratio=found.ratios[i],
            score=scores[i],
            margin=0.0 if scores[i] > best else best - scores[i],  # by rounding
            near_tie=winner not in (None, i)
            and i != own
            and best - scores[i] <= NEAR_TIE * abs(best),
            chosen=i == winner,
            by_hand=by_hand and i == winner,
            own=i == own and i != winner,
            price=found.prices[i],
        )
        for i in sorted(range(len(found)), key=rank)
    )
