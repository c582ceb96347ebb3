"""Derived columns in ONNX: operators on columns of double, NaN where there is no value.

Truth values are 1 and 0. Operators that differ between runtimes where a value is NaN, such as Min,
are said by comparisons and Where.
"""

from typing import Any

import numpy as np

from bosco.data.expressions.formula import MAY_OVERFLOW, Step
from bosco.export.program import Program

_COMPARED = {
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "==": "Equal",
    "!=": "Equal",  # and turned around
}
_ARITHMETIC = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}
_EITHER = {"min": ("Less", "GreaterOrEqual"), "max": ("Greater", "LessOrEqual")}
_ONE = {"negated": "Neg", "abs": "Abs", "floor": "Floor", "sqrt": "Sqrt"}


def derived_columns(code: Program, x: str, to: str, codes: dict[int, list[float]]) -> list[Any]:
    """The operators that add the derived columns to a matrix `x`, as the matrix `to`.

    `codes` are the numbers that levels have in the matrix, by column.
    """
    graph = _Graph(code, x, codes)
    # What is not asked for has a place, and any values there.
    parts = [
        graph.derived(j) if j in code.derived else graph.cell(0)
        for j in range(len(code.given), len(code.columns))
    ]
    graph.add("Concat", x, *parts, called=to, axis=1)
    return graph.nodes


class _Graph:
    """Operators, each with a name for what it gives."""

    def __init__(self, code: Program, x: str, codes: dict[int, list[float]]):
        self.code, self.x, self.codes = code, x, codes
        self.nodes: list[Any] = []
        self.constants: dict[bytes, str] = {}
        self.made: dict[int, str] = {}

    def add(self, operator: str, *of: str, called: str = "", **how: Any) -> str:
        from onnx import helper

        name = called or f"bosco:step{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(of), [name], **how))
        return name

    def constant(self, value: Any) -> str:
        from onnx import numpy_helper

        array = np.asarray(value)
        key = array.dtype.str.encode() + bytes(str(array.shape), "ascii") + array.tobytes()
        if key not in self.constants:
            tensor = numpy_helper.from_array(array)
            self.constants[key] = self.add("Constant", value=tensor)
        return self.constants[key]

    def number(self, value: float) -> str:
        return self.constant(np.float64(value))

    def cell(self, j: int) -> str:
        """One column of the matrix."""
        if j not in self.made:
            self.made[j] = self.add("Gather", self.x, self.constant(np.array([j])), axis=1)
        return self.made[j]

    def derived(self, j: int) -> str:
        said: list[str] = []
        for step in self.code.derived[j].steps:
            said.append(self.step(step, [said[k] for k in step.of]))
        self.made[j] = said[-1]
        return said[-1]

    def step(self, step: Step, of: list[str]) -> str:
        name = step.operation
        if name == "constant":
            return self.number(step.value)
        if name == "number":
            cell = self.cell(step.column)
            given = self.code.columns[step.column].formula is None
            return self.finite(cell) if given else cell
        if name == "among":
            return self.among(step)
        if name in MAY_OVERFLOW:
            return self.finite(self.add(_ARITHMETIC[name], *of))
        if name in _ONE:
            return self.add(_ONE[name], *of)
        if name in _COMPARED:
            return self.compared(name, of[0], of[1])
        if name in ("min", "max"):
            first, second = _EITHER[name]
            other = self.add("Where", self.add(second, *of), of[1], self.number(np.nan))
            return self.add("Where", self.add(first, *of), of[0], other)
        one = self.number(1.0)
        if name == "and":
            return self.add("Mul", *of)
        if name == "not":
            return self.add("Sub", one, of[0])
        neither = self.add("Mul", *(self.add("Sub", one, x) for x in of))
        return self.add("Sub", one, neither)

    def finite(self, x: str) -> str:
        fits = self.add("Less", self.add("Abs", x), self.number(np.inf))
        return self.add("Where", fits, x, self.number(np.nan))

    def compared(self, name: str, a: str, b: str) -> str:
        from onnx import TensorProto

        holds = self.add(_COMPARED[name], a, b)
        if name == "!=":
            holds = self.add("Not", holds)
        known = self.add("And", self.add("Equal", a, a), self.add("Equal", b, b))
        truth = self.add("Cast", holds, to=TensorProto.DOUBLE)
        return self.add("Where", known, truth, self.number(np.nan))

    def among(self, step: Step) -> str:
        """Whether a level is one of some: each is compared, and of all at most one is equal."""
        from onnx import TensorProto

        x, codes = self.cell(step.column), self.codes_of(step.column)
        wanted = np.zeros(len(codes))
        wanted[list(step.positions)] = 1.0
        equal = self.add("Equal", x, self.constant(np.array([codes])))
        hits = self.add("Cast", equal, to=TensorProto.DOUBLE)
        yes = self.add("MatMul", hits, self.constant(wanted[:, None]))
        known = self.add("MatMul", hits, self.constant(np.ones((len(codes), 1))))
        some = self.add("Greater", known, self.number(0.0))
        return self.add("Where", some, yes, self.number(np.nan))

    def codes_of(self, j: int) -> list[float]:
        """The numbers that its levels have; what is derived is 0 or 1."""
        return self.codes.get(j, [0.0, 1.0])
