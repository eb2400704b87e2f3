"""Every mutant is caught by a law."""

from __future__ import annotations

import pytest

from tests.mutants.mutants import MUTANTS, Mutant, judge


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_caught(mutant: Mutant) -> None:
    assert judge(mutant), f"{mutant.name} survived: the laws do not ask for it"


def test_there_are_enough() -> None:
    assert len(MUTANTS) >= 30
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
