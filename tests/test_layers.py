"""The house rules that a machine can check: who may import whom, what loads, how long files are."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import bosco
from bosco.settings.settings import WORDS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "bosco"

# The rooms, bottom up. A module imports only from its own room and from those before it in this
# list. Imports for type checkers only are free.
ROOMS = [
    "_core",  # the native verbs
    "version",
    "errors",
    "base",  # names and numbers as text, dates, files, progress
    "data",  # rows as they are given, and as the core takes them
    "tables",  # files: read, typed, reported, streamed
    "settings",  # every setting, declared once
    "growth",  # PRESETS: algorithms as rows of settings
    "tree",  # what was learned, as values; what every model is
    "render",  # card, layout, painters: given a model, they know only its parts
    "figures",  # how far a model and its leaves can be trusted
    "pruning",
    "rules",  # what a model decides, as boxes: shortened, compared, applied
    "reasons",  # why: of a node, of a leaf, of the answer to a case
    "export",  # in other languages, and drawn
    "store",  # the model file: one content, two forms
    "reporting",  # one page for people; judgements are handed to it as values
    "models",  # one tree, many, and points to add up
    "estimators",  # scikit-learn's names
    "rivals",  # the trees that are as good as one
    "policies",  # what a model must never do: proved, or broken by a case
    "drift",  # whether rows still look like those that were learned from
    "drafts",  # trees that people make, by verbs over the rows
    "lessons",  # a table and a learner as users say them, ready for a fit or a draft
    "scale",  # rows that lie in parts: asked for tables, wherever they are
    "dask",  # estimators for Dask collections
    "ray",  # estimators for datasets of Ray
    "spark",  # estimators and models of pyspark.ml
    "judge",  # figures for any estimator
    "plot",  # pictures on axes: regions, curves, bars
    "datasets",
    "workbench",  # a draft in the browser
    "__init__",  # the public face
    "cli",
    "demo",
]

OPTIONAL = [
    "dask",
    "distributed",
    "jinja2",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "ray",
    "duckdb",
    "typer",
    "rich",
    "matplotlib",
    "rich",
    "onnx",
    "onnxruntime",
    "safetensors",
    "sqlglot",
    "starlette",
    "uvicorn",
    "lightgbm",
    "xgboost",
    "ydf",
]


def modules() -> list[str]:
    """Name every module of the package, dotted, without the leading ``bosco.``."""
    paths = (p.relative_to(SOURCE).with_suffix("") for p in sorted(SOURCE.rglob("*.py")))
    return [".".join(p.parts) for p in paths]


def needed(name: str) -> set[str]:
    """Name the modules that a module imports, deferred imports included."""
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
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        todo.extend(ast.iter_child_nodes(node))
    return {home(name) for name in found if name.split(".")[0] == "bosco"}


def home(dotted: str) -> str:
    """Name the module that something is, or is in: ``bosco.tree.tree.Tree`` is in ``tree.tree``."""
    parts = dotted.split(".")[1:]
    while parts and parts != ["_core"]:
        if (SOURCE / Path(*parts)).with_suffix(".py").exists():
            break
        if (SOURCE / Path(*parts)).is_dir():
            return ".".join([*parts, "__init__"])
        parts.pop()
    return ".".join(parts) or "__init__"


def rooms_of(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("name", modules())
def test_imports_go_one_way(name: str) -> None:
    room = name.split(".")[0]
    assert room in ROOMS, f"{room} has no place in ROOMS yet"
    allowed = {room, *ROOMS[: ROOMS.index(room)]}
    assert rooms_of(needed(name)) <= allowed, f"{name} imports from a room above it"


def test_modules_have_no_cycle() -> None:
    graph = {name: needed(name) for name in modules()}
    while graph:
        free = [name for name, needs in graph.items() if not needs & graph.keys()]
        assert free, f"these modules import each other, or need some that do: {sorted(graph)}"
        for name in free:
            del graph[name]


def picture() -> str:
    """Which room needs which, as ARCHITECTURE.md draws it: without what follows from the rest."""
    needs = {room: rooms_of(set().union(*map(needed, names))) for room, names in housed().items()}
    needs["__init__"] |= rooms_of(set(map(home, bosco._HOMES)))  # imported when asked for
    everyone = {"_core", "version", "errors"}  # anyone may need these
    lines, beyond = ["graph BT"], {room: set[str]() for room in ROOMS}
    for room in ROOMS:
        direct = needs.get(room, set()) - {room} - everyone
        further = set().union(*(beyond[other] for other in direct))
        beyond[room] = direct | further
        named = {other: "bosco" if other == "__init__" else other for other in (room, *direct)}
        lines += [f"  {named[room]} --> {named[other]}" for other in sorted(direct - further)]
    return "\n".join(lines)


def housed() -> dict[str, list[str]]:
    """The modules of every room."""
    return {room: [m for m in modules() if m.split(".")[0] == room] for room in ROOMS}


def with_picture(page: str) -> str:
    return re.sub(r"(?<=```mermaid\n).*?(?=\n```)", picture(), page, count=1, flags=re.S)


def test_the_picture_of_the_rooms_is_true() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert "```mermaid" in page
    assert with_picture(page) == page, "python -m tests.test_layers draws it anew"


@pytest.mark.parametrize("room", [room for room in ROOMS if (SOURCE / room).is_dir()])
def test_every_module_is_named_in_the_row_of_its_room(room: str) -> None:
    rows = re.findall(rf"^\| `{room}/` \|(.*)$", (ROOT / "ARCHITECTURE.md").read_text(), re.M)
    named = set(re.findall(r"`(\w+)/?`", "".join(rows))) | {"__init__"}
    assert not {part for name in housed()[room] for part in name.split(".")[1:]} - named


def test_unit_tests_stand_where_what_they_test_does() -> None:
    files = [p.relative_to(ROOT / "tests" / "unit") for p in (ROOT / "tests/unit").rglob("*.py")]
    places = {p.parts[0].removeprefix("test_").removesuffix(".py") for p in files}
    assert places <= set(ROOMS), f"{places - set(ROOMS)} mirror nothing of src/bosco"


# Where models are asked, never looked at: what a kind cannot do, it refuses itself.
ASKS = ["figures", "rules", "reasons", "export", "reporting", "plot", "cli"]


@pytest.mark.parametrize("name", [m for m in modules() if m.split(".")[0] in ASKS])
def test_nobody_guesses_what_a_model_can_do(name: str) -> None:
    path = SOURCE / Path(*name.split(".")).with_suffix(".py")
    guess = r"hasattr\((?:\w*model\w*|loaded),|isinstance\([^)]*\b(?:Forest)?Model\b|ScoreTable\)"
    found = re.findall(guess, path.read_text())
    assert not found, f"{name}: {found}; ask model.kind, or a verb of bosco.tree.family.AnyModel"


@pytest.mark.parametrize("name", [m for m in modules() if m != "growth"])
def test_nobody_knows_the_policies_for_missing_values_by_name(name: str) -> None:
    source = (SOURCE / Path(*name.split(".")).with_suffix(".py")).read_text()
    by_name = rf'missing\b\W*(?:==|!=|in|not in) \(?"(?:{"|".join(WORDS["missing"])})"'
    assert not re.findall(by_name, source), f"{name}: ask growth.on_missing what it does"


@pytest.mark.parametrize("name", modules())
def test_no_private_module_of_scikit_learn(name: str) -> None:
    source = (SOURCE / Path(*name.split(".")).with_suffix(".py")).read_text()
    assert not re.findall(r"sklearn(?:\.\w+)*\._\w+", source), f"{name}: private parts change"


# HTML is written by templates, which escape by themselves; XML has other rules.
WRITES_XML = {
    "render.svg": "marks of a picture, byte for byte as reviewed",
}


@pytest.mark.parametrize("name", modules())
def test_html_is_written_by_templates(name: str) -> None:
    source = (SOURCE / Path(*name.split(".")).with_suffix(".py")).read_text()
    by_hand = r"html import escape|html\.escape|saxutils|\{[^{}]*\}</\w+>"
    found = [] if name in WRITES_XML else re.findall(by_hand, source)
    assert not found, f"{name}: {found}; write a template, and fill it (bosco.render.html.fill)"


def test_templates_trust_nobody() -> None:
    for path in sorted(SOURCE.rglob("templates/*.html")):
        assert not re.findall(r"\|\s*safe\b|autoescape", path.read_text()), path.name


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
first = time.process_time()
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
    """Less than half of what numpy and scikit-learn cost, in processor time.

    Compiled once, as after an installation, also where the environment says to keep no bytecode.
    """
    kept = f"sys.dont_write_bytecode, sys.pycache_prefix = False, {str(tmp_path)!r}\nfirst ="
    code = after_peers.replace("first =", kept)
    code += "print((time.process_time() - start) / (start - first))"
    assert min(float(run(code)) for _ in range(4)) < 0.5


def test_public_names() -> None:
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


if __name__ == "__main__":
    page = ROOT / "ARCHITECTURE.md"
    page.write_text(with_picture(page.read_text()))
