"""What a report is made of, as values: each knows its HTML; a document is written of the same.

`bosco.reporting.page` puts them on a page, `bosco.reporting.word` into a document.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from bosco.render import html
from bosco.render.html import Table


def fill(template: str, **values: object) -> Markup:
    """A template of this room, filled; see `bosco.render.html.fill`."""
    return html.fill(template, values, "reporting")


class Part:
    """A part of a report; in a template it is its HTML."""

    __slots__ = ()

    def __html__(self) -> Markup:
        raise NotImplementedError(f"{type(self).__name__} has no HTML.")


@dataclass(frozen=True, slots=True)
class Paragraph(Part):
    """Plain text; `kind` says how it looks on a page, such as "note"."""

    text: str
    kind: str = ""

    def __html__(self) -> Markup:
        return fill("paragraph", text=self.text, kind=self.kind)


@dataclass(frozen=True, slots=True)
class Heading(Part):
    """A heading inside of a section."""

    text: str

    def __html__(self) -> Markup:
        return fill("heading", text=self.text)


@dataclass(frozen=True, slots=True)
class Tables(Part):
    """Tables, each in a frame that scrolls sideways where the screen is narrow."""

    tables: tuple[Table, ...]

    def __html__(self) -> Markup:
        return fill("tables", tables=self.tables)


@dataclass(frozen=True, slots=True)
class Verbatim(Part):
    """Text whose lines and blanks are kept; `what` says what it is."""

    text: str
    what: str

    def __html__(self) -> Markup:
        return fill("verbatim", text=self.text, what=self.what)


@dataclass(frozen=True, slots=True)
class Fold(Part):
    """Something that is opened by those who want it, and stands open on paper."""

    summary: str
    body: Part
    open: bool = False
    key: str = ""

    def __html__(self) -> Markup:
        return fill("fold", summary=self.summary, body=self.body, open=self.open, key=self.key)


@dataclass(frozen=True, slots=True)
class Lines(Part):
    """Parts, one below the other."""

    parts: tuple[Part, ...]

    def __html__(self) -> Markup:
        return Markup("\n").join(self.parts)


@dataclass(frozen=True, slots=True)
class Drawn(Part):
    """A figure of matplotlib, drawn when it is asked for, and the words below it; for paper."""

    figure: Callable[[], Any]
    words: str


@dataclass(frozen=True, slots=True)
class Screen(Part):
    """What looks otherwise on a screen than in a document; with no `paper` it is for screens."""

    html: Markup
    paper: Part | None = None

    def __html__(self) -> Markup:
        return self.html


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is drawn on a page; `text` is what it says."""

    html: Markup
    text: str = ""

    def __html__(self) -> Markup:
        return self.html

    def __str__(self) -> str:
        return self.text


def lines(parts: Iterable[Part]) -> Lines:
    """Parts, one below the other."""
    return Lines(tuple(parts))


def show(*tables: Table) -> Tables:
    """Tables, one below the other."""
    return Tables(tables)


# What is written most, as a call.
paragraph, verbatim, fold = Paragraph, Verbatim, Fold
