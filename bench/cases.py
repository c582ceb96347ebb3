"""What is measured, against whom, and how many times faster than each of them we mean to be."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """One set, one way to grow; a peer without a target is shown for comparison."""

    name: str
    set: str
    peers: dict[str, float | None]
    settings: dict[str, Any] = field(default_factory=dict)
    predict: dict[str, float | None] = field(default_factory=dict)  # 2 threads
    seconds: float | None = None  # at most
    bytes_per_cell: float | None = None  # of memory beyond X, at most
    as_accurate: bool = False  # as every peer
    ours: dict[str, Any] = field(default_factory=dict)  # settings that the peers do not have


DEPTH_8 = {"max_depth": 8}
MIXED: dict[str, float | None] = {
    "scikit-learn": 15,
    "lightgbm": 1,
    "xgboost hist": None,
    "ydf": None,
}

CASES = [
    Case(
        "full",
        "continuous",
        {"scikit-learn": 30, "xgboost exact": 8, "ydf": 8},
        predict={"scikit-learn": 3, "onnxruntime": 1},
        bytes_per_cell=4,
    ),
    Case(
        "depth 8",
        "continuous",
        {
            "scikit-learn": 60,
            "lightgbm": 2.5,
            "xgboost exact": None,
            "xgboost hist": None,
            "ydf": None,
        },
        DEPTH_8,
        bytes_per_cell=4,
    ),
    Case(
        "64 leaves",
        "continuous",
        {"scikit-learn": 60, "lightgbm": 2.5},
        {"max_leaf_nodes": 64},
        bytes_per_cell=4,
    ),
    Case(
        "quantised, depth 8",
        "quantised",
        {"scikit-learn": 30, "lightgbm": 3},
        DEPTH_8,
        bytes_per_cell=4,
    ),
    Case(
        "regression, depth 8",
        "regression",
        {"scikit-learn": 40, "lightgbm": 2},
        DEPTH_8,
        bytes_per_cell=4,
    ),
    # Nearly every row gets a leaf of its own: most of the memory is the tree that was asked for.
    Case("regression, full", "regression", {"scikit-learn": 25}, bytes_per_cell=4),
    Case("7 classes, depth 8", "seven classes", {"scikit-learn": 30}, DEPTH_8, bytes_per_cell=4),
    Case("mixed, depth 8", "mixed", MIXED, DEPTH_8, as_accurate=True),
    Case(
        "mixed, depth 8, rows shared out",
        "mixed",
        MIXED,
        DEPTH_8,
        as_accurate=True,
        ours={"missing": "fractional"},
    ),
    Case("small", "small", {"scikit-learn": None, "ydf": None}, seconds=0.003),
    Case("wine", "wine", {"scikit-learn": 1, "ydf": 1}),
    Case("iris", "iris", {"scikit-learn": 1, "ydf": 1}),
    Case("digits", "digits", {"scikit-learn": 1, "ydf": 1}),
]
