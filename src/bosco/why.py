"""Why a node has the test it has: the best test of every column, side by side."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from operator import index
from typing import TYPE_CHECKING, Any

from bosco.conditions import CUT, read_test
from bosco.errors import ModelError
from bosco.growth import RECORD_CELLS, recorded_from
from bosco.render.card import say_test
from bosco.render.html import Table

if TYPE_CHECKING:
    from bosco.model import Model

NEAR_TIE = 0.01
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
        The winner.
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


_FIELDS = tuple(field.name for field in fields(Candidate))


@dataclass(frozen=True, slots=True)
class Why:
    """The candidates of one node, the winner first, then by score.

    Iterating gives one `Candidate` per column that had a test to propose; `to_dict` gives columns,
    so that ``pandas.DataFrame(why.to_dict())`` is a table.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> why = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_.why(0)
    >>> [(c.column, round(c.gain, 4)) for c in why][:2]
    [('Outlook', 0.2467), ('Humidity', 0.1518)]
    >>> why.near_tie
    False
    """

    node: int
    score: str
    candidates: tuple[Candidate, ...]

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def chosen(self) -> Candidate:
        """The winner."""
        return self.candidates[0]

    @property
    def near_tie(self) -> bool:
        """Whether another column came within 1 % of the winner's score."""
        return any(candidate.near_tie for candidate in self.candidates)

    def to_dict(self) -> dict[str, list[Any]]:
        """The candidates as columns."""
        return {name: [getattr(c, name) for c in self.candidates] for name in _FIELDS}

    def _columns(self) -> list[str]:
        names = ["gain", "penalty", "split_info", "gain_ratio", "margin"]
        if not any(c.penalty for c in self.candidates):
            names.remove("penalty")
        return names

    def table(self) -> Table:
        """What a notebook or a report shows of it."""
        names = self._columns()
        rows = [[c.test, *(getattr(c, n) for n in names), _remark(c)] for c in self.candidates]
        caption = f"Node {self.node}, compared by {self.score}"
        return Table(["test", *names, ""], rows, caption, [0])

    def _repr_html_(self) -> str:
        return self.table().to_html()

    def __str__(self) -> str:
        names = self._columns()
        rows = [["test", *names, ""]]
        digits = ".4f" if 0.01 <= self.chosen.gain < 1000 else ".4g"
        for c in self.candidates:
            numbers = [f"{getattr(c, name):{digits}}" for name in names]
            rows.append([c.test, *(n.replace("nan", "–") for n in numbers), _remark(c)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:-1], widths[1:-1]), row[-1]]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([f"node {self.node}, compared by {self.score}", *lines])


def _remark(candidate: Candidate) -> str:
    if candidate.chosen:
        return "chosen"
    if candidate.near_tie:
        return "near-tie"
    return "out of the running" if math.isnan(candidate.score) else ""


def _say_not_kept(model: "Model", node: int) -> str:
    """Why a node of a tree that kept candidates has none."""
    native = model.tree.native
    least = recorded_from(float(native.count[0]) / native.count_scale)
    few = float(native.count[node]) / native.count_scale < least
    reasons = []
    if few:
        reasons.append(
            f"record='auto' keeps none of nodes with fewer than {least} samples (record=True does)"
        )
    if not few or any((step.raised >= 0).any() for step in model.log.steps):
        reasons.append(
            f"pruning raised the test of node {node} from below, where it was compared with others "
            f"on fewer rows than the node has now"
        )
    return f"There are no candidates: {', or '.join(reasons)}."


def why(model: "Model", node: int) -> Why:
    """Table the candidates of a node; see `Model.why`."""
    native = model.tree.native
    try:
        node = index(node)
    except TypeError:
        message = f"A node is asked for by its number, as the text shows it. Got {node!r}."
        raise ModelError(message) from None
    if not 0 <= node < native.n_nodes:
        raise ModelError(f"There is no node {node}: the tree has nodes 0 to {native.n_nodes - 1}.")
    if native.test[node] < 0:
        raise ModelError(f"Node {node} is a leaf: no test was chosen there, nothing was compared.")
    begin, end = native.candidate_begin[node : node + 2].tolist() if model.growth.record else (0, 0)
    if begin == end and model.growth.record:
        raise ModelError(_say_not_kept(model, node))
    if begin == end:
        raise ModelError(
            "The candidates were not kept when this tree was grown. Fit again with record=True "
            f"(the default keeps them for tables of up to {RECORD_CELLS:,} cells)."
        )
    penalties = native.candidate_penalty[begin:end].tolist()
    gains = (native.candidate_gain[begin:end] - native.candidate_penalty[begin:end]).tolist()
    infos = native.candidate_split_info[begin:end].tolist()
    winner = int(native.tests.column[native.test[node]])
    tests = [read_test(native.candidates, i) for i in range(begin, end)]
    ratios = [g / si if si > 0 else math.nan for g, si in zip(gains, infos, strict=True)]
    least = _least_gain(model, node)
    if model.growth.score == "gain_ratio_above_average":
        cuts = (native.candidates.kind[begin:end] == CUT).tolist()
        least = max(least, _bar(model.growth.penalty, gains, penalties, cuts))
    scores = _scores(model.growth.score, gains, ratios, least)
    columns = [test.column for test in tests]
    best = _score_of_winner(model.growth.score, columns.index(winner), gains, ratios)
    scores[columns.index(winner)] = best
    order = sorted(
        range(len(tests)),
        key=lambda i: (columns[i] != winner, *_rank(scores[i], gains[i]), columns[i]),
    )
    return Why(
        node,
        model.growth.score,
        tuple(
            Candidate(
                column=model.schema.columns[columns[i]].name,
                test=say_test(model.schema, tests[i]),
                gain=gains[i],
                penalty=penalties[i],
                split_info=infos[i],
                gain_ratio=ratios[i],
                score=scores[i],
                margin=0.0 if scores[i] > best else best - scores[i],  # by rounding
                near_tie=columns[i] != winner and best - scores[i] <= NEAR_TIE * abs(best),
                chosen=columns[i] == winner,
            )
            for i in order
        ),
    )


def _rank(score: float, gain: float) -> tuple[bool, float]:
    """Those in the running by score, then the others by gain."""
    return (True, -gain) if math.isnan(score) else (False, -score)


def _least_gain(model: "Model", node: int) -> float:
    """The gain below which a test does not count at a node."""
    native, growth = model.tree.native, model.growth
    share = float(model.tree.node_weight[node] / model.tree.node_weight[0])
    least = growth.min_impurity_decrease / share
    return least if growth.zero_gain else max(least, 1e-12 * float(native.impurity[node]))


def _bar(searched: bool, gains: list[float], penalties: list[float], cuts: list[bool]) -> float:
    """The average gain of the tests that were tried; a thousandth less where thresholds pay."""
    tried = [
        gain
        for gain, lost, cut in zip(gains, penalties, cuts, strict=True)
        if gain > 0 or not (lost > 0 or (searched and cut))
    ]
    return sum(tried) / max(len(tried), 1) - (1e-3 if searched else 0.0)


def _scores(score: str, gains: list[float], ratios: list[float], least: float) -> list[float]:
    """What the columns were compared by; NaN for those out of the running."""
    # The grower compares exact decreases; here a hair of slack keeps equal gains in the running.
    slack = 1 - 1e-12
    compared = gains if score == "gain" else ratios
    return [
        value if gain >= least * slack else math.nan
        for gain, value in zip(gains, compared, strict=True)
    ]


def _score_of_winner(score: str, at: int, gains: list[float], ratios: list[float]) -> float:
    """The winner is in the running whatever rounding says."""
    return gains[at] if score == "gain" else ratios[at]
