"""The picture of a tree, with the path of one case in it if one is given."""

from typing import TYPE_CHECKING, Any, cast

from bosco.base.visible import visible
from bosco.data.columns import plain
from bosco.data.objects import is_missing
from bosco.data.schema import show_level
from bosco.reasons.explain import explain
from bosco.render.color import Theme
from bosco.render.marks import Picture
from bosco.render.picture import Options, draw
from bosco.render.svg import Svg, to_svg
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.model import Model


def picture_of(model: "Model", *, row: Any = None, **options: Any) -> Picture:
    """Lay out a model; see `Model.svg` for the options."""
    case = {}
    if row is not None:
        told = explain(model, row)
        for step in told.steps:
            shown = "missing" if is_missing(step.value) else show_level(plain(step.value))
            case[step.node] = visible(shown)
        case[told.leaf.node] = ""
    return draw(model, Options(case=case, **options))


class Drawable(AnyModel):
    """A model of one tree, as something that is drawn."""

    @property
    def _drawn(self) -> "Model":
        return cast("Model", self)

    def svg(
        self,
        *,
        row: Any = None,
        X: Any = None,
        y: Any = None,
        max_depth: int | None = None,
        max_nodes: int | None = 100,
        orientation: str = "auto",
        width: float | None = None,
        theme: Theme = "auto",
    ) -> Svg:
        """The tree as a picture.

        A box asks for a column or gives an answer, and shows the classes of its rows, or their mean
        and its spread. A branch is as wide as its part of the rows.

        Parameters
        ----------
        row : mapping or sequence, optional
            One case, whose path is highlighted.
        X, y : table and classes, optional
            Rows for a histogram of the column asked for, with the cut in it. The other numbers are
            those of the training rows; where these are others, the picture says which are whose.
        max_depth : int or None, default=None
            Fold what lies deeper.
        max_nodes : int or None, default=100
            Fold larger trees to about so many nodes, the heaviest kept; None shows all.
        orientation : {"auto", "vertical", "horizontal"}, default="auto"
            Where the tree grows to; "auto" is down, or to the right if that were too wide.
        width : float or None, default=None
            Fold until the picture is no wider, in pixels.
        theme : {"auto", "light", "dark"}, default="auto"
            Colours; "auto" follows the system of whoever looks at it.

        Returns
        -------
        Svg
            ``str`` is its text, ``save(path)`` writes it, notebooks show it.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import play_tennis
        >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
        >>> model.svg(width=600).save("tennis.svg")
        """
        limits = {"max_depth": max_depth, "max_nodes": max_nodes, "width": width}
        picture = picture_of(self._drawn, row=row, X=X, y=y, orientation=orientation, **limits)
        return to_svg(picture, theme)

    def plot(self, ax: Any = None, *, theme: Theme = "light", **options: Any) -> Any:
        """The picture of `svg` on an axis of matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; text is sized to it. By default a new figure of the picture's size.
        theme : {"light", "dark"}, default="light"
            Colours.
        **options
            The other options of `svg`.

        Returns
        -------
        matplotlib.axes.Axes
            The axis.
        """
        from bosco.render.mpl import paint

        return paint(picture_of(self._drawn, **options), ax, theme)

    def _repr_html_(self) -> str:
        return self.svg()._repr_html_()
