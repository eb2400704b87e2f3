"""Calibration where the scores are: engines and files have the sums of arrays, at the very floats of the edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.errors import InputError, LabelError

pd = pytest.importorskip("pandas")
EDGES = np.linspace(0, 1, 16)
NEAR = np.concatenate([EDGES, np.nextafter(EDGES, 0)[1:], np.nextafter(EDGES, 1)[:-1]])
RNG = np.random.default_rng(3)
SCORES = np.concatenate([RNG.random(500), np.repeat(NEAR, 3), RNG.integers(0, 101, 400) / 100])
TRUTH = (RNG.random(len(SCORES)) < SCORES).astype(int)
FRAME = pd.DataFrame({"y": TRUTH, "p": SCORES})


def engine(name: str, frame: Any = FRAME) -> Any:
    """The frame as an engine has it."""
    if name == "pandas":
        return frame
    if name == "duckdb":
        return pytest.importorskip("duckdb").from_df(frame)
    if name == "arrow":
        return pytest.importorskip("pyarrow").Table.from_pandas(frame)
    polars = pytest.importorskip("polars").from_pandas(frame)
    return polars.lazy() if name == "lazy" else polars


ENGINES = ("pandas", "polars", "lazy", "arrow", "duckdb")


def assert_same(one: cm.Calibration, two: cm.Calibration) -> None:
    assert one.bins == two.bins
    # Counts, of items and of infinite losses, are exact; other sums differ in the order of adding.
    assert (one.sums[:, [0, 7]] == two.sums[:, [0, 7]]).all()
    np.testing.assert_allclose(one.sums, two.sums, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("bins", [1, 10, 15, 49, 1000, [0, 0.1, 1 / 3, 0.5, 1]], ids=str)
@pytest.mark.parametrize("name", ENGINES)
def test_engines_have_the_sums_of_arrays(name: str, bins: Any, closed: Any) -> None:
    expected = cm.calibration(TRUTH, SCORES, bins=bins, closed=closed)
    found = cm.calibration_frame(engine(name), "p", actual="y", bins=bins, closed=closed)
    assert_same(found, expected)
    assert found.labels == expected.labels


@pytest.mark.parametrize("name", ENGINES)
def test_labels_of_frames_are_named_counted_or_refused(name: str) -> None:
    words = FRAME.assign(y=np.where(TRUTH == 1, "yes", "no"))
    found = cm.calibration_frame(engine(name, words), "p", actual="y", positive="yes")
    assert_same(found, cm.calibration(TRUTH, SCORES))
    assert found.labels.positive == "yes"
    with pytest.raises(LabelError, match="positive"):
        cm.calibration_frame(engine(name, words), "p", actual="y")
    several = FRAME.assign(y=np.array(list("abc"))[np.arange(len(FRAME)) % 3])
    one = cm.calibration_frame(engine(name, several), "p", actual="y", of="b")
    assert_same(one, cm.calibration(several["y"], SCORES, of="b"))
    with pytest.raises(LabelError):
        cm.calibration_frame(engine(name, several), "p", actual="y")


@pytest.mark.parametrize("name", ENGINES)
def test_rows_of_frames_that_miss_something_are_refused_or_left_out(name: str) -> None:
    holes = FRAME.assign(p=FRAME["p"].where(FRAME["p"] < 0.9))
    with pytest.raises(InputError, match="drop"):
        cm.calibration_frame(engine(name, holes), "p", actual="y")
    found = cm.calibration_frame(engine(name, holes), "p", actual="y", missing="drop")
    assert_same(found, cm.calibration(TRUTH[SCORES < 0.9], SCORES[SCORES < 0.9], labels=[0, 1]))
    with pytest.raises(InputError, match="no probabilities"):
        cm.calibration_frame(engine(name, FRAME.assign(p=2 * FRAME["p"])), "p", actual="y")
    with pytest.raises(InputError, match="no column"):
        cm.calibration_frame(engine(name), "q", actual="y")


def test_an_engine_says_what_it_cannot_do() -> None:
    table = engine("duckdb", FRAME.assign(q=1 - SCORES))
    with pytest.raises(InputError, match="one column"):
        cm.calibration_frame(table, ["q", "p"], actual="y", of="top")
    with pytest.raises(InputError, match="equal mass"):
        cm.calibration_frame(table, "p", actual="y", equal="mass")
    with pytest.raises(InputError, match="more than 200"):
        cm.calibration_frame(table, "p", actual="y", bins=np.linspace(0, 1, 1001) ** 2)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_have_the_sums_of_arrays(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("duckdb")
    paths = []
    for part in range(3):
        rows = FRAME.iloc[part::3]
        paths.append(tmp_path / f"{part}.{kind}")
        rows.to_csv(paths[-1], index=False) if kind == "csv" else rows.to_parquet(paths[-1])
    expected = cm.calibration(TRUTH, SCORES, bins=[0, 0.2, 0.7, 1])
    for given in (paths, str(tmp_path / f"*.{kind}")):
        assert_same(cm.calibration_files(given, "p", actual="y", bins=[0, 0.2, 0.7, 1]), expected)


def test_files_of_several_classes_have_a_column_for_each(tmp_path: Path) -> None:
    scores = RNG.dirichlet([1, 1, 1], 200)
    truth = np.array(list("abc"))[RNG.integers(0, 3, 200)]
    frame = pd.DataFrame(scores, columns=["p_c", "p_a", "p_b"]).assign(y=truth)
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = scores[:, [1, 2, 0]]
    for of in ("top", "b"):
        expected = cm.calibration(truth, table, of=of, labels=list("abc"))
        assert_same(cm.calibration_files(tmp_path / "t.csv", "p_*", actual="y", of=of), expected)
        named = cm.calibration_frame(
            frame, ["p_c", "p_a", "p_b"], actual="y", of=of, labels=list("abc")
        )
        assert named.ece == pytest.approx(expected.ece)
    each = cm.calibration_files(tmp_path / "t.csv", "p_*", actual="y", of="each")
    for name, part in cm.calibration(truth, table, of="each", labels=list("abc")).items():
        assert_same(each[name], part)


def test_what_files_lack_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\nNA,0.7\n0,1.5\n")
    with pytest.raises(InputError, match=r"a\.csv.*no probabilities"):
        cm.calibration_files(tmp_path / "a.csv", "p", actual="y")
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\nNA,0.7\n0,0.2\n")
    found = cm.calibration_files(
        tmp_path / "a.csv", "p", actual="y", na_values="NA", missing="drop"
    )
    assert found.total == 2


@pytest.mark.peers
def test_databases_have_the_sums_of_arrays(frame_constructor: Any) -> None:
    # PostgreSQL refuses powers of the least float.
    kept = (SCORES == 0) | (SCORES > 1e-50)
    table = pytest.importorskip("pyarrow").Table.from_pandas(FRAME[kept], preserve_index=False)
    found = cm.calibration_frame(frame_constructor(table), "p", actual="y")
    assert_same(found, cm.calibration(TRUTH[kept], SCORES[kept]))
