"""Every setting, declared once.

A setting is an entry here: its type, which editors and type checkers read, and a `Setting`, which
says what it may be, what it means, its default and its option at the command line. Estimators take
their signatures, checks, messages and docstrings from here, the command line its options, the file
format its words, docs/algorithms.md its table. A class is what some estimators share; the words
that the core knows are the core's own. `bosco.growth` makes of settings what the core reads.
Over 400 lines, so that all of them stand in one place.
"""

from typing import Annotated, Any, Literal, TypedDict

from bosco import _core
from bosco.settings.allowed import (
    ARRAY,
    CALLABLE,
    DICT,
    DICTS,
    GENERATOR,
    NONE,
    TRUTH,
    Allowed,
    Option,
    Setting,
    able,
    real,
    share,
    whole,
    words,
)

Task = Literal["classification", "regression"]

ALGORITHMS = ("cart", "c45", "id3", "hunt", "best_first", "stump", "recursive_stump", "optimal")
"""The rows of `bosco.growth.PRESETS`."""

UNLIMITED = -1
"""What the grower reads as "no limit"."""

RECORD_SHARE, RECORD_ROWS = 5000, 5000
"""With record="auto", nodes that hold at least one in so many of the samples keep candidates: all
of them in tables of at most so many samples, in larger ones the near ties."""

RECORD_CELLS = 4_000_000
"""Tables of at most so many cells are remembered by default: see `fingerprint`."""

WORDS = {name: tuple(said) for name, said in _core.setting_words().items()}
"""Of the settings of growth that are words: which."""

_OF_NUMBERS = ("squared_error", "poisson", "absolute_error", "quantile")
CRITERIA: dict[Task, tuple[str, ...]] = {
    "classification": tuple(w for w in WORDS["criterion"] if w not in _OF_NUMBERS),
    "regression": _OF_NUMBERS,
}

_POSITIVE = real(0)
_SEED = (whole(0, 2**32 - 1), GENERATOR, NONE)
_KEYED = (whole(0, 2**64 - 1), GENERATOR, NONE)
_VERBOSE = (whole(0), TRUTH)
_REMEMBERED = """Remember a fingerprint of the training rows in ``model_``, so that whoever judges
    the model by rows it was grown on is told. Nothing can be read out of it; see
    `bosco.data.fingerprint`."""
_POLICIES = words(
    "none",
    "generalization_error",
    "reduced_error",
    "cost_complexity",
    "pessimistic",
    "minimum_description_length",
    "critical_value",
    "same_answer",
)

# The table is laid out by hand: what a setting is in its first line, what it means in the others.
# fmt: off


class Preset(TypedDict, total=False):
    """What the other settings are laid over."""

    algorithm: Annotated[str, Setting(words(*ALGORITHMS), default="cart", says="""
        The row of settings to start from. Every setting below that is None is as this row says;
        see `bosco.growth.PRESETS`.""")]


class OfClasses(TypedDict, total=False):
    """Of learners of classes."""

    criterion: Annotated[Any, Setting(words(*CRITERIA["classification"]), CALLABLE, NONE,
        row="gini", option=Option("gini, entropy, squared_error, …"), says="""
        The impurity that a test is to decrease. "log_loss" is "entropy", "scaled_entropy" half of
        it; "error" is the share of wrong rows. Of a single tree also a function of your own: it
        takes an array of shape (n, n_classes), whose rows are class shares, and returns n
        impurities.""")]


class OfNumbers(TypedDict, total=False):
    """Of learners of numbers."""

    criterion: Annotated[str | None, Setting(words(*CRITERIA["regression"], "friedman_mse"), NONE,
        says="""
        The impurity that a test is to decrease. "poisson" is half of Poisson's deviance, for counts
        and rates: no y may be negative, and no leaf predicts 0. "absolute_error": leaves say the
        median of y; "quantile": the `quantile` of y; both with thresholds only. A tree by an
        algorithm that learns classes (id3, c45, hunt) needs it said. "friedman_mse" is
        scikit-learn's former name of "squared_error".""")]
    quantile: Annotated[float | None, Setting(real(0, 1, ends="()"), NONE, row=0.5, says="""
        What leaves say by criterion="quantile": the number that such a share of the weight of y
        does not pass, 0.9 the ninth decile. Six digits count. 0.5 is the median.""")]


Costs = Annotated[Any, Setting(DICT, ARRAY, NONE,
    option=Option("What mistakes cost: CLASS=5, whatever is said instead, or CLASS:ANSWER=5; every "
                  "other mistake costs 1. May be repeated.", metavar="CLASS=COST,…"), says="""
    What mistakes cost: ``{"bad": {"good": 5}}`` is that of taking a true "bad" for "good",
    ``{"bad": 5}`` that of taking it for anything; pairs that are not named cost 1. Or a matrix,
    rows by the true class. The answer is then the class of the least expected cost, and pruning,
    choosing, "optimal", `polish` and `lookahead` go by costs; shares stay what they are.
    docs/costs.md has the rules.""")]


Derived = Annotated[dict[str, str] | None, Setting(DICT, NONE,
    option=Option("A column computed from others, such as 'bmi = weight / height ** 2'; may be "
                  "repeated.", metavar="NAME=EXPRESSION"), says="""
    Columns that are computed from others, by name, each as an expression over columns of X and
    those derived before it: ``{"bmi": "weight / height ** 2", "late": "arrived > promised"}``.
    They are tested like any column, after those of X, and part of the model, which is given the
    columns of X only. docs/derived.md has the language.""")]


class Asked(TypedDict, total=False):
    """Of one tree whose questions cost something."""

    ask_costs: Annotated[dict[str, float] | None, Setting(DICT, NONE,
        option=Option("What it costs to ask a column, or one of a group for the first time; may be "
                      "repeated.", metavar="NAME=PRICE,…", flags=("--ask-cost",)), says="""
        What answers cost, by name of a column or of a group: ``{"mri": 400, "blood test": 30}``.
        What is not named is free; what was paid is not paid again on the same path. Growing weighs
        gains against prices, and the model tells what a case pays on average. docs/costs.md has
        the rules.""")]
    ask_groups: Annotated[dict[str, Any] | None, Setting(DICT, NONE,
        option=Option("Columns that come from one question, whose price is paid once; may be "
                      "repeated.", metavar="GROUP=NAME:NAME,…", flags=("--ask-group",)), says="""
        Columns that come from one question, by the name that has the price: ``{"blood test":
        ["hdl", "ldl"]}``. Who asks one of them pays it, and the others are free from there on; a
        column may have a price of its own beside it.""")]
    ask_delayed: Annotated[Any, Setting(ARRAY, NONE,
        option=Option("Columns and groups whose answers come later.", metavar="NAME,…"), says="""
        Columns and groups whose answers are not there when the next question must be put: what is
        asked below such a test is ordered with it, and paid whatever it says.""")]
    ask_rule: Annotated[str, Setting(words(*WORDS["ask_rule"]), default="eg2",
        option=Option("How gain is weighed against price: eg2, idx or cs_id3.", default="eg2"),
        says="""
        How a gain g is weighed against a price p, which is measured in the least price there is:
        "eg2" is (2^g - 1) / (p + 1)^w, "idx" g / (p + 1)^w, "cs_id3" g^2 / (p + 1)^w.""")]
    ask_weight: Annotated[float, Setting(real(0, 10), default=0.5,
        option=Option("How much prices weigh; 0: they are only told.", default=0.5), says="""
        The w of `ask_rule`: how much prices weigh. 0: not at all, they are only told.""")]


class Grown(TypedDict, total=False):
    """Of one tree and of many."""

    score: Annotated[str | None, Setting(words(*WORDS["score"]), NONE, row="gain", says="""
        What the best tests of the columns are compared by: "gain"; "gain_ratio", the gain divided
        by the information in the split itself, so that many small branches do not win by their
        number; "gain_ratio_above_average", the ratio, among those that gain at least the average.
        As an attribute, ``score`` is the method; ``get_params()["score"]`` is the setting.""")]
    numeric_test: Annotated[str | None, Setting(words(*WORDS["numeric_test"]), NONE,
        row="threshold", says="""
        Tests of numeric and ordinal columns. "threshold": ``x <= t`` or not; "pairs": also of two
        columns of numbers, ``x + y <= t``, ``x - 2.5 * y <= t`` or ``x / y <= t``, where that pays
        for its freedom; "intervals": up to `max_branches` of them, with the best cuts there are.
        Only single trees of rows in memory take "pairs".""")]
    nominal_test: Annotated[str | None, Setting(words(*WORDS["nominal_test"]), NONE,
        row="subset", says="""
        Tests of nominal columns. "multiway": a branch per value; "subset": a set of values against
        the others; "one_vs_rest": one value against the others; "group": up to `max_branches`
        sets.""")]
    threshold: Annotated[str | None, Setting(words(*WORDS["threshold"]), NONE, row="midpoint",
        option=Option("Where to cut between two values: the shortest number between them (round), "
                      "their midpoint, or the lower one (observed).", default="round"), says="""
        Where a cut lies between two values: at their "midpoint", at the lower one ("observed"), or
        at the shortest decimal in between ("round").""")]
    missing: Annotated[str | None, Setting(words(*WORDS["missing"]), NONE, row="learn", says="""
        Where missing values go. "learn": to the branch that scores better with them; "fractional":
        down all branches, in shares; "surrogate": where a similar test says; "branch": to a branch
        of their own; "majority": to the heaviest branch; "error": nowhere, they are refused.
        Forests take neither "fractional" nor "surrogate".""")]
    max_branches: Annotated[int | None, Setting(whole(2, 255), NONE, row=4, says="""
        Most branches of an "intervals" or "group" test.""")]
    max_depth: Annotated[int | None, Setting(whole(1), NONE, row=UNLIMITED,
        option=Option("Depth of the tree at most."), says="""
        No path is longer than this. None is no limit, but 1 for "stump", which stays a stump unless
        a number is given.""")]
    max_leaf_nodes: Annotated[int | None, Setting(whole(2), NONE, row=UNLIMITED,
        option=Option("Leaves at most."), says="""
        Grow no more leaves than this; nodes are then opened best first, unless the
        `order` of a single tree says otherwise.""")]
    min_samples_split: Annotated[float | None, Setting(whole(2), share(), NONE, row=2, says="""
        A node with fewer samples stays a leaf; a float is a fraction of all samples.""")]
    min_samples_leaf: Annotated[float | None, Setting(whole(1), share("()"), NONE, row=1,
        option=Option("Rows in a leaf at least; fit and select take 5 for one tree."), says="""
        Every branch of a test has at least so many samples (of a test with a branch per value, at
        least two of them have); a float is a fraction of all samples.""")]
    min_weight_fraction_leaf: Annotated[float | None, Setting(real(0, 0.5), NONE, row=0.0, says="""
        The least weight of a branch, as a fraction of the total weight; where trees draw rows, of
        that of so many rows as one tree draws.""")]
    min_impurity_decrease: Annotated[float | None, Setting(_POSITIVE, NONE, row=0.0, says="""
        A test's gain times the node's share of the total weight must be at least this: what the
        test brings the whole tree. The smaller a node, the more its test must gain.""")]
    min_gain: Annotated[float | None, Setting(_POSITIVE, NONE, row=0.0, says="""
        A test's gain, penalties taken off, must be at least this: what it brings the node alone,
        however few rows that has.""")]
    zero_gain: Annotated[bool | None, Setting(TRUTH, NONE, row=True, says="""
        A test that gains nothing is taken too. It may open the way for one that does (exclusive
        or).""")]
    reuse: Annotated[bool | None, Setting(TRUTH, NONE, row=True, says="""
        A column may be tested again further down. ID3 says no.""")]
    max_features: Annotated[float | str | None, Setting(whole(1), share(), words("sqrt", "log2"),
        NONE, row=None, option=Option("Columns that each node looks at: sqrt, log2, all, a number "
                                      "or a share.", metavar="N"), says="""
        How many columns, drawn at random, each node looks at; a float is a fraction of all, "sqrt"
        and "log2" are of their number. None: all.""")]
    random_state: Annotated[Any, Setting(*_KEYED, says="""
        Seed of the random choices, where there are any: draws of rows, columns and cuts. They are
        keyed by it, the tree and the node.""")]
    monotonic_cst: Annotated[Any, Setting(ARRAY, DICT, NONE, says="""
        For each column, or by name, -1, 0 or 1: the prediction must not increase (-1) or not
        decrease (1) with it.""")]
    ccp_alpha: Annotated[float, Setting(_POSITIVE, default=0.0, says="""
        Prune each grown tree where a leaf does not lower the total impurity by at least this; of
        one tree, the same as ``pruning=CostComplexity(alpha=ccp_alpha)``.""")]
    domains: Annotated[dict[Any, Any] | None, Setting(DICT, NONE, says="""
        Declared values by name or index of a column: of a nominal one its levels, seen in training
        or not; of numbers a tuple, (12, 90), the least and the largest. What is outside is refused
        in training; in predicting a level is read as missing, a number as it is.""")]
    categorical_features: Annotated[Any, Setting(words("from_dtype"), ARRAY, NONE,
        default="from_dtype", says="""
        Which columns are nominal, by name, index or mask; by default those that are text,
        categorical or boolean.""")]
    derive: Derived
    n_jobs: Annotated[int | None, Setting(whole(), NONE, says="""
        Threads; None is 1, -1 is all cores. What is grown does not depend on it.""")]


class OneTree(Grown, Asked, total=False):
    """Of one tree."""

    order: Annotated[str | None, Setting(words(*WORDS["order"]), NONE, row="depth", says="""
        Which node is opened next: "depth" or "breadth" first, or the "best" (largest decrease). It
        matters only up to a limit of leaves.""")]
    splitter: Annotated[str | None, Setting(words(*WORDS["splitter"]), NONE, row="best", says="""
        The "best" test of each column, or a "random" one per column, of which the best is
        taken.""")]
    lookahead: Annotated[int | None, Setting(whole(1, 2), NONE, row=1,
        option=Option("2: each node looks at the best pair of tests."), says="""
        How many levels of tests a node looks at. 1: its own test; 2: where the best pair (one test
        for the node, one for each side) gets less wrong than the node's own test with the best ones
        below it, the node has the first of the pair. Of classes, rows in memory.""")]
    polish: Annotated[bool | None, Setting(TRUTH, NONE, row=False,
        option=Option("Make the grown tree better as a whole."), says="""
        Go over the grown tree until nothing helps: every test again with the rest as it is, the
        best bottoms of two levels, leaves moved to where they save more. It has no more leaves, is
        no deeper, and gets no more of the training rows wrong. ``model_.polished`` says what it
        brought. Of classes, rows in memory.""")]
    alpha: Annotated[float | None, Setting(_POSITIVE, NONE, row=0.0,
        option=Option("Of optimal: the price of a leaf, in errors."), says="""
        Of "optimal": the price of a leaf, in wrong rows (in their weight where rows have weights;
        in what mistakes cost, with `costs`), or in squared error of numbers. The tree has the least
        errors + alpha * leaves; of equal trees the smaller one.""")]
    work_limit: Annotated[int | None, Setting(whole(1), NONE,
        option=Option("Of optimal: about how many entries of columns to look at."), says="""
        Of "optimal": the search ends when about so many entries of columns were looked at, and the
        best tree so far is kept, with what is known of it (``model_.certificate``). The same on
        every machine. None: no limit.""")]
    time_limit: Annotated[float | None, Setting(real(0, ends="()"), NONE,
        option=Option("Of optimal: seconds to search, at most."), says="""
        Of "optimal": seconds, as `work_limit`; how far one gets in them depends on the machine.
        None: no limit.""")]
    pruning: Annotated[Any, Setting(_POLICIES, able("a policy of bosco.pruning", "Policy", "judge"),
        NONE, row="none", option=Option(
            "none, cost_complexity:alpha=0.01, pessimistic, minimum_description_length, "
            "critical_value:level=0.01, reduced_error, generalization_error or same_answer.",
            metavar="POLICY"), says="""
        How the grown tree is pruned: a policy of `bosco.pruning`, or the name of one; "none": not
        at all. What was pruned and why is in ``model_.pruning_log()``.""")]
    record: Annotated[bool | str, Setting(TRUTH, words("auto"), default="auto", says=f"""
        Keep the tests compared at every node, for ``model_.why``. "auto": of nodes that hold at
        least one in {RECORD_SHARE} samples (of all, where there are at most {2 * RECORD_SHARE:,}).
        Where nodes are compared by gain, and there are more than {RECORD_ROWS:,} samples, those
        within 1 % of the best. The others are told by the rows, exactly:
        ``model_.why(node, X=X, y=y)``.""")]
    weights: Annotated[str, Setting(words("importance", "copies"), default="importance", says="""
        What `sample_weight` means to whoever reads the model. "importance": how much a row matters;
        it is one row all the same, and intervals go by the effective number of rows, (Σw)² / Σw².
        "copies": how many rows it stands for; they count as rows. The tree is the same.""")]
    fingerprint: Annotated[bool | str, Setting(TRUTH, words("auto"), default="auto", says=f"""
        {_REMEMBERED} "auto": for up to {RECORD_CELLS:,} cells, beyond which it would cost more
        than a few hundredths of the fit.""")]


class ClassTree(Preset, OfClasses, OneTree, total=False):
    """Of a tree that predicts classes."""

    class_weight: Annotated[Any, Setting(DICT, DICTS, words("balanced"), NONE, says="""
        Weights of the classes; a list of mappings where y has several columns, one for each: the
        weights of a row are multiplied.""")]
    costs: Costs


class NumberTree(Preset, OfNumbers, OneTree, total=False):
    """Of a tree that predicts numbers."""


class RowsOnly(TypedDict, total=False):
    """Settings of growth that no estimator has: only the rows of `PRESETS` say them."""

    search: Annotated[str, Setting(words(*WORDS["search"]), row="greedy", says="""
        "greedy": node by node, the best test of each; "optimal": of all trees up to `max_depth` and
        `max_leaf_nodes` the one with the least errors + `alpha` * leaves.""")]
    penalty: Annotated[bool, Setting(TRUTH, row=False, says="""
        A threshold pays for the search among many, log2(cuts) / rows off its gain, and leaves a
        tenth of the rows per class on either side (at most 25). C4.5, release 8.""")]
    subset_penalty: Annotated[bool, Setting(TRUTH, row=True, says="""
        A "subset" test on more than 7 levels pays for what grouping them gains by chance, and loses
        again on new rows. Without it a column of a thousand levels wins small nodes by
        chance.""")]


Trees = Annotated[int, Setting(whole(1), default=100, says="Number of trees.",
    option=Option("Of many: how many, or rounds.", flags=("--trees", "--n-estimators")))]


class Forest(Grown, total=False):
    """Of forests."""

    bootstrap: Annotated[Any, Setting(TRUTH, words("once"), says="""
        Whether each tree draws its rows with replacement. If not, it takes all rows; "once":
        `max_samples` of them, none twice.""")]
    max_samples: Annotated[float | None, Setting(whole(1), real(0, ends="()"), NONE, says="""
        Rows that each tree draws; a float is a fraction, or a multiple, of those there are. None:
        as many as there are.""")]
    oob_score: Annotated[Any, Setting(TRUTH, CALLABLE, default=False, says="""
        Judge every row by the trees that have not seen it. A callable is ``f(y_true, y_pred)``.
        """)]
    verbose: Annotated[int, Setting(*_VERBOSE, default=0, says="""
        Show how far the growing is: a bar with rich, else a line.""")]
    warm_start: Annotated[bool, Setting(TRUTH, default=False, says="""
        Keep the trees of the last fit and add to them up to `n_estimators`. The result is that of
        growing them all at once.""")]
    keep_on_interrupt: Annotated[bool, Setting(TRUTH, default=False, says="""
        After Ctrl-C keep the trees grown so far, with a warning, instead of nothing.""")]
    fingerprint: Annotated[bool, Setting(TRUTH, default=True, says=_REMEMBERED)]


class ClassForest(OfClasses, Forest, total=False):
    """Of forests that predict classes."""

    class_weight: Annotated[Any, Setting(DICT, DICTS, words("balanced", "balanced_subsample"),
        NONE, says="""
        Weights of the classes; "balanced_subsample": balanced anew in the sample of each tree; a
        list of mappings where y has several columns, one for each.""")]
    costs: Costs
    vote: Annotated[str, Setting(words("mean", "mode"), default="mean", says="""
        A tree gives the class shares of the leaf, or its whole vote to the heaviest class.""")]
    tree_weights: Annotated[Any, Setting(words("uniform", "oob_accuracy"), ARRAY,
        default="uniform", says="""
        What each tree's vote counts: the same, its accuracy out of the bag, or as given.""")]


class NumberForest(OfNumbers, Forest, total=False):
    """Of forests that predict numbers."""

    tree_weights: Annotated[Any, Setting(words("uniform"), ARRAY, default="uniform", says="""
        What each tree's answer counts: the same, or as given.""")]
    leaf_rows: Annotated[bool, Setting(TRUTH, default=False, says="""
        Keep which training rows each leaf holds: needed by `predict_quantiles` and
        `predict_interval`. Takes about eight bytes per tree and row.""")]


_LEARNER = able("an object implementing 'fit' and 'predict'", "classifier", "fit", "predict")
Weak = Annotated[Any, Setting(_LEARNER, NONE, says="""
    The weak learner: None is ``DecisionTreeClassifier(max_depth=1, criterion="error")``, the stump
    with the least weighted error, which is what the method asks for (scikit-learn's default
    minimises Gini; docs/forests.md compares them). Any classifier that takes ``sample_weight`` will
    do.""")]

ADDRESS = Allowed("an address", "str", lambda value: isinstance(value, str))
_CLIENT = able("a Client of Dask", "client", "submit", "gather")
Cluster = Annotated[Any, Setting(_CLIENT, ADDRESS, NONE, says="""
    The cluster, as a Client of Dask or an address. None: the current one, or else one of this
    machine for each fit.""")]
Actors = Annotated[int | None, Setting(whole(1), NONE, says="""
    How many actors answer for the rows, a processor each; None: as many as the cluster has
    processors.""")]
Patient = Annotated[float, Setting(real(0, ends="()"), default=60.0, says="""
    Seconds: a cluster that has no worker for so long, or no scheduler, is given up.""")]
Told = Annotated[int, Setting(*_VERBOSE, default=0, says="""
    Tell of every level of the tree how many nodes it has, how often the cluster was asked, how many
    bytes it answered, and the time it took.""")]


class Boosted(TypedDict, total=False):
    """Of boosting."""

    n_estimators: Annotated[int, Setting(whole(1), default=50, says="Most rounds.")]
    learning_rate: Annotated[float, Setting(real(0, ends="()"), default=1.0,
        option=Option("Of boosting: what each vote is multiplied by."), says="""
        What the coefficients are multiplied by.""")]
    algorithm: Annotated[str, Setting(words("discrete", "samme"), default="discrete", says="""
        "discrete": AdaBoost for two classes, coefficients as above; with more classes it is SAMME.
        "samme": coefficients ``ln((1 - error) / error) + ln(n_classes - 1)``; for two classes twice
        the former, with the same predictions.""")]
    random_state: Annotated[Any, Setting(*_SEED, says="""
        Seed of learners that draw, and of the validation part.""")]
    derive: Derived
    watch: Annotated[Any, Setting(ARRAY, NONE, says="""
        Rows whose weights are kept in `history_`, round by round.""")]
    early_stopping: Annotated[bool, Setting(TRUTH, default=False, says="""
        Hold back a part of the rows and stop when it is no longer predicted better; rounds after
        the best are dropped.""")]
    validation_fraction: Annotated[float, Setting(share("()"), default=0.1, says="""
        The part held back.""")]
    n_iter_no_change: Annotated[int, Setting(whole(1), default=10, says="""
        Rounds without a better validation score after which to stop.""")]
    n_jobs: Annotated[int | None, Setting(whole(), NONE, says="""
        Threads for trees of bosco; None is 1, -1 is all cores.""")]
    verbose: Annotated[int, Setting(*_VERBOSE, default=0, says="Show how far the rounds are.")]
    fingerprint: Annotated[bool, Setting(TRUTH, default=True, says="""
        Remember a fingerprint of the training rows in ``model_``, those held back included, so that
        whoever judges the model by them is told; see `bosco.data.fingerprint`.""")]


# fmt: on


def setting_of(annotation: Any) -> Setting:
    """The setting that an annotation of this module declares."""
    found: Setting = annotation.__metadata__[0]
    return found


def declared(table: Any) -> dict[str, Setting]:
    """The settings of a class of this module, by name.

    Examples
    --------
    >>> declared(ClassTree)["max_branches"].allows
    'an int in the range [2, 255] or None'
    """
    return {name: setting_of(annotation) for name, annotation in table.__annotations__.items()}


_OF_TREES = declared(ClassTree)
GROWTH = {name: s for name, s in _OF_TREES.items() if s.in_rows and name != "pruning"}
GROWTH["quantile"] = declared(NumberTree)["quantile"]
"""The parameters of estimators that are settings of growth."""

ROWS = GROWTH | declared(RowsOnly) | {"pruning": _OF_TREES["pruning"]}
"""Every setting that a row of `bosco.growth.PRESETS` has."""

AS_SCIKIT_LEARN = {
    name: s.row for name, s in GROWTH.items() if name.startswith("min_") and name != "min_gain"
}
"""Defaults of forests, where scikit-learn, which has no min_gain, has numbers and trees have None:
as the rows say."""

OPTIONS = {
    name: s
    for table in (ClassForest, Boosted, ClassTree)
    for name, s in declared(table).items()
    if s.option is not None
} | {"n_estimators": setting_of(Trees)}
"""The settings that have an option of their own at the command line."""
