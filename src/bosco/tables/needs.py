"""Optional libraries, imported when they are needed, with the command that installs them."""

from importlib import import_module
from typing import Any

from bosco.errors import ParameterError

_DEFAULT = {"pyarrow"}  # comes with bosco; all others with the extra 'tables'


def need(module: str, what: str) -> Any:
    """Import an optional library, or say what it is needed for and how to get it.

    Examples
    --------
    >>> need("pyarrow.csv", "CSV files").__name__
    'pyarrow.csv'
    >>> need("no_such_library", "such files")
    Traceback (most recent call last):
    bosco.errors.ParameterError: Reading such files needs no-such-library, which is not ...
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        wanted = library if library in _DEFAULT else "'bosco[tables]'"
        raise ParameterError(
            f"Reading {what} needs {library.replace('_', '-')}, which is not installed. "
            f"Hint: pip install {wanted}."
        ) from None
