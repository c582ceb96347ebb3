"""Settings as Params of pyspark.ml: made from their declarations, checked when they are set."""

import ast
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.ml.param import Param, Params

from bosco.errors import ParameterError, did_you_mean
from bosco.settings.allowed import Setting


def camel(name: str) -> str:
    """A name as Spark writes it.

    Examples
    --------
    >>> camel("min_samples_leaf")
    'minSamplesLeaf'
    """
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def give_params(cls: type, settings: Mapping[str, Setting]) -> None:
    """Give a class a Param for each setting, with the methods to set and to get it."""
    for name, setting in settings.items():
        give_param(cls, camel(name), setting.says, _checked(camel(name), setting))


def give_param(cls: Any, name: str, says: str, check: Callable[[Any], Any]) -> None:
    """Give a class a Param, with the methods to set and to get it."""

    def set_(self: Any, value: Any) -> Any:
        return self._set(**{name: value})

    def get(self: Any) -> Any:
        return self.getOrDefault(name)

    setattr(cls, name, Param(Params._dummy(), name, says, check))
    for verb, method, told in (("set", set_, "Set"), ("get", get, "Get")):
        method.__name__ = f"{verb}{name[0].upper()}{name[1:]}"
        method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"
        method.__doc__ = f"{told} `{name}`: {says}"
        if not hasattr(cls, method.__name__):
            setattr(cls, method.__name__, method)


def defaults_of(local: type) -> dict[str, Any]:
    """The settings of a local estimator with their defaults, by the names that Spark has."""
    parameters = inspect.signature(local.__init__).parameters  # type: ignore[misc]
    return {camel(name): p.default for name, p in parameters.items() if name != "self"}


def _checked(name: str, setting: Setting) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
            value = value.item()  # a number of numpy
        if not setting.holds(value):
            hint = did_you_mean(value, setting.words) if isinstance(value, str) else ""
            raise ParameterError(f"{name} must be {setting.allows}. Got {value!r}.{hint}")
        return value

    return check


def require_known(cls: type, given: Mapping[str, Any]) -> None:
    """Refuse what is no Param, with a hint."""
    known = [name for name in dir(cls) if isinstance(getattr(cls, name), Param)]
    for name in given:
        if name not in known:
            hint = did_you_mean(camel(name), known)
            raise TypeError(f"{cls.__name__} has no parameter {name!r}.{hint}")


# In files ---------------------------------------------------------------------------------------


def written(name: str, value: Any) -> Any:
    """A value as JSON keeps it: itself, or the text of a Python literal."""
    try:
        if json.loads(json.dumps(value)) == value:
            return value
        if ast.literal_eval(repr(value)) == value:
            return {"literal": repr(value)}
    except (TypeError, ValueError, SyntaxError):
        pass
    raise ParameterError(
        f"{name}={value!r} cannot be written to a file. Hint: numbers, text, lists and dicts can."
    )


def read_back(value: Any) -> Any:
    """What `written` wrote; nothing in it is executed."""
    if isinstance(value, dict) and set(value) == {"literal"}:
        return ast.literal_eval(str(value["literal"]))
    return value
