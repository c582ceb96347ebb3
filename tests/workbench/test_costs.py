"""What mistakes cost, from the opening to the figures; and a tree that is larger than a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser import SIZES
from tests.visitor import Visitor
from tests.workbench.pages import Visit, matches, saved
from tests.workbench.story import LOANS, serving


def said(bench: Any, selector: str) -> str:
    text: str = bench.page.locator(selector).inner_text()
    return text


def price(bench: Any, true: str, answer: str, cost: str) -> None:
    """Say what a mistake costs, by the name of its field."""
    field = bench.page.get_by_label(f"Cost of {true} taken for {answer}", exact=True)
    field.fill(cost)
    field.press("Tab")
    bench.page.locator("#opening[aria-busy=false]").wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_mistakes_have_prices(
    visit: Visit, served: Callable[..., Any], tmp_path: Path, size: str
) -> None:
    bench = visit.page(size)
    page = bench.page
    page.goto(served().start())
    page.locator("#costs > summary").click()
    assert "All mistakes cost the same" in said(bench, "#costs")
    price(bench, "no", "yes", "-3")
    assert "must cost a number, above 0" in said(bench, "#problem")
    assert page.locator("#open").is_disabled()
    price(bench, "no", "yes", "5")
    assert "no taken for yes 5, every other mistake 1" in said(bench, "#costs")
    assert page.evaluate("document.activeElement.id") == "cost-1-0"  # Tab went on
    bench.open()
    bench.grow_below(2)
    assert "cost of a row" in said(bench, "#said")
    bench.close_sheet()
    draft = saved(tmp_path)
    matches(bench, draft)
    assert draft.ground.decision.costs == ((0.0, 5.0), (1.0, 0.0))
    cost = draft.figures.validation.cost
    tiles = page.locator("#figures .tile.first strong").all_inner_texts()
    assert tiles == [bench.error, cost.show(cost.value)]
    page.locator("#more-figures").click()
    costs = page.locator("dialog[open] table.errors").nth(1)
    assert costs.locator("thead th").first.inner_text() == "cost of a row"
    own = costs.locator("tbody tr").first.locator("td").all_inner_texts()
    assert own[0].startswith(cost.show(cost.value))
    assert own[1] == cost.show(draft.figures.training.cost.value)
    with bench.doing():
        page.locator("#curves").click()
        page.locator("dialog[open] .curves svg").nth(4).wait_for()
    assert "A row costs least" in said(bench, "dialog[open]")
    assert saved(tmp_path).looks.validation == draft.looks.validation + 1


def test_prices_are_said_when_it_is_started(tmp_path: Path) -> None:
    (tmp_path / "loans.csv").write_bytes(LOANS.read_bytes())
    with serving(tmp_path, "loans.csv", "--target", "safe", "--costs", "no=5,yes:no=2") as server:
        visitor = Visitor(server.start())
        told = visitor.get("/api/opening")
        visitor.http.close()
    assert told["costs"]["table"] == [[0, 5], [2, 0]]


def test_costs_are_of_classes(visit: Visit, served: Callable[..., Any]) -> None:
    """Numbers to predict have none: the page says why, and takes them back."""
    bench = visit.page()
    page = bench.page
    page.goto(served(target="months", task="classification").start())
    page.locator("#costs > summary").click()
    price(bench, "12", "24", "2")
    page.locator("#task").select_option("regression")
    page.locator("#problem", has_text="numbers are predicted here").wait_for()
    assert page.locator("#open").is_disabled()
    page.locator("#no-costs").click()
    page.locator("#open:not([disabled])").wait_for()
    assert page.locator("#costs, #no-costs").count() == 0


@pytest.mark.parametrize("size", SIZES)
def test_a_tree_that_is_larger_than_a_page(
    visit: Visit, served: Callable[..., Any], tmp_path: Path, size: str
) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(8000, 5)).round(4)
    lines = [",".join([*map(str, row), "ab"[k % 2]]) for k, row in enumerate(rows.tolist())]
    (tmp_path / "large.csv").write_text("\n".join(["a,b,c,d,e,kind", *lines]))
    bench = visit.page(size)
    page = bench.page
    page.goto(served("large.csv", "kind").start())
    page.locator("#open").wait_for()
    bench.open()
    bench.grow_below(60)
    bench.close_sheet()
    tree = saved(tmp_path, "large.csv", "large.draft").model.tree
    assert bench.leaves == tree.n_leaves > 1000
    drawn = page.locator("g.node").count()
    assert drawn <= 101
    assert f"{drawn} of {tree.node_count:,} nodes are drawn" in said(bench, "#legend")
    letter = page.locator("g.node[data-node='0'] text").first.bounding_box()
    assert letter["height"] > 7, "what is drawn can be read"
    page.locator("#words-to-find").fill("e ≤")
    page.locator("#words-to-find").press("Enter")
    page.locator("#found", has_text="/").wait_for()
    assert page.locator("g.node.selected").is_visible()
