"""What columns matter, a line each."""

from typing import Any

from bosco.base.language import tr
from bosco.data.schema import Schema


def show_importances(schema: Schema, shares: Any, most: int = 20) -> list[str]:
    """Each column's share of the decrease of impurity, a line each, the largest first."""
    names = [column.shown for column in schema.columns]
    width = max(map(len, names))
    first = sorted(range(len(names)), key=lambda j: -shares[j])[:most]
    lines = [tr("Share of the decrease of impurity (favours columns with many values):")]
    lines += [f"  {names[j]:<{width}}  {shares[j]:.4f}" for j in first]
    if len(names) > most:
        lines.append(f"  {tr('… {n} more columns', n=len(names) - most)}")
    return lines
