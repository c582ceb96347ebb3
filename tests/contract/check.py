"""Count the points on which an export and the model disagree."""

from typing import Any

import numpy as np

from tests.contract.kinds import Case


def disagreements(case: Case, labels: list[Any], shares: Any) -> int:
    """Points with another class, or with a share that differs in any bit."""
    assert len(labels) == case.n_points
    same_label = np.array([a == b for a, b in zip(labels, case.labels, strict=True)])
    same_shares = (np.asarray(shares, float) == case.shares).all(axis=1)
    return int(np.count_nonzero(~(same_label & same_shares)))
