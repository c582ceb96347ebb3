"""``bosco evaluate``: settings, and saved models on rows they have and have not seen."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.cli.groups import Layout
from bosco.cli.rows import labelled_rows
from tests.commands import fit_loans, run, said, told

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the loans of docs/, and a model of them."""
    return fit_loans(tmp_path_factory.mktemp("loans"))


@pytest.fixture(autouse=True)
def _here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loans.csv", "loans.json"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    monkeypatch.chdir(tmp_path)


def model() -> Any:
    return bosco.load("loans.json")


def test_evaluate_settings() -> None:
    words = ["evaluate", "loans.csv", "--target", "safe", "--max-depth", "2", "--folds", "3"]
    assert "3-fold cross-validation" in said(*words)
    data = told(*words, "--metrics", "accuracy,f1_macro")
    assert data["summary"]["metric"] == ["accuracy", "f1_macro"]
    assert np.sum(data["confusion"]) == 200
    assert data["classes"] == ["no", "yes"]
    assert run("evaluate", "loans.csv").exit_code == 2
    assert "method must be one of" in run(*words, "--method", "kfold").stderr


def test_evaluate_a_model() -> None:
    data = told("evaluate", "loans.csv", "--model", "loans.json")
    X, y, _ = labelled_rows("loans.csv", model(), None, Layout())
    wrong = np.mean(model().predict(X) != y)
    assert data["error"]["value"] == pytest.approx(wrong)
    assert np.sum(data["confusion"]) == 200
    assert 1 - np.trace(data["confusion"]) / 200 == pytest.approx(wrong)
    text = said("evaluate", "loans.csv", "--model", "loans.json", "--target", "safe")
    assert text.startswith("All 200 rows equal training rows in every column and the target.\n")
    assert f"error on those: {100 * wrong:.1f} % (not a test); always saying yes: " in text
    assert "test error" not in text
    assert "Optimistic, no test: from 200 rows that equal training rows." in text


def test_evaluate_tells_rows_seen_in_training_apart() -> None:
    lines = Path("loans.csv").read_text().splitlines()
    Path("some.csv").write_text("\n".join(lines[:122]))
    words = ["fit", "some.csv", "--target", "safe", "--all-rows", "--no-choose", "--max-depth", "3"]
    assert run(*words, "--no-report", "--out", "some.json").exit_code == 0
    half = bosco.load("some.json")
    X, y, _ = labelled_rows("loans.csv", half, None, Layout())
    seen = half.seen(X, y).equal
    assert seen[:120].all()
    wrong = half.predict(X) != y
    most = Counter(y[:120]).most_common(1)[0][0]
    data = told("evaluate", "loans.csv", "--model", "some.json")
    assert data["error"]["training_rows"]["equal_training_rows"] == seen.sum()
    for part, rows in (("seen", seen), ("unseen", ~seen)):
        assert data["error"][part]["rows"] == rows.sum()
        assert data["error"][part]["value"] == pytest.approx(wrong[rows].mean())
        assert data["error"][part]["baseline"] == pytest.approx(np.mean(y[rows] != most))
        confusion = np.array(data[f"confusion_{part}"])
        assert confusion.sum() - np.trace(confusion) == wrong[rows].sum()
        assert sum(data["leaves"][f"{part}_rows"]) == rows.sum()
    assert np.sum(data["confusion"]) == 200
    text = said("evaluate", "loans.csv", "--model", "some.json")
    assert text.startswith(f"{seen.sum()} of 200 rows equal training rows in every column and the ")
    assert f"error on those: {100 * wrong[seen].mean():.1f} % (not a test)" in text
    others = f"test error on the {np.sum(~seen)} others: {100 * wrong[~seen].mean():.1f} %"
    assert others in text
    assert text.count("test error") == 1


def test_predict_says_how_many_rows_it_knows() -> None:
    result = run("predict", "loans.json", "loans.csv", "--rows", "70", "--out", "scored.csv")
    assert result.exit_code == 0
    assert "200 of 200 rows equal rows that the model was grown on" in result.stderr
    words = ["predict", "loans.json", "loans.csv", "--out", "scored.csv"]
    assert told(*words)["equal_training_rows"] == 200


def test_a_model_that_remembers_nothing_says_so() -> None:
    words = ["fit", "loans.csv", "--target", "safe", "--all-rows", "--no-choose", "--no-report"]
    done = told(*words, "--no-fingerprint", "--out", "bare.json")
    assert done["command"].endswith(" --no-fingerprint")
    assert "fingerprint" not in bosco.load("bare.json").provenance
    text = said("evaluate", "loans.csv", "--model", "bare.json")
    assert "this model does not remember its training rows" in text
    assert "test error" not in text
    data = told("evaluate", "loans.csv", "--model", "bare.json")
    assert data["error"]["training_rows"]["equal_training_rows"] is None
    assert data["error"]["unseen"] is None


def test_rows_without_a_known_target_are_left_out() -> None:
    lines = Path("loans.csv").read_text().splitlines()
    lines[2] = lines[2].rpartition(";")[0] + ";perhaps"
    lines[3] = lines[3].rpartition(";")[0] + ";"
    Path("new.csv").write_text("\n".join(lines))
    result = run("evaluate", "new.csv", "--model", "loans.json")
    assert "safe: 2 rows left out" in result.stderr
    assert "All 198 rows " in result.stdout
    strange = [line.rpartition(";")[0] + ";perhaps" for line in lines[2:]]
    Path("none.csv").write_text("\n".join([*lines[:2], *strange]))
    assert "no row has a target" in run("evaluate", "none.csv", "--model", "loans.json").stderr


@pytest.mark.parametrize(
    ("target", "said"), [("income", "learns from, not its target"), ("sfae", "no column 'sfae'")]
)
def test_targets_of_a_model(target: str, said: str) -> None:
    result = run("evaluate", "loans.csv", "--model", "loans.json", "--target", target)
    assert result.exit_code in (1, 2)
    assert said in result.stderr


def test_a_saved_model_by_weighted_rows() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=100), np.arange(100) % 4
    y = np.where(x + rng.normal(size=100) > 0, "up", "down")
    rows = [f"{a},{b},{c}" for a, b, c in zip(x, y, w, strict=True)]
    Path("heavy.csv").write_text("\n".join(["x,y,w", *rows]) + "\n")
    words = ["--target", "y", "--drop", "w", "--all-rows", "--no-report", "--out", "heavy.json"]
    said("fit", "heavy.csv", *words)
    wrong = bosco.load("heavy.json").predict({"x": x}) != y
    data = told("evaluate", "heavy.csv", "--model", "heavy.json", "--weight", "w")
    assert data["error"]["weighted"]
    assert data["error"]["rows"] == np.count_nonzero(w) == np.sum(data["confusion"])
    assert data["error"]["value"] == pytest.approx(np.average(wrong, weights=w))
    text = said("evaluate", "heavy.csv", "--model", "heavy.json", "--weight", "w")
    assert "weighted error on those: " in text
    assert "rows, whatever they weigh:" in text


def test_an_unknown_level_of_a_file_equals_no_training_row() -> None:
    rows = [f"{'' if i % 5 == 0 else 'pq'[i % 2]},{i},{'ab'[i % 2]}" for i in range(20)]
    Path("k.csv").write_text("\n".join(["k,v,y", *rows]) + "\n")
    words = ["--target", "y", "--all-rows", "--no-report", "--no-choose", "--out", "k.json"]
    said("fit", "k.csv", *words)
    strange = [row if row[0] != "," else f"zzz{row}" for row in rows]
    Path("new.csv").write_text("\n".join(["k,v,y", *strange, "p,3,c"]) + "\n")
    text = said("evaluate", "new.csv", "--model", "k.json")
    assert "16 of 20 rows equal training rows in every column and the target." in text
    assert "20 of 20 rows" not in said("predict", "k.json", "new.csv")


def test_curves_and_segments_of_a_model() -> None:
    words = ["evaluate", "loans.csv", "--model", "loans.json"]
    asked = ["--curves", "--positive", "no", "--bar", "0.3", "--costs", "no:yes=5"]
    lines = Path("loans.csv").read_text().splitlines()  # a title, the names, the rows
    also = [
        "",
        ";office;day",
        *(f";{k % 3};2024-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(200)),
    ]
    Path("more.csv").write_text("\n".join(map("".join, zip(lines, also, strict=True))) + "\n")
    words[1] = "more.csv"
    by = ["--by", "amount,office,day", "--cuts", "amount=2000:5000,day=2024-06-30"]
    data = told(*words, *asked, *by)
    X, y, _ = labelled_rows("more.csv", model(), None, Layout(), segments=("office", "day"))
    assert X.column_names[-2:] == ["office", "day"]
    own = X.drop_columns(["office", "day"])
    costs = {"no": {"yes": 5}}
    found = bosco.curves(model(), own, y, positive="no", threshold=0.3, costs=costs)
    assert data["curves"]["summary"]["area"] == pytest.approx(found.summary()["area"])
    assert data["curves"]["bars"]["cost"] == pytest.approx(found.to_dict()["cost"])
    assert data["residuals"] is None
    segments = data["segments"]
    kept = [
        s for c, s in zip(segments["column"], segments["segment"], strict=True) if c == "amount"
    ]
    assert list(dict.fromkeys(kept)) == ["≤ 2000", "above 2000 to 5000", "> 5000"]
    assert segments["segment"][-2:] == ["≤ 2024-06-30", "> 2024-06-30"]
    assert "2 rows: segments of so few" not in run(*words, "--by", "day").stderr
    assert "id' has 200 values, of which none stands in more than 1 row" in (
        run("evaluate", "loans.csv", "--model", "loans.json", "--by", "id").stderr
    )
    text = said(*words, *asked, "--by", "purpose")
    assert "area under the ROC curve" in text
    assert "These exclude each other" in text
    for wrong, says in (
        (["--by", "purpse"], "Did you mean 'purpose'"),
        (["--by", "safe"], "that is the target"),
        (["--cuts", "amount=3"], "--cuts is for segments"),
        (["--by", "amount", "--cuts", "amount=x"], "numbers or dates are wanted"),
        (["--by", "amount", "--cuts", "amount=2024-03-31"], "must be numbers"),
        (["--curves", "--positive", "maybe"], "positive must be one of"),
        (["--curves", "--costs", "no"], "--costs takes"),
    ):
        assert says in run(*words, *wrong).stderr
    for bar in ("1.3", "-0.1", "nan"):
        found = run("evaluate", "loans.csv", "--model", "loans.json", "--curves", "--bar", bar)
        assert found.exit_code == 2, found.stdout
    assert "--by is of a saved model" in run("evaluate", "loans.csv", "--by", "purpose").stderr


def test_residuals_of_a_model_of_numbers() -> None:
    words = ["fit", "loans.csv", "--target", "amount", "--task", "regression", "--no-report"]
    run(*words, "--out", "amount.json", "--max-depth", "2")
    data = told("evaluate", "loans.csv", "--model", "amount.json", "--curves", "--by", "safe")
    assert sum(data["residuals"]["rows"]) in (40, 200)
    assert data["segments"]["segment"][:2] == ["false", "true"]
    assert "are of classes" in run(
        "evaluate", "loans.csv", "--model", "amount.json", "--curves", "--bar", "0.3"
    ).stderr  # fmt: skip


def test_a_report_with_segments() -> None:
    words = ["report", "loans.json", "--table", "loans.csv", "--by", "purpose", "--positive", "no"]
    run(*words, "--costs", "no:yes=5", "--out", "page.html")
    page = Path("page.html").read_text()
    assert "Whom it treats differently" in page
    assert 'id="bar-miss" inputmode="decimal" size="6" value="5"' in page
    assert "are about rows" in run("report", "loans.json", "--by", "purpose").stderr
