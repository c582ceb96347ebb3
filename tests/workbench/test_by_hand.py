"""What is dragged, moved and undone, and what stays where it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import SIZES
from tests.workbench.pages import (
    Visit,
    matches,
    opened,
    page_rows,
    saved,
)


@pytest.mark.parametrize("size", SIZES)
def test_dragging_says_what_the_rows_say(
    visit: Visit, served: Callable[..., Any], tmp_path: Path, size: str
) -> None:
    """While a threshold is dragged the numbers follow; they are those that the split then has."""
    bench = opened(visit, served(), size=size)
    bench.select(0)
    bench.column("amount")
    bench.drag_threshold(0.53)
    cut = bench.cut
    assert cut == pytest.approx(round(cut, -2)), "a readable number"
    rows = page_rows(bench)
    assert sum(rows) == 120
    bench.split("as it is told")
    draft = saved(tmp_path)
    tree = draft.model.tree
    table = draft.ground.table.take(draft.rows("training"))
    leaves = draft.model.apply(table)
    counted = [sum(child in tree.path(int(leaf)) for leaf in leaves) for child in tree.children(0)]
    assert rows == counted
    matches(bench, draft)


def test_moving_the_threshold_keeps_what_is_below(
    visit: Visit, served: Callable[..., Any], tmp_path: Path
) -> None:
    bench = opened(visit, served(), grow=4)
    draft = saved(tmp_path)
    tree = draft.model.tree
    inner = next(
        n
        for n in range(1, tree.node_count)
        if tree.test(n) is not None
        and draft.model.schema.names[tree.test(n).column] == "amount"
        and any(tree.children(c) for c in tree.children(n))
    )
    bench.page.get_by_role("button", name="Unfold all").click()
    bench.select(inner)
    below = draft.model.n_leaves
    slider = bench.page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowLeft")
    bench.tried()
    with bench.doing():
        bench.page.locator("#move-so").click()
        if bench.page.locator("dialog[open]").count():
            bench.dialog("Do it", reason="rounder")
    draft = saved(tmp_path)
    assert draft.log[-1]["verb"] == "move"
    assert draft.model.n_leaves == below
    matches(bench, draft)


def test_undo_redo_and_any_state(visit: Visit, served: Callable[..., Any], tmp_path: Path) -> None:
    bench = opened(visit, served())
    errors = [bench.error]
    bench.select(1)
    with bench.doing():
        bench.press("Prune")
    errors.append(bench.error)
    bench.select(0)
    with bench.doing():
        bench.page.locator("#undo").click()
    assert bench.error == errors[0]
    with bench.doing():
        bench.page.locator("#redo").click()
    assert bench.error == errors[1]
    assert bench.page.locator("#redo").is_disabled()
    states = bench.page.locator(".history button")
    assert states.count() == 3
    with bench.doing():
        states.first.click()
    assert bench.leaves == 1
    assert bench.page.locator("g.node").count() == 1
    bench.menu("Log")
    with bench.doing():
        bench.page.locator("dialog .log button").first.click()
    bench.leave()
    draft = saved(tmp_path)
    assert [entry["verb"] for entry in draft.log[-2:]] == ["goto", "goto"]
    matches(bench, draft)


def test_selection_folding_and_place_survive_an_act(
    visit: Visit, served: Callable[..., Any]
) -> None:
    bench = opened(visit, served(), grow=4)
    page = bench.page
    page.get_by_role("button", name="Unfold all").click()
    for _ in range(3):
        page.get_by_role("button", name="Larger").click()
    inner = page.locator("g.node.inner[aria-expanded]").evaluate_all(
        "(all) => all.map((g) => Number(g.dataset.node))"
    )
    folded = inner[-1]
    bench.node(folded).locator(".knob text").first.click()
    assert bench.node(folded).get_attribute("aria-expanded") == "false"
    bench.select(2)
    before = bench.node(2).bounding_box()
    with bench.doing():
        bench.press("Note…")
        bench.dialog("Write", text="look again")
    after = bench.node(2).bounding_box()
    assert after["x"] == pytest.approx(before["x"], abs=2)
    assert after["y"] == pytest.approx(before["y"], abs=2)
    assert after["width"] == pytest.approx(before["width"], abs=2)
    assert bench.node(folded).get_attribute("aria-expanded") == "false"
    assert "selected" in bench.node(2).get_attribute("class")
