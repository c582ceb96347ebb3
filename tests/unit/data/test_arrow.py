"""What is odd about columns of Arrow, and of those who are made of them."""

from decimal import Decimal

import numpy as np
import pytest

from bosco.data.columns import Coded
from bosco.data.readers import read_table, read_values

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("form", ["arrow", "polars", "pandas_arrow"])
def test_decimals_are_the_numbers_of_their_digits(form: str) -> None:
    texts = [f"{k / 10:.1f}" for k in range(-40, 41)] + ["12345678901234.5"]
    column = pa.array([*map(Decimal, texts), None], pa.decimal128(18, 1))
    if form == "polars":
        column = pl.Series(column)
    elif form == "pandas_arrow":
        column = pd.Series(column, dtype=pd.ArrowDtype(column.type))
    values = read_values(column, "a").values
    assert values[:-1].tolist() == [float(text) for text in texts]
    assert np.isnan(values[-1])


def test_dictionaries_of_unsigned_codes() -> None:
    codes = pa.array([1, None, 0], pa.uint8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["x", "y"]))
    cells = read_table(pa.table({"a": column})).column(0)
    assert isinstance(cells, Coded)
    assert (cells.codes.tolist(), cells.levels) == ([2, 0, 1], ("x", "y"))
