"""Numbers beyond all sizes, as weights and as settings."""

from typing import Any

import pytest

from bosco import DataError, DecisionTreeClassifier, ParameterError

HUGE = 10**400
X4, Y4 = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "b"]


@pytest.mark.parametrize("weight", [[1, 1, 1, HUGE], [HUGE] * 4, HUGE], ids=["one", "all", "same"])
def test_weights_beyond_float64_are_refused(weight: Any) -> None:
    with pytest.raises(DataError, match="more than 308 digits"):
        DecisionTreeClassifier().fit(X4, Y4, sample_weight=weight)


@pytest.mark.parametrize(
    "name", ["max_depth", "min_samples_leaf", "max_leaf_nodes", "ccp_alpha", "n_jobs"]
)
def test_settings_beyond_all_sizes_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="less than 2"):
        DecisionTreeClassifier(**{name: HUGE}).fit(X4, Y4)
    with pytest.raises(ParameterError, match="finite number"):
        DecisionTreeClassifier(class_weight={"a": HUGE}).fit(X4, Y4)
