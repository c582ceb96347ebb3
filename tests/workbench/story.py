"""What people do at the workbench, as tests and the screenshots of the documents do it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOANS = Path(__file__).parents[2] / "docs" / "loans.csv"
BOSCO = "import sys; from bosco.cli import main; sys.exit(main())"


class Server:
    """``bosco open`` in a process of its own, which may be killed and started again."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder, self.words, self.port = folder, words, 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """The address that it prints, the key included; the same port every time."""
        words = ["open", *self.words, "--no-browser", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", BOSCO, *words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/\S+", line)
        assert found, f"no address: {line!r}"
        self.port = int(found[1])
        return found[0]

    def kill(self) -> None:
        """End it at once, whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None


class Neighbour:
    """The same beside whoever asks, in one process."""

    def __init__(
        self, folder: Path, file: str, target: str | None = None, task: str | None = None
    ) -> None:
        self.folder, self.file, self.asked = folder, file, {"target": target, "task": task}
        self.served: Any = None

    def start(self) -> str:
        """The address, the key included."""
        from bosco.lessons.told import Told
        from bosco.workbench.beginning import begin
        from bosco.workbench.opening import Asked
        from bosco.workbench.serving import Served

        keep = (self.folder / self.file).with_suffix(".draft")
        desk = begin(str(self.folder / self.file), None, keep, Told(), Asked(**self.asked))
        self.served = Served(desk).begin()
        return str(self.served.address)

    def kill(self) -> None:
        """End it."""
        if self.served is not None:
            self.served.end()
            self.served = None


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[Server]:
    """A server, and its end."""
    server = Server(folder, *words)
    try:
        yield server
    finally:
        server.kill()


class Bench:
    """A page of the workbench in a browser, and what a person does there."""

    def __init__(self, page: Any, phone: bool = False) -> None:
        self.page, self.phone = page, phone

    # Opening ------------------------------------------------------------------------------------

    def choose_target(self, name: str) -> None:
        """Say what is to be predicted."""
        self.page.locator("#target").select_option(name)
        self.page.locator("#open:not([disabled])").wait_for()

    def correct(self, column: str, **what: str) -> None:
        """Correct the `kind` of a column, or its `role`."""
        row = self.page.locator("table.columns tbody tr").filter(
            has=self.page.get_by_role("rowheader", name=column, exact=True)
        )
        for name, value in what.items():
            row.locator(f"select[id^={name}-]").select_option(value)
            self.page.locator("#opening[aria-busy=false]").wait_for()

    def open(self) -> None:
        """Make the draft."""
        self.page.locator("#open").click()
        self.ready()

    # The tree -----------------------------------------------------------------------------------

    @property
    def entry(self) -> int:
        """The number of the last entry of the log."""
        return int(self.page.locator("#bench").get_attribute("data-entry"))

    @property
    def error(self) -> str:
        """The first figure of the strip."""
        text: str = self.page.locator("#figures .first strong").first.inner_text()
        return text

    @property
    def leaves(self) -> int:
        """The leaves of the tree."""
        number = self.page.locator("#figures .leaves strong").inner_text()
        return int(number.replace(",", ""))

    def ready(self) -> None:
        """Until the tree, its figures and the selected node are there."""
        self.page.locator("#bench:not([hidden]) g.node.selected").wait_for()
        self.page.locator("#figures .tile", has_text="being grown").wait_for(state="detached")
        self.settled()

    def settled(self) -> None:
        """Until nothing is asked any more."""
        self.page.locator("#panel:not([aria-busy=true]) #node-head").wait_for(state="attached")
        self.page.locator("#main:not([aria-busy=true])").wait_for()

    @contextmanager
    def doing(self, entries: int = 1) -> Iterator[None]:
        """An act: it is done when the page shows what it brought."""
        before = self.entry
        yield
        self.page.locator(f"#bench[data-entry='{before + entries}']").wait_for()
        self.settled()

    def node(self, number: int) -> Any:
        """A box of the picture."""
        return self.page.locator(f"g.node[data-node='{number}']")

    def select(self, number: int) -> None:
        """Click on a node; on a phone its sheet comes up."""
        self.close_sheet()
        self.node(number).locator("rect").first.click(position={"x": 6, "y": 6}, force=True)
        self.page.locator(f"g.node.selected[data-node='{number}']").wait_for()
        heading = self.page.locator("#node-head", has_text=re.compile(rf"\b{number}\b"))
        heading.wait_for(state="attached")
        self.settled()

    def close_sheet(self) -> None:
        """On a phone: show the tree again."""
        if self.phone and "open" in (self.page.locator("#side").get_attribute("class") or ""):
            self.page.locator("#side-bar").click()

    # The node -----------------------------------------------------------------------------------

    def press(self, name: str) -> None:
        """Press a button of the node."""
        self.page.locator(".acts").get_by_role("button", name=name, exact=True).click()

    def grow_below(self, depth: int) -> None:
        """Grow the node that is shown; on a phone its sheet is opened first."""
        if self.phone:
            self.page.locator("#side-bar").click()
        with self.doing():
            self.press("Grow below…")
            self.dialog("Grow", depth=str(depth))

    def dialog(self, button: str, **fields: str) -> None:
        """Fill in a dialog and press its button; a field is known by its name."""
        box = self.page.locator("dialog[open]").last
        for name, value in fields.items():
            field = box.locator(f"[name='{name}']")
            if field.evaluate("(one) => one.tagName") == "SELECT":
                field.select_option(label=value)
            else:
                field.fill(value)
        box.get_by_role("button", name=button, exact=True).click()

    def column(self, name: str) -> None:
        """Look into a column."""
        if not self.page.locator(f"button[data-column='{name}']").count():
            self.page.locator("#panel").get_by_role("button", name=re.compile("^All ")).click()
        self.page.locator(f"button[data-column='{name}']").first.click()
        self.page.locator("#column-head", has_text=re.compile(f"^{re.escape(name)}$")).wait_for()
        self.tried()

    def tried(self) -> None:
        """Until what the test is worth is there."""
        self.page.locator(".trial[aria-busy=false] .branches").wait_for()

    @property
    def cut(self) -> float:
        """Where the threshold stands."""
        return float(self.page.get_by_role("slider").first.get_attribute("aria-valuenow"))

    def drag_threshold(self, share: float) -> None:
        """Drag the threshold to a place of the chart, from 0 (left) to 1."""
        slider, mouse = self.page.get_by_role("slider").first, self.page.mouse
        slider.scroll_into_view_if_needed()
        chart = self.page.locator("svg.histogram").bounding_box()
        line = slider.locator("circle").bounding_box()
        y = line["y"] - 20
        mouse.move(line["x"] + line["width"] / 2, y)
        mouse.down()
        mouse.move(chart["x"] + chart["width"] * share, y, steps=8)
        mouse.up()
        self.page.wait_for_timeout(400)  # the last of many answers
        self.tried()

    def drag_level(self, level: str, branch: int) -> None:
        """Drag a level into a branch, from 1; one beyond the last is new."""
        chip, mouse = self.page.locator(".level", has_text=level).first, self.page.mouse
        chip.scroll_into_view_if_needed()
        to = self.page.locator(f".levels [data-branch='{branch - 1}']")
        begin, end = chip.bounding_box(), to.bounding_box()
        mouse.move(begin["x"] + 10, begin["y"] + 8)
        mouse.down()
        mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=8)
        mouse.up()
        self.page.wait_for_timeout(200)
        self.tried()

    def split(self, reason: str = "") -> None:
        """Split as the column shows it, with a reason if one is asked for."""
        with self.doing():
            self.page.locator("#split-so").click()
            if reason and self.page.locator("dialog[open]").count():
                self.dialog("Do it", reason=reason)

    def menu(self, name: str) -> None:
        """Open something of the menu."""
        self.close_sheet()
        self.page.locator(".menu").get_by_role("button", name=name, exact=True).click()
        self.page.locator("dialog[open]").wait_for()

    def leave(self) -> None:
        """Close the dialog."""
        self.page.keyboard.press("Escape")
        self.page.locator("dialog[open]").wait_for(state="detached")
