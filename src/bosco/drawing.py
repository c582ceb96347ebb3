"""The picture of a model, with the path of one case in it if one is given."""

from typing import TYPE_CHECKING, Any

from bosco.columns import plain
from bosco.explain import explain
from bosco.objects import is_missing
from bosco.render.marks import Picture
from bosco.render.picture import Options, draw
from bosco.schema import show_level
from bosco.visible import visible

if TYPE_CHECKING:
    from bosco.model import Model


def picture_of(model: "Model", *, row: Any = None, **options: Any) -> Picture:
    """Lay out a model; see `Model.svg` for the options."""
    case = {}
    if row is not None:
        told = explain(model, row)
        case = {step.node: _show(step.value) for step in told.steps}
        case[told.leaf.node] = ""
    return draw(model, Options(case=case, **options))


def _show(value: Any) -> str:
    return "missing" if is_missing(value) else visible(show_level(plain(value)))
