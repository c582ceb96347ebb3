"""The page of a trace in a real browser: stepped through by button and keyboard, in both languages.

Needs playwright with a chromium; skipped without. What the page says is what the trace says.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco.datasets import golf, loans, play_tennis
from bosco.pruning import GeneralizationError
from tests.browser import EVIL, SIZES, Open


def tennis() -> tuple[Any, Any]:
    X, y = play_tennis()
    model = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    return model.trace(X, y), model.trace_pruning(GeneralizationError(2))


def boosted() -> Any:
    X, y = loans()
    return bosco.AdaBoostClassifier(n_estimators=3).fit(X, y).trace(X, y)


def odd() -> Any:
    X = pd.DataFrame({EVIL: [EVIL, "b", "c"] * 20, "ünï ☃ 木": np.arange(60) % 17})
    y = [f"{EVIL} {k // 7 % 3}" for k in range(60)]
    return bosco.DecisionTreeClassifier(max_depth=3).fit(X, y).model_.trace(X, y)


def recorded() -> Any:
    return bosco.DecisionTreeClassifier().fit(*golf()).model_.trace()


def of_a_forest() -> Any:
    return bosco.RandomForestClassifier(3, random_state=0).fit(*golf()).trace(*golf(), tree=1)


def of_numbers() -> Any:
    X = np.arange(40.0).reshape(-1, 2) % 7
    return bosco.DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] * 2).model_.trace(X, X[:, 0] * 2)


PAGES = {
    "tennis": lambda: bosco.trace_page(*tennis(), title="Tennis"),
    "boosted": lambda: bosco.trace_page(boosted()),
    "odd names": lambda: bosco.trace_page(odd(), title=EVIL),
    "recorded": lambda: bosco.trace_page(recorded()),
    "forest": lambda: bosco.trace_page(of_a_forest()),
    "numbers": lambda: bosco.trace_page(of_numbers()),
    "a log": lambda: bosco.trace_page(
        bosco.DecisionTreeClassifier(pruning=GeneralizationError(1))
        .fit(*golf())
        .model_.trace_pruning()
    ),
}


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize(
    ("which", "size", "scheme"),
    [
        ("tennis", "wide", "light"),
        ("tennis", "narrow", "dark"),
        ("boosted", "wide", "dark"),
        ("boosted", "narrow", "light"),
        ("odd names", "narrow", "light"),
        ("recorded", "wide", "light"),
        ("forest", "narrow", "dark"),
        ("numbers", "wide", "dark"),
        ("a log", "narrow", "light"),
    ],
)
def test_opens_and_everybody_can_use_it(
    show: Open, which: str, size: str, scheme: str, language: str
) -> None:
    """Every step: as wide as the screen, one article in sight, nothing for axe to say."""
    with bosco.speaking(language):
        page = show(PAGES[which](), size, scheme)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert page.evaluate("document.documentElement.lang") == language
    n = page.locator("article.stop").count()
    for at in range(n):
        assert page.locator("article.stop:not([hidden])").count() == 1
        assert page.locator("#where").text_content() == f"{at + 1} / {n}"
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        if at in (0, n // 2, n - 1):
            found = axe.run(page).response["violations"]
            assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found]
        page.keyboard.press("ArrowRight")
    said = {"en": "Next", "it": "Avanti"}[language]
    assert page.get_by_role("button", name=said).get_attribute("aria-disabled") == "true"


def test_keys_buttons_and_the_list_of_steps(show: Open) -> None:
    page = show(PAGES["tennis"]())

    def at() -> int:
        return int(page.locator("#where").text_content().split(" / ")[0])

    for key, want in [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 11),
                      ("ArrowRight", 11), ("Home", 1), ("ArrowLeft", 1)]:  # fmt: skip
        page.keyboard.press(key)
        assert at() == want
    for name, want in [("Next", 2), ("Last", 11), ("Next", 11), ("Back", 10), ("First", 1)]:
        page.get_by_role("button", name=name, exact=True).click(force=True)
        assert at() == want
        assert page.evaluate("document.activeElement.textContent") == name  # keeps the focus
    page.keyboard.press("ArrowRight")  # from a button, too
    assert at() == 2
    page.locator("#jump").select_option("6")
    assert at() == 7
    page.keyboard.press("Home")  # belongs to the list
    assert at() != 7 or page.locator("#jump").evaluate("e => e === document.activeElement")
    page.evaluate("location.hash = '#step-4'")
    page.wait_for_function("document.getElementById('where').textContent === '4 / 11'")


def nodes(page: Any, more: str = "") -> set[int]:
    return {
        int(node)
        for node in page.evaluate(
            f"[...document.querySelectorAll('#canvas g.node{more}:not(.away)')]"
            ".map((g) => g.dataset.node)"
        )
    }


def test_the_tree_grows_and_is_pruned_step_by_step(show: Open) -> None:
    growing, pruning = tennis()
    page = show(PAGES["tennis"]())
    tree, known = growing.model.tree, {0}
    decided: set[int] = set()
    for step in growing:
        decided.add(step.node)
        known |= set(tree.children(step.node))
        assert nodes(page) == known
        assert nodes(page, ".undecided") == known - decided
        assert nodes(page, ".now") == {step.node}
        for node in known - decided:
            box = page.locator(f"#canvas g.node[data-node='{node}']")
            seen = box.locator("text.question, text.answer").filter(visible=True)
            assert [t for t in seen.all_text_contents() if t] == ["?"]
        page.keyboard.press("ArrowRight")
    for one in pruning:
        assert nodes(page, ".now") == {one.node}
        if one.action == "collapsed":
            known -= {k for k in known if one.node in tree.path(k)[:-1]}
        assert nodes(page) == known
        page.keyboard.press("ArrowRight")
    assert nodes(page) == {0}
    root = page.locator("#canvas g.node[data-node='0'] text.said")
    assert root.text_content() == "Yes"
    assert root.is_visible()


@pytest.mark.parametrize("language", ["en", "it"])
def test_figures_are_those_of_the_trace(show: Open, language: str) -> None:
    with bosco.speaking(language):
        growing, pruning = tennis()
        page = show(bosco.trace_page(growing, pruning))
        rounds = boosted()
        articles = page.locator("article.stop")
        for at, step in enumerate(growing):
            article = articles.nth(at)
            assert step.head() in article.locator("h3").text_content()
            assert article.locator("p.held").text_content() == step.held()
            assert article.locator("p.verdict").text_content() == step.verdict
            sums = article.locator("details:not(.rows) dl.sums").all_text_contents()
            assert len(sums) == len(step.columns)
            for said, tried in zip(sums, step.columns, strict=True):
                assert tried.arithmetic(step.weight) in said
            told = article.locator(".wide").first.locator("tbody tr")
            for row, tried in enumerate(step.columns):
                cells = told.nth(row).locator("td").all_text_contents()
                assert cells[0] == tried.best.test
                assert float(cells[1]) == pytest.approx(tried.best.gain, abs=5e-5)
                assert float(cells[3]) == pytest.approx(tried.best.gain_ratio, abs=5e-5)
            rows = article.locator("details.rows tbody tr")
            assert rows.count() == len(step.rows)
            numbers = rows.locator("td:first-child").all_text_contents()
            assert numbers == [str(row + 1) for row in step.rows]
        for at, one in enumerate(pruning, len(growing)):
            said = articles.nth(at).locator("dl.sums dd").all_text_contents()
            assert said == [sum_ for _, sum_ in one.sides]
            assert articles.nth(at).locator("p.verdict").text_content() == one.verdict
        page = show(bosco.trace_page(rounds))
        for at, one in enumerate(rounds):
            article = page.locator("article.stop").nth(at)
            pairs = zip(
                article.locator("dl.sums").first.locator("dt").all_text_contents(),
                article.locator("dl.sums").first.locator("dd").all_text_contents(),
                strict=True,
            )
            assert list(pairs) == one.sums()
            rows = article.locator("details.rows tbody tr")
            assert rows.count() == 40
            cells = [rows.nth(k).locator("td").all_text_contents()[-3:] for k in range(40)]
            before, after, wrong = zip(*cells, strict=True)
            assert list(map(float, before)) == pytest.approx(one.weights.tolist(), abs=5e-5)
            assert list(map(float, after)) == pytest.approx(one.after.tolist(), abs=5e-5)
            assert [bool(mark) for mark in wrong] == one.wrong.tolist()


def test_rows_are_shown_a_few_at_a_time(show: Open) -> None:
    page = show(PAGES["boosted"]())
    fold = page.locator("article.stop:not([hidden]) details.rows")
    rows = fold.locator("tbody tr")

    def shown() -> list[str]:
        return rows.filter(visible=True).locator("td:first-child").all_text_contents()

    assert shown() == [str(k) for k in range(1, 11)]
    for press, first in [("Later rows", 11), ("Later rows", 21), ("Earlier rows", 11)]:
        fold.get_by_role("button", name=press).click()
        assert shown() == [str(k) for k in range(first, first + 10)]
    assert fold.locator(".pages span").text_content() == "11–20 / 40"


def test_large_traces_are_told_in_part(show: Open) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 12)), rng.integers(0, 2, 900)
    trace = bosco.DecisionTreeClassifier().fit(X, y).model_.trace(X, y)
    assert len(trace) > 200
    made = bosco.trace_page(trace)
    assert len(str(made)) < 3_000_000
    page = show(made)
    assert page.locator("article.stop").count() == 200
    assert f"The first 200 of {len(trace)} steps." in page.locator("#steps").text_content()
    page.keyboard.press("End")
    assert page.locator("#canvas g.node.now").count() == 1
    first = page.locator("article.stop").first
    assert first.locator("details.rows tbody tr").count() == math.floor(4000 / 200)


def test_paper_and_no_script_show_every_step(show: Open) -> None:
    page = show(PAGES["tennis"]())
    page.emulate_media(media="print")
    assert page.locator("article.stop").filter(visible=True).count() == 11
    assert not page.locator("#bar").is_visible()
