"""Take the screenshots of the documents: ``python docs/make_screenshots.py``.

With a folder, every screen of the workbench instead, in both sizes and schemes, to be looked at.
Runs the own snippets of docs/report.md, and what people do at the workbench, as the tests do it.
Needs playwright (extra ``test``) and a chromium.
"""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parent.resolve()
sys.path.insert(0, str(DOCS.parent))

from tests.browser import SIZES  # noqa: E402
from tests.workbench.pages import SCREENS  # noqa: E402
from tests.workbench.story import LOANS, Bench, serving  # noqa: E402

CASE = {"alcohol": "13.5", "ash": "2.9", "flavanoids": "3.1", "color_intensity": "4", "proline": ""}


# The report ---------------------------------------------------------------------------------------


def wide(browser: Browser, url: str) -> None:
    """On a desk: the first screen; the pointer over a node, its candidates beside it."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(url)
    page.screenshot(path=DOCS / "images" / "report-first.png")
    page.evaluate("document.querySelector('#picture').scrollIntoView()")
    page.wait_for_timeout(200)
    page.locator("g.node[data-node='1']").hover()
    page.locator("#card").wait_for()
    page.screenshot(path=DOCS / "images" / "report-wide.png")


def narrow(browser: Browser, url: str) -> None:
    """On a phone, in the dark: a case on its way through the tree."""
    size = {"width": 390, "height": 844}
    page = browser.new_page(viewport=size, color_scheme="dark", has_touch=True)
    page.goto(url)
    for name, text in CASE.items():
        page.get_by_label(name, exact=True).fill(text)
    page.get_by_role("button", name="Show in the tree").click()
    page.evaluate("scrollTo(0, document.querySelector('#tree').offsetTop)")
    page.screenshot(path=DOCS / "images" / "report-narrow.png")


def many(browser: Browser, url: str) -> None:
    """The top of a forest's."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(url)
    page.screenshot(path=DOCS / "images" / "report-many.png")


def reports(browser: Browser, folder: Path) -> None:
    """Run the snippets in a folder of their own, and look at what they wrote."""
    snippets = re.findall(r"```python\n(.*?)```", (DOCS / "report.md").read_text(), re.S)
    os.chdir(folder)
    exec("\n".join(snippets), {})
    for take in (wide, narrow):
        take(browser, (folder / "wine.html").as_uri())
    many(browser, (folder / "forest.html").as_uri())


# The workbench ------------------------------------------------------------------------------------


def keep(bench: Bench, name: str) -> None:
    """What the page shows now, without what it said last."""
    bench.page.locator("#said").evaluate("(said) => said.replaceChildren()")
    bench.page.screenshot(path=DOCS / "images" / f"workbench-{name}.png")


def at_desk(browser: Browser, url: str) -> Bench:
    """A page at a desk."""
    page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.goto(url)
    page.locator("#open").wait_for()
    return Bench(page)


def grown(bench: Bench, depth: int) -> None:
    """Let the learner begin."""
    bench.open()
    grow(bench, depth)


def grow(bench: Bench, depth: int) -> None:
    """Let it go on below the selected node."""
    with bench.doing():
        bench.press("Grow below…")
        bench.dialog("Grow", depth=str(depth))


def officer(browser: Browser, folder: Path) -> None:
    """The opening; a threshold that is dragged; the same tree on a phone."""
    shutil.copy(LOANS, folder / "loans.csv")
    with serving(folder, "loans.csv", "--who", "Ada") as server:
        bench = at_desk(browser, server.start())
        bench.choose_target("safe")
        bench.correct("currency", role="dropped")
        keep(bench, "opening")
        grown(bench, 3)
        bench.select(1)
        bench.column("income")
        bench.drag_threshold(0.6)
        bench.page.locator("#why-head").evaluate("(head) => head.scrollIntoView()")
        keep(bench, "threshold")
        bench.split("the house lends nobody more than this")
        url = bench.page.url
        page = bench.page.context.new_page()
        page.set_viewport_size({"width": 390, "height": 844})
        page.emulate_media(color_scheme="dark")
        page.goto(url)
        phone = Bench(page, phone=True)
        phone.ready()
        phone.select(1)
        keep(phone, "phone")


def engineer(browser: Browser, folder: Path) -> None:
    """Many measurements at a node; how good the tree is."""
    text = (DOCS / "howto" / "find-causes.md").read_text()
    os.chdir(folder)
    exec("\n".join(re.findall(r"```python\n(.*?)```", text, re.S)), {})
    with serving(folder, "wine.csv", "--target", "kind") as server:
        bench = at_desk(browser, server.start())
        grown(bench, 3)
        bench.select(0)
        bench.column("color_intensity")
        bench.page.locator("#why-head").evaluate("(head) => head.scrollIntoView()")
        keep(bench, "causes")
        bench.page.locator("#more-figures").click()
        bench.page.locator("dialog[open] table").first.wait_for()
        keep(bench, "figures")


def student(browser: Browser, folder: Path) -> None:
    """The first question to be guessed."""
    from bosco.datasets import play_tennis

    X, y = play_tennis()
    rows = zip(*X.values(), y, strict=True)
    lines = [",".join([*X, "play"]), *map(",".join, rows)]
    (folder / "tennis.csv").write_text("\n".join(lines))
    with serving(folder, "tennis.csv", "--target", "play") as server:
        bench = at_desk(browser, server.start())
        for field, value in (("algorithm", "id3"), ("validation", "0"), ("test", "0")):
            one = bench.page.locator(f"#{field}")
            one.select_option(value) if field == "algorithm" else one.fill(value)
            one.press("Tab")
            bench.page.locator("#opening[aria-busy=false]").wait_for()
        bench.open()
        bench.page.locator("#learn").click()
        bench.page.locator(".guess").wait_for()
        keep(bench, "learn")


def every(browser: Browser, folder: Path, to: Path) -> None:
    """Every screen, in both sizes and schemes."""
    shutil.copy(LOANS, folder / "loans.csv")
    for size, (width, height) in SIZES.items():
        (folder / "loans.draft").unlink(missing_ok=True)
        with serving(folder, "loans.csv", "--target", "safe", "--who", "Ada") as server:
            page = browser.new_context(
                viewport={"width": width, "height": height}, reduced_motion="reduce"
            ).new_page()
            bench = Bench(page, size == "narrow")

            def shot(name: str, page: Page = page, size: str = size) -> None:
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    page.screenshot(path=to / f"{name.replace(' ', '-')}-{size}-{scheme}.png")

            page.goto(server.start())
            page.locator("#open").wait_for()
            shot("opening")
            bench.open()
            shot("root")
            if bench.phone:
                page.locator("#side-bar").click()
            grow(bench, 3)
            shot("an act")
            for name, show in SCREENS.items():
                show(bench)
                page.wait_for_timeout(200)
                shot(name)
                if page.locator("dialog[open]").count():
                    bench.leave()
            page.locator("#learn-leave").click()


def main() -> None:
    """Take them all, each in a folder of its own."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"))
        if sys.argv[1:]:
            to = Path(sys.argv[1]).resolve()
            to.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as folder:
                every(browser, Path(folder), to)
            return
        for take in (reports, officer, engineer, student):
            with tempfile.TemporaryDirectory() as folder:
                take(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
