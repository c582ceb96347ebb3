"""One tree in a file: its arrays, or a list of nodes and a list of the candidates of each.

What follows from the rest is not written: parents from children, shares of classes from tallies,
samples and known weight where they are the weight.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import Schema
from bosco.store.arrays import Arrays, Pool, begins, keep_pool, take, take_pool
from bosco.store.check import check_file
from bosco.store.forms import listed
from bosco.store.header import Header, Kind, Parts, write_header
from bosco.store.states import (
    CANDIDATE,
    POOLS,
    derived_values,
    lay_out,
    native_tree,
    same_bits,
    weights,
)
from bosco.store.tests import TestReader, keys_of_test, write_tests
from bosco.store.values import integer, integers, mapping, number_or_word, reals, require, sequence
from bosco.tree.census import Census
from bosco.tree.tree import Tree

_NODE = ("node", "tally", "impurity")
_NODE_MAY = (
    *("test", "first_child", "gain", "count", "known", "value", "surrogates"),
    *("rows", "effective"),
)
_NUMBERS = tuple(name.removeprefix("candidate_") for name in CANDIDATE)


def _weights_and_values(parts: Parts) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The weights of all nodes, and the values that follow from them."""
    native = parts.tree.native
    weight = weights(native.tally, native.n_classes)
    scales = {"center": native.center, "scale": native.scale}
    return weight, derived_values(native.tally, weight, native.parent, native.n_classes, scales)


# The compact form -----------------------------------------------------------------------------


def keep_tree(parts: Parts) -> Arrays:
    """Give the arrays of a tree to be kept."""
    native, counted = parts.tree.native, parts.counted
    weight, values = _weights_and_values(parts)
    kept = {name: getattr(native, name) for name in ("first_child", "tally", "impurity")}
    kept["gain"] = native.gain[native.test >= 0]  # a leaf has none
    for name, follows in (("count", weight), ("known", weight), ("value", values)):
        if not same_bits(getattr(native, name), follows):
            kept[name] = getattr(native, name)
    for name in POOLS:
        kept |= keep_pool(Pool.of(getattr(native, name)), name)
    for name in ("surrogate", "candidate"):
        if len(getattr(native, f"{name}s")):
            kept[f"{name}s.per_node"] = np.diff(getattr(native, f"{name}_begin"))
    if len(native.candidates):
        kept |= {name: getattr(native, name) for name in CANDIDATE}
    for name in ("rows", "effective") if counted is not None else ():
        if (array := getattr(counted, name)) is not None:
            kept[name] = array
    return kept


def take_tree(left: Arrays, header: Header) -> Parts:
    """Take the arrays of a file for a tree, trusting nothing in them."""
    first = take(left, "first_child", np.int32)
    n, width = len(first), header.n_classes or 1
    require(n >= 1, "first_child", "there are no nodes")

    def wide(name: str, dtype: Any, columns: int) -> NDArray[Any]:
        array, shape = take(left, name, dtype, 2), (n, columns)
        require(array.shape == shape, name, f"the shape {shape} is wanted, got {array.shape}")
        return array

    tally, gain, inner = wide("tally", np.int64, header.n_classes or 2), np.zeros(n), first >= 0
    gains = take(left, "gain", np.float64)
    require(len(gains) == np.count_nonzero(inner), "gain", "one per inner node is wanted")
    gain[inner] = gains
    weight = weights(tally, header.n_classes)
    kept: dict[str, Any] = {"n_classes": header.n_classes, **header.scales}
    kept |= {"first_child": first, "tally": tally, "gain": gain}
    kept["impurity"] = take(left, "impurity", np.float64)
    for name in ("count", "known"):
        kept[name] = take(left, name, np.int64) if name in left else weight
    kept["value"] = wide("value", np.float64, width) if "value" in left else None
    for name in POOLS:
        kept[name] = take_pool(left, name)
    for name in ("surrogate", "candidate"):
        some = len(kept[f"{name}s"])
        none = np.zeros(n + 1, np.int64)
        kept[f"{name}_begin"] = begins(left, f"{name}s.per_node", some) if some else none
    for name in CANDIDATE:
        kept[name] = take(left, name, np.float64) if len(kept["candidates"]) else np.zeros(0)
    rows = wide("rows", np.int64, width) if "rows" in left else None
    effective = take(left, "effective", np.float64) if "effective" in left else None
    require(rows is not None or effective is None, "nodes", "'effective' needs 'rows'")
    tree = Tree(native_tree(lay_out(kept)), len(header.schema.columns))
    counted = None if rows is None else Census(rows, effective, header.scales["count_scale"])
    meaning = (header.schema, header.classes, header.growth, header.provenance)
    parts = Parts(tree, *meaning, header.log, counted, header.edits, header.decision)
    check_file(parts)
    return parts


# The readable form ----------------------------------------------------------------------------


def tree_lines(parts: Parts) -> Iterator[str]:
    """Write the nodes, and what was compared at each, one a line."""
    yield ' "nodes": ['
    yield from listed(_nodes(parts))
    yield from (" ],", ' "candidates": [')
    yield from listed(_candidates(parts.tree, parts.schema))
    yield " ]"


def _nodes(parts: Parts) -> list[dict[str, Any]]:
    """Give the nodes as values that JSON can hold."""
    native, counted = parts.tree.native, parts.counted
    weight, shares = _weights_and_values(parts)
    tests = iter(write_tests(native.tests, parts.schema, surrogate=False))
    stand_ins = write_tests(native.surrogates, parts.schema, surrogate=True)
    begin, first = native.surrogate_begin.tolist(), native.first_child.tolist()
    count, known = native.count.tolist(), native.known.tolist()
    gain, impurity = native.gain.tolist(), native.impurity.tolist()
    values = None  # class shares follow from tallies; a mean is always written
    if not native.n_classes:
        values = native.value[:, 0].tolist()
    elif not same_bits(shares, native.value):
        values = native.value.tolist()
    tallies, kept = native.tally.tolist(), {}
    for name in ("rows", "effective") if counted is not None else ():
        if (array := getattr(counted, name)) is not None:
            kept[name] = array.tolist()
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
        for name, written in kept.items():
            node[name] = written[i]
        if count[i] != total:
            node["count"] = count[i]
        if known[i] != total:
            node["known"] = known[i]
        if values is not None:
            node["value"] = values[i]
        node["impurity"] = number_or_word(impurity[i])
        nodes.append(node)
    return nodes


def _candidates(tree: Tree, schema: Schema) -> list[dict[str, Any]]:
    """Give the candidates of all nodes as values that JSON can hold."""
    native = tree.native
    nodes = np.repeat(np.arange(native.n_nodes), np.diff(native.candidate_begin)).tolist()
    tests = write_tests(native.candidates, schema, surrogate=False)
    columns = [map(number_or_word, getattr(native, name).tolist()) for name in CANDIDATE]
    return [
        {"node": node, **test, **dict(zip(_NUMBERS, numbers, strict=True))}
        for node, test, *numbers in zip(nodes, tests, *columns, strict=True)
    ]


def read_nodes(said: dict[str, Any], header: Header) -> Arrays:
    """Read nodes and candidates into the arrays that are kept, trusting nothing in them."""
    nodes = sequence(said["nodes"], "nodes")
    require(nodes, "nodes", "there is none")
    tests, stand_ins = TestReader(header.schema), TestReader(header.schema)
    slots, width, n = header.n_classes or 2, header.n_classes or 1, len(nodes)
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
        missing = tests.add(test, at)
        first.append(integer(node["first_child"], f"{where}.first_child", i + 1, n - 1))
        n_stand_ins.append(_surrogates(node.get("surrogates"), where, stand_ins, missing))
    tallies = integers(tally, "nodes, tally {}").reshape(n, slots)
    totals = weights(tallies, header.n_classes).tolist()
    arrays: Arrays = {"first_child": np.array(first, np.int32), "tally": tallies}
    arrays["impurity"] = reals([node["impurity"] for node in nodes], "nodes[{}].impurity")
    gains = reals([node.get("gain", 0.0) for node in nodes], "nodes[{}].gain")
    arrays["gain"] = gains[arrays["first_child"] >= 0]
    for key in ("count", "known"):
        numbers = [node.get(key, total) for node, total in zip(nodes, totals, strict=True)]
        arrays[key] = integers(numbers, f"nodes[{{}}].{key}")
    if header.n_classes == 0:
        lacking = next((i for i, node in enumerate(nodes) if "value" not in node), -1)
        require(lacking < 0, f"nodes[{lacking}]", "it lacks 'value'")
        means = reals([node["value"] for node in nodes], "nodes[{}].value")
        arrays["value"] = means.reshape(n, 1)
    elif any("value" in node for node in nodes):
        arrays["value"] = reals(_rows(nodes, "value", width), "nodes, value {}").reshape(n, width)
    if any("rows" in node for node in nodes):
        arrays["rows"] = integers(_rows(nodes, "rows", width), "nodes, rows {}").reshape(n, width)
    if any("effective" in node for node in nodes):
        numbers = [node.get("effective") for node in nodes]
        arrays["effective"] = reals(numbers, "nodes[{}].effective")
    arrays |= keep_pool(tests.pool("tests"), "tests")
    arrays |= _by_node(stand_ins, "surrogates", n_stand_ins)
    return arrays | _read_candidates(said["candidates"], n, header.schema)


def _by_node(reader: TestReader, name: str, per_node: list[int]) -> Arrays:
    kept = keep_pool(reader.pool(name), name)
    return kept | {f"{name}.per_node": np.array(per_node)} if kept else {}


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


def _rows(nodes: list[Any], key: str, width: int) -> list[Any]:
    """A list of so many numbers from every node, end to end."""
    found: list[Any] = []
    for i, node in enumerate(nodes):
        where = f"nodes[{i}].{key}"
        require(key in node, where, "either all nodes have one or none has")
        row = sequence(node[key], where)
        require(len(row) == width, where, f"a list of {width} numbers is wanted")
        found += row
    return found


def _read_candidates(said: Any, n_nodes: int, schema: Schema) -> Arrays:
    candidates = sequence(said, "candidates")
    reader = TestReader(schema)
    per_node, last = [0] * n_nodes, 0
    for k, candidate in enumerate(candidates):
        where = f"candidates[{k}]"
        needed, optional = keys_of_test(candidate)
        mapping(candidate, where, ("node", *_NUMBERS, *needed), optional)
        last = integer(candidate["node"], f"{where}.node", last, n_nodes - 1)
        per_node[last] += 1
        reader.add(candidate, where)
    arrays = _by_node(reader, "candidates", per_node)
    for name in _NUMBERS if candidates else ():
        numbers = reals([c[name] for c in candidates], f"candidates[{{}}].{name}")
        arrays[f"candidate_{name}"] = numbers
    return arrays


_VERBS = (check_file, write_header, tree_lines, read_nodes, keep_tree, take_tree)
KIND = Kind("tree", Parts, ("nodes", "candidates"), *_VERBS)
