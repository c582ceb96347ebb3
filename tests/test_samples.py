"""Samples of rows: drawn in blocks, so that whoever holds some places draws for those alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import _core
from tests.reference.draw import BLOCK, sample_key, sampled
from tests.strategies import examples

FAR = 2**32 + 3 * BLOCK + 17  # places that 32 bits cannot number


def drawn(n: int, size: int, replace: bool, begin: int, end: int, tree: int = 3) -> np.ndarray:
    return _core.sample_times(11, tree, n, size, replace, begin, end)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize(
    ("n", "size"), [(1, 1), (1000, 1000), (BLOCK, 7), (BLOCK + 1, BLOCK), (3 * BLOCK - 5, 100_000)]
)
def test_a_sample_is_that_of_the_specification(n: int, size: int, replace: bool) -> None:
    want = sampled(sample_key(11, 3), n, size, replace)
    assert drawn(n, size, replace, 0, n).tolist() == want


@examples(60)
@given(st.data(), st.booleans())
def test_samples_of_parts_are_that_of_the_whole(data: st.DataObject, replace: bool) -> None:
    n = data.draw(st.integers(1, 5 * BLOCK))
    size = data.draw(st.integers(1, n))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=6)))
    parts = [drawn(n, size, replace, a, b) for a, b in zip([0, *cuts], [*cuts, n], strict=True)]
    whole = drawn(n, size, replace, 0, n)
    assert np.array_equal(np.concatenate(parts), whole)
    assert whole.sum() == size


@examples(60)
@given(st.data(), st.booleans())
def test_every_block_has_its_share(data: st.DataObject, replace: bool) -> None:
    n = data.draw(st.integers(BLOCK, 2 * FAR))
    size = data.draw(st.integers(1, n))
    block = data.draw(st.integers(0, (n - 1) // BLOCK))
    begin, end = block * BLOCK, min(n, (block + 1) * BLOCK)
    times = drawn(n, size, replace, begin, end)
    assert times.sum() == size * end // n - size * begin // n
    assert replace or times.max(initial=0) <= 1


@pytest.mark.parametrize("replace", [True, False])
def test_places_beyond_32_bits(replace: bool) -> None:
    """Their draws are not those of places that differ by 2**32, and cuts change nothing."""
    n = 2 * FAR
    size = n if replace else n // 2
    begin, end = FAR, FAR + 2 * BLOCK
    whole = drawn(n, size, replace, begin, end)
    middle = begin + BLOCK // 3
    halves = [drawn(n, size, replace, begin, middle), drawn(n, size, replace, middle, end)]
    assert np.array_equal(np.concatenate(halves), whole)
    near = drawn(n, size, replace, begin - 2**32, end - 2**32)
    assert not np.array_equal(near, whole)
    assert abs(int(whole.sum()) - size * (end - begin) // n) < 2000


def test_every_place_is_as_likely() -> None:
    """Over many trees a place is drawn once on average, at the ends of blocks too."""
    n = 2 * BLOCK + 1000
    trees = 400
    total = sum(drawn(n, n, True, BLOCK - 50, BLOCK + 50, tree) for tree in range(trees))
    assert abs(total / trees - 1).max() < 0.25  # five standard deviations
    last = sum(drawn(n, n, True, n - 50, n, tree) for tree in range(trees))
    assert abs(last / trees - 1).max() < 0.25


def test_what_is_refused() -> None:
    for n, size, replace, begin, end in (
        (0, 1, True, 0, 0),
        (5, 6, False, 0, 5),
        (5, 5, True, 3, 2),
        (5, 5, True, 0, 6),
    ):
        with pytest.raises(_core.CoreError, match="some of the places"):
            drawn(n, size, replace, begin, end)
