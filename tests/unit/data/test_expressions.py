"""The language of derived columns: read, written back, understood and computed."""

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bosco.data.columns import Coded, Numbers
from bosco.data.expressions.evaluate import STEP, evaluate
from bosco.data.expressions.meaning import formula_of
from bosco.data.expressions.parse import parse
from bosco.data.expressions.value import Call, Expression, Name, Number, Text, Truth
from bosco.data.expressions.write import write
from bosco.data.schema import Column
from bosco.errors import ParameterError

COLUMNS = [
    Column("x"),
    Column("y"),
    Column("smoker", "nominal", (False, True), "boolean"),
    Column("outlook", "nominal", ("rain", "sun", "`a\n\\b"), "text"),
    Column("size", "ordinal", ("S", "M", "L"), "text"),
    Column("born", unit="date"),
    Column("died", unit="date"),
    Column("sent", unit="datetime"),
    Column("got", unit="datetime"),
    Column("body mass"),
]
PLACE = {column.name: j for j, column in enumerate(COLUMNS)}


def value(text: str, **row: Any) -> Any:
    """What an expression comes to for one row; numbers, or levels as they are. None: missing."""
    formula = formula_of(parse(text), COLUMNS)
    cells: dict[int, Any] = {}
    for j, column in enumerate(COLUMNS):
        given = row.get(column.name.replace(" ", "_"))
        if column.levels is None:
            cells[j] = Numbers(np.array([math.nan if given is None else given]), column.unit)
        else:
            code = 0 if given is None else column.levels.index(given) + 1
            cells[j] = Coded(np.array([code], np.uint8), column.levels, column.unit)
    found = evaluate(formula, cells.__getitem__, 1)
    if isinstance(found, Coded):
        return [None, False, True][found.codes[0]]
    return None if math.isnan(found.values[0]) else float(found.values[0])


@pytest.mark.parametrize(
    ("text", "row", "wanted"),
    [
        ("x / y ** 2", {"x": 70.0, "y": 2.0}, 17.5),
        ("x - y - 1", {"x": 5.0, "y": 2.0}, 2.0),
        ("x - (y - 1)", {"x": 5.0, "y": 2.0}, 4.0),
        ("-x ** 2", {"x": 3.0}, -9.0),
        ("(-x) ** 2", {"x": 3.0}, 9.0),
        ("x * -2", {"x": 3.0}, -6.0),
        ("min(x, y, 1)", {"x": 5.0, "y": 2.0}, 1.0),
        ("max(x, y) - abs(x - y)", {"x": 2.0, "y": 5.0}, 2.0),
        ("floor(x) + sqrt(y)", {"x": -1.5, "y": 16.0}, 2.0),
        ("`body mass` + 1", {"body_mass": 2.0}, 3.0),
        ("0 < x < 2", {"x": 1.0}, True),
        ("0 < x < 2", {"x": 2.0}, False),
        ("not x > 1 and y == 2 or smoker", {"x": 3.0, "y": 2.0, "smoker": False}, False),
        ("not (x > 1 and y == 3) or smoker", {"x": 3.0, "y": 2.0, "smoker": False}, True),
        ("smoker == true", {"smoker": True}, True),
        ("x in (1, 2.5, -3)", {"x": -3.0}, True),
        ("x not in (1, 2.5)", {"x": 1.0}, False),
        ("outlook == 'rain'", {"outlook": "rain"}, True),
        ("'rain' != outlook", {"outlook": "rain"}, False),
        ("outlook in ('sun', 'rain')", {"outlook": "`a\n\\b"}, False),
        (r'outlook == "`a\n\\b"', {"outlook": "`a\n\\b"}, True),
        ("size >= 'M'", {"size": "L"}, True),
        ("'M' > size", {"size": "S"}, True),
        ("size < 'M'", {"size": "M"}, False),
        ("died - born", {"born": 10.0, "died": 40.0}, 30.0),
        ("died > born + 7", {"born": 10.0, "died": 17.0}, False),
        ("born < '1970-01-12'", {"born": 10.0}, True),
        ("hours(got - sent) > 1.5", {"sent": 0.0, "got": 5.4e9}, False),
        ("got - sent", {"sent": 1.0, "got": 5.0}, 4.0),
        ("sent >= '1970-01-02 00:00'", {"sent": 86_400e6}, True),
        # What has no value
        ("x / y", {"x": 1.0, "y": 0.0}, None),
        ("0 * (x / y)", {"x": 1.0, "y": 0.0}, None),
        ("x * y", {"x": 1e300, "y": 1e300}, None),
        ("1 / (x * y)", {"x": 1e300, "y": 1e300}, None),
        ("sqrt(x)", {"x": -1.0}, None),
        ("x + y", {"x": 1.0}, None),
        ("x > y", {"x": 1.0}, None),
        ("x > 0 or smoker", {"x": 1.0}, None),
        ("min(x, y)", {"x": 1.0}, None),
        ("1 / x", {"x": math.inf}, None),
        ("outlook == 'rain'", {}, None),
        ("not smoker", {}, None),
    ],
)  # fmt: skip
def test_an_expression_is_computed_as_it_reads(text: str, row: Any, wanted: Any) -> None:
    assert value(text, **row) == wanted
    assert value(write(parse(text)), **row) == wanted


REFUSED = {
    "": "a column, a constant or a bracket is wanted",
    "x +": "at its end",
    "x y": "an operator, or the end, is wanted here (at letter 3",
    "(x": "')' is wanted",
    "x.real": "nothing has parts here",
    "x.__class__.__base__": "nothing has parts here",
    "__import__('os')": "'__import__' is no function",
    "x[0]": "means nothing here",
    "lambda: 1": "means nothing here",
    "x := 1": "means nothing here",
    "x = 1": "compared by ==",
    "x ** 17": "a whole number from 1 to 16",
    "x ** y": "a whole number from 1 to 16",
    "x ** 0.5": "a root is sqrt(x)",
    "x ** -1": "an inverse 1 / x",
    "x ** 2 ** 2": "needs brackets",
    "9e999 * x": "larger than a float64",
    "log(x)": "'log' is no function",
    "sqr(x)": "Did you mean 'sqrt'?",
    "abs(x, y)": "abs takes 1 operand",
    "min(x)": "min takes 2 to 10 operands",
    "z + 1": "there is no column 'z'",
    "smokr and x > 1": "Did you mean 'smoker'?",
    "x + smoker": "'+' makes no sense of x (a number) and smoker (a truth value)",
    "x and y": "'and' is for a truth value",
    "smoker > false": "truth values have no order",
    "outlook": "a derived column is computed",
    "outlook > 'rain'": "have no order",
    "outlook == 'rian'": "Did you mean 'rain'?",
    "outlook == size": "is compared with constants only",
    "outlook + 1 > 2": "'+' makes no sense of outlook (a level)",
    "x == 'rain'": "x is a number, and 'rain' is a text",
    "born > x": "born is a date and x a number",
    "born == '1970-13-01'": "is not a date",
    "born + died": "'+' makes no sense",
    "got - sent > 3": "hours(x)",
    "born == sent": "cannot be compared",
    "1 + 2": "names no column",
    "'x'": "a derived column is computed",
    "x in (y, 1)": "'in' takes constants",
    "'unclosed": "this quote is not closed",
    r"outlook == 'a\q'": "the backslash before 'q' means nothing",
    "(" * 900 + "x" + ")" * 900: "nested deeper than 30",
    "-" * 900 + "x": "nested deeper than 30",
    "not " * 400 + "smoker": "nested deeper than 30",
    "x" + "+x" * 900: "more than 100 operations",
    "x in (" + ",".join("1" * 200) + ")": "more than 100 operations",
    "x + " * 250_000 + "x": "1,000,001 letters",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_what_makes_no_sense_is_refused_at_once_and_says_why(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ParameterError) as refused:
        formula_of(parse(text), COLUMNS)
    assert REFUSED[text] in str(refused.value)
    assert len(str(refused.value)) < 500
    assert time.process_time() - start < 0.5


def test_only_texts_are_expressions() -> None:
    with pytest.raises(ParameterError, match=r"an expression is a text. Got int"):
        parse(3)  # type: ignore[arg-type]


# Any expression -----------------------------------------------------------------------------------

real_numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-4, 4).map(float),
)
texts = st.text(max_size=5)
names = st.one_of(st.sampled_from(["x", "y"]), texts)


def calls(inside: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    two = ["+", "-", "*", "/", "and", "or", "<", "<=", ">", ">=", "==", "!=", "min", "max"]
    return st.one_of(
        st.tuples(st.sampled_from(two), inside, inside).map(lambda c: Call(c[0], c[1:])),
        st.tuples(st.sampled_from(["not", "abs", "floor", "sqrt"]), inside).map(
            lambda c: Call(c[0], c[1:])
        ),
        # A sign before a constant is a part of it.
        inside.filter(lambda one: not isinstance(one, Number)).map(lambda one: Call("-", (one,))),
        st.tuples(inside, st.integers(1, 16)).map(
            lambda c: Call("**", (c[0], Number(float(c[1]))))
        ),
        st.tuples(inside, texts.map(Text), real_numbers.map(Number)).map(lambda c: Call("in", c)),
    )


leaves: st.SearchStrategy[Expression] = st.one_of(
    real_numbers.map(Number), texts.map(Text), st.booleans().map(Truth), names.map(Name)
)


@given(st.recursive(leaves, calls, max_leaves=12))
def test_what_is_written_reads_back_as_the_same_value(expression: Expression) -> None:
    text = write(expression)
    assert parse(text) == expression, text
    assert write(parse(text)) == text
    assert not any(letter < " " or letter in "\u202e\u2028" for letter in text)


def numeric(inside: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    two = st.sampled_from(["+", "-", "*", "/", "min", "max"])
    return st.one_of(
        st.tuples(two, inside, inside).map(lambda c: Call(c[0], c[1:])),
        st.tuples(st.sampled_from(["abs", "floor", "sqrt", "-"]), inside).map(
            lambda c: Call(c[0], c[1:])
        ),
        st.tuples(inside, st.integers(1, 5)).map(lambda c: Call("**", (c[0], Number(float(c[1]))))),
    )


in_numbers = st.recursive(
    st.one_of(real_numbers.map(Number), st.sampled_from([Name("x"), Name("y")])),
    numeric,
    max_leaves=8,
)
in_truths = st.one_of(
    in_numbers,
    st.tuples(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), in_numbers, in_numbers).map(
        lambda c: Call(c[0], c[1:])
    ),
)


def by_hand(expression: Any, row: dict[str, float | None]) -> float | None:
    """The meaning again, one value at a time, in Python's own numbers."""
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Name):
        given = row[expression.name]
        return given if given is not None and math.isfinite(given) else None
    if expression.name == "**":
        times = int(expression.of[1].value)
        found: Any = expression.of[0]
        for _ in range(times - 1):
            found = Call("*", (found, expression.of[0]))
        return by_hand(found, row)
    of = [by_hand(part, row) for part in expression.of]
    if any(one is None for one in of):
        return None
    a, b = (of * 2)[:2]
    assert a is not None
    assert b is not None
    if expression.name == "-" and len(of) == 1:
        return -a
    if (expression.name == "/" and b == 0) or (expression.name == "sqrt" and a < 0):
        return None
    found = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a / b,
        "min": lambda: b if b < a else a,
        "max": lambda: b if b > a else a,
        "abs": lambda: abs(a),
        "floor": lambda: float(math.floor(a)),
        "sqrt": lambda: math.sqrt(a),
        "<": lambda: a < b,
        "<=": lambda: a <= b,
        ">": lambda: a > b,
        ">=": lambda: a >= b,
        "==": lambda: a == b,
        "!=": lambda: a != b,
    }[expression.name]()
    return found if math.isfinite(found) else None


@example(Call("**", (Name("x"), Number(1.0))), [(None, None)])
@given(in_truths, st.lists(st.tuples(*[st.none() | st.floats()] * 2), min_size=1, max_size=8))
def test_numpy_computes_what_a_loop_by_hand_does(expression: Expression, rows: Any) -> None:
    try:
        formula = formula_of(expression, COLUMNS)
    except ParameterError:
        return  # no column in it
    cells = [
        Numbers(np.array([math.nan if row[j] is None else row[j] for row in rows])) for j in (0, 1)
    ]
    found = evaluate(formula, cells.__getitem__, len(rows))
    for at, (x, y) in enumerate(rows):
        x, y = (None if v is None or math.isnan(v) else v for v in (x, y))
        wanted = by_hand(expression, {"x": x, "y": y})
        if isinstance(found, Coded):
            assert [None, False, True][found.codes[at]] == wanted
        else:
            got = None if math.isnan(found.values[at]) else float(found.values[at])
            assert got == wanted


def test_stretches_of_rows_are_as_one() -> None:
    n = 2 * STEP + 7
    x = np.arange(n, dtype=np.int64)
    formula = formula_of(parse("x * x - 3 > 5"), COLUMNS)
    found = evaluate(formula, lambda _: Numbers(x), n)
    assert isinstance(found, Coded)
    assert np.array_equal(found.codes, 1 + (x.astype(float) ** 2 - 3 > 5))


def test_narrow_numbers_are_widened_before_anything_is_done() -> None:
    x = np.array([0.1], np.float32)
    formula = formula_of(parse("x * 3"), COLUMNS)
    found = evaluate(formula, lambda _: Numbers(x), 1)
    assert isinstance(found, Numbers)
    assert found.values[0] == float(x[0]) * 3


def test_equal_steps_are_one() -> None:
    formula = formula_of(parse("(x + y) * (x + y)"), COLUMNS)
    assert [step.operation for step in formula.steps] == ["number", "number", "+", "*"]


def test_many_signs_read_back() -> None:
    for signs in (2, 16, 28):
        expression = parse("-" * signs + "x")
        assert parse(write(expression)) == expression
