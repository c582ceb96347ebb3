"""The first screen of a report: what the model decides, how well, by what, and what to beware of.

All of it in sentences, each a plain fact of the model or of the rows that judged it; the sections
below have the figures behind them.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.figures.leaves import Leaves
from bosco.render.card import card, count, say, show_amount, show_share, show_weight
from bosco.reporting.beware import of_rows, of_samples, of_support, of_table, of_the_first
from bosco.reporting.figures import metric_words, population
from bosco.reporting.parts import Heading, Part, Screen, fill, lines, paragraph
from bosco.reporting.people import to_beware
from bosco.reporting.scores import Scores
from bosco.rules.rule import Rule
from bosco.rules.written import Written
from bosco.tree.family import AnyModel
from bosco.tree.prices import say_prices

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.stability import Stability
    from bosco.models.model import Model
    from bosco.tables.understanding import Understanding

MOST_NAMES = 6
MOST_RULES = 3
"""So many columns or classes are named, and rules told."""

MAX_LEVELS = 3
"""Levels of a set that are spelled out; the rules below have all."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A model in sentences."""

    decides: Sequence[str]  # what it decides, and from what it learned
    good: Sequence[str]  # how good it is, on which rows
    strongest: str  # what the next ones are
    strong: Sequence[str]  # what it goes by
    beware: Sequence[str]

    def part(self) -> Part:
        """Four parts that stand side by side where there is room."""
        beware = self.beware or [tr("None of the checks of this page found anything to warn of.")]
        told = [
            (tr("What it decides"), self.decides),
            (tr("How well it does"), self.good),
            *([(self.strongest, self.strong)] if self.strong else []),
            (tr("Beware"), beware),
        ]
        on_paper = [part for head, said in told for part in (Heading(head), *map(paragraph, said))]
        return Screen(fill("summary", **asdict(self)), lines(on_paper))


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
    size = tr(
        "It is a tree of {leaves}: a case is asked {questions} at most",
        leaves=count(tree.n_leaves, "leaf"),
        questions=count(tree.max_depth, "question"),
    )
    size += tr(", and others where a value is missing.") if len(tree.native.surrogates) else "."
    if not used:
        size = tr("It asks nothing: every case gets the same answer.")
    beware = [*to_beware(model), *of_rows(scores, evaluation), *of_support(leaves)]
    beware += of_the_first(model)
    return Summary(
        [
            _task(model),
            f"{_asked(model, list(used))} {size}",
            " ".join([_learned(model), *say_prices(model)]),
            *_deciding(model),
        ],
        _quality(scores, model, evaluation),
        tr("Its strongest rules"),
        _strongest(model, rules) if used else [],
        [*beware, *of_samples(stability), *of_table(understanding)],
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
    beware = [*of_rows(scores, evaluation), *of_table(understanding)]
    return Summary(
        [_task(model), is_, *_deciding(model)],
        _quality(scores, model, evaluation),
        tr("What weighs most"),
        strong[:MOST_RULES],
        beware,
    )


# What it decides ----------------------------------------------------------------------------------


def _task(model: AnyModel) -> str:
    target = model.provenance.get("target")
    name = visible(target) if isinstance(target, str) else ""
    if model.classes is None:
        return tr("The model estimates {what}.", what=name or tr("a number"))
    which = _some([show_label(label) for label in model.classes], "or", "classes")
    what = name or tr("the class of a case")
    return tr("The model predicts {what}: {classes}.", what=what, classes=which)


def _deciding(model: AnyModel) -> list[str]:
    """How its answers are decided, where that is not by the heaviest class."""
    return [" ".join(model.deciding)] if model.deciding else []


def _asked(model: "Model", used: list[int]) -> str:
    n = len(model.schema.columns)
    if not used:
        return trn("There is {n} column to ask about.", "There are {n} columns to ask about.", n)
    names = _some([model.schema.columns[j].shown for j in used], "and", "columns")
    part = count(n, "column")
    if len(used) < n:
        part = tr("{n} of {all} columns", n=len(used), all=n)
    return tr("It looks at {columns}: {names}.", columns=part, names=names)


def _learned(model: "Model") -> str:
    root = card(model, 0)
    rows = show_amount(root.rows, root.weight, root.noun)
    source = model.provenance.get("source")
    if isinstance(source, str) and source:
        rows = tr("{rows} of {source}", rows=rows, source=visible(source))
    if model.classes is None:
        mean = {"rows": rows, "mean": show_figure(root.mean or 0.0)}
        if model.growth.medians:
            mean["statistic"] = root.statistic
            return tr("It learned from {rows}, whose {statistic} is {mean}.", **mean)
        if root.weighted:
            return tr("It learned from {rows}, whose weighted mean is {mean}.", **mean)
        return tr("It learned from {rows}, whose mean is {mean}.", **mean)
    by = "" if root.rows is not None else f" {tr('by weight')}"
    each = [f"{show_weight(n)} {label}" for label, n in root.classes]
    classes = f"{_some(each, 'and', 'classes')}{by}"
    said = tr("It learned from {rows}: {classes}.", rows=rows, classes=classes)
    if root.weighted and root.rows is not None:
        said += " " + tr("The rows were weighted, and it decides by weight.")
    return said


def from_rows(model: AnyModel) -> str:
    """From how many rows it was learned, as a part of a sentence; nothing if that is not known."""
    rows = model.provenance.get("rows")
    return tr(", learned from {n:,} rows", n=rows) if isinstance(rows, int) else ""


_MORE = {
    ("or", "classes"): phrase("{names} or {n} more classes"),
    ("and", "classes"): phrase("{names} and {n} more classes"),
    ("and", "columns"): phrase("{names} and {n} more columns"),
}


def _some(names: Sequence[str], word: str, what: str) -> str:
    """Names in a row, the first ones if they are many."""
    if len(names) > MOST_NAMES:
        more = len(names) - MOST_NAMES + 1
        return _MORE[word, what](names=", ".join(names[: MOST_NAMES - 1]), n=more)
    *first, last = names
    between = tr(" or ") if word == "or" else tr(" and ")
    return f"{', '.join(first)}{between}{last}" if first else last


# How good it is -----------------------------------------------------------------------------------


def _quality(scores: Scores | None, model: AnyModel, evaluation: "Evaluation | None") -> list[str]:
    said = []
    if scores is not None:
        figure = scores.judged.told
        value, idle = figure.show(figure.value), figure.show(figure.baseline)
        says = figure.says
        if figure.metric == "error":
            head = tr(
                "Of {rows}, it gets {value} wrong ({interval}).",
                rows=population(scores),
                value=value,
                interval=figure.interval,
            )
            rest = tr("Always saying {answer} would get {value} wrong.", answer=says, value=idle)
        else:
            head = tr(
                "On {rows}, it is {value} off on average ({interval}).",
                rows=population(scores),
                value=value,
                interval=figure.interval,
            )
            rest = tr("Always saying {answer} would be {value} off.", answer=says, value=idle)
        if figure.weighted:
            head = tr("By weight, {said}", said=f"{head[0].lower()}{head[1:]}")
        said += [f"{head} {rest}", *_found(scores, model)]
        if (cost := scores.judged.cost) is not None:
            said.append(f"{tr('By its costs')}: {cost}.")
    if evaluation is not None:
        first = evaluation.summaries[0]
        low, high = (show_figure(end, 3) for end in first.interval)
        idle = tr("always saying {answer}", answer=evaluation.constant)
        idle += f": {show_figure(first.constant, 3)}"
        told = {
            "metric": metric_words(first.metric),
            "mean": show_figure(first.mean, 3),
            "confidence": 100 * evaluation.confidence,
            "low": low,
            "high": high,
            "plan": evaluation.plan,
            "idle": idle,
        }
        said.append(
            tr(
                "Models grown in the same way have a mean weighted {metric} of {mean} "
                "({confidence:g} % interval {low} to {high}; {plan}); {idle}.",
                **told,
            )
            if evaluation.weighted
            else tr(
                "Models grown in the same way have a mean {metric} of {mean} ({confidence:g} % "
                "interval {low} to {high}; {plan}); {idle}.",
                **told,
            )
        )
    nobody = tr("Nobody has judged it here: this report was given no rows to judge it by.")
    return said or [nobody]


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
        tr(
            "{share} of the {n:,} that are {label}",
            share=show_share(share),
            n=n,
            label=show_label(model.classes[k]),
        )
        for k, share, n in sorted(worst)
    ]
    as_rows = tr("Counted as rows, it finds") if scores.judged.whole.weighted else tr("It finds")
    if len(told) > len(worst):
        return [f"{as_rows} {tr('least of these classes: {classes}.', classes=', '.join(each))}"]
    return [f"{as_rows} {tr(' and ').join(each)}."]


# By what ------------------------------------------------------------------------------------------


def _strongest(model: "Model", found: Written) -> list[str]:
    """The rules that move the most rows furthest from the average, in words.

    Of classes, rows times what the share of the answer is above that among all rows; of numbers,
    rows times the square of the distance from what the root says; from a mean, the part of the
    variance that it explains.
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
    return [
        _say_rule(model, rule, never_missing)
        + (f" {tr('The answer is by order.')}" * bool(rule.by_order))
        + (f" {tr('The answer is {how}.', how=model.decision.word)}" * bool(rule.turned))
        for rule in best
        if strength(rule) > 0
    ]


def _say_rule(model: "Model", rule: Rule, never_missing: Collection[int]) -> str:
    conditions = tr(" and ").join(
        say(model.schema, c, MAX_LEVELS, missing=c.column not in never_missing)
        for c in rule.conditions
    )
    rows = count(show_weight(rule.support or 0.0), "row")
    if model.classes is None:
        return tr(
            "If {conditions}: about {answer} ({rows} to learn from).",
            conditions=conditions,
            answer=show_figure(float(rule.answer)),
            rows=rows,
        )
    label = show_label(rule.answer)
    right = show_share(rule.confidence or 0.0)
    by_weight = ""
    if card(model, 0).weighted:
        tally = model.tree.native.tally[list(rule.leaves)].sum(axis=0)
        share = tally[model.classes.tolist().index(rule.answer)] / tally.sum()
        by_weight = f" ({show_share(float(share))} {tr('by weight')})"
    return tr(
        "If {conditions}: {answer}, as were {part} of {rows} to learn from{by_weight}.",
        conditions=conditions,
        answer=label,
        part=right,
        rows=rows,
        by_weight=by_weight,
    )
