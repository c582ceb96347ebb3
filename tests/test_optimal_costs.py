"""The best small tree where mistakes have costs: any weights and prices, told and kept."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, ModelError, ParameterError
from bosco.base.numerals import show_figure
from bosco.datasets import golf
from tests.test_optimal import mixed


@pytest.mark.parametrize("alpha", [1 / 3, 0.123456, 1e30])
@pytest.mark.parametrize("costs", [None, {"Play": 3}, {"Play": 1 / 7, "Don't Play": 0.3}])
def test_any_weights_any_price(alpha: float, costs: Any) -> None:
    X, y = golf()
    clf = DecisionTreeClassifier(algorithm="optimal", alpha=alpha, max_depth=2, costs=costs)
    weights = np.random.default_rng(0).random(14)
    for given in (None, weights):
        known = clf.fit(X, y, sample_weight=given).model_.certificate
        assert known.proved
        own = np.ones(14) if given is None else given
        missed = own[clf.predict(X) != np.asarray(y)].sum()
        assert known.wrong == pytest.approx(missed)
        counts = known.wrong if costs is None else known.cost
        assert known.objective == pytest.approx(counts + alpha * known.leaves, rel=1e-9)
        assert pickle.loads(pickle.dumps(clf.model_)).certificate == known


def test_costs_of_too_many_digits_are_refused() -> None:
    X, y = golf()
    weights = np.random.default_rng(0).random(14)
    clf = DecisionTreeClassifier(algorithm="optimal", costs={"Play": 0.12345678901})
    with pytest.raises(ParameterError, match="fewer digits"):
        clf.fit(X, y, sample_weight=weights)


def test_costs_are_told_and_kept(tmp_path: Any) -> None:
    X, y = mixed(200, 13)
    costs = {0: {1: 5}, 1: {2: 0.5}}
    clf = DecisionTreeClassifier(algorithm="optimal", max_depth=2, alpha=0.5, costs=costs)
    model = clf.fit(X, y).model_
    known, wrong = model.certificate, clf.predict(X) != y
    prices = {(0, 1): 5.0, (1, 2): 0.5}
    pairs = zip(y[wrong].tolist(), clf.predict(X)[wrong].tolist(), strict=True)
    cost = sum(prices.get(pair, 1.0) for pair in pairs)
    assert (known.wrong, known.cost) == (wrong.sum(), cost)
    text = str(model)
    said = f"{show_figure(wrong.sum())} training rows are wrong, cost {show_figure(cost)}, and 0.5"
    assert said in text
    assert f"No tree costs less than {show_figure(known.objective)}" in text
    assert "objective: cost + price" in str(model.report(X, y))
    for name in ("m.json", "m.bosco"):
        model.save(tmp_path / name)
        assert bosco.load(tmp_path / name).certificate == known
    said = json.loads((tmp_path / "m.json").read_text())
    for key, value in {"cost": 1.0, "costs": [[0, 1], [1, 0]]}.items():
        bad = json.loads(json.dumps(said))
        bad["provenance"]["certificate"][key] = value
        (tmp_path / "bad.json").write_text(json.dumps(bad))
        with pytest.raises(ModelError):
            bosco.load(tmp_path / "bad.json")
    stopped = clf.set_params(work_limit=10_000, max_depth=4).fit(X, y).model_.certificate
    assert stopped.verdict == f"at most {show_figure(stopped.gap)} in cost from optimal"


def test_weights_that_differ_by_much_keep_the_certificate_true() -> None:
    """Rounding them for the search leaves what is said of the tree as it is."""
    X, y = mixed(60, 15)
    weights = np.random.default_rng(0).choice([1e-3, 1.0, 1e9], 60) / 3
    for more in ({"algorithm": "optimal"}, {"polish": True, "max_leaf_nodes": 4}):
        clf = DecisionTreeClassifier(max_depth=3, costs={0: 3, 1: 0.1}, **more)
        model = clf.fit(X, y, sample_weight=weights).model_
        assert pickle.loads(pickle.dumps(model)).certificate == model.certificate


def test_too_many_levels_are_refused_in_words() -> None:
    X, y = mixed(60, 15)
    with pytest.raises(ParameterError, match=r"at most 20 levels deep.*max_depth=20"):
        DecisionTreeClassifier(algorithm="optimal", max_depth=25).fit(X, y)
    with pytest.raises(ParameterError, match="at most 20 levels deep"):
        DecisionTreeClassifier(algorithm="optimal", max_leaf_nodes=50).fit(X, y)
