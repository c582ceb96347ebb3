"""``bosco fit``: where files go, what Ctrl-C leaves, how calls are read and written."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bosco import pruning
from bosco.cli.choosing import select
from bosco.cli.groups import Learner, Parts, TableOptions
from bosco.cli.verbs.fit import place_of
from bosco.cli.verbs.select import _grid
from bosco.errors import DataError, ParameterError
from bosco.judge import runs
from bosco.lessons.learners import learner
from bosco.lessons.lesson import read_lesson, setting_words
from bosco.lessons.literals import literal, read_policy, write_literal, write_policy
from bosco.lessons.told import Task
from bosco.pruning import Pessimistic
from tests.commands import run


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (f"{i % 9},{'yes' if i % 9 > 4 else 'no'}" for i in range(60))
    Path("a.csv").write_text("x,y\n" + "\n".join(rows) + "\n")


# Files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "out", "model"),
    [
        ("loans.csv", None, "loans.json"),
        ("d/loans.csv.gz", None, "d/loans.json"),
        ("loans.json", None, "loans.model.json"),
        ("loans.2023.csv", None, "loans.2023.json"),
        ("-", None, "is_safe.json"),
        ("postgresql://u@h/db", None, "is_safe.json"),
        ("d/loans.csv", "e", "e/loans.json"),
        ("d/loans.csv", "e/m.bosco", "e/m.bosco"),
        ("loans.csv", "m.json", "m.json"),
    ],
)
def test_where_files_go(file: str, out: str | None, model: str) -> None:
    assert place_of(file, "is safe", None if out is None else Path(out)) == Path(model)


def test_strangers_are_not_written_over() -> None:
    Path("a.json").write_text("[1, 2]")
    result = run("fit", "a.csv", "--target", "y")
    assert result.exit_code == 2
    assert "bosco has not written it" in result.stderr
    assert Path("a.json").read_text() == "[1, 2]"
    assert run("fit", "a.csv", "--target", "y", "--no-choose", "--out", "a.json").exit_code == 0
    assert run("fit", "a.csv", "--target", "y", "--no-choose").exit_code == 0  # it is ours now


@pytest.mark.parametrize("where", ["bosco.select", "bosco.models.model.Model.save"])
def test_ctrl_c_leaves_nothing(where: str, monkeypatch: pytest.MonkeyPatch) -> None:

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, stop)
    result = run("fit", "a.csv", "--target", "y", "--no-report")
    assert result.exit_code == 130
    assert sorted(p.name for p in Path().iterdir()) == ["a.csv"]


def test_a_selection_cut_short_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = read_lesson("a.csv", "y", TableOptions(), None)
    real = runs.run_all
    monkeypatch.setattr("bosco.judge.selecting.run_all", lambda *a, **k: (real(*a, **k)[0], True))
    with pytest.raises(KeyboardInterrupt):
        select(lesson, {}, [{"max_depth": [1, 2]}], Parts())


def test_the_report_is_written_and_can_be_left_out() -> None:
    assert "saved: a.json, a.html" in run("fit", "a.csv", "--target", "y", "--no-choose").output
    assert Path("a.html").read_text().startswith("<!DOCTYPE html>")
    assert run("fit", "a.csv", "--target", "y", "--no-choose").exit_code == 0
    assert run("report", "a.json", "--table", "a.csv", "--out", "b.html").exit_code == 0
    assert Path("b.html").stat().st_size > 1000
    Path("a.html").unlink()
    assert run("fit", "a.csv", "--target", "y", "--no-choose", "--no-report").exit_code == 0
    assert not Path("a.html").exists()


# Calls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--split", "0.5,0.5"), "--split takes three shares"),
        (("--split", "0.5,0.4,0.3"), "--split takes three shares"),
        (("--split", "a,b,c"), "--split takes three shares"),
        (("--pruning", "pesimistic"), "Did you mean 'pessimistic'"),
        (("--pruning", "cost_complexity:alfa=1"), "Did you mean 'alpha'"),
        (("--pruning", "pessimistic:raising"), "takes confidence=…, raising=…. Got 'raising'"),
        (("--pruning", "cost_complexity:alpha=-1"), "must be a number, 0 or more"),
        (("--set", "missng=learn"), "Did you mean 'missing'"),
        (("--set", "missing=lern"), "Did you mean 'learn'"),
        (("--inner", "valid"), "inner must be one of"),
        (("--out", "a.txt"), ".json or .bosco, or of a folder"),
        (("--algorithm", "carrt"), "Did you mean 'cart'"),
    ],
)
def test_calls_at_fault(words: tuple[str, ...], said: str) -> None:
    result = run("fit", "a.csv", "--target", "y", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("a.json").exists()


POLICIES = st.one_of(
    st.just("none"),
    st.builds(pruning.GeneralizationError, st.floats(0, 1e3)),
    st.builds(pruning.ReducedError, st.floats(0.01, 0.99)),
    st.builds(
        pruning.CostComplexity,
        st.none() | st.floats(0, 10),
        st.integers(2, 20),
        st.booleans(),
        st.sampled_from(["impurity", "error"]),
    ),
    st.builds(pruning.Pessimistic, st.floats(0.001, 0.5), st.booleans()),
    st.just(pruning.MinimumDescriptionLength()),
    st.builds(pruning.CriticalValue, st.floats(0.001, 0.99), st.booleans()),
    st.builds(pruning.SameAnswer, st.booleans()),
)


@given(POLICIES)
def test_policies_can_be_written_and_read(policy: Any) -> None:
    assert repr(read_policy(write_policy(policy))) == repr(policy)


@given(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False))
def test_values_can_be_written_and_read(value: Any) -> None:
    assert literal(write_literal(value)) == value


def test_settings_as_words() -> None:
    settings = {"max_depth": None, "max_leaf_nodes": 4, "ccp_alpha": 0.5}
    assert setting_words(settings) == ["--max-leaf-nodes", "4", "--set", "ccp_alpha=0.5"]


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (['class_weight={"bad": 5}'], {"class_weight": {"bad": 5}}),
        (["class_weight={bad:5,good:1},missing=majority"], {"class_weight": {"bad": 5, "good": 1}}),
        (["class_weight={0: 2, 1: 1}"], {"class_weight": {0: 2, 1: 1}}),
        (
            ['monotonic_cst={"duration": 1}', "min_samples_split=7"],
            {"monotonic_cst": {"duration": 1}},
        ),
        (["monotonic_cst=[1,0,-1]"], {"monotonic_cst": [1, 0, -1]}),
        (['missing="learn"'], {"missing": "learn"}),
        (['"missing=learn","max_features=2"'], {"missing": "learn"}),
        (["missing='learn', class_weight={'1': 2, b: 3}"], {"class_weight": {"1": 2, "b": 3}}),
    ],
)
def test_dicts_and_several_settings(words: list[str], settings: dict[str, Any]) -> None:
    read = Learner(also=words).settings()
    assert settings.items() <= read.items()
    again = setting_words(read)
    given = [again[i + 1] for i, word in enumerate(again) if word == "--set"]
    assert settings.items() <= Learner(also=given).settings().items()


@pytest.mark.parametrize("also", ["class_weight={bad", "class_weight={bad}", "class_weight"])
def test_settings_at_fault(also: str) -> None:
    with pytest.raises(ParameterError):
        Learner(also=[also]).settings()


def test_an_unknown_algorithm_lists_all_in_order() -> None:
    with pytest.raises(
        ParameterError,
        match=r"Did you mean 'cart'\? One tree: cart, best_first, "
        r"stump, recursive_stump, id3, c45, hunt, optimal; many: forest, extra_trees, adaboost, "
        r"samme\.",
    ):
        Learner(algorithm="crat").settings()


def test_no_parameter_of_that_name() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'max_depth'"):
        learner(Task.regression, {"max_dept": 3})


def test_only_identifiers() -> None:
    Path("a.csv").write_text("id,y\n" + "".join(f"k{i},{'ab'[i % 2]}\n" for i in range(30)))
    lesson = read_lesson("a.csv", "y", TableOptions(), None)
    assert lesson.reading.X.column_names == ["id"]  # there is nothing else
    with pytest.raises(DataError):
        read_lesson("a.csv", "id", TableOptions(), None)


def test_quotes_say_that_a_value_is_text() -> None:
    assert [literal(text) for text in ('"learn"', "'3'", '"a, b"', '"', "''")] == [
        "learn", "3", "a, b", '"', ""
    ]  # fmt: skip
    assert _grid(['missing="learn",branch', 'pruning="pessimistic:raising=false",none']) == {
        "missing": ["learn", "branch"],
        "pruning": [Pessimistic(raising=False), "none"],
    }
