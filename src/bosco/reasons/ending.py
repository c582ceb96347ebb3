"""Why a branch of a tree ends where it ends.

The reason follows from the tree, the settings that grew it, the candidates that were kept and the
log of prunings, in the order in which growing asks (docs/growing.md §5). Where those leave several
reasons open, all are named.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bosco.base.language import phrase, retold, tr
from bosco.base.numerals import show_figure, show_number
from bosco.growth import Growth
from bosco.reasons.compared import Compared, compared, nothing, samples, share, surely_kept
from bosco.render.card import count, say_test
from bosco.tree.census import tiny
from bosco.tree.conditions import Condition, Members

if TYPE_CHECKING:
    from bosco.models.model import Model


def how_to_keep() -> str:
    """What keeps the candidates of a tree, in a sentence."""
    return tr(
        "A single tree keeps candidates unless it has record=False, AdaBoostClassifier if its "
        "estimator has record=True; trees of a forest keep none."
    )


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a node is a leaf: a word for programs, a sentence for people."""

    kind: str
    reason: str


def ending(model: "Model", node: int) -> Ending:
    """Tell why a leaf is one."""
    native = model.tree.native
    if not native.tally[node].any():
        return Ending("empty", tr("No training row came here."))
    pure = np.count_nonzero(native.tally[node]) == 1
    if model.classes is None:
        pure = native.impurity[node] == 0 and not _in_forest(model)
    if pure:
        if model.classes is not None:
            return Ending("pure", tr("All its rows are of one class."))
        if not tiny(model.tree):
            return Ending("pure", tr("All its rows are of one value."))
        return Ending(
            "pure",
            tr(
                "All its rows are of one value, or of values so near each other that the squares "
                "of their distances are 0."
            ),
        )
    pruned = model.log.made_leaf(node)
    if pruned is not None:
        if pruned.policy == "by hand":
            return Ending("pruned", tr("It was made a leaf by hand."))
        return Ending(
            "pruned",
            tr(
                "It was pruned by {policy}: it cost {kept} with the nodes below it, {pruned} "
                "without ({measure}).",
                policy=pruned.policy,
                kept=show_figure(pruned.kept),
                pruned=show_figure(pruned.pruned),
                measure=retold(pruned.measure, within=True),
            ),
        )
    above = model.log.raised() & set(model.tree.path(node))
    if above:
        raised = say_raised(max(above))
        return Ending("raised", tr("It ended when it held fewer rows: {how}.", how=raised))
    if not model.log.told and any((step.raised >= 0).any() for step in model.log.steps):
        return Ending("unknown", tr("Not known: {why}.", why=_OLD_LOG()))
    before = _before_tests(model, node)
    if before is None and model.growth.search == "optimal":
        return Ending(
            "optimal",
            tr("No tree that parts its rows was found to cost less than the one with this leaf."),
        )
    if before is None and model.growth.polish:
        return Ending(
            "polished",
            tr("The tree has its leaves where they save most, as far as polishing found."),
        )
    return before or _after_tests(model, node)


FARTHER = phrase(
    "No node chose its test by its own table alone: pairs of tests, or the tree as a whole, "
    "decided."
)
AS_A_WHOLE = phrase(
    "No node chose its test alone: of all trees of this size, the best one was looked for."
)


_OLD_LOG = phrase(
    "the log of prunings is of an older file, which does not say of each node what became of it"
)


def say_raised(node: int) -> str:
    """What raising means for the nodes below."""
    return tr(
        "pruning raised a branch to node {node}, and rows that had gone elsewhere came with it",
        node=node,
    )


def _in_forest(model: "Model") -> bool:
    """Forests keep tallies only: no samples where weights are not copies, no spread of numbers."""
    return bool(re.fullmatch(r"tree \d+ of \d+", str(model.provenance.get("algorithm"))))


def _before_tests(model: "Model", node: int) -> Ending | None:
    """What ends a branch before any test is looked for."""
    growth, depth = model.growth, int(model.tree.depth[node])
    if growth.max_depth == depth:
        limit = {"depth": depth, "limit": growth.max_depth}
        return Ending("depth", tr("It is at depth {depth}, and max_depth={limit}.", **limit))
    if _in_forest(model) and model.tree.native.weight_scale != 1:
        return None  # a forest of weighted rows does not know its samples
    held = samples(model, node)
    if held < growth.min_samples_split:
        least = growth.min_samples_split
        twice = least == 2 * growth.min_samples_leaf and growth.min_samples_leaf > 1
        says = (
            f"min_samples_leaf={growth.min_samples_leaf}" if twice else f"min_samples_split={least}"
        )
        held_ = count(int(held) if held == int(held) else show_figure(held), "sample")
        said = tr(
            "It holds {samples}, and a node needs {least} to be split ({setting}).",
            samples=held_,
            least=least,
            setting=says,
        )
        return Ending("samples", said)
    return None


def _after_tests(model: "Model", node: int) -> Ending:
    """What ends a branch when tests were looked for."""
    growth = model.growth
    found = compared(model, node)
    if len(found):
        return _none_taken(model, node, found)
    none_possible = _none_possible(model, node)
    kept = growth.record_leaves and surely_kept(model, node)
    others = [] if kept or none_possible.kind == "columns" else _not_taken(model, growth)
    if not others:
        return none_possible
    may = [none_possible.reason.rstrip("."), *others]
    said = tr("; or ").join(one[:1].lower() + one[1:] for one in may)
    return Ending(
        "unknown",
        tr(
            "Tests were looked for, and none was taken; which of these it was is not known, since "
            "the candidates of this leaf were not kept: {reasons}. {how}",
            reasons=said,
            how=how_to_keep(),
        ),
    )


def _none_possible(model: "Model", node: int) -> Ending:
    """No column had a test to propose."""
    growth = model.growth
    used = _asked_above(model, node)
    left = [j for j in range(len(model.schema.columns)) if growth.reuse or j not in used]
    if not left:
        said = tr("No column is left: each was asked above, and none may be asked twice.")
        return Ending("columns", said)
    some = "" if growth.reuse or not used else tr(" that may still be asked")
    limits = _limits(growth)
    if not limits or all(_one_level(model, j, used.get(j, [])) for j in left):
        if growth.on_missing.learned or growth.on_missing.refused:
            said = tr("No column{some} has two values among its rows.", some=some)
        else:
            said = tr("No column{some} has two known values among its rows.", some=some)
        return Ending("constant", said)
    return Ending(
        "no_test",
        tr(
            "Every column{some} has one value only among its rows, or no test that leaves enough "
            "in each branch ({limits}).",
            some=some,
            limits=", ".join(limits),
        ),
    )


def _asked_above(model: "Model", node: int) -> dict[int, list[Condition]]:
    """By column, what the tests on the way to a node have made sure of."""
    asked: dict[int, list[Condition]] = {}
    for above, below in pairwise(model.tree.path(node)):
        test = model.tree.test(above)
        assert test is not None
        taken = test.branches[below - model.tree.children(above)[0]]
        asked.setdefault(test.column, []).append(taken)
    return asked


def _one_level(model: "Model", column: int, asked: list[Condition]) -> bool:
    """Whether the tests above leave a column of levels one of them only."""
    about = model.schema.columns[column]
    if about.levels is None:
        return False
    first = 1 if about.kind == "nominal" else 0  # codes, or places in order
    open_ = set(range(first, first + len(about.levels)))
    for taken in asked:
        if isinstance(taken, Members):
            open_ &= set(taken.codes)
        else:
            open_ = {place for place in open_ if taken.holds(place)}
    had = model.provenance.get("missing")
    learns = model.growth.on_missing.learned and (had is None or about.name in had)
    return len(open_) + (learns and all(taken.missing for taken in asked)) < 2


def _limits(growth: Growth) -> list[str]:
    """What a branch must hold, where it is more than a row."""
    limits = []
    if growth.min_samples_leaf > 1 or growth.on_missing.shared:
        limits.append(f"min_samples_leaf={growth.min_samples_leaf}")
    if growth.min_weight_leaf > 0:
        limits.append(tr("a weight of {n}", n=show_figure(growth.min_weight_leaf)))
    if growth.penalty:
        limits.append(tr("for a threshold a tenth of the rows per class, at most 25"))
    if any(growth.monotonic):
        limits.append(tr("and keeps monotonic_cst"))
    return limits


def _not_taken(model: "Model", growth: Growth) -> list[str]:
    """Why a test that there was may not have been taken, by the settings alone."""
    reasons = []
    if growth.penalty:
        reasons.append(tr("no test paid for its search"))
    if not growth.zero_gain:
        reasons.append(tr("no test gained anything"))
    if growth.min_gain > 0:
        least = show_number(growth.min_gain)
        reasons.append(tr("the best gained less than min_gain={least}", least=least))
    if growth.min_impurity_decrease > 0:
        reasons.append(
            tr(
                "the best gained less than min_impurity_decrease={least} asks",
                least=show_number(growth.min_impurity_decrease),
            )
        )
    if _limited(model):
        most = growth.max_leaf_nodes
        reasons.append(tr("the tree had its leaves (max_leaf_nodes={most})", most=most))
    if not model.log.told:
        policies = dict.fromkeys(step.policy for step in model.log.steps)
        by = tr(" or ").join(policies)
        reasons.append(tr("it was pruned by {policies} ({why})", policies=by, why=_OLD_LOG()))
    if _in_forest(model):
        reasons.append(tr("it was pruned by ccp_alpha, if the forest had one"))
    return reasons


def _limited(model: "Model") -> bool:
    """Whether the limit of leaves may have been met: one more test would have passed it."""
    growth, steps = model.growth, model.log.steps
    grown = steps[0].leaves[0] if steps else model.tree.n_leaves
    binary = growth.numeric_test != "intervals" and growth.nominal_test in ("subset", "one_vs_rest")
    binary = binary and not growth.on_missing.own_branch
    return growth.max_leaf_nodes >= 0 and (not binary or grown >= growth.max_leaf_nodes)


def _none_taken(model: "Model", node: int, found: Compared) -> Ending:
    """Tests were compared, and not even the best was taken."""
    growth = model.growth
    best = found.best
    if best is not None and _limited(model):
        said = say_test(model.schema, found.tests[best])
        return Ending(
            "leaves",
            tr(
                "The tree had its leaves (max_leaf_nodes={most}): splitting by {test}, which gains "
                "{gain}, would have made more.",
                most=growth.max_leaf_nodes,
                test=said,
                gain=show_figure(found.gains[best]),
            ),
        )
    at = max(range(len(found)), key=lambda i: found.gains[i]) if best is None else best
    gain = found.gains[at]
    if gain <= nothing(model, node):
        return _no_gain(model, node, found)
    said = say_test(model.schema, found.tests[at])
    if gain < growth.min_gain:
        return Ending(
            "gain",
            tr(
                "The best test, {test}, gains {gain}, less than min_gain={least}.",
                test=said,
                gain=show_figure(gain),
                least=show_number(growth.min_gain),
            ),
        )
    part = share(model, node)
    if gain * part > growth.min_impurity_decrease * (1 + 1e-9):
        if model.edits.log:
            left = tr("It is left a leaf: the learner would take {test}.", test=said)
            return Ending("by_hand", left)
        known = tr("Not known: by the settings, {test} would have been taken.", test=said)
        return Ending("unknown", known)
    return Ending(
        "gain",
        tr(
            "The best test, {test}, gains {gain}; with {part} % of the weight that is {decrease} "
            "of the whole, less than min_impurity_decrease={least}.",
            test=said,
            gain=show_figure(gain),
            part=show_figure(100 * part, 3),
            decrease=show_figure(gain * part),
            least=show_number(growth.min_impurity_decrease),
        ),
    )


def _no_gain(model: "Model", node: int, found: Compared) -> Ending:
    """No test gains anything, its penalty taken off."""
    gross = [gain + lost for gain, lost in zip(found.gains, found.penalties, strict=True)]
    at = max(range(len(found)), key=lambda i: (found.penalties[i] > 0, gross[i]))
    if found.penalties[at] == 0 or gross[at] <= nothing(model, node):
        columns = count(len(found), "column")
        return Ending("gain", tr("No test gains anything: {columns} compared.", columns=columns))
    return Ending(
        "penalty",
        tr(
            "No test pays for its search: the best, {test}, gains {gain} and owes {penalty}.",
            test=say_test(model.schema, found.tests[at]),
            gain=show_figure(gross[at]),
            penalty=show_figure(found.penalties[at]),
        ),
    )
