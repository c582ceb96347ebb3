"""The first screen of a report: what the model decides, how well, by what, and what to beware of.

All of it in sentences, each a plain fact of the model or of the rows that judged it; the sections
below have the figures behind them.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.errors import ModelError
from bosco.figures.leaves import Leaves
from bosco.render.card import card, count, say, say_test, show_amount, show_share, show_weight
from bosco.reporting.figures import population
from bosco.reporting.page import fill
from bosco.reporting.scores import Scores
from bosco.rules.rule import Rule
from bosco.rules.written import Written
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.stability import Stability
    from bosco.models.model import Model
    from bosco.tables.understanding import Understanding

MOST_NAMES = 6
MOST_RULES = 3
MOST_WARNINGS = 3
"""So many columns or classes are named, rules told, and oddities of the table repeated."""

MAX_LEVELS = 3
"""Levels of a set that are spelled out; the rules below have all."""

RARE = 0.5
"""A class of which less is found is worth a warning; and a first question that comes back less."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A model in sentences."""

    decides: Sequence[str]  # what it decides, and from what it learned
    good: Sequence[str]  # how good it is, on which rows
    strongest: str  # what the next ones are
    strong: Sequence[str]  # what it goes by
    beware: Sequence[str]

    def to_html(self) -> Markup:
        """Four parts that stand side by side where there is room."""
        return fill("summary", **asdict(self))


def of_tree(
    model: "Model",
    scores: Scores | None,
    evaluation: "Evaluation | None",
    stability: "Stability | None",
    understanding: "Understanding | None",
    *,
    leaves: Leaves,
    rules: Written,
) -> Summary:
    """One tree in sentences; `leaves` are by its training rows."""
    tree = model.tree
    asked = (tree.native.tests.column, tree.columns_asked)  # in the order of nodes; stand-ins, too
    used = dict.fromkeys(column for columns in asked for column in columns.tolist())
    size = f"It is a tree of {count(tree.n_leaves, 'leaf')}: "
    size += f"a case is asked {count(tree.max_depth, 'question')} at most"
    size += ", and others where a value is missing." if len(tree.native.surrogates) else "."
    if not used:
        size = "It asks nothing: every case gets the same answer."
    beware = [*_of_rows(scores, evaluation), *_of_support(leaves), *_of_the_first(model)]
    return Summary(
        [_task(model), f"{_asked(model, list(used))} {size}", _learned(model)],
        _quality(scores, model, evaluation),
        "Its strongest rules",
        _strongest(model, rules) if used else [],
        [*beware, *_of_samples(stability), *_of_table(understanding)],
    )


def of_many(
    model: AnyModel,
    is_: str,
    strong: Sequence[str],
    scores: Scores | None,
    evaluation: "Evaluation | None",
    stability: "Stability | None",
    understanding: "Understanding | None",
) -> Summary:
    """Many trees in sentences: what they are, and what they go by, the weightiest first."""
    del stability  # it is of single trees
    beware = [*_of_rows(scores, evaluation), *_of_table(understanding)]
    return Summary(
        [_task(model), is_],
        _quality(scores, model, evaluation),
        "What weighs most",
        strong[:MOST_RULES],
        beware,
    )


# What it decides ----------------------------------------------------------------------------------


def _task(model: AnyModel) -> str:
    target = model.provenance.get("target")
    name = visible(target) if isinstance(target, str) else ""
    if model.classes is None:
        return f"The model estimates {name or 'a number'}."
    which = _some([show_label(label) for label in model.classes], "or", "classes")
    return f"The model predicts {name or 'the class of a case'}: {which}."


def _asked(model: "Model", used: list[int]) -> str:
    n = len(model.schema.columns)
    if not used:
        return f"There {'is' if n == 1 else 'are'} {count(n, 'column')} to ask about."
    names = _some([model.schema.columns[j].shown for j in used], "and", "columns")
    part = f"{len(used)} of {n} columns" if len(used) < n else count(n, "column")
    return f"It looks at {part}: {names}."


def _learned(model: "Model") -> str:
    root = card(model, 0)
    rows = show_amount(root.rows, root.weight, root.noun)
    source = model.provenance.get("source")
    origin = f" of {visible(source)}" if isinstance(source, str) and source else ""
    if model.classes is None:
        mean = "whose weighted mean is" if root.weighted else "whose mean is"
        return f"It learned from {rows}{origin}, {mean} {show_figure(root.mean or 0.0)}."
    by = "" if root.rows is not None else " by weight"
    each = [f"{show_weight(n)} {label}" for label, n in root.classes]
    said = f"It learned from {rows}{origin}: {_some(each, 'and', 'classes')}{by}."
    if root.weighted and root.rows is not None:
        said += " The rows were weighted, and it decides by weight."
    return said


def from_rows(model: AnyModel) -> str:
    """From how many rows it was learned, as a part of a sentence; nothing if that is not known."""
    rows = model.provenance.get("rows")
    return f", learned from {rows:,} rows" if isinstance(rows, int) else ""


def _some(names: Sequence[str], word: str, what: str) -> str:
    """Names in a row, the first ones if they are many."""
    if len(names) > MOST_NAMES:
        more = len(names) - MOST_NAMES + 1
        return f"{', '.join(names[: MOST_NAMES - 1])} {word} {more} more {what}"
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


# How good it is -----------------------------------------------------------------------------------


def _quality(scores: Scores | None, model: AnyModel, evaluation: "Evaluation | None") -> list[str]:
    said = []
    if scores is not None:
        figure = scores.judged.told
        value, idle = figure.show(figure.value), figure.show(figure.baseline)
        if figure.metric == "error":
            head = f"Of {population(scores)}, it gets {value} wrong ({figure.interval})."
            rest = f"Always saying {figure.says} would get {idle} wrong."
        else:
            head = f"On {population(scores)}, it is {value} off on average ({figure.interval})."
            rest = f"Always saying {figure.says} would be {idle} off."
        if figure.weighted:
            head = f"By weight, {head[0].lower()}{head[1:]}"
        said += [f"{head} {rest}", *_found(scores, model)]
    if evaluation is not None:
        first = evaluation.summaries[0]
        low, high = (show_figure(end, 3) for end in first.interval)
        by = "weighted " if evaluation.weighted else ""
        idle = f"always saying {evaluation.constant}: {show_figure(first.constant, 3)}"
        said.append(
            f"Models grown in the same way have a mean {by}{first.metric.replace('_', ' ')} of "
            f"{show_figure(first.mean, 3)} ({100 * evaluation.confidence:g} % interval {low} to "
            f"{high}; {evaluation.plan}); {idle}."
        )
    return said or ["Nobody has judged it here: this report was given no rows to judge it by."]


def _found(scores: Scores, model: AnyModel) -> list[str]:
    """Of each class, what is found; of many the worst."""
    if scores.confusion is None or model.classes is None:
        return []
    told = [
        (k, float(row[k] / row.sum()), int(row.sum()))
        for k, row in enumerate(scores.confusion)
        if row.sum()
    ]
    worst = sorted(told, key=lambda one: one[1])[:MOST_RULES]
    each = [
        f"{show_share(share)} of the {n:,} that are {show_label(model.classes[k])}"
        for k, share, n in sorted(worst)
    ]
    it = "Counted as rows, it" if scores.judged.whole.weighted else "It"
    if len(told) > len(worst):
        return [f"{it} finds least of these classes: {', '.join(each)}."]
    return [f"{it} finds {' and '.join(each)}."]


# By what ------------------------------------------------------------------------------------------


def _strongest(model: "Model", found: Written) -> list[str]:
    """The rules that move the most rows furthest from the average, in words.

    Of classes, rows times what the share of the answer is above that among all rows; of numbers,
    rows times the square of the distance from the mean: the part of the variance that it explains.
    """
    short = [] if found.after is None else [r for r in found.after if r.support is not None]
    told = {leaf for rule in short for leaf in rule.leaves}
    plain = [] if found.before is None else list(found.before)
    rules = short + [r for r in plain if r.support is not None and not told & set(r.leaves)]
    root = card(model, 0)
    usual: dict[Any, float] = {}
    if model.classes is not None:
        amounts = model.amounts[0]
        usual = dict(zip(model.classes.tolist(), (amounts / amounts.sum()).tolist(), strict=True))

    def far(rule: Rule) -> float:
        return float(rule.answer) - (root.mean or 0.0)

    farthest = 1.0  # squares of large numbers would leave the range of float64
    if model.classes is None:
        farthest = max((abs(far(rule)) for rule in rules), default=1.0) or 1.0

    def strength(rule: Rule) -> float:
        support = rule.support or 0.0
        if model.classes is None:
            return support * (far(rule) / farthest) ** 2
        return support * ((rule.confidence or 0.0) - usual[rule.answer])

    best = sorted(rules, key=strength, reverse=True)[:MOST_RULES]
    never_missing = frozenset() if found.before is None else found.before.unseen_columns
    return [_say_rule(model, rule, never_missing) for rule in best if strength(rule) > 0]


def _say_rule(model: "Model", rule: Rule, never_missing: Collection[int]) -> str:
    conditions = " and ".join(
        say(model.schema, c, MAX_LEVELS, missing=c.column not in never_missing)
        for c in rule.conditions
    )
    rows = count(show_weight(rule.support or 0.0), "row")
    if model.classes is None:
        return f"If {conditions}: about {show_figure(float(rule.answer))} ({rows} to learn from)."
    label = show_label(rule.answer)
    right = show_share(rule.confidence or 0.0)
    by_weight = ""
    if card(model, 0).weighted:
        tally = model.tree.native.tally[list(rule.leaves)].sum(axis=0)
        share = tally[model.classes.tolist().index(rule.answer)] / tally.sum()
        by_weight = f" ({show_share(float(share))} by weight)"
    return f"If {conditions}: {label}, as were {right} of {rows} to learn from{by_weight}."


# What to beware of --------------------------------------------------------------------------------


def _of_rows(scores: Scores | None, evaluation: "Evaluation | None") -> list[str]:
    """What the rows that judged it were, and whether it beats the constant answer."""
    said = [] if evaluation is None else list(evaluation.no_better)
    if scores is None:
        none = evaluation is None
        return ["Nothing on this page tells how it does on other rows."] if none else said
    judged = scores.judged
    learned = judged.seen.state == "learned" and not judged.untouched
    if learned and not judged.seen.sampled:
        said.append("It was judged by rows that it learned from, which is no test.")
    elif judged.told.against:
        said.append(judged.told.against)
    if judged.untouched or judged.seen.state in ("fresh", "mixed"):
        return said + _missed(scores)
    if judged.seen.sampled:
        said.append(
            f"Of the rows that judged it, those that can be told of ({judged.seen.n_looked:,} of "
            f"{judged.seen.rows:,}) are rows that it learned from; if the others are, too, this is "
            "no test."
        )
    elif not judged.seen.known:
        said.append(
            "Whether it learned from the rows that judged it is not known; if so, the figures "
            "flatter it."
        )
    return said + _missed(scores)


def _missed(scores: Scores) -> list[str]:
    if scores.confusion is None:
        return []
    rows = scores.confusion.sum(axis=1)
    shares = np.diag(scores.confusion) / np.maximum(rows, 1)
    n = int(np.count_nonzero((rows > 0) & (shares < RARE)))
    if not n:
        return []
    classes = "one class" if n == 1 else f"{n} classes"
    return [f"It misses more than half of {classes}: see the confusion matrix."]


def _of_support(leaves: Leaves) -> list[str]:
    weak = len(leaves.weak)
    if not weak or len(leaves) == 1:
        return []
    n = count(weak, "leaf")
    verb = "rests" if weak == 1 else "rest"
    return [f"{n} of {len(leaves)} {verb} on {leaves.weakly}."]


def _of_the_first(model: "Model") -> list[str]:
    """Whether another first question was nearly as good."""
    if model.tree.node_count == 1:
        return []
    try:
        found = model.why(0)
    except ModelError:
        return []
    near = [c for c in found if c.near_tie]
    test = model.tree.test(0)
    if not near or test is None:
        return []
    first, other = say_test(model.schema, test, MAX_LEVELS), near[0].test
    return [f"Its first question ({first}) was nearly another ({other}): on other rows it may be."]


def _of_samples(stability: "Stability | None") -> list[str]:
    if stability is None or stability.root_same >= RARE:
        return []
    share = show_share(stability.root_same)
    first = "The column of its first question comes back"
    return [f"{first} in {share} of the samples only: the tree is unsteady."]


def _of_table(understanding: "Understanding | None") -> list[str]:
    """What is odd about the table."""
    if understanding is None:
        return []
    notes = [*understanding.notes]
    notes += [f"{visible(c.name)}: {note}" for c in understanding.columns for note in c.odd]
    more = len(notes) - MOST_WARNINGS
    rest = [f"{more} more in “The data as understood”."] if more > 0 else []
    return [*notes[:MOST_WARNINGS], *rest]
