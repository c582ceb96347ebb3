"""What people did, in pictures, diagrams and folded texts: marked, the reason to hover over."""

import re
from dataclasses import replace

import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import play_tennis
from bosco.models.model import Model
from bosco.tree.edits import ByHand, Edits, Order
from tests.edited import edited


def tennis() -> Model:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    edits = Edits(
        {2: ByHand("Humidity = High", 0.0213, "the <gauge> was broken")},
        {1: Order(0, "the club & its bar are closed")},
        {3: "ask Anna"},
        frozenset({4}),
    )
    return replace(model, edits=edits)


def title(svg: str, node: int) -> str:
    found = re.search(rf'<g class="node [a-z]+" data-node="{node}"><title>(.*?)</title>', svg, re.S)
    assert found is not None
    return found[1]


def texts(svg: str, node: int) -> list[str]:
    group = re.search(rf'<g class="node [a-z]+" data-node="{node}">(.*?)</g>', svg, re.S)
    assert group is not None
    return re.findall(r"<text[^>]*>(.*?)</text>", group[1])


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_pictures_mark_what_people_did(orientation: str) -> None:
    svg = str(tennis().svg(orientation=orientation))
    assert {"No", "by order"} <= set(texts(svg, 1))
    assert any("its rows say Yes, 100 %" in text for text in texts(svg, 1))
    assert any("test by hand" in text for text in texts(svg, 2))
    assert any("locked" in text for text in texts(svg, 4))
    assert "Answer by order: the club &amp; its bar are closed" in title(svg, 1)
    assert "instead of Humidity = High, which gains 0.0213 more" in title(svg, 2)
    assert "the &lt;gauge&gt; was broken" in title(svg, 2)
    assert title(svg, 3).endswith("Note: ask Anna")
    assert title(svg, 4).endswith("Locked")
    assert "by order: the leaf answers what a person ordered" in svg
    assert not any("by order" in text or "by hand" in text for text in texts(svg, 6))


def test_a_leaf_by_order_has_the_colour_of_its_answer() -> None:
    plain = replace(tennis(), edits=Edits())
    stripes = [
        re.search(r'data-node="1">.*?class="frame"[^>]*fill:(#\w+)', str(model.svg()), re.S)
        for model in (plain, tennis())
    ]
    assert all(stripes)
    yes, no = (stripe[1] for stripe in stripes if stripe)
    assert yes != no


def test_a_number_by_order_stands_in_its_box() -> None:
    model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 9.0]).model_
    svg = str(replace(model, edits=Edits(orders={1: Order(7.0, "a fee")})).svg())
    assert texts(svg, 1)[1:3] == ["7", "by order"]
    assert texts(svg, 1)[-1] == "its rows say 1.5 ± 0.5"


def test_matplotlib_paints_the_same_words() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    axis = tennis().plot()
    said = {text.get_text() for text in axis.texts}
    assert {"by order", "its rows say Yes, 100 %", "test by hand"} <= said
    matplotlib.pyplot.close(axis.figure)


def test_folded_branches_say_how_much_in_them_is_by_people() -> None:
    model = edited(DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_)
    line = model.to_text(max_depth=0).splitlines()[2]
    n = len(model.edits.orders)
    assert line.endswith(f"by hand … 5 leaves, {len(model.edits.chosen) - 1} by hand, {n} by order")
    svg = str(model.svg(max_depth=0))
    assert f"… 5 leaves folded, {len(model.edits.chosen) - 1} by hand, {n} by order" in svg


def test_an_empty_leaf_by_order_stands_alone() -> None:
    X, y = play_tennis()
    domains = {"Outlook": ["Overcast", "Rain", "Sunny", "Fog", "Hail"]}
    model = DecisionTreeClassifier(algorithm="id3", domains=domains).fit(X, y).model_
    empty = [n for n in model.tree.children(0) if model.tree.node_weight[n] == 0]
    assert len(empty) == 2
    changed = replace(model, edits=Edits(orders={empty[0]: Order(0, "no play in fog")}))
    lines = [line for line in str(changed).splitlines() if "no rows" in line]
    assert lines[0].endswith("Outlook = Fog → No, by order (no rows; its parent says Yes)")
    assert lines[1].endswith("Outlook = Hail → Yes (no rows, as its parent)")
    assert "by order" in texts(str(changed.svg()), empty[0])


def test_diagrams_mark_what_people_did() -> None:
    for text in (tennis().to_dot(), tennis().to_mermaid()):
        assert "[1] No, by order" in text
        assert "its rows say Yes, 100 %" in text
        assert "[2] by hand" in text
        assert "note: ask Anna" in text
        assert "locked" in text
    assert "why: the club &amp; its bar are closed" in tennis().to_dot()


def test_notes_are_harmless_and_not_endless() -> None:
    model = tennis()
    odd = replace(model, edits=Edits(notes={0: "\x1b[2J", **dict.fromkeys(range(1, 8), "x")}))
    assert "\x1b" not in str(odd)
    from bosco.render.edited import edit_notes

    assert edit_notes(odd, limit=3)[-1] == "  … 5 more: `model.edits` has them all"
