"""The desk: acts in order, saved before they are answered."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import bosco
from bosco.base.numerals import show_figure
from bosco.datasets import loans
from bosco.drafts.log import load_log
from bosco.errors import ModelError, ParameterError
from bosco.reporting.bars import round_top
from bosco.workbench.desk import Desk, Stale
from bosco.workbench.figuring import bars
from tests.visitor import loans_desk


def test_an_act_is_saved_when_it_is_answered(tmp_path: Path) -> None:
    desk = loans_desk(tmp_path / "x.draft")
    desk.act({"version": desk.version, "verb": "prune", "path": "0"})
    assert load_log(tmp_path / "x.draft") == desk.draft.log
    assert desk.draft.log[-1]["verb"] == "prune"


def test_an_act_on_an_older_state_is_refused_and_told_what_happened() -> None:
    desk = loans_desk()
    version = desk.version
    desk.act({"version": version, "verb": "note", "path": "", "text": "a"})
    log = desk.draft.log
    with pytest.raises(Stale) as refused:
        desk.act({"version": version, "verb": "prune", "path": ""})
    assert [entry["verb"] for entry in refused.value.since] == ["note"]
    with pytest.raises(Stale):
        desk.act({"version": "never there", "verb": "prune", "path": ""})
    with pytest.raises(ModelError, match="names the version"):
        desk.act({"verb": "prune", "path": ""})
    assert desk.draft.log == log


def test_what_changes_nothing_makes_no_act_stale() -> None:
    desk = loans_desk()
    version = desk.version
    desk.consider({"version": version, "path": "0", "test": "best"})
    desk.final({"version": version})
    desk.automatic()
    desk.automatic()  # once is enough
    verbs = [entry["verb"] for entry in desk.draft.log]
    assert verbs[-3:] == ["consider", "final", "automatic"]
    desk.act({"version": version, "verb": "prune", "path": ""})
    assert desk.draft.log[-1]["verb"] == "prune"


def test_a_name_signs_what_comes_after_it() -> None:
    desk = loans_desk()
    desk.sign({"who": "Bruno"})
    desk.act({"version": desk.version, "verb": "prune", "path": ""})
    assert [entry["who"] for entry in desk.draft.log[-2:]] == ["Ada", "Bruno"]
    with pytest.raises(ParameterError):
        desk.sign({"who": 3})


def test_without_a_draft_nothing_is_told_of_one() -> None:
    desk = Desk(None, None, "x")
    assert (desk.is_open, desk.version) == (False, "")
    with pytest.raises(ParameterError, match="No draft"):
        desk.act({"version": "", "verb": "prune", "path": ""})
    with pytest.raises(ParameterError, match="already"):
        desk.ask({"target": "x"})


def test_what_is_looked_up_is_of_the_state_that_there_is() -> None:
    desk = loans_desk()
    first = desk.sight()
    assert desk.sight() is first
    desk.act({"version": desk.version, "verb": "prune", "path": ""})
    assert desk.sight() is not first
    assert desk.sight().model.n_leaves == 1


def test_the_curves_are_a_look_at_validation_rows() -> None:
    desk = loans_desk()
    before = desk.draft.looks.validation
    found = desk.curves({"version": desk.version})
    assert desk.draft.looks.validation == before + 1
    assert desk.draft.log[-1]["verb"] == "curves"
    told = bars(found)
    assert "validation rows" in told["whose"]
    assert "no test" in told["doubt"]
    assert [chart["kind"] for chart in told["charts"]] == ["roc", "pr", "gain", "lift", "cost"]
    assert "each counts 1" in told["cost"]
    rows = desk.draft.rows("validation")
    assert found.n_rows == len(rows)
    model, ground = desk.draft.model, desk.draft.ground
    said = model.predict_proba(ground.table.take(rows))[:, 1]
    area = roc_auc_score(ground.truth[rows] == 1, said)
    assert found.curves[0].area.value == pytest.approx(area)


def test_the_curve_of_costs_is_of_those_in_force() -> None:
    costs = {"risky": {"safe": 5}}
    draft = bosco.draft(bosco.DecisionTreeClassifier(costs=costs), *loans())
    draft.grow()
    desk = Desk(draft, None, "x")
    found = desk.curves({"version": desk.version})
    told, (one,) = bars(found), found.curves
    assert told["charts"][-1]["kind"] == "cost"
    rows, said = draft.rows("validation"), draft.model.predict_proba(draft.ground.table)[:, 1]
    safe, bad = said[rows], draft.ground.truth[rows] == 0
    price = [
        np.mean(np.where(bad, 5.0 * (safe >= bar), safe < bar)) for bar in one.scored.thresholds
    ]
    assert one.cost == pytest.approx(price)
    assert f"A row costs least, {show_figure(min(price))} on average" in told["cost"]
    highest = told["charts"][-1]["up"][-1][1]
    assert float(highest) == round_top(max(price))
