"""Labels, real targets and weights."""

from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

from bosco.data.recipe import Outcome, class_factors, class_scaling, own_scaling
from bosco.data.target import class_codes, encode_labels, encode_values, real_numbers
from bosco.data.weights import Weights, read_weights
from bosco.errors import DataError, ParameterError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def classes_and_codes(y: Any) -> tuple[Any, list[int]]:
    classes, codes = class_codes(y)
    assert codes.dtype == np.uint32
    return classes, codes.tolist()


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a"], dtype=object),
        [3, 1, 3],
        np.array([-5, 2**62, 0]),
        np.array([2**63, 0, 2**64 - 1], np.uint64),
        np.array([-128, 127], np.int8),
        [True, False, True],
        np.array([1.0, -1.0, 1.0]),
        np.array([1e300, 0.0]),
        np.array([1.0, 2.0], np.float32),
        np.array(["2020-01-02", "2020-01-01"], "M8[D]"),
        np.array([b"x", b"a"]),
        ["only"],
    ],
)
def test_classes_are_as_numpy_finds_them(y: Any) -> None:
    expected, inverse = np.unique(y, return_inverse=True)
    classes, codes = classes_and_codes(y)
    assert classes.dtype == expected.dtype
    assert classes.tolist() == expected.tolist()
    assert codes == inverse.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), min_size=1))
def test_classes_of_any_whole_numbers(y: list[int]) -> None:
    array = np.array(y, np.int64)
    expected, inverse = np.unique(array, return_inverse=True)
    classes, codes = classes_and_codes(array)
    assert classes.tolist() == expected.tolist()
    assert codes == inverse.tolist()


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype=object),
        pd.Series(pd.Categorical(["b", "a", "b"], ["z", "b", "a"])),
        pd.Categorical(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a", "c"])),
        pa.array(["b", "a", "b"]),
        pa.chunked_array([["b"], ["a", "b"]]).dictionary_encode(),
        ("b", "a", "b"),
    ],
)
def test_labels_of_any_series(series: Any) -> None:
    classes, codes = classes_and_codes(series)
    assert (classes.tolist(), codes) == (["a", "b"], [1, 0, 1])


def test_other_series() -> None:
    assert classes_and_codes(pd.Series([2, 1], dtype="Int64"))[0].tolist() == [1, 2]
    assert classes_and_codes(pl.Series([True, False]))[0].dtype == bool
    assert classes_and_codes(np.array([2, 1], dtype=object))[1] == [1, 0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0.5, 1.0], "Unknown label type: continuous"),
        ([np.inf, 1.0], "Unknown label type: continuous"),
        ([1.0, np.nan], "Input y contains NaN: the target of row 1"),
        (["a", None], "row 1"),
        (["a", float("nan"), "b"], "contains NaN: the target of row 1"),
        (("a", "b", np.nan), "contains NaN: the target of row 2"),
        (["a", 1.5], "'y' mixes text and numbers: row 0 is 'a', row 1 is 1.5"),
        (["1", 1], "'y' mixes text and numbers: row 0 is '1', row 1 is 1"),
        (csr_array(np.eye(2)), "sparse multilabel-indicator for y is not supported"),
        (pd.Series(["a", None]), "contains NaN: the target of row 1"),
        (pd.Series([1, None], dtype="Int64"), "row 1"),
        (pl.Series([1, None]), "row 1"),
        (pa.array(["a", None]).dictionary_encode(), "row 1"),
        (np.ma.masked_array([1, 2], [True, False]), "row 0"),
        ([["a", "b"], ["c", "d"]], r"y should be a 1d array, got an array of shape \(2, 2\)"),
        ([], "0 sample"),
        ("abc", "1d array"),
        (np.array([1, "a"], dtype=object), "'y' mixes numbers and text"),
        ([1j, 2], "Complex data not supported"),
        ([np.datetime64("NaT")], "row 0"),
        ([{"a": 1}], "row 0"),
    ],
)
def test_bad_labels(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_labels(y, None, None, False)


def test_a_column_vector_is_taken_with_a_warning() -> None:
    column = np.array([[1], [2]])
    for y in (column, pd.DataFrame(column), pl.DataFrame(column)):
        with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
            labels = encode_labels(y, None, None, False)
        assert labels.classes.tolist() == [1, 2]


def test_encoded_labels() -> None:
    labels = encode_labels(["b", "a", "c", "b"], [2, 1, 0, 3], None, False)
    assert labels.classes.tolist() == ["a", "b"]  # the only c is absent
    assert labels.keep is not None
    assert labels.keep.tolist() == [True, True, False, True]
    assert (labels.n_rows, labels.samples, labels.weight) == (4, 6, 6.0)
    plain = encode_labels([0, 1], None, None, True)
    assert (plain.keep, plain.samples, plain.weight) == (None, 2, 2.0)
    assert encode_labels([0, 1], [0.5, 0.25], None, False).samples == 2


def test_missing_labels_of_absent_rows_do_not_matter() -> None:
    assert encode_labels(["a", None, "b"], [1, 0, 1], None, False).samples == 2
    with pytest.raises(DataError, match="row 2"):
        encode_labels(["a", None, None], [1, 0, 1], None, False)
    assert encode_values([1.0, np.nan], [1, 0], False).samples == 1
    with pytest.raises(DataError, match="row 2"):
        encode_values([1.0, np.nan, np.nan], [1, 0, 1], False)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "negative value: row 1 is -1.0"),
        ([1, np.nan], "NaN: row 1"),
        ([np.inf, 1], "infinity: row 0"),
        ([1], r"sample_weight.shape == \(1,\), expected \(2,\)"),
        ([[1], [1]], r"sample_weight.shape == \(2, 1\), expected \(2,\)"),
        ([0, 0], "all weights are zero"),
        ([1e-300, 1e-301], "too small"),
        (["a", "b"], "one number for each row"),
    ],
)
def test_bad_weights(weights: Any, message: str) -> None:
    for encode in (
        lambda: encode_labels([0, 1], weights, None, False),
        lambda: encode_values([0, 1], weights, False),
    ):
        with pytest.raises(DataError, match=message):
            encode()


def test_reading_weights() -> None:
    assert read_weights(None, 3) == (None, None)
    assert read_weights([1, 1, 1], 3) == (None, None)
    weights, keep = read_weights(2.0, 2)
    assert weights is not None
    assert (weights.tolist(), keep) == ([2, 2], None)
    for form in (pd.Series([0.0, 0.5]), pl.Series([0.0, 0.5]), [0, 0.5], np.float32([0, 0.5])):
        weights, keep = read_weights(form, 2)
        assert weights is not None
        assert keep is not None
        assert (weights.tolist(), keep.tolist()) == ([0.5], [False, True])


def asked(codes: Any, sample: Any) -> Outcome:
    """Rows of these classes and weights."""
    return Outcome(len(codes), None, sample, codes, np.zeros(0))


def times_class(sample: Any, factor: Any, codes: Any, limit: int) -> Weights:
    return class_scaling(asked(codes, sample), factor, limit).apply(sample, codes, len(codes))


def fixed(sample: Any = None, limit: int = 2**52) -> Weights:
    given = None if sample is None else np.array(sample, np.float64)
    n = 3 if sample is None else len(sample)
    rows = asked(np.zeros(n, np.uint32), given)
    return own_scaling(rows, limit, limit).apply(given, rows.codes, n)


def test_whole_weights_are_samples() -> None:
    assert fixed() == fixed() or fixed().weight is None
    whole = fixed([2, 3])
    assert whole.weight is not None
    assert (whole.weight.tolist(), whole.count, whole.scale) == ([2, 3], None, 1.0)
    assert (whole.samples, whole.total) == (5, 5.0)


def test_other_weights_count_rows() -> None:
    halves = fixed([0.5, 1.5])
    assert halves.weight is not None
    assert halves.count is not None
    assert (halves.weight.tolist(), halves.count.tolist(), halves.scale) == ([1, 3], [1, 1], 2.0)
    large = fixed([2.0**60, 2.0**60])
    assert large.count is not None
    assert large.count.tolist() == [1, 1]
    assert large.total == 2.0**61


def test_class_weight_changes_weights_not_samples() -> None:
    factor, codes = np.array([1.5, 1.0]), np.array([0, 1], np.uint32)
    both = times_class(np.array([2.0, 3.0]), factor, codes, 2**52)
    assert both.weight is not None
    assert both.count is not None
    assert (both.weight / both.scale).tolist() == [3.0, 3.0]
    assert both.count.tolist() == [2, 3]
    labels = encode_labels([0, 1, 1], [2, 1, 1], {0: 3}, False)
    assert (labels.samples, labels.weight) == (4, 8.0)


LABELS = st.lists(st.sampled_from("abc"), min_size=1)


@given(LABELS)
def test_balanced_is_as_in_scikit_learn(y: list[str]) -> None:
    classes, codes = np.unique(y, return_inverse=True)
    factors = class_factors("balanced", classes, asked(codes.astype(np.uint32), None))
    assert factors is not None
    np.testing.assert_allclose(factors[codes], compute_sample_weight("balanced", y))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.01, 10)), min_size=1))
def test_balanced_weights_balance(rows: list[tuple[str, float]]) -> None:
    y, weights = zip(*rows, strict=True)
    classes, codes = np.unique(y, return_inverse=True)
    sample = np.array(weights)
    factors = class_factors("balanced", classes, asked(codes.astype(np.uint32), sample))
    assert factors is not None
    np.testing.assert_allclose(
        np.bincount(codes, sample * factors[codes]), sample.sum() / len(classes)
    )


def test_a_repeated_row_is_balanced_like_weight_two() -> None:
    codes = np.array([0, 1, 1], np.uint32)
    twice = class_factors("balanced", np.array([0, 1]), asked(codes, None))
    weighted = class_factors("balanced", np.array([0, 1]), asked(codes[:2], np.array([1.0, 2.0])))
    assert twice is not None
    assert weighted is not None
    assert twice.tolist() == weighted.tolist()


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 40), st.integers(1, 4)), min_size=1),
    st.sampled_from(["balanced", {"a": 1 / 3, "b": 2.7, "c": 1e-3}]),
    st.booleans(),
)
def test_class_weights_of_repeated_rows(
    rows: list[tuple[str, int, int]], class_weight: Any, fractional: bool
) -> None:
    """A row of weight w, k times, weighs exactly what one of weight k * w does."""
    y, sixteenths, times = (np.array(part) for part in zip(*rows, strict=True))
    weight = sixteenths / 16
    if isinstance(class_weight, dict):
        class_weight = {label: class_weight[label] for label in set(y.tolist())}
    sample, codes = weight * times, np.unique(y, return_inverse=True)[1].astype(np.uint32)
    factor = class_factors(class_weight, np.unique(y), asked(codes, sample))
    repeated = np.repeat(np.arange(len(y)), times)
    again = class_factors(class_weight, np.unique(y), asked(codes[repeated], weight[repeated]))
    assert factor is not None
    assert again is not None
    assert factor.tolist() == again.tolist()
    limit = 2**38 if fractional else 2**52
    once = times_class(sample, factor, codes, limit)
    copies = times_class(weight[repeated], again, codes[repeated], limit)
    assert once.weight is not None
    assert copies.weight is not None
    assert max(once.weight.sum(), copies.weight.sum()) < limit
    parts = np.add.reduceat(copies.weight, np.cumsum(times) - times) / copies.scale
    assert (once.weight / once.scale).tolist() == parts.tolist()
    np.testing.assert_allclose(parts, sample * factor[codes], rtol=1e-3 if fractional else 1e-7)


def test_a_class_of_weight_zero_is_absent_but_known() -> None:
    labels = encode_labels(["a", "b", "c"], [1, 1, 0], {"b": 0}, False)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.keep is not None
    assert labels.keep.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"yse": 2.0}, r"'yse', which is not a class.*Did you mean 'yes'\?"),
        ({"yes": -1.0}, r"class_weight\['yes'\].*not negative"),
        ({"yes": "2"}, "finite number"),
        ({"yes": np.inf}, "finite number"),
        ("balance", "'balanced' or None"),
        ([1.0, 2.0], "mapping of classes"),
    ],
)
def test_bad_class_weights(class_weight: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        encode_labels(["yes", "no"], None, class_weight, False)


def test_class_weights_must_leave_a_class() -> None:
    with pytest.raises(DataError, match="zero weight"):
        encode_labels(["yes", "no"], None, {"yes": 0, "no": 0}, False)
    with pytest.raises(DataError, match="range of float64"):
        encode_labels(["yes", "no"], [1e300, 1], {"yes": 1e300, "no": 1}, False)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2],
        np.array([1.5, -2.5], np.float32),
        [True, False],
        np.array([1e308, -1e308]),
        [Decimal("0.5"), 2],
        np.array([1, 2.5], dtype=object),
        pd.Series([1, 2], dtype="Int64"),
        pd.Series([True, False]),
        pl.Series([0.5, 1.5]),
        pa.array([1, 2]),
    ],
)
def test_real_targets(y: Any) -> None:
    expected = [float(v) for v in (y.to_pylist() if hasattr(y, "to_pylist") else y)]
    real = real_numbers(y)
    assert real.dtype == np.float64
    assert real.tolist() == expected
    values = encode_values(y, None, False)
    assert (values.n_rows, values.samples, values.weight) == (2, 2, 2.0)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "target y is None"),
        ([1.0, np.nan], "Input y contains NaN: the target of row 1"),
        ([1.0, -np.inf], "Input y contains infinity.*row 1 is -inf"),
        (["a", "b"], "must hold numbers.*Hint: a classifier"),
        (pd.Series(["a", "b"]), r"text \('a'"),
        ([date(2020, 1, 1)], "must hold numbers"),
        (np.array(["2020"], "M8[D]"), "dtype datetime64"),
        ([2**53 + 1], r"row 0: 9007199254740993.*Hint"),
        ([[1.0, 2.0]], "y should be a 1d array"),
        ([1j], "Complex data not supported"),
    ],
)
def test_bad_real_targets(y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_values(y, None, False)


@pytest.mark.parametrize("fractional", [False, True])
def test_real_targets_of_any_size(fractional: bool) -> None:
    for y in ([5.0], [3.0, 3.0], [1e308, -1e308], [1e-300, 1e300], [5e-324, 0.0], [1e15, 1e15 + 1]):
        weights = np.linspace(0.1, 1, len(y))
        assert encode_values(y, weights, fractional).n_rows == len(y)
