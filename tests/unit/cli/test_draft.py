"""``bosco draft`` and ``bosco replay``: verbs one call at a time, each kept in the log."""

from pathlib import Path
from typing import Any

import pytest

import bosco
from tests.commands import LOANS, run, said, told


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The words of a call on a fresh draft."""
    table, log = tmp_path / "loans.csv", tmp_path / "loans.draft"
    table.write_bytes(LOANS.read_bytes())
    call = ["draft", str(table), "--log", str(log)]
    opened = said(*call, "--target", "safe", "--algorithm", "id3", "--who", "Ada")
    assert "validation never looked at" in opened
    return call


def test_verbs_one_after_the_other(words: list[str], tmp_path: Path) -> None:
    first = said(*words, "why", "0").splitlines()[-1].split(" ")[0]
    assert first
    refused = run(*words, "split", "0", "99")
    assert refused.exit_code == 2
    done = said(*words, "grow", "--depth", "2", "--reason", "to begin with")
    assert "first look" in done
    assert "validation looked at once" in done
    said(*words, "note", "0", "the root")
    said(*words, "lock", "1", "--who", "Bob")
    locked = run(*words, "best", "0")
    assert locked.exit_code == 1
    assert "is locked" in locked.output + str(locked.stderr)
    said(*words, "undo")
    assert "first look" in said(*words, "final", "--out", str(tmp_path / "m.json"))
    entries = told(*words, "log")["log"]
    assert [entry["verb"] for entry in entries] == [
        "open", "grow", "note", "lock", "undo", "final",
    ]  # fmt: skip
    assert [entry["who"] for entry in entries][2:4] == ["Ada", "Bob"]
    lines = said(*words, "log").splitlines()
    assert [line.split()[3] for line in lines] == [entry["verb"] for entry in entries]
    assert "Bob: lock node 1" in lines[3]
    assert not any(sign in line.split("[")[0] for line in lines for sign in "{}'")
    assert bosco.load(tmp_path / "m.json").edits.notes == {0: "the root"}
    for log in (words[3], str(tmp_path / "m.json")):
        assert "same bits" in said("replay", log, words[1])


def test_another_table_and_a_changed_log(words: list[str], tmp_path: Path) -> None:
    lines = LOANS.read_text().splitlines(keepends=True)
    other = tmp_path / "other.csv"
    other.write_text("".join([*lines[:2], *reversed(lines[2:])]))
    assert run("replay", words[3], str(other)).exit_code == 1
    log = Path(words[3])
    log.write_text(log.read_text().replace("Ada", "Eve"))
    assert run("replay", words[3], words[1]).exit_code == 1
    assert run(*words, "grow").exit_code == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["splt", "0"], "Did you mean 'split'"),
        (["split", "0"], "split NODE TEST"),
        (["best", "zero"], "best NODE"),
        (["best", "0", "1"], "best NODE"),
        (["undo"], "nothing to undo"),
    ],
)
def test_what_cannot_be_said(words: list[str], given: list[str], says: str) -> None:
    before = Path(words[3]).read_bytes()
    result: Any = run(*words, *given)
    assert result.exit_code in (1, 2)
    assert says in result.output + str(result.stderr)
    assert Path(words[3]).read_bytes() == before


def test_a_draft_is_opened_with_a_target(tmp_path: Path) -> None:
    result = run("draft", str(LOANS), "--log", str(tmp_path / "x.draft"), "grow")
    assert result.exit_code == 2
    assert not (tmp_path / "x.draft").exists()
    many = ["draft", str(LOANS), "--log", str(tmp_path / "x.draft"), "--target", "safe"]
    assert run(*many, "--algorithm", "forest").exit_code == 2


def test_reading_writes_nothing_and_a_model_is_no_log(words: list[str], tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    said(*words, "grow", "--out", str(model))
    for path, log in ((model, str(model)), (Path(words[3]), words[3])):
        before = path.read_bytes()
        result = run("draft", words[1], "--log", log, "show")
        assert path.read_bytes() == before
        assert result.exit_code == (2 if path == model else 0)
    before = Path(words[3]).read_bytes()
    assert run(*words, "prune", "0", "--out", str(tmp_path / "none" / "x.json")).exit_code != 0
    assert Path(words[3]).read_bytes() == before
    assert run(*words, "exclude").exit_code == 2


def test_a_class_called_none(tmp_path: Path) -> None:
    table = tmp_path / "none.csv"
    rows = "".join(f"{i},{'none' if i < 30 else 'some'}\n" for i in range(60))
    table.write_text("x,k\n" + rows)
    call = ["draft", str(table), "--log", str(tmp_path / "n.draft")]
    said(*call, "--target", "k", "grow")
    said(*call, "answer", "2", "none", "--reason", "r")
    orders = bosco.load_draft(tmp_path / "n.draft", *_rows(table)).model.edits.orders
    assert list(orders) == [2]


def _rows(table: Path) -> tuple[Any, Any]:
    lines = [line.split(",") for line in table.read_text().split()[1:]]
    return {"x": [float(x) for x, _ in lines]}, [k for _, k in lines]
