"""Count the points on which an export and the model disagree."""

import re
from typing import Any

import numpy as np

from tests.contract.kinds import Case


def readable(sql: str, dialect: str) -> str:
    """A statement as sqlglot reads it: float64 as Oracle writes it is not among that."""
    if dialect != "oracle":
        return sql
    return re.sub(r"\b(\d+(?:\.\d+)?)(e-?\d+)?d\b", lambda n: n[1] + (n[2] or "e0"), sql)


def disagreements(case: Case, labels: list[Any], shares: Any) -> int:
    """Points with another class, or with a share that differs in any bit."""
    assert len(labels) == case.n_points
    same_label = np.array([a == b for a, b in zip(labels, case.labels, strict=True)])
    same_shares = (np.asarray(shares, float) == case.shares).all(axis=1)
    return int(np.count_nonzero(~(same_label & same_shares)))
