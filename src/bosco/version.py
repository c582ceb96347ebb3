"""The version, written once in ``pyproject.toml`` and read from what was installed."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("bosco")
