"""The benches of many trees: what they claim, and what their page says."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import c50, costs, forests, page, quality, tuned
from bench.worker import medians


def figures(library: str, case: forests.Case) -> dict[str, Any]:
    """Invented: ours takes a second, every peer eight."""
    if library == "ydf" and case.kind == "extra":
        return {"skipped": "has no extra-trees"}
    t = 1.0 if library == "bosco" else 8.0
    sizes = {"fitted": case.rows, "tested": 10_000}
    found = {"fit": {"fit": t, "score": 0.9, "peak": 2**20 * t, "runs": 5, **sizes}}
    found["predict"] = {"predict": {"1": t, "2": t / 2}, "score": 0.9}
    found["row"] = {"row": t * 1e-5, "runs": 2000}
    found["explain"] = {"explain": t, "runs": 5}
    return found[case.act]


def invented() -> dict[str, Any]:
    return {
        "machine": {"processor": "none", "threads": 2, "versions": {}},
        "cases": {
            case.name: {name: figures(name, case) for name in ["bosco", *case.peers]}
            for case in forests.CASES
        },
        "growth": {
            "rows": 80_000,
            "trees": [[10, 1.0], [50, 5.0], [100, 10.0]],
            "threads": [[1, 2e7], [2, 2.1e7], [4, 2.3e7]],
        },
    }


def test_claims() -> None:
    case = next(c for c in forests.CASES if c.name == "forest")
    told = list(forests.claims(case, invented()["cases"]["forest"]))
    assert [(c.got, c.limit, c.met) for c in told[:2]] == [(8, 10, False), (8, 5, True)]
    assert told[-1].what == "accuracy"
    assert told[-1].limit == pytest.approx(0.9 - 2 * (0.9 * 0.1 / 10_000) ** 0.5)


def test_better_means_better() -> None:
    case = next(c for c in forests.CASES if c.name == "adult")
    told = list(forests.claims(case, invented()["cases"]["adult"]))
    assert told[-1].limit == 0.9


def test_a_peer_that_failed_is_a_line_without_a_claim() -> None:
    case = next(c for c in forests.CASES if c.name == "forest")
    found = invented()["cases"]["forest"] | {"ydf": {"error": "no module ydf"}}
    assert next(r[:2] for r in forests.lines(case, found) if "ydf" in r) == ["ydf", "no module ydf"]
    assert not any("ydf" in claim.what for claim in forests.claims(case, found))


def test_growth() -> None:
    linear, lean = forests.growth_claims(invented()["growth"])
    assert linear.got == pytest.approx(1)
    assert lean.got == pytest.approx(1e6 / 6.4e6)


def test_the_page_shows_many_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bench.json").write_text((page.RESULTS / "bench.json").read_text())
    (tmp_path / "forests.json").write_text(json.dumps(invented()))
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    monkeypatch.setattr(quality, "KEPT", tmp_path / "quality.json")
    monkeypatch.setattr(costs, "KEPT", tmp_path / "costs.json")
    text = page.page()
    for case in forests.CASES:
        assert f"\n### {case.name[0].upper()}{case.name[1:]}\n" in text
    assert "* forest: fit: scikit-learn / bosco 8, aim ≥ 10: NOT MET" in text
    assert "How well" not in text


def test_only_repeats_of_both_forests_are_compared() -> None:
    kept = {
        "sets": {"glass": {"rows": 214, "columns": 9, "nominal": 0}},
        "scores": {
            "glass": {
                "bosco": {"0": [0.8, 0.9] * 5, "1": [0.5, 0.5] * 5},
                "scikit-learn": {"0": [0.7, 0.9] * 5},
                "boosted C4.5": {"0": [0.8, 0.8] * 5},
            }
        },
    }
    (row,) = quality.rows(kept)
    assert set(row.repeats.values()) == {1}
    assert row.error == pytest.approx({"bosco": 15, "scikit-learn": 20, "boosted C4.5": 20})
    assert row.difference == pytest.approx(-5)
    assert (row.p < 0.05, row.word) == (False, "within the noise")


def test_two_turns_are_one_median_over_all_their_runs() -> None:
    first = {"score": 0.9, "peak": 5, **medians({"predict 1": [1.0, 9.0], "predict 2": [4.0, 2.0]})}
    second = {"peak": 7, **medians({"predict 1": [2.0], "predict 2": [3.0, 3.0]})}
    both = forests.together(first, second)
    assert both["predict"] == {"1": 2.0, "2": 3.0}
    assert (both["score"], both["peak"], both["runs"]) == (0.9, 7, 3)
    assert forests.together(first, {"error": "killed"})["predict"] == {"1": 5.0, "2": 3.0}
    assert forests.slow(second)
    assert not forests.slow(first)


def test_the_page_of_small_trees_is_what_was_measured() -> None:
    """docs/optimal.md has the tables that `python -m bench.tuned --print` prints."""
    kept = json.loads(tuned.KEPT.read_text())
    shown = (tuned.HERE.parent / "docs" / "optimal.md").read_text()
    for who in tuned.BESIDE:
        for line in (*tuned.lines(kept, who), *tuned.means(kept, who)):
            assert line in shown, line


def test_the_answers_of_c50_are_read() -> None:
    """Its table of three classes, as the program prints it: a cell of no rows is blank."""
    told = """Evaluation on training data (9 cases):
\t   (a)   (b)    <-classified as
Evaluation on test data (377 cases):

\t   (a)   (b)   (c)    <-classified as
\t  ----  ----  ----
\t    15           4    (a): class c0
\t     1   347     1    (b): class c1
\t                 9    (c): class c2

Time: 0.0 secs
"""
    assert c50.answers_read(told, 3).tolist() == [[15, 0, 4], [1, 347, 1], [0, 0, 9]]


def test_costs_are_told_against_bosco() -> None:
    kept = {"sets": {"a": {"b 5:1": {
        "bosco": [0.5, 0.6] * 5, "scikit-learn": [0.9, 1.0] * 5, "rpart": [0.4, 0.71] * 5,
    }}}}  # fmt: skip
    (row,) = costs.rows(kept)
    assert row.words == {"scikit-learn": "worse", "rpart": "even"}
    others = ["–"] * (len(costs.SHOWN) - 3)
    assert costs.cells(row) == ["a", "b 5:1", "0.5500", "0.9500, worse", "0.5550, even", *others]
    told = list(costs.overall(kept))
    assert [(name, n) for name, _, n in told] == [("scikit-learn", 1), ("rpart", 1)]
    assert told[0][1] == pytest.approx(0.95 / 0.55)
    assert costs.beside(kept, "bosco", "scikit-learn") == (
        f"scikit-learn {0.55 / 0.95:.3f} (1 better, 0 even, 0 worse)"
    )
