"""What is put on the desk: a table to be opened, a draft to go on with, a model to begin from."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from bosco.base.visible import visible
from bosco.drafts.log import is_log, load_log
from bosco.errors import ModelError, ParameterError
from bosco.lessons.drafting import replayed
from bosco.lessons.told import Told
from bosco.models.loading import load
from bosco.models.model import Model
from bosco.settings.settings import UNLIMITED
from bosco.workbench.desk import Desk
from bosco.workbench.opening import ABOUT, SETTINGS, Asked, Opening, is_opening, load_opening

ENDING = ".draft"
"""How the file of a draft ends, if nobody says otherwise."""


def begin(file: str, data: str | None, keep: Path | None, told: Told, asked: Asked) -> Desk:
    """The desk for a table, or (with the table as `data`) for a draft or a model.

    Parameters
    ----------
    file : str
        A table; or the file of a draft or of a model, if `data` is the table.
    data : str or None
        The table of a draft or of a model.
    keep : path or None
        Where the draft is kept; None: the draft itself, or beside where one is.
    told, asked
        What is said about the table, and asked for.
    """
    _require_there(file if data is None else data)
    if data is not None:
        return _going_on(Path(file), data, keep, told, asked)
    if Path(file).is_file() and is_log(file):
        raise ParameterError(f"{file} is a draft: say which table it is of, by --data FILE.")
    keep = keep or Path(Path(file).name).with_suffix(ENDING)
    title = visible(Path(file).name)
    if keep.exists():
        if is_log(keep):
            return _again(keep, file, keep, told, asked)
        if not is_opening(keep):
            raise ParameterError(f"{keep} is no draft, and would be overwritten. Hint: --log FILE.")
        opening = load_opening(keep, file)
        given = {"target": asked.target, "costs": asked.costs}
        opening.asked = opening.asked.changed({name: x for name, x in given.items() if x})
        return Desk(None, keep, title, opening, file)
    return Desk(None, keep, title, Opening(file, told, asked), file)


def _going_on(file: Path, data: str, keep: Path | None, told: Told, asked: Asked) -> Desk:
    """A draft from its log, or from the log that a model holds."""
    if is_log(file):
        return _again(file, data, keep or file, told, asked)
    keep = keep or Path(file.name).with_suffix(ENDING)
    if keep.exists() and is_log(keep):
        return _again(keep, data, keep, told, asked)
    if keep.exists():
        raise ParameterError(
            f"{keep} is there already. Hint: bosco open {keep} --data {data} goes on with it, "
            f"--log FILE keeps the draft elsewhere."
        )
    model = load(file)
    if not isinstance(model, Model):
        raise ParameterError(f"{file} is a model of many trees, and a draft is of one.")
    if model.edits.log:
        return _again(file, data, keep, told, asked)
    return _planted(model, file, data, keep, told, asked)


def _planted(model: Model, file: Path, data: str, keep: Path, told: Told, asked: Asked) -> Desk:
    """A draft that begins with the tests of a model, counted anew on the rows that are learned."""
    target = asked.target or model.provenance.get("target")
    if not isinstance(target, str):
        raise ParameterError(f"{file} does not say what it predicts: give --target NAME.")
    growth, algorithm = model.growth.to_dict(), model.provenance.get("algorithm")
    settings = {n: growth[n] for n in SETTINGS if n in growth and growth[n] != UNLIMITED}
    made = replace(
        asked,
        target=target,
        task="regression" if model.classes is None else "classification",
        algorithm=algorithm if algorithm in ABOUT else "cart",
        settings=settings,
        costs=asked.costs or _costs(model),
    )
    opening = Opening(data, told, made)
    draft = opening.draft()
    draft.plant(0, model, reason=f"{file.name}; rows that it was grown on may judge it here")
    draft.save(keep)
    return Desk(draft, keep, visible(Path(data).name), table=data)


def _costs(model: Model) -> dict[str, Any]:
    """What mistakes cost by a model, by the texts of its classes."""
    table = model.decision.costs
    if table is None or model.classes is None:
        return {}
    labels = list(map(str, model.classes.tolist()))
    return {
        true: {answer: row[k] for k, answer in enumerate(labels) if answer != true}
        for true, row in zip(labels, table, strict=True)
    }


def _again(log: Path, table: str, keep: Path, told: Told, asked: Asked) -> Desk:
    entries = load_log(log)
    done: Any = replayed(entries, table, asked.target, told)
    if not done.same:
        raise ModelError(f"{log} cannot be gone on with: done again, it {done}.")
    draft = done.draft
    draft.who = asked.who or entries[-1].get("who")
    return Desk(draft, keep, visible(Path(table).name), table=table)


def _require_there(table: str) -> None:
    """Refuse a table that is not there before anything is served."""
    from bosco.tables.places import is_many
    from bosco.tables.sources import open_source

    if table != "-" and not is_many(table):
        with open_source(table):
            pass
