"""What scikit-learn's tests take for granted, and which of them are about our classes."""

import pytest

NOT_OURS = (
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "RandomTreesEmbedding",
    "AdaBoostRegressor",
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thread_unsafe: as scikit-learn's tests are marked")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are run on a class which is scikit-learn's still."""
    theirs = [item for item in items if any(name in item.nodeid for name in NOT_OURS)]
    config.hook.pytest_deselected(items=theirs)
    items[:] = [item for item in items if item not in theirs]


@pytest.fixture
def global_random_seed() -> int:
    """The seed that scikit-learn's tests have unless told otherwise."""
    return 42
