"""Any saved model, by its file."""

from typing import Any

from bosco.models.forest import ForestModel
from bosco.models.model import Model
from bosco.models.scoretable import ScoreTable, table_of
from bosco.models.several import SeveralModel
from bosco.store.files import load_parts
from bosco.store.forests import ForestParts
from bosco.store.scoretables import TableParts
from bosco.store.several import SeveralParts


def load(
    path: Any, *, max_bytes: int | None = None
) -> Model | ForestModel | ScoreTable | SeveralModel:
    """Read a model that its ``save`` wrote. The file may come from a stranger.

    Nothing in the file is executed, and everything in it is checked: what comes back is a model
    that can be printed, asked and applied.

    Parameters
    ----------
    path : str, path, or binary file object
        The file, of either form.
    max_bytes : int, optional
        Larger files are refused. By default 256 MiB for JSON and 4 GiB for the compact form.

    Returns
    -------
    Model, ForestModel, ScoreTable or SeveralModel
        As it was saved.

    Raises
    ------
    ModelError
        The file is not a sound model; the message says where.

    Examples
    --------
    >>> import io
    >>> load(io.BytesIO(b"{}"))
    Traceback (most recent call last):
    bosco.errors.ModelError: This is not a sound model: the file: it lacks 'format', 'version', ...
    """
    parts = load_parts(path, max_bytes)
    if isinstance(parts, ForestParts):
        return ForestModel(*parts)
    if isinstance(parts, SeveralParts):
        return SeveralModel(*parts)
    return table_of(parts) if isinstance(parts, TableParts) else Model(*parts)
