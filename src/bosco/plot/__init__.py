"""Pictures on axes of matplotlib (``pip install 'bosco[plot]'``).

Each function takes an ``ax`` to draw on, or makes a figure, and returns the axis. Data come as
plain arrays and mappings with the keys each function names, or as an object whose ``to_dict()``
gives them.

>>> from bosco import plot
>>> plot.impurity_curves().get_xlabel()
'share p of one class'
"""

from bosco.base.words import fill_in
from bosco.plot.bars import importances, stability
from bosco.plot.curves import boosting, error_vs_size, frontier, impurity_curves
from bosco.plot.judged import (
    calibration,
    cost,
    gain,
    lift,
    precision_recall,
    residuals,
    roc,
    segments,
)
from bosco.plot.matrix import confusion
from bosco.plot.regions import regions

__all__ = [
    "boosting",
    "calibration",
    "confusion",
    "cost",
    "error_vs_size",
    "frontier",
    "gain",
    "importances",
    "impurity_curves",
    "lift",
    "precision_recall",
    "regions",
    "residuals",
    "roc",
    "segments",
    "stability",
]

for _name in __all__:
    fill_in(
        globals()[_name],
        {
            "ax": "ax : matplotlib Axes, optional\n    Where to draw.",
            "axis": "Returns\n-------\nmatplotlib.axes.Axes\n    The axis.",
        },
    )
