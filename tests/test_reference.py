"""The reference itself, against figures worked out by hand and against scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.reference import RefColumn, RefTarget, RefTree, grow, route
from tests.reference.cuts import threshold_between
from tests.reference.data import Cell
from tests.reference.draw import mix, shuffled
from tests.reference.grow import shares
from tests.reference.scores import decrease, impurity, log2, split_info
from tests.strategies import growth

NAN = math.nan


def tally(*weights: int) -> Cell:
    return Cell(weights, sum(weights), sum(weights))


def nominal(values: Sequence[Any], domain: Sequence[Any]) -> RefColumn:
    """A nominal column; None is missing."""
    codes = [0 if v is None else domain.index(v) + 1 for v in values]
    return RefColumn("nominal", codes, [], len(domain))


def numeric(values: Sequence[float]) -> RefColumn:
    known = sorted({x for x in values if not math.isnan(x)})
    codes = [0 if math.isnan(x) else known.index(x) + 1 for x in values]
    return RefColumn("numeric", codes, known, len(known))


def classes(labels: Sequence[int], n_classes: int = 2) -> RefTarget:
    return RefTarget([1] * len(labels), list(labels), n_classes)


# Worked figures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criterion", "expected"), [("error", 0.25), ("entropy", 0.3113), ("gini", 0.1667)]
)
def test_gain_of_an_even_node(criterion: str, expected: float) -> None:
    found = decrease([tally(200, 400), tally(200, 0)], tally(400, 400), criterion)
    assert found.value / 800 == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [("error", 0.0), ("gini", 0.08), ("scaled_entropy", 0.1182), ("sqrt", 0.1551)],
)
def test_gain_where_the_error_sees_nothing(criterion: str, expected: float) -> None:
    found = decrease([tally(2, 3), tally(0, 5)], tally(2, 8), criterion)
    assert found.value / 10 == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("criterion", ["error", "gini", "scaled_entropy", "sqrt"])
def test_impurities_meet_at_one_half(criterion: str) -> None:
    assert impurity(tally(7, 7), criterion) == 0.5
    assert impurity(tally(7, 0), criterion) == 0.0


def test_impurities_of_three_classes() -> None:
    third = tally(2, 2, 2)
    assert impurity(third, "error") == pytest.approx(2 / 3)
    assert impurity(third, "gini") == pytest.approx(2 / 3)
    assert impurity(third, "entropy") == pytest.approx(math.log2(3))
    assert impurity(third, "sqrt") == pytest.approx(math.sqrt(2 / 9) * 3 / 2)


def test_logarithm() -> None:
    for x in (1.0, 2.0, 1024.0, 0.125):
        assert log2(x) == math.log2(x)
    for x in (3.0, 0.3, 1.4142135, 1e300, 5e-324, 123456789.0):
        assert log2(x) == pytest.approx(math.log2(x), rel=1e-15)


def test_split_information_leaves_out_empty_branches() -> None:
    assert split_info([4, 4, 0, 4, 4]) == 2.0
    assert split_info([5, 0]) == 0.0


def test_exact_and_rounded_decreases_agree() -> None:
    random = Random(0)
    for _ in range(200):
        left = tally(*(random.randint(1, 50) for _ in range(3)))
        right = tally(*(random.randint(1, 50) for _ in range(3)))
        whole = left + right
        by_pair = decrease([left, right], whole, "gini").value
        by_impurity = sum(
            sign * c.weight * impurity(c, "gini")
            for sign, c in ((1, whole), (-1, left), (-1, right))
        )
        assert by_pair == pytest.approx(by_impurity, abs=1e-9)


# Play-tennis, golf, loans ------------------------------------------------------------------------

TENNIS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""
OUTLOOK = ["Sunny", "Overcast", "Rain"]
ID3 = growth(criterion="entropy", nominal_test="multiway", reuse=False, zero_gain=True)


def tennis(day: bool = False) -> tuple[list[RefColumn], RefTarget]:
    """Outlook, Temperature, Humidity, Wind, and if asked for Day."""
    rows = [line.split() for line in TENNIS.split("\n") if line]
    domains = [OUTLOOK, ["Hot", "Mild", "Cool"], ["High", "Normal"], ["Weak", "Strong"]]
    columns = [nominal([row[j] for row in rows], domain) for j, domain in enumerate(domains)]
    if day:
        columns.append(nominal(range(14), range(14)))
    return columns, classes([int(row[4] == "Yes") for row in rows])


def test_play_tennis_gains() -> None:
    columns, target = tennis(day=True)
    tree = grow(columns, target, ID3)
    assert tree.impurity[0] == pytest.approx(0.9403, abs=5e-5)
    gains = [candidate.gain for candidate in tree.candidates[0]]
    assert gains == pytest.approx([0.2467, 0.0292, 0.1518, 0.0481, 0.9403], abs=5e-5)
    ratios = [candidate.gain / candidate.split_info for candidate in tree.candidates[0]]
    assert ratios == pytest.approx([0.1564, 0.0188, 0.1518, 0.0488, 0.2470], abs=5e-5)


@pytest.mark.parametrize("score", ["gain", "gain_ratio", "gain_ratio_above_average"])
def test_an_identifier_wins_by_every_score(score: str) -> None:
    tree = grow(*tennis(day=True), ID3 | {"score": score})
    assert tree.test[0] is not None
    assert tree.test[0].column == 4


def test_play_tennis_tree() -> None:
    columns, target = tennis()
    tree = grow(columns, target, ID3)
    used = [None if test is None else test.column for test in tree.test]
    # root Outlook; Sunny, Overcast, Rain are 1, 2, 3; below Sunny Humidity, below Rain Wind
    assert used == [0, 2, None, 3, None, None, None, None]
    assert [tree.label(leaf) for leaf in (2, 4, 5, 6, 7)] == [1, 0, 1, 1, 0]
    assert tree.first_child == [1, 4, -1, 6, -1, -1, -1, -1]
    assert [tree.label(leaf) for leaf in route(tree, columns)] == list(target.classes or [])


def test_golf_has_a_numeric_cut_halfway() -> None:
    outlook = list("ssorrrossrsoor")
    temperature = [85.0, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
    humidity = [85.0, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80]
    windy = [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1]
    play = [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0]
    columns = [
        nominal(outlook, ["s", "o", "r"]),
        numeric(temperature),
        numeric(humidity),
        nominal(windy, [0, 1]),
    ]
    tree = grow(columns, classes(play), growth(criterion="entropy", nominal_test="multiway"))
    assert [t.column if t else None for t in tree.test[:4]] == [0, 2, None, 3]
    assert tree.test[1] is not None
    assert tree.test[1].thresholds == (77.5,)
    assert tree.n_nodes == 8


def test_loans_stump() -> None:
    counts = {("excellent", 1): 9, ("fair", 1): 9, ("fair", 0): 4, ("poor", 1): 4, ("poor", 0): 14}
    reputation = [value for (value, _), n in counts.items() for _ in range(n)]
    safe = [label for (_, label), n in counts.items() for _ in range(n)]
    short = {1: 16, 0: 4}  # of the safe and of the risky loans: 10 of 40 are then on the wrong side
    seen = {1: 0, 0: 0}
    term = []
    for label in safe:
        seen[label] += 1
        term.append("3 years" if seen[label] <= short[label] else "5 years")
    columns = [
        nominal(term, ["3 years", "5 years"]),
        nominal(reputation, ["excellent", "fair", "poor"]),
    ]
    stump = growth(criterion="error", nominal_test="multiway", max_depth=1)
    tree = grow(columns, classes(safe), stump)
    assert tree.tally[0] == (18, 22)
    assert tree.test[0] is not None
    assert tree.test[0].column == 1
    errors = [tree.impurity[0] - candidate.gain for candidate in tree.candidates[0]]
    assert errors == pytest.approx([0.25, 0.20])
    wrong = sum(sum(tree.tally[leaf]) - max(tree.tally[leaf]) for leaf in tree.leaves)
    assert wrong / 40 == 0.20


# ID3's two corner cases --------------------------------------------------------------------------


def test_an_empty_partition_predicts_what_its_parent_predicts() -> None:
    column = nominal(["a", "a", "b", "b", "b"], ["a", "b", "never"])
    tree = grow([column], classes([0, 0, 1, 1, 1]), ID3)
    assert tree.n_children[0] == 3
    empty = tree.first_child[0] + 2
    assert tree.tally[empty] == (0, 0)
    assert tree.count[empty] == 0
    assert tree.value[empty] == tree.value[0] == [0.4, 0.6]
    assert tree.label(empty) == 1


def test_no_attributes_left_gives_a_majority_leaf() -> None:
    column = nominal(["a", "a", "a", "b"], ["a", "b"])
    tree = grow([column], classes([0, 1, 1, 0]), ID3)
    assert tree.n_nodes == 3
    assert tree.tally[1] == (1, 2)
    assert [tree.label(leaf) for leaf in tree.leaves] == [1, 0]


def test_a_tie_goes_to_the_second_of_two() -> None:
    tree = grow([numeric([1.0, 1.0])], classes([0, 1]), growth())
    assert tree.n_nodes == 1
    assert tree.label(0) == 1


# Thresholds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "midpoint", "rounded"),
    [
        (1.0, 2.0, 1.5, 1.0),  # 1 and 2 are as near to 1.5, but 2 is not left of the gap
        (12.0, 18.0, 15.0, 15.0),
        (95.0, 105.0, 100.0, 100.0),
        (12.25, 18.75, 15.5, 15.0),
        (0.07, 0.13, 0.1, 0.1),
        (-1.0, 5.0, 2.0, 0.0),  # 0 is the shortest decimal
        (0.0, 5.0, 2.5, 0.0),
        (-0.37, -0.21, -0.29, -0.3),
        (0.1, math.nextafter(0.1, 1.0), 0.1, 0.1),
        (-1e308, 1e308, 0.0, 0.0),
        (5.0, math.inf, 5.0, 5.0),
        (-math.inf, 5.0, -math.inf, -math.inf),
        (-math.inf, -5.0, -math.inf, -math.inf),
        (-math.inf, math.inf, -math.inf, -math.inf),
    ],
)
def test_where_a_threshold_lies(a: float, b: float, midpoint: float, rounded: float) -> None:
    assert threshold_between(a, b, "midpoint") == pytest.approx(midpoint, rel=1e-15)
    assert threshold_between(a, b, "observed") == a
    assert threshold_between(a, b, "round") == rounded
    for rule in ("midpoint", "observed", "round"):
        assert a <= threshold_between(a, b, rule) < b


# Missing values ----------------------------------------------------------------------------------


def test_missing_against_known_is_a_test_of_its_own() -> None:
    column = numeric([1.0, 2.0, 3.0, NAN, NAN])
    tree = grow([column], classes([0, 0, 0, 1, 1]), growth())
    assert tree.test[0] is not None
    assert (tree.test[0].thresholds, tree.test[0].missing) == ((math.inf,), 1)
    assert tree.tally == [(3, 2), (3, 0), (0, 2)]


def test_missing_rows_learn_the_better_side_and_prefer_the_right() -> None:
    column = numeric([1.0, 2.0, NAN])
    for label, side in ((0, 0), (1, 1)):
        tree = grow([column], classes([0, 1, label]), growth())
        assert tree.test[0] is not None
        assert tree.test[0].missing == side


def test_missing_rows_have_their_own_branch() -> None:
    column = nominal(["a", "b", None], ["a", "b"])
    settings = growth(missing="branch", nominal_test="multiway")
    tree = grow([column], classes([0, 1, 1]), settings)
    assert tree.test[0] is not None
    assert (tree.test[0].branches, tree.test[0].missing, tree.test[0].jumps) == (3, 2, (2, 0, 1))
    assert tree.tally[1:] == [(1, 0), (0, 1), (0, 1)]


def test_shares_are_whole_and_complete() -> None:
    known = [tally(1, 0), tally(1, 0), tally(1, 0)]
    assert shares(1 << 24, known) == [5592406, 5592405, 5592405]
    assert shares(1, [tally(1, 2), tally(3, 1)]) == [0, 1]


def test_fractional_gain_counts_the_known_rows_only() -> None:
    outlook = nominal(
        [
            None if i == 11 else v
            for i, v in enumerate(OUTLOOK[c - 1] for c in tennis()[0][0].codes)
        ],
        OUTLOOK,
    )
    settings = growth(criterion="entropy", nominal_test="multiway", missing="fractional")
    tree = grow([outlook], tennis()[1], settings | {"max_depth": 1})
    # Quinlan's example (1993, §3.2): 13 known rows, gain 13/14 × 0.214, missing a fourth branch
    (candidate,) = tree.candidates[0]
    assert candidate.gain == pytest.approx(0.199, abs=5e-4)
    assert candidate.split_info == pytest.approx(1.809, abs=5e-4)
    unit = 1 << 24
    assert tree.weight_scale == tree.count_scale == unit
    sunny = tree.tally[1]
    assert sunny[0] == 3 * unit
    assert sunny[1] == 2 * unit + unit * 5 // 13 + unit - sum(unit * k // 13 for k in (5, 3, 5))


def test_surrogates_stand_in_by_agreement() -> None:
    primary = numeric([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, NAN, NAN])
    inverted = numeric([9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0, NAN])
    nearly = nominal([*"aaabba", "a", None], ["a", "b", "c"])
    settings = growth(missing="surrogate", max_depth=1)
    columns = [inverted, nearly, primary]
    tree = grow(columns, classes([0, 0, 0, 1, 1, 1, 1, 0]), settings)
    assert tree.test[0] is not None
    assert tree.test[0].column == 0  # as good as the other cut, and known for one row more
    first, second = tree.surrogates[0]
    assert (first.column, first.thresholds, first.flip) == (2, (3.5,), True)
    assert (second.column, second.jumps) == (1, (0, 1, 0, 0))
    assert tree.tally[1:] == [(1, 4), (3, 0)]  # the last row is known to none: the majority


def test_missing_values_can_be_refused() -> None:
    with pytest.raises(ValueError, match="missing"):
        grow([numeric([1.0, NAN])], classes([0, 1]), growth(missing="error"))


# Randomness --------------------------------------------------------------------------------------


def test_mixing_is_splitmix() -> None:
    assert mix(0, 0) == 0xE220A8397B1DCDAF  # the first number of splitmix64 from state 0
    assert mix(1, 2) != mix(2, 1)
    assert sorted(shuffled(7, 10)) == list(range(10))


# scikit-learn ------------------------------------------------------------------------------------


def near_tie(tree: RefTree, node: int) -> bool:
    gains = sorted(candidate.gain for candidate in tree.candidates[node])
    return len(gains) > 1 and math.isclose(gains[-1], gains[-2], rel_tol=1e-9)


def agreeing_nodes(ours: RefTree, theirs: Any) -> int:
    """Compare two trees from their roots down; below a tie between columns neither is right."""
    compared, pairs = 0, [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        compared += 1
        assert ours.weight(a) == theirs.weighted_n_node_samples[b]
        assert ours.count[a] == theirs.n_node_samples[b]
        assert ours.impurity[a] == pytest.approx(theirs.impurity[b], rel=1e-9, abs=1e-9)
        test = ours.test[a]
        if test is None:
            assert theirs.children_left[b] == -1
        elif not near_tie(ours, a):
            assert test.column == theirs.feature[b]
            assert test.thresholds == (theirs.threshold[b],)
            left = ours.first_child[a]
            pairs += [(left, theirs.children_left[b]), (left + 1, theirs.children_right[b])]
    return compared


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_equals_scikit_learn_where_nothing_ties(criterion: str) -> None:
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(-4000, 4000, size=(60, 3)) / 16.0  # numbers that float32 holds too
        weight = rng.integers(1, 10_000, size=60).tolist()
        columns = [numeric(list(X[:, j])) for j in range(3)]
        if criterion == "squared_error":
            y = rng.integers(-1000, 1000, size=60).tolist()
            target = RefTarget(weight, y=y, count=[1] * 60)
            peer: Any = DecisionTreeRegressor(random_state=0)
        else:
            y = rng.integers(0, 3, size=60).tolist()
            target = RefTarget(weight, y, 3, count=[1] * 60)
            peer = DecisionTreeClassifier(criterion=criterion, random_state=0)
        peer.fit(X, y, sample_weight=np.array(weight, float))
        compared += agreeing_nodes(grow(columns, target, growth(criterion=criterion)), peer.tree_)
    assert compared > 250
