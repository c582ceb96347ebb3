"""What answers cost, at the command line."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import bosco
from bosco.datasets import golf
from tests.commands import run, said, told

PRICES = ("--ask-cost", "outlook=2,lab=7", "--ask-group", "lab=humidity:temperature")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X, y = golf()
    columns = {name: list(column) for name, column in dict(X).items()} | {"play": list(y)}
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    Path("golf.csv").write_text("\n".join(lines * 1) + "\n")


def fit(*words: str) -> str:
    always = ("--target", "play", "--all-rows", "--no-choose", "--no-report", "--out", "m.json")
    return said("fit", "golf.csv", *always, *words)


def test_fit_with_prices_says_what_a_case_pays_and_how_to_get_it_again() -> None:
    text = fit(*PRICES, "--ask-delayed", "lab", "--ask-weight", "0.25", "--ask-rule", "idx")
    model = bosco.load("m.json")
    assert f"Asking costs {model.mean_price:.4g} a case" in text
    assert model.growth.asking.rule == "idx"
    assert model.growth.asking.weight == 0.25
    assert [item.name for item in model.growth.asking.items] == ["outlook", "lab"]
    (line,) = (line for line in text.splitlines() if line.startswith("again: "))
    kept = Path("m.json").read_bytes()
    said(*shlex.split(line)[2:])
    assert json.loads(Path("m.json").read_bytes())["growth"] == json.loads(kept)["growth"]
    plain = fit()
    assert "Asking costs" not in plain
    assert "--ask" not in plain
    assert bosco.load("m.json").growth.asking is None


def test_what_is_told_as_data() -> None:
    always = ("--target", "play", "--all-rows", "--no-choose", "--no-report", "--out", "m.json")
    data = told("fit", "golf.csv", *always, *PRICES)
    model = bosco.load("m.json")
    assert data["price"] == model.mean_price
    judged = told("evaluate", "golf.csv", "--model", "m.json", "--target", "play")
    X, _ = golf()
    assert judged["error"]["price"]["value"] == pytest.approx(np.mean(model.price(X)))


def test_explain_asks_and_stops() -> None:
    fit(*PRICES)
    data = told("explain", "m.json", "outlook=sunny")
    assert data["ask"]["unknown"]
    prices = {q["column"]: q["price"] for q in data["ask"]["questions"]}
    assert "outlook" not in prices
    assert {prices[name] for name in prices if name in ("humidity", "temperature")} <= {7}
    text = said("explain", "m.json", "outlook=sunny")
    assert "not known yet: " in text


def test_what_is_wrong_is_said() -> None:
    words = ("fit", "golf.csv", "--target", "play", "--no-report")
    for wrong, why in (
        (("--ask-cost", "outlok=2"), "Did you mean 'outlook'"),
        (("--ask-cost", "outlook"), "--ask-cost takes NAME=PRICE"),
        (("--ask-group", "lab=humidity"), "nothing has a price"),
        (("--ask-cost", "outlook=2", "--algorithm", "forest"), "is told of one tree"),
        (("--ask-cost", "outlook=2", "--algorithm", "adaboost"), "is of one tree"),
    ):
        found = run(*words, *wrong)
        assert found.exit_code == 2
        assert why in found.stderr
