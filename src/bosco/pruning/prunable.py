"""A model of one tree, as something that is pruned: each verb gives a new model."""

from dataclasses import replace
from typing import Any, Self

from bosco.data.fingerprint import Fingerprint
from bosco.errors import ModelError
from bosco.pruning.complexity import Sweep, sweep
from bosco.pruning.log import PruningLog
from bosco.pruning.policies import ReducedError, policy_named
from bosco.pruning.policy import Policy
from bosco.pruning.rebuild import Rebuilt, collapse, prune
from bosco.pruning.subject import Subject
from bosco.tree.census import Census
from bosco.tree.edits import Edits
from bosco.tree.family import AnyModel
from bosco.tree.tree import Tree


class Prunable(AnyModel):
    """A tree that is pruned by policies, with a log of why."""

    tree: Tree
    log: PruningLog
    counted: Census | None
    edits: Edits

    def prune(
        self, policy: Policy | str, X: Any = None, y: Any = None, *, sample_weight: Any = None
    ) -> Self:
        """A smaller model, pruned by a policy of `bosco.pruning`.

        Parameters
        ----------
        policy : Policy or str
            The policy, or its name, such as "cost_complexity".
        X, y, sample_weight
            The training rows, for policies that send them down other branches (`Pessimistic` with
            raising). Others need none.

        Returns
        -------
        Model
            A new model; this one stays as it is. What was done by hand stays with the nodes that
            are left; a pruning that would cut or change a locked node, or cut a leaf that answers
            by order, is refused.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import golf
        >>> from bosco.pruning import CostComplexity
        >>> model = DecisionTreeClassifier().fit(*golf()).model_
        >>> model.n_leaves, model.prune(CostComplexity(alpha=0.12)).n_leaves
        (6, 1)
        """
        plain = self.subject()
        subject = plain if X is None else plain.trained_on(X, y, sample_weight)
        chosen = policy_named(policy)
        made = prune(subject, chosen)
        for leaf in sorted(self.edits.orders):
            if made.number[leaf] < 0:
                raise ModelError(
                    f"Leaf {leaf} answers by order, and this pruning would cut it: no policy "
                    f"undoes what a person decided. Hint: prune less, or collapse() the node "
                    f"above it, which drops the order."
                )
        pruned = self._pruned(made)
        remembered = self.provenance.get("fingerprint")
        if remembered is None or not isinstance(chosen, ReducedError):
            return pruned
        both = Fingerprint.read(remembered).joined(plain.fingerprint(*chosen.validation))
        return pruned._with(provenance={**self.provenance, "fingerprint": both.to_plain()})

    def collapse(self, node: int) -> Self:
        """A smaller model in which one inner node is a leaf.

        Parameters
        ----------
        node : int
            Number of an inner node, as the text shows it.

        Returns
        -------
        Model
            A new model; its nodes are numbered anew. What was done by hand below the node goes
            with it, answers by order too; where a node there is locked, it is refused.
        """
        return self._pruned(collapse(self.subject(), node))

    def pruning_log(self) -> PruningLog:
        """What was pruned, and why: both costs and both sizes of every node that was weighed.

        Returns
        -------
        PruningLog
            One entry per node, cut or kept; ``print`` it (``to_text(all=True)`` has those that were
            kept too), iterate, or make a dataframe of ``to_dict()``.
        """
        return self.log

    def sweep(self, X: Any = None, y: Any = None, *, price: float = 1.0) -> Sweep:
        """Error against size along the cost-complexity path of the tree.

        Parameters
        ----------
        X, y
            Validation rows to measure too, or None.
        price : float, default=1.0
            What a leaf costs in the generalization estimate, in wrong rows or their weight.

        Returns
        -------
        Sweep
            One row per tree of the path; ``print`` it, plot it, or use ``to_dict()``.
        """
        return sweep(self.subject(), None if X is None else (X, y), price)

    def subject(self) -> Subject:
        """What a policy of pruning looks at."""
        counted = self.counted
        known = (self.tree, self.schema, self.classes, self.growth)
        votes = None
        if self.edits.orders:
            votes = self.edits.decided(self.tree.native.value, classes=self.classes is not None)
        elif self.decision.calibration is not None:
            raise ModelError(
                "The shares of this tree were calibrated as it is. Hint: prune first, then "
                "calibrate."
            )
        return Subject(
            *known,
            weighted=counted is not None,
            counted=counted,
            votes=votes,
            decision=self.decision,
        )

    def _pruned(self, made: Rebuilt) -> Self:
        counted = None if self.counted is None else made.census(self.counted)
        log = self.log.then(made.step, made.number)
        edits = self._edits_left(made) if self.edits else self.edits
        return self._with(tree=made.tree, log=log, counted=counted, edits=edits)

    def _edits_left(self, made: Rebuilt) -> Edits:
        """What was done by hand to the nodes that are left; a locked node must not change."""
        now = made.number.tolist()
        for node in sorted(self.edits.locked):
            if now[node] < 0 or not _same_test(self.tree, node, made.tree, now[node]):
                raise ModelError(
                    f"Node {node} is locked, and this pruning would cut it or change its test. "
                    f"Hint: unlock it first, or prune less."
                )
        left = self.edits.renumbered({old: new for old, new in enumerate(now) if new >= 0})
        tests = {
            now[old]
            for old in self.edits.chosen
            if now[old] >= 0 and _same_test(self.tree, old, made.tree, now[old])
        }
        return replace(left, chosen={n: by for n, by in left.chosen.items() if n in tests})

    def _with(self, **changes: Any) -> Self:
        model: Any = self
        changed: Self = replace(model, **changes)
        return changed


def _same_test(before: Tree, old: int, after: Tree, new: int) -> bool:
    """Whether a node asks what it asked before, or is a leaf as before."""
    return before.test(old) == after.test(new)
