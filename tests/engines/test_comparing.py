"""Models compared where their answers lie: the same as from arrays, from files and frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

RNG = np.random.default_rng(0)
ACTUAL = RNG.integers(0, 3, 200)
ANSWERS = {name: np.where(RNG.random(200) < share, ACTUAL, RNG.integers(0, 3, 200)) for name, share in
           (("old", 0.7), ("new", 0.85), ("newer", 0.9))}  # fmt: skip


def wanted(*names: str, text: bool = False) -> list[str]:
    def spelt(values: Any) -> Any:
        return [str(value) for value in values] if text else values

    answers = {name: spelt(ANSWERS[name]) for name in names}
    return cm.compare_predictions(spelt(ACTUAL), answers).sentences()


def csv(folder: Path) -> Path:
    path = folder / "answers.csv"
    rows = zip(ACTUAL, *ANSWERS.values(), strict=True)
    path.write_text("y,old,new,newer\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def test_files_say_what_arrays_say(tmp_path: Path) -> None:
    found = cm.compare_files(csv(tmp_path), actual="y", predictions=["old", "new"])
    assert found.sentences() == wanted("old", "new", text=True)


def test_columns_have_names_of_their_own(tmp_path: Path) -> None:
    found = cm.compare_files(csv(tmp_path), actual="y", predictions={"before": "old", "after": "new"})
    assert found.models == ("before", "after")


def test_one_column_is_no_comparison(tmp_path: Path) -> None:
    with pytest.raises(cm.InputError, match="at least two columns"):
        cm.compare_files(csv(tmp_path), actual="y", predictions=["old"])


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_say_what_arrays_say(kind: str) -> None:
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    frame = library.DataFrame({"y": ACTUAL, **ANSWERS})
    found = cm.compare_frame(frame, actual="y", predictions=["old", "new", "newer"])
    assert found.sentences() == wanted("old", "new", "newer")
    assert found.overall["accuracy"].p_value < 0.05


@pytest.mark.peers
def test_a_file_with_typed_labels(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    path = tmp_path / "answers.parquet"
    pandas.DataFrame({"y": ACTUAL, **ANSWERS}).to_parquet(path)
    found = cm.compare_files(path, actual="y", predictions=["old", "new"])
    assert found.sentences() == wanted("old", "new")
