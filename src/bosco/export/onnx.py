"""The model as ONNX: one `TreeEnsemble` (ai.onnx.ml 5) that finds the leaf, and tables of answers.

That operator compares in float64 and knows sets, so every cut and every set of levels is said
exactly; its predecessors narrow what they answer to float32. The tree only gives the number of a
leaf; shares and classes are then gathered from constants, to the last bit. Of many trees, each has
an output of its own: what they say is gathered and added one tree after the other, since the
operator's own sum promises no order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bosco.data.schema import Column
from bosco.errors import ModelError
from bosco.export.onnx_derived import derived_columns
from bosco.export.program import Ask, Guard, Inner, Program, children, guards
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

_LEQ, _LT, _MEMBER = 0, 1, 6
_SUM, _NONE = 1, 0
_OPSETS = (("", 21), ("ai.onnx.ml", 5))
_IR_VERSION = 10
_OUTPUTS = frozenset({"label", "mean", "median", "points", "probabilities", "quantile"})


Answer = Callable[[int], float]
Chain = list[tuple[Guard, int, int | None]]
"""Binary tests in a row: where a row goes that passes; after the last, where all others go."""


@dataclass(slots=True)
class _Trees:
    """The arrays of a `TreeEnsemble`; a side of a test is (true, false)."""

    split: list[float] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    to: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    to_leaf: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    weight: list[float] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def add(self, columns: Sequence[Column], chains: dict[int, Chain], answer: Answer) -> None:
        """Add a tree that begins with the first chain; what has no chain is a leaf."""
        target, count = len(self.roots), len(self.split)
        self.roots.append(count)
        first = {}
        for number, chain in chains.items():
            first[number], count = count, count + len(chain)

        def lead(side: int, child: int) -> None:
            self.to_leaf[side].append(int(child not in first))
            self.to[side].append(first.get(child, len(self.weight)))
            if child not in first:
                self.weight.append(float(answer(child)))
                self.target.append(target)

        for chain in chains.values():
            for guard, child, rest in chain:
                self._add_test(columns, guard)
                lead(0, child)
                if rest is not None:
                    lead(1, rest)
                else:
                    self.to_leaf[1].append(0)
                    self.to[1].append(len(self.split))  # the next test of the chain

    def _add_test(self, columns: Sequence[Column], guard: Guard) -> None:
        self.column.append(guard.column)
        self.missing.append(int(guard.missing))
        if guard.levels is not None:
            column = columns[guard.column]
            levels = column.levels or ()
            coded = _is_text(column) or _is_coded(column)
            self.mode.append(_MEMBER)
            self.split.append(0.0)
            self.members += [float(at + 1 if coded else levels[at]) for at in guard.levels]
            self.members.append(float("nan"))  # ends a set
            return
        # Every known number is at most +inf, and none is less than -inf: only the missing are left.
        nothing = guard.cut is None and not guard.known
        self.mode.append(_LT if nothing else _LEQ)
        self.split.append(-np.inf if nothing else np.inf if guard.cut is None else guard.cut)

    def node(self, source: str, output: str) -> Any:
        """The operator that takes a matrix and gives what each tree answers."""
        from onnx import helper, numpy_helper

        def tensor(values: Any, dtype: Any = np.float64) -> Any:
            return numpy_helper.from_array(np.array(values, dtype))

        sets = {"membership_values": tensor(self.members)} if self.members else {}
        return helper.make_node(
            "TreeEnsemble",
            [source],
            [output],
            domain="ai.onnx.ml",
            nodes_splits=tensor(self.split),
            nodes_featureids=self.column,
            nodes_modes=tensor(self.mode, np.uint8),
            nodes_missing_value_tracks_true=self.missing,
            nodes_truenodeids=self.to[0],
            nodes_trueleafs=self.to_leaf[0],
            nodes_falsenodeids=self.to[1],
            nodes_falseleafs=self.to_leaf[1],
            leaf_targetids=self.target,
            leaf_weights=tensor(self.weight),
            tree_roots=self.roots,
            n_targets=len(self.roots),
            aggregate_function=_SUM,
            post_transform=_NONE,
            **sets,
        )


def to_onnx(model: AnyModel) -> Any:
    """An `onnx.ModelProto`, or an error that says why ONNX cannot say the model exactly."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "to_onnx needs onnx. Hint: pip install 'bosco[onnx]', or pip install onnx."
        ) from error
    code = model.program()
    _require_sayable(code)
    code.require_one_type("ONNX")
    code.require_unicode("ONNX")
    code.require_float_levels("ONNX")
    helper = onnx.helper
    inputs, nodes = _inputs(code)
    constants: list[Any] = []
    x = "bosco:x" if nodes else "X"
    if code.derived:
        nodes += derived_columns(code, x, "bosco:all", _level_codes(code))
        x = "bosco:all"
    nodes += _leaf_finder(code, x)
    answers = _sum_of_trees if code.many else _answers
    outputs = answers(code, nodes, constants)
    graph = helper.make_graph(nodes, "bosco", inputs, outputs, constants, doc_string=code.headline)
    opsets = [helper.make_opsetid(*opset) for opset in _OPSETS]
    made = helper.make_model(
        graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="bosco"
    )
    onnx.checker.check_model(made, full_check=True)
    return made


def _require_sayable(code: Program) -> None:
    if code.mixes:
        raise ModelError(
            "ONNX cannot say this tree exactly: a missing value goes down several branches, in "
            "shares, and a tree of ONNX sends a row down one. Hint: fit with another `missing`, "
            "such as 'learn', or use to_sql, to_python, to_c or to_javascript."
        )
    if code.refuses_missing:
        raise ModelError(
            "ONNX cannot say this tree exactly: it refuses missing values, and ONNX cannot raise "
            "an error. Hint: fit with another `missing`, such as 'learn'."
        )


def _is_text(column: Column) -> bool:
    return isinstance((column.levels or (0,))[0], str)


def _is_coded(column: Column) -> bool:
    """Whether numbers as levels are numbered first: runtimes keep sets of whole int32 numbers."""
    sizes = [float(level) for level in column.levels or () if not isinstance(level, str)]
    return any(not (abs(x) < 2**31 and x.is_integer()) for x in sizes)


def _require_names(code: Program) -> None:
    """Refuse names that no input of a graph can have, or that its outputs have."""
    for column in code.given:
        taken = column.name in _OUTPUTS or column.name.startswith("bosco:")
        if taken or not column.name:
            what = "has no name" if not column.name else f"is called {column.name!r}"
            why = "a graph of ONNX uses that itself" if taken else "an input of ONNX must have one"
            raise ModelError(f"A column {what}, and {why}. Hint: rename the column, and fit again.")


def _inputs(code: Program) -> tuple[list[Any], list[Any]]:
    """One matrix if all columns are numbers, else an input per column; made one matrix."""
    from onnx import TensorProto, helper, numpy_helper

    if all(c.levels is None and c.unit == "number" for c in code.given):
        shape = [None, len(code.given)]
        return [helper.make_tensor_value_info("X", TensorProto.DOUBLE, shape)], []
    _require_names(code)
    inputs, nodes, names = [], [], []
    for j, column in enumerate(code.given):
        kind = TensorProto.STRING if _is_text(column) else TensorProto.DOUBLE
        inputs.append(helper.make_tensor_value_info(column.name, kind, [None, 1]))
        names.append(column.name)
        n = len(column.levels or ())
        known: dict[str, Any] = {"domain": "ai.onnx.ml"}
        if _is_coded(column):
            table = {"keys": column.levels or (), "values": range(1, n + 1), "default": [0]}
            for part, of in table.items():
                known[f"{part}_tensor"] = numpy_helper.from_array(np.array(of, np.float64))
            names[-1] = f"bosco:x{j}"
            nodes.append(helper.make_node("LabelEncoder", [column.name], names[-1:], **known))
        elif _is_text(column):
            known |= {"keys_strings": list(column.levels or ()), "default_int64": 0}
            known["values_int64s"] = list(range(1, n + 1))
            code_j, names[-1] = f"bosco:code{j}", f"bosco:x{j}"
            nodes.append(helper.make_node("LabelEncoder", [column.name], [code_j], **known))
            nodes.append(helper.make_node("Cast", [code_j], names[-1:], to=TensorProto.DOUBLE))
    nodes.append(helper.make_node("Concat", names, ["bosco:x"], axis=1))
    return inputs, nodes


def _level_codes(code: Program) -> dict[int, list[float]]:
    """The numbers that levels have in the matrix, by column."""
    found = {}
    for j, column in enumerate(code.given):
        numbered = _is_text(column) or _is_coded(column)
        levels = column.levels or ()
        found[j] = [float(at + 1 if numbered else level) for at, level in enumerate(levels)]
    return found


def _leaf_finder(code: Program, x: str) -> list[Any]:
    """The nodes that end in `leaf`: the position of each row's leaf among the leaves."""
    from onnx import TensorProto, helper

    stand_ins, trees = _Trees(), _Trees()
    place = {leaf: at for at, leaf in enumerate(code.leaves)}
    ends = [root for root, _ in code.roots[1:]] + [len(code.nodes)]
    for (root, _), end in zip(code.roots, ends, strict=True):
        chains: dict[int, Chain] = {}
        for number in range(root, end):
            node = code.nodes[number]
            if node is not None and len(node.asks) == 1:
                chains[number] = _chain(guards(node.asks[0], node.missing), node.asks[0].column)
            elif node is not None:
                chains[number] = _decide_apart(code, number, node, stand_ins)
        # One leaf is both sides of a test, for an ensemble has at least one.
        alone: dict[int, Chain] = {-1: [(Guard(0, cut=0.0), root, root)]}
        trees.add(code.columns, chains or alone, place.__getitem__)
    nodes = []
    if stand_ins.roots:
        nodes.append(stand_ins.node(x, "bosco:branches"))
        nodes.append(helper.make_node("Concat", [x, "bosco:branches"], ["bosco:wide"], axis=1))
    nodes.append(trees.node("bosco:wide" if stand_ins.roots else x, "bosco:place"))
    nodes.append(helper.make_node("Cast", ["bosco:place"], ["bosco:whole"], to=TensorProto.INT64))
    if code.many:
        return nodes
    nodes.append(helper.make_node("Constant", [], ["bosco:minus"], value_ints=[-1]))
    nodes.append(helper.make_node("Reshape", ["bosco:whole", "bosco:minus"], ["bosco:leaf"]))
    return nodes


def _decide_apart(code: Program, number: int, node: Inner, stand_ins: _Trees) -> Chain:
    """A node with stand-ins reads its branch from a column that a tree of its own fills.

    Several of its questions lead to one child, and ONNX allows no node with two parents.
    """
    assert node.missing is not None
    below = sorted(children(node))
    column = len(code.columns) + len(stand_ins.roots)
    ways: list[tuple[Guard | None, int]] = [w for ask in node.asks for w in guards(ask, None)]
    chain = _chain([*ways, (None, node.missing)], node.asks[0].column)
    stand_ins.add(code.columns, {number: chain}, below.index)
    cuts = tuple(at + 0.5 for at in range(len(below) - 1))
    return _chain(guards(Ask(column, cuts, tuple(below)), below[-1]), column)


def _chain(ways: list[tuple[Guard | None, int]], column: int) -> Chain:
    *tests, (_, otherwise) = ways
    chain: Chain = [(guard, child, None) for guard, child in tests if guard is not None]
    if not chain:  # one way only
        return [(Guard(column, known=True), otherwise, otherwise)]
    guard, child, _ = chain[-1]
    return [*chain[:-1], (guard, child, otherwise)]


def _sum_of_trees(code: Program, nodes: list[Any], constants: list[Any]) -> list[Any]:
    """Add what trees say, one after the other, and choose; give the outputs."""
    from onnx import TensorProto, helper, numpy_helper

    def constant(name: str, value: Any) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    width = len(code.values[0])
    values = np.array([code.values[leaf] for leaf in code.leaves])
    tree_of = np.searchsorted([root for root, _ in code.roots], code.leaves, "right") - 1
    weights = np.array([weight for _, weight in code.roots])
    # A product is rounded here as it would be there.
    constant("bosco:says", values * weights[tree_of][:, None])
    said = ""
    for t in range(len(code.roots)):
        at = constant(f"bosco:tree{t}", np.int64(t))
        nodes.append(helper.make_node("Gather", ["bosco:whole", at], [f"bosco:leaf{t}"], axis=1))
        new = f"bosco:said{t}"
        nodes.append(helper.make_node("Gather", ["bosco:says", f"bosco:leaf{t}"], [new], axis=0))
        if said:
            nodes.append(helper.make_node("Add", [said, new], [f"bosco:sum{t}"]))
            new = f"bosco:sum{t}"
        said = new
    double = TensorProto.DOUBLE
    if code.classes is None:
        name = _name_of(code)
        nodes.append(helper.make_node("Identity", [said], [name]))
        return [helper.make_tensor_value_info(name, double, [None, width])]
    name = "points" if code.adds == "points" else "probabilities"
    if code.capped:
        nodes.append(helper.make_node("Min", [said, constant("bosco:one", np.float64(1))], [name]))
    else:
        nodes.append(helper.make_node("Identity", [said], [name]))
    last = int(of_equals(len(code.classes)) == "last")
    compared = _compared(code, name, nodes, constant)
    nodes.append(
        helper.make_node(
            "ArgMax", [compared], ["bosco:best"], axis=1, keepdims=0, select_last_index=last
        )
    )
    table, kind = _labels(list(code.classes))
    constant("bosco:labels", table)
    nodes.append(helper.make_node("Gather", ["bosco:labels", "bosco:best"], ["label"], axis=0))
    return [
        helper.make_tensor_value_info("label", kind, [None]),
        helper.make_tensor_value_info(name, double, [None, width]),
    ]


def _compared(code: Program, said: str, nodes: list[Any], constant: Any) -> str:
    """What is compared to decide: what is said, times factors, added in the order of classes."""
    from onnx import helper

    if not code.sums:
        return said
    factors = np.zeros((len(code.sums), len(code.sums)))
    for k, (_, terms) in enumerate(code.sums):
        for place, factor in terms:
            factors[place, k] = factor
    total: str = constant("bosco:bars", np.array([[one.constant for one in code.sums]]))
    for place, row in enumerate(factors):
        if not row.any():
            continue
        at = constant(f"bosco:class{place}", np.array([place], np.int64))
        own, part, new = (f"bosco:{what}{place}" for what in ("own", "part", "compared"))
        nodes.append(helper.make_node("Gather", [said, at], [own], axis=1))
        nodes.append(
            helper.make_node("Mul", [own, constant(f"bosco:factor{place}", row[None])], [part])
        )
        nodes.append(helper.make_node("Add", [total, part], [new]))
        total = new
    return total


def _answers(code: Program, nodes: list[Any], constants: list[Any]) -> list[Any]:
    """Add what leaves say; give the outputs."""
    from onnx import TensorProto, helper, numpy_helper

    def gathered(table: Any, name: str, output: str, kind: int, shape: list[Any]) -> Any:
        constants.append(numpy_helper.from_array(table, name))
        nodes.append(helper.make_node("Gather", [name, "bosco:leaf"], [output], axis=0))
        return helper.make_tensor_value_info(output, kind, shape)

    values = np.array([code.values[leaf] for leaf in code.leaves])
    width = values.shape[1]
    if code.classes is None:
        return [gathered(values, "bosco:means", _name_of(code), TensorProto.DOUBLE, [None, width])]
    labels = [code.classes[code.answers[leaf]] for leaf in code.leaves]
    table, kind = _labels(labels)
    return [
        gathered(table, "bosco:labels", "label", kind, [None]),
        gathered(values, "bosco:shares", "probabilities", TensorProto.DOUBLE, [None, width]),
    ]


def _labels(labels: list[Any]) -> tuple[Any, int]:
    """Classes as a tensor: whole numbers, truth values, floats, or text."""
    from onnx import TensorProto

    array = np.array(labels)
    if array.dtype.kind in "iu":
        return array.astype(np.int64), TensorProto.INT64
    if array.dtype.kind == "b":
        return array, TensorProto.BOOL
    if array.dtype.kind == "f":
        return array.astype(np.float64), TensorProto.DOUBLE
    return np.array([str(label) for label in labels], dtype=object), TensorProto.STRING


def _name_of(code: Program) -> str:
    """What the output of numbers is called: mean, median or quantile; of a forest always mean."""
    return "mean" if code.many else code.statistic.split()[-1]
