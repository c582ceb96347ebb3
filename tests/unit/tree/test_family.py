"""One family of models: every kind answers every verb of the base, or refuses it clearly."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier
from bosco.datasets import golf
from bosco.errors import ModelError, ModelKindError, ParameterError
from bosco.export.drawing import Drawable
from bosco.models.exported import Exported
from bosco.pruning.prunable import Prunable
from bosco.tree.family import NOT_OF_ALL, AnyModel

X, Y = golf()
ONE = {name: values[0] for name, values in X.items()}
KINDS: dict[str, Any] = {
    "tree": DecisionTreeClassifier().fit(X, Y),
    "forest": RandomForestClassifier(3, random_state=0).fit(X, Y),
    "score_table": AdaBoostClassifier(n_estimators=3).fit(X, Y),
    "several": DecisionTreeClassifier().fit(X, np.column_stack([Y, X["windy"]])),
}

CALLS: dict[str, Callable[[Any], Any]] = {
    "apply": lambda m: m.apply(X),
    "at": lambda m: m.at(threshold=0.7),
    "calibrated": lambda m: m.calibrated(method="laplace"),
    "ahead_frame": lambda m: m.ahead_frame(m.read(X)),
    "collapse": lambda m: m.collapse(0),
    "contributions": lambda m: m.contributions(X),
    "explain": lambda m: m.explain(ONE),
    "judge": lambda m: m.judge(X, Y),
    "predict": lambda m: m.predict(X),
    "predict_frame": lambda m: m.predict_frame(m.read(X)),
    "predict_proba": lambda m: m.predict_proba(X),
    "prune": lambda m: m.prune("same_answer"),
    "read": lambda m: m.read(X),
    "recount": lambda m: m.recount(X, Y),
    "save": lambda m: m.save("model.json"),
    "seen": lambda m: m.seen(X, Y),
    "sketched": lambda m: m.sketched(X),
    "proba_frame": lambda m: m.proba_frame(m.read(X)),
    "text_within": lambda m: m.text_within(max_nodes=3),
    "trace_pruning": lambda m: m.trace_pruning("same_answer"),
    "to_sql": lambda m: m.to_sql("duckdb"),
    "values_frame": lambda m: m.values_frame(m.read(X)),
    "votes": lambda m: m.votes(ONE),
}
"""The verbs that need something to be asked with; the others are called, or looked at."""


def verbs() -> list[str]:
    """All that some room may ask of a model: of the base, of what every model gives, of trees."""
    found = {
        name
        for base in (AnyModel, Exported, Prunable, Drawable)
        for name, _ in inspect.getmembers(base)
        if not name.startswith("_")
    }
    return sorted({*found, *NOT_OF_ALL} - {"abstractmethods"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", verbs())
def test_every_kind_answers_every_verb_or_refuses_it(
    kind: str, verb: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = KINDS[kind].model_
    assert isinstance(model, AnyModel)
    assert model.kind == kind

    def ask() -> Any:
        if verb in CALLS:
            return CALLS[verb](model)
        found = getattr(model, verb)
        return found() if callable(found) else found

    may_be_none = {"save", "ahead_frame", "root_value", "classes", "counted"}
    if kind == "several" and verb in ("explain", "program"):
        with pytest.raises(ModelKindError, match=r"of models of one output\. Hint: fit one model"):
            ask()
    elif verb in NOT_OF_ALL and not hasattr(type(model), verb):
        with pytest.raises(ModelError) as refusal:
            ask()
        for part in (repr(model), NOT_OF_ALL[verb], "Hint: ", model.instead):
            assert part in str(refusal.value)
        assert not hasattr(model, verb)  # as before, for whoever looks
        assert verb not in dir(model)
    else:
        assert ask() is not None or verb in may_be_none


def test_a_tree_does_all_but_vote() -> None:
    assert [verb for verb in NOT_OF_ALL if not hasattr(bosco.Model, verb)] == ["votes"]
    assert issubclass(ModelKindError, AttributeError)
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'rulez'"):
        _ = KINDS["tree"].model_.rulez


def test_what_a_refusal_points_to_works() -> None:
    forest, table = KINDS["forest"].model_, KINDS["score_table"].model_
    with pytest.raises(ModelKindError, match=r"rules are written of one tree only.*tree\(0\)"):
        forest.rules()
    assert len(forest.tree(0).rules())
    with pytest.raises(ModelKindError, match=r"of trees only.*explain\(row\)"):
        table.contributions(X)
    assert table.explain(ONE).items


@pytest.mark.parametrize("many", ["forest", "score_table"])
def test_rules_of_many_trees_are_refused_by_the_model(many: str) -> None:
    tree = KINDS["tree"].model_
    for call in (bosco.diff, tree.rules().equivalent_to):
        given = (tree, KINDS[many]) if call is bosco.diff else (KINDS[many],)
        with pytest.raises(ModelError, match="rules are written of one tree only"):
            call(*given)
    with pytest.raises(ParameterError, match=r"Got int\. Hint: fit it first"):
        bosco.diff(tree, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_pickles_are_the_same_model(kind: str) -> None:
    model = KINDS[kind].model_
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), replace(model)):
        assert str(twin) == str(model)
        assert np.array_equal(twin.predict_proba(X), model.predict_proba(X))
        with pytest.raises(TypeError):
            twin.provenance["rows"] = 0


@pytest.mark.parametrize("kind", ["tree", "forest", "score_table"])
def test_the_headline_is_the_first_line(kind: str) -> None:
    model = KINDS[kind].model_
    assert str(model).partition("\n")[0] == model.headline
    assert model.headline in model.to_python()
    assert model.worth.shape == (len(model.schema.columns),)


def test_regions_of_any_model_by_what_its_columns_are_worth() -> None:
    matrix = np.array([[0.0, 5.0, i] for i in range(20)] + [[1.0, i, 5.0] for i in range(20)])
    y = (matrix[:, 1] + matrix[:, 2] > 14).astype(int)
    forest = RandomForestClassifier(5, random_state=0, max_features=None).fit(matrix, y)
    from bosco.plot import regions

    ax = regions(forest.model_, matrix, y, resolution=5)
    assert {ax.get_xlabel(), ax.get_ylabel()} == {"x1", "x2"}
