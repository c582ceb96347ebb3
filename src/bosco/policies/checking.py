"""The door: policies on a model, each proved over all cases, or broken by one that is shown."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bosco.errors import ParameterError, did_you_mean
from bosco.models.model import Model
from bosco.policies import boxes
from bosco.policies.cases import Cases, Found
from bosco.policies.concerned import Concerned, concerned
from bosco.policies.ground import Ground, Suspect
from bosco.policies.leaves import Leaves, spoken
from bosco.policies.policy import Pair, Policy
from bosco.policies.reading import read_policy
from bosco.policies.verdict import Checks, Method, Reason, Verdict
from bosco.policies.votes import Search
from bosco.rules.work import WORK, OutOfWorkError, Work, allowed
from bosco.tree.family import AnyModel, model_of

_OPEN = 100  # boxes without a case that are tried before they are left open

_KEYS = ("policies", "better", "work")


def check(
    model: Any,
    policies: str | Sequence[str] | Mapping[str, str] | Path,
    X: Any = None,
    *,
    better: Sequence[Any] | None = None,
    work: float | None = None,
) -> Checks:
    """Decide over the whole space whether a model keeps to policies.

    Parameters
    ----------
    model : Model, ForestModel, ScoreTable or fitted estimator
        What to check.
    policies : str, list of str, dict of str, or Path
        Sentences, such as "never denied because of sex", "more income never lowers the answer" or
        "nobody over 65 with income > 3000 is denied"; the values of a dict; or a TOML file that has
        them.
    X : table, optional
        Rows to count: for how many a policy is broken.
    better : list, optional
        The answers from the worst to the best, where a policy speaks of lower or higher ones and
        the answers are classes.
    work : float, default=10_000_000
        Steps for each policy, after which it is undecided. A step is about one look at one rule;
        ``math.inf`` is without a limit.

    Returns
    -------
    Checks
        One `Verdict` for each policy, true if all are proved; ``print`` it.

    Examples
    --------
    >>> import bosco
    >>> X = {"age": [30, 40, 70, 80], "income": [1000, 4000, 1000, 4000]}
    >>> tree = bosco.DecisionTreeClassifier().fit(X, ["denied", "granted", "denied", "granted"])
    >>> print(bosco.check(tree, "nobody over 65 with income > 3000 is denied"))
    proved: nobody over 65 with income > 3000 is denied
      over all cases, missing values included: 1 box compared in 3 steps
    >>> print(bosco.check(tree, "more income never turns denied into granted"))
    BREACH: more income never turns denied into granted
      income = 2500 → denied, but income = 2501 → granted
    """
    found: AnyModel = model_of(model, "check takes a model or a fitted estimator.")
    if isinstance(policies, Path):
        said = read_file(policies)
        policies = said["policies"]
        better = said.get("better") if better is None else better
        work = said.get("work") if work is None else work
    steps = WORK if work is None else work
    classes = None if found.classes is None else found.classes.tolist()
    read = [read_policy(one, found.schema, classes, better) for one in _sentences(policies)]
    return Checks(tuple(_decided(found, one, X, allowed(steps)) for one in read))


def _sentences(policies: Any) -> list[Any]:
    if isinstance(policies, str):
        return [policies]
    if isinstance(policies, Mapping):
        return list(policies.values())
    if isinstance(policies, Sequence) and policies:
        return list(policies)
    raise ParameterError(f"policies is a sentence, or a list or dict of them. Got {policies!r}.")


def read_file(path: Path) -> dict[str, Any]:
    """Policies from a TOML file: ``policies``, a list or a table; ``better`` and ``work``."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path} is no TOML file: {error}.") from None
    for key in said:
        if key not in _KEYS:
            raise ParameterError(
                f"{path}: there is no key {key!r}; known are {', '.join(_KEYS)}."
                + did_you_mean(key, _KEYS)
            )
    if not said.get("policies"):
        raise ParameterError(
            f'{path} has no policies. Hint: policies = ["never denied because of sex"].'
        )
    return said


def _decided(model: AnyModel, policy: Policy, X: Any, work: Work) -> Verdict:
    """One policy: rows first, then drawn cases, then all of the space."""
    trees = list(spoken(model))
    ground = Ground(model, policy, (tree for tree, _ in trees))
    cases = Cases(ground)
    differ = policy.columns if isinstance(policy, Pair) else ()
    names = model.schema.names
    asked = [j for tree, _ in trees for j in tree.columns_asked.tolist()]
    behind = {*model.schema.behind(asked), *(one.column for one in policy.where), *differ}
    told: dict[str, Any] = {
        "policy": policy.sentence,
        "missing": ground.space.missing,
        "columns": tuple(names[j] for j in sorted(behind) if j < len(model.schema.given)),
        "differ": tuple(names[j] for j in differ),
        "up": isinstance(policy, Pair) and policy.up,
    }
    if not ground.space.holds_any(ground.region):
        return Verdict(outcome="proved", method="empty", **told)
    if not ground.matters:
        return Verdict(outcome="proved", method="unasked", **told)
    rows: Concerned | None = None
    if X is not None:
        rows = concerned(cases, X, len(trees), work.part(0.5))
        told |= {"rows": rows.rows, "rows_in_all": rows.in_all, "rows_exact": rows.exact}
        told["first_row"] = rows.first
    one = isinstance(model, Model)
    method: Method = "boxes" if one else "votes"
    told |= {"method": method, "looked": model.n_leaves}
    found = rows.found if rows is not None else None
    if found is None and (not one or ground.derived):
        found = cases.drawn()
    reason: Reason | None = None
    if found is None:
        found, reason, told["looked"] = _searched(ground, cases, trees, work)
    told["work"] = work.used
    if found is not None:
        return Verdict(outcome="breach", cases=found.cases, answers=found.answers, **told)
    return Verdict(outcome="undecided" if reason else "proved", reason=reason, **told)


def _searched(
    ground: Ground, cases: Cases, trees: list[Any], work: Work
) -> tuple[Found | None, Reason | None, int]:
    """A breach in the whole space; else why there may be one all the same; and of how many."""
    looked, left_open = ground.model.n_leaves, 0
    try:
        if isinstance(ground.model, Model):
            found_boxes, said = boxes.boxes_of(ground, ground.model, work)
            looked = len(found_boxes)
            suspects: Iterator[Suspect] = boxes.suspects(ground, found_boxes, said, work)
        else:
            suspects = Search(ground, Leaves(ground.space, trees, work), work).suspects()
        for suspect in suspects:
            found = cases.confirm(suspect)
            if isinstance(found, Found):
                return found, None, looked
            left_open += not found
            if left_open > _OPEN:
                break
    except OutOfWorkError:
        return None, "work", looked
    return None, "derived" if left_open else None, looked
