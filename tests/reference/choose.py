"""Choosing between columns (§4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .asking import Asked, price, weighs, worth
from .cuts import propose_intervals, propose_threshold
from .data import UNBOUNDED, Bounds, RefColumn, Rows, Table, tabulate
from .draw import propose_random, shuffled
from .levels import propose_group, propose_multiway, propose_one_vs_rest, propose_subset
from .scores import Decrease, log2
from .tree import CUT
from .trial import Proposal, Setting

SMALLEST = 1e-12  # of the impurity of a node: less is rounding, not a decrease

NOMINAL = {
    "multiway": propose_multiway,
    "subset": propose_subset,
    "one_vs_rest": propose_one_vs_rest,
    "group": propose_group,
}


def propose(setting: Setting, table: Table, key: int) -> Proposal | None:
    """The best test of one column."""
    growth = setting.growth
    missing = table.missing
    if growth["missing"] == "branch" and missing.weight and not setting.allows(missing):
        return None  # they would have a branch of their own
    if growth["splitter"] == "random":
        return propose_random(setting, table, key)
    if table.column.nominal:
        return NOMINAL[growth["nominal_test"]](setting, table)
    if growth["numeric_test"] == "intervals":
        return propose_intervals(setting, table)
    return propose_threshold(setting, table)


def visited(
    setting: Setting,
    columns: Sequence[RefColumn],
    rows: Rows,
    used: frozenset[int],
    key: int,
    bounds: tuple[float, float],
) -> list[Table]:
    """The tables of the columns looked at, by ascending column."""
    growth = setting.growth
    limit, signs = growth["max_features"], growth["monotonic"]
    tables: list[Table] = []
    order = shuffled(key, len(columns)) if limit >= 0 else range(len(columns))
    for index in order:
        if limit >= 0 and len(tables) >= limit:
            break
        if growth["reuse"] or index not in used:
            asked = Bounds(signs[index], *bounds) if signs else UNBOUNDED
            table = tabulate(index, columns[index], setting.target, rows, asked)
            if not constant(setting, table):
                tables.append(table)
    return sorted(tables, key=lambda table: table.index)


def constant(setting: Setting, table: Table) -> bool:
    """Whether a column has less than two values; ``learn`` takes missing for one more."""
    missing = setting.policy == "learn" and table.missing.weight > 0
    return len(table.codes) + missing < 2


@dataclass(frozen=True)
class Rated:
    """A proposal that counts, with the decrease that decides between columns."""

    proposal: Proposal
    decrease: Decrease

    @property
    def gain_ratio(self) -> float:
        scored = self.proposal.scored
        return self.decrease.value / float(scored.weight) / scored.split_info


CHANCE = {"entropy": 0.5 / math.log(2), "log_loss": 0.5 / math.log(2), "error": 0.0}
FREE_LEVELS = 7


def chance(setting: Setting, impurity: float) -> float:
    """What one degree of freedom gains by chance, times the rows."""
    criterion = setting.criterion
    if criterion.endswith("poisson"):
        return setting.measure / 2
    if setting.medians:
        return impurity / 2
    if criterion == "sqrt":
        return 1 / (8 * impurity) if impurity > 0 else 0.0
    if criterion == "scaled_entropy":
        return CHANCE["entropy"] / 2
    return CHANCE.get(criterion.split()[-1], impurity)


def penalty(setting: Setting, proposal: Proposal, impurity: float) -> float:
    """What having searched many thresholds (C4.5, release 8) or many level sets costs."""
    growth, distinct = setting.growth, len(proposal.table.codes)
    if proposal.table.column.nominal:
        levels = distinct + (setting.policy == "learn" and proposal.table.missing.weight > 0)
        subset = growth["nominal_test"] == "subset" and growth["splitter"] == "best"
        if not (growth["subset_penalty"] and subset and levels > FREE_LEVELS):
            return 0.0
        rows = proposal.table.whole.count / setting.unit
        return 4 / math.pi * (levels - FREE_LEVELS) * chance(setting, impurity) / rows
    if not growth["penalty"]:
        return 0.0
    searched = growth["numeric_test"] == "threshold" and growth["splitter"] == "best"
    if not (searched and proposal.test.kind == CUT):
        return 0.0
    known, left, tries = proposal.table.known, setting.total([]), 0
    least = setting.least_side(known)
    for cell in proposal.table.cells[:-1]:
        left = left + cell
        tries += setting.large(left, least) and setting.large(known - left, least)
    return log2(float(tries)) / (proposal.table.whole.count / setting.unit) if tries > 1 else 0.0


def penalised(setting: Setting, proposal: Proposal, impurity: float) -> Decrease:
    """The decrease less the penalty."""
    plain, lost = proposal.scored.decrease, penalty(setting, proposal, impurity)
    if lost == 0.0:
        return plain
    return Decrease(plain.value - float(proposal.scored.weight) * lost)


def choose(
    setting: Setting,
    proposals: Sequence[Proposal],
    impurity: float,
    whole_weight: int,
    asked: Asked = (),
) -> Proposal | None:
    """The test of a node, given the best test of each column by ascending column."""
    growth = setting.growth
    counting: list[Rated] = []
    tried: list[float] = []
    for proposal in proposals:
        lost = penalty(setting, proposal, impurity)
        found = penalised(setting, proposal, impurity)
        if found.value < 0.0 and found is proposal.scored.decrease:
            found = Decrease(0.0, (0, 1))  # by rounding; a penalty may take more than the gain
        pays = lost > 0.0 or (growth["penalty"] and proposal.test.kind == CUT)
        if not pays or found.value > 0.0:
            tried.append(found.value)
        if growth["penalty"] and found.value <= 0.0:
            continue
        smallest = SMALLEST * float(proposal.scored.weight) * impurity
        if not growth["zero_gain"] and not found.value > smallest:
            continue
        gained = max(found.value, 0.0)
        gained /= setting.measure
        of_node = gained / float(proposal.scored.weight) >= growth["min_gain"]
        if of_node and gained / float(whole_weight) >= growth["min_impurity_decrease"]:
            counting.append(Rated(proposal, found))
    if growth["score"] == "gain_ratio_above_average" and counting:
        acc = 0.0
        for value in tried:
            acc += value
        n = float(len(tried))
        slack = 1e-12 * abs(acc)
        if growth["penalty"]:
            slack += 1e-3 * float(counting[0].proposal.scored.weight) * n
        counting = [rated for rated in counting if rated.decrease.value * n >= acc - slack]
    if weighs(growth.get("asking")):
        return cheapest(setting, counting, impurity, asked)
    if growth["score"] == "gain":
        best: Rated | None = None
        for rated in counting:
            best = rated if best is None or rated.decrease.exceeds(best.decrease) else best
        return None if best is None else best.proposal
    rated_by = [(r.gain_ratio, r) for r in counting if r.proposal.scored.split_info > 0.0]
    most = max((ratio for ratio, _ in rated_by), default=0.0)
    equals = [r.proposal for ratio, r in rated_by if ratio >= most - SMALLEST * abs(most)]
    return equals[0] if equals else None


def cheapest(
    setting: Setting, counting: Sequence[Rated], impurity: float, asked: Asked
) -> Proposal | None:
    """The test that is worth most at its price; of equals the cheapest, then the first."""
    asking, plain = setting.growth["asking"], setting.growth["score"] == "gain"
    rated: list[tuple[float, float, Proposal]] = []
    for one in counting:
        scored, table = one.proposal.scored, one.proposal.table
        if not plain and not scored.split_info > 0.0:
            continue
        gain = one.decrease.value / float(scored.weight) if plain else one.gain_ratio
        if plain and setting.target.n_classes == 0:
            gain /= impurity
        cost = price(asking, table.index, asked, table.whole.weight)
        rated.append((worth(asking, gain, cost), cost, one.proposal))
    most = max((value for value, _, _ in rated), default=0.0)
    equals = [(cost, one) for value, cost, one in rated if value >= most - SMALLEST * abs(most)]
    return min(equals, key=lambda found: found[0])[1] if equals else None
