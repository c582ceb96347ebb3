"""``bosco show``: the tree of a model."""

from dataclasses import asdict
from typing import Annotated, Any

from typer import Option

from bosco.cli.console import Format, emit
from bosco.cli.models import load_model, model_text
from bosco.cli.options import Answer, ModelFile, OneTree

EXAMPLE = "bosco show loans.json --max-depth 3"


def run(
    model: ModelFile,
    max_depth: Annotated[int | None, Option(help="Fold what lies deeper.", min=0)] = None,
    all_nodes: Annotated[
        bool, Option("--all", help="Show all nodes and levels, however many.")
    ] = False,
    tree: OneTree = None,
    answer: Answer = Format.text,
) -> None:
    """Show the tree, the score table, or what a forest asks."""
    from bosco.render.card import card

    loaded = load_model(model, tree)
    limits = {"max_nodes": None, "max_levels": None} if all_nodes else {}
    if answer is Format.text:
        emit(answer, model_text(loaded, model, tree, max_depth=max_depth, **limits), None)
        return
    data: dict[str, Any] = {"schema": loaded.schema.to_dict()}
    if loaded.kind == "tree":
        data["nodes"] = [asdict(card(loaded, node)) for node in range(loaded.tree.node_count)]
    else:
        data |= {"kind": type(loaded).__name__, "leaves": loaded.n_leaves, "text": str(loaded)}
    emit(answer, "", data)
