"""Tests as plain values: a column by its name, its thresholds or its levels branch by branch."""

from functools import cache
from typing import Any

import numpy as np

from bosco import _core
from bosco.data.columns import Level
from bosco.data.schema import Column, Schema
from bosco.store.arrays import POOL, Arrays, Pool
from bosco.store.header import read_level
from bosco.store.values import integer, integers, number_or_word, reals, refuse, require, sequence
from bosco.tree.conditions import BY_SHARE, CUT, MAP

SHARE = "share"
"""The missing branch of a test that sends missing values down all branches."""

_CUT_KEYS = frozenset({"column", "thresholds", "missing"})
_MAP_KEYS = frozenset({"column", "levels", "missing"})


def keys_of_test(test: Any) -> tuple[frozenset[str], tuple[str, ...]]:
    """The keys of a test that must and that may be there."""
    is_map = isinstance(test, dict) and "levels" in test
    return (_MAP_KEYS, ("heaviest",)) if is_map else (_CUT_KEYS, ())


def write_tests(pool: _core.TestPool, schema: Schema, *, surrogate: bool) -> list[dict[str, Any]]:
    """Give the tests of a pool as values that JSON can hold."""
    written = []
    levels = [column["levels"] or [] for column in schema.to_dict()["columns"]]
    kinds, columns, branches = pool.kind.tolist(), pool.column.tolist(), pool.branches.tolist()
    missing, flips = pool.missing.tolist(), pool.flip.tolist()
    cuts, cut_begin = pool.thresholds.tolist(), pool.threshold_begin.tolist()
    for i, j in enumerate(columns):
        test: dict[str, Any] = {"column": schema.columns[j].name}
        if kinds[i] == CUT:
            test["thresholds"] = [*map(number_or_word, cuts[cut_begin[i] : cut_begin[i + 1]])]
            if flips[i]:
                test["flip"] = True
        else:
            jumps = pool.jumps[pool.jump_begin[i] : pool.jump_begin[i + 1]].tolist()
            groups: list[list[Any]] = [[] for _ in range(branches[i])]
            for level, branch in zip(levels[j], jumps[1:], strict=True):
                groups[branch].append(level)
            test["levels"] = groups
            if missing[i] == BY_SHARE:
                test["heaviest"] = jumps[0]
        if not surrogate:  # it stands in where the value is missing, so it has none
            test["missing"] = SHARE if missing[i] == BY_SHARE else missing[i]
        written.append(test)
    return written


class TestReader:
    """Tests from outside, gathered into the arrays of a pool."""

    __test__ = False  # not for pytest to collect

    def __init__(self, schema: Schema) -> None:
        self._columns = {column.name: (j, column) for j, column in enumerate(schema.columns)}
        self._codes = cache(_codes)
        self._each: list[int] = []  # of every test: kind, column, branches, missing, flip
        self._ends: list[int] = [0, 0]  # where its thresholds and jumps end
        self._thresholds: list[Any] = []
        self._jumps: list[int] = []

    def add(self, said: dict[str, Any], where: str, missing: int | None = None) -> int:
        """Read a test; `missing` is the branch of missing values if it is not written.

        Returns that branch. Of the keys, only those of tests are looked at.
        """
        name = said["column"]
        if not isinstance(name, str) or name not in self._columns:
            refuse(f"{where}.column", f"there is no column {name!r:.60}")
        j, column = self._columns[name]
        is_map = "levels" in said
        if is_map != (column.kind == "nominal") or is_map == ("thresholds" in said):
            wanted = "'levels'" if column.kind == "nominal" else "'thresholds'"
            refuse(where, f"the test of a {column.kind} column has {wanted}")
        if missing is None:
            share = said["missing"] == SHARE
            at = f"{where}.missing"
            missing = BY_SHARE if share else integer(said["missing"], at, 0, 2**31 - 2)
        branches = self._map(said, where, column, missing) if is_map else self._cut(said, where)
        if not is_map and missing == branches:
            branches += 1  # one of its own
        require(missing < branches, f"{where}.missing", "there is no such branch")
        flip = said.get("flip", False)
        require(isinstance(flip, bool) and flip <= (not is_map), f"{where}.flip", "no truth value")
        self._each += (MAP if is_map else CUT, j, branches, missing, int(flip))
        self._ends += (len(self._thresholds), len(self._jumps))
        return missing

    def _cut(self, said: dict[str, Any], where: str) -> int:
        require("heaviest" not in said, where, "a test with thresholds has no 'heaviest'")
        cuts = sequence(said["thresholds"], f"{where}.thresholds")
        require(cuts, f"{where}.thresholds", "there is none")
        self._thresholds += cuts
        return len(cuts) + 1

    def _map(self, said: dict[str, Any], where: str, column: Column, missing: int) -> int:
        codes = self._codes(column)
        groups = sequence(said["levels"], f"{where}.levels")
        jumps = [-1] * (len(codes) + 1)
        require(("heaviest" in said) == (missing < 0), where, "'heaviest' goes with shares")
        # A code 0 is sent where the missing values go; in shares, what rounding leaves over.
        at = f"{where}.heaviest"
        jumps[0] = integer(said["heaviest"], at, 0, 2**31) if missing < 0 else missing
        require(jumps[0] < len(groups), at, "there is no such branch")
        for branch, group in enumerate(groups):
            inside = f"{where}.levels[{branch}]"
            for level in sequence(group, inside):
                code = read_level(level, codes, inside)
                require(jumps[code] < 0, inside, f"{level!r:.60} is in two branches")
                jumps[code] = branch
        require(min(jumps) >= 0, f"{where}.levels", "a level is in no branch")
        self._jumps += jumps
        return len(groups)

    def pool(self, where: str) -> Pool:
        """All tests that were read."""
        each = np.array(self._each, np.int64).reshape(-1, 5).T
        ends = np.array(self._ends, np.int64).reshape(-1, 2).T
        found: Arrays = dict(zip(POOL, each, strict=False))
        found |= {"threshold_begin": ends[0], "jump_begin": ends[1]}
        found["thresholds"] = reals(self._thresholds, f"{where}, threshold {{}}")
        found["jumps"] = integers(self._jumps, f"{where}, jump {{}}")
        return Pool(**{name: found[name].astype(dtype) for name, dtype in POOL.items()})


def _codes(column: Column) -> dict[Level, int]:
    return {level: code for code, level in enumerate(column.levels or (), start=1)}
