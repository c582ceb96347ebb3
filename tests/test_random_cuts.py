"""The verbs of random cuts: two numbers a column and node, and the tally of one bin."""

import numpy as np
import pytest

from bosco import _core
from tests.parts import grower_of, tree_of
from tests.test_verbs import large, same_arrays


@pytest.mark.parametrize("kind", ["two", "three", "weighted", "real", "shared"])
@pytest.mark.parametrize("draws", [-1, 2])
def test_random_cuts_ask_for_no_values(kind: str, draws: int) -> None:
    """Two numbers a column and node, and the tally of one bin, instead of all values."""
    frame, goal, settings, k = large(kind)
    settings |= {"splitter": "random", "max_features": draws, "seed": 5, "max_depth": 9}
    frame.encode(1)
    tree = _core.grow(frame, goal, settings, 1)
    unit = _core.sample_unit(frame, settings)
    part_of = np.random.default_rng(1).integers(0, 3, frame.n_rows)
    rows = [np.flatnonzero(part_of == p) for p in range(3)]
    grower = grower_of([frame] * 3, [goal] * 3, k, settings, unit, rows)
    same_arrays(tree_of(grower), tree)
    assert tree.n_nodes > 50
    assert grower.source.looked_into == 0


def test_ends_and_what_lies_up_to_a_cut() -> None:
    """The verbs of random cuts, against the values themselves."""
    x = np.random.default_rng(0).normal(size=4000)
    frame = _core.Frame(len(x))
    frame.add_numeric(x)
    frame.encode(1)
    classes = (np.arange(len(x)) % 2).astype(np.uint32)
    goal = _core.Target.classes(classes, 2, None, None)
    some = np.arange(0, len(x), 3, dtype=np.uint32)
    rows = _core.Rows(frame, goal, 1, some, np.full(len(some), 2, np.uint32))
    code = np.searchsorted(frame.values(0)[: frame.n_codes(0) - 1], x) + 1
    own, label = code[some], classes[some]
    low, high = int(own.min()), int(own.max())
    assert rows.ends(0, [(0, low, high)]).tolist() == [[x[some].min(), x[some].max()]]
    cut = float(np.median(x[some]))
    at = int(np.searchsorted(frame.values(0)[: frame.n_codes(0) - 1], cut)) + 1
    inside = (own == at) & (x[some] <= cut)
    assert 0 < inside.sum() < (own == at).sum()
    want = 2 * np.bincount(label[inside], minlength=2)
    assert rows.up_to(0, [(0, at, cut)]).tolist() == [want.tolist()]


def test_what_the_verbs_of_random_cuts_refuse() -> None:
    frame, goal, _, _ = large("two")
    frame.encode(1)
    with pytest.raises(_core.CoreError, match="coarse columns only"):
        _core.Rows(frame, goal).ends(0, [(4, 1, 2)])
    with pytest.raises(_core.CoreError, match="no such column"):
        _core.Rows(frame, goal).up_to(0, [(9, 1, 0.5)])
    with pytest.raises(_core.CoreError, match="how often"):
        _core.Rows(frame, goal, 1, None, np.ones(3, np.uint32))
