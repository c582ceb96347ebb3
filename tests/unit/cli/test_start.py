"""What the command line loads: little where it only reads a model, and nothing that an
installation without extras does not bring."""

import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
import typer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bosco
from bosco.cli.app import VERBS, app
from bosco.datasets import loans

ROOT = Path(__file__).parents[3]
HEAVY = {"joblib", "matplotlib", "pandas", "polars", "pyarrow", "scipy", "sklearn"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, a tree, a forest and boosted trees."""
    made = tmp_path_factory.mktemp("models")
    X, y = loans()
    bosco.DecisionTreeClassifier(record=True).fit(X, y).model_.save(made / "tree.json")
    bosco.RandomForestClassifier(n_estimators=3).fit(X, y).model_.save(made / "forest.json")
    bosco.AdaBoostClassifier(n_estimators=3).fit(X, y).model_.save(made / "points.json")
    (made / "loans.csv").write_bytes((ROOT / "docs" / "loans.csv").read_bytes())
    return made


@pytest.mark.parametrize("verb", VERBS)
def test_examples_are_calls_that_a_verb_takes(verb: str) -> None:
    """What ``--help`` shows can be typed: every word of it is known."""
    command = typer.main.get_command(app).commands[verb]
    for line in import_module(f"bosco.cli.verbs.{verb}").EXAMPLE.replace("\\\n", " ").splitlines():
        begin, *words = shlex.split(line)
        assert begin == "bosco"
        assert words[0] == verb
        command.make_context(verb, words[1:])


def after(folder: Path, words: str, first: str = "") -> set[str]:
    """The libraries that are loaded when a verb has run in a fresh interpreter."""
    code = f"""
import sys
{first}
from bosco.cli import main
sys.argv = ["bosco", *{words.split()!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("loaded:", *{{name.partition(".")[0] for name in sys.modules}})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    "words",
    [
        "show tree.json",
        "show forest.json",
        "show points.json",
        "explain tree.json reputation=poor term=3 income=high",
        "explain forest.json reputation=poor term=3",
        "why tree.json",
        "draw tree.json --out tree.svg",
        "export tree.json --to python",
        "diff tree.json tree.json",
    ],
)
def test_reading_a_model_loads_nothing_heavy(folder: Path, words: str) -> None:
    """scikit-learn, scipy, pandas and pyarrow took two seconds, for a tree of five lines."""
    assert not after(folder, words) & HEAVY


def installed_by_default() -> set[str]:
    """The distributions that ``pip install bosco`` brings, those that they need included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    todo, found = list(project["dependencies"]), {"bosco"}
    while todo:
        wanted = Requirement(todo.pop())
        name = canonicalize_name(wanted.name)
        if name in found or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        todo += requires(name) or []
    return found


def test_fit_needs_nothing_but_the_default_installation(folder: Path) -> None:
    """Whatever else is installed here is refused, as it would be in a fresh environment."""
    default = installed_by_default()
    absent = {
        module
        for module, owners in packages_distributions().items()
        if not default & set(map(canonicalize_name, owners))
    }
    refuse = f"""
class Fresh:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Fresh())
"""
    assert {"pandas", "matplotlib", "duckdb"} <= absent
    after(folder, "fit loans.csv --target safe --out fresh.json", refuse)
    assert (folder / "fresh.json").exists()
    assert (folder / "fresh.html").exists()
    loaded = after(folder, "predict fresh.json loans.csv --out scored.parquet", refuse)
    assert (folder / "scored.parquet").exists()
    assert "pandas" not in loaded


def test_ctrl_c_while_all_is_loaded_is_one_sentence() -> None:
    code = """
import sys
class Early:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Early())
from bosco.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "bosco: interrupted; nothing was begun\n"
