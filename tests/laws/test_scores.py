"""The law of doors for scores: whatever comes, each has an answer, the same from every container, or a refusal."""

from __future__ import annotations

import contextlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(8)
SCORES = RNG.random(120).round(3)
TRUTH = (RNG.random(120) < SCORES).astype(int)
Door = Callable[..., Any]


def framed(kind: str) -> Door:
    """`calibration_frame` of the columns as an engine has them."""

    def ask(y: Any, s: Any, **options: Any) -> Any:
        frame = pd.DataFrame({"y": y, "p": s})
        if kind == "duckdb":
            frame = pytest.importorskip("duckdb").from_df(frame)
        elif kind != "pandas":
            frame = pytest.importorskip("polars").from_pandas(frame)
            frame = frame.lazy() if kind == "lazy" else frame
        return cm.calibration_frame(frame, "p", actual="y", bins=4, **options)

    return ask


def filed(kind: str, folder: Path) -> Door:
    """`calibration_files` of a file with the columns."""

    def ask(y: Any, s: Any, **options: Any) -> Any:
        pytest.importorskip("duckdb")
        frame, path = pd.DataFrame({"y": y, "p": s}), folder / f"t.{kind}"
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        return cm.calibration_files(path, "p", actual="y", bins=4, **options)

    return ask


def doors(folder: Path) -> dict[str, Door]:
    return {
        "calibration": lambda y, s, **o: cm.calibration(y, s, bins=4, **o),
        **{f"calibration_frame {kind}": framed(kind) for kind in ("pandas", "polars", "lazy", "duckdb")},
        **{f"calibration_files {kind}": filed(kind, folder) for kind in ("csv", "parquet")},
        "decision_curve": lambda y, s, **o: cm.decision_curve(y, s, thresholds=[0.2, 0.5], **o),
        "compare_scores": lambda y, s, **o: cm.compare_scores(y, {"a": s, "b": np.sqrt(s)}, **o),
        "interval": lambda y, s, **o: cm.interval(cm.thresholds(y, s, **o), "roc_auc"),
    }  # fmt: skip


NAMES = sorted(doors(Path()))
# Labels of two classes, and how the positive one is named where nobody could guess it.
KINDS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "ints": (lambda y: y, {}),
    "bools": (lambda y: y.astype(bool), {}),
    "texts": (lambda y: np.where(y == 1, "sick", "well"), {"positive": "sick"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_labels_of_every_kind_have_one_answer(name: str, kind: str, tmp_path: Path) -> None:
    change, options = KINDS[kind]
    if name == "calibration_files csv" and kind != "texts":
        # A text file has texts.
        options = {"positive": "True" if kind == "bools" else "1"}
    every = doors(tmp_path)
    # Frames and files have the bins of arrays.
    usual = every["calibration" if name.startswith("calibration") else name](TRUTH, SCORES)
    assert str(every[name](change(TRUTH), SCORES, **options)) == str(usual)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_refused_or_left_out(name: str, tmp_path: Path) -> None:
    door, holes = doors(tmp_path)[name], np.where(np.arange(120) % 7 == 3, np.nan, SCORES)
    with pytest.raises(cm.ConfmatError, match="drop"):
        door(TRUTH, holes)
    kept = ~np.isnan(holes)
    options: dict[str, Any] = {"positive": "1"} if name.endswith("csv") else {}
    left = door(TRUTH, holes, missing="drop", **options)
    assert str(left) == str(door(TRUTH[kept], SCORES[kept], **options))


ODD: dict[str, tuple[Any, Any]] = {
    "one class": (np.ones(20, int), SCORES[:20]),
    "ten items": (TRUTH[:10], SCORES[:10]),
    "all scores equal": (TRUTH, np.full(120, 0.5)),
    "no items": (TRUTH[:0], SCORES[:0]),
    "infinite": (TRUTH, np.where(np.arange(120) == 5, np.inf, SCORES)),
    "beyond 0 to 1": (TRUTH, 4 * SCORES - 2),
    "certain": (TRUTH, np.round(SCORES)),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", NAMES)
def test_odd_data_have_an_answer_or_one_sentence(name: str, odd: str, tmp_path: Path) -> None:
    y, s = ODD[odd]
    options: dict[str, Any] = {"labels": ["0", "1"] if name.endswith("csv") else [0, 1]}
    found: Any = None
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "invalid value encountered in sqrt")
        refused = odd in {"no items", "infinite", "beyond 0 to 1"}
        with contextlib.suppress(*([cm.ConfmatError] if refused else [])):
            found = doors(tmp_path)[name](y, s, **options)
    if found is None:
        return
    assert odd != "infinite"
    text = str(found)
    assert pickle.loads(pickle.dumps(found)) is not found
    assert str(pickle.loads(pickle.dumps(found))) == text
    cm.save(found, tmp_path / "found.json")
    assert (tmp_path / "found.json").stat().st_size > 2


@pytest.mark.parametrize("option", ["weights", "by", "clusters", "sparse", "other"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_door_does_not_carry_it_refuses_by_name(
    name: str, option: str, tmp_path: Path
) -> None:
    value: Any = {"other": "drop", "sparse": True}.get(option, np.arange(120) % 4)
    carried = {("compare_scores", "clusters"), ("interval", "weights")}
    if (name, option) in carried:
        assert str(doors(tmp_path)[name](TRUTH, SCORES, **{option: value + 1}))
        return
    with pytest.raises(cm.ConfmatError, match=option):
        doors(tmp_path)[name](TRUTH, SCORES, **{option: value})


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("calibration")])
def test_parts_of_every_container_add_up(name: str, tmp_path: Path) -> None:
    door, options = doors(tmp_path)[name], {"positive": "1"} if name.endswith("csv") else {}
    rest = cm.calibration(TRUTH[60:], SCORES[60:], bins=4)
    whole = cm.calibration(TRUTH, SCORES, bins=4)
    assert str(door(TRUTH[:60], SCORES[:60], **options) + rest) == str(whole)
