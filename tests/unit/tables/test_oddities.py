"""What is worth a line: leaks beyond the commonest class, levels but for case, slips of the pen."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco.errors import DataError
from bosco.tables import Domain, Options, read_file
from bosco.tables.oddities import alike, far, fold_case, oddities


def test_a_leak_tells_what_the_commonest_class_does_not() -> None:
    rare = pa.array(["no"] * 2990 + ["yes"] * 10)
    by_chance = pa.array(["a", "b"] * 1500)
    assert oddities(by_chance, "text", rare) == []
    better = pa.array(["a"] * 2992 + ["b"] * 8)  # 99.9 % of the rows, 8 of the 10 that matter
    assert oddities(better, "text", rare) == []
    copy = pa.array(["a"] * 2990 + ["b"] * 10)
    assert (
        "tells all of the rows, and the commonest class without it 99.6 %"
        in (oddities(copy, "text", rare)[0])
    )
    few = pa.array(["no"] * 997 + ["yes"] * 3)  # three rows are told by chance
    assert oddities(pa.array(np.arange(1000.0) ** 2), "number", few) == []


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(50, 10, n),
        lambda rng, n: rng.uniform(0, 1, n),
        lambda rng, n: rng.exponential(1, n),
        lambda rng, n: rng.lognormal(8, 1, n),
        lambda rng, n: rng.pareto(1.0, n),
        lambda rng, n: rng.integers(0, 4, n).astype(float),
        lambda rng, n: np.where(rng.random(n) < 0.03, 999.0, rng.normal(50, 10, n)),
    ],
)
@pytest.mark.parametrize("n", [50, 200, 5000])
def test_no_tail_is_a_slip(draw: Any, n: int, seed: int) -> None:
    """Long tails, codes and marks that many rows have are not called slips, in any order."""
    x = draw(np.random.default_rng(seed), n)
    if np.count_nonzero(x == 999) <= 3:  # so few may be slips
        x[x == 999] = 50
    assert far(pa.array(x), x, str) == ""


@pytest.mark.parametrize("slip", [455.0, -300.0, 1e9])
def test_a_slip_is_seen_on_either_side(slip: float) -> None:
    x = np.random.default_rng(0).uniform(18, 94, 200).round()
    x[[7, 70]] = slip, slip + 1
    assert far(pa.array(x), x, str).startswith(f"{slip:.0f} (7), {slip + 1:.0f} (70) are far")
    x[[8, 9]] = slip  # four are no slip
    assert far(pa.array(x), x, str) == ""


@given(st.lists(st.sampled_from(["No", "no", "NO", "sì", "Sì", "x", None]), max_size=20))
def test_folding_case_merges_what_is_alike_and_nothing_else(texts: list[str | None]) -> None:
    column = pa.array(texts, pa.string())
    for values in (column, column.dictionary_encode()):
        folded = fold_case(values).to_pylist()
        pairs = set(zip(texts, folded, strict=True))
        assert [t and t.lower() for t in texts] == [t and t.lower() for t in folded]
        assert len({f for _, f in pairs if f}) == len({t.lower() for t in texts if t})
        assert set(folded) <= set(texts)
        assert alike(fold_case(values)) == ""
        assert bool(alike(values)) == any(t != f for t, f in pairs)
    shuffled = fold_case(pa.array(texts[::-1], pa.string())).to_pylist()
    assert shuffled[::-1] == fold_case(column).to_pylist()


def test_case_is_folded_in_every_format(tmp_path: Path) -> None:
    table = pa.table({"a": ["No", "no", "no"], "b": pa.array(["X", "x", "y"]).dictionary_encode()})
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(table, tmp_path / "t.parquet")
    assert str(read_file(tmp_path / "t.parquet").understanding).count("--fold-case") == 2
    read = read_file(tmp_path / "t.parquet", Options(fold_case=True)).table
    assert read.column("a").to_pylist() == ["no", "no", "no"]
    assert read.column("b").to_pylist() == ["X", "X", "y"]
    (tmp_path / "d.csv").write_text("s\nLOW\nhigh\n")
    declared = {"s": Domain(("low", "high"))}
    with pytest.raises(DataError, match=r"'LOW' is not in its declared domain.*or --fold-case"):
        read_file(tmp_path / "d.csv", Options(domains=declared))
    read = read_file(tmp_path / "d.csv", Options(domains=declared, fold_case=True)).table
    assert read.column("s").to_pylist() == ["low", "high"]
