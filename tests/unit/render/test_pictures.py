"""The picture of a tree: well-formed, nothing cut or overlapping, and the model's own numbers."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn import datasets

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, Model
from bosco.datasets import golf, loans
from bosco.export.drawing import picture_of
from bosco.render.color import class_colors
from bosco.render.picture import FLOW
from tests.pictures import SVG, bushy, groups, inside, node_box, parse, tennis, texts, wine

NASTY = "<&\"']]>\x00\x07\ud800\n$x$ שלום 日本語 🙂 " + "long " * 60


# The numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [tennis, lambda: wine()[0], lambda: bushy(30)])
@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_numbers_are_the_models(make: Callable[[], Model], orientation: str) -> None:
    model = make()
    svg = parse(model, max_nodes=None, orientation=orientation)
    nodes, tree = groups(svg, "node"), model.tree
    assert sorted(nodes) == list(range(tree.node_count))
    colors = class_colors(len(model.classes))  # type: ignore[arg-type]
    whole = tree.node_weight[0]
    for node, group in nodes.items():
        (caption,) = (text for text in texts(group, "caption") if text.startswith("["))
        said = re.fullmatch(r"\[(\d+)\] (\d+) rows?(?: · ([\d.]+) % of all)?", caption)
        assert said, caption
        assert int(said[1]) == node
        assert int(said[2]) == tree.n_node_samples[node]
        if node:
            assert float(said[3]) == pytest.approx(100 * tree.node_weight[node] / whole, abs=0.051)
        bars = [r for r in group.iter(f"{SVG}rect") if r.get("class") == "bar"]
        widths = np.array([float(r.get("width", 0)) for r in bars])
        tally = tree.native.tally[node]
        assert [r.get("style") for r in bars] == [f"fill:{colors[k]}" for k in tally.nonzero()[0]]
        assert widths / widths.sum() == pytest.approx(tally[tally > 0] / tally.sum(), abs=2e-3)
        if tree.test(node) is None:
            assert texts(group, "answer") == [str(model.classes[model.node_class[node]])]  # type: ignore[index]
        else:
            name = model.schema.columns[tree.feature[node]].name
            assert texts(group, "question") == [f"{name}?"]
    for node, group in groups(svg, "branch").items():
        (path,) = group.iter(f"{SVG}path")
        width = max(1.0, FLOW * tree.node_weight[node] / whole)
        assert path.get("style") == f"stroke-width:{width:.2f}".rstrip("0").rstrip(".")


def test_thresholds_are_exact() -> None:
    model = wine()[0]
    nodes = groups(parse(model), "node")
    for node in range(model.tree.node_count):
        if model.tree.test(node) is None:
            continue
        for child, sign in zip(model.tree.children(node), "≤>", strict=True):
            label = " ".join(texts(nodes[child], "label"))
            assert label.startswith(f"{sign} ")
            assert float(label.split()[1]) == model.tree.threshold[node]


def test_means_and_spreads() -> None:
    X, y = datasets.load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y).model_
    nodes = groups(parse(model), "node")
    leaves = set(model.apply(X).tolist())
    for node, group in nodes.items():
        rows = np.isin(model.apply(X), [n for n in leaves if node in model.tree.path(n)])
        (said,) = texts(group, "answer") or [texts(group, "caption")[1].split()[1]]
        assert float(said) == pytest.approx(y[rows].mean(), rel=5e-4)
        spread = float(" ".join(texts(group, "caption")).split("± ")[1].split()[0])
        assert spread == pytest.approx(y[rows].std(), rel=6e-3)


# The marks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@pytest.mark.parametrize(
    "options", [{}, {"max_nodes": None}, {"width": 700}, {"max_depth": 2}], ids=str
)
def test_nothing_is_cut_or_overlaps(orientation: str, options: dict[str, Any]) -> None:
    inside(picture_of(bushy(), orientation=orientation, **options))
    model, X, y = wine()
    inside(picture_of(model, orientation=orientation, X=X, y=y, row=X[100], **options))


names = st.text(st.characters(codec="utf-8"), max_size=60)


@settings(max_examples=60, deadline=None)
@given(column=names, levels=st.lists(names, min_size=2, max_size=12, unique=True), label=names)
def test_any_names_fit(column: str, levels: list[str], label: str) -> None:
    x = levels * 6
    z = np.arange(len(x)) % 5 * 1.5
    X = {f"a{column}": [f"l{v}" for v in x], "z": np.where(z == 3, np.nan, z)}
    y = [f"c{label}" if i % 3 else f"d{label}" for i in range(len(x))]
    for nominal in ("subset", "multiway"):
        learner = DecisionTreeClassifier(
            max_depth=3, nominal_test=nominal, missing="branch", domains=None
        )
        model = learner.fit(X, y).model_
        inside(picture_of(model, X=X, y=y))
        ET.fromstring(str(model.svg(orientation="horizontal")))


def test_nasty_names_stay_what_they_are() -> None:
    X = {NASTY: [1.0, 2.0, 3.0, 4.0], "o": [f"p{NASTY}", "q", "q", f"p{NASTY}"]}
    model = DecisionTreeClassifier(algorithm="c45", min_samples_leaf=1).fit(X, [NASTY, "b"] * 2)
    for options in ({}, {"row": {NASTY: 1.0, "o": "q"}}, {"X": X}):
        svg = str(model.model_.svg(**options))
        root = ET.fromstring(svg)
        assert "\ufffd" not in svg  # nothing is lost: what cannot be shown is spelled out
        assert not re.search(r"[<&]\"\\\\?'\]\]>", svg)
        assert repr(NASTY)[1:30] in "".join(root.itertext())
    drawn = Figure()
    model.model_.plot(drawn.add_subplot())


def test_what_xml_cannot_hold_is_replaced() -> None:
    """A character that no terminal obeys, and no XML may have."""
    model = DecisionTreeClassifier().fit({"x": [1.0, 2.0]}, ["a\ufffe", "b"]).model_
    svg = str(model.svg())
    assert "a\ufffd" in svg
    ET.fromstring(svg)


# What is shown ------------------------------------------------------------------------------------


def test_what_a_reader_who_does_not_see_is_told() -> None:
    svg = parse(tennis())
    assert svg.get("role") == "img"
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert svg.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "id3 (entropy) · 14 rows, 4 columns, 2 classes · 5 leaves, depth 2"
    assert description.text == tennis().to_text()
    hovers = [t.text for t in svg.iter(f"{SVG}title")]
    assert "[5] Wind = Weak * → Yes · 3 rows" in hovers


def test_missing_values_are_shown() -> None:
    labels = [" ".join(texts(g, "label")) for g in groups(parse(tennis()), "node").values()]
    assert "Rain *" in labels
    X = {"x": [1.0, 2.0, None, None, 3.0, 4.0] * 5}
    y = ["a", "a", "b", "b", "c", "c"] * 5
    model = DecisionTreeClassifier(missing="branch").fit(X, y).model_
    svg = parse(model)
    styles = [p.get("class") for g in groups(svg, "branch").values() for p in g.iter(f"{SVG}path")]
    assert styles.count("missing") == 1
    surrogate = DecisionTreeClassifier(missing="surrogate", max_depth=2).fit(*golf()).model_
    name = surrogate.schema.columns[surrogate.tree.feature[0]].name
    assert f"If {name} is missing at [0]: " in " ".join(texts(parse(surrogate), "caption"))
    shared = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    assert "A missing value goes down every branch" in " ".join(texts(parse(shared), "caption"))


def test_where_missing_values_go_is_never_cut_off() -> None:
    level = "a level with a very long name that goes on and on " * 4
    X = {"x": [level, level, "b", "b", None, None]}
    model = DecisionTreeClassifier().fit(X, [1, 1, 2, 2, 1, 1]).model_
    said = [texts(g, "label") for g in groups(parse(model), "node").values()]
    assert any(lines and lines[-1].endswith("or missing") for lines in said)


def test_the_path_of_a_case() -> None:
    day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    svg = parse(tennis(), row=day)
    on_path = [n for n, g in groups(svg, "node").items()
               if any(r.get("class") == "onpath" for r in g.iter(f"{SVG}rect"))]  # fmt: skip
    assert sorted(on_path) == [0, 2, 5]
    nodes = groups(svg, "node")
    assert (texts(nodes[0], "case"), texts(nodes[2], "case")) == (["is Rain"], ["is Weak"])
    assert not texts(nodes[5], "case")
    followed = [n for n, g in groups(svg, "branch").items()
                if any(p.get("class") == "path" for p in g.iter(f"{SVG}path"))]  # fmt: skip
    assert sorted(followed) == [2, 5]


def test_the_path_is_kept_when_light_nodes_are_folded() -> None:
    model = bushy()
    leaf = model.tree.node_count - 1
    lightest = int(np.argmin(model.tree.node_weight))
    X, _ = datasets.make_classification(
        2000, 12, n_informative=8, n_classes=4, flip_y=0.2, random_state=0
    )
    row = X[np.flatnonzero(model.apply(X) == lightest)[0]]
    shown = groups(parse(model, row=row, max_nodes=20), "node")
    assert set(model.tree.path(lightest)) <= set(shown)
    assert leaf not in shown or leaf in model.tree.path(lightest)


def test_folding_is_said_and_adds_up() -> None:
    model = bushy()
    svg = parse(model, max_nodes=40)
    shown = groups(svg, "node")
    assert len(shown) <= 40
    folded = [int(re.search(r"… (\d+) lea", c)[1]) for g in shown.values()  # type: ignore[index]
              for c in texts(g, "caption") if "…" in c]  # fmt: skip
    leaves = sum(g.get("class") == "node leaf" for g in shown.values())
    assert leaves + sum(folded) == model.n_leaves == 200
    assert f"… is folded: {sum(folded)} of 200 leaves." in " ".join(texts(svg, "caption"))


@pytest.mark.parametrize("orientation", ["auto", "vertical", "horizontal"])
@pytest.mark.parametrize("width", [500, 800, 1500])
def test_width_is_a_limit(orientation: str, width: int) -> None:
    svg = parse(bushy(), orientation=orientation, width=width, max_nodes=None)
    assert float(svg.get("width", 0)) <= width
    assert len(groups(svg, "node")) >= 3


def test_auto_turns_wide_trees() -> None:
    narrow, wide = (picture_of(m) for m in (tennis(), bushy()))
    first, second = (
        [node_box(g) for g in p.groups if g.kind.startswith("node")][:2] for p in (narrow, wide)
    )
    assert first[1].y > first[0].y + first[0].height
    assert second[1].x > second[0].x + second[0].width


def test_a_thousand_branches() -> None:
    towns = [f"town {i % 1000:03d}" for i in range(5000)]
    y = [i % 1000 % 7 > 2 for i in range(5000)]
    model = DecisionTreeClassifier(algorithm="id3").fit({"town": towns, "z": [0] * 5000}, y).model_
    svg = parse(model)
    nodes = groups(svg, "node")
    assert len(nodes) == 17
    gathered = next(g for g in nodes.values() if g.get("class") == "node gathered")
    assert texts(gathered, "label") == ["985 more branches"]
    assert texts(gathered, "caption") == ["4925 rows · 98.5 % of all"]


def test_empty_branches_and_one_leaf() -> None:
    X = {"sky": ["blue", "blue", "grey", "grey"], "z": [0, 0, 0, 0]}
    learner = DecisionTreeClassifier(algorithm="id3", domains={"sky": ["blue", "grey", "red"]})
    svg = parse(learner.fit(X, [1, 1, 2, 2]).model_)
    assert any("no rows, as its parent" in t for t in texts(svg, "caption"))
    stump = DecisionTreeClassifier(min_samples_split=100).fit(*loans()).model_
    assert len(groups(parse(stump), "node")) == 1
    constant = DecisionTreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0]).model_
    assert len(groups(parse(constant), "node")) == 1
