"""Models to draw, and what a picture of them must keep to."""

import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn import datasets

from bosco import DecisionTreeClassifier, Model
from bosco.datasets import play_tennis
from bosco.render.color import STYLES
from bosco.render.marks import Group, Picture, Rect, Text
from bosco.render.measure import text_width

SVG = "{http://www.w3.org/2000/svg}"


def tennis() -> Model:
    model: Model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    return model


def wine(**settings: Any) -> tuple[Model, Any, Any]:
    X, y = datasets.load_wine(return_X_y=True)
    return DecisionTreeClassifier(**settings).fit(X, y).model_, X, y


def bushy(leaves: int = 200) -> Model:
    X, y = datasets.make_classification(
        2000, 12, n_informative=8, n_classes=4, flip_y=0.2, random_state=0
    )
    learner = DecisionTreeClassifier(algorithm="best_first", max_leaf_nodes=leaves)
    model: Model = learner.fit(X, y).model_
    return model


def parse(model: Model, **options: Any) -> ET.Element:
    return ET.fromstring(str(model.svg(**options)))


def groups(svg: ET.Element, kind: str) -> dict[int, ET.Element]:
    found = [g for g in svg.iter(f"{SVG}g") if g.get("class", "").split()[0] == kind]
    return {int(g.get("data-node", -1)): g for g in found}


def texts(group: ET.Element, style: str) -> list[str]:
    return [t.text or "" for t in group.iter(f"{SVG}text") if t.get("class") == style]


def inside(picture: Picture) -> None:
    """Everything is on the page, boxes do not overlap, and text is within its box."""
    boxes = []
    for group in picture.groups:
        for mark in group.marks:
            if isinstance(mark, Rect):
                assert min(mark.x, mark.y) >= -0.01
                assert mark.x + mark.width <= picture.width + 0.01
                assert mark.y + mark.height <= picture.height + 0.01
            if isinstance(mark, Text):
                left, right = extent(mark)
                assert left >= 0, mark.text
                assert right <= picture.width + 0.01, mark.text
                assert 0 <= mark.y <= picture.height
        if group.kind.startswith("node"):
            boxes.append(node_box(group))
            for mark in group.marks:
                if isinstance(mark, Text) and mark.style != "label":
                    left, right = extent(mark)
                    assert boxes[-1].x <= left, mark.text
                    assert right <= boxes[-1].x + boxes[-1].width + 0.01, mark.text
            lines = sorted(m.y for m in group.marks if isinstance(m, Text) and m.style == "label")
            assert all(b - a >= 12 for a, b in pairwise(lines))
    x, y, w, h = np.array([(b.x, b.y, b.width, b.height) for b in boxes]).T
    apart = (x[:, None] + w[:, None] <= x) | (y[:, None] + h[:, None] <= y)
    assert (apart | apart.T | np.eye(len(x), dtype=bool)).all()


def extent(text: Text) -> tuple[float, float]:
    style = STYLES[text.style]
    width = text_width(text.text, style.size, bold=style.bold)
    left = text.x - {"start": 0.0, "middle": width / 2, "end": width}[text.anchor]
    return left, left + width


def node_box(group: Group) -> Rect:
    return next(
        m for m in group.marks if isinstance(m, Rect) and m.style in ("box", "fold", "onpath")
    )
