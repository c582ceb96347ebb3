"""``bosco why``: the tests that were considered at a node, and why a leaf is one."""

from typing import Annotated

from typer import Option

from bosco.cli.console import Format, emit
from bosco.cli.models import load_tree
from bosco.cli.options import Answer, ModelFile

EXAMPLE = "bosco why loans.json --node 2"


def run(
    model: ModelFile,
    node: Annotated[int, Option(help="Number of the node, as `bosco show` has it.")] = 0,
    answer: Answer = Format.text,
) -> None:
    """Show every test considered at a node, and how near it came; of a leaf, why it is one."""
    table = load_tree(model, "the tests of a node are told").why(node)
    about = {"node": table.node, "score": table.score}
    about |= {"ended": table.ended, "reason": table.reason}
    emit(answer, str(table), about | table.to_dict())
