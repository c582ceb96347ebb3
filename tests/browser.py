"""What tests of pages in a browser share: sizes, what a person would type, and how it is typed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bosco.base.dates import MOMENTS

SIZES = {"wide": (1280, 900), "narrow": (390, 844)}

Open = Callable[..., Any]

EVIL = "<!--<script></script><script>console.log('evil')</script>"


def typed(column: dict[str, Any], value: Any) -> str:
    """What a person would type, or the value of the option that would be chosen."""
    levels = column["levels"]
    if value is None or value != value:
        return ""
    if levels is not None:
        return next((str(at) for at, level in enumerate(levels) if level == value), "")
    if column["unit"] == "duration":
        return repr(int(value.astype("m8[ms]").astype(int)) / 1000)
    if column["unit"] == "time":
        return str(np.datetime64(0, "ms") + value)[11:23] if value.astype(int) >= 0 else ""
    if column["unit"] in MOMENTS:
        return str(value)[:23]
    return repr(value) if math.isfinite(value) else str(value)


FILL = """(rows) => rows.map((row) => {
  row.forEach((text, i) => { document.getElementById(`field-${i}`).value = text; });
  const form = document.getElementById("case");
  form.dispatchEvent(new Event("input", { bubbles: true }));
  const answer = document.getElementById("answer");
  return { ...answer.dataset, said: answer.querySelector("strong").textContent,
           on: document.querySelectorAll("rect.onpath").length };
})"""


def usable(page: Any, size: str) -> None:
    """A report that fits its screen, has a tree to walk, and breaks no rule of axe-core."""
    width = SIZES[size][0]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").count() == 1
    assert page.locator("svg[role=tree] g[role=treeitem]").count() > 5
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    assert not [(v["id"], v["nodes"][0]["html"][:200]) for v in found]
