"""A slice of the attacks of `make fuzz`, the same in every run."""

import random

import pytest

import bosco
from tests.fuzz.__main__ import KEPT, quick
from tests.fuzz.border import attack_border
from tests.fuzz.fits import attack_fit
from tests.fuzz.methods import attack_methods, call_all, methods_of
from tests.fuzz.mutate import mutant
from tests.fuzz.use import attack

FILES = [path for folder in KEPT for path in sorted(folder.glob("*"))]
SEEDS = [path.read_bytes() for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_kept_files_do_no_harm(path: object) -> None:
    attack(SEEDS[FILES.index(path)])  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_changed_files_are_models_or_refused(seed: int) -> None:
    draw, accepted = random.Random(seed), 0
    for _ in range(100):
        data = mutant(draw.choice(SEEDS), draw.choice(SEEDS), draw)
        with quick():
            accepted += attack(data) > 0
    assert 0 < accepted < 100  # neither is all refused nor all let through


@pytest.mark.parametrize(
    "expression",
    [
        "((((((",
        "weight.__class__",
        "__import__('os')",
        "weight ** 999999999",
        "1e400",
        "bmi",
        "x" * 5000,
        "-" * 1500 + "weight",
        "weight+" * 280 + "weight",
    ],
    ids=lambda text: text[:20],
)
def test_hostile_expressions_are_refused_at_once(expression: str) -> None:
    path = next(path for path in FILES if path.name == "derived.json")
    data = path.read_bytes()
    assert attack(data) == 2
    with quick():
        assert attack(data.replace(b"weight / height ** 2", expression.encode())) == 0


def test_odd_tables_are_read_or_refused() -> None:
    read = sum(attack_border(random.Random(seed)) for seed in range(400))
    assert 0 < read < 400


@pytest.mark.parametrize("part", range(4))
def test_absurd_models_answer_or_refuse(part: int) -> None:
    """Every method of models that keep all rules and that no data ever gave."""
    answered = sum(attack_methods(random.Random(seed)) for seed in range(15 * part, 15 * part + 15))
    assert answered > 10


@pytest.mark.parametrize("seed", [1055, 2016])
def test_absurd_models_that_were_trouble(seed: int) -> None:
    """A time that no clock shows; the importance of a test that no row reached."""
    assert attack_methods(random.Random(seed))


def test_every_method_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """New ones too: what cannot be drawn is an error, not left out."""
    model = bosco.load(FILES[0].parent / "cart.json")
    names = {name for name, _ in methods_of(model)}
    assert {"predict", "to_sql", "why", "report", "svg", "n_leaves", "__str__"} <= names

    def newest(self: bosco.Model, nobody_knows: int) -> tuple[bosco.Model, int]:
        return self, nobody_knows

    monkeypatch.setattr(bosco.Model, "newest", newest, raising=False)
    with pytest.raises(NotImplementedError, match="nobody_knows"):
        call_all(model, random.Random(0))


def test_fits_of_any_kind_answer_or_are_refused() -> None:
    fitted = sum(attack_fit(random.Random(seed)) for seed in range(120))
    assert 60 < fitted < 120
