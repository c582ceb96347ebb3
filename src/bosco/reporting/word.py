"""A report as a document of Word: headings, tables and pictures, of the same parts as the page."""

import io
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bosco.base.language import speaking
from bosco.render.html import Table
from bosco.reporting.page import Section, legal
from bosco.reporting.parts import (
    Drawn,
    Fold,
    Heading,
    Lines,
    Paragraph,
    Part,
    Screen,
    Tables,
    Verbatim,
)

SHORT, LONG, MARGIN, CAPTION = 21.0, 29.7, 2.0, 1.5
"""A sheet of paper (A4), its margins, and room for the words of a picture, in centimetres."""

UPRIGHT = 9.0
"""Inches: a picture that is wider gets a sheet on its side."""

FEW = 7
"""Columns of a table that has room for its usual letters."""

_DOTS = 200
_LETTER = 0.18  # centimetres of a small letter
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same report is the same file
_BODY, _SMALL, _SMALLEST, _FIXED = 10, 8.5, 6.5, 7  # points


@dataclass(frozen=True, slots=True)
class Document:
    """What a report says: below the title the `lead`, then the sections."""

    title: str
    lead: Part
    sections: Sequence[Section]
    lang: str

    def to_docx(self) -> bytes:
        """The document of Word; the same report gives the same bytes."""
        try:
            import docx
        except ImportError as error:
            raise ImportError(
                "A report as a document of Word needs python-docx. Hint: pip install "
                "'bosco[word]', or pip install python-docx matplotlib."
            ) from error
        with speaking(self.lang):
            writer = _Writer(docx.Document(), self.lang)
            writer.heading(self.title, 0)
            writer.put(self.lead)
            for section in self.sections:
                writer.heading(section.title, 1)
                writer.put(section.body)
        return writer.finished(self.title)


class _Writer:
    """Writes parts into a document of python-docx, one after the other."""

    def __init__(self, book: Any, lang: str) -> None:
        from docx.shared import Cm, Pt, RGBColor

        self.book = book
        page = book.sections[0]
        page.page_width, page.page_height = Cm(SHORT), Cm(LONG)
        page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Cm(MARGIN)
        _number_pages(page.footer.paragraphs[0])
        for name, size in (("Normal", _BODY), ("Caption", _SMALL), ("List Bullet", _BODY)):
            style = book.styles[name]
            style.font.name, style.font.size = "Calibri", Pt(size)
            style.paragraph_format.space_after = Pt(4)
        book.styles["Caption"].font.color.rgb = RGBColor(0x40, 0x40, 0x40)
        for name in ("Title", "Heading 1", "Heading 2"):
            book.styles[name].font.color.rgb = RGBColor(0x1F, 0x2F, 0x4F)
        _speak(book.styles.element, lang)

    def heading(self, text: str, level: int) -> None:
        self.book.add_heading(legal(text), level)

    def put(self, part: Part) -> None:
        """Write a part, and those in it, in their order."""
        waiting = [part]
        while waiting:
            one = waiting.pop()
            if isinstance(one, Lines):
                waiting += reversed(one.parts)
            elif isinstance(one, Fold):
                waiting += [one.body, Heading(one.summary)]
            elif isinstance(one, Screen):
                waiting += [] if one.paper is None else [one.paper]
            elif isinstance(one, Heading):
                self.heading(one.text, 2)
            elif isinstance(one, Paragraph):
                said = self.book.add_paragraph(legal(one.text))
                said.runs[0].italic = one.kind == "note"
            elif isinstance(one, Verbatim):
                self._verbatim(one.text)
            elif isinstance(one, Tables):
                for table in one.tables:
                    self._table(table)
            else:
                assert isinstance(one, Drawn)
                beside = waiting[-1] if waiting else None
                if isinstance(beside, Drawn):
                    waiting.pop()
                    self._pictures([one, beside])
                else:
                    self._pictures([one])

    def _verbatim(self, text: str) -> None:
        from docx.shared import Pt

        said = self.book.add_paragraph()
        run = said.add_run(legal(text))
        run.font.name, run.font.size = "Consolas", Pt(_FIXED)
        said.paragraph_format.line_spacing = 1.0

    def _table(self, table: Table) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Cm, Pt

        rows = [[str(value).replace(" %", "\u00a0%") for value in row] for row in table.shown]
        at = [j for j, head in enumerate(table.header) if head or any(row[j] for row in rows)]
        if table.caption:
            caption = self.book.add_paragraph(legal(table.caption), "Caption")
            caption.paragraph_format.keep_with_next = True
        made = self.book.add_table(len(rows) + 1, len(at))
        made.autofit = False
        widths = _widths([[line[j] for line in (table.header, *rows)] for j in at])
        for column, width in zip(made.columns, widths, strict=True):
            column.width = Cm(width)
        size = Pt(_SMALL if len(at) <= FEW else _SMALLEST)
        right = table.right
        for i, (line, cells) in enumerate(zip([table.header, *rows], made.rows, strict=True)):
            _rule(cells, head=i == 0)
            for j, cell in zip(at, cells.cells, strict=True):
                said = cell.paragraphs[0]
                run = said.add_run(legal(line[j]))
                run.font.size, run.bold = size, i == 0 or i - 1 in table.bold
                said.paragraph_format.space_after = Pt(0)
                if right[j]:
                    said.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        self.book.add_paragraph().paragraph_format.space_after = Pt(2)

    def _pictures(self, drawn: Sequence[Drawn]) -> None:
        """A picture, on a sheet of its own where it is wide; or two, side by side."""
        figures = [one.figure() for one in drawn]
        lies = len(figures) == 1 and figures[0].get_figwidth() > UPRIGHT
        if lies:
            self._turn()
        across, up = (LONG, SHORT) if lies else (SHORT, LONG)
        room, tall = (across - 2 * MARGIN) / len(figures), up - 2 * MARGIN - CAPTION
        made = self.book.add_table(1, len(figures))
        for one, figure, cell in zip(drawn, figures, made.rows[0].cells, strict=True):
            self._picture(cell, one, figure, room, tall)
        _keep_whole(made.rows[0])
        if lies:
            self._turn()

    def _picture(self, cell: Any, one: Drawn, figure: Any, room: float, tall: float) -> None:
        """A picture that is at most so many centimetres wide and tall, and its words."""
        from docx.shared import Cm

        png, words = io.BytesIO(), legal(one.words)
        with warnings.catch_warnings():  # a sign that the font lacks: the words beside it have it
            warnings.filterwarnings("ignore", "Glyph", UserWarning)
            figure.savefig(png, format="png", dpi=_DOTS, metadata={"Software": None})
        png.seek(0)
        wide, high = (2.54 * inches for inches in figure.get_size_inches().tolist())
        width = wide * min(1.0, room / wide, tall / high)
        shape = cell.paragraphs[0].add_run().add_picture(png, width=Cm(width - 0.3))
        shape._inline.docPr.set("descr", words)
        cell.add_paragraph(words, "Caption")

    def _turn(self) -> None:
        """Go on on a sheet that lies the other way."""
        from docx.enum.section import WD_ORIENT, WD_SECTION

        last = self.book.sections[-1]
        lies = last.orientation == WD_ORIENT.LANDSCAPE
        page = self.book.add_section(WD_SECTION.NEW_PAGE)
        page.orientation = WD_ORIENT.PORTRAIT if lies else WD_ORIENT.LANDSCAPE
        page.page_width, page.page_height = last.page_height, last.page_width

    def finished(self, title: str) -> bytes:
        """The file: nothing in it says when it was made."""
        about = self.book.core_properties
        about.title, about.author, about.comments = legal(title)[:255], "bosco", ""
        for element in list(about._element):
            if element.tag.rpartition("}")[2] in ("created", "modified", "lastModifiedBy"):
                about._element.remove(element)
        written, packed = io.BytesIO(), io.BytesIO()
        self.book.save(written)
        with zipfile.ZipFile(written) as parts, zipfile.ZipFile(packed, "w") as whole:
            for name in parts.namelist():
                about_it = zipfile.ZipInfo(name, _WHEN)
                about_it.compress_type = zipfile.ZIP_DEFLATED
                whole.writestr(about_it, parts.read(name))
        return packed.getvalue()


def _widths(columns: list[list[str]]) -> list[float]:
    """Centimetres for each column: as its texts ask for, else its longest word and a part of it."""
    letter = _LETTER if len(columns) <= FEW else _LETTER * _SMALLEST / _SMALL
    room = (SHORT - 2 * MARGIN) / letter
    words = [[len(word) for text in texts for word in text.split(" ")] for texts in columns]
    least = np.array([min(max(lengths), 24) + 4.0 for lengths in words])
    whole = np.array([min(max(map(len, texts)), 80) + 4.0 for texts in columns])
    whole = np.maximum(whole, least)
    if least.sum() >= room:
        found = least * room / least.sum()
    elif whole.sum() > room:
        found = least + (whole - least) * (room - least.sum()) / (whole - least).sum()
    else:
        found = whole
    widths: list[float] = (found * letter).tolist()
    return widths


def _element(name: str, **attributes: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = OxmlElement(name)
    for key, value in attributes.items():
        made.set(qn(f"w:{key}"), value)
    return made


def _keep_whole(row: Any) -> Any:
    """No row is torn by the end of a page."""
    about = row._tr.get_or_add_trPr()
    about.append(_element("w:cantSplit"))
    return about


def _rule(row: Any, *, head: bool) -> None:
    """A line below; the first row stands again on every page."""
    about = _keep_whole(row)
    if head:
        about.append(_element("w:tblHeader"))
    for cell in row.cells:
        line = _element("w:bottom", val="single", sz="8" if head else "4", color="A0A8B0")
        edges = _element("w:tcBorders")
        edges.append(line)
        cell._tc.get_or_add_tcPr().append(edges)


def _number_pages(paragraph: Any) -> None:
    field = _element("w:fldSimple", instr="PAGE")
    paragraph._p.append(field)
    paragraph.alignment = 1  # in the middle


def _speak(styles: Any, lang: str) -> None:
    """The language that a speller goes by."""
    from docx.oxml.ns import qn

    for element in styles.iter(qn("w:lang")):
        element.set(qn("w:val"), lang)
