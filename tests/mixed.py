"""A small table of every kind of column, with holes, and three classes to learn."""

from typing import Any

import numpy as np
import pandas as pd


def mixed(n: int, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X["few"] = rng.integers(0, 5, n)
    X["level"] = pd.Categorical(rng.choice(list("pqrst"), n))
    X = X.mask(rng.random(X.shape) < 0.05)
    y = X["a"].fillna(0) + X["b"].fillna(0) ** 2 + 2 * (X["level"] == "q") + rng.normal(size=n)
    return X, np.digitize(y, [0.0, 1.5])
