"""``bosco prune``: a smaller model, and why."""

from dataclasses import replace
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_tree, model_text
from bosco.cli.options import Answer, KnownTarget, ModelFile, Out, PolicyOption, Table
from bosco.errors import ParameterError

EXAMPLE = "bosco prune loans.json --pruning cost_complexity:alpha=0.01 --out smaller.json"


def run(
    model: ModelFile,
    pruning: PolicyOption = None,
    collapse: Annotated[
        int | None, Option(metavar="NODE", help="Make this node a leaf instead.")
    ] = None,
    out: Out = None,
    rows: Table = None,
    target: KnownTarget = None,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Make a model smaller, and tell what went and why.

    reduced_error judges by the rows of --table; pessimistic, which sends training rows down other
    branches, needs them as --table too, unless raising=false.
    """
    if (pruning is None) == (collapse is None):
        raise ParameterError("One is wanted: --pruning POLICY or --collapse NODE.")
    from bosco.cli.rows import labelled_rows

    loaded = load_tree(model, "pruning is")
    if collapse is not None:
        smaller = loaded.collapse(collapse)
    else:
        given = (None, None) if rows is None else labelled_rows(rows, loaded, target, layout)[:2]
        smaller = _pruned(loaded, str(pruning), *given)
    if out is not None:
        smaller.save(out)
    last = smaller.pruning_log()
    lines = [str(last), "", model_text(smaller, out or model)]
    lines += [] if out is None else ["", tr("saved: {file}", file=out)]
    data = {
        "leaves": [loaded.n_leaves, smaller.n_leaves],
        "log": last.to_dict(),
        "text": smaller.to_text(max_nodes=None),
        "model": None if out is None else str(out),
    }
    emit(answer, "\n".join(lines), data)


def _pruned(model: Any, text: str, X: Any, y: Any) -> Any:
    from bosco.lessons.literals import read_policy
    from bosco.pruning import CostComplexity, Pessimistic, ReducedError

    policy = read_policy(text)
    if policy == "none":
        raise ParameterError("--pruning none prunes nothing. Hint: bosco prune --help names all.")
    if isinstance(policy, CostComplexity) and policy.alpha is None:
        raise ParameterError(
            "A grown tree is pruned at a price: --pruning cost_complexity:alpha=0.01. "
            "Hint: fit --pruning cost_complexity chooses it by cross-validation."
        )
    if isinstance(policy, ReducedError):
        if X is None:
            raise ParameterError("reduced_error judges by rows: give them with --table FILE.")
        return model.prune(replace(policy, validation=(X, y)))
    if not (isinstance(policy, Pessimistic) and policy.raising):
        return model.prune(policy)
    if X is None:
        raise ParameterError(
            "pessimistic sends the training rows down other branches: give them with --table "
            "FILE, or say --pruning pessimistic:raising=false."
        )
    return model.prune(policy, X, y)
