"""The whole story of a credit officer, from file to report; what else is asked on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bosco
from tests.browser import SIZES
from tests.workbench.pages import (
    Visit,
    matches,
    opened,
    saved,
    show_rows,
)


@pytest.mark.parametrize("size", SIZES)
def test_a_credit_officer_from_file_to_report(
    visit: Visit, served: Callable[..., Any], tmp_path: Path, size: str
) -> None:
    server = served(target=None, alone=True)
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
    bench.grow_below(2)
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


def test_search_rows_and_a_case_to_follow(
    visit: Visit, served: Callable[..., Any], tmp_path: Path
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
    visit: Visit, served: Callable[..., Any], tmp_path: Path
) -> None:
    bench = opened(visit, served(target="amount", task="regression"))
    bench.select(0)
    bench.column("income")
    bench.drag_threshold(0.4)
    bench.split("halves")
    draft = saved(tmp_path)
    assert draft.ground.classes is None
    matches(bench, draft)
    bench.page.locator("#more-figures").click()
    sheet = bench.page.locator("dialog[open]")
    figures = draft.figures
    heads = sheet.locator("table.errors thead th").all_inner_texts()
    assert heads[1:] == [
        f"{figures.validation.rows} validation rows", f"{figures.training.rows} training rows"
    ]  # fmt: skip
    own = sheet.locator("table.errors tbody tr").first.locator("td").all_inner_texts()
    assert own[0].startswith(figures.validation.show(figures.validation.value))
    assert own[1] == figures.training.show(figures.training.value)
    bench.leave()
