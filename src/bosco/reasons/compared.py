"""What was compared at a node: the best test of every column, as numbers."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bosco.growth import recorded_from
from bosco.settings.settings import UNLIMITED
from bosco.tree.conditions import Interval, Test, read_test
from bosco.tree.prices import asked_above

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True, slots=True)
class Compared:
    """The candidates of a node, by ascending column: those that had a test to propose."""

    tests: list[Test]  # the best of each column
    gains: list[float]  # less the penalty
    penalties: list[float]
    infos: list[float]  # of the split itself
    ratios: list[float]  # gain over information; NaN where that is 0
    prices: list[float]  # of the answers, as growing counts them there
    values: list[float]  # what columns are compared by
    scores: list[float]  # the same of those in the running; NaN: it is not

    def __len__(self) -> int:
        return len(self.tests)

    @property
    def best(self) -> int | None:
        """The one that wins, of equals the cheapest, then the lowest column; None: none does."""
        running = [i for i, score in enumerate(self.scores) if not math.isnan(score)]
        most = max((self.scores[i] for i in running), default=math.nan)
        # Ratios that differ by rounding are equal, as the grower has it.
        near = most - 1e-12 * abs(most)
        equal = [i for i in running if self.scores[i] >= near]
        return min(equal, key=lambda i: (self.prices[i], i), default=None)


def compared(model: "Model", node: int) -> Compared:
    """The candidates of a node that were kept; there may be none."""
    native = model.tree.native
    begin, end = native.candidate_begin[node : node + 2].tolist()
    return scored(
        model,
        node,
        [read_test(native.candidates, i) for i in range(begin, end)],
        (native.candidate_gain[begin:end] - native.candidate_penalty[begin:end]).tolist(),
        native.candidate_penalty[begin:end].tolist(),
        native.candidate_split_info[begin:end].tolist(),
    )


def scored(
    model: "Model",
    node: int,
    tests: list[Test],
    gains: list[float],
    penalties: list[float],
    infos: list[float],
) -> Compared:
    """Tests of a node with what they are compared by; gains are less the penalties."""
    if not tests:  # a leaf without rows, say
        return Compared([], [], [], [], [], [], [], [])
    growth = model.growth
    ratios = [g / si if si > 0 else math.nan for g, si in zip(gains, infos, strict=True)]
    bar = -math.inf
    if growth.score == "gain_ratio_above_average":
        # The average gain of the tests that were tried; a thousandth less where thresholds pay.
        cuts = [isinstance(test.branches[0], Interval) for test in tests]
        tried = [
            gain
            for gain, lost, cut in zip(gains, penalties, cuts, strict=True)
            if gain > 0 or not (lost > 0 or (growth.penalty and cut))
        ]
        bar = sum(tried) / max(len(tried), 1) - (1e-3 if growth.penalty else 0.0)
    # The grower compares exact decreases; here a hair of slack keeps equal gains in the running.
    hair = 1 - 1e-12
    part = share(model, node) or math.inf  # of a node without rows nothing is asked
    least = max(growth.min_impurity_decrease / part, growth.min_gain) * hair
    smallest, scores = nothing(model, node), []
    prices, values = priced(model, node, tests, gains if growth.score == "gain" else ratios)
    for gain, value in zip(gains, values, strict=True):
        gains_none = (growth.penalty and gain <= 0) or (not growth.zero_gain and gain <= smallest)
        counts = not gains_none and max(gain, 0.0) >= least and gain >= bar * hair
        scores.append(value if counts else math.nan)
    return Compared(tests, gains, penalties, infos, ratios, prices, values, scores)


def priced(
    model: "Model", node: int, tests: list[Test], gained: list[float]
) -> tuple[list[float], list[float]]:
    """What tests cost at a node, and what their gains are worth, if prices weigh."""
    asking = model.growth.asking
    if asking is None or not asking.weighs:
        return [0.0] * len(tests), gained
    asked, weight = asked_above(model.tree, node), float(model.tree.node_weight[node])
    prices = [asking.price_at(test.column, asked, weight) for test in tests]
    # Gains of numbers have no unit of their own: what counts is the part of the impurity.
    whole = 1.0
    if model.classes is None:
        whole = float(model.tree.native.impurity[node]) or 1.0
    return prices, [asking.worth(g / whole, p) for g, p in zip(gained, prices, strict=True)]


def nothing(model: "Model", node: int) -> float:
    """The gain that is none: what rounding may leave."""
    return 1e-12 * float(model.tree.native.impurity[node])


def share(model: "Model", node: int) -> float:
    """The node's part of the weight of all rows."""
    return float(model.tree.node_weight[node] / model.tree.node_weight[0])


def samples(model: "Model", node: int) -> float:
    """How many samples a node holds."""
    native = model.tree.native
    return float(native.count[node]) / native.count_scale


def partly_kept(model: "Model", node: int) -> bool:
    """Whether those candidates of a node alone were kept that are nearly as good as the best."""
    most = model.growth.record_whole
    return model.growth.record and most != UNLIMITED and samples(model, node) > most


def surely_kept(model: "Model", node: int) -> bool:
    """Whether a node's candidates were kept if there were any, whatever `record` was."""
    return samples(model, node) >= recorded_from(samples(model, 0))
