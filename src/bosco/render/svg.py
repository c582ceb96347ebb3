"""A picture as SVG: one self-contained text, no font, no script, no file beside it.

Text stays text. Light and dark follow the reader's system; renderers that do not know about it
(librsvg, Cairo) show the light one. Numbers have two decimals, so the same tree gives the same file
on every machine.
"""

import hashlib
import os
import re
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from bosco.base.safe_files import whole_file
from bosco.render.color import DARK, LIGHT, STYLES, Theme, check_theme
from bosco.render.marks import Curve, Group, Line, Mark, Picture, Rect, Text

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif"
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Svg:
    """An SVG picture: ``str`` is its text, a notebook shows it, `save` writes it.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> picture = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_.svg()
    >>> str(picture)[:4]
    '<svg'
    >>> picture.save("tennis.svg")
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        size = re.findall(r' (?:width|height)="([\d.]+)"', self.text[:400])
        return f"<Svg: {' × '.join(size)} pixels, {len(self.text)} characters>"

    def _repr_svg_(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.text}</div>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to; an existing file is replaced.
        """
        with whole_file(path) as file:
            file.write(f"{self.text}\n".encode())


def to_svg(picture: Picture, theme: Theme = "auto", *, styled: bool = True) -> Svg:
    """Paint a picture as SVG, in a light or dark theme or as the reader's system has it.

    One that is not `styled` has no style of its own, neither a sheet nor in its marks: a page that
    allows none shows it by `sheet`.
    """
    check_theme(theme)
    body = "\n".join(_group(group, styled) for group in picture.groups)
    key = "bosco-" + hashlib.sha256((theme + body).encode()).hexdigest()[:12]
    width, height = _number(picture.width), _number(picture.height)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bosco-tree" id="{key}" role="img" '
        f'aria-labelledby="{key}-title {key}-desc" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">\n'
        f'<title id="{key}-title">{_text(picture.title)}</title>\n'
        f'<desc id="{key}-desc">{_text(picture.description)}</desc>\n'
        f"{f'<style>{_sheet(key, theme)}</style>' if styled else ''}\n{body}\n</svg>"
    )


def sheet() -> str:
    """The styles of pictures that are not styled, for a file of its own.

    What a mark says itself, as an attribute, stands: rules leave it alone.
    """
    own = {"fill": ":not([fill])", "stroke-width": ":not([stroke-width])"}
    rules = re.sub(r"#bosco-tree\b", ".bosco-tree", _sheet("bosco-tree", "auto"))
    return _RULE.sub(lambda rule: _apart(rule[1], rule[2], own), rules)


def _apart(selector: str, looks: str, own: dict[str, str]) -> str:
    """A rule as several, those apart that a mark may say itself."""
    kept, made = [], []
    for look in looks.split(";"):
        exempt = own.get(look.partition(":")[0])
        if exempt is None:
            kept.append(look)
        else:
            made.append(f"{selector}{exempt}{{{look}}}")
    return "".join([f"{selector}{{{';'.join(kept)}}}" if kept else "", *made])


def _sheet(key: str, theme: Theme) -> str:
    """The styles, kept to this picture by its id, for a page may hold several."""
    rules = [f"#{key}{{font-family:{FONT}}}", f"#{key} .branch path{{fill:none}}"]
    for name, style in STYLES.items():
        looks = []
        if style.width != 1.0 and style.stroke != "none":
            looks.append(f"stroke-width:{_number(style.width)}")
        if style.dash:
            looks.append(f"stroke-dasharray:{','.join(map(_number, style.dash))}")
        if style.size:
            looks.append(f"font-size:{_number(style.size)}px")
        if style.bold:
            looks.append("font-weight:600")
        if looks:
            rules.append(f"#{key} .{name}{{{';'.join(looks)}}}")
    rules += _colors(key, DARK if theme == "dark" else LIGHT)
    if theme == "auto":
        rules.append(f"@media (prefers-color-scheme:dark){{{''.join(_colors(key, DARK))}}}")
    return "".join(rules)


def _colors(key: str, colors: dict[str, str]) -> list[str]:
    rules = []
    for name, style in STYLES.items():
        stroke = f";stroke:{colors[style.stroke]}" if style.stroke != "none" else ""
        rules.append(f"#{key} .{name}{{fill:{colors.get(style.fill, 'none')}{stroke}}}")
    return rules


def _group(group: Group, styled: bool) -> str:
    title = f"<title>{_text(group.title)}</title>" if group.title else ""
    node = f' data-node="{group.node}"' if group.node >= 0 else ""
    marks = "".join(_mark(mark, styled) for mark in group.marks)
    return f'<g class="{group.kind}"{node}>{title}{marks}</g>'


def _mark(mark: Mark, styled: bool) -> str:
    n = _number
    if isinstance(mark, Text):
        anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
        return (
            f'<text class="{mark.style}" x="{n(mark.x)}" y="{n(mark.y)}"{anchor}>'
            f"{_text(mark.text)}</text>"
        )
    if isinstance(mark, Line):
        line = f"M{n(mark.x1)} {n(mark.y1)}L{n(mark.x2)} {n(mark.y2)}"
        return f'<path class="{mark.style}" d="{line}"/>'
    if isinstance(mark, Curve):
        p = [n(v) for v in mark.points]
        width = f'style="stroke-width:{n(mark.width)}"'
        width = width if styled else f'stroke-width="{n(mark.width)}"'
        return (
            f'<path class="{mark.style}" {width} '
            f'd="M{p[0]} {p[1]}C{p[2]} {p[3]} {p[4]} {p[5]} {p[6]} {p[7]}"/>'
        )
    assert isinstance(mark, Rect)
    fill = ""
    if mark.fill:
        fill = (
            f" style={quoteattr(f'fill:{mark.fill}')}"
            if styled
            else f" fill={quoteattr(mark.fill)}"
        )
    radius = f' rx="{n(mark.radius)}"' if mark.radius else ""
    return (
        f'<rect class="{mark.style}" x="{n(mark.x)}" y="{n(mark.y)}" width="{n(mark.width)}" '
        f'height="{n(mark.height)}"{radius}{fill}/>'
    )


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _text(text: str) -> str:
    """Text as XML may hold it: escaped, and without what no escape makes legal."""
    return escape(_NOT_XML.sub("\ufffd", text))
