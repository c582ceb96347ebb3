"""The rules of a model as a part of something larger: as far as they can be written, and why not.

Who asks for rules alone is refused where they are too many. A report, or what `bosco fit` prints,
is about more than rules: there they are left out, and the reason is said.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bosco.base.language import tr
from bosco.rules.extract import TooManyRulesError, parts_missing, too_many_leaves
from bosco.rules.ruleset import RuleSet
from bosco.rules.work import WORK

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The rules of a model, so far as they are written."""

    before: RuleSet | None  # as the tree says them; None where they are left out
    after: RuleSet | None  # simplified; None, too, where they are too many to be worth it
    note: str = ""  # what is left out, and why; empty if nothing is


def written(model: "Model", *, most: int | None = None, work: float = WORK) -> Written:
    """Write the rules of a model, simplified if there are at most so many."""
    if reason := too_many_leaves(model.tree):
        return Written(None, None, f"{tr('The rules are left out.')} {reason}")
    before, note = None, ""
    if parts_missing(model.tree):
        try:
            before = model.rules()
        except TooManyRulesError:
            note = tr(
                "These are the rules for rows without a missing value. Missing values go several "
                "ways in this tree: with all their combinations, the rules are too many."
            )
            before = model.rules(missing=False)
    before = model.rules() if before is None else before
    few = most is None or len(before) <= most
    return Written(before, before.simplify(work=work) if few else None, note)
