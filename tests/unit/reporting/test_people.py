"""What people decided, in the report: its section, the first screen, and the form's answer."""

import json
import re

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import play_tennis
from bosco.models.model import Model
from tests.edited import edited, ordered


def tennis() -> Model:
    model: Model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    return model


def test_the_first_screen_says_how_much_is_by_people() -> None:
    model = edited(tennis())
    html = str(model.report())
    beware = html[html.index("Beware") : html.index("<nav")].replace("\xa0", " ")
    leaves = sorted(model.edits.orders)
    rows = int(model.tree.native.tally[leaves].sum())
    share = f"{100 * rows / 14:.3g} %"
    said = f"{len(leaves)} leaves answer by order, not by what the rows say, for {share} of the"
    assert said in beware
    assert f"{len(model.edits.chosen)} tests were chosen by hand" in beware


def test_the_section_has_every_edit_with_its_reason() -> None:
    model = edited(tennis())
    html = str(model.report())
    section = html[html.index('id="people"') :]
    section = section[: section.index("</section>")]
    for by in model.edits.chosen.values():
        assert by.reason.replace("&", "&amp;") in section
    for order in model.edits.orders.values():
        assert order.reason in section
    assert "look &#34;here&#34; &lt;0&gt;" in section
    assert "Locked, so that no verb changes them: [7]." in section
    assert "The log of all acts has 2 entries" in section
    assert str(model.edits.log[-1]["hash"])[:12] in section


def test_a_model_without_edits_has_no_such_section() -> None:
    assert "people" not in re.findall(r'<section id="(\w+)"', str(tennis().report()))


def test_the_form_is_told_which_leaves_answer_by_order() -> None:
    model = ordered(tennis())
    html = str(model.report())
    assert '"orders"' in html
    facts = html[html.index('"orders"') :]
    said = json.loads(facts[facts.index("{") : facts.index("}") + 1])
    assert said == {str(leaf): f"Answer by order: why {leaf}" for leaf in model.edits.orders}


def test_numbers_by_order_have_a_section_too() -> None:
    model = ordered(
        DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [5.0]], [1.0, 2.0, 9.0]).model_
    )
    assert "its rows say 1.5" in str(model.report([[0.0], [5.0]], [1.0, 9.0]))
