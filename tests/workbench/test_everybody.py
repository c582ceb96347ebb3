"""By keyboard alone, in every size and scheme, in Italian; students; strange names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser import EVIL, SIZES
from tests.workbench.pages import (
    SCREENS,
    Visit,
    matches,
    opened,
    saved,
    show_learning,
)


def test_by_keyboard_alone(visit: Visit, served: Callable[..., Any], tmp_path: Path) -> None:
    """From the opening to a threshold, a level, a note and undo, without a pointer."""
    bench = visit.page()
    page, keys = bench.page, bench.page.keyboard
    page.goto(served().start())
    page.locator("#open").wait_for()
    page.locator("#open").focus()
    keys.press("Enter")
    bench.ready()

    def reach(what: str, most: int = 80) -> None:
        for _ in range(most):
            if page.evaluate("(what) => document.activeElement.matches(what)", what):
                return
            keys.press("Tab")
        raise AssertionError(f"Tab does not reach {what}")

    page.locator("#main").focus()
    reach("g.node")
    with bench.doing():
        reach("[id='do-Grow below…']")
        keys.press("Enter")
        page.locator("dialog[open] input[name=depth]").wait_for()
        keys.type("2")
        keys.press("Enter")
    page.locator("#main").focus()
    reach("g.node")
    keys.press("ArrowDown")
    keys.press("Enter")
    page.locator("g.node.selected[data-node='1']").wait_for()
    bench.settled()
    reach("button[data-column=income]")
    keys.press("Enter")
    bench.tried()
    reach("[role=slider]")
    before = bench.cut
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    bench.tried()
    assert bench.cut > before
    reach("#split-so")
    with bench.doing():
        keys.press("Enter")
        page.locator("dialog[open] textarea").wait_for()
        keys.type("by keyboard")
        reach("dialog button[type=submit]")
        keys.press("Enter")
    reach("button[data-column=purpose]", 200)
    keys.press("Enter")
    page.locator(".level").first.wait_for()
    bench.tried()
    reach(".level")
    level = page.evaluate("document.activeElement.id")
    words = page.evaluate("document.activeElement.getAttribute('aria-label')")
    keys.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == level
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") != words
    page.locator("#main").focus()
    reach("g.node")
    keys.press("?")
    sheet = page.get_by_role("dialog", name="Keys")
    sheet.wait_for()
    assert "prune the node" in sheet.inner_text()
    keys.press("Escape")
    sheet.wait_for(state="detached")
    reach("g.node")
    with bench.doing():
        keys.press("u")
    keys.press("Home")
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    matches(bench, saved(tmp_path))


@pytest.mark.parametrize("size", SIZES)
def test_everybody_can_use_every_screen(
    visit: Visit, served: Callable[..., Any], size: str
) -> None:
    """By all rules of axe, in both schemes."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    bench = visit.page(size=size, scheme="light")
    page = bench.page
    page.goto(served().start())
    page.locator("#open").wait_for()

    def check(screen: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], screen
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found = axe.run(page).response["violations"]
            told = [(v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found]
            assert not told, (screen, scheme)

    page.locator("#costs > summary").click()
    check("the opening")
    bench.open()
    bench.grow_below(2)
    bench.close_sheet()
    for name, show in SCREENS.items():
        show(bench)
        check(name)
        if page.locator("dialog[open]").count():
            bench.leave()
        if page.locator("#learn-leave").count():
            page.locator("#learn-leave").click()
            bench.settled()


def test_it_speaks_italian(visit: Visit, served: Callable[..., Any], tmp_path: Path) -> None:
    bench = visit.page("narrow")
    page = bench.page
    page.goto(served().start())
    page.locator("#open").wait_for()
    page.locator("#language").select_option("it")
    page.get_by_role("heading", name="Che cosa è stato letto").wait_for()
    page.locator("#open").click()
    page.locator("g.node.selected").wait_for()
    assert page.evaluate("document.documentElement.lang") == "it"
    page.locator("#side-bar").click()
    page.locator(".acts").get_by_role("button", name="Fai crescere…").click()
    with bench.doing():
        bench.dialog("Fai crescere", depth="2")
    english = re.compile(r"\b(the|rows|leaves|learner|node|grown|asks|answers)\b", re.IGNORECASE)
    assert not english.findall(page.locator("#panel").inner_text())
    assert not english.findall(page.locator("#figures").inner_text())
    assert not english.findall(page.locator("#said").inner_text())
    bench.close_sheet()
    page.locator("#log").click()
    page.locator("dialog[open] .log li").first.wait_for()
    assert not english.findall(page.locator("dialog[open]").inner_text())
    bench.leave()
    matches(bench, saved(tmp_path))


def test_students_guess_the_best_question(visit: Visit, served: Callable[..., Any]) -> None:
    bench = opened(visit, served(), grow=0)
    page = bench.page
    show_learning(bench)
    assert page.locator("#panel .candidates").count() == 0  # not shown before the guess
    page.locator(".guess").get_by_role("button", name="reputation", exact=True).click()
    assert page.locator(".verdict").inner_text().startswith("Right")
    assert page.locator("#panel .candidates tr.chosen").count() == 1
    page.locator("#learn-next").click()
    assert page.locator("#panel h2 small").inner_text().startswith("2 / ")
    page.locator("#learn-leave").click()
    page.locator("#node-head").wait_for()


@pytest.mark.parametrize("size", SIZES)
def test_names_are_text_whatever_they_hold(
    visit: Visit, served: Callable[..., Any], tmp_path: Path, size: str
) -> None:
    rows = [f'"{EVIL}",{k % 7},{"a" if k % 7 < 3 else EVIL}' for k in range(60)]
    rows += [f"plain,{k % 5},{'a' if k % 5 < 2 else EVIL}" for k in range(60)]
    head = f'"{EVIL}","<img src=x onerror=alert(1)>",target'
    (tmp_path / "evil.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    bench = opened(visit, served("evil.csv", "target"), size=size)
    bench.select(0)
    with bench.doing():
        bench.press("Note…")
        bench.dialog("Write", text=EVIL)
    assert "console.log('evil')" in bench.page.locator(".marks").inner_text()
    bench.menu("Log")
    assert "console.log('evil')" in bench.page.locator("dialog[open]").inner_text()
    assert bench.page.locator("main img, main script, dialog img, dialog script").count() == 0
    assert json.loads(bench.page.evaluate("JSON.stringify([...document.images])")) == []
