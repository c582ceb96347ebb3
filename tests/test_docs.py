"""All shown code runs, and where its output is shown it is what comes out.

A page's ``python`` blocks run in order in one namespace. A block with ``>>>`` is a doctest; any
other is executed, and a ``text`` block directly after it is what it prints. The lines of a ``sh``
block that begins with ``bosco datasets``, and so makes its own table, run in order in one folder.
"""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bench.page
import bosco
from bosco.growth import PRESETS
from bosco.settings.settings import GROWTH, ROWS, WORDS

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.M | re.S)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_examples(test: doctest.DocTest) -> None:
    said = io.StringIO()
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(
        test, out=said.write, clear_globs=False
    )
    assert not said.getvalue(), said.getvalue()


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        code, expected = block.groups()
        line = text[: block.start(1)].count("\n")
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, page.name, name_of(page), line)
            run_examples(test)
            names.update(test.globs)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, name_of(page), "exec"), names)
        if expected is not None:
            got, want = (
                [r.rstrip() for r in t.rstrip().splitlines()]
                for t in (printed.getvalue(), expected)
            )
            assert got == want, f"{name_of(page)}, line {line}"


COMMANDS = re.compile(r"^```sh\n(bosco datasets .*?)^```$", re.M | re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if COMMANDS.search(p.read_text())], ids=name_of)
def test_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.cli.app import app

    monkeypatch.chdir(tmp_path)
    for block in COMMANDS.findall(page.read_text()):
        for line in block.splitlines():
            done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
            assert done.exit_code == 0, f"{name_of(page)}: {line}\n{done.output}"


def anchors(page: Path) -> set[str]:
    """Where a link into a page can point: its headings, as they are written in addresses."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\s-]", "", h.lower()).strip().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        target = page.parent / path if path else page
        assert target.exists(), f"{name_of(page)} leads to {path}, which is not there"
        assert not anchor or anchor in anchors(target), f"{name_of(page)}: no {path}#{anchor}"


def test_every_page_is_in_the_navigation() -> None:
    """From docs/index.md, by the lists of pages that make the site's navigation."""
    reached: set[Path] = set()
    open_pages = [ROOT / "docs" / "index.md"]
    while open_pages:
        page = open_pages.pop()
        reached.add(page)
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.M | re.S):
            names = re.findall(r"^(?:\w.* <)?([\w/-]+)>?$", block, re.M)
            open_pages += [page.parent / f"{name}.md" for name in names]
    assert reached == set((ROOT / "docs").rglob("*.md"))


def test_every_image_is_shown() -> None:
    shown_images = {
        Path(path).name
        for page in PAGES
        for path in re.findall(r"!\[.*?\]\((.+?)\)", page.read_text())
    }
    assert shown_images == {image.name for image in (ROOT / "docs" / "images").iterdir()}


def test_the_page_of_benchmarks_is_what_was_measured() -> None:
    wanted = "docs/benchmarks.md is not what bench/results say: python -m bench.page"
    assert (ROOT / "docs" / "benchmarks.md").read_text() == bench.page.page(), wanted


ROOMS = ("errors", "plot", "pruning", "tables")


def public_names() -> list[str]:
    """What a user may import: of bosco itself, and of its rooms with a face of their own."""
    rooms = {"bosco": bosco, **{f"bosco.{name}": getattr(bosco, name) for name in ROOMS}}
    return [f"{room}.{name}" for room, module in rooms.items() for name in module.__all__]


@pytest.mark.parametrize("name", public_names())
def test_public_names_are_in_the_reference(name: str) -> None:
    pages = "".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    named = re.findall(
        r"^\.\. (?:auto|py:)(?:class|data|exception|function):: ([\w.]+)$", pages, re.M
    )
    home = f"bosco.errors.{name.split('.')[-1]}"  # errors are importable from both
    assert {name, home} & set(named), f"docs/api has no entry for {name}"


MODULES = ["bosco", *(m.name for m in pkgutil.walk_packages(bosco.__path__, "bosco."))]


@pytest.mark.parametrize("name", [m for m in MODULES if not m.endswith(("._core", ".__main__"))])
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name.startswith("bosco.spark"):
        pytest.importorskip("pyspark", reason="needs bosco[spark]")
    if name.startswith(("bosco.ray", "bosco.scale.ray")):
        pytest.importorskip("ray", reason="needs bosco[ray]")
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        run_examples(test)


def public_objects() -> list[str]:
    return [n for n in bosco.__all__ if callable(getattr(bosco, n))]


@pytest.mark.parametrize("name", public_objects())
def test_public_names_have_an_example(name: str) -> None:
    value = getattr(bosco, name)
    if isinstance(value, type) and issubclass(value, Warning | Exception):
        return
    assert ">>>" in (value.__doc__ or ""), f"bosco.{name} shows no example"


def shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == -1 else str(value)


def preset_table() -> str:
    """The rows of `PRESETS` as docs/algorithms.md shows them: what differs, then what does not."""
    settings = [name for name in PRESETS["cart"] if name != "tasks"]
    settings.sort(key="criterion".__ne__)
    values = {name: [shown(row[name]) for row in PRESETS.values()] for name in settings}
    lines = [["setting", *PRESETS], ["---"] * (1 + len(PRESETS))]
    lines += [[f"`{name}`", *v] for name, v in values.items() if len(set(v)) > 1]
    same = ", ".join(f"`{name}` {v[0]}" for name, v in values.items() if len(set(v)) == 1)
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{table}\n\nAll rows share: {same}.\n"


def test_the_table_of_presets_is_true() -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text()
    # Only the spacing of the page is its own.
    wanted, got = (
        " ".join(text.replace("|---", "| ---").split()) for text in (preset_table(), page)
    )
    assert wanted in got, f"docs/algorithms.md must show\n\n{preset_table()}"


def meaning_table() -> str:
    """The settings as docs/algorithms.md explains them, in the words of their table."""
    lines = ["| setting | may be | what it says |", "|---|---|---|"]
    for name, setting in ROWS.items():
        words = WORDS["criterion"] if name == "criterion" else setting.words
        kinds = [", ".join(f"`{word}`" for word in words)] if words else []
        kinds += [kind.says for kind in setting.kinds if not kind.words and kind.says != "None"]
        if name not in (*GROWTH, "pruning"):
            kinds = ["only the row says it: yes or no"]
        says = re.sub(r'(?<![=\[])"(\w+)"', r"`\1`", setting.says).replace("``", "`")
        lines.append(f"| `{name}` | {'; '.join(kinds)} | {says} |")
    return "\n".join(lines)


def test_the_table_of_settings_is_true() -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text()
    assert meaning_table() in page, f"docs/algorithms.md must show\n\n{meaning_table()}"


@pytest.mark.parametrize("name", ROWS)
def test_every_word_of_a_setting_is_explained(name: str) -> None:
    page = (ROOT / "docs" / "algorithms.md").read_text()
    assert not [word for word in ROWS[name].words if f"`{word}`" not in page]


def test_every_file_has_its_line() -> None:
    """ARCHITECTURE.md says what each module of the package and of the core is for."""
    named = set(re.findall(r"`(\w+)/?`", (ROOT / "ARCHITECTURE.md").read_text()))
    package = {p.stem for p in (ROOT / "src" / "bosco").rglob("*.py")}
    rooms = [p for p in (ROOT / "core").iterdir() if p.name not in ("bind", "tests")]
    core = {p.stem for room in rooms for p in room.glob("*.?pp")}
    assert len(core) > 60
    assert not (package | core) - named


def test_every_picture_and_number_of_the_method_pages_is_our_own() -> None:
    """As docs/method/index.md says: data may be scikit-learn's, learners are not."""
    pages = [ROOT / "docs" / "make_images.py", *(ROOT / "docs" / "method").glob("*.md")]
    foreign = re.compile(
        r"sklearn\.(?!datasets|model_selection)\w+|from sklearn import (?!datasets)"
    )
    assert not {page.name: found for page in pages if (found := foreign.findall(page.read_text()))}


def test_traces_of_the_method_pages_are_made(tmp_path: Path) -> None:
    """The site makes them, in both languages, and the pages have each of them."""
    from runpy import run_path

    run_path(str(ROOT / "docs" / "make_traces.py"))["write"](tmp_path)
    linked = {
        name
        for page in (ROOT / "docs" / "method").glob("*.md")
        for name in re.findall(r'(?:href|src)="\.\./traces/([\w.]+)"', page.read_text())
    }
    assert linked == {path.name for path in tmp_path.iterdir()}
    assert '<html lang="it">' in (tmp_path / "tennis.it.html").read_text()
