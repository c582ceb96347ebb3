"""The model as PMML 4.4: one `TreeModel`, which scoring engines in banks and databases read.

Children are asked in order, and the first whose predicate is true is taken. A comparison with a
missing value is not true (``missingValueStrategy="none"``), so that where missing values go is said
by predicates alone; stand-ins are PMML's own ``surrogate``. A level that is not declared is read as
missing. A leaf has the weights of its rows by class: evaluators divide them by their sum, and what
they get are the shares to the last bit.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from bosco.base.dates import MOMENTS
from bosco.data.columns import Level
from bosco.data.schema import Column
from bosco.errors import ModelError
from bosco.export.program import Ask, Guard, Inner, Program, guards
from bosco.version import __version__

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_DEPTH = 240
"""Common readers of XML refuse elements nested deeper than 256."""

_LARGEST = 1.7976931348623157e308
_PLAIN = re.compile(r"[^\s\"\\]+")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_pmml(model: "Model") -> str:
    """PMML 4.4 text, or an error that says why PMML cannot say the tree exactly."""
    code = model.program()
    _refuse(code)
    root = ET.Element("PMML", xmlns="http://www.dmg.org/PMML-4_4", version="4.4")
    units = {column.unit for column in code.columns} & set(MOMENTS)
    said = "; dates are days, times are microseconds, since 1970-01-01" if units else ""
    header = ET.SubElement(root, "Header", description=code.headline + said)
    ET.SubElement(header, "Application", name="bosco", version=__version__)
    names = {column.name for column in code.columns}
    target = next(n for i in range(len(names) + 1) if (n := f"target{i or ''}") not in names)
    dictionary = ET.SubElement(root, "DataDictionary")
    for column in code.given:
        _declare(dictionary, column.name, column.levels, column.kind == "ordinal")
    _declare(dictionary, target, code.classes, ordered=False)

    task = "regression" if code.classes is None else "classification"
    tree = ET.SubElement(root, "TreeModel", functionName=task, splitCharacteristic="multiSplit")
    tree.attrib |= {"missingValueStrategy": "none", "noTrueChildStrategy": "returnNullPrediction"}
    schema = ET.SubElement(tree, "MiningSchema")
    ET.SubElement(schema, "MiningField", name=target, usageType="target")
    treated = dict.fromkeys(("invalidValueTreatment", "missingValueTreatment"), "returnInvalid")
    strict = code.used if code.refuses_missing else ()
    for j, column in enumerate(code.given):
        missing = treated if j in strict else {"invalidValueTreatment": "asMissing"}
        ET.SubElement(schema, "MiningField", {"name": column.name, **missing})
    if code.classes is not None:
        _outputs(tree, code.classes, names | {target})
    _nodes(tree, code, model.tree.native.tally / model.tree.native.weight_scale)
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _refuse(code: Program) -> None:
    """Refuse what PMML cannot say exactly, or not at all."""
    if code.derived:
        names = ", ".join(repr(code.columns[j].name) for j in code.derived)
        raise ModelError(
            f"This tree asks for derived columns ({names}), and PMML leaves open what becomes of a "
            f"quotient by zero, of what is too large, and of how numbers are rounded in between. "
            f"Hint: to_sql, to_onnx, to_python, to_c and to_javascript compute them exactly."
        )
    if code.mixes:
        raise ModelError(
            "This tree sends missing values down several branches, in shares; PMML leaves open in "
            "which order shares are added. Hint: fit with missing='learn' or 'surrogate'."
        )
    if code.heights[0] > MAX_DEPTH:
        raise ModelError(
            f"This tree is {code.heights[0]} levels deep, and PMML nests its nodes: readers of XML "
            f"stop after about {MAX_DEPTH}. Hint: fit with max_depth, or prune."
        )
    code.require_one_type("PMML")
    code.require_float_levels("PMML")
    for label in code.classes or ():
        if isinstance(label, int) and int(float(label)) != label:
            raise ModelError(
                f"The class {label} is a whole number beyond 2**53, which evaluators of PMML read "
                f"as another. Hint: fit with classes that are text."
            )
    for text in code.texts():
        if _NOT_XML.search(text):
            raise ModelError(
                f"{text!r:.60} contains a character that XML cannot hold. "
                f"Hint: rename the column or level, and fit again."
            )


def _declare(parent: ET.Element, name: str, levels: Iterable[Level] | None, ordered: bool) -> None:
    """Declare a field: a number, or one of some values."""
    field = ET.SubElement(parent, "DataField", name=name)
    if levels is None:
        field.attrib |= {"optype": "continuous", "dataType": "double"}
        return
    levels = list(levels)
    field.attrib |= {"optype": "ordinal" if ordered else "categorical", "dataType": _type(levels)}
    for level in levels:
        ET.SubElement(field, "Value", value=_text(level))


def _type(levels: list[Level]) -> str:
    kinds = {type(level) for level in levels}
    if kinds == {bool}:
        return "boolean"
    if kinds <= {int} and all(abs(level) < 2**31 for level in levels):  # type: ignore[arg-type]
        return "integer"  # of 32 bits, to evaluators
    return "double" if kinds <= {int, float} else "string"


def _text(value: Any) -> str:
    """A value as XML Schema writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value - value != 0:
        return "INF" if value > 0 else "-INF"
    return repr(value) if isinstance(value, float) else str(value)


def _outputs(tree: ET.Element, classes: tuple[Level, ...], taken: set[str]) -> None:
    """The share of each class, as a field of its own."""
    output = ET.SubElement(tree, "Output")
    for label in classes:
        name = f"probability({_text(label)})"
        while name in taken:
            name += "_"
        about = {"name": name, "optype": "continuous", "dataType": "double"}
        about |= {"feature": "probability", "value": _text(label)}
        ET.SubElement(output, "OutputField", about)


def _nodes(tree: ET.Element, code: Program, weights: Any) -> None:
    """All nodes, each in its parent; the parents come first."""
    said = {0: ET.SubElement(tree, "Node", id="0")}
    ET.SubElement(said[0], "True")
    above: dict[int, int] = {}
    for number, inner in enumerate(code.nodes):
        node, own = said[number], weights[number].tolist()
        if number in code.orders:
            reason = _NOT_XML.sub("?", code.orders[number])
            node.insert(0, ET.Element("Extension", name="by order", value=reason))
        elif number in code.turned:
            node.insert(0, ET.Element("Extension", name=code.decision.mark))
        if inner is not None:
            for predicate, child in _ways(inner, code.columns):
                said[child], above[child] = ET.SubElement(node, "Node", id=str(child)), number
                said[child].append(predicate)
        elif code.classes is None:
            node.attrib |= {"score": repr(code.values[number][0]), "recordCount": repr(own[0])}
        else:
            node.set("score", _text(code.classes[code.answers[number]]))
            node.set("recordCount", repr(sum(own)))
            while not any(own):  # a leaf without rows says what the node above it says
                number = above[number]
                own = weights[number].tolist()
            for label, record in zip(code.classes, _records(code, number, own), strict=True):
                value, count = _text(label), repr(record)
                ET.SubElement(node, "ScoreDistribution", value=value, recordCount=count)


def _records(code: Program, number: int, weights: list[float]) -> list[float]:
    """Numbers whose parts of their sum are exactly the shares: that is how PMML gives shares."""
    shares = list(code.values[number])
    for records in (weights, shares):
        whole = sum(records)
        if [record / whole for record in records] == shares:
            return records
    raise ModelError(
        f"The shares of leaf {number} are {shares}; PMML gives shares as parts of a sum, and no "
        f"sum of float64 gives exactly these. Hint: it comes of weights that are no whole numbers, "
        f"or of monotonic constraints; to_onnx() and to_sql() have no such limit."
    )


def _ways(node: Inner, columns: tuple[Column, ...]) -> list[tuple[ET.Element, int]]:
    """The children in the order in which they are asked, each with its predicate."""
    first, *stand_ins = node.asks
    if not stand_ins:
        ways = guards(first, node.missing)
        return [(_predicate(guard, columns), child) for guard, child in ways]
    left, right = sorted({*first.to})  # stand-ins are of tests with two branches
    chosen = ET.Element("CompoundPredicate", booleanOperator="surrogate")
    chosen.extend(_leads_to(ask, left, columns) for ask in node.asks)
    ET.SubElement(chosen, "True" if node.missing == left else "False")
    return [(chosen, left), (ET.Element("True"), right)]


def _leads_to(ask: Ask, child: int, columns: tuple[Column, ...]) -> ET.Element:
    """Whether a question with two answers leads to one child; unknown where it has no answer."""
    if ask.cuts is None:
        levels = tuple(ask.sets()[child])
        return _predicate(Guard(ask.column, levels=levels), columns)
    (cut,), below = ask.cuts, ask.to[0] == child
    return _compare(columns[ask.column].name, "lessOrEqual" if below else "greaterThan", cut)


def _predicate(guard: Guard | None, columns: tuple[Column, ...]) -> ET.Element:
    if guard is None:
        return ET.Element("True")
    column = columns[guard.column]
    if guard.levels is not None:
        return _is_in(column, guard.levels)
    if guard.cut is None:
        return _simple(column.name, "isNotMissing" if guard.known else "isMissing")
    compared = _compare(column.name, "lessOrEqual", guard.cut)
    return _either(_simple(column.name, "isMissing"), compared) if guard.missing else compared


def _compare(name: str, operator: str, cut: float) -> ET.Element:
    """A comparison with a cut. Infinite ones are said with the largest number instead."""
    if cut - cut == 0:
        return _simple(name, operator, value=repr(cut))
    if cut > 0:  # at most infinite: a test of known values against missing ones, never a stand-in
        return _simple(name, "isNotMissing")
    operator = "lessThan" if operator == "lessOrEqual" else "greaterOrEqual"
    return _simple(name, operator, value=repr(-_LARGEST))


def _is_in(column: Column, positions: tuple[int, ...]) -> ET.Element:
    texts = [_text((column.levels or ())[at]) for at in positions]
    if len(texts) > 1 and all(map(_PLAIN.fullmatch, texts)):
        found = ET.Element("SimpleSetPredicate", field=column.name, booleanOperator="isIn")
        kind = _type(list(column.levels or ()))
        array = {"double": "real", "integer": "int"}.get(kind, "string")
        ET.SubElement(found, "Array", n=str(len(texts)), type=array).text = " ".join(texts)
        return found
    equal = [_simple(column.name, "equal", value=text) for text in texts]
    return equal[0] if len(equal) == 1 else _either(*equal)


def _simple(name: str, operator: str, **value: str) -> ET.Element:
    return ET.Element("SimplePredicate", {"field": name, "operator": operator, **value})


def _either(*predicates: ET.Element) -> ET.Element:
    either = ET.Element("CompoundPredicate", booleanOperator="or")
    either.extend(predicates)
    return either
