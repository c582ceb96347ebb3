"""Lines: impurity against share, error against size, boosting round by round."""

from typing import Any

import numpy as np

from bosco.errors import DataError
from bosco.estimators.tree import DecisionTreeClassifier
from bosco.plot.given import as_numbers, named, numbers
from bosco.render.color import OKABE_ITO
from bosco.render.mpl import new_axes

CRITERIA = {
    "error": "error: min(p, 1 − p)",
    "gini": "Gini: 2p(1 − p)",
    "scaled_entropy": "entropy / 2: −½ Σ p log₂ p",
    "sqrt": "√(p(1 − p))",
}
_LINES = ("-", "--", "-.", ":")
_STEPS = 100


def impurity_curves(ax: Any = None) -> Any:
    """The four impurities of two classes, against the share of one of them.

    The curves are not computed here: for each criterion bosco grows a tree with a leaf for every
    share, and what is drawn is the impurity that it gives to the leaves.

    Parameters
    ----------
    @ax

    @axis

    Examples
    --------
    >>> from bosco.plot import impurity_curves
    >>> [round(float(line.get_ydata().max()), 6) for line in impurity_curves().lines]
    [0.5, 0.5, 0.5, 0.5]
    """
    ax = new_axes(6, 4) if ax is None else ax
    share = np.arange(_STEPS + 1)
    level = [f"{k:03d}" for k in share]
    label_of_row = np.repeat([1, 0], _STEPS + 1)
    weight = np.concatenate((share, _STEPS - share))
    for at, (criterion, label) in enumerate(CRITERIA.items()):
        learner = DecisionTreeClassifier(algorithm="id3", criterion=criterion)
        tree = learner.fit({"p": level * 2}, label_of_row, sample_weight=weight).tree_
        leaves = list(tree.children(0))
        ax.plot(share / _STEPS, tree.impurity[leaves], _LINES[at], color=OKABE_ITO[at], label=label)
    ax.set_xlabel("share p of one class")
    ax.set_ylabel("impurity ψ(p)")
    ax.legend(loc="lower center")
    return ax


def error_vs_size(data: Any, ax: Any = None) -> Any:
    """Error against the size of the tree.

    Parameters
    ----------
    data : mapping, or object with ``to_dict()``
        ``"size"`` (or ``"leaves"``, ``"depth"``, ``"alpha"``, which then names the axis): the
        sizes. Any other key: the errors of one curve, such as ``"training"``, ``"validation"`` and
        ``"test"``. ``"<curve> spread"``: what to draw above and below a curve. ``"chosen"``: the
        size to mark.
    @ax

    @axis

    Examples
    --------
    >>> from bosco.plot import error_vs_size
    >>> data = {"leaves": [2, 4, 8], "training": [0.3, 0.1, 0.0], "test": [0.3, 0.2, 0.25]}
    >>> [line.get_label() for line in error_vs_size(data | {"chosen": 4}).lines][:2]
    ['training', 'test']
    """
    given = named(data, "error_vs_size")
    axis = next((name for name in ("size", "leaves", "depth", "alpha") if name in given), "size")
    size = numbers(given, axis)
    order = np.argsort(size, kind="stable")
    spread = {name for name in given if name.endswith(" spread")}
    curves = [name for name in given if name not in {axis, "chosen"} | spread]
    if not curves:
        raise DataError(f"error_vs_size: no curve is given beside {axis!r}, such as 'test'.")
    ax = new_axes(6, 4) if ax is None else ax
    for at, name in enumerate(curves):
        error, color = numbers(given, name, len(size))[order], OKABE_ITO[at % 8]
        look = {"color": color, "marker": "osD^v"[at % 5], "markersize": 4}
        ax.plot(size[order], error, _LINES[at % 4], label=name, **look)
        if f"{name} spread" in spread:
            around = numbers(given, f"{name} spread", len(size))[order]
            ax.fill_between(
                size[order], error - around, error + around, color=color, alpha=0.2, lw=0
            )
    if given.get("chosen") is not None:
        chosen = float(given["chosen"])
        ax.axvline(chosen, color="0.5", lw=1, ls=":", label=f"chosen: {chosen:g}")
    ax.set_xlabel({"size": "size of the tree", "leaves": "number of leaves"}.get(axis, axis))
    ax.set_ylabel("error")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def boosting(data: Any, ax: Any = None) -> Any:
    """Boosting round by round: the errors, and the weight of each round's vote.

    Parameters
    ----------
    data : mapping, object with ``to_dict()``, or fitted AdaBoostClassifier
        ``"error"``: the weighted error of each round's learner; ``"weight"``: its coefficient. Any
        other key of that length is the error of the whole vote up to that round, such as
        ``"training"`` and ``"test"``. Or the ``history_`` of an `AdaBoostClassifier`, which has the
        error of the part held back, if there was one. A learner without an error has an infinite
        coefficient: its bar is hatched.
    ax : two matplotlib Axes, optional
        Where to draw errors and weights.

    Returns
    -------
    two matplotlib Axes
        The axes.

    Examples
    --------
    >>> from bosco.plot import boosting
    >>> above, below = boosting({"error": [0.2, 0.3], "weight": [0.69, 0.42]})
    >>> above.get_ylabel(), below.get_ylabel()
    ('error', 'weight of the vote')
    """
    if hasattr(data, "history_"):
        data = data.history_
    elif hasattr(data, "estimator_errors_"):  # scikit-learn's
        n = len(data.estimators_)
        data = {"error": data.estimator_errors_[:n], "weight": data.estimator_weights_[:n]}
    given = named(data, "boosting")
    if "coefficient" in given:  # the rounds that an `AdaBoostClassifier` remembers
        history, given = given, {"error": given["error"], "weight": given["coefficient"]}
        if "validation_score" in history:
            given["held back"] = 1 - as_numbers(history["validation_score"], "validation_score")
    error = numbers(given, "error")
    weight = numbers(given, "weight", len(error))
    if ax is None:
        ax = new_axes(6, 5, nrows=2, ncols=1, sharex=True, height_ratios=(2, 1))
    try:
        above, below = ax
    except TypeError:
        raise DataError("boosting draws on two axes, errors above weights. Got one.") from None
    rounds = np.arange(1, len(error) + 1)
    above.plot(rounds, error, ":", color=OKABE_ITO[7], marker=".", label="each learner (weighted)")
    others = [name for name in given if name not in ("error", "weight")]
    for at, name in enumerate(others):
        curve = as_numbers(given[name], name, len(error))
        above.plot(rounds, curve, _LINES[at % 4], color=OKABE_ITO[at % 7], label=f"vote: {name}")
    above.axhline(0.5, color="0.5", lw=0.75)
    above.set_ylabel("error")
    above.set_ylim(bottom=0)
    above.legend()
    sure = np.isinf(weight)  # there is no bar as long as that
    tall = 1.2 * weight[~sure].max(initial=1.0)
    bars = below.bar(rounds, np.where(sure, tall, weight), color=OKABE_ITO[0], width=0.8)
    for bar, infinite in zip(bars, sure.tolist(), strict=True):
        bar.set_hatch("//" if infinite else None)
    below.set_ylabel("weight of the vote")
    below.set_xlabel("round")
    below.xaxis.get_major_locator().set_params(integer=True)
    return ax


def frontier(data: Any, ax: Any = None) -> Any:
    """Error against the price of what trees ask, a point for each weight that prices had.

    Parameters
    ----------
    data : Frontier, or mapping with its keys
        ``"price"`` and ``"error"`` of each point; ``"weight"``, what is written beside it;
        ``"low"``, ``"high"``: what to draw above and below.
    @ax

    @axis

    Examples
    --------
    >>> from bosco.plot import frontier
    >>> data = {"weight": [0, 1], "price": [8.0, 3.0], "error": [0.1, 0.2]}
    >>> frontier(data).get_xlabel()
    'price a case'
    """
    given = named(data, "frontier")
    price, error = numbers(given, "price"), numbers(given, "error")
    order = np.argsort(price, kind="stable")
    ax = new_axes(6, 4) if ax is None else ax
    if "low" in given and "high" in given:
        ends = np.array([error - numbers(given, "low"), numbers(given, "high") - error])
        ax.errorbar(
            price, error, np.maximum(ends, 0), fmt="none", color=OKABE_ITO[0], alpha=0.4, capsize=2
        )
    ax.plot(price[order], error[order], "-o", color=OKABE_ITO[0], markersize=4)
    for x, y, weight in zip(price, error, given.get("weight", ()), strict=False):
        ax.annotate(f"w = {weight:g}", (x, y), textcoords="offset points", xytext=(5, 4))
    ax.set_xlabel("price a case")
    ax.set_ylabel(getattr(data, "measure", "error"))
    return ax
