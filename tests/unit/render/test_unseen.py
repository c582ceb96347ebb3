"""Missing values that training never had: marked, and said once."""

import numpy as np

from bosco import DecisionTreeClassifier, Model
from bosco.render.card import card

X_NAMES = ("whole", "holes", "sky")


def test_a_mark_stands_for_missing_values_that_training_did_not_have() -> None:
    """Every branch that takes missing values says so, by words or by the mark; no other does."""
    rng = np.random.default_rng(0)
    X = {"whole": rng.normal(size=200), "holes": rng.normal(size=200), "sky": ["a", "b"] * 100}
    y = (X["whole"] + np.nan_to_num(X["holes"]) > 0).astype(int)
    X["holes"][::7] = np.nan
    model = DecisionTreeClassifier(max_depth=3).fit(X, y).model_
    for node in np.flatnonzero(model.tree.native.test >= 0).tolist():
        test = model.tree.test(node)
        assert test is not None
        ends = " or missing" if X_NAMES[test.column] == "holes" else " *"
        for at, branch in enumerate(card(model, node).branches):
            assert branch.words.endswith(ends) == (at == test.missing)
    text = str(model)
    asked = {X_NAMES[j] for j in model.tree.native.tests.column.tolist()} - {"holes"}
    note = text.splitlines()[text.splitlines().index("") + 1 :]
    (said,) = [line for line in note if line.startswith("* A missing value would go here")]
    assert set(said.partition(" none in ")[2].removesuffix(".").split(", ")) == asked
    old = Model(model.tree, model.schema, model.classes, model.growth, {"rows": 200})
    assert " *" not in str(old)
    assert str(model.rules()).count(" *") >= 1
    assert " *" not in model.rules().to_dnf()
