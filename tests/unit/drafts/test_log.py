"""The log of a draft: a chain that shows every change, and what it refuses."""

import json
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.datasets import loans
from bosco.drafts.log import estimator_from, plain_estimator, read_log, write_log
from bosco.errors import ModelError, ParameterError
from bosco.pruning import CostComplexity
from bosco.tree.edits import chained


@pytest.fixture(scope="module")
def log() -> Any:
    draft = bosco.draft(bosco.DecisionTreeClassifier(algorithm="id3"), *loans(), who="Ada")
    draft.split(0, "income = low", reason="house rule: «low»")
    draft.grow(0, 2)
    draft.final()
    return draft.log


def test_any_changed_byte_shows(log: Any) -> None:
    """Every byte of the file, each changed to another."""
    data = write_log(log).encode()
    assert read_log(data) == log
    random = np.random.default_rng(0)
    for at in range(len(data)):
        other = bytearray(data)
        other[at] ^= int(random.integers(1, 256))
        with pytest.raises(ModelError):
            read_log(bytes(other))


def test_any_omission_shows(log: Any) -> None:
    text = write_log(log)
    for gone in range(len(log)):
        rest = [entry for k, entry in enumerate(log) if k != gone]
        head, tail = text.split('"log": [\n')
        lines = tail.split("\n]")[0].split(",\n")
        del lines[gone]
        joined = ",\n".join(lines)
        with pytest.raises(ModelError):
            read_log(f'{head}"log": [\n{joined}\n]}}\n')
        if gone < len(log) - 1:  # the last may go, and the chain is a chain: the file's head shows
            with pytest.raises(ModelError):
                bosco.replay(rest, *loans())


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b'{"bosco draft": 1, "log": []}', b"\xff", b'{"bosco draft": 9}']
)
def test_what_is_no_log_is_refused(data: bytes) -> None:
    with pytest.raises(ModelError):
        read_log(data)


def test_a_log_of_another_table_is_refused(log: Any) -> None:
    X, y = loans()
    income = list(X["income"])
    other = dict(X) | {"income": [*income[1:], income[0]]}
    with pytest.raises(ModelError, match="what they hold"):
        bosco.replay(log, other, y)
    with pytest.raises(ModelError, match="what they hold"):
        bosco.replay(log, X, list(reversed(list(y))))
    with pytest.raises(ModelError, match="column 'wealth' was not in"):
        bosco.replay(log, {**X, "wealth": income}, y)
    with pytest.raises(ModelError, match="was nominal with"):
        bosco.replay(log, dict(X) | {"income": np.arange(40.0)}, y)
    with pytest.raises(ModelError, match="40 rows, this has 39"):
        bosco.replay(log, {k: list(v)[1:] for k, v in X.items()}, list(y)[1:])


def test_where_a_log_differs_is_said(log: Any) -> None:
    forged: tuple[Any, ...] = ()
    for entry in log:
        content = {k: v for k, v in entry.items() if k not in ("before", "hash")}
        if entry["verb"] == "grow":
            content["state"] = "0" * 64
        forged = (*forged, chained(forged, content))
    again = bosco.replay(forged, *loans())
    assert not again.same
    assert again.differs == 2
    assert "grow: the tree is" in str(again)


def test_a_saved_draft_goes_on(log: Any, tmp_path: Any) -> None:
    draft = bosco.replay(log, *loans()).draft
    draft.save(tmp_path / "d.json")
    loaded = bosco.load_draft(tmp_path / "d.json", *loans())
    assert loaded.log == log
    loaded.note(0, "gone on with")
    assert loaded.log[: len(log)] == log
    assert bosco.replay(loaded.log, *loans()).same
    loaded.undo()
    assert loaded.state.digest() == draft.state.digest()


@pytest.mark.parametrize(
    "estimator",
    [
        bosco.DecisionTreeClassifier(),
        bosco.DecisionTreeClassifier(class_weight={1: 2.0, 0: 1.0}, max_depth=np.int64(3)),
        bosco.DecisionTreeRegressor(monotonic_cst={"a": 1}, pruning=CostComplexity(alpha=0.5)),
        bosco.DecisionTreeClassifier(domains={"a": ["x", "y"]}, max_features=0.5, random_state=1),
    ],
)
def test_a_learner_is_read_back(estimator: Any) -> None:
    plain = plain_estimator(estimator)
    json.dumps(plain)
    assert plain_estimator(estimator_from(plain)) == plain


def test_what_a_log_cannot_keep_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be kept"):
        plain_estimator(bosco.DecisionTreeClassifier(class_weight={"a": object()}))
    with pytest.raises(ModelError, match="unknown learner"):
        estimator_from({"name": "SVC", "settings": {}})
    with pytest.raises(ModelError, match="cannot be read"):
        estimator_from({"name": "DecisionTreeClassifier", "settings": {"depth": 3}})
