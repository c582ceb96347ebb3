"""Paragraphs that several docstrings have, written once."""

import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any


def fill_in(thing: Any, parts: Mapping[str, str]) -> None:
    r"""Put paragraphs in the place of the lines ``@name`` of a docstring, or of a class's methods.

    Examples
    --------
    >>> def draw(ax): "Draw.\n\n    @ax\n"
    >>> fill_in(draw, {"ax": "ax : Axes\n    Where to draw."})
    >>> print(draw.__doc__)
    Draw.
    <BLANKLINE>
        ax : Axes
            Where to draw.
    <BLANKLINE>
    """
    methods = filter(inspect.isfunction, vars(thing).values())
    for one in (thing, *methods):
        if one.__doc__:  # none under python -OO; from Python 3.13 on, it is not indented
            one.__doc__ = re.sub(
                r"^( *)@(\w+)$",
                lambda found: textwrap.indent(parts[found[2]].strip(), found[1]),
                one.__doc__,
                flags=re.MULTILINE,
            )
