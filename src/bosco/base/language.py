"""What people read, in their language: English stands in the code, and is the key.

``tr("The tree has {n} leaves.", n=3)`` is English as it is written. While another language is
spoken, its catalogue is asked for the sentence; catalogues are the files of ``languages``, one for
each, ``{english: translated}``. A test reads every sentence from the source, so a template is
always written out where `tr`, `trn` or `phrase` is called, and no catalogue lacks one or has one
too many.

Numbers are written alike in all languages, with a point: what is read can be pasted back, to the
last digit. What programs read (files, JSON, SQL, code, names of columns and levels) is never
translated, and neither are errors.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from importlib.resources import files

from bosco.errors import ParameterError

ENGLISH = "en"
LANGUAGES = (ENGLISH, "it")
"""The languages that can be spoken, by their codes (BCP 47)."""

OR = " | "
"""What stands between the forms for one and for many, on both sides of a catalogue."""

_PLACE = re.compile(r"\{(\w+)[^}]*\}")
_spoken: ContextVar[str] = ContextVar("bosco_language", default=ENGLISH)
_IN_SCRIPTS = re.compile(r'\btrn?\(\s*("(?:[^"\\]|\\.)*")(?:\s*,\s*("(?:[^"\\]|\\.)*"))?')


@contextmanager
def speaking(language: str | None) -> Iterator[None]:
    """While this lasts, all that is made for people is in that language.

    Parameters
    ----------
    language : str or None
        ``"en"`` or ``"it"``; None goes on with the language that is spoken already, English at
        first.

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.play_tennis()
    >>> model = bosco.DecisionTreeClassifier(algorithm="stump").fit(X, y).model_
    >>> with bosco.speaking("it"):
    ...     words = str(model)
    """
    if language is not None and language not in LANGUAGES:
        known = ", ".join(map(repr, LANGUAGES))
        raise ParameterError(f"The language must be one of {known}. Got {language!r}.")
    before = _spoken.set(language or _spoken.get())
    try:
        yield
    finally:
        _spoken.reset(before)


def spoken() -> str:
    """The code of the language that is spoken."""
    return _spoken.get()


def tr(english: str, about: str = "", /, **values: object) -> str:
    """A sentence in the language that is spoken, its places filled with values.

    `about` tells apart what is one word in English and several elsewhere.

    Examples
    --------
    >>> tr("It says {answer}.", answer="yes")
    'It says yes.'
    """
    said = english if _spoken.get() == ENGLISH else _known(key_of(english, about=about), english)
    return said.format(**values)


def trn(one: str, many: str, n: float | str, about: str = "", /, **values: object) -> str:
    """The same of a number, which is a value too: `one` is said of 1, `many` of others.

    The number may be written already, as ``"12,000"``.

    Examples
    --------
    >>> trn("{n} leaf", "{n} leaves", 1), trn("{n} leaf", "{n} leaves", 0)
    ('1 leaf', '0 leaves')
    """
    forms = [one, many]
    if _spoken.get() != ENGLISH:
        forms = _known(key_of(one, many, about), OR.join(forms)).split(OR)
    return forms[str(n) != "1"].format(n=n, **values)


def retold(english: str, *, within: bool = False) -> str:
    """What was said in English when it was kept, in the language that is spoken.

    The sentence of the catalogue that it was made from is looked for, its values put in again;
    `within`: they are sentences too, and not names that mean themselves.

    Examples
    --------
    >>> with speaking("it"):
    ...     retold("wrong rows in training + 0.5 per leaf", within=True)
    'righe sbagliate in addestramento + 0.5 per foglia'
    """
    if _spoken.get() == ENGLISH:
        return english
    tried = ((pattern.fullmatch(english), said) for pattern, said in _templates(_spoken.get()))
    found, said = next((pair for pair in tried if pair[0]), (None, english))
    values = found.groupdict() if found else {}
    if within:
        values = {name: retold(value, within=True) for name, value in values.items()}
    return _PLACE.sub(lambda place: values[place[1]], said) if found else english


def phrase(english: str, about: str = "", /) -> Callable[..., str]:
    """A sentence for later: called, it is `tr`. For tables of words, which are made on import.

    Examples
    --------
    >>> words = {"gini": phrase("impurity")}
    >>> words["gini"]()
    'impurity'
    """
    return partial(tr, english, about)


def key_of(english: str, many: str | None = None, about: str = "") -> str:
    """What a sentence is called in catalogues: its English, both forms, and what it is about.

    Examples
    --------
    >>> key_of("{n} leaf", "{n} leaves"), key_of("all", about="rows")
    ('{n} leaf | {n} leaves', 'all [rows]')
    """
    forms = english if many is None else f"{english}{OR}{many}"
    return f"{forms} [{about}]" if about else forms


def in_script(script: str) -> list[str]:
    """The keys of what a script of a page says by ``tr("…")`` and ``trn("…", "…", n)``.

    Examples
    --------
    >>> in_script('a(tr("Fill in."), trn("{n} leaf", "{n} leaves", 2))')
    ['Fill in.', '{n} leaf | {n} leaves']
    """
    pairs = ([json.loads(part) for part in pair if part] for pair in _IN_SCRIPTS.findall(script))
    return [key_of(*pair) for pair in pairs]


def words_of(script: str) -> dict[str, str]:
    """What the words of a script are in the language that is spoken; nothing in English."""
    return {key: _known(key, key) for key in in_script(script)} if spoken() != ENGLISH else {}


@cache
def catalogue(language: str) -> dict[str, str]:
    """All sentences of a language, by their keys."""
    file = files("bosco.base").joinpath("languages", f"{language}.json")
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


@cache
def _templates(language: str) -> list[tuple[re.Pattern[str], str]]:
    """What a sentence made from a template looks like, and the template there; most words first."""
    known = [(key, said) for key, said in catalogue(language).items() if OR not in key]
    known = [(key, said) for key, said in known if re.search(r"[^\W\d_]", _PLACE.sub("", key))]
    known.sort(key=lambda pair: len(_PLACE.sub("", pair[0])), reverse=True)
    found = []
    for key, said in known:
        pieces = re.split(r"\{(\w+)[^}]*\}", key)
        pattern = "".join(
            f"(?P<{piece}>.+)" if k % 2 else re.escape(piece) for k, piece in enumerate(pieces)
        )
        if len(set(pieces[1::2])) == len(pieces[1::2]):
            found.append((re.compile(pattern, re.DOTALL), said))
    return found


def _known(key: str, english: str) -> str:
    """What is said for a key; English where a catalogue has nothing, which a test forbids."""
    return catalogue(_spoken.get()).get(key, english)
