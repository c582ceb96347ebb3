"""The house rules that a machine can check: who may import whom, what loads, how long files are."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "bosco"

# The rooms, bottom up. A module imports only from rooms above its own line in this list (a package
# stands for all its modules, which may import each other). Imports for type checkers only are free.
ROOMS = [
    "_core",  # the native verbs
    "version",
    "errors",
    "whole",  # files that appear whole or not at all
    "visible",  # names that must not act when they are shown
    "progress",  # how far a long work is
    "moments",  # dates and durations as numbers
    "columns",
    "objects",
    "readers",  # one column of any library
    "schema",  # what the columns are
    "frame",  # the rows, as the core sees them
    "intervals",  # how sure a figure is
    "majority",  # which class wins
    "points",  # votes of boosted trees, as whole numbers
    "tables",  # files: read, typed, reported, streamed
    "fixedpoint",  # weights and targets as exact integers
    "weights",
    "outcomes",  # y as it is given
    "target",
    "fingerprint",  # what is remembered of training rows
    "growth",  # PRESETS: algorithms as rows of settings
    "conditions",  # tests and their branches, as values
    "tree",  # what was grown, an immutable value
    "census",  # how many rows each node has, whatever they weigh
    "family",  # what every model is, whatever its kind
    "render",  # card, layout, painters: given a model, they know only its parts
    "pruning",
    "compared",  # the tests of a node, as numbers
    "ending",  # why a leaf is one
    "why",
    "rules",  # what a model decides, as boxes: shortened, compared, applied
    "counterfactual",  # the smallest change that alters a decision
    "explain",
    "contributions",  # what each column added
    "account",  # one case of many trees, item by item
    "constant",  # the constant answer, and whether it is beaten
    "figure",  # one error, beside the constant answer, on rows seen and not
    "leaves",  # how far each leaf can be trusted
    "recount",  # the same by other rows
    "export",
    "drawing",  # a picture with the path of a case
    "store",  # the model file: one content, two forms
    "reporting",  # one page for people; judgements are handed to it as values
    "exported",  # what every model gives by other rooms: judged, exported, kept
    "model",  # tree + schema + classes: readable, savable
    "forest",  # the same of many trees
    "scoreline",  # one line of them
    "scoretable",  # boosted stumps as points to add up
    "loading",  # any saved model
    "estimators",  # scikit-learn's names
    "judge",  # figures for any estimator
    "plot",  # pictures on axes: regions, curves, bars
    "datasets",
    "__init__",  # the public face
    "cli",
    "demo",
]

OPTIONAL = [
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "typer",
    "rich",
    "matplotlib",
    "rich",
    "onnx",
    "onnxruntime",
    "safetensors",
    "sqlglot",
    "lightgbm",
    "xgboost",
    "ydf",
]


def modules() -> list[str]:
    """Name every module of the package, dotted, without the leading ``bosco.``."""
    paths = (p.relative_to(SOURCE).with_suffix("") for p in sorted(SOURCE.rglob("*.py")))
    return [".".join(p.parts) for p in paths]


def imported(name: str) -> set[str]:
    """Name the rooms that a module imports, deferred imports included."""
    path = SOURCE / Path(*name.split(".")).with_suffix(".py")
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(path.read_text())]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            todo.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively; say bosco.…"
            if node.module == "bosco":
                found.update(f"bosco.{alias.name}" for alias in node.names)
            else:
                found.add(str(node.module))
        todo.extend(ast.iter_child_nodes(node))
    rooms = {
        m.split(".")[1] if "." in m else "__init__" for m in found if m.split(".")[0] == "bosco"
    }
    return {room if room in ROOMS or exists(room) else "__init__" for room in rooms}


def exists(room: str) -> bool:
    return (SOURCE / f"{room}.py").exists() or (SOURCE / room).is_dir()


@pytest.mark.parametrize("name", modules())
def test_imports_go_one_way(name: str) -> None:
    room = name.split(".")[0]
    assert room in ROOMS, f"{room} has no place in ROOMS yet"
    allowed = {room, *ROOMS[: ROOMS.index(room)]} if "." in name else {*ROOMS[: ROOMS.index(room)]}
    assert imported(name) <= allowed, f"{name} imports from a room above it"


# Where models are asked, never looked at: what a kind cannot do, it refuses itself.
ASKS = ["reporting", "cli", "export", "rules", "constant", "figure", "plot"]


@pytest.mark.parametrize("name", [m for m in modules() if m.split(".")[0] in ASKS])
def test_nobody_guesses_what_a_model_can_do(name: str) -> None:
    path = SOURCE / Path(*name.split(".")).with_suffix(".py")
    guess = r"hasattr\((?:\w*model\w*|loaded),|isinstance\([^)]*\b(?:Forest)?Model\b|ScoreTable\)"
    found = re.findall(guess, path.read_text())
    assert not found, f"{name}: {found}; ask model.kind, or a verb of bosco.family.AnyModel"


def core_files() -> list[Path]:
    return sorted(p for p in (ROOT / "core").rglob("*") if p.suffix in {".hpp", ".cpp"})


def includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', path.read_text(), re.M)


@pytest.mark.parametrize("path", core_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_only_bind_knows_python(path: Path) -> None:
    if "bind" in path.parts:
        return
    python = [i for i in includes(path) if re.match(r"Python\.h|nanobind|numpy|(\.\./)*bind/", i)]
    assert not python, f"{path.name} includes {python}; Python belongs in core/bind"


def test_core_headers_have_no_cycle() -> None:
    graph = {
        p.name: {Path(i).name for i in includes(p)} for p in core_files() if p.suffix == ".hpp"
    }
    while graph:
        free = [name for name, needs in graph.items() if not needs & graph.keys()]
        assert free, f"these headers include each other: {sorted(graph)}"
        for name in free:
            del graph[name]


def written_files() -> list[Path]:
    folders = [ROOT / name for name in ("core", "src", "tests", "bench")]
    return [p for f in folders for p in sorted(f.rglob("*")) if p.suffix in {".py", ".hpp", ".cpp"}]


def test_long_files_say_why() -> None:
    long = [p for p in written_files() if len(p.read_text().splitlines()) > 400]
    silent = [
        str(p.relative_to(ROOT)) for p in long if "over 400 lines" not in p.read_text().lower()
    ]
    assert not silent, f"split them, or say in them why they are over 400 lines: {silent}"


def test_no_vague_names() -> None:
    vague = re.compile(r"^\s*(?:class|struct)\s+\w*(?:Manager|Helper|Utils?)\b", re.M)
    assert not [p.name for p in written_files() if vague.search(p.read_text())]
    assert not [p.name for p in written_files() if re.search("manager|helper|utils?", p.stem)]


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def after_peers() -> str:
    """Code that imports what bosco needs of scikit-learn (which loads pandas if it can)."""
    peers = run(
        "import sys; from bosco import *; print(*(m for m in sys.modules if m.split('.')[0] in "
        "{'numpy', 'scipy', 'sklearn', 'joblib', 'threadpoolctl'}))"
    )
    return f"""
import contextlib, importlib, sys, time
for name in {peers.split()!r}:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
before = set(sys.modules)
start = time.process_time()
from bosco import *
"""


def test_import_loads_nothing_optional(after_peers: str) -> None:
    loaded = run(after_peers + "print(*set(sys.modules) - before)").split()
    assert not {name.split(".")[0] for name in loaded} & set(OPTIONAL)


def test_import_is_quick(after_peers: str, tmp_path: Path) -> None:
    """Under 0.3 s beyond what numpy and scikit-learn cost, in processor time.

    Compiled once, as after an installation, also where the environment says to keep no bytecode.
    """
    kept = f"sys.dont_write_bytecode, sys.pycache_prefix = False, {str(tmp_path)!r}\nstart ="
    code = after_peers.replace("start =", kept) + "print(time.process_time() - start)"
    assert min(float(run(code)) for _ in range(4)) < 0.3


def test_public_names() -> None:
    bosco = importlib.import_module("bosco")
    assert len(set(bosco.__all__)) == len(bosco.__all__)
    assert all(hasattr(bosco, name) for name in bosco.__all__)
    # A module of the same name would hide it as soon as somebody imports that module.
    assert not set(bosco.__all__) & {path.stem for path in SOURCE.iterdir()}
    stray = {
        name
        for name, value in vars(bosco).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and name not in bosco.__all__
    }
    assert not stray, f"public but not in __all__: {sorted(stray)}"
