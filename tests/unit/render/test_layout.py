"""Layouts keep their promises for any tree and any sizes."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bosco.render.layout import Layout, place

GAP, LEVEL_GAP = 7.0, 11.0


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    n = draw(st.integers(1, 40))
    parents = [-1] + [draw(st.integers(max(0, i - 9), i - 1)) for i in range(1, n)]
    size = st.floats(1, 300)
    sizes = [draw(st.lists(size, min_size=n, max_size=n)) for _ in range(2)]
    return parents, sizes[0], sizes[1]


def across(
    layout: Layout, widths: list[float], heights: list[float], orientation: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places and sizes: across the tree, then along it."""
    x, y, w, h = layout.x, layout.y, np.array(widths), np.array(heights)
    return (x, w, y, h) if orientation == "vertical" else (y, h, x, w)


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@settings(max_examples=150, deadline=None)
@given(tree=trees())
def test_promises(orientation: str, tree: tuple[list[int], list[float], list[float]]) -> None:
    parents, widths, heights = tree
    layout = place(
        parents, widths, heights, orientation=orientation, gap=GAP, level_gap=LEVEL_GAP  # type: ignore[arg-type]
    )  # fmt: skip
    side, size, start, length = across(layout, widths, heights, orientation)
    # Inside.
    assert layout.x.min() == pytest.approx(0, abs=1e-6)
    assert layout.y.min() == pytest.approx(0, abs=1e-6)
    assert (layout.x + widths <= layout.width + 1e-6).all()
    assert (layout.y + heights <= layout.height + 1e-6).all()
    # No two overlap, and there is a gap in one direction or the other.
    apart = (side[:, None] + size[:, None] + GAP <= side + 1e-6) | (
        start[:, None] + length[:, None] + LEVEL_GAP <= start + 1e-6
    )
    apart |= apart.T
    np.fill_diagonal(apart, True)
    assert apart.all()
    children: dict[int, list[int]] = {}
    for node in range(1, len(parents)):
        children.setdefault(parents[node], []).append(node)
        # After its parent.
        assert start[node] >= start[parents[node]] + length[parents[node]] + LEVEL_GAP - 1e-6
    middle = side + size / 2
    for parent, below in children.items():
        assert all(middle[a] < middle[b] for a, b in pairwise(below))
        assert middle[parent] == pytest.approx((middle[below[0]] + middle[below[-1]]) / 2, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(tree=trees())
def test_a_mirrored_tree_is_drawn_mirrored(
    tree: tuple[list[int], list[float], list[float]],
) -> None:
    parents, widths, heights = tree
    straight = place(parents, widths, heights)
    # Numbering siblings backwards, parents first, mirrors the tree.
    children: list[list[int]] = [[] for _ in parents]
    for node in range(1, len(parents)):
        children[parents[node]].append(node)
    order = [0]
    for node in order:
        order.extend(reversed(children[node]))
    place_of = {node: at for at, node in enumerate(order)}
    turned = place(
        [-1] + [place_of[parents[node]] for node in order[1:]],
        [widths[node] for node in order],
        [heights[node] for node in order],
    )
    mirrored = turned.width - turned.x - np.array([widths[node] for node in order])
    assert mirrored == pytest.approx(straight.x[order], abs=1e-6)


def test_a_long_leaf_does_not_push_its_level() -> None:
    #    0
    #  1   2      1 is a long leaf, 2 has a child
    #      3
    layout = place([-1, 0, 0, 2], [10] * 4, [10, 100, 10, 10], gap=5, level_gap=20)
    assert layout.y.tolist() == [0, 30, 30, 60]
    assert layout.height == 130


def test_packed_as_close_as_outlines_allow() -> None:
    # A deep narrow subtree beside a wide flat one: the flat one's leaves stay beside it.
    parents = [-1, 0, 0, 1, 3, 2, 2]
    layout = place(parents, [10.0] * 7, [10.0] * 7, gap=2, level_gap=2)
    assert layout.width == pytest.approx(10 + 2 + 22)


def test_deep_and_wide_trees_are_quick() -> None:
    start = time.process_time()
    chain = [-1] + [i - 1 if i % 2 else max(0, i - 2) for i in range(1, 4001)]
    deep = place(chain, [10.0] * 4001, [10.0] * 4001)
    wide = place([-1] + [0] * 10_000, [10.0] * 10_001, [10.0] * 10_001, gap=1)
    assert time.process_time() - start < 5
    assert deep.height > 40_000
    assert wide.width == pytest.approx(10_000 * 11 - 1)
