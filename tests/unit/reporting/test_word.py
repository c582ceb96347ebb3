"""Reports as documents of Word: the same words and figures as the page, and true to the rows."""

import io
import re
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import docx
import numpy as np
import pandas as pd
import pytest
from docx.oxml.ns import qn

import bosco
from bosco import DecisionTreeClassifier, ParameterError
from bosco.reporting.word import SHORT, _widths
from tests.commands import said

EVIL = "<b>&\x00\x1b[31m\u202e\U0001f332"


def data(n: int = 400) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["x", EVIL], n)})
    y = np.where(X["a"] + rng.normal(size=n) > 0, "yes", "no")
    return X, y


@cache
def made(lang: str | None = None, depth: int = 3) -> tuple[Any, Any]:
    X, y = data()
    model = DecisionTreeClassifier(max_depth=depth).fit(X[:200], y[:200]).model_
    asked: dict[str, Any] = {"by": "b", "costs": {"no": 3}, "positive": "no"}
    return model, bosco.report(model, X[200:], y[200:], untouched=True, lang=lang, **asked)


@cache
def written(report: bosco.Report) -> bytes:
    return report.to_docx()


def read(report: bosco.Report) -> Any:
    return docx.Document(io.BytesIO(written(report)))


def grids(book: Any) -> list[list[list[str]]]:
    found = [[[cell.text for cell in row.cells] for row in table.rows] for table in book.tables]
    return [table for table in found if len(table) > 1]  # those of one row hold pictures


def test_figures_are_those_of_the_rows() -> None:
    X, y = data()
    model, report = made()
    answers = model.predict(X[200:])
    book = read(report)
    tables = grids(book)
    error = np.mean(answers != y[200:])
    (figures,) = [t for t in tables if t[0][:2] == ["figure", "value"] and t[1][0] == "error"]
    assert figures[1][1] == f"{100 * error:.1f}\u00a0%"
    (matrix,) = [t for t in tables if t[0] == ["true \\ predicted", "no", "yes", "found"]]
    for row, true in zip(matrix[1:], ("no", "yes"), strict=True):
        counts = [np.count_nonzero((y[200:] == true) & (answers == k)) for k in ("no", "yes")]
        assert row[:3] == [true, *map(str, counts)]
    text = "\n".join(p.text for p in book.paragraphs)
    assert "Of the 200 rows set apart to test it, it gets" in text
    captions = [p.text for p in book.paragraphs if p.style.name == "Caption"]
    assert sum("the 200 rows set apart to test it" in caption for caption in captions) >= 4


def test_sections_and_tables_are_those_of_the_page() -> None:
    _, report = made()
    book = read(report)
    heads = [p.text for p in book.paragraphs if p.style.name == "Heading 1"]
    assert heads == re.findall(r'<h2 id="[\w-]+-head">(.*?)</h2>', report.html)
    assert len(grids(book)) == len(re.findall(r"<table\b", report.html))
    pictures = list(book.element.iter(qn("wp:inline")))
    assert len(pictures) == len(re.findall(r'<svg class="(?:chart|bosco-tree)"', report.html)) + 1
    assert all(p.find(qn("wp:docPr")).get("descr") for p in pictures)
    assert "Follow a case" not in "\n".join(p.text for p in book.paragraphs)  # for screens


def test_the_same_report_is_the_same_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a.docx", tmp_path / "B.DOCX"
    made()[1].save(first)
    made.__wrapped__()[1].save(second)  # another of the same rows
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as parts:
        assert {part.date_time for part in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"created" not in parts.read("docProps/core.xml")


def test_what_no_document_can_hold_is_replaced() -> None:
    text = "".join(p.text for p in read(made()[1]).paragraphs)
    assert "\x00" not in text
    assert "\x1b" not in text


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = made()
    kept = tmp_path / "kept.docx"
    kept.write_bytes(b"old")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.save(kept)
    assert kept.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [kept]


def test_without_python_docx_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    _, report = made()
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(ImportError, match=r"pip install 'bosco\[word\]'"):
        report.to_docx()


def test_a_page_to_step_through_is_no_document(tmp_path: Path) -> None:
    X, y = data()
    model, _ = made()
    with pytest.raises(ParameterError, match="step through, and no document"):
        bosco.trace_page(model.trace(X[:200], y[:200])).save(tmp_path / "trace.docx")
    assert not list(tmp_path.iterdir())


def test_many_trees_numbers_and_drift() -> None:
    X, y = data()
    for learner in (bosco.AdaBoostClassifier(n_estimators=3), bosco.RandomForestClassifier(5)):
        assert grids(read(bosco.report(learner.fit(X, y), X, y)))
    many = bosco.DecisionTreeRegressor(max_depth=3).fit(X, X["a"].to_numpy() ** 2)
    assert grids(read(bosco.report(many, X, X["a"].to_numpy())))
    model = DecisionTreeClassifier(max_depth=2).fit(X, y).model_.sketched(X)
    assert grids(read(bosco.drift_page(model, bosco.monitor(model, X))))


def test_in_italian() -> None:
    book = read(made(lang="it")[1])
    heads = [p.text for p in book.paragraphs if p.style.name == "Heading 1"]
    assert "L'albero" in heads
    assert {e.get(qn("w:val")) for e in book.styles.element.iter(qn("w:lang"))} == {"it"}


def test_a_wide_tree_has_a_sheet_on_its_side() -> None:
    _, report = made(depth=6)
    kinds = [section.orientation for section in read(report).sections]
    assert kinds == [0, 1, 0]


def test_columns_fit_the_sheet_and_words_stay_whole() -> None:
    wide = _widths([["a" * 20], ["word " * 40], ["12"]])
    assert sum(wide) == pytest.approx(SHORT - 4)
    assert wide[0] > 20 * 0.18
    assert sum(_widths([["a"], ["b"]])) < 3
    assert sum(_widths([["x" * 40]] * 30)) == pytest.approx(SHORT - 4)


def test_in_a_shell(tmp_path: Path) -> None:
    model, _ = made()
    model.save(tmp_path / "m.json")
    assert "saved: " in said("report", str(tmp_path / "m.json"), "--format", "docx")
    assert grids(docx.Document(str(tmp_path / "m.docx")))
