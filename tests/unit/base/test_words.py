"""Paragraphs that docstrings share."""

import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import bosco
from bosco.base.words import fill_in


def docstrings() -> Iterator[tuple[str, str]]:
    names = [module.name for module in pkgutil.walk_packages(bosco.__path__, "bosco.")]
    for library, parts in {
        "pyspark": ("bosco.spark",),
        "ray": ("bosco.ray", "bosco.scale.ray"),
    }.items():
        if importlib.util.find_spec(library) is None:
            names = [name for name in names if not name.startswith(parts)]
    modules = [importlib.import_module(n) for n in names if not n.endswith(("_core", "__main__"))]
    for module in modules:
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__:
                methods = vars(value).items() if inspect.isclass(value) else ()
                for inner, thing in ((name, value), *methods):
                    if isinstance(thing.__doc__, str) and inner != "__new__":
                        yield f"{module.__name__}.{name}.{inner}", thing.__doc__


def test_no_place_is_left_open() -> None:
    found = dict(docstrings())
    assert len(found) > 1000
    assert [name for name, text in found.items() if re.search(r"^ *@\w+$", text, re.M)] == []


def test_paragraphs_have_the_indent_of_their_place() -> None:
    class Drawn:
        """A picture.

        @ax
        """

        def draw(self) -> None:
            """Draw.\n\n@ax\n@ax"""

    fill_in(Drawn, {"ax": "\nax : Axes\n    Where.\n"})
    assert inspect.getdoc(Drawn) == "A picture.\n\nax : Axes\n    Where."
    assert Drawn.draw.__doc__ == "Draw.\n\nax : Axes\n    Where.\nax : Axes\n    Where."


def test_a_paragraph_that_there_is_not_is_noticed() -> None:
    def draw() -> None:
        """Draw.\n\n@axe"""

    with pytest.raises(KeyError, match="axe"):
        fill_in(draw, {"ax": ""})


def test_there_may_be_no_docstrings() -> None:
    code = (
        "import bosco.plot; print(bosco.RandomForestClassifier.__doc__, bosco.plot.regions.__doc__)"
    )
    command = [sys.executable, "-OO", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == (
        "None None\n"
    )
