"""Options that come together, which a verb takes as one value.

typer reads the parameters of a function. `expanded` shows it the fields of a group in the place of
each parameter that is one, and puts the group together before the verb runs.
"""

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bosco.cli import options as o
from bosco.settings.settings import ALGORITHMS, OPTIONS

if TYPE_CHECKING:
    from bosco.tables import Options

__all__ = ["Layout", "Learner", "Parts", "Preference", "TableOptions", "expanded"]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the file of a table is written."""

    types: o.Types = None
    fold_case: o.FoldCase = False
    delimiter: o.Delimiter = None
    decimal: o.Decimal = None
    encoding: o.Encoding = None
    header: o.Header = None
    query: o.Query = None
    sheet: o.Sheet = None

    def options(self) -> "Options":
        """What the reader of tables is told."""
        return o.reading_options(**{f.name: getattr(self, f.name) for f in fields(Layout)})


@dataclass(frozen=True, kw_only=True)
class TableOptions(Layout):
    """How to read a table to learn from."""

    missing_values: o.Missing = None
    drop: o.Drop = None
    weight: o.Weight = None
    domains: o.Domains = None
    identifiers: Annotated[
        bool,
        typer.Option("--identifiers", help="Learn from columns that look like identifiers, too."),
    ] = False

    def learning(self, target: str) -> "Options":
        """What the reader of tables is told, the target included."""
        said = {name: value for name, value in asdict(self).items() if name != "identifiers"}
        return o.reading_options(**said, target=target)


@dataclass(frozen=True, kw_only=True)
@o.with_settings
class Learner:
    """Settings of the tree, or trees, to grow: all those that have an option of their own."""

    task: Annotated[
        o.Task | None,
        typer.Option(
            help="Learn classes or numbers; by default the target says.", show_default=False
        ),
    ] = None
    algorithm: Annotated[
        str,
        typer.Option(
            help=f"One tree: {', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}; many: forest, "
            "extra_trees, adaboost or samme."
        ),
    ] = "cart"
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE,…",
            help="Any other parameter of the estimator, such as missing=fractional, vote=mode or "
            "'class_weight={\"bad\": 5}'; may be repeated.",
            show_default=False,
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """The parameters of an estimator that were given, policies and numbers read."""
        from bosco.cli.learners import check_algorithm
        from bosco.cli.literals import literal, read_policy, read_settings

        check_algorithm(self.algorithm)
        given = {name: getattr(self, name) for name in ("algorithm", *OPTIONS)}
        if given["max_features"] is not None:
            every = given["max_features"] in ("all", "none")
            given["max_features"] = 1.0 if every else literal(given["max_features"])
        if given["pruning"] is not None:
            given["pruning"] = read_policy(given["pruning"])
        given |= read_settings(self.also or (), "--set")
        return {name: value for name, value in given.items() if value is not None}


class Preference(StrEnum):
    """Which of the settings tried is chosen."""

    small = "small"
    accuracy = "accuracy"


@dataclass(frozen=True, kw_only=True)
class Parts:
    """How the rows are parted to choose and to test, and what is chosen."""

    split: Annotated[
        str, typer.Option(metavar="A,B,C", help="Shares to learn from, to choose on, to test on.")
    ] = "0.6,0.2,0.2"
    inner: Annotated[
        str,
        typer.Option(
            help="How settings are compared: on the validation part, by k_fold or monte_carlo of "
            "it and the training part, or auto: k_fold if it has fewer than 100 rows."
        ),
    ] = "auto"
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What settings are chosen by: accuracy, balanced_accuracy, auc, log_loss, "
            "f1:CLASS, recall:CLASS, cost:CLASS=5, …; rmse, mae, r2, …. By default accuracy, or "
            "with class_weight balanced_accuracy; of numbers rmse.",
            show_default=False,
        ),
    ] = None
    prefer: Annotated[
        Preference,
        typer.Option(
            help="Of the trees tried, the smallest whose score is within one standard error of the "
            "best (or the best of at most 30 leaves), or the best of all."
        ),
    ] = Preference.small
    seed: Annotated[int, typer.Option(help="Seed of the parts, and of what trees draw.", min=0)] = 0


def expanded(run: Callable[..., None]) -> Callable[..., None]:
    """Give a verb whose groups are spread out, for typer to read.

    Examples
    --------
    >>> def run(name: str, parts: Parts) -> None:
    ...     print(name, parts.seed)
    >>> list(inspect.signature(expanded(run)).parameters)
    ['name', 'split', 'inner', 'metric', 'prefer', 'seed']
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

    def verb(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        run(**given)

    verb.__doc__ = run.__doc__
    verb.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    verb.__annotations__ = {p.name: p.annotation for p in shown}
    return verb
