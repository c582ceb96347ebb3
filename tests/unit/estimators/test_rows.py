"""Rows as fits draw and part them."""

import numpy as np

from bosco.data.readers import read_table
from bosco.estimators.bagging import Draws
from bosco.estimators.contents import content_order
from bosco.growth import resolve


def test_rows_in_the_order_of_what_they_hold() -> None:
    rows = np.array([[1.0, np.nan], [0.0, 2.0], [-0.0, 3.0]])
    one, two = (content_order(read_table(X)) for X in (rows, rows[::-1]))
    assert np.array_equal(rows[one, 1], rows[::-1][two, 1], equal_nan=True)


def test_a_sample_has_as_many_rows_as_are_drawn() -> None:
    growth = resolve("cart", "classification", samples=4, columns=1, weight=4.0, seed=1)
    assert Draws(growth, 4, 4, True, None).times(0).sum() == 4
