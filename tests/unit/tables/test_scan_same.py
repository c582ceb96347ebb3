"""The model of files is that of the table in memory, bit for bit, however the rows are cut."""

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bosco
from bosco.errors import BoscoError, DataError
from bosco.growth import MISSING, PRESETS
from tests.test_scale import file_of
from tests.unit.tables.test_scan import table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

N = 400
ROLES = ["late", "minutes", "weight"]


def cut(whole: Any, folder: Path, draw: Any) -> None:
    """Rows in files of any size, also none, in any order of columns, of Parquet or Arrow."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    ends = sorted(draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    for k, (start, end) in enumerate(zip([0, *ends], [*ends, len(whole)], strict=True)):
        part = whole.slice(start, end - start)
        part = part.select(draw(st.permutations(whole.column_names)) if k else whole.column_names)
        if draw(st.booleans()):
            feather.write_feather(part, folder / f"{k:02}.arrow", compression="uncompressed")
        else:
            pq.write_table(part, folder / f"{k:02}.parquet", row_group_size=draw(st.just(97)))


def learner(draw: Any, task: str) -> Any:
    """Any preset, policy for missing values, or many trees."""
    kind = draw(st.sampled_from(["tree", "tree", "tree", "forest", "boost"]))
    if kind == "forest":
        many = bosco.RandomForestClassifier if task == "late" else bosco.RandomForestRegressor
        return many(3, random_state=draw(st.integers(0, 3)))
    if kind == "boost" and task == "late":
        return bosco.AdaBoostClassifier(n_estimators=3)
    one = bosco.DecisionTreeClassifier if task == "late" else bosco.DecisionTreeRegressor
    return one(
        algorithm=draw(st.sampled_from(sorted(PRESETS))),
        missing=draw(st.sampled_from([None, *sorted(MISSING)])),
        max_depth=draw(st.sampled_from([None, 3])),
    )


def fitted(make: Any, *given: Any, **more: Any) -> Any:
    """The model, or what is said against it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make.fit(*given, **more).model_
    except BoscoError as error:
        return type(error)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_cut_gives_the_same_model(data: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    draw = data.draw
    whole = table(draw(st.integers(0, 3))).slice(0, N)
    y = draw(st.sampled_from(["late", "minutes"]))
    if draw(st.booleans()):  # files of one class
        whole = whole.sort_by(y)
    weight = draw(st.sampled_from([None, "weight"]))
    make = learner(draw, y)
    X = whole.drop_columns(ROLES)
    weights = None if weight is None else whole[weight].to_numpy()
    want = fitted(make, X, whole[y], sample_weight=weights)
    folder = tmp_path_factory.mktemp("cut")
    cut(whole.drop_columns([n for n in ROLES if n not in (y, weight)]), folder / "files", draw)
    made = fitted(make, bosco.scan(folder / "files"), y=y, sample_weight=weight)
    if isinstance(want, type):
        assert made is want
        return
    assert file_of(made, folder) == file_of(want, folder)


def scanned_and_whole(tmp_path: Path) -> tuple[Any, Any]:
    whole = table().drop_columns(["minutes", "weight"])
    for k in range(3):
        pq.write_table(whole.slice(k * 700, 700), tmp_path / f"{k}.parquet")
    return bosco.scan(tmp_path), whole


def test_judges_take_scans(tmp_path: Path) -> None:
    scanned, whole = scanned_and_whole(tmp_path)
    X, y = whole.drop_columns(["late"]), np.array(whole["late"].to_pylist())
    tree = bosco.DecisionTreeClassifier(max_depth=4)
    kept = {"method": "k_fold", "folds": 3}
    here, there = (bosco.evaluate(tree, *given, **kept) for given in ((X, y), (scanned, "late")))
    for name, scores in here.scores.items():
        assert (scores == there.scores[name]).all()
    grid = {"max_depth": [2, 3]}
    here, there = (bosco.select(tree, grid, *given) for given in ((X, y), (scanned, "late")))
    assert here.test_scores == there.test_scores
    assert (here.test_rows == there.test_rows).all()
    stump = bosco.DecisionTreeClassifier(algorithm="stump")
    here, there = (
        bosco.compare(tree, stump, *given, repeats=3) for given in ((X, y), (scanned, "late"))
    )
    took = re.compile(r"[\d.,]+ (s|min)\b")
    assert took.sub("", str(here)) == took.sub("", str(there))
    model = tree.fit(X, y).model_
    for ask in (
        lambda *given: str(model.judge(*given)),
        lambda *given: str(model.recount(*given)),
        lambda *given: str(model.seen(*given)),
        lambda *given: model.report(*given).html,
    ):
        assert ask(scanned, "late") == ask(X, y)
    assert (model.predict(scanned) == model.predict(X)).all()


def test_rows_that_are_taken_stay_on_disk(tmp_path: Path) -> None:
    from bosco.data.ondisk import folder_of

    scanned, whole = scanned_and_whole(tmp_path)
    made = scanned.as_table().take(np.arange(0, 2000, 3))
    for j in range(len(made.names)):
        cells = made.column(j)
        values = cells.codes if hasattr(cells, "codes") else cells.values
        assert folder_of(values), made.names[j]
    from bosco.data.readers import read_table

    want = read_table(whole).take(np.arange(0, 2000, 3))
    assert made.column(3).levels == want.column(3).levels  # type: ignore[union-attr]
    assert (made.column(3).codes == want.column(3).codes).all()  # type: ignore[union-attr]


def test_what_the_core_makes_lies_in_the_folder(tmp_path: Path) -> None:
    """A folder that is gone when codes are made is an error in one sentence."""
    files, scratch = tmp_path / "files", tmp_path / "scratch"
    files.mkdir(), scratch.mkdir()
    rng = np.random.default_rng(0)
    n = 200_000  # as many cells as are worth a file
    columns = {f"x{j}": rng.normal(size=n) for j in range(6)}
    columns["y"] = (columns["x0"] > 0).astype(np.int8)
    pq.write_table(pa.table(columns), files / "a.parquet")
    scanned = bosco.scan(files, scratch=scratch)
    scanned.as_table()
    scratch.rmdir()
    with pytest.raises(DataError, match=r"scratch, cannot hold what is made of the rows: No such"):
        bosco.DecisionTreeClassifier(max_depth=2).fit(scanned, y="y")
