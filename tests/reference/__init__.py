"""The executable specification of ``docs/growing.md``, in plain Python.

Written to be read beside that page, not to be fast: no binning, no bounds, no histogram
subtraction, no threads. It shares no code with the core, so that agreement means something.

===============  ===========================================================================
``data``         columns, targets and the table of one column at one node (§1)
``scores``       purity, decrease, split information (§2)
``tree``         tests and the finished tree
``trial``        a test under trial: missing rows placed, feasibility, score (§3)
``cuts``         threshold and interval tests (§3)
``levels``       one_vs_rest, subset, group, multiway (§3)
``surrogates``   tests that stand in for another (§3)
``draw``         keyed randomness and random tests (§7)
``choose``       the choice between columns (§4)
``asking``       what answers cost there
``grow``         leaves, order and numbers, shares, monotone bounds (§5, §6, §8)
``compare``      how a native tree differs from one of these
===============  ===========================================================================
"""

from .compare import same_tree
from .data import RefColumn, RefTarget
from .grow import grow
from .tree import Candidate, RefTree, Test, route

__all__ = ["Candidate", "RefColumn", "RefTarget", "RefTree", "Test", "grow", "route", "same_tree"]
