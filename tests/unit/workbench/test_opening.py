"""From a file to a draft: what is read is corrected, kept, and opened."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.drafts.log import is_log, load_log
from bosco.errors import ModelError, ParameterError
from bosco.lessons.drafting import replayed
from bosco.lessons.told import Told
from bosco.tree.edits import chained
from bosco.workbench.beginning import begin
from bosco.workbench.figuring import figures
from bosco.workbench.opening import Asked, Opening, is_opening, load_opening, told_of
from bosco.workbench.out import Taken, taken

LOANS = Path(__file__).parents[3] / "docs" / "loans.csv"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loans.csv").write_bytes(LOANS.read_bytes())


def opening(**asked: Any) -> Opening:
    return Opening("loans.csv", Told(), Asked().changed(asked))


def test_what_was_read_is_told() -> None:
    told = told_of(opening(target="safe"))
    roles = {one["name"]: one["role"] for one in told["columns"]}
    assert (roles["id"], roles["safe"], roles["income"]) == ("dropped", "target", "input")
    assert (told["task"], told["problem"]) == ("classification", None)
    income = next(one for one in told["columns"] if one["name"] == "income")
    assert (income["kind"], income["missing"], income["spelled"]) == ("number", 10, ["?"])
    assert told["parts"]["columns"]["date"] == ["since"]
    json.dumps(told, allow_nan=False)


def test_each_thing_is_corrected() -> None:
    asked = {"types": {"months": "text"}, "drop": ["purpose"], "missing_values": ["?"]}
    told = told_of(opening(target="safe", **asked))
    seen = {one["name"]: one for one in told["columns"]}
    assert seen["months"]["kind"] == "text"
    assert seen["purpose"]["role"] == "dropped"
    assert seen["id"]["role"] == "input"  # what is dropped was said
    assert seen["reputation"]["missing"] == 0  # a dash is a level now
    assert "-" in seen["reputation"]["values"]


def test_a_table_that_is_not_there_is_refused_before_anything_is_served() -> None:
    for given in (("lons.csv", None), ("loans.draft", "lons.csv")):
        with pytest.raises(ParameterError, match=r"no file lons\.csv.*loans\.csv"):
            begin(*given, None, Told(), Asked())


@pytest.mark.parametrize("drop", [None, ["client", "purpose"]])
def test_a_column_that_is_left_out_can_part_the_rows(drop: list[str] | None) -> None:
    """One that looks like an identifier, or that a person left out; also done again."""
    title, head, *lines = LOANS.read_text().splitlines()
    clients = [f"c{k // 2 if k < 20 else k}" for k in range(len(lines))]
    rows = [f"{line};{client}" for line, client in zip(lines, clients, strict=True)]
    Path("loans.csv").write_text("\n".join([f"{title};", f"{head};client", *rows]))
    parts = {"how": "group", "column": "client"}
    made = opening(target="safe", drop=drop, parts=parts)
    told = told_of(made)
    assert told["problem"] is None
    assert next(one for one in told["columns"] if one["name"] == "client")["role"] == "dropped"
    assert {"client", "id", "income"} <= set(told["parts"]["columns"]["group"])
    draft = made.draft()
    assert "client" not in draft.ground.schema.names
    of_part = {
        name: {clients[row] for row in draft.rows(name)}
        for name in ("training", "validation", "test")
    }
    assert not of_part["training"] & of_part["validation"]
    assert not (of_part["training"] | of_part["validation"]) & of_part["test"]
    assert replayed(draft.log, "loans.csv", None, Told()).same


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"target": "nowhere"}, "no column"),
        ({"target": "id"}, "identifier"),
        ({"target": "currency"}, "nothing to tell"),
        ({"target": "purpose", "task": "regression"}, "regression learns numbers"),
    ],
)
def test_what_cannot_be_opened_says_why(asked: dict[str, Any], problem: str) -> None:
    made = opening(**asked)
    assert problem in told_of(made)["problem"]
    with pytest.raises(bosco.BoscoError, match=problem):
        made.draft()


@pytest.mark.parametrize(
    "body",
    [
        {"types": {"a": 3}}, {"types": []}, {"drop": "x"}, {"drop": [1]}, {"target": 3},
        {"algorithm": "forest"}, {"algorithm": None}, {"settings": {"n_jobs": 2}},
        {"settings": []}, {"parts": {"how": "x"}}, {"parts": {"seed": "0"}}, {"who": "x" * 300},
        {"reasons": 1}, {"task": "x"}, {"weight": []}, {"missing_values": {}},
    ],
)  # fmt: skip
def test_what_no_page_sends_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Asked().changed(body)


def test_parts_settings_and_reasons_go_into_the_draft() -> None:
    asked = {
        "target": "safe", "algorithm": "id3", "settings": {"max_depth": 3, "criterion": None},
        "parts": {"how": "date", "column": "since", "validation": 0.3, "test": 0.1},
        "who": "Ada", "reasons": False, "types": {"amount": "number"},
    }  # fmt: skip
    draft = opening(**asked).draft()
    first = draft.log[0]
    assert first["who"] == "Ada"
    assert first["estimator"]["settings"]["max_depth"] == 3
    assert first["parts"]["date"] == "since"
    assert len(draft.rows("validation")) == pytest.approx(60, abs=3)
    assert not draft.asks_reasons
    assert first["source"]["target"] == "safe"


def test_an_opening_is_kept_and_comes_back() -> None:
    desk = begin("loans.csv", None, None, Told(decimal=","), Asked(target="safe"))
    assert desk.keep == Path("loans.draft")
    desk.ask({"who": "Ada", "settings": {"max_depth": 3}})
    assert is_opening(Path("loans.draft"))
    again = begin("loans.csv", None, None, Told(), Asked())
    assert not again.is_open
    assert again.opening is not None
    assert again.opening.asked == desk.opening.asked  # type: ignore[union-attr]
    assert again.opening.told().decimal == ","
    again.ask({"open": True})
    assert is_log("loans.draft")
    third = begin("loans.csv", None, None, Told(), Asked())
    assert third.is_open
    assert third.draft.log == load_log("loans.draft")
    assert third.draft.who == "Ada"


def test_what_cannot_be_kept_was_not_asked() -> None:
    desk = begin("loans.csv", None, Path("gone/x.draft"), Told(), Asked(target="safe"))
    assert desk.opening is not None
    for body in ({"who": "Ada"}, {"open": True}):
        with pytest.raises(ParameterError, match="cannot be written"):
            desk.ask(body)
        assert desk.opening.asked.who is None
        assert not desk.is_open


def test_other_files_are_not_overwritten() -> None:
    Path("loans.draft").write_text("my diary")
    with pytest.raises(ParameterError, match="no draft"):
        begin("loans.csv", None, None, Told(), Asked())
    assert Path("loans.draft").read_text() == "my diary"
    Path("loans.draft").write_text('{"bosco opening": 1, "told": 3}')
    with pytest.raises(ModelError, match="no opening"):
        load_opening(Path("loans.draft"), "loans.csv")


def test_a_draft_needs_its_table() -> None:
    desk = begin("loans.csv", None, None, Told(), Asked(target="safe"))
    desk.ask({"open": True})
    with pytest.raises(ParameterError, match="--data"):
        begin("loans.draft", None, None, Told(), Asked())
    on = begin("loans.draft", "loans.csv", None, Told(), Asked())
    assert on.keep == Path("loans.draft")
    assert on.draft.log == desk.draft.log
    on.act({"version": on.version, "verb": "grow", "path": ""})
    assert load_log("loans.draft") == on.draft.log


def test_a_model_begins_a_draft() -> None:
    made = opening(target="safe").draft()
    made.grow(depth=2)
    made.model.save("drafted.json")
    X, y = bosco.datasets.loans()
    drafted = begin("drafted.json", "loans.csv", None, Told(), Asked())
    assert drafted.keep == Path("drafted.draft")
    assert drafted.draft.log == made.log
    lesson = opening(target="safe").lesson()
    learner = bosco.DecisionTreeClassifier(max_depth=2, min_samples_leaf=4)
    learner.fit(lesson.X, lesson.y).model_.save("plain.json")
    with pytest.raises(ParameterError, match="--target"):
        begin("plain.json", "loans.csv", None, Told(), Asked())
    desk = begin("plain.json", "loans.csv", None, Told(), Asked(target="safe"))
    assert [entry["verb"] for entry in desk.draft.log] == ["open", "plant"]
    assert desk.draft.ground.growth.min_samples_leaf == 4
    assert "plain.json" in desk.draft.log[-1]["reason"]
    assert begin("plain.json", "loans.csv", None, Told(), Asked()).draft.log == desk.draft.log
    bosco.RandomForestClassifier(n_estimators=3).fit(X, y).model_.save("many.json")
    with pytest.raises(ParameterError, match="many trees"):
        begin("many.json", "loans.csv", None, Told(), Asked(target="safe"))


COSTS = {"no": {"yes": 5.0}}


def test_what_mistakes_cost_is_told_class_by_class(monkeypatch: pytest.MonkeyPatch) -> None:
    made = opening(target="safe")
    told = told_of(made)["costs"]
    assert [one["key"] for one in told["classes"]] == ["no", "yes"]
    assert told["table"] == ((0.0, 1.0), (1.0, 0.0))
    assert "cost the same" in told["says"]
    made.asked = made.asked.changed({"costs": COSTS})
    told = told_of(made)
    assert told["costs"]["table"] == ((0.0, 5.0), (1.0, 0.0))
    assert "no taken for yes 5, every other mistake 1" in told["costs"]["says"]
    assert (told["costed"], told["problem"]) == (True, None)
    draft = made.draft()
    assert draft.ground.decision.costs == ((0.0, 5.0), (1.0, 0.0))
    several = told_of(opening(target="reputation"))["costs"]
    assert len(several["table"]) == len(several["classes"]) > 2
    monkeypatch.setattr("bosco.workbench.opening.MOST_COSTS", 2)
    many = told_of(opening(target="reputation"))["costs"]
    assert not many["classes"]
    assert "--costs" in many["says"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"target": "amount", "task": "regression"}, "numbers are predicted here"),
        ({"target": "safe", "costs": {"bad": 5}}, "'bad', which is not a class"),
        ({"target": "safe", "costs": {"no": {"yes": 0}}}, "must cost a number, above 0"),
    ],
)
def test_costs_that_say_nothing_are_refused_with_the_reason(
    asked: dict[str, Any], said: str
) -> None:
    made = opening(**({"costs": COSTS} | asked))
    told = told_of(made)
    assert told["costed"]
    assert said in told["problem"]
    with pytest.raises(ParameterError):
        made.draft()


def test_costs_are_kept_done_again_and_taken_out() -> None:
    """In the file of the opening, in the log, and in the commands that do it again."""
    desk = begin("loans.csv", None, Path("x.draft"), Told(), Asked(target="safe"))
    desk.ask({"costs": COSTS})
    desk = begin("loans.csv", None, Path("x.draft"), Told(), Asked())
    desk.ask({"open": True})
    desk.act({"version": desk.version, "verb": "grow", "path": "", "depth": 2})
    draft = desk.draft
    truth, said = draft.ground.truth, draft.model.predict(draft.ground.table) == "yes"
    for part in ("training", "validation"):
        rows = draft.rows(part)
        wrong = np.where(truth[rows] == 0, 5.0 * said[rows], ~said[rows])
        cost = getattr(draft.figures, part).cost
        assert cost.value == pytest.approx(wrong.mean())
        assert draft.log[-1]["figures"][part]["cost"]["value"] == cost.value
        assert figures(draft, draft.model)[part]["cost"]["shown"] == cost.show(cost.value)
    pruned = desk.act({"version": desk.version, "verb": "prune", "path": "1"})
    moved = [line for line in str(pruned).splitlines() if "validation cost of a row" in line]
    assert len(moved) == 1
    assert f" {cost.show(cost.value)} → " in moved[0]
    assert moved[0].strip().startswith(pruned.brief.rpartition(" · ")[2])
    assert replayed(load_log("x.draft"), "loans.csv", None, Told()).same
    command = taken("command", Taken(draft, "x", "loans.csv"))[0].decode()
    assert "--costs no:yes=5" in command
    draft.model.save("m.json")
    planted = begin("m.json", "loans.csv", Path("y.draft"), Told(), Asked())
    assert planted.draft.ground.decision.costs == draft.ground.decision.costs


def test_a_log_that_tells_no_costs_of_rows_is_the_same_done_again() -> None:
    """As an older version wrote it."""
    draft = opening(target="safe", costs=COSTS).draft()
    draft.grow(depth=2)
    log: list[Any] = []
    for entry in draft.log:
        told = {
            part: {name: x for name, x in figure.items() if name != "cost"}
            for part, figure in entry["figures"].items()
        }
        given = {n: x for n, x in entry.items() if n not in ("before", "hash", "number")}
        log.append(chained(log, given | {"figures": told}))
    assert replayed(tuple(log), "loans.csv", None, Told()).same
