"""The ground of one policy on one model: the cells of all cases, and those it speaks of."""

from collections.abc import Iterable, Iterator
from math import inf, nextafter

from bosco.data.schema import Schema
from bosco.policies.policy import Asked, Pair, Policy
from bosco.rules.extract import conditions_of
from bosco.rules.space import Box, Field, Space
from bosco.tree.conditions import Condition, Interval, Members
from bosco.tree.family import AnyModel
from bosco.tree.tree import Tree

Suspect = tuple[Box, Box | None]
"""A box, or two that differ in the freed columns only, whose cases break a policy if there are
any: boxes know nothing of what ties derived columns to others."""

_LAST = 86_399_999_999.0  # microsecond of a day


class Ground:
    """One policy on one model, over the cells that the tests of its trees make.

    Attributes
    ----------
    space : Space
        The cells.
    region : Box
        The cases that the policy speaks of, within the domains that were declared.
    free : int
        The bits of the fields in which two cases of a `Pair` may differ: its columns, and those
        derived from them.
    free_derived : bool
        Whether some of these are derived.
    derived : bool
        Whether a derived column has a field, so that boxes may hold no case.
    """

    def __init__(self, model: AnyModel, policy: Policy, trees: Iterable[Tree]) -> None:
        schema = model.schema
        self.model = model
        self.policy = policy
        self.limits = (*policy.where, *declared(schema))
        asked: list[Condition] = [c for tree in trees for c in conditions_of(tree)]
        tested = {condition.column for condition in asked}
        asked += [condition for one in self.limits for condition in one.any_of]
        # What columns are derived from gets a field, for cases to be made of.
        asked += [Members(j, (), True) for j in schema.behind({c.column for c in asked})]
        self.space = Space(schema, asked, missing=not model.growth.on_missing.refused)
        self.region = self._region()
        self.free = 0
        self.free_derived = False
        self.matters = True  # some test asks for a column that is freed
        if isinstance(policy, Pair):
            moved = _derived_from(schema, policy.columns)
            self.free_derived = any(f.column in moved for f in self.space.fields)
            freed = {*policy.columns, *moved}
            self.free = sum(f.mask for f in self.space.fields if f.column in freed)
            self.matters = bool(freed & tested)
            self.region &= self.space.known_only(policy.columns)
        self.derived = any(schema.columns[f.column].formula for f in self.space.fields)

    def _region(self) -> Box:
        region = self.space.full
        for one in self.limits:
            field = self.space.field(one.column)
            atoms = 0
            for condition in one.any_of:
                atoms |= self.space.atoms(condition)
            region &= ~field.mask | (atoms << field.shift)
        return region

    @property
    def ordered(self) -> Field | None:
        """The field of which the second case of a pair has more; None: there is no order."""
        if isinstance(self.policy, Pair) and self.policy.up and self.matters:
            found = [f for f in self.space.fields if f.column == self.policy.columns[0]]
            return found[0] if found else None
        return None

    def in_order(self, first: Box, second: Box) -> tuple[Box, Box] | None:
        """Two boxes without what cannot be less in the first than in the second; None: all of it.

        A derived column may move while the column itself stays among the same bounds: then one
        atom holds a less and a more.
        """
        field = self.ordered
        if field is None:
            return first, second
        a, b = (box >> field.shift & field.values for box in (first, second))
        if not a or not b:
            return None
        same = self.free_derived
        below = (1 << (b.bit_length() - (not same))) - 1  # up to the highest of the second
        lowest = a & -a
        above = ~(lowest - 1) if same else ~((lowest << 1) - 1)
        a, b = a & below, b & above
        if not a or not b:
            return None
        return (first & ~field.mask) | a << field.shift, (second & ~field.mask) | b << field.shift


def declared(schema: Schema) -> Iterator[Asked]:
    """What is known of columns of numbers: the bounds of their domain; a day has 24 hours."""
    for j, column in enumerate(schema.columns):
        bounds = (0.0, _LAST) if column.unit == "time" else column.bounds
        if bounds is not None and column.formula is None:
            low, high = bounds
            yield Asked(j, (Interval(j, nextafter(low, -inf), high, True),))


def _derived_from(schema: Schema, columns: Iterable[int]) -> set[int]:
    """The derived columns that some columns are a part of."""
    of = set(columns)
    return {
        j
        for j, column in enumerate(schema.columns)
        if column.formula is not None and of & set(schema.behind([j]))
    }
