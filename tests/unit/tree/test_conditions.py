"""Which branch a value takes is said by its condition, and the core takes the same one."""

import numpy as np
import pytest

from bosco import DecisionTreeClassifier
from bosco.data.frame import Frame
from bosco.tree.conditions import Interval, Members

pandas = pytest.importorskip("pandas")

LEVELS = ["xs", "s", "m", "l", "xl"]


def rows(n: int = 300) -> pandas.DataFrame:
    rng = np.random.default_rng(3)
    table = pandas.DataFrame(
        {
            "number": rng.integers(0, 9, n) / 2,
            "size": pandas.Categorical(rng.choice(LEVELS, n), LEVELS, ordered=True),
            "town": pandas.Categorical(rng.choice(["a", "b", "c", "d"], n)),
        }
    )
    for name in table:
        table.loc[rng.random(n) < 0.1, name] = None
    return table


def test_intervals_hold_for_arrays_as_for_values() -> None:
    x = np.array([-np.inf, 1.0, 1.5, 2.0, 2.5, np.inf, np.nan])
    for low in (None, 1.0, 2.0):
        for high in (None, 2.0, np.inf):
            for missing in (False, True):
                way = Interval(0, low, high, missing)
                one_by_one = [bool(way.holds(value)) for value in x.tolist()]
                assert np.broadcast_to(way.holds(x), x.shape).tolist() == one_by_one
                assert one_by_one[-1] is missing


def test_places_are_the_levels_that_hold() -> None:
    for low in (None, 0.5, 1.0, 2.5):
        for high in (None, 2.0, 2.5, 4.0):
            way = Interval(0, low, high, False)
            assert [*way.places(5)] == [i for i in range(5) if way.holds(float(i))]
    members = Members(0, (1, 3), True)
    assert [*members.places(4)] == [i for i in range(4) if members.holds(i + 1)]


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "surrogate"])
@pytest.mark.parametrize("nominal_test", ["subset", "one_vs_rest"])
def test_every_row_goes_where_its_condition_says(missing: str, nominal_test: str) -> None:
    X = rows()
    y = (X["number"].fillna(1) > 2) ^ X["size"].isin(["s", "m"]) ^ (X["town"] == "b")
    tree = DecisionTreeClassifier(missing=missing, nominal_test=nominal_test, max_depth=4)
    model = tree.fit(X, y).model_
    reached = [set(model.tree.path(leaf)) for leaf in model.apply(X).tolist()]
    cells = Frame.read(X, model.schema).table
    for node in np.flatnonzero(model.tree.native.test >= 0).tolist():
        test = model.tree.test(node)
        assert test is not None
        column = cells.column(test.column)
        values = column.codes - 1.0 if test.column else np.asarray(column.values, float)
        values = np.where(np.asarray(values) == -1.0, np.nan, values)
        for way, child in zip(test.branches, model.tree.children(node), strict=True):
            places = {*way.places(len(model.schema.columns[test.column].levels or ()))}
            for i, path in enumerate(reached):
                if node not in path or (missing == "surrogate" and np.isnan(values[i])):
                    continue
                if np.isnan(values[i]):
                    goes = way.missing
                elif isinstance(way, Interval):
                    goes = bool(way.holds(values[i]))
                else:
                    goes = int(values[i]) in places
                assert goes == (child in path)


def test_shares_of_a_missing_value_are_those_of_the_known_ones() -> None:
    X = rows()
    model = DecisionTreeClassifier(missing="fractional", max_depth=1).fit(X, X["number"] > 2).model_
    shares = model.tree.shares(0)
    assert [child for child, _ in shares] == list(model.tree.children(0))
    assert sum(share for _, share in shares) == pytest.approx(1.0)
    (_, told), *_ = [(c, s) for c, s in shares]
    asked = model.explain({"number": None, "size": "m", "town": "a"})
    first = model.tree.native.value[1:3, 1]
    assert asked.shares[True] == pytest.approx(told * first[0] + (1 - told) * first[1])
