"""``bosco draft``: make a tree by hand, verb by verb, with the learner's advice."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from bosco.base.visible import can_draw
from bosco.cli.console import Format, emit
from bosco.cli.groups import Learner, TableOptions
from bosco.cli.options import Answer, File, LearnParting, Out
from bosco.errors import ParameterError, did_you_mean
from bosco.lessons.told import items

if TYPE_CHECKING:
    from bosco.drafts.draft import Draft
    from bosco.drafts.figures import Figures

EXAMPLE = (
    "bosco draft loans.csv --log loans.draft --target safe --who Ada\n"
    "  bosco draft loans.csv --log loans.draft split 0 'income = low' --reason 'house rule'"
)

_NODES = 60  # of the tree, printed
_WORDS = {
    "show": "", "why": "NODE [COLUMN]", "best": "NODE", "split": "NODE TEST",
    "move": "NODE THRESHOLD...", "prune": "NODE", "grow": "[NODE]", "regrow": "NODE",
    "optimal": "NODE", "merge": "NODE NODE", "answer": "NODE ANSWER", "lock": "NODE",
    "unlock": "NODE", "exclude": "COLUMN,... [NODE]", "note": "NODE TEXT", "undo": "", "redo": "",
    "goto": "ENTRY", "consider": "NODE [TEST]", "compare": "[ENTRY]", "automatic": "",
    "curves": "[CLASS]",
    "final": "", "log": "",
}  # fmt: skip
"""The verbs of a draft, and the words that each takes."""


def run(
    file: File,
    act: Annotated[
        list[str] | None,
        Argument(
            metavar="[VERB [WORD]...]",
            help="What to do: " + "; ".join(f"{v} {w}".strip() for v, w in _WORDS.items()) + ".",
        ),
    ] = None,
    log: Annotated[
        Path,
        Option("--log", metavar="FILE", help="The draft: opened if it is not there yet."),
    ] = ...,  # type: ignore[assignment]  # it must be given
    target: Annotated[
        str | None,
        Option("--target", "-t", metavar="NAME", help="The column to learn, to open a draft."),
    ] = None,
    reason: Annotated[str, Option(metavar="TEXT", help="Why.")] = "",
    who: Annotated[str | None, Option(metavar="NAME", help="Who does it, for the log.")] = None,
    depth: Annotated[
        int | None, Option(metavar="N", help="Of grow: at most so deep below the node.", min=1)
    ] = None,
    without: Annotated[
        list[str] | None, Option(metavar="NAME,…", help="Of regrow: columns that take no part.")
    ] = None,
    only: Annotated[
        list[str] | None, Option(metavar="NAME,…", help="Of regrow: the only columns that do.")
    ] = None,
    validation: Annotated[float, Option(help="Opening: share of rows to look at.")] = 0.2,
    test: Annotated[float, Option(help="Opening: share of rows that is locked until final.")] = 0.2,
    seed: Annotated[int, Option(help="Opening: the key of the parts.", min=0)] = 0,
    groups: Annotated[
        str | None,
        Option(
            "--group",
            "--groups",
            metavar="NAME",
            help="Opening: rows of one group stay in one part.",
        ),
    ] = None,
    date: Annotated[
        str | None,
        Option(
            "--time", "--date", metavar="NAME", help="Opening: the latest rows are the test part."
        ),
    ] = None,
    learn_parting: LearnParting = False,
    reasons: Annotated[
        bool, Option(help="Opening: ask for reasons where the learner is overridden.")
    ] = True,
    out: Out = None,
    *,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Make a tree by hand: each verb is done, recounted on the rows, told, and kept in the log.

    The first call opens the draft: parts of the rows are fixed, the settings of the learner and the
    target are kept. Later calls need the table, --log and a verb.
    """
    from bosco.drafts.log import load_log
    from bosco.errors import ModelError
    from bosco.lessons.drafting import opened, replayed
    from bosco.lessons.lesson import read_lesson

    words = list(act or ())
    require_verb(words)
    if log.exists():
        require_log(log)
        done = replayed(load_log(log), file, target, table)
        if not done.same:
            raise ModelError(f"{log} cannot be gone on with: done again, it {done}.")
        draft = done.draft
        draft.who = who or draft.who
    else:
        if target is None:
            raise ParameterError(f"{log} is not there: to open a draft, give --target NAME.")
        lesson = read_lesson(file, target, table, learner.task, groups or date)
        parts = {"validation": validation, "test": test, "seed": seed}
        how = {"groups": groups, "date": date, "learn_parting": learn_parting}
        how |= {"who": who, "reasons": reasons}
        draft = opened(lesson, learner.settings(), parts | how)
    given = {
        "reason": reason,
        "depth": depth,
        "without": items(without),
        "only": None if only is None else items(only),
        "also": learner.also,
    }
    before = len(draft.log) if log.exists() else 0
    told = perform(draft, words, given)
    if out is not None:
        draft.model.save(out)
    if len(draft.log) > before:
        draft.save(log)
    emit(answer, *shown(draft, words, told))


def require_log(path: Path) -> None:
    """Refuse a model as a log: it would be overwritten by what it was made from."""
    from bosco.drafts.log import is_log

    if not is_log(path):
        raise ParameterError(
            f"{path} is no log of a draft, and would be overwritten. Hint: bosco replay {path} "
            f"TABLE tells whether a model follows from the log that it holds."
        )


def require_verb(words: list[str]) -> None:
    """Refuse what is no verb before anything is read."""
    if words and words[0] not in _WORDS:
        raise ParameterError(
            f"A draft has no verb {words[0]!r}; it has {', '.join(_WORDS)}."
            + did_you_mean(words[0], _WORDS)
        )


def perform(draft: "Draft", words: list[str], given: dict[str, Any]) -> Any:
    """Do what the words say; gives what there is to tell."""
    verb, *rest = words or ["show"]
    try:
        return _perform(draft, verb, rest, given)
    except (IndexError, ValueError) as error:
        from bosco.errors import BoscoError

        if isinstance(error, BoscoError):
            raise
        said = f"bosco draft … {verb} {_WORDS[verb]}".rstrip()
        raise ParameterError(f"{verb} is said: {said}. Got {' '.join(words)!r}.") from None


def _perform(draft: "Draft", verb: str, rest: list[str], given: dict[str, Any]) -> Any:
    from bosco.lessons.literals import literal, read_settings

    most = {"split": 2, "move": 99, "merge": 2, "answer": 2, "exclude": 2, "note": 2, "why": 2}
    most["consider"] = 2
    if len(rest) > most.get(verb, 0 if not _WORDS[verb] else 1):
        raise ValueError
    reason = {"reason": given["reason"]}
    if verb in ("show", "log"):
        return None
    if verb in ("undo", "redo"):
        return getattr(draft, verb)(**reason)
    if verb == "automatic":
        return say_figures(draft.judge_automatic())
    if verb == "curves":
        return draft.curves(*rest)
    if verb == "final":
        return draft.final()
    if verb == "compare":
        return draft.compare(int(rest[0]) if rest else None)
    if verb == "exclude":
        node = int(rest[1]) if len(rest) > 1 else 0
        if not rest:
            raise ValueError
        return draft.exclude(items(rest[:1]), node, **reason)
    if verb == "grow":
        return draft.grow(int(rest[0]) if rest else 0, given["depth"], **reason)
    if verb == "optimal":
        depth = 2 if given["depth"] is None else given["depth"]
        return draft.optimal(int(rest[0]), depth, **reason)
    if verb == "goto":
        return draft.goto(int(rest[0]), **reason)
    node = int(rest[0])
    if verb == "consider":
        tests = [int(test) if test.isdigit() else test for test in rest[1:]]
        return draft.consider(node, *tests)
    if verb == "why":
        return draft.why(node, *rest[1:])
    if verb == "regrow":
        settings = read_settings(given["also"] or (), "--set")
        how = {"without": given["without"], "only": given["only"], "settings": settings}
        return draft.regrow(node, **how, **reason)
    if verb == "split":
        test = rest[1]
        return draft.split(node, int(test) if test.isdigit() else test, **reason)
    if verb == "move":
        return draft.move(node, *(rest[1:] or [rest[1]]), **reason)
    if verb == "merge":
        return draft.merge(node, int(rest[1]), **reason)
    if verb == "answer":
        labels = [] if draft.model.classes is None else map(str, draft.model.classes.tolist())
        if rest[1] == "none" and "none" not in labels:
            return draft.answer(node, None, **reason)
        said = rest[1] if draft.model.classes is not None else literal(rest[1])
        return draft.answer(node, said, **reason)
    if verb == "note":
        return draft.note(node, rest[1], **reason)
    return getattr(draft, verb)(node, **reason)


def say_figures(found: "Figures") -> str:
    """The errors on training and validation rows, a line each."""
    return "\n".join(str(figure) for figure in (found.training, found.validation) if figure)


def shown(draft: "Draft", words: list[str], told: Any) -> tuple[str, dict[str, Any]]:
    """What is printed, and the same as plain values."""
    verb = words[0] if words else "show"
    model = draft.model
    tree = model.to_text(max_nodes=_NODES, ascii=not can_draw())
    paragraphs = [] if told is None else [str(told)]
    if verb == "log":
        from bosco.drafts.log import say_entry

        paragraphs.append("\n".join(map(say_entry, draft.log)))
    elif verb not in ("why", "compare", "automatic", "consider", "curves", "final"):
        paragraphs.append(tree)
    if verb not in ("why", "log"):
        paragraphs.append(say_parts(draft))
    data = {
        "verb": verb,
        "told": told.to_dict() if hasattr(told, "to_dict") else str(told or ""),
        "looks": {"validation": draft.looks.validation, "test": draft.looks.test},
        "text": model.to_text(max_nodes=None),
        "state": draft.state.digest(),
        "log": list(draft.log) if verb == "log" else len(draft.log),
    }
    return "\n\n".join(paragraphs), data


def say_parts(draft: "Draft") -> str:
    """The parts, and how often one looked."""
    return str(draft).splitlines()[-1]
