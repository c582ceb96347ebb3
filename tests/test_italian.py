"""What people read, in Italian: nothing English is left, and every figure is the same."""

import html
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_diabetes, load_wine
from typer.testing import CliRunner

import bosco
from bosco.base.language import OR, catalogue
from bosco.cli.app import app
from bosco.datasets import golf, play_tennis

TOO_SHORT = 12
"""English of fewer letters, such as "as" or "test", may be Italian, a name or a setting."""


def english_left(page: str) -> list[str]:
    """Sentences of the catalogue, of which the Italian differs, that a text has in English."""
    found = []
    for key, said in catalogue("it").items():
        english = re.sub(r" \[\w+\]$", "", key)
        for one, other in zip(english.split(OR), said.split(OR), strict=True):
            words = [part.strip() for part in re.split(r"\{[^}]*\}", one)]
            words = [part for part in words if len(re.sub(r"[^A-Za-z]", "", part)) >= TOO_SHORT]
            words = [part for part in words if not part.isidentifier()]  # a setting's name stays
            # Of some, a part is the same in Italian, or a part of another sentence.
            words = [part for part in words if part not in other]
            found += [part for part in words if part in page]
    return found


def visible_text(page: str) -> str:
    """What a person sees or hears of a page: no scripts, no style sheets, and its words."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    page = re.sub(
        r"<[^>]*?((?: (?:aria-label|aria-description|title)=\"[^\"]*\")*)[^>]*>", r" \1 ", page
    )
    return re.sub(r"\s+", " ", html.unescape(page))


def figures_of(text: str) -> Counter[str]:
    """Every number of a text, whatever stands around it."""
    return Counter(re.findall(r"\d[\d,]*(?:\.\d+)?", text))


def tree() -> Any:
    data = load_wine(as_frame=True)
    y = data.target_names[data.target]
    clf = bosco.DecisionTreeClassifier(pruning="pessimistic").fit(data.data[::2], y[::2])
    return clf, data.data[1::2], y[1::2]


def numbers() -> Any:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return bosco.DecisionTreeRegressor(max_depth=4).fit(X[::2], y[::2]), X[1::2], y[1::2]


def forest() -> Any:
    _, X, y = tree()
    return bosco.RandomForestClassifier(7, random_state=0).fit(X, y), X, y


def points() -> Any:
    _, X, y = tree()
    return bosco.AdaBoostClassifier(n_estimators=8).fit(X, y), X, y


def missing() -> Any:
    X, y = golf()
    X = {name: list(column) for name, column in dict(X).items()}
    X["humidity"][3] = None
    return bosco.DecisionTreeClassifier(algorithm="c45").fit(X, y), X, y


def priced() -> Any:
    X, y = golf()
    prices = {"outlook": 2, "instruments": 7}
    groups = {"instruments": ["humidity", "temperature"]}
    asked = {"ask_costs": prices, "ask_groups": groups, "ask_delayed": ["instruments"]}
    return bosco.DecisionTreeClassifier(**asked).fit(X, y), X, y


MADE: dict[str, Callable[[], Any]] = {
    "tree": tree, "numbers": numbers, "forest": forest, "points": points, "missing": missing,
    "priced": priced,
}  # fmt: skip


@cache
def made(which: str) -> Any:
    return MADE[which]()


@pytest.mark.parametrize("which", MADE)
def test_a_report_in_italian_has_no_english_left_and_the_same_figures(which: str) -> None:
    model, X, y = made(which)
    english, italian = (str(bosco.report(model, X, y, lang=lang)) for lang in ("en", "it"))
    assert '<html lang="en">' in english
    assert '<html lang="it">' in italian
    said = visible_text(italian)
    assert english_left(visible_text(english)), "the check finds English where it is"
    assert english_left(said) == []
    numbers_apart = figures_of(visible_text(english)) - figures_of(said)
    assert not numbers_apart
    assert str(bosco.report(model, X, y)) == english


def parts_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """A case of which nothing is known, then more and more."""
    return [dict(list(case.items())[:n]) for n in range(len(case))]


@pytest.mark.parametrize("which", MADE)
def test_what_is_printed_has_no_english_left_and_the_same_figures(which: str) -> None:
    model, X, y = made(which)
    model = model.model_
    case = {name: list(dict(X)[name])[1] for name in model.schema.names}

    def texts() -> str:
        told = [str(model), str(model.explain(case)), model.explain(case).to_markdown()]
        if isinstance(model, bosco.Model):
            told += [str(model.why(node)) for node in range(min(model.tree.node_count, 9))]
            told += [str(model.leaves()), str(model.recount(X, y)), str(model.seen(X, y))]
            told += [str(model.rules()), str(model.rules().simplify().report)]
            told += [model.rules().to_markdown(), str(model.pruning_log())]
            told += [str(model.judge(X, y)), *(str(model.explain(part)) for part in parts_of(case))]
        return "\n".join(told)

    english = texts()
    with bosco.speaking("it"):
        italian = texts()
    assert texts() == english
    assert english != italian
    assert english_left(italian) == []
    assert figures_of(english) == figures_of(italian)
    assert english.count("\n") == italian.count("\n")


def test_the_first_lines_of_a_tree() -> None:
    model = bosco.DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    with bosco.speaking("it"):
        lines = str(model).splitlines()
        rules = str(model.rules()).splitlines()
    assert lines[0] == "id3 (entropy) · 14 righe, 4 colonne, 2 classi · 5 foglie, profondità 2"
    assert lines[2] == "[0] · 14 righe: Yes 9, No 5"
    assert rules[0] == "se Outlook = Overcast allora Yes · 4 righe"


def test_what_programs_read_is_in_one_language(tmp_path: Path) -> None:
    model = bosco.DecisionTreeClassifier().fit(*play_tennis()).model_

    def written(name: str) -> list[str]:
        model.save(tmp_path / name)
        told = [
            (tmp_path / name).read_text(),
            model.to_sql("duckdb"),
            model.to_python(),
            model.to_c(),
        ]
        return [*told, model.to_javascript(), str(model.rules().to_dict()), str(model.schema)]

    english = written("en.json")
    with bosco.speaking("it"):
        assert written("it.json") == english


def run(*words: str, **environment: str) -> str:
    found = CliRunner().invoke(app, list(words), env=environment or None)
    assert found.exit_code == 0, found.output
    return found.output


def test_the_command_line_takes_a_language(tmp_path: Path) -> None:
    X, y = play_tennis()
    path = tmp_path / "m.json"
    bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y).model_.save(path)
    english, italian = run("show", str(path)), run("show", str(path), "--lang", "it")
    assert "14 rows" in english
    assert "14 righe" in italian
    assert run("show", str(path), BOSCO_LANG="it") == italian
    assert run("show", str(path), "--lang", "en", BOSCO_LANG="it") == english
    for verb in ("show", "why", "rules", "explain"):
        case = ["Outlook=Rain", "Wind=Weak"] * (verb == "explain")
        words = (verb, str(path), *case, "--format", "json")
        assert run(*words, "--lang", "it") == run(*words)
    wrong = CliRunner().invoke(app, ["show", str(path), "--lang", "xx"])
    assert wrong.exit_code == 2
    assert "'en', 'it'" in wrong.output


def test_fit_speaks_and_writes_italian(tmp_path: Path) -> None:
    data = load_wine(as_frame=True)
    data.frame.to_csv(tmp_path / "wine.csv", index=False)
    said = run("fit", str(tmp_path / "wine.csv"), "--target", "target", "--lang", "it")
    assert "parti: 60/20/20, seme 0" in said
    assert "salvato: " in said
    again = re.search(r"^di nuovo: (.*)$", said, re.M)
    assert again is not None
    assert again[1].endswith("--lang it")
    page = (tmp_path / "wine.html").read_text()
    assert '<html lang="it">' in page
    assert "Le sue regole più forti" in page
    model = (tmp_path / "wine.json").read_text()
    run("fit", str(tmp_path / "wine.csv"), "--target", "target", "--out", str(tmp_path / "e.json"))
    without = re.compile(r'"command": "[^"]*"|"hash": "[^"]*"|"sha256[^"]*": ?"[^"]*"')
    assert without.sub("", model) == without.sub("", (tmp_path / "e.json").read_text())


def test_every_noun_that_is_counted_is_known() -> None:
    from bosco.render.card import COUNTED

    source = Path(bosco.__file__).parent
    for path in source.rglob("*.py"):
        for noun in re.findall(
            r"\b(?:count|show_amount)\([^\n]*, \"([a-z ]+)\"\)", path.read_text()
        ):
            assert noun in COUNTED, path.name


def made_by_hand(language: str) -> Any:
    X, y = bosco.datasets.loans()
    with bosco.speaking(language):
        draft = bosco.draft(
            bosco.DecisionTreeClassifier(algorithm="c45"), X, y, clock=lambda: datetime(2024, 1, 2)
        )
        said = [draft.split(0, "term", reason="a rule"), draft.grow(), draft.undo()]
        said += [draft.answer(1, "risky", reason="orders"), draft.compare(), draft.final()]
        return draft, "\n".join([*map(str, said), str(draft)])


def test_a_draft_speaks_italian_and_its_log_is_one() -> None:
    (english, in_english), (italian, in_italian) = map(made_by_hand, ("en", "it"))
    assert italian.log == english.log
    assert italian.model.edits == english.model.edits
    assert english_left(in_english), "the check finds English where it is"
    assert english_left(in_italian) == []
    with bosco.speaking("it"):
        assert "stessi bit" in str(bosco.replay(english.log, *bosco.datasets.loans()))
        assert english_left(visible_text(str(bosco.report(italian.model, lang="it")))) == []
