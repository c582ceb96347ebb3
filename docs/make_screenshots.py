"""Take the screenshots of docs/report.md: ``python docs/make_screenshots.py``.

Runs the page's own snippets. Needs playwright (extra ``test``) and a chromium.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

DOCS = Path(__file__).parent.resolve()
CASE = {"alcohol": "13.5", "ash": "2.9", "flavanoids": "3.1", "color_intensity": "4", "proline": ""}


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


def main() -> None:
    """Run the snippets in a folder of their own, and look at what they wrote."""
    snippets = re.findall(r"```python\n(.*?)```", (DOCS / "report.md").read_text(), re.S)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        os.chdir(folder)
        exec("\n".join(snippets), {})
        browser = started.chromium.launch(executable_path=shutil.which("chromium"))
        for take in (wide, narrow):
            take(browser, Path(folder, "wine.html").as_uri())
        many(browser, Path(folder, "forest.html").as_uri())
        browser.close()


if __name__ == "__main__":
    main()
