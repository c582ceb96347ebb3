"""What the page is told: readable cuts, cases, downloads, Italian, and a draft of Python's."""

import io
import math
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import docx
import numpy as np
import openpyxl
import pytest

import bosco
from bosco.base.numerals import shortest
from bosco.drafts.log import load_log
from bosco.export.dialects import DIALECTS
from bosco.lessons.told import Told
from bosco.workbench import out
from bosco.workbench.beginning import begin
from bosco.workbench.desk import Desk
from bosco.workbench.opening import Asked
from bosco.workbench.trying import round_moment
from tests.visitor import Visitor, loans_desk, loans_draft, served

LOANS = Path(__file__).parents[3] / "docs" / "loans.csv"


@pytest.mark.parametrize("seed", range(200))
def test_the_shortest_number_parts_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    low = float(random.normal() * 10.0 ** random.integers(-8, 9))
    high = low + float(abs(random.normal()) * 10.0 ** random.integers(-10, 6)) + 1e-12 * abs(low)
    near = low + (high - low) * float(random.random())
    found = shortest(low, high, near)
    if not low < high:
        return
    assert low <= found < high
    digits = len(f"{abs(found):.12g}".replace(".", "").strip("0"))
    assert digits <= max(len(repr(near).replace(".", "")), 1)


def test_a_cut_outside_all_rows_stays() -> None:
    assert shortest(-math.inf, 3.0, 2.5) == 2.5
    assert shortest(3.0, 3.0, 3.0) == 3.0


def test_moments_are_cut_at_round_times() -> None:
    day = 86_400e6
    assert round_moment(9.2 * day, 11.7 * day, 10.4 * day) == 10 * day
    assert round_moment(10.41 * day, 10.45 * day, 10.43 * day) % 3_600e6 == 0
    assert round_moment(0.2, 0.4, 0.3) == 0.3


def test_a_draft_of_python_is_opened_and_goes_on(tmp_path: Path) -> None:
    draft = loans_draft()
    opened = bosco.open(draft, log=tmp_path / "x.draft", browser=False, lang="it")
    try:
        visitor = Visitor(opened.address)
        assert visitor.get("/api/desk")["lang"] == "it"
        visitor.act("grow", depth=1)
        assert draft.state.tree.n_leaves == 2  # the same draft
        version = visitor.version
        draft.undo()
        visitor.post("/api/act", version=version, verb="prune", path="")
        assert visitor.status == 409
        visitor.post("/api/close")
        assert visitor.status == 422  # Python decides
        assert "iframe" in opened._repr_html_()
        assert opened.address in repr(opened)
        visitor.http.close()
    finally:
        opened.close()
    with pytest.raises(bosco.ParameterError, match="takes a draft"):
        bosco.open("loans.csv")  # type: ignore[arg-type]


def test_everything_is_said_in_italian() -> None:
    with served(loans_desk(), lang="it") as visitor:
        view = visitor.get("/api/view")
        assert view["figures"]["training"]["name"] == "errore"
        assert view["log"][0]["words"] == "la bozza è stata aperta"
        assert visitor.get("/api/node", path="")["condition"] == "tutte le righe"
        visitor.post("/api/lang", lang="en")
        assert visitor.get("/api/view")["log"][0]["words"] == "the draft was opened"
        visitor.post("/api/lang", lang="xx")
        assert visitor.status == 422


def test_ordered_levels_are_cut_between_them() -> None:
    import pandas as pd

    sizes = pd.Categorical(["S", "M", "L", "XL"] * 50, ["S", "M", "L", "XL"], ordered=True)
    y = ["no" if size in ("S", "M") else "yes" for size in sizes]
    y[:12] = ["yes"] * 12
    draft = bosco.draft(bosco.DecisionTreeClassifier(), pd.DataFrame({"size": sizes}), y)
    with served(Desk(draft, None, "x")) as visitor:
        curve = visitor.get("/api/curve", path="", column="size")
        assert curve["kind"] == "cuts"
        assert curve["levels"] == ["S", "M", "L", "XL"]
        assert curve["best"]["cut"] == [1.5]
        tried = visitor.post("/api/try", path="", test={"column": "size", "cuts": [1.5]})
        assert tried["words"] == "size ≤ M"
        assert tried["shown"] == ["M"]
        visitor.act("split", test={"column": "size", "cuts": [0.5]}, reason="so")
        assert visitor.get("/api/node", path="")["test"] == "size ≤ S"
        visitor.act("move", cuts=[2.5], reason="so")
        assert visitor.get("/api/node", path="")["test"] == "size ≤ L"


def test_a_case_is_followed() -> None:
    with served(loans_desk()) as visitor:
        desk = loans_desk()
        row = int(desk.draft.rows("training")[0])
        told = visitor.get("/api/case", row=row)
        cells = {one["column"]: one["value"] for one in told["cells"]}
        typed = visitor.post("/api/case", cells=cells)
        assert typed["path"] == told["path"]
        assert typed["answer"] == told["answer"]
        assert told["path"][0] == ""
        shown = {node["path"] for node in visitor.get("/api/view")["tree"]["nodes"]}
        assert set(told["path"]) <= shown
        visitor.post("/api/case", cells={"nonsense": "1"})
        assert visitor.status == 200  # all is missing


def test_nodes_are_folded_where_the_page_folds_them() -> None:
    with served(loans_desk()) as visitor:
        whole = visitor.get("/api/view")["tree"]
        folded = visitor.get("/api/view", fold="0,1,9.9")["tree"]
        assert {node["path"] for node in folded["nodes"]} == {"", "0", "1"}
        assert {node["kind"] for node in folded["nodes"]} == {"inner", "folded"}
        assert folded["all"] == whole["all"] > folded["shown"]
        few = visitor.get("/api/view", max_nodes=3, keep="0.0.1.0")["tree"]
        assert "0.0.1.0" in {node["path"] for node in few["nodes"]}


def test_what_is_taken_out_is_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_bytes(LOANS.read_bytes())
    desk = begin("loans.csv", None, Path("kept.draft"), Told(), Asked(target="safe", who="A da"))
    desk.ask({"open": True})
    with served(desk) as visitor:
        groups = [["travel", "house"], ["study"], ["car"]]
        acts: list[tuple[str, str, dict[str, Any]]] = [
            ("grow", "", {"depth": 3}),
            ("split", "0", {"test": {"column": "purpose", "groups": groups}}),
            ("merge", "0.0", {"with": "0.1"}),
            ("move", "1", {"cuts": [15_000]}),
            ("note", "1", {"text": "ask 'Bruno', \"please\""}),
            ("exclude", "1", {"columns": ["since", "months"]}),
            ("regrow", "0", {"without": ["income"], "settings": {"max_depth": 5}}),
            ("lock", "0", {}),
            ("goto", "", {"entry": 2}),
        ]
        for verb, path, given in acts:
            told = visitor.act(verb, path, reason="it's so", **given)
            assert visitor.status == 200, told
        leaf = next(n["path"] for n in visitor.get("/api/view")["tree"]["nodes"] if n["leaf"])
        visitor.act("answer", leaf, answer="no", reason="so")
        visitor.post("/api/consider", version=visitor.version, path=leaf, test="best")
        files = {}
        for one in visitor.get("/api/out"):
            answer = visitor.http.get(f"/api/out/{one['kind']}")
            assert answer.status_code == 200, answer.text
            files[one["kind"]] = answer.content
            assert one["name"] in answer.headers["content-disposition"]
        assert visitor.http.get("/api/out/sql?dialect=x").status_code == 422
        (sql,) = (one for one in visitor.get("/api/out") if one["dialects"])
        assert {one["key"] for one in sql["dialects"]} == DIALECTS.keys()
        written = {
            one["key"]: visitor.http.get("/api/out/sql", params={"dialect": one["key"]}).text
            for one in sql["dialects"]
        }
    assert written == {name: desk.draft.model.to_sql(name) for name in DIALECTS}
    document = docx.Document(io.BytesIO(files["word"]))
    assert "it's so" in "\n".join(cell.text for t in document.tables for cell in t._cells)
    book = openpyxl.load_workbook(io.BytesIO(files["excel"]))
    assert book.worksheets[0].max_row - 1 == len(desk.draft.model.rules().simplify())
    Path("loans.draft").write_bytes(files["draft"])
    assert load_log("loans.draft") == load_log("kept.draft") == desk.draft.log
    Path("m.json").write_bytes(files["model"])
    assert bosco.load("m.json").tree == desk.draft.model.tree
    assert b"it&#39;s so" in files["report"]
    commands = [line for line in files["command"].decode().splitlines() if line.startswith("bosco")]
    for line in commands:
        words = [sys.executable, "-m", "bosco.cli", *shlex.split(line)[1:]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (line, done.stderr)
    again = load_log("again.draft")
    assert [e["state"] for e in again] == [e["state"] for e in desk.draft.log]
    assert bosco.load("loans.json").tree == desk.draft.model.tree


@pytest.mark.parametrize("kind", ["word", "excel", "sql", "onnx"])
def test_what_is_not_installed_is_no_link_but_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    there = out.find_spec
    absent = out.EXTRAS[kind][0]
    monkeypatch.setattr(out, "find_spec", lambda name: None if name == absent else there(name))
    with served(loans_desk()) as visitor:
        needs = {one["kind"]: one["needs"] for one in visitor.get("/api/out")}
        assert [name for name, said in needs.items() if said] == [kind]
        assert f"pip install 'bosco[{kind}]'" in needs[kind]
        assert visitor.get(f"/api/out/{kind}")["error"] == needs[kind]
        assert visitor.status == 422


def test_the_lecture_grows_the_automatic_tree() -> None:
    desk = loans_desk()
    with served(desk) as visitor:
        steps = visitor.get("/api/trace")["steps"]
    assert len(steps) == desk.draft.automatic.tree.node_count
    first = desk.draft.automatic.tree.test(0)
    assert first is not None
    assert steps[0]["winner"] == desk.draft.ground.schema.names[first.column]
    assert steps[0]["candidates"][0]["sum"].startswith("0.4861 − (12/24)")
