"""The kinds of model that a file can hold: how each is checked, written and read, in both forms."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from bosco.store.arrays import Arrays
from bosco.store.check import check_file, checked
from bosco.store.forests import (
    ForestParts,
    check_forest,
    forest_header,
    forest_lines,
    keep_forest,
    read_forest,
    take_forest,
)
from bosco.store.header import Header, Parts, write_header
from bosco.store.json import listed
from bosco.store.nodes import read_state, write_candidates, write_nodes
from bosco.store.scoretables import (
    TableParts,
    check_table,
    keep_table,
    read_table,
    table_header,
    table_lines,
    take_table,
)
from bosco.store.tree_arrays import keep_tree, take_tree


class Kind(NamedTuple):
    """One kind of model."""

    name: str
    parts: type
    keys: tuple[str, ...]  # of the readable form, after the header
    check: Callable[[Any], None]
    header: Callable[[Any], dict[str, Any]]
    lines: Callable[[Any], Iterator[str]]
    read: Callable[[dict[str, Any], Header], Any]
    keep: Callable[[Any], Arrays]
    take: Callable[[Arrays, Header], Any]


def _tree_lines(parts: Parts) -> Iterator[str]:
    yield ' "nodes": ['
    yield from listed(write_nodes(parts.tree, parts.schema, parts.counted))
    yield from (" ],", ' "candidates": [')
    yield from listed(write_candidates(parts.tree, parts.schema))
    yield " ]"


KINDS = (
    Kind(
        "tree",
        Parts,
        ("nodes", "candidates"),
        check_file,
        write_header,
        _tree_lines,
        lambda said, header: checked(header, read_state(said["nodes"], said["candidates"], header)),
        keep_tree,
        lambda left, header: checked(header, take_tree(left, header)),
    ),
    Kind(
        "forest",
        ForestParts,
        ("trees",),
        check_forest,
        forest_header,
        forest_lines,
        read_forest,
        keep_forest,
        take_forest,
    ),
    Kind(
        "score_table",
        TableParts,
        ("lines",),
        check_table,
        table_header,
        table_lines,
        read_table,
        keep_table,
        take_table,
    ),
)


def kind_of(parts: Any) -> Kind:
    """The kind of model that parts make."""
    return next(kind for kind in KINDS if isinstance(parts, kind.parts))


def fingerprint(parts: Any) -> str:
    """The hash that the file of a model carries."""
    return str(kind_of(parts).header(parts)["hash"])


def kind_named(name: str) -> Kind:
    """The kind that a header names."""
    return next(kind for kind in KINDS if kind.name == name)
