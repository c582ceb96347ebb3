"""Pages of the workbench that tests open, and what they compare them with.

What a page says is compared with the draft that was saved, done again from its log.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bosco.drafts.draft import Draft
from tests.browser import SIZES
from tests.workbench.story import Bench, Neighbour, Server

REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
UNREACHED = re.compile(r"Failed to load resource: net::ERR_")


class Visit:
    """Pages on servers; what the console says that nobody expects is a failure."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.said: list[str] = []
        self.expected: list[re.Pattern[str]] = []
        self.contexts: list[Any] = []

    def page(self, size: str = "wide", scheme: str = "light") -> Bench:
        width, height = SIZES[size]
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
            has_touch=size == "narrow",
            accept_downloads=True,
        )
        self.contexts.append(context)
        return self.tab(context, size == "narrow")

    def tab(self, context: Any, phone: bool = False) -> Bench:
        page = context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        return Bench(page, phone)


def saved(folder: Path, table: str = "loans.csv", keep: str = "loans.draft") -> Draft:
    """The draft that was saved, done again from its log."""
    from bosco.drafts.log import load_log
    from bosco.lessons.drafting import replayed
    from bosco.lessons.told import Told

    done = replayed(load_log(folder / keep), str(folder / table), None, Told())
    assert done.same, str(done)
    draft: Draft = done.draft
    return draft


def opened(visit: Visit, server: Server | Neighbour, *, grow: int = 2, **how: str) -> Bench:
    """A page with a draft that has grown a little."""
    bench = visit.page(**how)
    bench.page.goto(server.start())
    bench.page.locator("#open").wait_for()
    bench.open()
    if grow:
        bench.grow_below(grow)
        bench.close_sheet()
    return bench


def matches(bench: Bench, draft: Draft) -> None:
    """The page says what the draft is."""
    figures = draft.figures
    assert figures.validation is not None
    assert bench.error == figures.validation.show(figures.validation.value)
    assert bench.leaves == draft.model.n_leaves
    assert bench.entry == draft.log[-1]["number"]
    numbers = set(range(draft.model.tree.node_count))
    shown = bench.page.locator("g.node").evaluate_all("(all) => all.map((g) => g.dataset.node)")
    assert set(map(int, shown)) == numbers


def page_rows(bench: Bench) -> list[int]:
    """The rows of the branches that are tried."""
    told = bench.page.locator(".trial .branches .number").all_inner_texts()
    return [int(text.split()[0].replace(",", "")) for text in told]


def show_rows(bench: Bench) -> None:
    bench.page.locator("#rows-fold > summary").click()
    bench.page.locator("#rows tbody tr").first.wait_for()


def show_curves(bench: Bench) -> None:
    bench.close_sheet()
    bench.page.locator("#more-figures").click()
    bench.page.locator("#curves").click()
    bench.page.locator("dialog[open] .curves svg").first.wait_for()


def show_learning(bench: Bench) -> None:
    bench.close_sheet()
    bench.page.locator("#learn").click()
    bench.page.locator(".guess button").first.wait_for()


SCREENS: dict[str, Callable[[Bench], None]] = {
    "the tree": lambda bench: bench.close_sheet(),
    "a threshold": lambda bench: (bench.select(0), bench.column("income"))[0],
    "levels": lambda bench: (bench.select(0), bench.column("purpose"))[0],
    "rows": lambda bench: (bench.select(1), show_rows(bench))[0],
    "a case": lambda bench: bench.menu("Follow a case"),
    "the keys": lambda bench: bench.page.keyboard.press("?"),
    "the log": lambda bench: bench.menu("Log"),
    "out": lambda bench: bench.menu("Take out"),
    "figures": lambda bench: (bench.close_sheet(), bench.page.locator("#more-figures").click())[0],
    "the curves": lambda bench: show_curves(bench),
    "the box": lambda bench: (bench.close_sheet(), bench.page.locator("#final").click())[0],
    "learning": lambda bench: show_learning(bench),
}
"""Every screen of a draft, and how one comes there."""
