"""Other tabs, and a server that is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.workbench.pages import (
    REFUSED,
    UNREACHED,
    Visit,
    matches,
    opened,
    saved,
)


def test_a_stale_tab_is_told_what_happened(
    visit: Visit, served: Callable[..., Any], tmp_path: Path
) -> None:
    visit.expected = [REFUSED]
    bench = opened(visit, served())
    other = visit.tab(visit.contexts[0])
    other.page.goto(bench.page.url)
    other.ready()
    other.select(1)
    with other.doing():
        other.press("Note…")
        other.dialog("Write", text="written elsewhere")
    entries = other.entry
    bench.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    bench.node(2).locator("rect").first.click(position={"x": 6, "y": 6}, force=True)
    bench.page.locator("#node-head", has_text="Node 2").wait_for()
    bench.press("Best split")
    told = bench.page.get_by_role("dialog", name="The draft changed meanwhile")
    told.wait_for()
    assert "written elsewhere" in told.inner_text()
    told.get_by_role("button", name="See the tree as it is now").click()
    assert bench.entry == entries  # nothing was done
    with bench.doing():
        bench.press("Lock")
    assert saved(tmp_path).log[-1]["verb"] == "lock"


def test_another_tab_is_noticed(visit: Visit, served: Callable[..., Any]) -> None:
    bench = opened(visit, served())
    other = visit.tab(visit.contexts[0])
    other.page.goto(bench.page.url)
    other.ready()
    with other.doing():
        other.press("Note…")
        other.dialog("Write", text="from the other tab")
    bench.page.evaluate("dispatchEvent(new Event('focus'))")
    bench.page.locator(f"#bench[data-entry='{other.entry}']").wait_for()
    assert "Another tab" in bench.page.locator("#said").inner_text()
    assert "from the other tab" in bench.page.locator(".marks").inner_text()


def test_the_server_is_killed_in_the_middle_of_an_act(
    visit: Visit, served: Callable[..., Any], tmp_path: Path
) -> None:
    """What was answered is there; what was not is done or not, never half; the page goes on."""
    visit.expected = [UNREACHED, REFUSED]
    server = served(alone=True)
    bench = opened(visit, server)
    page = bench.page
    entries = bench.entry
    page.route("**/api/act", lambda route: (server.kill(), route.continue_())[-1])
    bench.select(1)
    bench.press("Prune")
    page.locator("#gone").wait_for()
    assert "What was done is saved" in page.locator("#gone").inner_text()
    page.unroute("**/api/act")
    draft = saved(tmp_path)
    assert draft.log[-1]["number"] == entries
    address = server.start()
    page.goto(address)
    bench.ready()
    matches(bench, draft)
    with bench.doing():
        bench.press("Note…")
        bench.dialog("Write", text="it goes on")
    matches(bench, saved(tmp_path))
