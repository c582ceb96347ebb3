"""People who apply for a loan, drawn."""

from typing import Any

import numpy as np
import pandas as pd


def applicants(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Rows of one source: numbers with long tails and ties, rare levels, holes."""
    jobs = 1 / np.arange(1, 31)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "amount": np.exp(rng.normal(7, 1, n)).round(2),
            "rate": rng.normal(size=n),
            "kids": rng.poisson(1, n).astype(float),
            "job": rng.choice([f"j{i}" for i in range(30)], n, p=jobs / jobs.sum()),
            "city": [f"c{k}" for k in rng.zipf(1.8, n).tolist()],
            "sex": rng.choice(["f", "m"], n),
        }
    )
    X.loc[rng.random(n) < 0.03, "kids"] = np.nan
    X.loc[rng.random(n) < 0.1, "rate"] = np.nan
    risk = X.amount / 500 + X.rate.fillna(0) + rng.normal(0, 1, n)
    return X, np.where(risk > 3, "bad", "good")
