"""The native core of bosco: frames, tables, trees."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class CoreError(ValueError):
    pass

def setting_words() -> dict[str, list[str]]:
    """
    The words that each setting of growth may be, for the settings that are words.
    """

share_bits: int = 24

near_tie: float = 0.01

def near(best: float) -> float:
    """
    The decrease that is near the best of a node: what is kept of large ones.
    """

def half_deviance(y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], said: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """
    Half of Poisson's deviance of each number, not negative, from what is said of it, above 0.
    """

class Frame:
    """Columns as the core sees them."""

    def __init__(self, n_rows: int) -> None: ...

    def add_matrix(self, x: object) -> None:
        """
        Adds each column of a matrix of numbers; NaN is missing. No copy is made.
        """

    def add_numeric(self, x: object, in_file: bool = False) -> None:
        """
        Adds a column of numbers; NaN is missing. No copy is made. `in_file`: the system maps it into memory from a file, and may drop it.
        """

    def add_sparse(self, begin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Adds the columns of a sparse matrix: column j has values[begin[j]:begin[j + 1]] in these rows, ascending, and 0 in the others. No copy is made.
        """

    def add_coded(self, codes: object, n_codes: int, ordered: bool) -> None:
        """Adds a column of levels: 0 is missing, 1..n_codes are the levels."""

    def lie_in(self, folder: str) -> None:
        """What is made of the rows lies in files without a name in this folder."""

    def encode(self, n_threads: int = 1, max_bins: int = 255, edges: Sequence[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bool]] | None = None) -> None:
        """
        Gives columns of numbers their codes; `edges`: (values, whether they are edges of coarse bins) of every column, as another frame has them.
        """

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    def is_coarse(self, column: int) -> bool: ...

    def n_codes(self, column: int) -> int:
        """How many codes the column's domain has, missing apart."""

    def has_missing(self, column: int) -> bool: ...

    def values(self, column: int) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """The values of codes 1.., or the upper edges of coarse bins."""

    def codes(self, column: int) -> Annotated[NDArray[numpy.uint32], dict(writable=False)]: ...

class Target:
    """What is to be learned, in fixed point."""

    @staticmethod
    def classes(codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight_scale: float = 1.0) -> Target: ...

    @staticmethod
    def real(y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight_scale: float = 1.0, center: float = 0.0, scale: float = 1.0, loss: str = 'squared') -> Target: ...

    @staticmethod
    def several(y: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], outputs: int, weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight_scale: float = 1.0, scale: float = 1.0, loss: str = 'squared') -> Target:
        """
        Several numbers a row, of so many outputs: those of classes have a number for each class, 1 for the row's and 0 for the others.
        """

    @property
    def n_rows(self) -> int: ...

column_bits: int = 32

truth_bits: int = 8

def row_keys(frame: Frame, seed: int, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> Annotated[NDArray[numpy.uint64], dict(writable=False)]:
    """
    A number of 40 bits for each row: 32 from its columns, then 8 from them and its target.
    """

def fingerprint(frame: Frame, seed: int, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, most: int, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.uint64], dict(writable=False)], int]:
    """
    The smallest different keys of the rows, and what their first 32 bits are all below.
    """

class TestPool:
    """Tests as parallel arrays."""

    def __len__(self) -> int: ...

    @property
    def kind(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]: ...

    @property
    def column(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def branches(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def missing(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def flip(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]: ...

    @property
    def threshold_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def thresholds(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def jump_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def jumps(self) -> Annotated[NDArray[numpy.uint32], dict(writable=False)]: ...

class Tree:
    """A learned tree: parallel arrays, children after their parent."""

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def weight_scale(self) -> float: ...

    @property
    def count_scale(self) -> float: ...

    @property
    def center(self) -> float: ...

    @property
    def scale(self) -> float: ...

    @property
    def test(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def parent(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def first_child(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def n_children(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @property
    def tally(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def count(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def known(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def impurity(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def gain(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def tests(self) -> TestPool: ...

    @property
    def surrogates(self) -> TestPool: ...

    @property
    def surrogate_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def candidates(self) -> TestPool: ...

    @property
    def candidate_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    @property
    def candidate_gain(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def candidate_split_info(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    @property
    def candidate_penalty(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    def state(self) -> dict[str, object]:
        """Everything in it, as plain arrays and numbers."""

def tree_from_state(state: dict[str, object]) -> Tree:
    """A tree from its state, checked throughout."""

class PackedTree:
    """A large tree of binary cuts in few bytes: all that cannot be derived."""

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_leaves(self) -> int: ...

    @property
    def depth(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    def unfold(self) -> Tree:
        """The tree as arrays."""

    def leaf_value(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """What every leaf says, by node; 0 for inner nodes."""

    def route(self, frame: Frame, n_threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The leaf of every row."""

    @overload
    def route_few(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

    @overload
    def route_few(self, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The leaves of a few rows of floats."""

class Test:
    """One test: a cut by thresholds, or a map of codes to branches."""

    @property
    def column(self) -> int: ...

    @property
    def branches(self) -> int: ...

    @property
    def missing(self) -> int:
        """The branch of missing values; -1: all, by their shares."""

    @property
    def flip(self) -> bool: ...

    @property
    def thresholds(self) -> list[float]: ...

    @property
    def jumps(self) -> list[int]: ...

    def __getstate__(self) -> tuple[int, int, int, int, bool, list[float], list[int]]: ...

    def __setstate__(self, arg: tuple[int, int, int, int, bool, Sequence[float], Sequence[int]], /) -> None: ...

class Candidate:
    """A column's best test at a node, with what it gains."""

    @property
    def column(self) -> int: ...

    @property
    def found(self) -> bool: ...

    @property
    def decrease(self) -> float:
        """Of the impurity, times the weight, in fixed point."""

    @property
    def penalty(self) -> float: ...

    @property
    def branches(self) -> int: ...

    @property
    def missing(self) -> int:
        """The branch of missing values; -1: all, by their shares."""

    @property
    def split_info(self) -> float: ...

    @property
    def edge(self) -> tuple[int, int] | None:
        """
        The codes between which a cut lies whose values are still to be looked up (`locate`).
        """

    def net(self, weight: float) -> float: ...

    def locate(self, low: float, high: float) -> None: ...

class Rows:
    """A part of the rows of a growing tree, kept together node by node."""

    def __init__(self, frame: Frame, target: Target, unit: int = 1, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def hold(self, node: int) -> tuple[Annotated[NDArray[numpy.int64], dict(writable=False)], int]:
        """What a node holds: its tally, and the sum of w y^2 of a real target."""

    def tabulate(self, nodes: Sequence[int]) -> tuple[Annotated[NDArray[numpy.int64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
        """
        The histograms of some nodes: for each the cells of all codes of all columns, from code 0 (missing) on; and the sums of squares of a real target.
        """

    def refine(self, node: int, columns: Sequence[int], codes: Sequence[Sequence[int]]) -> list[tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.uint32], dict(writable=False)], Annotated[NDArray[numpy.int64], dict(writable=False)]]]:
        """
        The fine tables of some codes of each of some coarse columns: values, their codes, cells.
        """

    def propose(self, node: int, open: Node, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Candidate:
        """
        The best test of a node on numbers that are no column: one for each row of the frame, NaN is missing.
        """

    def near(self, node: int, column: int, low: int, high: int) -> tuple[float, float]:
        """The largest value with one code, and the smallest with another."""

    def ends(self, node: int, asked: Sequence[tuple[int, int, int]]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """
        For some (column, low, high) the least value with code low and the largest with code high.
        """

    def up_to(self, node: int, asked: Sequence[tuple[int, int, float]]) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """
        For some (column, code, threshold) the tally of what has the code and lies not above.
        """

    def branches_by(self, node: int, test: Test, column: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(writable=False)], Annotated[NDArray[numpy.int64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], int]:
        """
        The weight that a binary test sends either way, by value of another column: codes, cells, values (of ordered columns), number of codes.
        """

    def numbers(self, node: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(writable=False)], Annotated[NDArray[numpy.uint32], dict(writable=False)]]:
        """
        The rows of a node by number, ascending, and their shares of 2^-24 (empty: all).
        """

    @property
    def shares(self) -> bool:
        """Whether rows may be shared out to several branches."""

    def known(self, node: int, test: Test) -> list[int]:
        """The weight that a test sends to each branch by a value of its own."""

    def split(self, node: int, test: Test, surrogates: Sequence[Test], first: int, known: Sequence[int]) -> None:
        """Sends the rows of a node to its branches: nodes first, first + 1, ..."""

class Task:
    """What all nodes of one tree share."""

    def __init__(self, growth: dict[str, object], target: Target, unit: int, weight: int) -> None: ...

    def gain(self, decrease: float, weight: int) -> float: ...

    @property
    def measure(self) -> float:
        """What an impurity is multiplied with in fixed point; 1 of classes."""

    def test(self, candidate: Candidate) -> Test: ...

    def imitate(self, tables: Sequence[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int] | None], test: Test) -> list[Test]:
        """Stand-ins for a test, by the tables of `Rows.branches_by`."""

class Node:
    """A node to be split: all that choosing its test must know."""

    def __init__(self, task: Task, tally: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: int, path: Sequence[int], bounds: tuple[float, float] = (float('-inf'), float('inf')), asked: Sequence[tuple[int, int]] = []) -> None:
        """
        `asked`: the columns asked on the way, each with the weight of the node that asked, for prices.
        """

    @property
    def leaf(self) -> bool:
        """Whether it stays a leaf, whatever the columns are."""

    @property
    def impurity(self) -> float: ...

    def columns(self, takes_part: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], varies: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[int]:
        """The columns it looks at: all, or those it draws."""

    def propose(self, column: int, table: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int]) -> Candidate:
        """The best test of a column whose table is given finely."""

    def draw(self, column: int, low: float, high: float) -> float:
        """
        The random cut of a column between the least and the largest of its values.
        """

    def look(self, column: int, table: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Look:
        """A look at the bins of a coarse column, of which there are two or more."""

    def choose(self, candidates: Sequence[Candidate]) -> int | None:
        """The place of the winner; None: the node is a leaf."""

    def weigh(self, table: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int], test: Test) -> tuple[Candidate, Annotated[NDArray[numpy.int64], dict(writable=False)], bool]:
        """
        A test at the node, given the table of its column: figures, tallies of branches, allowed.
        """

    def curve(self, column: int, table: tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, int], most: int = 0) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.int8], dict(writable=False)], Annotated[NDArray[numpy.int8], dict(writable=False)], Annotated[NDArray[numpy.int64], dict(writable=False)]]:
        """
        Every cut of an ordered column, or of more than `most` the best of each stretch: low, high, threshold, decrease, split information, allowed, whether missing rows go left, tallies of the left.
        """

    def bounds(self, column: int, left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[tuple[float, float], tuple[float, float]]:
        """The monotone bounds of two branches."""

class Look:
    """The best cut of a coarse column, looked for twice."""

    @property
    def decrease(self) -> float: ...

    def mark(self, floor: float, weighted: bool) -> list[int]:
        """The codes that may hold a cut as good as `floor`."""

    def into(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def settle(self) -> Candidate: ...

def grow(frame: Frame, target: Target, growth: dict[str, object], n_threads: int = 1, consume: bool = False, pack: bool = False, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, share: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, path: Sequence[int] = [], weight: int | None = None, bounds: tuple[float, float] = (float('-inf'), float('inf')), banned: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, unit: int | None = None, asked: Sequence[tuple[int, int]] = []) -> Tree | PackedTree:
    """
    Grow a tree: from the root on all rows, or from a node on some (ascending; with their shares of 2^-24), given the branches that lead to it, the weight of all rows of the tree, its monotone bounds, the columns that take no part, the fixed-point units of a sample in the tree, and the columns asked on the way.
    """

def route(tree: Tree, frame: Frame, n_threads: int = 1, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
    """The leaf of every row, or of some (ascending)."""

@overload
def route_few(tree: Tree, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(writable=False)]: ...

@overload
def route_few(tree: Tree, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
    """The leaves of a few rows of floats, by a plain tree."""

def values_by_share(tree: Tree, frame: Frame, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

def tallies(tree: Tree, frame: Frame, target: Target, shared: bool = True) -> tuple[Annotated[NDArray[numpy.int64], dict(writable=False)], Annotated[NDArray[numpy.int64], dict(writable=False)]]:
    """Tallies and counts of any rows at every node."""

def recount(tree: Tree, frame: Frame, target: Target, growth: dict[str, object], changed: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Tree:
    """
    The tree with all that its nodes hold counted again from rows (all, or some, ascending), or only what the changed nodes and those below them hold.
    """

def census(tree: Tree | PackedTree, frame: Frame, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, shared: bool, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int64], dict(writable=False)], Annotated[NDArray[numpy.int64], dict(writable=False)], Annotated[NDArray[numpy.uint64], dict(writable=False)]]:
    """
    Of every node: its rows by class, the sum of their weights and that of their squares, in two halves.
    """

def effective_rows(weight: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], whole: int = 1) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """How many rows of equal weight would say as much as those of each node."""

def prune(tree: Tree, cut: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], stand_in: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Tree: ...

def graft(tree: Tree, nodes: Sequence[int], below: Sequence[Tree], growth: dict[str, object]) -> Tree:
    """
    The tree in which some nodes and all below them are other trees, numbered as a growth would.
    """

def give_back() -> None:
    """
    Gives memory that was freed back to the system, where malloc keeps it for later.
    """

def sample_unit(frame: Frame, growth: dict[str, object]) -> int:
    """
    Fixed-point units of one sample in a growth on these rows: more than 1 if rows are shared out.
    """

class Sketch:
    """A tree that is grown node by node, from tables alone."""

    def __init__(self, task: Task, root: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], int]) -> None:
        """`root`: what it holds, a tally and the sum of w y^2 of a real target."""

    def __len__(self) -> int: ...

    def weight(self, node: int) -> int:
        """The weight of its rows, in fixed point."""

    def samples(self, node: int) -> int:
        """Its samples, in fixed-point units of one."""

    def open(self, node: int) -> Node:
        """A node, to choose its test."""

    def path(self, node: int) -> list[int]:
        """The branches that lead to it."""

    def bounds(self, node: int) -> tuple[float, float]:
        """Its monotone bounds."""

    def banned(self, node: int, n_columns: int) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Which columns take no part below it."""

    def asked(self, node: int) -> list[tuple[int, int]]:
        """
        The columns asked on the way, if they have prices, and the weights that asked.
        """

    def decrease(self, node: int) -> float:
        """Of the test that was chosen."""

    def records(self, node: int) -> bool:
        """Whether what is compared there is kept."""

    def records_all(self, node: int) -> bool:
        """
        Whether every column's own best is kept there, not only what is near the best.
        """

    def record(self, node: int, candidates: Sequence[Candidate]) -> None: ...

    def choose(self, node: int, candidate: Candidate) -> None: ...

    def split(self, node: int, surrogates: Sequence[Test], branches: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], int]], known: Sequence[int]) -> int:
        """
        Gives a node the test that was chosen, and its branches what they hold; returns the first.
        """

    def tree(self) -> Tree:
        """The tree, as a growth would have laid it out."""

def survivors(tree: Tree, cut: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], stand_in: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
    """The number of every node after such a pruning, -1 if it goes."""

def collapse(tree: Tree, as_leaf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], of_test: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.bool_], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """
    Bottom-up: (which nodes cost no more as a leaf, what each test and its branches cost).
    """

def description_bits(tree: Tree, n_columns: int) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """
    Bits that tell (the classes of the rows of every node, its test among those of so many columns).
    """

def p_values(tree: Tree) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """
    How likely chance alone parts the rows of every node as its test does; 1 for leaves.
    """

def wilson(share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], confidence: float) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """
    Wilson's interval of shares seen in n rows each; 0 to 1 where there is none.
    """

EQUAL_WITHIN: float = 1e-12

def fold(tree: Tree, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], how: str, downwards: bool = False) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """
    The sum, the least or the most of the values of every subtree, or of each node and those above.
    """

def pessimistic(tree: Tree, cut: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], confidence: float, frame: Frame | None = None, target: Target | None = None, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.bool_], dict(writable=False)], Annotated[NDArray[numpy.int32], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """
    C4.5's pruning: (nodes to cut, stand-ins, what each subtree and what each leaf or branch costs).
    """

def weakest_links(tree: Tree, risk: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.int32], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]: ...

def contributions(tree: Tree, frame: Frame, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """
    Per row and column (flattened) what the column added to the row's value, and the base.
    """

def forest_contributions(forest: Forest, frame: Frame, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], Annotated[NDArray[numpy.float64], dict(writable=False)]]:
    """The same of many trees, weighted and summed."""

missing_right: int = 2147483648

other_test: int = 1073741824

balance_bits: int = 10

class Forest:
    """Many trees, sixteen bytes a node."""

    @property
    def n_trees(self) -> int: ...

    @property
    def plain(self) -> bool:
        """Are all tests binary cuts?"""

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

    @property
    def n_classes(self) -> int: ...

    @property
    def weight_scale(self) -> float: ...

    @property
    def center(self) -> float: ...

    @property
    def scale(self) -> float: ...

    @property
    def begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...

    def tree(self, index: int) -> Tree:
        """One tree in full."""

    @staticmethod
    def like(target: Target, growth: dict[str, object], balanced: bool) -> Forest:
        """An empty one, whose trees will be grown on such a target."""

    def add(self, tree: Tree, ccp_alpha: float = 0.0) -> None:
        """Adds a tree, pruned by cost and complexity."""

    def state(self) -> dict[str, object]:
        """Everything in it, as plain arrays and numbers."""

@overload
def vote_few(forest: Forest, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: bool = False) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

@overload
def vote_few(forest: Forest, x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: bool = False) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """`sum_votes` for a few rows of floats, by a forest of binary cuts."""

def forest_from_state(state: dict[str, object]) -> Forest:
    """A forest from its state, checked throughout."""

def grow_forest(frame: Frame, target: Target, growth: dict[str, object], n_trees: int, first: int = 0, sample: int | None = None, replace: bool = True, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, bag: bool = False, n_threads: int = 1, onto: Forest | None = None, grown: object | None = None, balanced: bool = False, ccp_alpha: float = 0.0, mode: bool = False, bagged: object | None = None, keep: bool = False) -> tuple[Forest, object]:
    """
    Grows trees, each on its own sample: (forest, out-of-bag sums or None).
    """

def grow_trees(frame: Frame, target: Target, growth: dict[str, object], n_trees: int, first: int = 0, sample: int | None = None, replace: bool = True, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, ccp_alpha: float = 0.0, n_threads: int = 1, grown: object | None = None) -> list[Tree]:
    """Grows the same trees, each in full: of several outputs."""

def sum_votes(forest: Forest, frame: Frame, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mode: bool = False, n_threads: int = 1) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
    """
    Per row, the weighted sum of what the trees' leaves say: class shares, votes, or means.
    """

def sample_times(seed: int, tree: int, n_rows: int, sample: int, replace: bool, begin: int, end: int) -> Annotated[NDArray[numpy.uint32], dict(writable=False)]:
    """How often a tree's sample has each of the places [begin, end)."""

def balance_factors(in_class: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
    """
    What the weights of classes are multiplied with, so that all weigh the same.
    """

def bag_again(forest: Forest, frame: Frame, target: Target, growth: dict[str, object], sample: int, replace: bool = True, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, mode: bool = False) -> object:
    """
    What the trees of a forest say of the rows that their samples, drawn again, leave out.
    """

def error_bits(reach: int) -> int:
    """
    How much finer than a target, whose largest |y| is given, errors out of the bag are counted.
    """

def bag_part(forest: Forest, frame: Frame, target: Target, reach: int, seed: int, n_places: int, begin: int, sample: int, replace: bool, mode: bool = False) -> tuple[list[tuple[int, int]], list[tuple[int, int]], int, int, int, int]:
    """
    What trees say of the rows at some places that they have not seen: of every tree (sum, samples), of all trees up to it; rows without; samples, sum and squares of y of the others.
    """

class Weighing:
    """The weights of boosted rows, all of them or a part."""

    def __init__(self, share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """
        `share`: of one sample of each row; `times`: samples of each row, None: one.
        """

    @property
    def fixed(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """
        The whole numbers over 2**boost_bits that the next round counts: a view, which changes.
        """

    def weights(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(writable=False)]: ...

    def mark(self, tree: Tree, frame: Frame, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """
        Marks the rows that a tree has wrong; returns the samples of every node.
        """

    def multiply(self, right: int, wrong: int, times_wrong: float) -> None:
        """
        Multiplies the weights of rows that are marked, and all so that they sum to 1 again; `right` and `wrong` are what all rows weigh.
        """

boost_bits: int = 50

def weighed(tree: Tree) -> tuple[int, int]:
    """
    The weight of the rows that a tree has right, and of those it has wrong, by what its leaves hold.
    """

def boost(frame: Frame, classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, growth: dict[str, object], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_rounds: int, learning_rate: float = 1.0, watched: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, count_samples: bool = False, n_threads: int = 1, heard: object | None = None, consume: bool = False) -> dict[str, object]:
    """
    AdaBoost with trees as weak learners: trees, weighted errors, log-odds, noted weights.
    """

def vote(right: float, wrong: float, n_classes: int, learning_rate: float) -> tuple[float, float] | None:
    """
    What a learner's vote counts: (log-odds, what wrong rows are multiplied with); None: mere chance.
    """

def search(frame: Frame, target: Target, growth: dict[str, object], alpha: tuple[int, int] = (0, 1), costs: Sequence[int] = [], shift: int = 0, work_limit: int | None = None, time_limit: float | None = None, n_threads: int = 1, root: int | None = None, without: Sequence[int] = [], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, among: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Tree | None, dict[str, int], str]:
    """
    The tree with the least weight of errors + alpha * leaves up to a depth and a number of leaves, alpha a fraction; with `costs`, by class and answer, what errors cost in place of their weight, which loses its last bits by `shift`; figures: `wrong` (weight, or cost), `leaves`, `objective`, `bound` (no tree has a lower objective; both in parts of a unit, as alpha), `work` (entries looked at); and how the search ended: proved, work_limit, time_limit or interrupted. With `root`, of the trees whose first test asks that column, and no tree if there is none, or none was found; `without`, of those that never ask those; `rows`, of these rows alone, in the family of tests that all allow, or all `among`.
    """

def count_trees(frame: Frame, target: Target, growth: dict[str, object], most: int, alpha: tuple[int, int] = (0, 1), costs: Sequence[int] = [], shift: int = 0, work_limit: int | None = None, n_threads: int = 1, root: int | None = None, without: Sequence[int] = [], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, among: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[int, bool, int, bool]:
    """
    How many trees of the family of `search` have an objective of at most `most`, in parts of a unit; whether these are all, or there are so many at least; the work; whether somebody interrupted it.
    """

def search_numbers(frame: Frame, target: Target, growth: dict[str, object], price: int, work_limit: int | None = None, time_limit: float | None = None, n_threads: int = 1) -> tuple[Tree, dict[str, object], str]:
    """
    The tree of numbers with the least squared error + price * leaves, of at most two levels of tests; figures as of `search`, `error` in place of `wrong`, in units of 2^-`bits` of the target's fixed point, squared; the price in such of 2^-30.
    """

def grow_ahead(frame: Frame, target: Target, growth: dict[str, object], costs: Sequence[int] = [], shift: int = 0, n_threads: int = 1) -> Tree:
    """
    A tree of classes that grows node by node, each node looking two levels ahead: where the best pair of tests gets less wrong than the growth's own test and the best ones below, it has the first of the pair. `costs` and `shift` as of `search`.
    """

def polish(frame: Frame, target: Target, growth: dict[str, object], tree: Tree, costs: Sequence[int] = [], shift: int = 0, n_threads: int = 1) -> tuple[Tree, dict[str, int]]:
    """
    A tree of classes that gets less wrong of these rows, with no more leaves and no deeper; the tree itself where none was found. Figures: the weight that was wrong (with `costs`, what it cost) `before` and is `after`, the `rounds` that lowered it, and the `work` (entries looked at).
    """
