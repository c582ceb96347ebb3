"""Growing (§5, §6, §8): leaves, the frontier, shares of rows, monotone bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .asking import weighs
from .choose import choose, penalty, propose, visited
from .data import Cell, Growth, RefColumn, RefTarget, Rows, heaviest
from .draw import mix
from .medians import best, prices
from .scores import half_deviance, impurity, mean_square_deviation
from .surrogates import find_surrogates
from .tree import Candidate, RefTree, Test
from .trial import Proposal, Setting

WHOLE_ROW = 1 << 24


@dataclass
class Open:
    """A node that may still split; it dies with the growing."""

    number: int
    rows: Rows
    depth: int
    used: frozenset[int]
    key: int
    low: float
    high: float
    plan: Proposal | None = None
    asked: tuple[tuple[int, int], ...] = ()


def grow(columns: Sequence[RefColumn], target: RefTarget, growth: Growth) -> RefTree:
    """The tree that ``docs/growing.md`` says grows from these columns."""
    return Grower([column.plain() for column in columns], target, growth).grow()


class Grower:
    def __init__(self, columns: list[RefColumn], target: RefTarget, growth: Growth) -> None:
        any_missing = any(0 in column.codes for column in columns)
        if growth["missing"] == "error" and any_missing:
            raise ValueError("missing values are refused")
        unit = WHOLE_ROW if growth["missing"] == "fractional" and any_missing else 1
        self.columns, self.target, self.growth = columns, target, growth
        self.setting = Setting(growth, target, unit)
        self.tree = RefTree(
            target.n_classes, target.weight_scale * unit, float(unit), target.center, target.scale
        )
        self.whole_weight = 0

    def grow(self) -> RefTree:
        growth, tree = self.growth, self.tree
        rows = [(row, self.setting.unit) for row in range(len(self.target.weight))]
        self.whole_weight = self.cell(rows).weight
        key = mix(growth["seed"], growth["tree"])
        root = Open(0, rows, 0, frozenset(), key, float("-inf"), float("inf"))
        self.add(root, parent=-1, known=self.whole_weight)
        frontier = [root]
        while frontier:
            node = self.take(frontier)
            if node.plan is None:
                continue
            leaves = len(tree.leaves) - 1 + node.plan.test.branches
            if 0 <= growth["max_leaf_nodes"] < leaves:
                continue
            children = self.expand(node)
            frontier += reversed(children) if growth["order"] == "depth" else children
        for leaf in tree.leaves:
            tree.gain[leaf] = 0.0
        if growth["missing"] == "fractional" and self.setting.unit == 1:
            self.make_room()
        return tree

    def make_room(self) -> None:
        """Give tallies room for shares, though no row was shared out in growing."""
        tree = self.tree
        tree.weight_scale *= WHOLE_ROW
        tree.count_scale *= WHOLE_ROW
        tree.tally = [tuple(WHOLE_ROW * t for t in tally) for tally in tree.tally]
        tree.count = [WHOLE_ROW * count for count in tree.count]
        tree.known = [WHOLE_ROW * known for known in tree.known]

    def take(self, frontier: list[Open]) -> Open:
        """Remove from the frontier the node whose turn it is."""
        if self.growth["order"] == "depth":
            return frontier.pop()
        if self.growth["order"] == "breadth":
            return frontier.pop(0)

        def turn(node: Open) -> tuple[float, int]:
            gained = node.plan.scored.decrease.value if node.plan else 0.0
            return -max(gained, 0.0), node.number

        return frontier.pop(frontier.index(min(frontier, key=turn)))

    def cell(self, rows: Rows) -> Cell:
        return self.setting.total([self.target.cell(row, share) for row, share in rows])

    def add(self, node: Open, parent: int, known: int) -> None:
        """Write a node as a leaf, and find the test it would have."""
        tree, cell = self.tree, self.cell(node.rows)
        spread = self.spread(node, cell)
        real = self.setting.measure
        tree.test.append(None)
        tree.parent.append(parent)
        tree.first_child.append(-1)
        tree.n_children.append(0)
        tree.tally.append(cell.tally)
        tree.count.append(cell.count)
        tree.known.append(known)
        tree.value.append(self.value(node, cell, parent))
        tree.impurity.append(spread / real)
        tree.surrogates.append([])
        proposals = [] if self.closed(node, cell) else self.proposals(node)
        node.plan = choose(self.setting, proposals, spread, self.whole_weight, node.asked)
        gained = max(node.plan.scored.decrease.value, 0.0) if node.plan else 0.0
        tree.gain.append(gained / float(cell.weight) / real if cell.weight else 0.0)
        tree.candidates.append([])
        for proposal in self.recorded(proposals, cell, spread):
            scored = proposal.scored
            gain = scored.decrease.value / float(cell.weight) / real
            lost = penalty(self.setting, proposal, spread)
            tree.candidates[-1].append(Candidate(proposal.test, gain, scored.split_info, lost))

    def recorded(self, proposals: list[Proposal], cell: Cell, spread: float) -> list[Proposal]:
        """The candidates that are kept: all, or of a large node those near the best."""
        growth = self.growth
        if not growth["record"]:
            return []
        few = growth["record_whole"]
        plain = growth["score"] == "gain" and not weighs(growth.get("asking"))
        if not plain or few < 0 or cell.count <= few * self.setting.unit:
            return proposals
        weight = float(cell.weight)
        net = [
            p.scored.decrease.value - penalty(self.setting, p, spread) * weight for p in proposals
        ]
        best = max(net, default=0.0)
        return [p for p, own in zip(proposals, net, strict=True) if best <= 0 or own >= 0.99 * best]

    def spread(self, node: Open, cell: Cell) -> float:
        """The impurity of a node, for regression in fixed-point units."""
        target, criterion = self.target, self.setting.criterion
        if target.n_classes or criterion.endswith("entropy"):
            return impurity(cell, criterion)
        if self.setting.medians:
            above, below, unit = prices(criterion, self.setting.quantile)
            return best(cell, above, below)[0] / unit / cell.weight if cell.weight else 0.0
        weights = [int(target.weight[row]) * share for row, share in node.rows]
        numbers = zip(*(target.learned(row) for row, _ in node.rows), strict=True)
        own = half_deviance if criterion.endswith("poisson") else mean_square_deviation
        each = [own(weights, y) for y in numbers]
        return sum(each) / target.outputs

    def value(self, node: Open, cell: Cell, parent: int) -> list[float]:
        """Class shares or mean, as a leaf shows them: within the node's bounds."""
        if cell.weight == 0:
            return list(self.tree.value[parent])
        if self.setting.medians:
            above, below, _ = prices(self.setting.criterion, self.setting.quantile)
            middle = best(cell, above, below)[1]
            return [self.target.center + float(middle) / self.target.scale]
        if self.target.numbers is not None:
            return [s / cell.weight / self.target.scale for s in cell.tally[1:]]
        if not self.target.n_classes:
            mean = min(max(cell.position, node.low), node.high)
            return [self.target.center + mean / self.target.scale]
        if self.growth["monotonic"]:
            second = min(max(cell.position, node.low), node.high)
            return [1.0 - second, second]
        return [c / cell.weight for c in cell.tally]

    def closed(self, node: Open, cell: Cell) -> bool:
        """Whether a node is a leaf before any table is made."""
        growth, unit = self.growth, self.setting.unit
        if self.target.n_classes:
            pure = max(cell.tally) == cell.weight
        else:
            pure = len({self.target.learned(row) for row, _ in node.rows}) <= 1
        return (
            pure
            or node.depth == growth["max_depth"]
            or cell.count < growth["min_samples_split"] * unit
            or cell.count < 2 * growth["min_samples_leaf"] * unit
        )

    def proposals(self, node: Open) -> list[Proposal]:
        bounds = node.low, node.high
        tables = visited(self.setting, self.columns, node.rows, node.used, node.key, bounds)
        found = [propose(self.setting, table, node.key) for table in tables]
        return [proposal for proposal in found if proposal is not None]

    def expand(self, node: Open) -> list[Open]:
        """Give a node its test and its children the next numbers."""
        tree, plan = self.tree, node.plan
        assert plan is not None
        test = plan.test
        tree.test[node.number] = test
        tree.first_child[node.number] = tree.n_nodes
        tree.n_children[node.number] = test.branches
        if self.growth["missing"] == "surrogate":
            tree.surrogates[node.number] = find_surrogates(
                test, self.columns, self.target, node.rows, self.growth
            )
        children = []
        parts, known = self.part(test, tree.surrogates[node.number], node.rows)
        for branch, rows in enumerate(parts):
            low, high = self.child_bounds(node, test, branch, parts)
            child = Open(
                tree.n_nodes,
                rows,
                node.depth + 1,
                node.used | {test.column},
                mix(node.key, branch + 1),
                low,
                high,
                asked=(*node.asked, (test.column, self.cell(node.rows).weight)),
            )
            self.add(child, parent=node.number, known=known[branch].weight)
            children.append(child)
        return children

    def part(self, test: Test, stand_ins: list[Test], rows: Rows) -> tuple[list[Rows], list[Cell]]:
        """The rows of each branch, with their shares, and the sum of those not shared out."""
        parts: list[Rows] = [[] for _ in range(test.branches)]
        unknown: Rows = []
        for row, share in rows:
            branch = test.branch(self.columns[test.column], row)
            for stand_in in stand_ins:
                if branch is None:
                    branch = stand_in.branch(self.columns[stand_in.column], row)
            if branch is None and test.missing >= 0:
                branch = test.missing
            if branch is None:
                unknown.append((row, share))
            else:
                parts[branch].append((row, share))
        known = [self.cell(part) for part in parts]
        for row, share in unknown:
            for branch, part_ in enumerate(shares(share, known)):
                if part_:
                    parts[branch].append((row, part_))
        return parts, known

    def child_bounds(
        self, node: Open, test: Test, branch: int, parts: list[Rows]
    ) -> tuple[float, float]:
        """A split on a constrained column divides the bounds at the middle of its two values."""
        signs = self.growth["monotonic"]
        sign = signs[test.column] if signs else 0
        if sign == 0 or branch > 1:
            return node.low, node.high
        left, right = (self.cell(parts[v]).position for v in (0, 1))
        middle = (left + right) / 2.0
        below = (branch == 0) == (sign > 0)
        return (node.low, middle) if below else (middle, node.high)


def shares(share: int, known: Sequence[Cell]) -> list[int]:
    """A missing row's share, divided among branches in proportion to their known weight."""
    whole = sum(cell.weight for cell in known)
    parts = [share * cell.weight // whole for cell in known]
    parts[heaviest(known)] += share - sum(parts)
    return parts
