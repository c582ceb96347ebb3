"""Options that come together, which a verb takes as one value.

typer reads the parameters of a function. `expanded` shows it the fields of a group in the place of
each parameter that is one, and puts the group together before the verb runs.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from bosco.base.language import ENGLISH, speaking
from bosco.cli import options as o
from bosco.cli.console import Format
from bosco.lessons.told import Parted, Task, Told, items, reading_options
from bosco.settings.settings import ALGORITHMS, OPTIONS

if TYPE_CHECKING:
    from bosco.lessons.lesson import Lesson
    from bosco.tables import Options


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the file of a table is written."""

    types: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=TYPE,…",
            help="Types of columns: number, text, boolean, date (date:dmy, date:mdy), datetime, "
            "ordinal.",
        ),
    ] = None
    fold_case: Annotated[
        bool,
        Option(
            "--fold-case", help="Read levels that differ in case only, such as No and no, as one."
        ),
    ] = False
    delimiter: Annotated[str | None, Option(metavar="CHAR", help="What parts cells.")] = None
    decimal: Annotated[str | None, Option(metavar="CHAR", help="'.' or ','.")] = None
    encoding: Annotated[str | None, Option(metavar="NAME", help="Such as latin-1.")] = None
    header: Annotated[bool | None, Option(help="Whether the first row holds the names.")] = None
    query: Annotated[str | None, Option(metavar="SQL", help="What to ask a database.")] = None
    sheet: Annotated[str | None, Option(metavar="NAME", help="The sheet of a workbook.")] = None

    def options(self) -> "Options":
        """What the reader of tables is told."""
        return reading_options(**{f.name: getattr(self, f.name) for f in fields(Layout)})


@dataclass(frozen=True, kw_only=True)
class TableOptions(Layout, Told):
    """How to read a table to learn from: the fields of `Told`, as typer reads them."""

    missing_values: Annotated[
        list[str] | None,
        Option(metavar="TEXT,…", help="Spellings of missing, instead of ?, NA, - and their like."),
    ] = None
    drop: Annotated[list[str] | None, Option(metavar="NAME,…", help="Columns to leave out.")] = None
    weight: Annotated[str | None, Option(metavar="NAME", help="The column of weights.")] = None
    domains: Annotated[
        Path | None, Option(metavar="FILE", help="Levels of columns, as JSON or TOML.")
    ] = None
    identifiers: Annotated[
        bool,
        Option("--identifiers", help="Learn from columns that look like identifiers, too."),
    ] = False


@dataclass(frozen=True, kw_only=True)
@o.with_settings
class Learner:
    """Settings of the tree, or trees, to grow: all those that have an option of their own."""

    task: Annotated[
        Task | None, Option(help="Learn classes or numbers; by default the target says.")
    ] = None
    algorithm: Annotated[
        str,
        Option(
            help=f"One tree: {', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}; many: forest, "
            "extra_trees, adaboost or samme."
        ),
    ] = "cart"
    also: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="NAME=VALUE,…",
            help="Any other parameter of the estimator, such as missing=fractional, vote=mode or "
            "'class_weight={\"bad\": 5}'; may be repeated.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """The parameters of an estimator that were given, policies and numbers read."""
        from bosco.lessons.learners import check_algorithm
        from bosco.lessons.literals import literal, read_derived, read_policy, read_settings

        check_algorithm(self.algorithm)
        given = {name: getattr(self, name) for name in ("algorithm", *OPTIONS)}
        if given["max_features"] is not None:
            every = given["max_features"] in ("all", "none")
            given["max_features"] = 1.0 if every else literal(given["max_features"])
        if given["pruning"] is not None:
            given["pruning"] = read_policy(given["pruning"])
        if given["costs"]:
            from bosco.lessons.told import items
            from bosco.tree.costs import read_costs

            given["costs"] = read_costs(items(given["costs"]), "--costs")
        given |= _asking(given)
        if given["derive"]:
            given["derive"] = read_derived(given["derive"])
        given |= read_settings(self.also or (), "--set")
        return {name: value for name, value in given.items() if value is not None}


def _asking(given: dict[str, Any]) -> dict[str, Any]:
    """What answers cost, of what was given; rule and weight say nothing unless something does."""
    from bosco.settings.asking import read_groups, read_prices

    reads: dict[str, Callable[[Any], Any]] = {
        "ask_costs": lambda said: read_prices(items(said), "--ask-cost"),
        "ask_groups": lambda said: read_groups(items(said), "--ask-group"),
        "ask_delayed": lambda said: list(items(said)),
    }
    found = {name: read(given[name]) if given[name] else None for name, read in reads.items()}
    if found["ask_costs"] is None:
        found |= {"ask_rule": None, "ask_weight": None}
    return found


Preference = StrEnum("Preference", "small accuracy")
"""Which of the settings tried is chosen."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """How the rows are parted to choose and to test, and what is chosen."""

    split: Annotated[
        str, Option(metavar="A,B,C", help="Shares to learn from, to choose on, to test on.")
    ] = "0.6,0.2,0.2"
    inner: Annotated[
        str,
        Option(
            help="How settings are compared: on the validation part, by k_fold or monte_carlo of "
            "it and the training part, or auto: k_fold if it has fewer than 100 rows."
        ),
    ] = "auto"
    metric: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="What settings are chosen by: accuracy, balanced_accuracy, auc, log_loss, "
            "f1:CLASS, recall:CLASS, cost:CLASS=5, …; rmse, mae, r2, …. By default accuracy, or "
            "with class_weight balanced_accuracy; of numbers rmse.",
        ),
    ] = None
    prefer: Annotated[
        Preference,
        Option(
            help="Of the trees tried, the smallest whose score is within one standard error of the "
            "best (or the best of at most 30 leaves), or the best of all."
        ),
    ] = Preference.small
    seed: Annotated[int, Option(help="Seed of the parts, and of what trees draw.", min=0)] = 0


@dataclass(frozen=True, kw_only=True)
class Together(Parted):
    """What rows belong together, or came first: the fields of `Parted`, as typer reads them."""

    group: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Rows with one value of this column, such as a patient, are on one side of every "
            "split. It is not learned from.",
        ),
    ] = None
    time: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Learn from the past, by this column of dates, times or numbers, and test on what "
            "follows. It is not learned from.",
        ),
    ] = None
    learn_parting: o.LearnParting = False


@dataclass(frozen=True, kw_only=True)
class Splits:
    """How rows are split to learn from some and test on others, again and again."""

    method: Annotated[
        str | None,
        Option(
            help="k_fold, monte_carlo, holdout or bootstrap_632; with --time rolling or holdout. "
            "By default k_fold, with --time rolling."
        ),
    ] = None
    repeats: Annotated[int | None, Option(help="Splits, or cross-validations.", min=1)] = None
    folds: Annotated[
        int | None,
        Option(help="Of k_fold, 10 if not said; windows of rolling, 5 if not said.", min=2),
    ] = None
    test_size: Annotated[float | None, Option(help="Share to test on; 0.3 if not said.")] = None
    metrics: Annotated[
        list[str] | None, Option(metavar="NAME,…", help="Scores by scikit-learn's names.")
    ] = None
    seed: Annotated[int, Option(help="Seed of the splits.", min=0)] = 0
    jobs: o.Jobs = -1

    def how(self, lesson: "Lesson") -> dict[str, Any]:
        """What `bosco.evaluate` and `bosco.compare` are told."""
        return {
            "method": self.method or ("k_fold" if lesson.when is None else "rolling"),
            "repeats": self.repeats,
            "folds": self.folds,
            "test_size": self.test_size,
            "metrics": items(self.metrics) or None,
            "sample_weight": lesson.weight,
            "n_jobs": self.jobs,
            "random_state": self.seed,
            **lesson.parting,
        }


def expanded(run: Callable[..., None]) -> Callable[..., None]:
    """Give a verb whose groups are spread out, for typer to read, and the language it speaks.

    Examples
    --------
    >>> def run(name: str, parts: Parts) -> None:
    ...     print(name, parts.seed)
    >>> list(inspect.signature(expanded(run)).parameters)
    ['name', 'split', 'inner', 'metric', 'prefer', 'seed', 'lang']
    >>> expanded(run)(name="a", split="", inner="", metric=None, prefer="small", seed=7)
    a 7
    """
    own = inspect.signature(run).parameters.values()
    groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}
    shown = []
    for parameter in own:
        if parameter.name in groups:
            shown += [
                inspect.Parameter(
                    f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type
                )
                for f in fields(groups[parameter.name])
            ]
        else:
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    last = {"default": o.Language(ENGLISH), "annotation": o.Lang}
    shown.append(inspect.Parameter("lang", inspect.Parameter.KEYWORD_ONLY, **last))

    def verb(*, lang: str = ENGLISH, **given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        for_programs = Format.json in given.values()  # which read one language
        with speaking(ENGLISH if for_programs else str(lang)):
            run(**given)

    verb.__doc__ = run.__doc__
    verb.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    verb.__annotations__ = {p.name: p.annotation for p in shown}
    return verb
