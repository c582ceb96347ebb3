"""The report in a real browser: it opens, predicts, folds, prints, and everybody can use it.

Needs playwright with a chromium, the system's or its own; skipped without. The accessibility rules
are those of axe-core, which axe-playwright-python brings along.
"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

import bosco
from bosco.base.dates import MOMENTS
from bosco.models.model import Model
from bosco.reporting.bars import round_top
from tests.browser import EVIL, FILL, SIZES, Open, typed
from tests.contract.kinds import KINDS, as_frame, mixed, points_of


def wine() -> Any:
    data = load_wine(as_frame=True)
    y = data.target_names[data.target]
    clf = bosco.DecisionTreeClassifier().fit(data.data[::2], y[::2])
    return clf, data.data[1::2], y[1::2]


def full_report() -> Any:
    clf, X, y = wine()
    plain = bosco.DecisionTreeClassifier()
    return bosco.report(
        clf,
        X,
        y,
        evaluation=bosco.evaluate(plain, X, y, repeats=3),
        stability=bosco.stability(plain, X, y, repeats=5),
        selection=bosco.select(plain, {"max_depth": [1, 2]}, X, y),
        command="bosco fit wine.csv --target kind " + "--algorithm cart " * 10,
        title="Wine",
    )


def odd_report() -> Any:
    X = pd.DataFrame({EVIL: [EVIL, "b", "c"] * 20, "ünï ☃ 木": range(60)})
    y = [f"{EVIL} {k // 7 % 3}" for k in range(60)]
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    return model.report(X, y, title=EVIL, command=EVIL)


def cells() -> Any:
    """A tree of two classes, and rows that it has not seen."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    clf = bosco.DecisionTreeClassifier(max_depth=3).fit(data.data[::2], y[::2])
    return clf, data.data[1::2], y[1::2]


def bars_report() -> Any:
    return bosco.report(*cells(), positive="malignant", costs={"malignant": 20}, by="mean area")


REPORTS = {"all sections": full_report, "odd names": odd_report, "bars": bars_report}


@pytest.mark.parametrize(
    ("which", "size", "scheme"),
    [
        ("all sections", "wide", "light"),
        ("all sections", "narrow", "dark"),
        ("odd names", "narrow", "light"),
        ("bars", "wide", "dark"),
        ("bars", "narrow", "light"),
    ],
)
def test_opens_and_everybody_can_use_it(show: Open, which: str, size: str, scheme: str) -> None:
    page = show(REPORTS[which](), size, scheme)
    width = SIZES[size][0]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    assert page.locator("svg[role=tree] g[role=treeitem]").count() > 5
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found]


def test_the_bar_moves_and_says_what_it_finds(show: Open) -> None:
    page = show(bars_report(), "wide", "light")
    clf, X, y = cells()
    score, true = clf.predict_proba(X)[:, 1], y == "malignant"

    def shown() -> list[int]:
        return [int(n) for n in page.locator("#bar-cells td").all_inner_texts()]

    def counted(bar: float) -> list[int]:
        said = score >= bar
        cells = (true & said, true & ~said, ~true & said, ~true & ~said)
        return [int(cell.sum()) for cell in cells]

    assert shown() == counted(0.5)  # as the model answers
    found = bosco.curves(clf, X, y, positive="malignant", costs={"malignant": 20})["malignant"]
    page.locator("#bar-best").click()
    assert shown() == counted(found.cheapest)
    form = page.locator("#bar-form")
    assert float(form.get_attribute("data-cost") or "") == pytest.approx(found.cost.min())
    page.locator("#bar-miss").fill("1")
    page.locator("#bar-best").click()
    bars = found.scored.thresholds[1:]
    errors = [float((true != (score >= bar)).mean()) for bar in bars]
    assert float(form.get_attribute("data-cost") or "") == pytest.approx(min(errors))
    for miss in ("1", "20", "0.3"):  # the axis ends where a page of these costs would end it
        page.locator("#bar-miss").fill(miss)
        ends = page.locator("svg[data-curve=cost] text[text-anchor=end]").all_text_contents()
        above, whole = found.scored.above, found.scored.weight.sum(axis=0)
        mean = ((whole[1] - above[:, 1]) * float(miss) + above[:, 0]) / whole.sum()
        assert float(ends[-1]) == pytest.approx(round_top(float(mean.max())))
    slider = page.locator("#bar-at")
    slider.focus()
    page.keyboard.press("Home")
    assert page.locator("#bar-score").inner_text() == "none is"
    assert shown() == counted(2.0)
    page.keyboard.press("ArrowRight")
    assert shown() == counted(float(bars[0]))
    dot = page.locator("svg[data-curve=roc] .dot")
    alarms = counted(float(bars[0]))[2] / (~true).sum()
    assert float(dot.get_attribute("cx") or "") == pytest.approx(58 + 260 * alarms, abs=0.06)


MILLI = ("M8[ms]", "M8[us]")


@pytest.mark.parametrize(
    "kind",
    ["cart, mixed", "c4.5, fractional", "surrogate", "moments", "infinities", "infinities, shared"],
)
def test_the_form_predicts_as_the_model(show: Open, kind: str) -> None:
    """Rows with missing values, unseen levels, cuts hit exactly and infinities."""
    model, n = KINDS[kind](), 200
    page = show(model.report())
    points = points_of(model, n, seed=5)
    for column in model.schema.columns:  # fields of the browser have milliseconds
        if column.unit in MOMENTS and column.unit != "date":
            coarse = ("m8[ms]", "m8[us]") if column.unit in ("duration", "time") else MILLI
            points[column.name] = [
                v if v is None else v.astype(coarse[0]).astype(coarse[1])
                for v in points[column.name]
            ]
    frame = as_frame(model, points)
    labels, shares = model.predict(frame).tolist(), model.predict_proba(frame)
    leaves = model.apply(frame)
    columns = json.loads(page.locator("#facts").text_content())["columns"]
    rows = [[typed(c, points[c["name"]][at]) for c in columns] for at in range(n)]
    answers = page.evaluate(FILL, rows)
    paths = 0
    for at, answer in enumerate(answers):
        assert json.loads(answer["prediction"]) == labels[at]
        assert answer["said"] == labels[at]
        assert json.loads(answer["shares"]) == shares[at].tolist()
        way = list(map(int, answer["way"].split()))
        if way == model.tree.path(int(leaves[at])):
            paths += 1
        else:  # cut off where the picture is folded, or several ways for a missing value
            shorter = model.tree.path(int(leaves[at]))[: len(way)] == way
            assert shorter or model.growth.missing == "fractional"
        assert answer["on"] == len(way)
    assert paths > n / 3


def test_regression_and_refused_values(show: Open) -> None:
    X = [[a, b] for a in range(6) for b in range(6)]
    y = [a * 1.1 + b / 7 for a, b in X]
    model = bosco.DecisionTreeRegressor(missing="error", max_depth=3).fit(X, y).model_
    page = show(model.report())
    page.locator("#field-0").fill("2.25")
    assert page.locator("#answer").text_content() == "Fill in every field."
    page.locator("#field-1").fill("1,5")
    assert page.locator("#field-1-fault").text_content() == "not a number"
    assert page.locator("#field-1").get_attribute("aria-invalid") == "true"
    page.locator("#field-1").fill("1.5")
    said = json.loads(page.locator("#answer").get_attribute("data-prediction"))
    assert said == model.predict([[2.25, 1.5]])[0]
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.querySelector('#answer').textContent === ''")
    assert page.locator("rect.onpath").count() == 0


def test_the_keyboard_walks_and_folds(show: Open) -> None:
    clf, X, y = wine()
    page = show(clf.model_.report(X, y))
    node = "document.activeElement.dataset.node"
    page.get_by_role("button", name="Unfold all").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(node) == "0"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert page.locator("#card").is_visible()
    assert "compared by gain" in page.locator("#card").text_content()
    page.keyboard.press("Escape")
    page.locator("#card").wait_for(state="hidden")

    def shown() -> int:
        return int(page.locator("g.node:not(.away)").count())

    everything = shown()
    page.keyboard.press("ArrowDown")
    folded = page.evaluate(node)
    page.keyboard.press("Enter")
    item = page.locator(f"g.node[data-node='{folded}']")
    assert item.get_attribute("aria-expanded") == "false"
    below = int(clf.model_.tree.leaves_below[int(folded)])
    assert f"{below} leaves" in item.text_content()
    assert shown() == everything - (2 * below - 2)
    assert overlaps(page) == []
    page.keyboard.press("ArrowRight")
    assert shown() == everything
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(node) == "0"
    page.keyboard.press("End")
    assert page.evaluate(node) == str(max_node_last(clf.model_))
    width = page.evaluate("document.querySelector('#canvas svg').getBoundingClientRect().width")
    page.keyboard.press("+")
    wider = page.evaluate("document.querySelector('#canvas svg').getBoundingClientRect().width")
    assert wider == pytest.approx(1.25 * width, abs=0.1)
    page.get_by_role("button", name="Fold all", exact=True).click()
    assert shown() == 3
    page.get_by_role("button", name="Unfold all").click()
    assert shown() == everything
    assert overlaps(page) == []


def max_node_last(model: Model) -> int:
    """The last node in the order of reading: always the last branch."""
    node = 0
    while len(model.tree.children(node)):
        node = model.tree.children(node)[-1]
    return node


def overlaps(page: Any) -> list[Any]:
    """Boxes of the picture that lie on each other."""
    found: list[Any] = page.evaluate(
        """() => {
          const boxes = [...document.querySelectorAll("g.node:not(.away)")].map(
            (g) => [g.dataset.node, g.querySelector("rect").getBoundingClientRect()]);
          const bad = [];
          for (const [a, r] of boxes) for (const [b, s] of boxes) {
            const beside = r.right <= s.left || s.right <= r.left;
            const above = r.bottom <= s.top || s.bottom <= r.top;
            if (a < b && !beside && !above) bad.push([a, b]);
          }
          return bad;
        }"""
    )
    return found


def written_over(page: Any) -> list[Any]:
    """What is said of folded boxes and lies upon words of others."""
    found: list[Any] = page.evaluate(
        """() => {
          const on = "g.node:not(.away) text, g.branch:not(.away) text";
          const shown = [...document.querySelectorAll(on)];
          const at = shown.filter((t) => t.textContent).map((t) => [t, t.getBoundingClientRect()]);
          const bad = [];
          for (const [a, r] of at.filter(([t]) => t.matches(".folded"))) for (const [b, s] of at) {
            const beside = r.right <= s.left || s.right <= r.left;
            const above = r.bottom - 2 <= s.top || s.bottom - 2 <= r.top;
            if (a !== b && !beside && !above) bad.push([a.textContent, b.textContent]);
          }
          return bad;
        }"""
    )
    return found


def test_a_narrow_list_writes_nothing_over(show: Open) -> None:
    """Neither numbers of leaves below folded boxes, nor captions of tables wider than the page."""
    levels = ["has an account with us", "has an account elsewhere", "has none, or does not say"]
    X = {"account": levels * 40, "n": [k % 7 for k in range(120)]}
    y = [f"{k % 3 > 0} {k % 7 > 3}" for k in range(120)]
    clf = bosco.DecisionTreeClassifier(max_depth=3).fit(X, y)
    page = show(clf.model_.report(X, y), "narrow")
    page.locator("g.node[data-node='1']").dispatch_event("click")
    assert page.locator("g.node[data-node='1'] .folded").text_content() == "2 leaves"
    assert written_over(page) == []
    rights = page.evaluate(
        """[...document.querySelectorAll(".wide caption")].map((caption) => {
             const range = document.createRange();
             range.selectNodeContents(caption);
             return range.getBoundingClientRect().right; })"""
    )
    assert len(rights) > 5
    assert max(rights) <= SIZES["narrow"][0]


def test_folding_a_large_picture_moves_no_box_onto_another(show: Open) -> None:
    page = show(KINDS["cart, mixed"]().report())
    assert 3 < page.locator("g.node:not(.away)").count() < 60  # it opens folded
    page.get_by_role("button", name="Unfold all").click()
    inner = page.evaluate(
        "[...document.querySelectorAll('g.node[aria-expanded]')].map((g) => g.dataset.node)"
    )
    assert len(inner) > 20
    for node in inner[3:40:6]:
        page.locator(f"g.node[data-node='{node}']").dispatch_event("click")
        assert overlaps(page) == []


def test_hovering_shows_the_candidates_and_paper_shows_all(show: Open) -> None:
    clf, X, y = wine()
    page = show(clf.model_.report(X, y), scheme="dark")
    page.locator("#canvas").scroll_into_view_if_needed()  # scrolling hides the card
    page.wait_for_timeout(100)
    page.locator("g.node[data-node='1']").hover()
    card = page.locator("#card")
    assert card.is_visible()
    why = clf.model_.why(1)
    assert card.locator("tbody tr").count() == min(8, len(list(why)))
    assert card.locator("tbody tr").first.locator("td").first.text_content() == why.chosen.test
    page.mouse.move(2, 2)
    card.wait_for(state="hidden")
    assert page.pdf()[:4] == b"%PDF"
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(31, 35, 40)"
    assert page.evaluate("getComputedStyle(document.querySelector('rect.page')).fill") == (
        "rgb(255, 255, 255)"
    )
    assert not page.locator("#case").is_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["cart, mixed", "c4.5, fractional", "one leaf", "regression"])
def test_the_tree_opens_whole_in_its_frame(show: Open, kind: str, size: str) -> None:
    """Nothing to scroll for: folded rather than too small to read; its legend stays in sight."""
    page = show(KINDS[kind]().report(), size)
    frame = page.evaluate(
        """() => {
          const { scrollWidth, clientWidth, scrollHeight, clientHeight } = canvas;
          return { scrollWidth, clientWidth, scrollHeight, clientHeight };
        }"""
    )
    assert frame["scrollWidth"] <= frame["clientWidth"]
    assert frame["scrollHeight"] <= frame["clientHeight"]
    assert frame["clientHeight"] <= 1.2 * SIZES[size][1]
    assert overlaps(page) == []
    page.get_by_role("button", name="Unfold all").click()
    assert overlaps(page) == []
    legend = page.locator("p.legend")
    if legend.count():
        page.evaluate("canvas.scrollIntoView({ block: 'center' })")
        page.wait_for_timeout(100)
        assert 0 <= legend.bounding_box()["y"] < SIZES[size][1]


def test_the_narrow_list_and_the_wide_tree_are_the_same_boxes(show: Open) -> None:
    clf, X, y = wine()
    page = show(clf.model_.report(X, y), "narrow")
    assert page.locator("#canvas.listed").count() == 1
    lefts = page.evaluate(
        """[...document.querySelectorAll("g.node:not(.away)")].map((g) => [
             Number(g.getAttribute("aria-level")),
             g.querySelector("rect").getBoundingClientRect().x])"""
    )
    by_level = dict(lefts)
    assert sorted(by_level.values()) == [by_level[level] for level in sorted(by_level)]
    assert all(x == pytest.approx(by_level[level], abs=0.5) for level, x in lefts)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function("!canvas.classList.contains('listed')")
    assert overlaps(page) == []


def test_on_paper_the_first_page_is_full_and_no_edge_is_cut(show: Open) -> None:
    """The picture follows what is said of the model, on the same sheet; text wraps."""
    clf, X, y = wine()
    page = show(clf.model_.report(X, y, command="bosco fit wine.csv " + "--set a=1 " * 40))
    page.set_viewport_size({"width": 690, "height": 1000})  # A4 within its margins
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    cut = page.evaluate(
        """[...document.querySelectorAll("pre, .wide, #canvas")]
             .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.scrollWidth > 690)
             .map((e) => e.className || e.tagName)"""
    )
    assert cut == []
    below = page.locator("#canvas").bounding_box()
    assert below["y"] + below["height"] < 1500


def test_one_of_many_levels_is_typed(show: Open) -> None:
    X, y = mixed(n=400)
    X["site"] = [f"level {k % 100}" for k in range(400)]
    y = ["even" if k % 2 else "odd" for k in range(400)]
    model = bosco.DecisionTreeClassifier(max_depth=3, nominal_test="subset").fit(X, y).model_
    page = show(model.report())
    field = page.get_by_role("combobox", name="site")
    for text in ("level 3", "level 4", "no such level", ""):
        field.fill(text)
        got = json.loads(page.locator("#answer").get_attribute("data-prediction"))
        row = dict.fromkeys(X.columns) | {"site": text or None}
        assert got == model.predict(row), text


def test_an_italian_report_opens_and_speaks_italian(show: Open) -> None:
    clf, X, y = wine()
    page = show(bosco.report(clf, X, y, lang="it"), "narrow")
    assert page.evaluate("document.documentElement.lang") == "it"
    assert page.locator("button[type=submit]").inner_text() == "Mostra nell'albero"
    field = page.locator("#field-0")
    field.fill("tanto")
    assert page.locator("#field-0-fault").inner_text() == "non è un numero"
    assert page.locator("#answer").inner_text() == "Qualcosa nel modulo non è un numero."
    field.fill("3.5")
    assert page.locator("#answer p").first.inner_text().startswith("Previsione: ")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["narrow"][0]
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert not [v["id"] for v in axe.run(page).response["violations"]]
