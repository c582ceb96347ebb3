"""Policies as people say them, read into values; docs/policies.md has the grammar.

Words of the grammar are read in any case. Names of columns, levels and answers stand as they are,
the longest that fits, or between quotes.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import inf, nextafter
from typing import Any

from bosco.base.dates import MOMENTS
from bosco.base.hints import typed
from bosco.data.schema import Column, Schema, show_label, show_level
from bosco.data.typed import QUOTED, level_of, number_of, unquoted
from bosco.errors import ParameterError, did_you_mean
from bosco.policies.policy import Asked, Change, Never, Pair, Policy
from bosco.policies.words import Words
from bosco.tree.conditions import Interval, Members

FORMS = (
    "never ANSWER where CONDITIONS",
    "always ANSWER where CONDITIONS",
    "nobody CONDITIONS is ANSWER",
    "never ANSWER because of COLUMN, … where CONDITIONS",
    "COLUMN, … does not matter where CONDITIONS",
    "more COLUMN never lowers the answer where CONDITIONS (or less, raises)",
    "more COLUMN never turns ANSWER into ANSWER where CONDITIONS",
)
"""All that can be said."""

# Longer ones first: what is read is the first that fits.
_SIGNS = {
    ">=": ("at least", "not under", "not below", "no less than", ">=", "≥"),
    "<=": ("at most", "not over", "not above", "no more than", "up to", "<=", "≤"),
    ">": ("more than", "greater than", "older than", "over", "above", ">"),
    "<": ("less than", "younger than", "under", "below", "<"),
}
_WHERE = ("where", "whenever", "when", "if", "for", "with")
_JOINS = ("and", "with", "where", "who has", "who have", "who is", "who are", "having", "aged", ",")
_ENDS = ("is", "are", "gets", "get", "is ever", "may be")
_MORE = ("more", "higher", "larger", "greater", "later")
_LESS = ("less", "lower", "smaller", "fewer", "earlier")
_LOWERS = ("lowers", "decreases", "worsens")
_RAISES = ("raises", "increases", "improves")
_NO_MATTER = ("does not matter", "do not matter", "doesn't matter", "don't matter", "never matters")

_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_MOMENT = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?Z?"
    r"|-?(?:\d+ days? )?\d+:\d\d(?::\d\d(?:\.\d+)?)?"
)


def read_policy(
    sentence: str, schema: Schema, classes: Sequence[Any] | None, better: Sequence[Any] | None
) -> Policy:
    """A sentence as a value.

    `classes` are the answers, None for numbers; `better` has them from the worst to the best.

    Examples
    --------
    >>> schema = Schema((Column("age"), Column("sex", "nominal", ("f", "m"))), True)
    >>> read_policy("nobody over 65 is denied", schema, ["denied", "granted"], None).where
    (Asked(column=0, any_of=(Interval(column=0, low=65.0, high=None, missing=False),)),)
    """
    if not isinstance(sentence, str):
        raise ParameterError(f"A policy is a sentence. {_forms()} Got {sentence!r}.")
    return _Sentence(sentence, schema, classes, better).policy()


def _forms() -> str:
    return f"What can be said: {'; '.join(FORMS)}."


class _Sentence:
    """A sentence, and how far it is read."""

    def __init__(
        self, text: str, schema: Schema, classes: Sequence[Any] | None, better: Sequence[Any] | None
    ) -> None:
        self.text = text
        words = Words(text, _forms())
        self.words, self.take, self.refusal = words, words.take, words.refusal
        self.schema = schema
        self.classes = None if classes is None else list(classes)
        self.better = better

    # The forms ---------------------------------------------------------------------------------

    def policy(self) -> Policy:
        """The whole sentence."""
        if self.take("nobody", "no one", "no case"):
            return self._nobody()
        if self.take("always"):
            wrong = self._others(self.answer())
            return Never(self.text, self.where(), wrong)
        if self.take("never"):
            return self._never()
        if sign := self.take(*_MORE, *_LESS):
            return self._moving(sign in _MORE)
        return self._same()

    def _nobody(self) -> Policy:
        where: list[Asked] = []
        self._join()
        while not self.take(*_ENDS):
            where.append(self.condition())
            self._join()
        answer = self.answer()
        self.end()
        return Never(self.text, tuple(where), answer)

    def _never(self) -> Policy:
        answer = self.answer()
        if not self.take("because of"):
            return Never(self.text, self.where(), answer)
        columns = self.columns()
        if self.classes is None or isinstance(answer, Interval):
            raise self.refusal("of numbers, say 'COLUMN does not matter'")
        others = set(range(len(self.classes))) - answer
        pairs = frozenset((k, j) for k in answer for j in others)
        return Pair(self.text, self.where(), columns, pairs)

    def _moving(self, more: bool) -> Policy:
        column = self.column()
        if self.schema.columns[column].kind == "nominal":
            name = self.schema.names[column]
            raise self.refusal(
                f"the levels of {name!r} have no order, so none is more than another"
            )
        if not self.take("never"):
            raise self.refusal("'never' is missing after the column")
        wrong: frozenset[tuple[int, int]] | Change
        if self.take("turns"):
            first = self.answer()
            if not self.take("into"):
                raise self.refusal("'into' is missing after the first answer")
            second = self.answer()
            if isinstance(first, Interval) or isinstance(second, Interval):
                raise self.refusal("of numbers, say 'more COLUMN never lowers the answer'")
            turned = frozenset((k, j) for k in first for j in second if k != j)
            wrong = turned if more else frozenset((j, k) for k, j in turned)
        else:
            said = self.take(*_LOWERS, *_RAISES)
            if not said:
                raise self.refusal("'lowers', 'raises' or 'turns' is missing after 'never'")
            self.take("the answer", "the prediction", "answer", "it")
            # Less never lowers: more never raises.
            wrong = self._change("falls" if (said in _LOWERS) == more else "rises")
        return Pair(self.text, self.where(), self._free((column,)), wrong, up=True)

    def _change(self, change: Change) -> frozenset[tuple[int, int]] | Change:
        """Pairs of classes by the order that was given; of numbers, the word itself."""
        if self.classes is None:
            return change
        if self.better is None:
            hint = ", ".join(map(repr, self.classes))
            where = "in a TOML file by better = […]" if typed() else "by better=[…]"
            raise self.refusal(
                f"which answers are better is not known; say it {where}, from the worst to the "
                f"best of {hint}"
            )
        place = [self._place(label) for label in self.better]
        if sorted(place) != list(range(len(self.classes))):
            raise self.refusal(
                f"better must name every answer once: {self.classes}, got {self.better}"
            )
        ranks = {k: rank for rank, k in enumerate(place)}
        falls = {(k, j) for k in ranks for j in ranks if ranks[j] < ranks[k]}
        return frozenset(falls if change == "falls" else {(j, k) for k, j in falls})

    def _place(self, label: Any) -> int:
        """The place of an answer that `better` names."""
        assert self.classes is not None
        for k, known in enumerate(self.classes):
            if known == label or show_label(known) == str(label):
                return k
        raise self.refusal(
            f"better names {label!r}, which is no answer"
            + did_you_mean(str(label), map(show_label, self.classes))
        )

    def _same(self) -> Policy:
        start = self.words.at
        try:
            columns = self._listed()
        except ParameterError:
            self.words.at = start
            raise self.refusal("no form begins like this") from None
        self._free(columns)
        if not self.take(*_NO_MATTER):
            raise self.refusal("'does not matter' is missing after the column")
        if self.classes is None:
            return Pair(self.text, self.where(), columns, "differs")
        places = range(len(self.classes))
        pairs = frozenset((k, j) for k in places for j in places if k != j)
        return Pair(self.text, self.where(), columns, pairs)

    # Its parts ---------------------------------------------------------------------------------

    def where(self) -> tuple[Asked, ...]:
        """The conditions up to the end, if there are any."""
        found: list[Asked] = []
        if self.take(*_WHERE):
            found.append(self.condition())
            while self.take("and", ","):
                found.append(self.condition())
        self.end()
        return tuple(found)

    def _join(self) -> None:
        while self.take(*_JOINS):
            pass

    def end(self) -> None:
        """Nothing may be left."""
        if self.words.rest:
            raise self.refusal("this is too much")

    def columns(self) -> tuple[int, ...]:
        """One column or more that can change by themselves."""
        return self._free(self._listed())

    def _listed(self) -> tuple[int, ...]:
        """Columns, joined by commas, "and" or "or"."""
        found = [self.column()]
        while self.take(",", "and", "or"):
            found.append(self.column())
        return tuple(dict.fromkeys(found))

    def _free(self, columns: tuple[int, ...]) -> tuple[int, ...]:
        for j in columns:
            if self.schema.columns[j].formula is not None:
                behind = ", ".join(self.schema.names[i] for i in self.schema.behind([j]))
                raise self.refusal(
                    f"{self.schema.names[j]!r} is derived, and changes only with {behind}: name "
                    f"those"
                )
        return columns

    def column(self) -> int:
        """The column that is named here."""
        found = self.words.named(self.schema.names, "column")
        return self.schema.names.index(found)

    def condition(self) -> Asked:
        """What is asked of one column."""
        for sign, words in _SIGNS.items():
            if self.take(*words):  # without a column: an age
                ages = [j for j, n in enumerate(self.schema.names) if n.lower() == "age"]
                if len(ages) != 1:
                    raise self.refusal("no column is named here, and there is not one called 'age'")
                return Asked(ages[0], (self._compared(ages[0], sign),))
        j = self.column()
        if self.take("is missing", "are missing"):
            return Asked(j, (Members(j, (), True),))
        if self.take("is known", "is not missing"):
            return self._values(j, (), outside=True)
        if self.take("is between", "between"):
            return Asked(j, (self._between(j),))
        for outside, words in ((True, ("is not in", "not in")), (False, ("is in", "in"))):
            if self.take(*words):
                return self._values(j, self._set(j), outside=outside)
        for sign, words in _SIGNS.items():
            if self.take(*words, *(f"is {word}" for word in words)):
                return Asked(j, (self._compared(j, sign),))
        level = self._is_level(j)  # which may begin with "not"
        for outside, words in ((True, ("is not", "!=", "≠")), (False, ("is", "equals", "==", "="))):
            if not (outside and level) and self.take(*words):
                return self._values(j, [self.value(j)], outside=outside)
        raise self.refusal(
            f"nothing is asked of {self.schema.names[j]!r}: say <, =, in, is missing, …"
        )

    def _is_level(self, j: int) -> bool:
        """Whether "is" and a level of a column come next."""
        start = self.words.at
        texts = [show_level(level) for level in self.schema.columns[j].levels or ()]
        there = bool(self.take("is") and self.words.known(texts))
        self.words.at = start
        return there

    def _compared(self, j: int, sign: str) -> Interval:
        """At most, below, above, at least a value."""
        column = self.schema.columns[j]
        if column.kind == "nominal":
            raise self.refusal(
                f"the levels of {column.name!r} have no order: say '=' or 'in {{…}}'"
            )
        value = self.value(j)
        under = self._under(column, value)
        if column.levels is not None:
            value = float(column.levels.index(value))
        return _side(j, sign, under, value)

    def _between(self, j: int) -> Interval:
        low = self._compared(j, ">=").low
        if not self.take("and"):
            raise self.refusal("'and' is missing after 'between'")
        return Interval(j, low, self._compared(j, "<=").high, False)

    @staticmethod
    def _under(column: Column, value: Any) -> float:
        """The largest number of the core below a value."""
        if column.levels is not None:
            return column.levels.index(value) - 1.0
        return nextafter(value, -inf)

    def _values(self, j: int, named: Sequence[Any], *, outside: bool) -> Asked:
        """The known values that are named, or all others."""
        column = self.schema.columns[j]
        if column.levels is not None:
            places = [i for i, v in enumerate(column.levels) if (v in named) != outside]
            if column.kind == "nominal" or not places:
                return Asked(j, (Members(j, tuple(i + 1 for i in places), False),))
            return Asked(j, tuple(Interval(j, i - 1.0, float(i), False) for i in places))
        ends: list[float | None] = [None]
        for number in sorted(set(named)):
            ends += [self._under(column, number), number]
        ends.append(None)
        parts = list(pairwise(ends))[1 - outside :: 2]
        return Asked(j, tuple(Interval(j, low, high, False) for low, high in parts))

    def _set(self, j: int) -> list[Any]:
        """Values in braces."""
        if not self.take("{"):
            raise self.refusal("values stand in braces, {a, b}")
        found = [self.value(j)]
        while self.take(","):
            found.append(self.value(j))
        if not self.take("}"):
            raise self.refusal("a '}' is missing")
        return found

    def value(self, j: int) -> Any:
        """A value of a column: a level, or a number as the core has it."""
        column = self.schema.columns[j]
        if column.levels is not None:
            texts = {show_level(level): level for level in column.levels}
            found = self.words.named(list(texts), f"level of {column.name!r}")
            return level_of(column, found) if found not in texts else texts[found]
        if quoted := self.words.match(re.compile(QUOTED)):
            return number_of(column, unquoted(quoted))
        found = self.words.match(_MOMENT if column.unit in MOMENTS else _NUMBER)
        if not found:
            what = f"a {column.unit}" if column.unit in MOMENTS else "a number"
            raise self.refusal(f"{what} of {column.name!r} is wanted here")
        return number_of(column, found)

    def answer(self) -> frozenset[int] | Interval:
        """An answer: a class, or numbers on one side of one."""
        self.take("answers", "the answer is", "predicts", "says")
        if self.classes is not None:
            texts = [show_label(label) for label in self.classes]
            return frozenset({texts.index(self.words.named(texts, "answer", stems=True))})
        for sign, words in _SIGNS.items():
            if self.take(*words):
                found = self.words.match(_NUMBER)
                if not found:
                    break
                number = float(found)
                return _side(-1, sign, nextafter(number, -inf), number)
        raise self.refusal("the answers are numbers: say 'over 100', 'at most 3.5', …")

    def _others(self, answer: frozenset[int] | Interval) -> frozenset[int] | Interval:
        """All answers but these."""
        if isinstance(answer, Interval):
            return Interval(-1, answer.high, answer.low, False)
        assert self.classes is not None
        return frozenset(range(len(self.classes))) - answer


def _side(column: int, sign: str, under: float, value: float) -> Interval:
    """The values on one side of one; `under` is the largest below it."""
    cut = under if sign in ("<", ">=") else value
    low, high = (None, cut) if sign in ("<", "<=") else (cut, None)
    return Interval(column, low, high, False)
