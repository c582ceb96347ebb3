"""Pictures as values: checked options, files, notebooks, matplotlib."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from bosco import ParameterError
from bosco.render.html import Table
from tests.pictures import SVG, parse, tennis, wine


def test_options_are_checked() -> None:
    model = tennis()
    with pytest.raises(ParameterError, match="Did you mean 'vertical'"):
        model.svg(orientation="verticl")
    with pytest.raises(ParameterError, match="theme must be one of 'auto', 'light', 'dark'"):
        model.svg(theme="black")  # type: ignore[arg-type]
    for bad in ({"width": 0}, {"max_nodes": 0}, {"max_depth": -1}, {"width": "wide"}):
        with pytest.raises(ParameterError, match="must be None or a number of at least"):
            model.svg(**bad)  # type: ignore[arg-type]


def test_the_same_tree_is_the_same_file() -> None:
    assert str(wine()[0].svg()) == str(wine()[0].svg())
    assert str(tennis().svg(theme="dark")) != str(tennis().svg(theme="light"))


def test_saving_is_whole_or_not_at_all(tmp_path: Path) -> None:
    picture = tennis().svg()
    picture.save(tmp_path / "tree.svg")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == f"{picture}\n"
    picture.save(str(tmp_path / "tree.svg"))
    with pytest.raises(ParameterError, match="cannot be written"):
        picture.save(tmp_path / "nowhere" / "tree.svg")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ParameterError, match="it is a folder"):
        picture.save(tmp_path / "folder")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "tree.svg"]


def test_notebooks() -> None:
    model = tennis()
    assert model.svg()._repr_svg_().startswith("<svg")
    assert "<svg" in model._repr_html_()
    html = model.why(0)._repr_html_()
    assert html.count("<tr") == 5
    assert all(word in html for word in ("Outlook", "0.2467", "chosen"))
    rows = [[1.5], [float("nan")], [1e-9], [3], [True], ["&"]]
    root = ET.fromstring(Table(["<b>"], rows, caption="<c>").to_html())
    assert [td.text for td in root.iter("td")] == ["1.5000", "–", "1e-09", "3", "True", "&"]


def test_matplotlib_draws_the_same_marks() -> None:
    figure = Figure(figsize=(8, 5))
    ax = figure.add_subplot()
    assert tennis().plot(ax) is ax
    drawn = {t.get_text() for t in ax.texts}
    svg = parse(tennis())
    assert drawn == {t.text for t in svg.iter(f"{SVG}text")}
    figure.canvas.draw()
    alone = tennis().plot(theme="dark", orientation="horizontal")
    width, height = alone.figure.get_size_inches() * 96
    assert (width, height) == pytest.approx((alone.get_xlim()[1], alone.get_ylim()[0]))
    with pytest.raises(ParameterError, match="'light' or 'dark'"):
        tennis().plot(ax, theme="auto")
