"""The workbench in a real browser, at the size of a desk and of a phone.

Each test starts ``bosco open`` in a process of its own, does what people do, and compares what the
page says with the draft that was saved, done again from its log. Needs playwright with a chromium;
skipped without.

Over 400 lines, so that all that people do at one page stands beside the servers and pages it needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bosco
from bosco.drafts.draft import Draft
from tests.browser import EVIL, SIZES
from tests.workbench_story import LOANS, Bench, Server, serving

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

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


@pytest.fixture
def visit(browser: Any, served: Any) -> Iterator[Visit]:
    del served  # it ends after the pages do
    made = Visit(browser)
    yield made
    for context in made.contexts:
        context.close()
    unexpected = [said for said in made.said if not any(p.match(said) for p in made.expected)]
    assert not unexpected


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """A server in a folder with the loans of the documents."""
    (tmp_path / "loans.csv").write_bytes(LOANS.read_bytes())
    made: list[Any] = []

    def start(*words: str) -> Server:
        entered = serving(tmp_path, *(words or ("loans.csv", "--target", "safe")))
        made.append(entered)
        return entered.__enter__()

    yield start
    for one in made:
        one.__exit__(None, None, None)


def saved(folder: Path, table: str = "loans.csv", keep: str = "loans.draft") -> Draft:
    """The draft that was saved, done again from its log."""
    from bosco.drafts.log import load_log
    from bosco.lessons.drafting import replayed
    from bosco.lessons.told import Told

    done = replayed(load_log(folder / keep), str(folder / table), None, Told())
    assert done.same, str(done)
    draft: Draft = done.draft
    return draft


def opened(visit: Visit, server: Server, *, grow: int = 2, **how: str) -> Bench:
    """A page with a draft that has grown a little."""
    bench = visit.page(**how)
    bench.page.goto(server.start())
    bench.page.locator("#open").wait_for()
    bench.open()
    if grow:
        with bench.doing():
            if bench.phone:
                bench.page.locator("#side-bar").click()
            bench.press("Grow below…")
            bench.dialog("Grow", depth=str(grow))
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


# The story ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_a_credit_officer_from_file_to_report(
    visit: Visit, served: Callable[..., Server], tmp_path: Path, size: str
) -> None:
    server = served("loans.csv")
    bench = visit.page(size)
    page = bench.page
    page.goto(server.start())

    # The opening: what was read is corrected where it stands.
    page.get_by_role("heading", name="What was read").wait_for()
    assert page.locator("#open").is_disabled()
    bench.choose_target("safe")
    bench.correct("currency", role="dropped")
    bench.correct("months", kind="text")
    page.locator("#who-opens").fill("Ada")
    page.locator("#who-opens").press("Tab")
    page.locator("#opening[aria-busy=false]").wait_for()
    bench.open()
    before = bench.error

    # Grow, and drag a threshold to where the house wants it.
    if bench.phone:
        page.locator("#side-bar").click()
    with bench.doing():
        bench.press("Grow below…")
        bench.dialog("Grow", depth="2")
    assert bench.leaves > 1
    assert bench.error != before
    bench.select(1)
    bench.column("income")
    best = bench.cut
    bench.drag_threshold(0.85)
    assert bench.cut > best
    cut = bench.cut
    assert page.locator("#cut-0").input_value() == f"{cut:g}"
    bench.split("nobody is judged by less than this")
    draft = saved(tmp_path)
    assert draft.log[-1]["reason"] == "nobody is judged by less than this"
    assert draft.log[-1]["act"]["test"]["cuts"] == [cut]
    assert draft.log[0]["estimator"]
    kinds = {column.name: column.kind for column in draft.model.schema.columns}
    assert "currency" not in kinds
    assert kinds["months"] == "nominal"
    matches(bench, draft)

    # Move a level to another branch, by hand.
    bench.select(2)
    bench.column("purpose")
    bench.drag_level("study", 3)
    bench.split("study is another matter")
    draft = saved(tmp_path)
    groups = draft.log[-1]["act"]["test"]["groups"]
    assert ["study"] in groups
    matches(bench, draft)

    # An answer by order, a note, a lock.
    leaf = next(n for n in range(draft.model.tree.node_count) if not draft.model.tree.children(n))
    bench.select(leaf)
    with bench.doing():
        bench.press("Answer by order…")
        bench.dialog("Order it", answer="no", reason="the law of 2024")
    with bench.doing():
        bench.press("Note…")
        bench.dialog("Write", text="to be seen again in spring")
    with bench.doing():
        bench.press("Lock")
    marks = page.locator(".marks").inner_text()
    assert "the law of 2024" in marks
    assert "to be seen again in spring" in marks
    assert "locked" in marks
    matches(bench, saved(tmp_path))

    # Undo the lock, from the tools.
    bench.close_sheet()
    with bench.doing():
        page.locator("#undo").click()
    assert "locked" not in bench.node(leaf).get_attribute("aria-description")
    draft = saved(tmp_path)
    matches(bench, draft)

    # The sealed box says what it means, and what is in it.
    page.locator("#final").click()
    assert "nobody looked at" in page.locator("dialog[open]").inner_text()
    with bench.doing():
        bench.dialog("Open it")
    page.get_by_role("heading", name="What the test part says").wait_for()
    draft = saved(tmp_path)
    figure = draft.log[-1]["figures"]
    told = page.locator("dialog[open]").inner_text()
    assert f"{100 * figure['value']:.1f}" in told
    bench.leave()

    # Out: a report with what was decided and why, a model that says what the page says.
    files = {}
    bench.menu("Take out")
    for kind in ("report", "model"):
        with page.expect_download() as coming:
            page.locator(f"dialog[open] a[href='/api/out/{kind}']").click()
        files[kind] = tmp_path / coming.value.suggested_filename
        coming.value.save_as(files[kind])
    bench.leave()
    report = files["report"].read_text(encoding="utf-8")
    for reason in (
        "nobody is judged by less than this",
        "study is another matter",
        "the law of 2024",
    ):
        assert reason in report
    model = bosco.load(files["model"])
    bench.select(0)
    page.locator("#rows-fold > summary").click()
    page.locator("#rows tbody tr").first.wait_for()
    answers = page.locator("#rows tbody tr").evaluate_all(
        "(rows) => rows.map(({ cells }) => [cells[0].innerText, cells[2].firstChild.textContent])"
    )
    assert len(answers) == 50
    table = draft.ground.table
    said = [str(label) for label in model.predict(table)]
    assert [said[int(row)] for row, _ in answers] == [answer for _, answer in answers]


# What is dragged, moved, undone -------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_dragging_says_what_the_rows_say(
    visit: Visit, served: Callable[..., Server], tmp_path: Path, size: str
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


def page_rows(bench: Bench) -> list[int]:
    """The rows of the branches that are tried."""
    told = bench.page.locator(".trial .branches .number").all_inner_texts()
    return [int(text.split()[0].replace(",", "")) for text in told]


def test_moving_the_threshold_keeps_what_is_below(
    visit: Visit, served: Callable[..., Server], tmp_path: Path
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


def test_undo_redo_and_any_state(
    visit: Visit, served: Callable[..., Server], tmp_path: Path
) -> None:
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
    visit: Visit, served: Callable[..., Server]
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


def test_search_rows_and_a_case_to_follow(
    visit: Visit, served: Callable[..., Server], tmp_path: Path
) -> None:
    bench = opened(visit, served(), grow=3)
    page, draft = bench.page, saved(tmp_path)
    tree, names = draft.model.tree, draft.model.schema.names
    asking = [n for n in range(tree.node_count) if tree.test(n) is not None]
    last = asking[-1]
    page.locator("#words-to-find").fill(names[tree.test(last).column])
    seen = set()
    for _ in range(tree.node_count):
        page.locator("#words-to-find").press("Enter")
        page.locator("#found", has_text="/").wait_for()
        page.wait_for_timeout(100)
        seen.add(int(page.locator("g.node.selected").get_attribute("data-node")))
    assert last in seen

    bench.select(0)
    show_rows(bench)
    heads = page.locator("#rows thead th").all_inner_texts()
    place = heads.index("income")
    page.locator("[id='sort-income']").click()
    page.locator("#rows th[aria-sort=ascending]").wait_for()
    cells = page.locator(f"#rows tbody td:nth-child({place + 1})").all_inner_texts()
    numbers = [float(cell) for cell in cells if cell]
    assert numbers == sorted(numbers)
    page.locator("#rows-on").click()
    page.locator("#rows-back:not([disabled])").wait_for()
    assert page.locator("#rows tbody tr").count() == 50

    bench.menu("Follow a case")
    page.locator("dialog [name=reputation]").fill("poor")
    page.locator("dialog [name=income]").fill("1500")
    page.locator("dialog button[type=submit]").click()
    page.locator("dialog [role=status] p").first.wait_for()
    case = dict.fromkeys(names) | {"reputation": "poor", "income": 1500.0}
    leaf = int(draft.model.apply([case])[0])
    on = page.locator("g.node:has(rect.onpath)").evaluate_all(
        "(all) => all.map((g) => Number(g.dataset.node))"
    )
    assert sorted(on) == sorted(tree.path(leaf))


def test_numbers_are_predicted_too(
    visit: Visit, served: Callable[..., Server], tmp_path: Path
) -> None:
    bench = opened(visit, served("loans.csv", "--target", "amount", "--task", "regression"))
    bench.select(0)
    bench.column("income")
    bench.drag_threshold(0.4)
    bench.split("halves")
    draft = saved(tmp_path)
    assert draft.ground.classes is None
    matches(bench, draft)
    bench.page.locator("#more-figures").click()
    assert "validation rows" in bench.page.locator("dialog[open]").inner_text()
    bench.leave()


# Other tabs, and a server that is gone ------------------------------------------------------------


def test_a_stale_tab_is_told_what_happened(
    visit: Visit, served: Callable[..., Server], tmp_path: Path
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
    bench.node(2).locator("rect").first.click(position={"x": 6, "y": 6})
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


def test_another_tab_is_noticed(visit: Visit, served: Callable[..., Server]) -> None:
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
    visit: Visit, served: Callable[..., Server], tmp_path: Path
) -> None:
    """What was answered is there; what was not is done or not, never half; the page goes on."""
    visit.expected = [UNREACHED, REFUSED]
    server = served()
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


# Everybody ----------------------------------------------------------------------------------------


def test_by_keyboard_alone(visit: Visit, served: Callable[..., Server], tmp_path: Path) -> None:
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
    with bench.doing():
        keys.press("u")
    keys.press("Home")
    assert page.evaluate("document.activeElement.dataset.node") == "0"
    matches(bench, saved(tmp_path))


SCREENS: dict[str, Callable[[Bench], None]] = {
    "the tree": lambda bench: bench.close_sheet(),
    "a threshold": lambda bench: (bench.select(0), bench.column("income"))[0],
    "levels": lambda bench: (bench.select(0), bench.column("purpose"))[0],
    "rows": lambda bench: (bench.select(1), show_rows(bench))[0],
    "a case": lambda bench: bench.menu("Follow a case"),
    "the log": lambda bench: bench.menu("Log"),
    "out": lambda bench: bench.menu("Take out"),
    "figures": lambda bench: (bench.close_sheet(), bench.page.locator("#more-figures").click())[0],
    "the box": lambda bench: (bench.close_sheet(), bench.page.locator("#final").click())[0],
    "learning": lambda bench: show_learning(bench),
}


def show_rows(bench: Bench) -> None:
    bench.page.locator("#rows-fold > summary").click()
    bench.page.locator("#rows tbody tr").first.wait_for()


def show_learning(bench: Bench) -> None:
    bench.close_sheet()
    bench.page.locator("#learn").click()
    bench.page.locator(".guess button").first.wait_for()


@pytest.mark.parametrize(("size", "scheme"), [("wide", "light"), ("narrow", "dark")])
def test_everybody_can_use_every_screen(
    visit: Visit, served: Callable[..., Server], size: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    bench = visit.page(size=size, scheme=scheme)
    page = bench.page
    page.goto(served().start())
    page.locator("#open").wait_for()

    def check(screen: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], screen
        found = axe.run(page).response["violations"]
        told = [(v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found]
        assert not told, screen

    check("the opening")
    bench.open()
    if bench.phone:
        page.locator("#side-bar").click()
    with bench.doing():
        bench.press("Grow below…")
        bench.dialog("Grow", depth="2")
    bench.close_sheet()
    for name, show in SCREENS.items():
        show(bench)
        check(name)
        if page.locator("dialog[open]").count():
            bench.leave()
        if page.locator("#learn-leave").count():
            page.locator("#learn-leave").click()
            bench.settled()


def test_it_speaks_italian(visit: Visit, served: Callable[..., Server], tmp_path: Path) -> None:
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


def test_students_guess_the_best_question(visit: Visit, served: Callable[..., Server]) -> None:
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
    visit: Visit, served: Callable[..., Server], tmp_path: Path, size: str
) -> None:
    rows = [f'"{EVIL}",{k % 7},{"a" if k % 7 < 3 else EVIL}' for k in range(60)]
    rows += [f"plain,{k % 5},{'a' if k % 5 < 2 else EVIL}" for k in range(60)]
    head = f'"{EVIL}","<img src=x onerror=alert(1)>",target'
    (tmp_path / "evil.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    bench = opened(visit, served("evil.csv", "--target", "target"), size=size)
    bench.select(0)
    with bench.doing():
        bench.press("Note…")
        bench.dialog("Write", text=EVIL)
    assert "console.log('evil')" in bench.page.locator(".marks").inner_text()
    bench.menu("Log")
    assert "console.log('evil')" in bench.page.locator("dialog[open]").inner_text()
    assert bench.page.locator("main img, main script, dialog img, dialog script").count() == 0
    assert json.loads(bench.page.evaluate("JSON.stringify([...document.images])")) == []
