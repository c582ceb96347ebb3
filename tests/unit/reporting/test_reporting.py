"""The report as text: what is in it, what is escaped, what is left out and said so."""

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier

import bosco
from bosco.datasets import golf, loans, play_tennis
from bosco.figures.figure import judge, truth_of
from bosco.pruning import GeneralizationError
from bosco.render.html import Table
from bosco.reporting.page import resource
from bosco.reporting.scores import score
from tests.contract.kinds import KINDS, mixed


class Reader(HTMLParser):
    """Tags that are open, all text, all ids."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.ids += [told["id"]] if told.get("id") else []  # type: ignore[list-item]
        self.links += [v for k, v in attrs if k in ("href", "src") and v]
        if tag not in {"meta", "input", "path", "rect", "circle"}:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"path", "rect", "circle"}:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text += data


def tennis() -> Any:
    X, y = play_tennis()
    return bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y), X, y


def test_one_file_of_well_formed_html_that_loads_nothing() -> None:
    clf, X, y = tennis()
    report = bosco.report(clf, X, y, title="Tennis", command="bosco fit 'a b.csv' --target Play")
    page = Reader(str(report))
    assert page.open == []
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert not re.search(r"(https?:)?//(?!www\.w3\.org/2000/svg)\w", "".join(page.scripts[1:]))
    for said in ("Follow a case", "Outlook", "0.2467", "bosco fit 'a b.csv' --target Play"):
        assert said in page.text
    assert "sha256:" in page.text
    assert str(report) == str(
        bosco.report(clf, X, y, title="Tennis", command="bosco fit 'a b.csv' --target Play")
    )
    assert str(clf.model_.report(X, y)) == str(bosco.report(clf.model_, X, y))


def test_only_its_own_scripts_and_sheets_are_allowed() -> None:
    html = str(tennis()[0].model_.report())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    inline = re.findall(r'<script type="module">(.*?)</script>', html, re.S)
    inline += re.findall(r"<style>(.*?)</style>", html, re.S)
    assert len(inline) == 6
    for text in inline:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


EVIL = "</script><script>alert(1)</script><!-- \" ' & \ud800 \x00"


def test_nothing_that_is_given_becomes_markup() -> None:
    X = {EVIL: [EVIL, "b"] * 10, "n": list(range(20))}
    y = [f"yes {EVIL}", "no"] * 10
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    html = str(model.report(X, y, title=EVIL, command=EVIL))
    html.encode()
    assert "\x00" not in html
    page = Reader(html)
    assert page.open == []
    assert len(page.scripts) == 7
    assert json.loads(page.scripts[0])["columns"][0]["name"] == EVIL
    assert "<script>alert" not in re.sub(r"(<script[^>]*>).*?</script>", r"\1", html, flags=re.S)
    assert "<script>alert(1)</script>" in page.text
    iframe = model.report()._repr_html_()
    assert "sandbox=" in iframe
    assert Reader(iframe).open == []


HOSTILE = '<script>alert(1)</script>{{ 7 * 7 }}{% raw %}\' " onload="x &amp; '


@pytest.mark.parametrize("many", [False, True])
def test_hostile_names_in_every_section(tmp_path: Path, many: bool) -> None:
    from bosco.tables import Options, read_file

    rows = [f"{k},{HOSTILE}{k % 3},{k % 5},{'yes' if k % 3 else HOSTILE}" for k in range(60)]
    path = tmp_path / "t.csv"
    quoted = [",".join('"' + c.replace('"', '""') + '"' for c in row.split(",")) for row in rows]
    path.write_text("\n".join(['k,"' + HOSTILE.replace('"', '""') + '",m,safe', *quoted]) + "\n")
    read = read_file(str(path), Options(target="safe"))
    plain = bosco.DecisionTreeClassifier()
    tree = plain.fit(read.X, read.y).model_.prune(GeneralizationError(alpha=0.1))
    boosted = bosco.AdaBoostClassifier(n_estimators=3)
    report = bosco.report(
        boosted.fit(read.X, read.y) if many else tree,
        read.X,
        read.y,
        evaluation=bosco.evaluate(plain, read.X, read.y, repeats=3),
        stability=bosco.stability(plain, read.X, read.y, repeats=3),
        selection=bosco.select(plain, {"max_depth": [1, 2]}, read.X, read.y),
        understanding=read.understanding,
        command=HOSTILE,
        title=HOSTILE,
    )
    html = re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", str(report), flags=re.S)
    page = Reader(html)
    assert page.open == []
    assert "alert(1)" in page.text
    assert "<script>alert" not in html
    assert not re.search(r"""<[^<>]*\sonload=["']""", html)
    assert "49{%" not in html  # what is given is never a template
    sections = html.split("<section id=")[1:]
    assert len(sections) == (9 if many else 10)
    named = ("tree", "table", "one-case", "columns", "data", "rules", "evaluation", "leaves")
    for section in sections:
        key = section.split('"')[1]
        assert ("&lt;script&gt;alert(1)" in section) or key not in (*named, "repeat"), key
    shown = [tree.rules(), tree.leaves(), tree.why(0), tree.recount(read.X, read.y)]
    for value in shown:
        assert "&lt;script&gt;alert(1)" in value._repr_html_()
        assert "<script" not in value._repr_html_()


def scored(model: Any, X: Any, y: Any, untouched: bool = False) -> Any:
    frame = model.read(X)
    leaves = model.recount(X, y)
    leaves = leaves.parts[0] if leaves.parts and not untouched else leaves
    truth = truth_of(model, frame, y)
    return score(model, truth, leaves, judge(model, frame, truth, untouched=untouched))


def test_rows_seen_in_training_are_told_apart() -> None:
    X, y = load_wine(return_X_y=True)
    model = bosco.DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2]).model_
    wrong = model.predict(X) != y
    scores = scored(model, X, y)
    assert scores.judged.apart
    assert scores.rows == 89
    assert scores.confusion.sum() == 89
    assert sum(point.rows for point in scores.points) == 89
    assert scores.figures[0].value == pytest.approx(wrong[1::2].mean())
    assert scores.figures[0].known == pytest.approx(wrong[::2].mean())
    text = Reader(str(model.report(X, y))).text
    assert "This model on 89 rows that equal no training row" in text
    assert "on 89 rows seen in training (no test)" in text
    assert "89 of 178 rows equal training rows in every column and the target." in text
    assert "By 89 rows that equal no training row; the largest leaf first" in text
    assert "flatter the model if" not in text
    seen = Reader(str(model.report(X[::2], y[::2]))).text
    assert "It was judged by rows that it learned from, which is no test." in seen
    assert "So this is no test: the figures flatter the model." in seen
    fresh = Reader(str(model.report(X[1::2], y[1::2]))).text
    assert "None of 89 rows equals a training row" in fresh
    part = Reader(str(model.report(X[1::2], y[1::2], untouched=True))).text
    assert "This model on the 89 rows set apart to test it" in part
    assert "These rows were set apart before anything was learned or chosen." in part
    bare = bosco.DecisionTreeClassifier(fingerprint=False).fit(X[::2], y[::2]).model_
    unknown = Reader(str(bare.report(X, y))).text
    assert "This model does not remember its training rows." in unknown
    assert "if it was grown on, or chosen with, any of these" in unknown


def test_no_better_than_the_constant_is_said() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), np.where(rng.random(300) < 0.7, "good", "bad")
    for learner in (bosco.DecisionTreeClassifier(), bosco.RandomForestClassifier(5)):
        model = learner.fit(X[:150], y[:150]).model_
        text = Reader(str(model.report(X[150:], y[150:]))).text
        assert text.count("than always saying good: ") == 2  # in the first lines and at the table
    evaluation = bosco.evaluate(bosco.DecisionTreeClassifier(), X, y, repeats=3)
    text = Reader(str(model.report(evaluation=evaluation))).text
    assert "always saying good by accuracy" in text


def test_the_fingerprint_is_told_not_shown() -> None:
    X, y = golf()
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    html = str(model.report())
    assert "of 14 different training rows" in html
    assert model.provenance["fingerprint"]["keys"] not in html


def test_figures_are_those_of_the_model() -> None:
    data = load_wine()
    X, y = data.data, data.target_names[data.target]
    model = bosco.DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2]).model_
    scores = scored(model, X[1::2], y[1::2])
    said = model.predict(X[1::2])
    assert [line.name for line in scores.figures] == ["error", "accuracy"]
    assert scores.figures[1].value == pytest.approx(np.mean(said == y[1::2]))
    most = Counter(y[::2]).most_common(1)[0][0]
    assert scores.figures[0].constant == pytest.approx(np.mean(y[1::2] != most))
    assert scores.confusion is not None
    wanted = pd.crosstab(y[1::2], said).reindex(columns=model.classes, fill_value=0)
    assert scores.confusion.tolist() == wanted.to_numpy().tolist()
    assert sum(point.rows for point in scores.points) == 89
    text = Reader(str(model.report(X[1::2], y[1::2]))).text
    assert f"it gets {100 * scores.figures[0].value:.1f}\u00a0% wrong" in text
    assert (
        f"Always saying {most} would get {100 * scores.figures[0].constant:.1f}\u00a0% wrong"
        in text
    )
    fractional = KINDS["c4.5, fractional"]()
    X, y = mixed(2)
    found = scored(fractional, X, y).confusion
    assert found is not None
    assert np.trace(found) == (fractional.predict(X) == y).sum()


def test_regression() -> None:
    model = KINDS["regression"]()
    text = Reader(str(model.report())).text
    assert "How sure each leaf is" in text
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] * 2
    tree = bosco.DecisionTreeRegressor(max_depth=3).fit(X[::2], y[::2])
    found = {line.name: line for line in scored(tree.model_, X[1::2], y[1::2]).figures}
    assert found["R²"].value == pytest.approx(tree.score(X[1::2], y[1::2]))
    off, idle = tree.predict(X[1::2]) - y[1::2], y[::2].mean() - y[1::2]
    assert found["mean absolute error"].value == pytest.approx(np.abs(off).mean())
    assert found["mean absolute error"].constant == pytest.approx(np.abs(idle).mean())
    squares = found["root of the mean squared error"]
    assert squares.constant == pytest.approx(np.sqrt(np.mean(idle**2)))
    assert "mean absolute error" in Reader(str(bosco.report(tree, X[1::2], y[1::2]))).text


def test_sections_come_with_what_is_given() -> None:
    X, y = golf()
    plain = bosco.DecisionTreeClassifier()
    model = plain.fit(X, y).model_.prune(GeneralizationError(alpha=0.5))
    bare = Reader(str(model.report())).text
    assert "How steady it is" not in bare
    assert "How good it is" not in bare
    assert "those it was grown on, which flatter it" in bare
    assert "generalization error" in bare
    full = Reader(
        str(
            model.report(
                evaluation=bosco.evaluate(plain, X, y, repeats=3),
                stability=bosco.stability(plain, X, y, repeats=4),
                selection=bosco.select(plain, {"max_depth": [1, 2]}, X, y),
            )
        )
    ).text
    for said in (
        "corrected resampled t",
        "How steady it is",
        "4 bootstrap samples",
        "What was tried",
    ):
        assert said in full


def test_the_data_as_understood(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from bosco.tables import Options, read_file

    path = tmp_path / "loans.csv"
    path.write_text("id,age,safe\n" + "".join(f"{k},{20 + k},{'yn'[k % 2]}\n" for k in range(30)))
    reading = read_file(str(path), Options(target="safe"))
    model = bosco.DecisionTreeClassifier().fit(reading.X, reading.y).model_
    report = model.report(reading.X, reading.y, understanding=reading.understanding)
    text = Reader(str(report)).text
    assert report.title.startswith("safe, from ")
    assert "(target)" in text
    assert "20 … 49" in text


def test_large_trees_are_bounded_and_it_is_said() -> None:
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.tile(X, (6, 1)) + rng.normal(0, 4, (6 * len(X), 64))
    y = np.tile(y, 6)
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    assert model.n_leaves > 1000
    html = str(model.report())
    text = Reader(html).text
    assert len(html) < 1_500_000
    assert "too many to print" in text
    assert f"of {model.tree.node_count} nodes" in text
    assert f"Left out: {model.n_leaves - 100} more leaves." in text


def test_what_cannot_be_predicted_on_the_page_is_said() -> None:
    big = 2**60 + 1
    X = pd.DataFrame({"code": pd.Categorical([big, big + 2] * 10)})
    model = bosco.DecisionTreeClassifier().fit(X, ["a", "b"] * 10).model_
    text = Reader(str(model.report())).text
    assert "This page cannot predict" in text
    assert "beyond 2**53" in text


@pytest.mark.parametrize("kind", ["one leaf", "infinities", "moments", "odd names, multiway"])
def test_every_kind_of_tree(kind: str) -> None:
    page = Reader(str(KINDS[kind]().report()))
    assert page.open == []
    assert "How to repeat it" in page.text


def test_wrong_calls() -> None:
    clf, X, y = tennis()
    with pytest.raises(bosco.ParameterError, match="Got X without y"):
        bosco.report(clf, X)
    with pytest.raises(bosco.ParameterError, match="Got RandomForestClassifier"):
        bosco.report(RandomForestClassifier())
    with pytest.raises(bosco.ParameterError, match="fit it first"):
        bosco.report(bosco.DecisionTreeClassifier())
    with pytest.raises(bosco.DataError, match="none of the model's classes"):
        bosco.report(clf, X, ["Maybe"] * len(y))


def test_saving_is_whole(tmp_path: Path) -> None:
    report = tennis()[0].model_.report()
    report.save(tmp_path / "t.html")
    assert (tmp_path / "t.html").read_text(encoding="utf-8") == str(report)
    assert [p.name for p in tmp_path.iterdir()] == ["t.html"]


def test_its_own_files_are_small_and_there() -> None:
    for name in ("page.css", "tree.js", "case.js"):
        assert 1000 < len(resource(name)) < 20_000
        assert "</script" not in resource(name)


def test_values_in_notebooks() -> None:
    X, y = golf()
    plain = bosco.DecisionTreeClassifier()
    model = plain.fit(X, y).model_
    values = [
        model.rules(),
        model.leaves(),
        model.prune(GeneralizationError(alpha=2)).pruning_log(),
        bosco.evaluate(plain, X, y, repeats=3),
        bosco.compare(plain, bosco.DecisionTreeClassifier(max_depth=1), X, y, repeats=3),
        bosco.select(plain, {"max_depth": [1, 2]}, X, y),
        bosco.stability(plain, X, y, repeats=3),
    ]
    for value in values:
        html = value._repr_html_()
        page = Reader(html)
        assert page.open == []
        assert html.count("<table") == len(value.tables())
    assert "nothing was pruned" in model.pruning_log()._repr_html_()


def test_columns_of_figures_stand_to_the_right() -> None:
    html = Table(["a", "b"], [["x", "4"], ["5", "100 %"], ["–", ""]]).to_html(inline=False)
    assert html.count('class="number"') == 4
    assert '<th scope="col" class="number">b' in html


def test_the_report_says_why_branches_end() -> None:
    model = bosco.DecisionTreeClassifier(max_leaf_nodes=3).fit(*loans()).model_
    page = str(model.report())
    assert "Why the branches end" in page
    assert "All its rows are of one class." in page
    assert "The tree had its leaves (max_leaf_nodes=3)" in page
