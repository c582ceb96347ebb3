"""A forest in the report: what its columns are worth, how large the trees are, and one of them."""

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from bosco.export.drawing import picture_of
from bosco.render.card import count, show_share
from bosco.render.html import Table
from bosco.reporting.charts import interval
from bosco.reporting.importance import Drops, say_shuffled, table_of
from bosco.reporting.many import Many
from bosco.reporting.page import Section, fill, fold, lines, paragraph, show
from bosco.reporting.tree import on_paper

if TYPE_CHECKING:
    from bosco.models.forest import ForestModel

MAX_NODES = 25
"""Nodes of the picture of one tree."""

_BIASED = (
    "The share of the decrease of impurity favours columns with many values, which offer more "
    "tests to choose from, and counts what was learned by heart. Columns that say the same share "
    "what they are worth, here and when they are shuffled."
)


def _is(model: "ForestModel", learned: str) -> str:
    given = "votes" if model.vote == "mode" else "shares"
    how = "is the mean of" if model.classes is None else f"is decided by the {given} of"
    return (
        f"It is a forest of {count(model.n_trees, 'tree')} with {model.n_leaves:,} leaves in all"
        f"{learned}: the answer {how} all trees."
    )


def _columns(model: "ForestModel", drops: Drops | None) -> Markup:
    """Each column's share of the decrease of impurity, with its spread over the trees."""
    each = np.array([tree.compute_feature_importances() for tree in model.trees()])
    asking = np.zeros(each.shape[1])
    for tree in model.trees():
        asking[tree.columns_asked] += 1
    shares = model.feature_importances
    low, high = np.quantile(each, [0.25, 0.75], axis=0)
    most = max(float(high.max()), float(shares.max())) or 1.0
    heads = ["column", "share of the decrease", "middle half of the trees", "", "trees that ask"]
    rows: list[list[object]] = [
        [
            name,
            show_share(shares[j]),
            f"{show_share(low[j]).removesuffix(' %')} – {show_share(high[j])}",
            interval(shares[j] / most, low[j] / most, high[j] / most),
            show_share(float(asking[j] / model.n_trees)),
        ]
        for j, name in enumerate(model.schema.names)
    ]
    table = table_of(heads, rows, shares, drops, f"The columns, by {model.n_trees} trees")
    return lines([table, paragraph(say_shuffled(drops) + _BIASED, "note")])


def _trees(model: "ForestModel") -> Markup:
    sizes = [(tree.n_leaves, tree.max_depth) for tree in model.trees()]
    leaves, depth = (np.sort(column) for column in np.transpose(sizes))
    rows = [
        [name, str(x[0]), f"{np.median(x):g}", str(x[-1])]
        for name, x in (("leaves", leaves), ("depth", depth))
    ]
    heads = ["", "fewest", "median", "most"]
    table = show(Table(heads, rows, f"The {model.n_trees} trees"))
    picture = fill("canvas", picture=on_paper(picture_of(model.tree(0), max_nodes=MAX_NODES)))
    said = f"The top of the first tree, one of {model.n_trees}: no single one decides."
    return table + fold(said, picture)


FOREST = Many(
    is_=_is,
    weighs=lambda share: f"{show_share(share)} of the decrease of impurity",
    sections=lambda model, drops: [
        Section("columns", "What the trees look at", _columns(model, drops)),
        Section("trees", "The trees", _trees(model)),
    ],
)
