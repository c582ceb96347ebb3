"""A sentence that is read word by word: what is taken, what is left, and what is refused."""

import re
from collections.abc import Sequence

from bosco.data.typed import QUOTED, unquoted
from bosco.errors import ParameterError, did_you_mean

_SUFFIX = re.compile(r"(?:ies|ied|es|ed|ing|s|d|e|y)$")


class Words:
    """A sentence, and how far it is read; `forms` says what could be said instead.

    Examples
    --------
    >>> words = Words("Never denied", "")
    >>> words.take("always", "never"), words.rest
    ('never', 'denied')
    """

    def __init__(self, text: str, forms: str) -> None:
        self.text = text
        self._words = text.strip().rstrip(".").rstrip()
        self._forms = forms
        self.at = 0

    @property
    def rest(self) -> str:
        """What is not read yet."""
        return self._words[self.at :].lstrip()

    def take(self, *words: str) -> str:
        """Read one of some words, the longest that is there; "" if none is."""
        for word in sorted(words, key=len, reverse=True):
            ends = r"(?!\w)" if word[-1].isalnum() else ""
            pattern = r"\s+".join(map(re.escape, word.split()))
            if self.match(re.compile(pattern + ends, re.IGNORECASE)):
                return word
        return ""

    def match(self, pattern: re.Pattern[str]) -> str:
        """Read what a pattern describes; "" if it is not there."""
        rest = self.rest
        found = pattern.match(rest)
        if found:
            self.at = len(self._words) - len(rest) + found.end()
        return found[0] if found else ""

    def named(self, known: Sequence[str], what: str, *, stems: bool = False) -> str:
        """One of some names: quoted, as it is, in other letters, or another form of a verb."""
        if quoted := self.match(re.compile(QUOTED, re.DOTALL)):
            name = unquoted(quoted)
            if name not in known:
                raise self._unknown(name, known, what)
            return name
        if name := self.known(known):
            return name
        word = self.match(re.compile(r"[^\s,{}<>=≤≥]+"))
        alike = [name for name in known if _stem(name) == _stem(word)] if stems and word else []
        if len(alike) != 1:
            raise self._unknown(word, known, what)
        return alike[0]

    def known(self, names: Sequence[str]) -> str:
        """Read one of some names, the longest that is there; "" if none is."""
        for flags in (re.NOFLAG, re.IGNORECASE):
            for name in sorted(names, key=len, reverse=True):
                ends = r"(?!\w)" if name and (name[-1].isalnum() or name[-1] == "_") else ""
                if name and self.match(re.compile(re.escape(name) + ends, flags)):
                    return name
        return ""

    def _unknown(self, word: str, known: Sequence[str], what: str) -> ParameterError:
        few = ", ".join(map(repr, known[:20])) + (", …" if len(known) > 20 else "")
        return ParameterError(
            f"The policy {self.text!r} names {word!r}, which is no {what}; there are {few}."
            + did_you_mean(word, known)
        )

    def refusal(self, why: str) -> ParameterError:
        """Say what cannot be read, and what can."""
        here = f" at {self.rest!r}" if self.rest else ""
        return ParameterError(
            f"The policy {self.text!r} is not understood{here}: {why}. {self._forms}"
        )


def _stem(word: str) -> str:
    """A verb without its ending: denies, denied and deny are one."""
    return _SUFFIX.sub("", word.lower())
