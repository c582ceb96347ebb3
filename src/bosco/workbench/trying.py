"""Tests that are not taken yet: what they would be worth, while somebody drags a threshold."""

from itertools import pairwise
from math import floor, inf
from typing import Any

import numpy as np

from bosco.base.numerals import shortest, show_number
from bosco.data.columns import Coded
from bosco.data.schema import show_label
from bosco.drafts.saying import Said, is_known_or_missing
from bosco.drafts.state import Path
from bosco.drafts.trial import Limb, trial_of
from bosco.workbench.curves import shown_cut
from bosco.workbench.doing import Body, said_by
from bosco.workbench.figuring import plain
from bosco.workbench.nodes import Sight, int_or_float, tally_of
from bosco.workbench.views import require_path


def tried(sight: Sight, body: Body) -> dict[str, Any]:
    """What a test would be worth at a node, by its training rows; no look is counted."""
    draft = sight.draft
    path = require_path(draft, str(body.get("path") or ""))
    said = said_by(draft, body.get("test"))
    if body.get("snap") is True and "cuts" in said and not is_known_or_missing(said):
        said = {"column": said["column"], "cuts": snapped(sight, path, said)}
    learned = sight.asked(path).learned
    made = trial_of(draft.ground, sight.state, path, said, draft.model_of, learned)
    told: dict[str, Any] = {
        "words": made.words,
        "score": plain(made.score),
        "gain": plain(made.gain),
        "allowed": made.parts and made.allowed,
        "why_not": _why_not(made.parts, made.allowed),
        "loss": plain(made.loss),
        "best": made.best or None,
        "best_score": plain(made.best_score),
        "needs_reason": made.overrides and draft.asks_reasons,
        "branches": [_branch(sight, limb) for limb in made.branches],
        "missing": made.missing,
    }
    if "cuts" in said and not is_known_or_missing(said):
        j = draft.ground.schema.names.index(said["column"])
        told["cuts"] = list(said["cuts"])
        told["shown"] = [shown_cut(draft, j, cut) for cut in said["cuts"]]
    return told


def _why_not(parts: bool, allowed: bool) -> str | None:
    from bosco.base.language import tr

    if not parts:
        return tr("all rows would go one way")
    return None if allowed else tr("a branch holds less than the settings of growth ask for")


def _branch(sight: Sight, limb: Limb) -> dict[str, Any]:
    classes = sight.draft.ground.classes
    if classes is None:
        return {
            "words": limb.words,
            "rows": int_or_float(limb.rows),
            "tally": {"rows": int_or_float(limb.rows), "mean": plain(limb.says)},
            "answer": show_number(limb.says),
        }
    return {
        "words": limb.words,
        "rows": int_or_float(limb.rows),
        "tally": tally_of(sight.draft, limb.by_class),
        "answer": show_label(classes[int(limb.says)]),
    }


# Readable cuts ------------------------------------------------------------------------------------


def snapped(sight: Sight, path: Path, said: Said) -> list[float]:
    """The cuts at the shortest numbers that part the rows of the node in the same way."""
    ground = sight.draft.ground
    j = ground.schema.names.index(said["column"])
    cells = ground.frame.table.column(j)
    if isinstance(cells, Coded):
        return list(said["cuts"])
    values = np.asarray(cells.values[ground.spot(sight.state.tree, path).rows], np.float64)
    values = values[np.isfinite(values)]
    unit = ground.schema.columns[j].unit
    made: list[float] = []
    for cut in said["cuts"]:
        below, above = values[values <= cut], values[values > cut]
        low = float(below.max()) if len(below) else -inf
        high = float(above.min()) if len(above) else inf
        made.append(shortest(low, high, cut) if unit == "number" else round_moment(low, high, cut))
    return made if all(a < b for a, b in pairwise(made)) else list(said["cuts"])


def round_moment(low: float, high: float, near: float) -> float:
    """A date or time without parts of a day, an hour, a minute or a second, where there is one."""
    for step in (86_400e6, 3_600e6, 60e6, 1e6, 1.0):
        number = floor(near / step) * step
        if low <= number < high:
            return number
    return near
