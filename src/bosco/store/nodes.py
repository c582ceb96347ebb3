"""The tree as plain values: a list of nodes, and a list of the candidates of each.

What follows from the rest is not written: parents from children, shares of classes from tallies,
samples and known weight where they are the weight.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.store.header import Header
from bosco.store.states import derived_values, lay_out, same_bits, weights
from bosco.store.tests import CUT_KEYS, MAP_KEYS, TestReader, write_tests
from bosco.store.values import integer, integers, mapping, number_or_word, reals, require, sequence
from bosco.tree.census import Census
from bosco.tree.tree import Tree

_NODE = ("node", "tally", "impurity")
_NODE_MAY = (
    *("test", "first_child", "gain", "count", "known", "value", "surrogates"),
    *("rows", "effective"),
)
_CANDIDATE = ("node", "gain", "split_info", "penalty")


def write_nodes(tree: Tree, schema: Schema, counted: Census | None) -> list[dict[str, Any]]:
    """Give the nodes as values that JSON can hold."""
    rows = None if counted is None else counted.rows.tolist()
    effective = None if counted is None or counted.effective is None else counted.effective.tolist()
    native = tree.native
    weight = weights(native.tally, native.n_classes)
    tests = iter(write_tests(native.tests, schema, surrogate=False))
    stand_ins = write_tests(native.surrogates, schema, surrogate=True)
    begin, first = native.surrogate_begin.tolist(), native.first_child.tolist()
    values = _values(tree, weight)
    tallies, count, known = native.tally.tolist(), native.count.tolist(), native.known.tolist()
    impurity, gain = native.impurity.tolist(), native.gain.tolist()
    nodes = []
    for i, total in enumerate(weight.tolist()):
        node: dict[str, Any] = {"node": i}
        if first[i] >= 0:
            node["test"] = next(tests)
            node["first_child"] = first[i]
            node["gain"] = number_or_word(gain[i])
            if begin[i + 1] > begin[i]:
                node["surrogates"] = stand_ins[begin[i] : begin[i + 1]]
        node["tally"] = tallies[i]
        if rows is not None:
            node["rows"] = rows[i]
        if effective is not None:
            node["effective"] = effective[i]
        if count[i] != total:
            node["count"] = count[i]
        if known[i] != total:
            node["known"] = known[i]
        if values is not None:
            node["value"] = values[i]
        node["impurity"] = number_or_word(impurity[i])
        nodes.append(node)
    return nodes


def _values(tree: Tree, weight: NDArray[np.int64]) -> list[Any] | None:
    """The values to write: always for a real target, else where they are not the class shares."""
    native = tree.native
    if not native.n_classes:
        values: list[Any] = native.value[:, 0].tolist()
        return values
    scales = {"center": native.center, "scale": native.scale}
    shares = derived_values(native.tally, weight, native.parent, native.n_classes, scales)
    return None if same_bits(shares, native.value) else native.value.tolist()


def write_candidates(tree: Tree, schema: Schema) -> list[dict[str, Any]]:
    """Give the candidates of all nodes as values that JSON can hold."""
    native = tree.native
    per_node = np.diff(native.candidate_begin)
    nodes = np.repeat(np.arange(native.n_nodes), per_node).tolist()
    numbers = zip(
        nodes,
        write_tests(native.candidates, schema, surrogate=False),
        native.candidate_gain.tolist(),
        native.candidate_split_info.tolist(),
        native.candidate_penalty.tolist(),
        strict=True,
    )
    return [
        {
            "node": node,
            **test,
            "gain": number_or_word(gain),
            "split_info": number_or_word(split_info),
            "penalty": number_or_word(penalty),
        }
        for node, test, gain, split_info, penalty in numbers
    ]


def read_state(said_nodes: Any, said_candidates: Any, header: Header) -> dict[str, Any]:
    """Read nodes and candidates into the state of a native tree, trusting nothing in them."""
    nodes = sequence(said_nodes, "nodes")
    require(nodes, "nodes", "there is none")
    tests, stand_ins = TestReader(header.schema), TestReader(header.schema)
    slots = header.n_classes or 2
    first, n_stand_ins = [], []
    tally: list[Any] = []
    for i, node in enumerate(nodes):
        where = f"nodes[{i}]"
        mapping(node, where, _NODE, _NODE_MAY)
        if node["node"] is not i:
            integer(node["node"], f"{where}.node", i, i)
        cells = node["tally"]
        if type(cells) is not list or len(cells) != slots:
            require(False, f"{where}.tally", f"a list of {slots} numbers is wanted")
        tally += cells
        inner = "test" in node
        if inner != ("first_child" in node) or inner != ("gain" in node):
            require(False, where, "'test', 'first_child' and 'gain' go together")
        if not inner:
            require("surrogates" not in node, where, "a leaf has no surrogates")
            first.append(-1)
            n_stand_ins.append(0)
            continue
        at = f"{where}.test"
        test = mapping(node["test"], at, *keys_of_test(node["test"]))
        require("flip" not in test, at, "only surrogates are flipped")
        tests.add(test, at)
        first.append(integer(node["first_child"], f"{where}.first_child", i + 1, len(nodes) - 1))
        n_stand_ins.append(_surrogates(node.get("surrogates"), where, stand_ins, tests.missing[-1]))
    n = len(nodes)
    tallies = integers(tally, "nodes, tally {}")
    totals = weights(tallies.reshape(n, slots), header.n_classes).tolist()
    state = {
        "n_classes": header.n_classes,
        **header.scales,
        "first_child": np.array(first, np.int32),
        "tally": tallies,
        "count": integers(_column(nodes, "count", totals), "nodes[{}].count"),
        "known": integers(_column(nodes, "known", totals), "nodes[{}].known"),
        "value": _read_values(nodes, header),
        "impurity": reals([node["impurity"] for node in nodes], "nodes[{}].impurity"),
        "gain": reals([node.get("gain", 0.0) for node in nodes], "nodes[{}].gain"),
        "tests": tests.state("tests"),
        "surrogates": stand_ins.state("surrogates"),
        "surrogate_begin": _begins(n_stand_ins),
        "rows": _read_rows(nodes, header),
        "effective": _all_or_none(nodes, "effective"),
        **_read_candidates(said_candidates, n, header.schema),
    }
    return lay_out(state)


def keys_of_test(test: Any) -> tuple[frozenset[str], tuple[str, ...]]:
    """The keys of a test that must and that may be there."""
    is_map = isinstance(test, dict) and "levels" in test
    return (MAP_KEYS, ("heaviest",)) if is_map else (CUT_KEYS, ())


def _surrogates(said: Any, where: str, reader: TestReader, missing: int) -> int:
    if said is None:
        return 0
    for k, test in enumerate(sequence(said, f"{where}.surrogates")):
        at = f"{where}.surrogates[{k}]"
        require(missing >= 0, at, "shares need no surrogates")
        keys = keys_of_test(test)[0] - {"missing"}
        reader.add(mapping(test, at, keys, ("flip",)), at, missing)
    require(said, f"{where}.surrogates", "there is none: leave it out")
    return len(said)


def _column(nodes: list[Any], key: str, absent: list[int]) -> list[Any]:
    return [node.get(key, other) for node, other in zip(nodes, absent, strict=True)]


def _read_rows(nodes: list[Any], header: Header) -> NDArray[np.int64] | None:
    """The rows of every node by class; None if none has them."""
    width, found = header.n_classes or 1, []
    if not any("rows" in node for node in nodes):
        return None
    for i, node in enumerate(nodes):
        row = sequence(node.get("rows"), f"nodes[{i}].rows")
        require(len(row) == width, f"nodes[{i}].rows", f"a list of {width} numbers is wanted")
        found += row
    return integers(found, "nodes, rows {}").reshape(len(nodes), width)


def _all_or_none(nodes: list[Any], key: str) -> NDArray[np.float64] | None:
    """A number of every node; None if none has it."""
    if not any(key in node for node in nodes):
        return None
    return reals([node.get(key) for node in nodes], f"nodes[{{}}].{key}")


def _read_values(nodes: list[Any], header: Header) -> NDArray[np.float64] | None:
    """The values as written; None if they are the shares of the classes."""
    written = ["value" in node for node in nodes]
    if header.n_classes == 0:
        require(all(written), f"nodes[{_first(written, False)}]", "it lacks 'value'")
        return reals([node["value"] for node in nodes], "nodes[{}].value")
    if not any(written):
        return None
    values: list[Any] = []
    for i, node in enumerate(nodes):
        where = f"nodes[{i}].value"
        require(written[i], where, "either all nodes have one or none has")
        row = sequence(node["value"], where)
        require(len(row) == header.n_classes, where, "one number per class is wanted")
        values += row
    return reals(values, "nodes, value {}")


def _first(truths: list[bool], wanted: bool) -> int:
    return truths.index(wanted) if wanted in truths else -1


def _read_candidates(said: Any, n_nodes: int, schema: Schema) -> dict[str, Any]:
    candidates = sequence(said, "candidates")
    reader = TestReader(schema)
    per_node = [0] * n_nodes
    last = 0
    for k, candidate in enumerate(candidates):
        where = f"candidates[{k}]"
        needed, optional = keys_of_test(candidate)
        mapping(candidate, where, (*_CANDIDATE, *needed), optional)
        last = integer(candidate["node"], f"{where}.node", last, n_nodes - 1)
        per_node[last] += 1
        reader.add(candidate, where)
    numbers = {
        f"candidate_{name}": reals([c[name] for c in candidates], f"candidates[{{}}].{name}")
        for name in ("gain", "split_info", "penalty")
    }
    begins = _begins(per_node)
    return {"candidates": reader.state("candidates"), "candidate_begin": begins, **numbers}


def _begins(per_node: list[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(per_node, dtype=np.int64)))
