"""Draw the pictures of the documents and the README: ``python docs/make_images.py``.

Trees are SVG, and a test compares them with what bosco draws today. The rest are PNG.
"""

import re
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn import datasets
from sklearn.model_selection import train_test_split

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    plot,
)
from bosco.datasets import golf, loans, play_tennis
from bosco.pruning import GeneralizationError
from bosco.render.svg import Svg

IMAGES = Path(__file__).parent / "images"


def named(load: Callable[..., Any]) -> tuple[dict[str, Any], Any]:
    """A set of scikit-learn as columns by name, and its target."""
    bunch = load()
    X = dict(zip(bunch.feature_names, bunch.data.T, strict=True))
    names = getattr(bunch, "target_names", None)
    return X, bunch.target if names is None else bunch.target_names[bunch.target]


def seven() -> tuple[Any, Any]:
    """Seven kinds of points in the plane."""
    X, y = datasets.make_blobs(350, 2, centers=7, cluster_std=1.3, random_state=3)
    return X, np.array([f"kind {k}" for k in y])


def moons() -> tuple[Any, Any]:
    """Two classes that no straight line parts."""
    X, y = datasets.make_moons(240, noise=0.25, random_state=0)
    return X, np.array(["waning", "waxing"])[y]


# Trees --------------------------------------------------------------------------------------------


def tennis() -> Svg:
    """The 14 days, with one of them followed."""
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    return model.svg(
        row={"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    )


def numbers() -> Svg:
    """Golf by C4.5: levels, numbers and truth values."""
    X, y = golf()
    return DecisionTreeClassifier(algorithm="c45").fit(X, y).model_.svg(X=X, y=y)


def stump() -> Svg:
    """One question for forty loans."""
    return DecisionTreeClassifier(algorithm="stump").fit(*loans()).model_.svg()


def pruned() -> Svg:
    """The tree of the five-minute start, with the case it explains."""
    model = DecisionTreeClassifier(max_depth=3).fit(*loans()).model_
    case = {"reputation": "poor", "term": "5", "income": "high"}
    return model.prune(GeneralizationError(alpha=1)).svg(row=case)


def wine() -> Svg:
    """Histograms of the columns asked for, with the cuts."""
    X, y = named(datasets.load_wine)
    return DecisionTreeClassifier(max_depth=3).fit(X, y).model_.svg(X=X, y=y)


def diabetes() -> Svg:
    """Means and spreads."""
    X, y = named(datasets.load_diabetes)
    model = DecisionTreeRegressor(max_depth=3, threshold="round").fit(X, y).model_
    return model.svg()


def missing() -> Svg:
    """A branch of their own for missing values, in the dark."""
    X, y = golf()
    X["humidity"] = [None if k % 4 == 1 else v for k, v in enumerate(X["humidity"])]
    learner = DecisionTreeClassifier(missing="branch", nominal_test="multiway", max_depth=2)
    return learner.fit(X, y).model_.svg(theme="dark")


def folded() -> Svg:
    """Two hundred leaves, folded to the width of a page."""
    X, y = datasets.make_classification(
        4000, 20, n_informative=10, n_classes=4, flip_y=0.1, random_state=0
    )
    learner = DecisionTreeClassifier(algorithm="best_first", max_leaf_nodes=200, threshold="round")
    return learner.fit(X, np.array(list("ABCD"))[y]).model_.svg(width=1000)


TREES: dict[str, Callable[[], Svg]] = {
    "tennis": tennis,
    "golf": numbers,
    "loans": stump,
    "loans_pruned": pruned,
    "wine": wine,
    "diabetes": diabetes,
    "missing": missing,
    "folded": folded,
}


# The rest -----------------------------------------------------------------------------------------


def save(figure: Figure, name: str) -> None:
    """Write a figure, small enough to keep."""
    figure.savefig(IMAGES / f"{name}.png", dpi=80, metadata={"Software": None})


def axes(width: float, height: float, n: int = 1) -> tuple[Figure, Any]:
    """A figure with axes side by side."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, n)


def draw_regions() -> None:
    """A tree of depth 3, one of depth 10 and a forest; and two classes."""
    X, y = seven()
    figure, (a, b, c) = axes(13, 4, 3)
    for ax, model, title in (
        (a, DecisionTreeClassifier(max_depth=3), "a tree of depth 3"),
        (b, DecisionTreeClassifier(max_depth=10), "a tree of depth 10"),
        (c, RandomForestClassifier(100, random_state=0), "a forest"),
    ):
        plot.regions(model.fit(X, y), X, y, ax=ax, legend=ax is a).set_title(title)
    save(figure, "regions")
    figure, ax = axes(6, 4)
    X, y = moons()
    plot.regions(DecisionTreeClassifier(max_depth=4).fit(X, y), X, y, ax=ax)
    save(figure, "two_classes")


def draw_curves() -> None:
    """Impurities, errors, boosting."""
    figure, ax = axes(6, 4)
    plot.impurity_curves(ax)
    save(figure, "impurity_curves")
    X, y = moons()
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=1)
    depths = range(1, 11)
    fits = [DecisionTreeClassifier(max_depth=depth).fit(X, y) for depth in depths]
    errors = {
        "training": [1 - fit.score(X, y) for fit in fits],
        "test": [1 - fit.score(X_test, y_test) for fit in fits],
    }
    figure, ax = axes(6, 4)
    plot.error_vs_size({"depth": list(depths)} | errors, ax=ax)
    save(figure, "error_vs_size")
    booster = AdaBoostClassifier(n_estimators=40).fit(X, y)
    figure = Figure(figsize=(6, 5), layout="constrained")
    plot.boosting(
        {
            "error": booster.estimator_errors_,
            "weight": booster.estimator_weights_,
            "training": [1 - s for s in booster.staged_score(X, y)],
            "test": [1 - s for s in booster.staged_score(X_test, y_test)],
        },
        figure.subplots(2, 1, sharex=True, height_ratios=(2, 1)),
    )
    save(figure, "boosting")


def draw_judgements() -> None:
    """Confusion, importances, stability, over bootstrap samples of the wines."""
    X, y = named(datasets.load_wine)
    learner = DecisionTreeClassifier(max_depth=4)
    random = np.random.default_rng(0)
    classes, columns = np.unique(y), list(X)
    matrix = np.zeros((3, 3), dtype=int)
    root, used = np.zeros(len(columns)), np.zeros(len(columns))
    for _ in range(50):
        weight = np.bincount(random.integers(len(y), size=len(y)), minlength=len(y))
        fit = learner.fit(X, y, sample_weight=weight)
        left_out = weight == 0
        codes = [np.searchsorted(classes, labels[left_out]) for labels in (y, fit.predict(X))]
        np.add.at(matrix, tuple(codes), 1)
        tested = fit.tree_.feature
        root[tested[0]] += 1 / 50
        used[np.unique(tested[tested >= 0])] += 1 / 50
    figure, ax = axes(4.5, 4)
    plot.confusion(matrix, classes, ax=ax)
    save(figure, "confusion")
    figure, ax = axes(6.5, 4)
    plot.importances(learner.fit(X, y), X, y, ax=ax)
    save(figure, "importances")
    figure, ax = axes(6.5, 4)
    plot.stability({"column": columns, "root": root, "used": used}, ax=ax, top=10)
    save(figure, "stability")


def draw_judged() -> None:
    """What the snippets of the how-to pages draw."""
    import matplotlib

    matplotlib.use("Agg")
    for page, names in (
        ("judge-with-curves", {"curves": "figure", "residuals": "ax"}),
        ("segments", {"segments": "ax"}),
    ):
        text = (IMAGES.parent / "howto" / f"{page}.md").read_text()
        found: dict[str, Any] = {}
        with TemporaryDirectory() as folder, chdir(folder):
            exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.S)), found)
        for name, drawn in names.items():
            figure = found[drawn] if drawn == "figure" else found[drawn].figure
            figure.set_layout_engine("constrained")
            save(figure, name)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, draw in TREES.items():
        draw().save(IMAGES / f"{name}.svg")
    draw_regions()
    draw_curves()
    draw_judgements()
    draw_judged()
