"""Fewer and shorter rules for the same decisions, proved equal.

For each answer: unite neighbouring boxes; make every box as large as the boxes of other answers
allow; choose the fewest of these that hold all cases; make their conditions short again. With all
largest boxes to choose from, the number of rules is the least there is; where these are too many,
they are made from the rules at hand, in several ways, for as long as the work allowed lasts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr
from bosco.rules.cover import choose, enough
from bosco.rules.equivalence import NOTHING, Side, cells, compare, side
from bosco.rules.primes import all_primes, grown, grown_at_random, merged, narrowed, tidied
from bosco.rules.rule import Rule
from bosco.rules.space import Box, Near, Space
from bosco.rules.work import OutOfWorkError, Work

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

_MAX_PRIMES = 2000
_ROUNDS = 8
_WORTH = 8  # boxes, from which on it pays to unite those that they must not meet
_NAMED = 5  # answers in a report


@dataclass(frozen=True, slots=True)
class Report:
    """How far a simplification got; ``print`` it.

    Attributes
    ----------
    terms, conditions : tuple of (int, int)
        Numbers of rules and of conditions, before and after.
    proved : tuple
        Answers whose number of rules is proved to be the least.
    hurried : tuple
        Answers for which the work allowed ran out: their rules are right, but could be fewer.
    work : int
        Steps that were made, the proof of equality included; the same on every machine.
    answers : int
        How many answers have rules.

    Examples
    --------
    >>> print(Report((5, 4), (9, 7), proved=("Yes", "No"), work=310, answers=2))
    5 → 4 rules, 9 → 7 conditions; the least number of rules for every answer
    """

    terms: tuple[int, int]
    conditions: tuple[int, int]
    proved: tuple[Any, ...] = ()
    hurried: tuple[Any, ...] = ()
    work: int = 0
    answers: int = 0

    @property
    def shortened(self) -> bool:
        """Whether anything became shorter."""
        return (self.terms[1], self.conditions[1]) < (self.terms[0], self.conditions[0])

    @property
    def unfinished(self) -> str:
        """For which answers the work allowed ran out, in words; empty if for none."""
        if not self.hurried:
            return ""
        named = ", ".join(map(str, self.hurried[:_NAMED]))
        more = len(self.hurried) - _NAMED
        named = tr("{names} and {n} more", names=named, n=more) if more > 0 else named
        return tr(
            "the work allowed ran out for {answers}: right, but there may be fewer and shorter",
            answers=named,
        )

    def __str__(self) -> str:
        if len(self.proved) == self.answers:
            how = tr("the least number of rules for every answer")
        elif self.proved:
            n, answers = len(self.proved), self.answers
            how = tr("the least number for {n} of {all} answers", n=n, all=answers)
        else:
            how = tr("not proved to be the least number")
        (rules, fewer), (conditions, shorter) = self.terms, self.conditions
        sizes = {"a": rules, "b": fewer, "c": conditions, "d": shorter}
        said = f"{tr('{a} → {b} rules, {c} → {d} conditions', **sizes)}; {how}"
        return f"{said}; {self.unfinished}" if self.hurried else said


@dataclass(frozen=True, slots=True)
class Terms:
    """The boxes of one answer, whether they are proved to be fewest, and whether work ran out."""

    boxes: list[Box]
    proved: bool
    hurried: bool


def simplified(
    rules: "RuleSet", *, unseen: tuple[str, ...], decision_list: bool, exact: int, work: Work
) -> "RuleSet":
    """Shorten a set of rules; see `RuleSet.simplify`."""
    unseen = tuple(dict.fromkeys((*rules.unseen, *unseen))) if rules.missing else ()
    plain = not (unseen or decision_list or rules.ordered) and rules.default is None
    if plain and rules.complete and len(rules.answers()) == len(rules):
        return _as_they_are(rules, work, proved=True)  # a rule each: nothing can be united
    try:
        return _shortened(rules, unseen, decision_list, exact, work)
    except OutOfWorkError:
        if decision_list:  # the order of rules that need none does not matter in a list, either
            rules = replace(rules, rules=_without_support(rules), ordered=True)
        return _as_they_are(rules, work, proved=False)


def _as_they_are(rules: "RuleSet", work: Work, *, proved: bool) -> "RuleSet":
    answers = tuple(rules.answers())
    terms, conditions = (len(rules), len(rules)), (rules.n_conditions, rules.n_conditions)
    sure, hurried = (answers, ()) if proved else ((), answers)
    report = Report(terms, conditions, sure, hurried, work.used, len(answers))
    return replace(rules, report=report)


def _without_support(rules: "RuleSet | list[Rule]") -> tuple[Rule, ...]:
    """Rules in order speak for what is left to them, of which no rows are counted."""
    return tuple(replace(r, support=None, weight=None, confidence=None) for r in rules)


def _shortened(
    rules: "RuleSet", unseen: tuple[str, ...], decision_list: bool, exact: int, work: Work
) -> "RuleSet":
    asked = (c for rule in rules for c in rule.conditions)
    space = Space(rules.schema, asked, missing=rules.missing)
    region = space.known_only({rules.schema.names.index(name) for name in unseen})
    outside = space.full & ~region  # is anyone's
    making = work.part(0.75)  # the rest is kept for the proof at the end
    groups = _by_answer(space, rules, region, making)
    order = sorted((a for a in groups if a is not NOTHING), key=lambda a: len(groups[a]))
    groups = {answer: merged(space, boxes, making) for answer, boxes in groups.items()}
    # What an answer leaves, the others have: of one box nothing can be made but itself.
    tiled = rules.complete and not decision_list
    last = order[-1] if decision_list else None
    found: dict[Any, Terms] = {}
    to_do = sum(len(groups[a]) for a in order if a != last)
    for answer in order:
        if answer == last:
            continue
        on = groups[answer]
        part = making.part(max(0.2, len(on) / to_do))
        to_do -= len(on)
        if tiled and len(on) == 1:
            found[answer] = Terms([narrowed(space, on[0] | outside, on[0])], True, False)
            continue
        if making.over:
            found[answer] = Terms([narrowed(space, b | outside, b) for b in on], False, True)
            continue
        making.spend(sum(map(len, groups.values())))
        # In a list, what an earlier rule has answered need not be kept out.
        past = found.keys() if decision_list else {answer}
        off = [box for a, boxes in groups.items() if a != answer and a not in past for box in boxes]
        found[answer] = shortest(space, on, off, exact, part, outside)
    listed = order if decision_list else [a for a in groups if a in found]
    terms = [(answer, box) for answer in listed if answer in found for box in found[answer].boxes]
    behind = _Behind(space, rules, region, work)
    made = [behind.rule(answer, box) for answer, box in terms]
    rank = {answer: at for at, answer in enumerate(listed)}
    made.sort(key=lambda rule: (rank[rule.answer], len(rule.conditions), rule.leaves))
    as_list = decision_list or rules.ordered
    result = replace(
        rules,
        rules=_without_support(made) if as_list else tuple(made),
        default=last if decision_list else _default(rules, unseen),
        ordered=decision_list,
        unseen=unseen,
        complete=False,
        report=None,
    )
    proof = compare(rules, result, work=work)
    if not proof:  # never to be seen, and never to be passed on
        raise AssertionError(f"a simplification changed a decision: {proof}")
    report = Report(
        terms=(len(rules), len(result)),
        conditions=(rules.n_conditions, result.n_conditions),
        # Another order of the answers could make a shorter list.
        proved=() if decision_list else tuple(a for a in found if found[a].proved),
        hurried=tuple(a for a in found if found[a].hurried),
        work=work.used,
        answers=len(found),
    )
    return replace(result, complete=rules.complete and not unseen, report=report)


def shortest(
    space: Space,
    on: Sequence[Box],
    off: Sequence[Box],
    exact: int,
    work: Work,
    outside: Box = 0,
) -> Terms:
    """Few boxes that hold all of `on` and nothing of `off`; what is outside may be taken in."""
    if len(on) >= _WORTH:
        off = merged(space, off, work)
    if len(on) <= exact:
        candidates = all_primes(space, on, off, _MAX_PRIMES, work.part(0.4))
        if candidates is not None:
            boxes, proved = choose(space, on, candidates, work)
            return Terms(tidied(space, boxes, on, work), proved, work.over)
    found: dict[Box, None] = {}
    making = work.part(0.6)
    for box in on:
        if making.over:
            found[narrowed(space, box | outside, box)] = None
        else:
            found.update(dict.fromkeys(grown(space, box, off, making)))
    candidates = list(found)
    boxes = enough(on, candidates, Near(space, candidates, work))
    dice = Random(0)
    for _ in range(_ROUNDS):
        if work.over:
            break
        chosen, _ = choose(space, on, list(found), work.part(0.5))
        chosen = tidied(space, chosen, on, work)
        if _cost(space, chosen) < _cost(space, boxes):
            boxes = chosen
        before = len(found)
        for box in on:
            if not work.over:
                found[grown_at_random(space, box, off, dice, work)] = None
        if len(found) == before:
            break
    return Terms(boxes, len(boxes) == 1, work.over)


def _cost(space: Space, boxes: Sequence[Box]) -> tuple[int, int]:
    return len(boxes), sum(space.tested_fields(box).bit_count() for box in boxes)


def _by_answer(space: Space, rules: "RuleSet", region: Box, work: Work) -> dict[Any, list[Box]]:
    """The boxes of each answer within a region, in the order of the answers."""
    groups: dict[Any, list[Box]] = {answer: [] for answer in rules.answers()}
    if rules.ordered or rules.default is not None:
        everything = Side([space.full], [True], True)
        parts = cells(space, side(space, rules, work), everything, region, work)
        # A cell may have a set of atoms that is not one interval: say it by several boxes.
        pairs = [(box, a) for whole, a, _ in parts for box in space.sayable(whole)]
    else:
        work.need((len(rules) + rules.n_conditions) * space.step)
        pairs = [(space.box(rule.conditions) & region, rule.answer) for rule in rules]
    for box, answer in pairs:
        if space.holds_any(box):
            groups.setdefault(answer, []).append(box)
    return {answer: boxes for answer, boxes in groups.items() if boxes}


class _Behind:
    """Finds what stands behind a box: the rules that it speaks for."""

    def __init__(self, space: Space, rules: "RuleSet", region: Box, work: Work) -> None:
        work.need((len(rules) + rules.n_conditions) * space.step)
        self._space = space
        self._rules = rules.rules
        self._boxes = [space.box(rule.conditions) & region for rule in rules]
        self._near = Near(space, self._boxes, work)

    def rule(self, answer: Any, box: Box) -> Rule:
        """A box as a rule, with its rows if it speaks for whole rules."""
        near = self._near.meeting(box)
        behind = [i for i in near if self._rules[i].answer == answer]
        rules = [self._rules[i] for i in behind]
        leaves = tuple(sorted({leaf for rule in rules for leaf in rule.leaves}))
        ordered = tuple(sorted({leaf for rule in rules for leaf in rule.by_order}))
        turned = tuple(sorted({leaf for rule in rules for leaf in rule.turned}))
        asked = self._space.conditions(box)
        made = Rule(answer, asked, leaves, by_order=ordered, turned=turned)
        parted = any(self._boxes[i] & ~box for i in behind)
        if parted or any(rule.support is None for rule in rules):
            return made
        support = sum(rule.support or 0.0 for rule in rules)
        right = [(rule.support or 0.0) * rule.confidence for rule in rules if rule.confidence]
        counts_classes = any(rule.confidence is not None for rule in rules)
        return replace(
            made,
            support=support,
            weight=sum(rule.weight or 0.0 for rule in rules),
            confidence=sum(right) / support if support > 0 and counts_classes else None,
        )


def _default(rules: "RuleSet", unseen: tuple[str, ...]) -> Any:
    """What to answer where the rules leave it open: what most of the training weight has."""
    if not unseen or rules.default is not None:
        return rules.default if unseen else None
    weights: dict[Any, float] = {}
    for rule in rules:
        weights[rule.answer] = weights.get(rule.answer, 0.0) + (rule.weight or 0.0)
    return max(weights, key=lambda answer: weights[answer])
