"""No library function decides: with a C library whose last bits are others, the same model files.

The logarithms, exponentials, powers and gamma functions of the C library are replaced by ones that
are off by one unit in the last place, up or down as the argument says. Trees are then grown,
pruned, boosted and chosen as before, and every saved file, the log of prunings included, must be
the same.
"""

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier as Foreign

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.growth import PRESETS
from bosco.pruning import POLICIES, CostComplexity, CriticalValue, Pessimistic
from tests.test_golden import CASES, grid, real

ROOT = Path(__file__).parent.parent

FUNCTIONS = ("log", "log2", "log10", "log1p", "exp", "exp2", "exp10", "expm1", "lgamma", "tgamma",
             "erf", "erfc", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")  # fmt: skip

SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

extern double nextafter(double, double);

static double off(double y, double x) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 33; bits *= 0xff51afd7ed558ccdULL; bits ^= bits >> 33;
    if (y == 0 || y - y != 0) return y;
    return nextafter(y, bits & 1 ? 1e308 : -1e308);
}

double pow(double x, double y) {
    double (*real)(double, double) = (double (*)(double, double))dlsym(RTLD_NEXT, "pow");
    return off(real(x, y), x + y);
}

double lgamma_r(double x, int* sign) {
    double (*real)(double, int*) = (double (*)(double, int*))dlsym(RTLD_NEXT, "lgamma_r");
    return off(real(x, sign), x);
}
"""
SHIM_OF_ONE = """
double NAME(double x) {
    double (*real)(double) = (double (*)(double))dlsym(RTLD_NEXT, "NAME");
    return off(real(x), x);
}
"""

POLICIES_AND_MORE: list[Any] = [
    *POLICIES,
    CostComplexity(one_standard_error=False),
    CostComplexity(risk="error"),
    Pessimistic(0.01),
    Pessimistic(0.4),
    CriticalValue(0.3, stop=True),
]


def saved(model: Any) -> str:
    """The hash of a model's file."""
    file = BytesIO()
    model.save(file, form="json")
    return hashlib.sha256(file.getvalue()).hexdigest()


def fitted(learner: Any, *rows: Any) -> str:
    """The hash of what a learner makes of rows, and of the numbers of a boosting."""
    learner.fit(*rows)
    numbers = getattr(learner, "estimator_weights_", None), getattr(learner, "history_", None)
    return (saved(learner.model_) if hasattr(learner, "model_") else "") + repr(numbers)


def chosen(X: Any, y: Any) -> str:
    choice = {"max_depth": [2, 4, None], "pruning": ["pessimistic", "minimum_description_length"]}
    best = bosco.select(DecisionTreeClassifier(), choice, X, y, prefer="small", random_state=0)
    return f"{best.choice} {saved(best.estimator.model_)}"


def everything() -> Iterator[tuple[str, Callable[[], str]]]:
    """What is fitted, by name. All numbers come from whole-number arithmetic or from a file."""
    for name, grow in CASES.items():
        if not name.startswith("diabetes"):  # whose columns scikit-learn scales with the library
            yield f"golden: {name}", lambda grow=grow: grow().digest()  # type: ignore[misc]
    X, y = grid(holes=True)
    y = np.where(np.arange(len(y)) % 4 == 0, grid(seed=5)[1], y)  # so that there is much to prune
    weights = {"": None, ", weighted": 1 + np.arange(len(y)) % 5 / 3}
    for policy in POLICIES_AND_MORE:
        for preset in PRESETS:
            for about, weight in weights.items():
                tree = DecisionTreeClassifier(algorithm=preset, pruning=policy)
                yield f"{policy}: {preset}{about}", partial(fitted, tree, X, y, weight)
        if "essimistic" not in str(policy) and policy != "minimum_description_length":
            numbers = DecisionTreeRegressor(pruning=policy)
            yield f"{policy}: numbers", partial(fitted, numbers, *real((X, y)))
    wine = load_wine(return_X_y=True)
    forest: dict[str, Any] = {"n_estimators": 5, "ccp_alpha": 0.005, "max_features": "log2"}
    trees = RandomForestClassifier(**forest, random_state=0)
    yield "forest", partial(fitted, trees, *wine)
    numbers = RandomForestRegressor(**forest, random_state=0)
    yield "forest of numbers", partial(fitted, numbers, *real((X, y)))
    for weak in (None, DecisionTreeClassifier(algorithm="c45"), Foreign(max_depth=2)):
        for rate in (1.0, 0.3):
            rounds: dict[str, Any] = {"learning_rate": rate, "early_stopping": rate < 1}
            boosted = AdaBoostClassifier(weak, n_estimators=12, random_state=0, **rounds)
            yield f"{weak} boosted at {rate}", partial(fitted, boosted, *wine)
    yield "select", partial(chosen, X, y)


def run(**environment: str) -> dict[str, str]:
    """Fit everything in a process of its own."""
    command = [sys.executable, "-m", "tests.test_other_libm"]
    told = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    found: dict[str, str] = json.loads(told.stdout)
    return found


def test_the_last_bit_of_the_c_library_decides_nothing(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, and a system that loads a library before others")
    source, library = tmp_path / "off.c", tmp_path / "off.so"
    source.write_text(SHIM + "".join(SHIM_OF_ONE.replace("NAME", name) for name in FUNCTIONS))
    build = [compiler, "-O1", "-fno-builtin", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run([*build, "-ldl", "-lm"], check=True, capture_output=True)
    usual, other = run(), run(LD_PRELOAD=str(library))
    assert usual.pop("math.log(3)") != other.pop("math.log(3)"), "the C library was not replaced"
    assert [name for name in usual if usual[name] != other[name]] == []


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    hashes = {name: fit() for name, fit in everything()}
    print(json.dumps(hashes | {"math.log(3)": math.log(3).hex()}))
