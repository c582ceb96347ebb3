"""What bosco raises, and the hints it gives."""

import pytest

from bosco import errors
from bosco.errors import (
    BoscoError,
    DataError,
    DataWarning,
    IdentifierWarning,
    KindError,
    ModelError,
    ModelKindError,
    ParameterError,
    did_you_mean,
)


@pytest.mark.parametrize("error", [DataError, KindError, ParameterError, ModelError])
def test_every_error_is_boscos_and_a_value_error(error: type[Exception]) -> None:
    assert issubclass(error, BoscoError)
    assert issubclass(error, ValueError)


def test_kind_error_is_caught_as_a_type_error() -> None:
    with pytest.raises(TypeError):
        raise KindError("sparse")


def test_a_model_that_cannot_do_it_has_no_such_attribute() -> None:
    assert issubclass(ModelKindError, ModelError)
    assert issubclass(ModelKindError, AttributeError)


def test_warnings_are_user_warnings() -> None:
    assert issubclass(IdentifierWarning, DataWarning)
    assert issubclass(DataWarning, UserWarning)


def test_the_drawn_tree_names_every_class() -> None:
    classes = [name for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in classes)


@pytest.mark.parametrize(
    ("word", "choices", "hint"),
    [
        ("Humidty", ["Outlook", "Humidity"], " Did you mean 'Humidity'?"),
        ("OUTLOOK", ["Outlook", "Humidity"], " Did you mean 'Outlook'?"),
        ("wind", ["Outlook"], ""),
        ("x", [], ""),
        (12, [10, 12], " Did you mean 12?"),
    ],
)
def test_did_you_mean(word: object, choices: list[object], hint: str) -> None:
    assert did_you_mean(word, choices) == hint
