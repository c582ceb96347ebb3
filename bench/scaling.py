"""How the cost of a fit grows with rows, columns and classes."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import sets

AXES: dict[str, list[int]] = {
    "rows": [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000],
    "columns": [10, 20, 40, 80, 160, 320],
    "classes": [2, 4, 8, 16, 32, 64],
}
CURVES = {"depth 8": {"max_depth": 8}, "full": {}}
BYTES_PER_ROW = 20 * 8 * 4  # while a set is generated: 20 doubles, and copies of them


def measure(run: Callable[..., dict[str, Any]], threads: int, quick: bool) -> dict[str, Any]:
    """Return, for each axis and curve, the pairs of size and median seconds."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = 1_000_000 if quick or sets.SETS["rows"][1] * BYTES_PER_ROW > memory else 10_000_000
    found: dict[str, Any] = {}
    for axis, sizes in AXES.items():
        found[axis] = {name: [] for name in CURVES}
        for size in sizes:
            if axis == "rows" and size > most:
                continue
            name = "rows" if axis == "rows" else f"{size} {axis}"
            if axis == "rows" and most < 10_000_000:
                name = "continuous"
            sets.prepare(name)
            for curve, settings in CURVES.items():
                job = {
                    "library": "bosco",
                    "set": name,
                    "settings": settings,
                    "rows": size if axis == "rows" else None,
                    "runs": 3,
                    "threads": threads,
                    "predict": [],
                }
                result = run(job)
                if "error" in result:
                    print(f"{axis} {size}: {result['error']}")
                else:
                    found[axis][curve].append((size, result["fit"]))
    return found


def plot(found: dict[str, Any], path: Path) -> None:
    """Draw the curves with doubly logarithmic scales, and what proportional growth would be."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        1, len(found), figsize=(4 * len(found), 3.6), layout="constrained"
    )
    for panel, (axis, curves) in zip(panels, found.items(), strict=True):
        for name, points in curves.items():
            if not points:
                continue
            sizes, times = zip(*points, strict=True)
            (line,) = panel.loglog(sizes, times, "o-", label=name)
            ideal = [times[0] * n / sizes[0] for n in sizes]
            panel.loglog(sizes, ideal, ":", color=line.get_color(), alpha=0.5)
        sizes = AXES[axis]
        panel.set_xticks(sizes, [f"{size:g}" for size in sizes], fontsize="xx-small")
        panel.minorticks_off()
        panel.set(xlabel=axis, ylabel="seconds")
        panel.grid(alpha=0.3)
        panel.legend()
    figure.suptitle("Time of a fit; dotted: proportional growth")
    figure.savefig(path, dpi=120)
    plt.close(figure)
