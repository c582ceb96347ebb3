"""Every language says everything: sentences of the source against the catalogues.

``python -m tests.test_language`` brings the catalogues up to date: what the source no longer says
is dropped, what it says anew is there with nothing said for it yet, in the order of the English.
"""

import ast
import json
import re
import string
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

import bosco
from bosco.base.language import (
    LANGUAGES,
    OR,
    catalogue,
    in_script,
    key_of,
    phrase,
    speaking,
    spoken,
    tr,
    trn,
    words_of,
)
from bosco.errors import ParameterError

SOURCE = Path(bosco.__file__).parent
CATALOGUES = SOURCE / "base" / "languages"
OTHERS = [language for language in LANGUAGES if language != "en"]
CALLS = {"tr": 1, "trn": 2, "phrase": 1}  # how many templates each takes, at first


class NotWrittenOutError(AssertionError):
    """A template that the catalogues cannot know."""


def keys_of_call(name: str, first: list[object], about: object, place: str) -> str:
    if len(first) < CALLS[name] or not all(isinstance(one, str) and one for one in first):
        raise NotWrittenOutError(f"{place}: {name} takes templates as they are written, not made")
    if not isinstance(about, str):
        raise NotWrittenOutError(f"{place}: what it is about is written out, too, without a name")
    return key_of(*map(str, first), about=about)


def in_python(text: str, place: str) -> Iterator[str]:
    """The keys of a module, in order; the module of the functions itself calls them otherwise."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in CALLS:
            said = [a.value if isinstance(a, ast.Constant) else None for a in node.args]
            n = CALLS[name]
            about = said[n + (n == 2)] if len(said) > n + (n == 2) else ""
            about = None if any(k.arg == "about" for k in node.keywords) else about
            yield keys_of_call(name, said[:n], about, f"{place}:{node.lineno}")


def in_template(text: str, place: str) -> Iterator[str]:
    for node in Environment().parse(text).find_all(nodes.Call):
        if isinstance(node.node, nodes.Name) and node.node.name in CALLS:
            n = CALLS[node.node.name]
            said = [getattr(a, "value", None) for a in node.args]
            about = said[n + (n == 2)] if len(said) > n + (n == 2) else ""
            yield keys_of_call(node.node.name, said[:n], about, f"{place}:{node.lineno}")


def said_in_source() -> dict[str, str]:
    """Every key that the source has, and where."""
    readers = {".py": in_python, ".html": in_template, ".js": lambda text, _: in_script(text)}
    found: dict[str, str] = {}
    for path in sorted(p for p in SOURCE.rglob("*") if p.suffix in readers):
        place = str(path.relative_to(SOURCE))
        if place != "base/language.py":
            for key in readers[path.suffix](path.read_text(encoding="utf-8"), place):
                found.setdefault(key, place)
    return found


def places(text: str) -> Counter[str]:
    """What a template has room for: names with their formats, such as ``{share:.1f}``."""
    parts = string.Formatter().parse(text)
    return Counter(f"{name}:{spec}!{how}" for _, name, spec, how in parts if name is not None)


def read_catalogue(language: str) -> list[tuple[str, str]]:
    """The pairs as they stand in the file, one twice included."""
    text = (CATALOGUES / f"{language}.json").read_text(encoding="utf-8")
    pairs: list[tuple[str, str]] = json.loads(text, object_pairs_hook=list)
    return pairs


def write_catalogue(language: str) -> None:
    known = dict(read_catalogue(language))
    sentences = {key: known.get(key, "") for key in sorted(said_in_source(), key=order)}
    text = json.dumps(sentences, ensure_ascii=False, indent=1)
    (CATALOGUES / f"{language}.json").write_text(text + "\n", encoding="utf-8")


def order(key: str) -> tuple[str, str]:
    return key.lower(), key


@pytest.fixture(scope="module")
def source() -> dict[str, str]:
    return said_in_source()


def test_every_language_has_its_file_and_only_those() -> None:
    assert {path.stem for path in CATALOGUES.iterdir()} == set(OTHERS)


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_left_out_and_nothing_superfluous(language: str, source: dict[str, str]) -> None:
    pairs = read_catalogue(language)
    keys = [key for key, _ in pairs]
    assert [key for key, n in Counter(keys).items() if n > 1] == [], "twice"
    lacking = {key: place for key, place in source.items() if key not in set(keys)}
    assert not lacking, "python -m tests.test_language adds them, for somebody to translate"
    assert set(keys) == set(source), "python -m tests.test_language drops them"
    assert keys == sorted(keys, key=order)
    assert [key for key, said in pairs if not said.strip()] == [], "nothing said yet"


@pytest.mark.parametrize("language", OTHERS)
def test_places_and_edges_are_those_of_the_english(language: str) -> None:
    for key, said in read_catalogue(language):
        english = re.sub(r" \[\w+\]$", "", key)  # without what it is about
        forms, others = english.split(OR), said.split(OR)
        assert len(forms) == len(others) <= 2, key
        if len(forms) == 2:  # a language may need the number where English has none for one
            assert places(others[1]) == places(forms[1]), key
            assert set(places(others[0])) <= {*places(forms[0]), *places(forms[1])}, key
        else:
            assert places(said) == places(english), key
        for one, other in zip(forms, others, strict=True):
            assert [one[:1].isspace(), one[-1:].isspace()] == [
                other[:1].isspace(),
                other[-1:].isspace(),
            ], key
            assert one.count("\n") == other.count("\n"), key


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_left_in_english(language: str) -> None:
    """No three words in a row of the English stand in the translation; settings and code may."""
    for key, said in read_catalogue(language):
        words = re.findall(
            r"[A-Za-z]+(?![\w=(.])", re.sub(r"\{[^}]*\}|[\w.]+\([^)]*\)", " # ", key)
        )
        rows = zip(words, words[1:], words[2:], strict=False)
        left = [" ".join(row) for row in rows if re.search(r"\b" + r"\W+".join(row) + r"\b", said)]
        assert not left, key


def test_places_are_names_and_nothing_is_reached_through_them(source: dict[str, str]) -> None:
    for key in source:
        for _, name, spec, _ in string.Formatter().parse(key):
            assert name is None or (name.isidentifier()), key
            assert "{" not in (spec or ""), key


@pytest.mark.parametrize(
    "wrong",
    ['tr(f"{n} rows")', "tr(words)", 'trn("{n} row", many, n)', 'phrase("a" + b)', 'tr("a", c)',
     'tr("a", about="c")', 'language.tr("")', "tr()"],
)  # fmt: skip
def test_templates_are_written_out(wrong: str) -> None:
    with pytest.raises(NotWrittenOutError, match=r"^x\.py:1: "):
        list(in_python(wrong, "x.py"))


def test_sentences_are_found_in_modules_templates_and_scripts() -> None:
    text = 'tr("a {x}", x=1); trn("{n} b", "{n} bs", n, "rows"); w = {1: phrase("c", "d")}'
    assert list(in_python(text, "")) == ["a {x}", "{n} b | {n} bs [rows]", "c [d]"]
    page = '{% if tr("a") %}{{ trn("b", "bs", 2) }}{% endif %}<p title="{{ tr("c", "d") }}">'
    assert sorted(in_template(page, "")) == ["a", "b | bs", "c [d]"]
    script = 'x(tr("say \\"no\\"", { n }), trn("{n} b",\n  "{n} bs", n)); str("e")'
    assert in_script(script) == ['say "no"', "{n} b | {n} bs"]
    with pytest.raises(NotWrittenOutError, match=r"p\.html:1"):
        list(in_template("{{ tr(title) }}", "p.html"))


def test_a_script_has_no_template_that_is_made() -> None:
    for path in SOURCE.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        if path.name != "words.js":
            assert len(in_script(text)) == len(re.findall(r"\btrn?\(", text)), path.name


def test_english_is_spoken_unless_another_is(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"a {x}": "un {x}", "{n} b | {n} bs": "{n} bi | {n} bu", "all [rows]": "tutte"}
    monkeypatch.setattr("bosco.base.language.catalogue", {"it": known}.__getitem__)

    def say() -> list[str]:
        later = phrase("all", "rows")()
        return [tr("a {x}", x="{y}"), *(trn("{n} b", "{n} bs", n) for n in (0, 1, "1", 2)), later]

    english = ["a {y}", "0 bs", "1 b", "1 b", "2 bs", "all"]
    assert say() == english
    with speaking("it"):
        assert say() == ["un {y}", "0 bu", "1 bi", "1 bi", "2 bu", "tutte"]
        assert words_of('tr("a {x}", {x}); trn("{n} b", "{n} bs", 1)') == {
            "a {x}": "un {x}",
            "{n} b | {n} bs": "{n} bi | {n} bu",
        }
        assert (tr("unknown"), trn("one", "many", 2)) == ("unknown", "many")
        with speaking("en"):
            assert say() == english
        with speaking(None):
            assert spoken() == "it"
        assert spoken() == "it"
    assert say() == english
    assert words_of('tr("a {x}")') == {}


def test_a_language_that_there_is_not() -> None:
    wrong = pytest.raises(ParameterError, match=r"must be one of 'en', 'it'\. Got 'xx'\.")
    with wrong, speaking("xx"):
        pass
    assert spoken() == "en"


def test_templates_escape_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from bosco.render.html import _templates

    monkeypatch.setattr("bosco.base.language.catalogue", {"it": {"a & {x}": "<b> {x}"}}.get)
    page = _templates("render").from_string('{{ tr("a & {x}", x=x) }}')
    assert page.render(x="<i>") == "a &amp; &lt;i&gt;"
    with speaking("it"):
        assert page.render(x="<i>") == "&lt;b&gt; &lt;i&gt;"


def test_catalogues_are_read_once() -> None:
    assert catalogue("it") is catalogue("it")


if __name__ == "__main__":
    for language in OTHERS:
        write_catalogue(language)
        missing = [key for key, said in read_catalogue(language) if not said]
        print(f"{language}: {len(missing)} sentences have nothing said for them yet")
