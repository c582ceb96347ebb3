"""The model file: what is kept, what is refused, how files are written."""

import io
import json
import os
import pickle
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, Model
from bosco.datasets import play_tennis
from bosco.errors import ModelError, ParameterError
from bosco.store.labels import read_labels, write_labels
from tests.strategies import examples
from tests.test_files import single_trees as models
from tests.test_files import table, target

FORMS = ("json", "binary")


@pytest.fixture(scope="module")
def model() -> Model:
    return DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_


def written(model: Model, form: Any = "json") -> bytes:
    file = io.BytesIO()
    model.save(file, form=form)
    return file.getvalue()


def loaded(data: bytes) -> Model:
    return bosco.load(io.BytesIO(data))


def changed(model: Model, change: Any) -> bytes:
    """The file with its content changed and its hash put right where it is the last obstacle."""
    said = json.loads(written(model))
    change(said)
    data = json.dumps(said).encode()
    try:
        loaded(data)
    except ModelError as error:
        if "it has sha256:" in str(error):
            said["hash"] = str(error).split("it has ")[1].split(",")[0]
    return json.dumps(said).encode()


# What is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_everything_comes_back(form: str) -> None:
    for name, before in models().items():
        data = written(before, form)
        after = loaded(data)
        assert after.tree == before.tree, name
        assert (after.schema, after.growth) == (before.schema, before.growth)
        assert dict(after.provenance) == dict(before.provenance)
        assert str(after) == str(before)
        assert written(after, form) == data
        if before.classes is not None:
            assert after.classes is not None
            assert after.classes.tolist() == before.classes.tolist()
            assert after.classes.dtype == before.classes.dtype
        inner = np.flatnonzero(before.tree.native.test >= 0).tolist()
        if before.growth.record:
            assert [str(after.why(i)) for i in inner] == [str(before.why(i)) for i in inner]


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority"])
@pytest.mark.parametrize("nominal_test", ["multiway", "subset", "one_vs_rest", "group"])
def test_no_sound_model_is_refused(missing: str, nominal_test: str) -> None:
    X, y = table(), target()
    for numeric_test in ("threshold", "intervals"):
        settings: dict[str, Any] = {
            "missing": missing,
            "nominal_test": nominal_test,
            "numeric_test": numeric_test,
        }
        if missing == "surrogate" and (
            nominal_test in "multiway group" or numeric_test != "threshold"
        ):
            continue
        for learner in (DecisionTreeClassifier(**settings), DecisionTreeRegressor(**settings)):
            labels = y if isinstance(learner, DecisionTreeRegressor) else [int(v) for v in y]
            grown = learner.fit(X, labels, sample_weight=[1 + i % 3 / 3 for i in range(48)]).model_
            for form in FORMS:
                assert loaded(written(grown, form)).tree == grown.tree


def test_both_forms_have_one_hash(model: Model) -> None:
    said = json.loads(written(model))
    assert said["hash"].encode() in written(model, "binary")
    assert written(loaded(written(model, "binary"))) == written(model)


@examples(30)
@given(
    st.lists(st.lists(st.floats(width=64) | st.none(), min_size=2, max_size=2), min_size=2),
    st.data(),
)
def test_any_numbers_come_back(rows: list[list[Any]], data: st.DataObject) -> None:
    sizes = {"min_size": len(rows), "max_size": len(rows)}
    y = data.draw(st.lists(st.sampled_from(["", "a", "é'\"\n", "\u2028"]), **sizes))  # type: ignore[arg-type]
    X = np.array([[np.nan if v is None else v for v in row] for row in rows])
    grown = DecisionTreeClassifier(numeric_test="intervals").fit(X, y).model_
    for form in FORMS:
        again = loaded(written(grown, form))
        assert again.tree == grown.tree
        assert again.predict(X).tolist() == grown.predict(X).tolist()


def test_numbers_that_json_lacks() -> None:
    """Squares of such targets pass what a float64 holds, and a -inf is a threshold."""
    X = [[-np.inf], [0.0], [1.0], [np.nan]]
    grown = DecisionTreeRegressor().fit(X, [1e300, -1e300, 1e300, 0.0]).model_
    assert not np.isfinite(grown.tree.native.impurity).all()
    for form in FORMS:
        assert loaded(written(grown, form)).tree == grown.tree


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b", "ccc"],
        [1, 2, 3],
        np.array([1, 2, 3], np.uint8),
        np.array([0.0, 1.0, 2.0], np.float32),
        [True, False, True],
        np.array(["2020-01-01", "2020-01-02", "2021-01-01"], "datetime64[ns]"),
        np.array([1, 2, 3], "timedelta64[h]"),
        np.array(["x", "y", "z"], object),
        np.array([2**64 - 1, 0, 1], np.uint64),
    ],
    ids=lambda y: str(np.asarray(y).dtype),
)
def test_labels_of_any_kind(y: Any) -> None:
    fitted = DecisionTreeClassifier().fit([[1], [2], [3]], y)
    again = loaded(written(fitted.model_))
    assert again.classes is not None
    assert again.classes.dtype == fitted.classes_.dtype
    assert again.predict([[1], [2], [3]]).tolist() == np.asarray(y).tolist()


def test_labels_that_cannot_be_kept() -> None:
    with pytest.raises(ModelError, match=r"cannot be kept.*Hint"):
        write_labels(np.array([b"a", b"b"]))
    with pytest.raises(ModelError, match="cannot be kept"):
        write_labels(np.array([object(), None]))


@pytest.mark.parametrize(
    "said",
    [
        {"dtype": "U999999999", "labels": ["a"]},
        {"dtype": "str", "labels": ["a", "a"]},
        {"dtype": "str", "labels": ["a\u0000", "b"]},
        {"dtype": "str", "labels": []},
        {"dtype": "int8", "labels": [300]},
        {"dtype": "int8", "labels": [1.0]},
        {"dtype": "int64", "labels": [True]},
        {"dtype": "float16", "labels": [0.1]},
        {"dtype": "datetime64[D]", "labels": ["now"]},
        {"dtype": "datetime64[D]", "labels": ["NaT"]},
        {"dtype": "datetime64[25s]", "labels": ["2020-01-01"]},
        {"dtype": "timedelta64[h]", "labels": [-(2**63)]},
        {"dtype": "object", "labels": [[1]]},
        {"dtype": "V8", "labels": ["a"]},
        {"dtype": ["int8"], "labels": [1]},
    ],
)
def test_labels_that_are_none(said: Any) -> None:
    with pytest.raises(ModelError, match="classes"):
        read_labels(said)


def test_pickles_are_checked_and_share_the_tree(model: Model) -> None:
    fitted = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis())
    again = pickle.loads(pickle.dumps(fitted))
    assert again.model_.tree is again.tree_
    rebuild, (tree, schema, classes, growth, *rest) = model.__reduce__()
    with pytest.raises(ModelError, match="what the settings say"):
        rebuild(tree, schema, classes, growth | {"missing": "fractional"}, *rest)
    with pytest.raises(ModelError, match="classes"):
        rebuild(tree, schema, None, growth | {"criterion": "squared_error"}, *rest)


# What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "line 1, column 1: not JSON"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\xff\xfe{\x00}\x00", "byte 0: the text is not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b"{}{}", "column 3: not JSON"),
        (b'{"a": 1, "a": 1}', "'a' comes twice"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": 1e999}', "1e999 is beyond a float64"),
        (b'{"a": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b"null", "a mapping is wanted"),
        (b"\x80\x04K\x01.", "not UTF-8"),
        (b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ", "__metadata__"),
    ],
)
def test_bytes_that_are_no_model(data: bytes, what: str) -> None:
    with pytest.raises(ModelError, match=what):
        loaded(data)


CHANGES: dict[str, tuple[str, Any]] = {
    "newer": ("version 8 of the format.*update", lambda s: s.update(version=8)),
    "kind": ("kind: one of 'tree', 'forest'", lambda s: s.update(kind="bush")),
    "unknown key": ("unknown key 'node'. Did you mean 'nodes'", lambda s: s.update(node=1)),
    "lacks": ("lacks 'nodes'", lambda s: s.pop("nodes")),
    "setting": ("growth.order", lambda s: s["growth"].update(order="random")),
    "settings": ("surrogate.*needs", lambda s: s["growth"].update(missing="surrogate")),
    "huge": ("growth.seed", lambda s: s["growth"].update(seed=10**40)),
    "scale": ("scale", lambda s: s["scales"].update(weight_scale=0.0)),
    "level": ("levels.*not a level", lambda s: s["nodes"][0]["test"].update(levels=[["?"], []])),
    "level twice": ("two branches", lambda s: s["nodes"][2]["test"]["levels"][1].append("Strong")),
    "no level": ("in no branch", lambda s: s["nodes"][0]["test"]["levels"][0].clear()),
    "column": ("there is no column", lambda s: s["nodes"][0]["test"].update(column="outlook")),
    "missing": ("no such branch", lambda s: s["nodes"][0]["test"].update(missing=3)),
    "child": ("first_child", lambda s: s["nodes"][0].update(first_child=0)),
    "cycle": ("first_child", lambda s: s["nodes"][2].update(first_child=1)),
    "two parents": ("another parent", lambda s: s["nodes"][2].update(first_child=6)),
    "orphan": ("children do not fit", lambda s: s["nodes"].append(dict(s["nodes"][7], node=8))),
    "tally": (r"nodes\[0\].*add up", lambda s: s["nodes"][0]["tally"].__setitem__(0, 6)),
    "negative": ("node 1", lambda s: s["nodes"][1].update(tally=[-1, 4])),
    "fraction": ("whole number", lambda s: s["nodes"][1].update(tally=[0.5, 4])),
    "64 bits": ("64 bits", lambda s: s["nodes"][1].update(tally=[2**63, 4])),
    "impurity": (r"nodes\[4\].impurity", lambda s: s["nodes"][4].update(impurity="nan")),
    "value": (r"nodes\[0\].value", lambda s: [n.update(value=[0.5, 0.5]) for n in s["nodes"]]),
    "known": ("known", lambda s: s["nodes"][1].update(known=3)),
    "winner": ("not among its candidates", lambda s: s["candidates"].pop(0)),
    "candidate": ("not the test", lambda s: s["candidates"][0].update(missing=2)),
    "order": (r"candidates\[1\].node", lambda s: s["candidates"][0].update(node=1)),
    "unit": ("unit", lambda s: s["schema"]["columns"][0].update(unit="date")),
    "names": ("same name", lambda s: s["schema"]["columns"][0].update(name="Wind")),
    "surrogate pair": ("not Unicode", lambda s: s["provenance"].update(by="\ud800")),
    "provenance": ("nested too deep", lambda s: s["provenance"].update(a=[[[[[[[[[[[1]]]]]]]]]]])),
    "labels": (r"nodes\[0\].tally", lambda s: s["classes"]["labels"].append("Maybe")),
}


@pytest.mark.parametrize("case", CHANGES)
def test_unsound_models_are_refused_with_a_place(model: Model, case: str) -> None:
    what, change = CHANGES[case]
    with pytest.raises(ModelError, match=what):
        loaded(changed(model, change))


def test_a_threshold_out_of_order_or_range() -> None:
    grown = models()["ordered"]
    for cut in (-1.0, 99.0, "inf", "nan", [1], None):
        with pytest.raises(ModelError):
            loaded(changed(grown, lambda s, c=cut: s["nodes"][0]["test"].update(thresholds=[c])))


@pytest.mark.parametrize("form", FORMS)
def test_a_changed_content_is_noticed(model: Model, form: str) -> None:
    data = written(model, form)
    with pytest.raises(ModelError, match="changed or damaged"):
        loaded(data.replace(b"id3", b"id4"))


def test_every_truncation_is_refused(model: Model) -> None:
    for form in FORMS:
        data = written(model, form)
        for length in range(0, len(data) - 1, 37):
            with pytest.raises(ModelError):
                loaded(data[:length])


def test_white_space_is_no_content(model: Model) -> None:
    """A file that an editor has laid out anew is the same model."""
    data = json.dumps(json.loads(written(model)), indent=4).encode().replace(b"\n", b"\r\n")
    assert loaded(data).tree == model.tree


def test_a_limit_of_bytes(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m.json")
    with pytest.raises(ModelError, match=r"more than 100 bytes.*max_bytes"):
        bosco.load(tmp_path / "m.json", max_bytes=100)
    size = (tmp_path / "m.json").stat().st_size
    assert bosco.load(tmp_path / "m.json", max_bytes=size).tree == model.tree


def test_whole_numbers_with_one_hash_do_not_slow_it_down(model: Model) -> None:
    levels = [(2**61 - 1) * i for i in range(3000)]
    column = {"name": "x", "kind": "nominal", "unit": "number", "levels": levels}
    with pytest.raises(ModelError, match="levels"):
        loaded(changed(model, lambda s: s["schema"]["columns"].append(column)))


# How files are written ------------------------------------------------------------------------


def test_suffix_or_form(model: Model, tmp_path: Path) -> None:
    model.save(str(tmp_path / "a.JSON"))
    model.save(tmp_path / "b.bosco")
    model.save(tmp_path / "c.txt", form="json")
    assert (tmp_path / "a.JSON").read_bytes()[:1] == b"{" == (tmp_path / "c.txt").read_bytes()[:1]
    assert (tmp_path / "b.bosco").read_bytes()[8:9] == b"{"
    for path, form in (("m.pkl", None), ("m", None), ("m.json", "yaml")):
        with pytest.raises(ParameterError, match=r"\.json or \.bosco"):
            model.save(tmp_path / path, form=form)  # type: ignore[arg-type]
    assert {bosco.load(p).tree.digest() for p in tmp_path.iterdir()} == {model.tree.digest()}


def test_a_failed_write_leaves_the_old_file(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("bosco.base.safe_files.os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
def test_permissions_and_links(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    model.save(path)
    fresh = tmp_path / "plain"
    fresh.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(fresh.stat().st_mode)
    path.chmod(0o640)
    (tmp_path / "link.json").symlink_to(path)
    model.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_reader_never_sees_half_a_file(model: Model, tmp_path: Path) -> None:
    path, stop = tmp_path / "m.json", threading.Event()
    model.save(path)

    def write() -> None:
        while not stop.is_set():
            model.save(path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(30):
            bosco.load(path)
    finally:
        stop.set()
        writer.join()
    assert os.listdir(tmp_path) == ["m.json"]  # noqa: PTH208


def test_a_file_opened_for_text(model: Model) -> None:
    with pytest.raises(ModelError, match="mode 'rb'"):
        bosco.load(io.StringIO(written(model).decode()))


def test_without_safetensors(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(model, "binary")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(ModelError, match=r"needs the package safetensors.*pip install"):
        loaded(data)
    with pytest.raises(ModelError, match=r"\.json"):
        model.save(io.BytesIO(), form="binary")


def test_provenance_that_cannot_be_kept(model: Model) -> None:
    odd = Model(model.tree, model.schema, model.classes, model.growth, {"by": {1, 2}})
    with pytest.raises(ModelError, match=r"provenance\.by"):
        odd.save(io.BytesIO(), form="json")
    assert pickle.loads(pickle.dumps(odd)).provenance["by"] == {1, 2}


def test_a_tree_deeper_than_any_recursion() -> None:
    n = 3000
    X = np.arange(n)[:, None]
    grown = DecisionTreeClassifier(order="depth").fit(X, np.arange(n) % 2).model_
    for form in FORMS:
        assert loaded(written(grown, form)).depth == grown.depth
