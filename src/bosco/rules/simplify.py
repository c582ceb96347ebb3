"""Fewer and shorter rules for the same decisions, proved equal.

For each answer: unite neighbouring boxes; make every box as large as the boxes of other answers
allow; choose the fewest of these that hold all cases; make their conditions short again. With all
largest boxes to choose from, the number of rules is the least there is; where these are too many,
they are made from the rules at hand, in several ways, for as long as the time allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

from bosco.rules.cover import choose
from bosco.rules.deadline import Deadline
from bosco.rules.equivalence import NOTHING, Side, cells, compare, side
from bosco.rules.primes import all_primes, grown, grown_at_random, merged
from bosco.rules.rule import Rule
from bosco.rules.space import Box, Space
from bosco.rules.tidy import tidied

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

TIME_LIMIT = 8.0
"""Seconds that a simplification may take before it settles for what it has."""

_MAX_PRIMES = 2000
_ROUNDS = 8


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
        Answers for which time ran out: their rules are right, but could be fewer.
    seconds : float
        How long it took, the proof of equality included.
    answers : int
        How many answers have rules.

    Examples
    --------
    >>> print(Report((5, 4), (9, 7), proved=("Yes", "No"), seconds=0.01, answers=2))
    5 → 4 rules, 9 → 7 conditions; the least number of rules for every answer; 0.01 s
    """

    terms: tuple[int, int]
    conditions: tuple[int, int]
    proved: tuple[Any, ...] = ()
    hurried: tuple[Any, ...] = ()
    seconds: float = 0.0
    answers: int = 0

    def __str__(self) -> str:
        if len(self.proved) == self.answers:
            how = "the least number of rules for every answer"
        elif self.proved:
            how = f"the least number for {len(self.proved)} of {self.answers} answers"
        else:
            how = "not proved to be the least number"
        late = f"; time ran out for {', '.join(map(str, self.hurried))}" if self.hurried else ""
        (rules, fewer), (conditions, shorter) = self.terms, self.conditions
        return (
            f"{rules} → {fewer} rules, {conditions} → {shorter} conditions; {how}{late}; "
            f"{self.seconds:.2f} s"
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """The boxes of one answer, whether they are proved to be fewest, and whether time ran out."""

    boxes: list[Box]
    proved: bool
    hurried: bool


def simplified(
    rules: "RuleSet",
    *,
    unseen: tuple[str, ...],
    decision_list: bool,
    exact: int,
    time_limit: float,
) -> "RuleSet":
    """Shorten a set of rules; see `RuleSet.simplify`."""
    begin = monotonic()
    # A part is kept for the proof at the end.
    deadline = Deadline.after(time_limit * 0.75)
    space = Space(
        rules.schema, (c for rule in rules for c in rule.conditions), missing=rules.missing
    )
    unseen = tuple(dict.fromkeys((*rules.unseen, *unseen))) if rules.missing else ()
    region = space.known_only({rules.schema.names.index(name) for name in unseen})
    groups = _by_answer(space, rules, region)
    order = sorted((a for a in groups if a is not NOTHING), key=lambda a: len(groups[a]))
    last = order[-1] if decision_list else None
    found: dict[Any, Terms] = {}
    for answer in order:
        if answer == last:
            continue
        # In a list, what an earlier rule has answered need not be kept out.
        past = found.keys() if decision_list else {answer}
        off = [box for a, boxes in groups.items() if a != answer and a not in past for box in boxes]
        left = sum(len(groups[a]) for a in order if a not in found)
        part = deadline.share(max(0.2, len(groups[answer]) / left))
        found[answer] = shortest(space, groups[answer], off, exact, part)
    listed = order if decision_list else [a for a in groups if a in found]
    terms = [(answer, box) for answer in listed if answer in found for box in found[answer].boxes]
    known: dict[Any, list[tuple[Rule, Box]]] = {}
    for rule in rules:
        known.setdefault(rule.answer, []).append((rule, space.box(rule.conditions) & region))
    made = [_rule(space, known.get(answer, []), answer, box) for answer, box in terms]
    rank = {answer: at for at, answer in enumerate(listed)}
    made.sort(key=lambda rule: (rank[rule.answer], len(rule.conditions), rule.leaves))
    if decision_list or rules.ordered:  # rules in order speak for what is left to them
        made = [replace(rule, support=None, weight=None, confidence=None) for rule in made]
    result = replace(
        rules,
        rules=tuple(made),
        default=last if decision_list else _default(rules, unseen),
        ordered=decision_list,
        unseen=unseen,
        complete=False,
        report=None,
    )
    proof = compare(rules, result)
    if not proof:  # never to be seen, and never to be passed on
        raise AssertionError(f"a simplification changed a decision: {proof}")
    report = Report(
        terms=(len(rules), len(result)),
        conditions=(rules.n_conditions, result.n_conditions),
        # Another order of the answers could make a shorter list.
        proved=() if decision_list else tuple(a for a in found if found[a].proved),
        hurried=tuple(a for a in found if found[a].hurried),
        seconds=monotonic() - begin,
        answers=len(found),
    )
    return replace(result, complete=rules.complete and not unseen, report=report)


def shortest(
    space: Space, on: Sequence[Box], off: Sequence[Box], exact: int, deadline: Deadline
) -> Terms:
    """Few boxes that hold all of `on` and nothing of `off`."""
    few = len(on) <= exact
    on, off = merged(space, on), merged(space, off)
    candidates = None
    if few:
        candidates = all_primes(space, on, off, _MAX_PRIMES, deadline.share(0.15))
    if candidates is not None:
        boxes, proved = choose(space, on, candidates, deadline)
        return Terms(tidied(space, boxes, on, deadline), proved, deadline.passed())
    found: dict[Box, None] = {}
    for box in on:
        ways = [box] if deadline.passed() else grown(space, box, off)
        found.update(dict.fromkeys(ways))
    boxes = _enough(on, list(found))
    dice = Random(0)
    for _ in range(_ROUNDS):
        if deadline.passed():
            break
        chosen, _ = choose(space, on, list(found), deadline.share(0.5))
        chosen = tidied(space, chosen, on, deadline)
        if _cost(space, chosen) < _cost(space, boxes):
            boxes = chosen
        before = len(found)
        for box in on:
            if not deadline.passed():
                found[grown_at_random(space, box, off, dice)] = None
        if len(found) == before:
            break
    return Terms(boxes, len(boxes) == 1, deadline.passed())


def _enough(on: Sequence[Box], candidates: Sequence[Box]) -> list[Box]:
    """Some candidates that hold all boxes, each whole in one of them, the largest first."""
    enough: list[Box] = []
    by_size = sorted(candidates, key=int.bit_count, reverse=True)
    for box in on:
        if not any(box & ~other == 0 for other in enough):
            enough.append(next(other for other in by_size if box & ~other == 0))
    return enough


def _cost(space: Space, boxes: Sequence[Box]) -> tuple[int, int]:
    return len(boxes), sum(space.tested_fields(box).bit_count() for box in boxes)


def _by_answer(space: Space, rules: "RuleSet", region: Box) -> dict[Any, list[Box]]:
    """The boxes of each answer within a region, in the order of the answers."""
    groups: dict[Any, list[Box]] = {answer: [] for answer in rules.answers()}
    if rules.ordered or rules.default is not None:
        everything = Side([space.full], [True], True)
        parts = ((b, a) for b, a, _ in cells(space, side(space, rules), everything, region))
        # A cell may have a set of atoms that is not one interval: say it by several boxes.
        pairs = [(box, a) for whole, a in parts for box in space.sayable(whole)]
    else:
        pairs = [(space.box(rule.conditions) & region, rule.answer) for rule in rules]
    for box, answer in pairs:
        if space.holds_any(box):
            groups.setdefault(answer, []).append(box)
    return {answer: boxes for answer, boxes in groups.items() if boxes}


def _rule(space: Space, known: Sequence[tuple[Rule, Box]], answer: Any, box: Box) -> Rule:
    """A box as a rule, with what stands behind it if it speaks for whole rules."""
    behind = [(rule, inside) for rule, inside in known if space.meets(inside, box)]
    leaves = tuple(sorted({leaf for rule, _ in behind for leaf in rule.leaves}))
    made = Rule(answer, space.conditions(box), leaves)
    if any(inside & ~box or rule.support is None for rule, inside in behind):
        return made
    support = sum(rule.support or 0.0 for rule, _ in behind)
    right = [(rule.support or 0.0) * rule.confidence for rule, _ in behind if rule.confidence]
    counts_classes = any(rule.confidence is not None for rule, _ in behind)
    return replace(
        made,
        support=support,
        weight=sum(rule.weight or 0.0 for rule, _ in behind),
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
