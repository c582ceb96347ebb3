"""Rules as a workbook: the bounds themselves, cells to filter by, and text that never acts."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.cli.app import app
from bosco.datasets import loans, play_tennis
from bosco.errors import ParameterError
from bosco.rules import excel

openpyxl = pytest.importorskip("openpyxl", reason="needs bosco[excel]")
calamine = pytest.importorskip("python_calamine", reason="needs bosco[tables]")


def sheets(path: Path) -> dict[str, list[list[Any]]]:
    """As another reader has it: what Excel will show."""
    book = calamine.CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def mixed() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    n = 300
    X = {
        "x": rng.normal(size=n) / 3,
        "day": np.datetime64("2024-01-01") + rng.integers(0, 100, n),
        "at": np.datetime64("2024-01-01T00:00:00", "us") + rng.integers(0, 10**9, n),
        "town": rng.choice(["=HYPERLINK(1)", "+39", "-", "@SUM(A1)", "a, b", "plain"], n),
    }
    y = (X["x"] > 0.01).astype(int) + (X["day"] > np.datetime64("2024-02-20")) + (X["town"] == "-")
    return X, np.array(["=cmd", "no", "@yes", "+x"])[y]


def test_the_cells_are_the_rules(tmp_path: Path) -> None:
    X, y = mixed()
    model = bosco.DecisionTreeClassifier(max_depth=4).fit(X, y).model_
    rules = model.rules()
    path = tmp_path / "rules.xlsx"
    rules.to_excel(path)
    heads, *lines = sheets(path)["Rules"]
    assert len(lines) == len(rules)
    at = {head: place for place, head in enumerate(heads)}
    book = openpyxl.load_workbook(path)  # exact numbers, as they stand in the file
    cells = list(book["Rules"].iter_rows(min_row=2, values_only=True))
    for line, rule in zip(cells, rules, strict=True):
        asked = {rules.schema.columns[c.column].name: c for c in rule.conditions}
        x = asked.get("x")
        assert line[at["x >"]] == (None if x is None else x.low)  # to the last bit
        assert line[at["x ≤"]] == (None if x is None else x.high)
        assert line[at["then"]] == rule.answer
        assert line[at["support"]] == rule.support
        assert line[at["confidence"]] == pytest.approx(rule.confidence)
        town = asked.get("town")
        said = line[at["town is"]]
        assert (said is None) == (town is None)
        if town is not None:
            levels = [rules.schema.columns[3].levels[k - 1] for k in town.codes]  # type: ignore
            assert all(level in said for level in levels)
    assert book["Rules"].auto_filter.ref == book["Rules"].dimensions
    assert book["Rules"].freeze_panes == "B2"


def test_days_are_days_of_excel(tmp_path: Path) -> None:
    X, y = mixed()
    model = bosco.DecisionTreeClassifier(max_depth=4).fit({"day": X["day"]}, y).model_
    model.rules().to_excel(tmp_path / "days.xlsx")
    book = openpyxl.load_workbook(tmp_path / "days.xlsx")
    heads = [cell.value for cell in book["Rules"][1]]
    column = next(k for k, head in enumerate(heads) if head == "day ≤")
    found = {row[column].value for row in book["Rules"].iter_rows(min_row=2)} - {None}
    bounds = {c.high for rule in model.rules() for c in rule.conditions if c.high is not None}
    moments = {np.datetime64("1970-01-01") + np.timedelta64(int(b * 24), "h") for b in bounds}
    assert {np.datetime64(day).astype("datetime64[h]") for day in found} == moments


def test_text_never_acts(tmp_path: Path) -> None:
    """Nothing in the file is a formula; what begins as one is marked as text for good."""
    X, y = mixed()
    X = {f"={name}()" if name == "x" else name: values for name, values in X.items()}
    model = bosco.DecisionTreeClassifier(max_depth=5).fit(X, y).model_
    path = tmp_path / "acts.xlsx"
    model.rules().to_excel(path, about={"@target": "=1+1", "-2": -2, "ctl": "\x1b[2J\x00\ufffe"})
    with zipfile.ZipFile(path) as parts:
        texts = [parts.read(name).decode() for name in parts.namelist() if "sheet" in name]
    assert texts
    assert not any("<f>" in text or "<f " in text for text in texts)
    book = openpyxl.load_workbook(path)
    seen = 0
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type in ("s", "n", "d", "b")
                if isinstance(cell.value, str) and cell.value.startswith(("=", "+", "-", "@")):
                    assert cell.data_type == "s"
                    assert cell.quotePrefix
                    seen += 1
    assert seen > 5
    values = dict(row[:2] for row in sheets(path)["Figures"] if len(row) > 1)
    assert values["@target"] == "=1+1"
    assert values["-2"] == -2.0


def test_missing_values_and_lists_of_decisions(tmp_path: Path) -> None:
    model = bosco.DecisionTreeClassifier(missing="branch").fit(
        {"x": [1.0, 2.0, None, None, 5.0, 6.0], "z": [1, 2, 1, 2, 1, 2]}, list("aabbcc")
    )
    model.model_.rules().to_excel(tmp_path / "a.xlsx")
    heads, *lines = sheets(tmp_path / "a.xlsx")["Rules"]
    assert {line[heads.index("x missing")] for line in lines} >= {"only", "no"}
    model.model_.rules().to_excel(tmp_path / "b.xlsx", missing=False)
    assert "x missing" not in sheets(tmp_path / "b.xlsx")["Rules"][0]
    X, y = loans()
    listed = bosco.DecisionTreeClassifier().fit(X, y).model_.rules().simplify(decision_list=True)
    listed.to_excel(tmp_path / "c.xlsx")
    heads, *lines = sheets(tmp_path / "c.xlsx")["Rules"]
    assert lines[-1][heads.index("then")] == listed.default
    assert lines[-1][-1] == "else"


def test_figures_count_what_they_say(tmp_path: Path) -> None:
    X, y = play_tennis()
    rules = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_.rules()
    rules.to_excel(tmp_path / "t.xlsx")
    lines = sheets(tmp_path / "t.xlsx")["Figures"]
    table = {line[0]: line for line in lines}
    for answer in ("Yes", "No"):
        own = rules.of_answer(answer)
        assert table[answer][1] == len(own)
        assert table[answer][3] == sum(label == answer for label in y)  # the rows behind them
        assert table[answer][4] == 1.0
    short = rules.simplify()
    short.to_excel(tmp_path / "s.xlsx")
    heads = next(line for line in sheets(tmp_path / "s.xlsx")["Figures"] if line[0] == "answer")
    assert "support" not in heads  # shortened rules may share rows


def test_what_a_sheet_has_no_room_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules = bosco.DecisionTreeClassifier().fit(*loans()).model_.rules()
    monkeypatch.setattr(excel, "_ROWS", 3)
    with pytest.raises(ParameterError, match="more than a sheet has room for: 3 lines"):
        rules.to_excel(tmp_path / "r.xlsx")
    assert not list(tmp_path.iterdir())


def test_numbers_that_excel_has_not_are_text(tmp_path: Path) -> None:
    rules = bosco.DecisionTreeRegressor().fit({"x": [1.0, 2.0]}, [1e308, -1e308]).model_.rules()
    rules.to_excel(tmp_path / "big.xlsx")
    heads, *lines = sheets(tmp_path / "big.xlsx")["Rules"]
    assert {line[heads.index("then")] for line in lines} == {"1e+308", "-1e+308"}


def test_the_command_writes_it_beside_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = bosco.DecisionTreeClassifier().fit(*loans()).model_
    model.save(tmp_path / "m.json")
    with pytest.raises(SystemExit) as end:
        app(["rules", str(tmp_path / "m.json"), "--format", "xlsx", "--no-simplify"])
    assert end.value.code == 0
    assert "saved: " in capsys.readouterr().out
    found = sheets(tmp_path / "m.xlsx")
    assert len(found["Rules"]) == len(model.rules()) + 1
    assert ["leaves", 7.0] in [line[:2] for line in found["Figures"]]
    with pytest.raises(SystemExit) as end:
        app(["rules", str(tmp_path / "m.json"), "--out", "x.xlsx"])
    assert end.value.code == 2
    assert "--out is for --format xlsx" in capsys.readouterr().err
