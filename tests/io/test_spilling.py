"""More pairs than fit into memory go through a temporary file, and are the same pairs."""

from __future__ import annotations

import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.io import count_files, gathering
from tests.io.conftest import stored

pytest.importorskip("duckdb")
LIMIT, FITTING, ROWS, CLASSES = "200MB", 100, 3000, 40


@pytest.fixture(autouse=True)
def few_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Memory for few of the pairs."""
    monkeypatch.setattr(gathering, "PAIR_BYTES", 200_000_000 // FITTING)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spilled"))
    (tmp_path / "spilled").mkdir()


def drawn(path: Path) -> tuple[list[str | None], list[str | None], list[str]]:
    rng = np.random.default_rng(29)
    actual, predicted = (
        [f"c{i}" if i else None for i in rng.integers(0, CLASSES, ROWS)] for _ in range(2)
    )
    groups = [f"g{i}" for i in rng.integers(0, 3, ROWS)]
    stored(path, {"y": actual, "yhat": predicted, "g": groups})
    return actual, predicted, groups


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("is_grouped", [False, True])
def test_pairs_on_disk_are_the_pairs(tmp_path: Path, suffix: str, is_grouped: bool) -> None:
    paths = [tmp_path / f"{i}{suffix}" for i in range(2)]
    parts = [drawn(path) for path in paths]
    actual, predicted, groups = ([*chain(*side)] for side in zip(*parts, strict=True))
    by: dict[str, Any] = {"by": "g"} if is_grouped else {}
    found = count_files(
        paths, actual="y", predicted="yhat", missing="collect", memory_limit=LIMIT, **by
    )
    given: dict[str, Any] = {"by": groups} if is_grouped else {}
    known: Any = cm.count(actual, predicted, missing="collect", **given)
    if is_grouped:
        assert dict(found) == {key: known[key].reorder(found[key].labels) for key in known}
    else:
        assert found == known.reorder(found.labels)
    assert not list((tmp_path / "spilled").iterdir())


def test_limits_hold_for_pairs_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.csv"
    actual, predicted, _ = drawn(path)
    many = len({*zip(actual, predicted, strict=True)})
    options: dict[str, Any] = {
        "actual": "y",
        "predicted": "yhat",
        "missing": "drop",
        "memory_limit": LIMIT,
    }
    assert many > FITTING
    assert count_files(path, max_pairs=many, **options).total <= ROWS
    with pytest.raises(
        cm.BudgetError, match=f"more than `max_pairs` = {many - 1:,} different pairs"
    ):
        count_files(path, max_pairs=many - 1, **options)
    monkeypatch.setattr(gathering, "SPILLED_BYTES", 200_000_000 // (many - 1))
    with pytest.raises(cm.BudgetError, match="raise `memory_limit` = '200MB', which they fill"):
        count_files(path, **options)
    monkeypatch.setattr(gathering, "NAME_BYTES", 200_000_000 // (CLASSES - 1))
    with pytest.raises(cm.BudgetError, match="`memory_limit` = '200MB'"):
        count_files(path, **options)
    assert not list((tmp_path / "spilled").iterdir())


def test_without_duckdb_more_pairs_than_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "find_spec", lambda _: None)
    drawn(tmp_path / "p.csv")
    with pytest.raises(cm.BudgetError, match=f"more than {FITTING} different pairs"):
        count_files(
            tmp_path / "p.csv", actual="y", predicted="yhat", missing="drop", memory_limit=LIMIT
        )
