"""One column of cells: its levels, codes and dtypes."""

import numpy as np
import pytest

from bosco.data.columns import (
    Coded,
    Numbers,
    booleans,
    first_inexact,
    level_unit,
    plain,
    real,
    width,
)
from bosco.data.objects import is_missing, refuse_complex
from bosco.data.readers import from_array
from bosco.data.schema import Column
from bosco.data.target import class_codes, encode_among, encode_labels, encode_values
from bosco.errors import KindError


def test_codes_take_the_narrowest_dtype() -> None:
    assert (width(255), width(256), width(2**16)) == (np.uint8, np.uint16, np.uint32)


def test_distinct_numbers_are_levels() -> None:
    assert Numbers(np.array([2, 1, 2])).coded().levels == (1, 2)


@pytest.mark.parametrize("dtype", ["u8", "i8", "u1", "f8"])
def test_whole_numbers_of_any_width_are_levels_and_classes(dtype: str) -> None:
    x = np.array([0, 3, 0, 2], dtype)
    cells = Numbers(x).coded()
    assert (cells.codes.tolist(), cells.levels) == ([1, 3, 1, 2], (0, 2, 3))
    classes, codes = class_codes(x)
    assert (classes.dtype, classes.tolist(), codes.tolist()) == (x.dtype, [0, 2, 3], [0, 2, 0, 1])


def test_levels_are_plain_values_of_one_unit() -> None:
    assert (plain(np.int8(3)), plain(np.datetime64("2020-01-01"))) == (3, "2020-01-01")
    levels: tuple[tuple[str | bool | int, ...], ...] = (("a", "b"), (1, 2), (False, True), ())
    assert [level_unit(each) for each in levels] == ["text", "number", "boolean", "text"]
    assert booleans(np.array([2, 0], np.uint8)).levels == (False, True)
    assert Column("windy", "nominal", (False, True), "boolean").levels == (False, True)


def test_truth_values_of_numpy_are_codes() -> None:
    cells = from_array(np.array([True, False]), "smoker")
    assert isinstance(cells, Coded)
    assert cells.codes.tolist() == [2, 1]


def test_numbers_are_widened_where_the_core_cannot_read_them() -> None:
    assert real(np.array([1.5], np.float16)).dtype == np.float32


def test_whole_numbers_that_no_float_holds_are_found() -> None:
    assert first_inexact(np.array([2**53, 2**53 + 1])) == 1
    assert first_inexact(np.array([2**60])) == -1


def test_what_is_missing_and_what_is_no_number() -> None:
    assert [is_missing(v) for v in (None, float("nan"), 0)] == [True, True, False]
    with pytest.raises(
        KindError, match=r"Complex data not supported\. Hint: give \.real and \.imag"
    ):
        refuse_complex()


def test_targets_by_class_and_by_weight() -> None:
    assert encode_labels([3, 1, 3], None, None, False).classes.tolist() == [1, 3]
    among = encode_among(["b"], np.array(["a", "b"]), None, False)
    assert (among.classes.tolist(), among.codes.tolist()) == (["a", "b"], [1])
    assert encode_values([0.5, 2.5], [3, 1], False).samples == 4
    assert encode_values([1.5, 2.5], [0.5, 0.25], False).weight == 0.75
