"""Any X becomes the same table."""

import warnings
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import bosco
from bosco import DecisionTreeClassifier
from bosco.data.columns import Coded, Numbers
from bosco.data.readers import read_table, read_values
from bosco.errors import DataError, KindError

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

FORMS = ["dict", "dicts", "pandas", "pandas_object", "pandas_arrow", "polars", "arrow", "chunks"]
DATA: dict[str, list[Any]] = {
    "float": [1.5, None, -np.inf],
    "int": [3, None, 2**53],
    "whole": [1, 2, -3],
    "bool": [True, None, False],
    "text": ["b", None, "a"],
    "day": [date(2020, 1, 1), None, date(1960, 2, 3)],
    "when": [datetime(2020, 1, 1, 12), None, datetime(1960, 2, 3)],
    "length": [timedelta(1), None, timedelta(microseconds=5)],
    "nothing": [None, None, None],
}


def in_form(form: str, data: dict[str, list[Any]]) -> Any:
    if form == "dict":
        return data
    if form == "dicts":
        return [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    if form == "pandas":
        return pd.DataFrame(data)
    if form == "pandas_object":
        return pd.DataFrame(data, dtype=object)
    if form == "pandas_arrow":
        return pa.table(data).to_pandas(types_mapper=pd.ArrowDtype)
    if form == "polars":
        return pl.DataFrame(data)
    table = pa.table(data)
    return pa.concat_tables([table[:1], table[1:]]) if form == "chunks" else table


@pytest.mark.parametrize("form", FORMS)
def test_one_table_in_every_form(form: str) -> None:
    table = read_table(in_form(form, DATA))
    columns = {name: table.column(j) for j, name in enumerate(table.names)}
    assert (table.names, table.named, table.n_rows) == (tuple(DATA), True, 3)
    expected = {
        "float": [1.5, np.nan, -np.inf],
        "int": [3, np.nan, 2**53],
        "whole": [1, 2, -3],
        "day": [18262, np.nan, -3620],
        "when": [18262.5 * 86_400e6, np.nan, -3620 * 86_400e6],
        "length": [86_400e6, np.nan, 5],
        "nothing": [np.nan] * 3,
    }
    for name, values in expected.items():
        cells = columns[name]
        assert isinstance(cells, Numbers), name
        factor = 86_400e6 if name == "day" and cells.unit == "datetime" else 1  # pandas has no date
        np.testing.assert_array_equal(cells.values, np.multiply(values, factor), err_msg=name)
    for name, codes, levels in (
        ("bool", [2, 0, 1], (False, True)),
        ("text", [2, 0, 1], ("a", "b")),
    ):
        cells = columns[name]
        assert isinstance(cells, Coded)
        assert (cells.codes.tolist(), cells.levels) == (codes, levels)
        assert cells.codes.dtype == np.uint8


TEXTS = st.lists(
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=1
)


@settings(max_examples=50)
@given(TEXTS, st.sampled_from(FORMS))
def test_text_is_sorted_and_coded_alike(values: list[str | None], form: str) -> None:
    cells = read_table(in_form(form, {"t": values})).column(0)
    known = [v for v in values if v is not None]
    if not known:
        return
    assert isinstance(cells, Coded)
    assert cells.levels == tuple(sorted(set(known)))
    back = [None if code == 0 else cells.levels[code - 1] for code in cells.codes.tolist()]
    assert back == values


def test_categories_bring_their_domain() -> None:
    codes = np.array([1, -1, 0], np.int8)
    frames = [
        pd.DataFrame({"c": pd.Categorical.from_codes(codes, ["low", "high", "never"])}),
        pl.DataFrame(
            {"c": pl.Series(["high", None, "low"], dtype=pl.Enum(["low", "high", "never"]))}
        ),
        pa.table(
            {"c": pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), ["low", "high", "never"])}
        ),
    ]
    for frame in frames:
        cells = read_table(frame).column(0)
        assert isinstance(cells, Coded)
        assert (cells.levels, cells.codes.tolist()) == (("low", "high", "never"), [2, 0, 1])
        assert cells.declared
        assert not cells.ordered
    categories = pl.DataFrame({"c": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical)})
    cells = read_table(categories).column(0)
    assert isinstance(cells, Coded)
    assert (cells.levels, cells.codes.tolist()) == (("a", "b"), [2, 0, 1, 2])


def test_ordered_categories_stay_ordered() -> None:
    ordered = pd.Categorical(["s", "l"], ["s", "m", "l"], ordered=True)
    assert read_table(pd.DataFrame({"c": ordered})).column(0).ordered
    cut = pd.cut(pd.Series([1, 15]), [0, 10, 20])
    assert read_table(pd.DataFrame({"c": cut})).column(0).levels == ("(0, 10]", "(10, 20]")
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    table = pa.table({"c": pa.array(["s", "l"]).dictionary_encode().cast(kind)})
    assert read_table(table).column(0).ordered


def test_more_pandas_dtypes() -> None:
    frame = pd.DataFrame(
        {
            "int": pd.array([1, None], "Int64"),
            "bool": pd.array([True, None], "boolean"),
            "float": pd.array([0.5, None], "Float32"),
            "text": pd.array(["a", None], "string"),
            "sparse": pd.arrays.SparseArray([0.0, 1.0]),
            "zone": pd.to_datetime(["1970-01-01 01:00+01:00", None], utc=True),
        }
    )
    table = read_table(frame)
    assert [type(table.column(j)) for j in range(6)] == [
        Numbers,
        Coded,
        Numbers,
        Coded,
        Numbers,
        Numbers,
    ]
    assert table.column(0).values[0] == 1
    assert table.column(1).codes.tolist() == [2, 0]
    assert (table.column(5).unit, table.column(5).values[0]) == ("instant", 0.0)
    with pytest.raises(KindError, match="to_timestamp"):
        read_table(pd.DataFrame({"p": pd.period_range("2020", periods=2, freq="D")}))


def test_floats_are_referred_to_not_copied() -> None:
    X = np.arange(12.0).reshape(4, 3)
    frame = pd.DataFrame({"a": np.arange(4.0), "b": ["x", "y", "x", "y"]})
    assert read_table(X).matrix is X
    assert np.shares_memory(read_table(pd.DataFrame(X, copy=False)).matrix, X)
    assert np.shares_memory(read_table(frame).column(0).values, frame["a"].to_numpy())
    split = pd.DataFrame({"a": np.arange(4.0)})
    split["b"] = np.arange(4.0)
    table = read_table(split)
    assert all(
        np.shares_memory(table.column(j).values, split.iloc[:, j].to_numpy()) for j in (0, 1)
    )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", ">i4", "i1", "u8", "i8", "longdouble"])
def test_real_dtypes(dtype: str) -> None:
    X = np.arange(6).reshape(3, 2).astype(dtype)
    matrix = read_table(X).matrix
    assert matrix is not None
    assert matrix.dtype.isnative
    assert matrix.dtype.char in "?bBhHiIlLqQfd"
    assert (matrix == X).all()


def test_long_doubles_are_not_narrowed() -> None:
    with pytest.raises(DataError, match="exactly"):
        read_table(np.array([[np.longdouble(1) / 3]]))


def test_object_columns() -> None:
    X = np.array([[1, "a", True, Decimal("0.5")], [None, "b", None, 2]], dtype=object)
    table = read_table(X)
    assert table.names == ("x0", "x1", "x2", "x3")
    assert not table.named
    np.testing.assert_array_equal(table.column(0).values, [1, np.nan])
    assert table.column(2).codes.tolist() == [2, 0]
    assert table.column(3).values.tolist() == [0.5, 2]
    assert read_table([[1, "a"], [2, "b"]]).column(0).values.tolist() == [1, 2]


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_whatever_is_missing(nothing: Any) -> None:
    for values in ([1.5, nothing], [True, nothing], ["a", nothing], [date(2020, 1, 1), nothing]):
        cells = read_values(values, "x").take(np.array([1]))
        assert cells.all_missing()
        assert len(cells) == 1


def test_masked_arrays() -> None:
    X = np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    np.testing.assert_array_equal(read_table(X).column(1).values, [np.nan, 4])


def test_dicts_need_not_have_every_key() -> None:
    table = read_table([{"a": 1}, {"b": "x", "a": 2}])
    assert table.names == ("a", "b")
    assert table.column(1).codes.tolist() == [0, 1]
    assert read_table({"a": 1, "b": "text"}).n_rows == 1


def test_rows_can_be_left_out() -> None:
    table = read_table({"x": [1, 2, 3], "t": ["c", "b", "a"]}).take(np.array([False, True, True]))
    assert table.n_rows == 2
    assert table.column(1).levels == ("a", "b")
    assert table.row(0) == 1
    assert table.take(np.array([1])).row(0) == 2


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros(3), "Expected 2D array, got 1D array instead"),
        ([1.0, 2.0], "Reshape your data"),
        (np.float64(3), "got scalar array"),
        (pd.Series([1, 2]), "Expected 2D array, got 1D"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (
            np.zeros((0, 3)),
            r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1",
        ),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required."),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=range(3)), r"0 feature\(s\)"),
        ([[1, 2], [3]], "row 0 has 2 cells and row 1 has 1"),
        ({"a": [1], "b": [1, 2]}, "one length"),
        ({"a": [1], "b": 3}, "one length"),
        ({"a": np.zeros((2, 2))}, r"'a' must be one sequence, but its shape is \(2, 2\)"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "unique"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"unique.*\['a'\]"),
        ({"a": [1, 2, "?"]}, r"'a' mixes numbers and text: row 0 is 1, row 2 is '\?'.*Hint"),
        ({"a": [None, "x", True]}, "row 1 is 'x', row 2 is True"),
        ("text", "must be a table"),
        (None, "must be a table.*Got None"),
        ([[1, [2]], [3, 4]], "must be one value, but some are sequences"),
    ],
)
def test_bad_tables(X: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (sparse.csr_array(np.eye(3) * 1j), "[Cc]omplex"),
        (np.zeros((2, 2), complex), "Complex data not supported"),
        ({"a": [1j]}, "Complex data not supported"),
        (np.zeros(2, [("a", "f8")]), "structured"),
        (np.array([[1], [{"foo": "bar"}]], dtype=object), "argument must be .* string.* number"),
        ({"a": [[1], [2]]}, "row 0: got .1. of type list"),
        ({"a": [b"x"]}, "decode"),
        (np.array([[b"x"]]), "decode"),
        (pl.DataFrame({"a": [[1], [2]]}), "'a' holds values of type List"),
        (pl.LazyFrame({"a": [1]}), "collect"),
        (pa.table({"a": [{"b": 1}]}), "'a' holds values of type Struct"),
        (pa.table({"a": [{"b": 1}]}).to_pandas(types_mapper=pd.ArrowDtype), "'a' holds values of"),
        (pa.table({"a": [b"x"]}), "decode"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), "all input features have string names"),
        ([{"a": 1, 2: 3}], "string names"),
    ],
)
def test_kinds_that_are_not_read(X: Any, message: str) -> None:
    with pytest.raises(KindError, match=message):
        read_table(X)


def test_whole_numbers_in_objects_must_fit() -> None:
    with pytest.raises(DataError, match=r"'id', row 1.*Hint"):
        read_values([None, 2**53 + 1], "id")
    with pytest.raises(DataError, match="row 0"):
        read_values([10**400, 1], "id")
    with pytest.raises(DataError, match=r"'id'.*2\*\*53"):
        read_values(pl.Series([None, 2**60]), "id")
    assert read_values([2**60, None], "id").values[0] == 2**60


def test_unicode_and_whole_number_names() -> None:
    assert read_table({"età": [1], "体重": [2]}).names == ("età", "体重")
    table = read_table(pd.DataFrame([[1, "a"]], columns=[10, 20]))
    assert (table.names, table.named) == (("10", "20"), False)


def test_array_likes() -> None:
    class Wrapped:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.eye(2)

    assert read_table(Wrapped()).n_rows == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        assert read_table(np.matrix([[1, 2]])).n_rows == 1


def test_nat_among_numbers_is_missing() -> None:
    column = read_table([{"a": np.inf}, {"a": np.datetime64("NaT")}]).column(0)
    np.testing.assert_array_equal(column.values, [np.inf, np.nan])  # type: ignore[union-attr]


def test_a_masked_array_of_spans_is_refused_in_words() -> None:
    spans = np.ma.masked_array(np.zeros(1, "m8"), [True])
    with pytest.raises(DataError, match="Expected 2D array"):
        read_table(spans)


@pytest.mark.parametrize("make", [pd.Categorical, pd.CategoricalIndex, pd.Series])
def test_a_categorical_in_a_dict_keeps_what_it_declares(make: Any) -> None:
    cells = pd.Categorical([3, 1, None], categories=[3, 2, 1], ordered=True)
    column = read_table({"a": make(cells)}).column(0)
    assert isinstance(column, Coded)
    assert column.levels == (3, 2, 1)
    assert column.ordered
    assert column.codes.tolist() == [1, 3, 0]


def test_bare_arrays_of_libraries_are_what_their_series_are() -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["z", "y"]), ordered=True)
    column = read_table({"a": coded}).column(0)
    assert isinstance(column, Coded)
    assert (column.levels, column.ordered) == (("z", "y"), True)
    assert read_table({"a": pd.array([1, None], dtype="Int64")}).column(0).values[0] == 1
    moments = pd.array(pd.to_datetime(["2020", "2021"]).tz_localize("UTC"))
    assert read_table({"a": moments}).column(0).unit == "instant"


@pytest.mark.parametrize("entries", [["x", None, "y"], [1.5, float("nan"), 2.5]])
def test_an_arrow_dictionary_with_a_missing_entry_has_missing_values(entries: Any) -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0]), pa.array(entries))
    other = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(entries[2:]))
    for chunks, codes in ([coded], [2, 0, 1]), ([coded, other], [2, 0, 1, 2]):
        column = read_table(pa.table({"a": pa.chunked_array(chunks)})).column(0)
        assert isinstance(column, Coded)
        assert column.levels == (entries[0], entries[2])
        assert column.codes.tolist() == codes


def test_an_arrow_dictionary_with_an_entry_twice_has_one_level(tmp_path: Path) -> None:
    entries = pa.array(["x", "x", "y"])
    table = pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), entries)})
    column = read_table(table).column(0)
    assert isinstance(column, Coded)
    assert (column.levels, column.codes.tolist()) == (("x", "y"), [1, 1, 2, 1])
    model = DecisionTreeClassifier().fit(table, ["p", "p", "q", "p"]).model_
    model.save(tmp_path / "m.json")
    assert bosco.load(tmp_path / "m.json").predict(table).tolist() == ["p", "p", "q", "p"]


@pytest.mark.parametrize("values", [["u", "v", None], [5, 7, None]])
def test_pandas_dictionary_dtype(values: list[Any]) -> None:
    kind = pa.string() if isinstance(values[0], str) else pa.int64()
    dtype = pd.ArrowDtype(pa.dictionary(pa.int32(), kind))
    column = read_table(pd.DataFrame({"a": pd.Series(values, dtype=dtype)})).column(0)
    assert isinstance(column, Coded)
    assert (column.levels, column.codes.tolist()) == (tuple(values[:2]), [1, 2, 0])


@pytest.mark.parametrize(
    "dtype", [pl.Array(pl.Int8, 2), pl.List(pl.Int8), pl.Struct({"q": pl.Int8})], ids=str
)
def test_polars_nested_columns_are_refused(dtype: Any) -> None:
    value = {"q": 1} if dtype == pl.Struct else [1, 2]
    series = pl.Series("a", [value, value], dtype=dtype)
    with pytest.raises(KindError, match="Column 'a' holds values of type"):
        read_table(series.to_frame())
    with pytest.raises(KindError, match="Column 'y' holds values of type"):
        DecisionTreeClassifier().fit([[1.0], [2.0]], series)


def test_polars_integers_of_128_bits() -> None:
    frame = pl.DataFrame({"a": pl.Series([1, 2, None], dtype=pl.Int128)})
    assert read_table(frame).column(0).values[:2].tolist() == [1.0, 2.0]
    assert read_table(frame.drop_nulls()).column(0).values.tolist() == [1, 2]
    far = pl.DataFrame({"a": pl.Series([1, 2**100 + 1], dtype=pl.Int128)})
    with pytest.raises(DataError, match="cannot hold exactly"):
        read_table(far)
