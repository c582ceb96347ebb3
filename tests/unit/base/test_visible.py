"""Names, levels and labels of strangers are shown, and do not act."""

import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, RandomForestClassifier
from bosco.base.visible import harmless, visible

NASTY = ["\x1b[2J", "\x1b]0;title\x07", "\x07", "a\n└─ [9] x ≤ 1 → forged · 7 rows", "\r[0]",
         "\x9b31m", "\x7f", "\u202eabc", "\u2066a\u2069", "\u2028", "\U000e0041"]  # fmt: skip


def learned(learner: Any, name: str, level: str, label: str) -> Any:
    X = pd.DataFrame({name: [level, "b", level, "b", "c", "c"] * 4, "n": [1.0, 2, 3, 4, 5, 6] * 4})
    return learner.fit(X, [label, "q", label, "q", "q", label] * 4).model_


def texts(model: Any) -> list[str]:
    """All that is made for people of a model."""
    case = dict.fromkeys(model.schema.names)
    told = model.explain(case)
    found = [str(model), str(told), told.to_markdown()]
    if isinstance(model, bosco.Model):
        rules = model.rules()
        found += [str(model.why(0)), str(model.leaves()), str(rules), str(rules.simplify())]
        found += [rules.to_dnf(), rules.to_markdown(), str(model.pruning_log())]
        found += [str(rules.equivalent_to(model)), model.to_text(ascii=True)]
    return found


@pytest.mark.parametrize("nasty", NASTY, ids=ascii)
@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(3, random_state=0),
        AdaBoostClassifier(n_estimators=3),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_nothing_acts_and_no_line_is_forged(learner: Any, nasty: str) -> None:
    alike = "A" if nasty < "b" else "z"  # in the order of levels and labels
    for which in range(3):
        words, others = ["name", "a", "p"], ["name", "a", "p"]
        words[which], others[which] = nasty, alike
        shown, plain = texts(learned(learner, *words)), texts(learned(learner, *others))
        for text in shown:
            assert harmless(text) == text
        assert [t.count("\n") for t in shown] == [t.count("\n") for t in plain]
        assert any(repr(nasty) in text for text in shown) or which == 1


def test_the_data_stay_as_they_are() -> None:
    model = learned(DecisionTreeClassifier(), "na\nme", "\x1b", "\x07")
    assert model.schema.names[0] == "na\nme"
    assert model.predict(pd.DataFrame({"na\nme": ["\x1b"], "n": [1.0]}))[0] == "\x07"
    assert model.explain({"na\nme": "\x1b", "n": 1.0}).prediction == "\x07"


def test_what_is_plain_is_shown_as_it_is() -> None:
    for text in ("age", "Sì", "日本 🌲", "a\u200cb", "l'età", "x  y"):
        assert visible(text) == text == harmless(text)


def test_a_table_with_odd_names_is_told_in_its_own_lines(tmp_path: Path) -> None:
    from bosco.tables import read_file

    path = tmp_path / "\x1b[2J.csv"
    path.write_text('"na\nme",b\n\x1b[2J,1\n"x\ny",2\n', newline="")
    told = str(read_file(path).understanding)
    assert harmless(told) == told
    assert told.count("\n") == 4


def test_the_command_line_sends_nothing_that_acts(tmp_path: Path) -> None:
    """On a terminal: the tree, an error with a name of a file in it, and code."""
    model = learned(DecisionTreeClassifier(), "\x1b[2J", "\x07", "\x1b]0;t\x07")
    model.save(tmp_path / "m.json")
    bosco_ = [sys.executable, "-m", "bosco.cli"]
    for words in (
        ["show", "m.json"],
        ["rules", "m.json"],
        ["export", "m.json", "--to", "python"],
        ["export", "m.json", "--to", "sql"],
        ["show", "no \x1b[2J.json"],
        ["\x1b[2J"],
    ):
        main, side = pty.openpty()
        subprocess.run([*bosco_, *words], cwd=tmp_path, stdout=side, stderr=side, check=False)
        os.close(side)
        said = b""
        try:
            while part := os.read(main, 1 << 16):
                said += part
        except OSError:  # nobody has the other side open any more
            pass
        os.close(main)
        text = said.decode().replace("\r\n", "\n")
        assert text, words
        assert harmless(text) == text, words


def test_a_file_that_says_so_shows_its_provenance_harmlessly() -> None:
    model = learned(DecisionTreeClassifier(), "name", "a", "p")
    file = io.BytesIO()
    bosco.Model(
        model.tree, model.schema, model.classes, model.growth, {"algorithm": "\x1b[2J\nforged"}
    ).save(file, form="json")
    again = bosco.load(io.BytesIO(file.getvalue()))
    assert json.loads(file.getvalue())["provenance"]["algorithm"].startswith("\x1b")
    assert str(again).startswith(r"'\x1b[2J\nforged' (gini)")
