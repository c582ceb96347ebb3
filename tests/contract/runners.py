"""Run an exported program for real: the labels and the shares of all points."""

from __future__ import annotations

import ctypes
import json
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bosco.base.dates import MOMENTS
from bosco.models.model import Model
from tests.contract.kinds import Columns

Answers = tuple[list[Any], Any]


class AbsentError(Exception):
    """What an export needs in order to run is not installed."""


def rows_of(points: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*points.values(), strict=True))


def as_numbers(model: Model, points: Columns) -> Columns:
    """Moments as the numbers that programs take."""
    found = dict(points)
    for column in model.schema.given:
        if column.unit in MOMENTS:
            ticks = [math.nan if v is None else float(v.astype(int)) for v in points[column.name]]
            found[column.name] = ticks
    return found


def run_python(model: Model, points: Columns) -> Answers:
    code: dict[str, Any] = {}
    exec(compile(model.to_python(), "export.py", "exec"), code)
    names = list(points)
    cases = [dict(zip(names, row, strict=True)) for row in rows_of(as_numbers(model, points))]
    labels = [code["predict"](c) for c in cases]
    if model.classes is None:
        return labels, np.array(labels)[:, None]
    shares = code["predict_proba" if "predict_proba" in code else "points"]
    return labels, np.array([shares(c) for c in cases])


_DRIVER = """
import { readFileSync, writeFileSync } from "node:fs";
import * as model from "./model.mjs";
const special = { nan: NaN, inf: Infinity, minf: -Infinity };
const read = (x) => (x !== null && typeof x === "object" ? special[x.f] : x);
const { names, rows } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const out = rows.map((row) => {
  const c = Object.fromEntries(names.map((name, i) => [name, read(row[i])]));
  const label = model.predict(c);
  const shares = model.predictProba ?? model.points;
  return [label, shares ? shares(c) : [label]];
});
writeFileSync(process.argv[3], JSON.stringify(out));
"""


def run_javascript(model: Model, points: Columns) -> Answers:
    node = shutil.which("node")
    if node is None:
        raise AbsentError("node is not installed")
    words = {"nan": "nan", "inf": "inf", "-inf": "minf"}

    def plain(x: Any) -> Any:
        odd = isinstance(x, float) and not math.isfinite(x)
        return {"f": words[str(x)]} if odd else x

    rows = [[plain(x) for x in row] for row in rows_of(as_numbers(model, points))]
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "model.mjs").write_text(model.to_javascript())
        (at / "driver.mjs").write_text(_DRIVER)
        (at / "in.json").write_text(json.dumps({"names": list(points), "rows": rows}))
        subprocess.run([node, at / "driver.mjs", at / "in.json", at / "out.json"], check=True)
        found = json.loads((at / "out.json").read_text())
    return [label for label, _ in found], np.array([shares for _, shares in found], float)


_SHARED = """
#include "model.h"
void run(const double *rows, long n, double *labels, double *shares, int width);
void run(const double *rows, long n, double *labels, double *shares, int width)
{
    for (long i = 0; i < n; ++i) {
        labels[i] = model_predict(rows + i * MODEL_COLUMNS);
        model_shares(rows + i * MODEL_COLUMNS, shares + i * width);
    }
}
"""


def compile_c(text: str, folder: Path, more: str = "") -> ctypes.CDLL:
    """The header and a loop around it, as a library."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise AbsentError("no C compiler")
    (folder / "model.h").write_text(text)
    (folder / "model.c").write_text(_SHARED + more)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
    made = folder / "model.so"
    subprocess.run([compiler, *flags, "-o", made, folder / "model.c", "-lm"], check=True)
    return ctypes.CDLL(str(made))


def run_c(model: Model, points: Columns) -> Answers:
    text = model.to_c()
    looks = re.findall(r"static inline double (model_level_\w+)\((const char \*|double )", text)
    more = "".join(
        f"double call_{name}({kind}x);\ndouble call_{name}({kind}x) {{ return {name}(x); }}\n"
        for name, kind in looks
    )
    numbers = as_numbers(model, points)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_c(text, Path(folder), more)
        columns = []
        found = iter(looks)
        for column in model.schema.given:
            values = numbers[column.name]
            if column.levels is None:
                columns.append([math.nan if v is None else v for v in values])
                continue
            name, kind = next(found)
            look = getattr(library, f"call_{name}")
            look.restype = ctypes.c_double
            look.argtypes = [ctypes.c_char_p if "char" in kind else ctypes.c_double]
            code = {None: math.nan}
            for v in {v for v in values if v is not None}:
                code[v] = look(v.encode() if "char" in kind else float(v))
            columns.append([code[v] for v in values])
        rows = np.array(columns).T.copy()
        width = 1 if model.classes is None else len(model.classes)
        labels, shares = np.empty(len(rows)), np.empty((len(rows), width))
        array = ctypes.c_void_p
        library.run.argtypes = [array, ctypes.c_long, array, array, ctypes.c_int]
        library.run(rows.ctypes.data, len(rows), labels.ctypes.data, shares.ctypes.data, width)
    if model.classes is None:
        return labels.tolist(), shares
    return model.classes[labels.astype(int)].tolist(), shares


def run_onnx(model: Model, points: Columns) -> Answers:
    try:
        import onnxruntime
    except ImportError:
        raise AbsentError("onnxruntime is not installed") from None
    session = onnxruntime.InferenceSession(
        model.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    numbers = as_numbers(model, points)
    feeds = {}
    for column in model.schema.given:
        values: list[Any] = numbers[column.name]
        if column.levels is not None and isinstance(column.levels[0], str):
            # No text is missing; one that is no level is.
            array = np.array(["\0 missing" if v is None else v for v in values], object)
        else:
            array = np.array([math.nan if v is None else float(v) for v in values])
        feeds[column.name] = array[:, None]
    if [i.name for i in session.get_inputs()] == ["X"]:
        feeds = {"X": np.hstack(list(feeds.values()))}
    answers = session.run(None, feeds)
    if model.classes is None:
        return answers[0][:, 0].tolist(), answers[0]
    return answers[0].tolist(), answers[1]


def run_pmml(model: Model, points: Columns) -> Answers:
    """In the reference evaluator, which is written in Java."""
    if shutil.which("java") is None:
        raise AbsentError("no Java runtime")
    try:
        import pandas as pd
        from jpmml_evaluator import make_evaluator
    except ImportError:
        raise AbsentError("jpmml_evaluator is not installed") from None
    text = model.to_pmml()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pmml").write_bytes(text.encode())
        evaluator = make_evaluator(f"{folder}/model.pmml", backend="jpype").verify()
    cells = {
        name: pd.Series([None if v is None or v != v else v for v in values], dtype=object)
        for name, values in as_numbers(model, points).items()
    }
    found = evaluator.evaluateAll(pd.DataFrame(cells))
    label, *shares = found.columns
    labels = found[label].tolist()
    if model.classes is None:
        return labels, np.array(labels, float)[:, None]
    return labels, found[shares].to_numpy(float)
