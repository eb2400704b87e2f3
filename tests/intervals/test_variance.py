"""The variance under each design, against what its definition says of a dense table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import confmat as cm
from confmat.intervals.gradient import slope, slopes_of_classes
from confmat.intervals.variance import (
    Design,
    Smoothing,
    check_design,
    item_weight,
    variance,
    variances_of_classes,
)

Array = NDArray[np.float64]
DESIGNS: tuple[Design, ...] = ("multinomial", "actual", "predicted")
SCORES: list[tuple[cm.Metric, dict[str, Any]]] = [
    (cm.f1, {"average": "macro"}),
    (cm.mcc, {}),
    (cm.kappa, {}),
    (cm.mutual_information, {}),
    (cm.true_positives, {"of": 1}),
    (cm.recall, {"of": 1}),
    (cm.specificity, {"of": 1}),
    (cm.precision, {"of": 0}),
    (cm.f1, {"of": 0}),
]


def by_definition(g: Array, counts: Array, squares: Array, design: Design) -> float:
    if design == "multinomial":
        return float((squares * (g - (counts * g).sum() / counts.sum()) ** 2).sum())
    rows = zip(*(part.T if design == "predicted" else part for part in (g, counts)), strict=True)
    return float(
        sum((c * (h - (c * h).sum() / c.sum()) ** 2).sum() for h, c in rows if c.sum() > 0)
    )


@st.composite
def matrices(draw: st.DrawFn) -> cm.ConfusionMatrix:
    k = draw(st.integers(2, 4))
    outside = draw(st.booleans())
    size = k + outside
    table = np.array(
        draw(st.lists(st.integers(0, 9), min_size=size * size, max_size=size * size))
    ).reshape(size, size)
    if outside:
        table[-1, -1] = 0
    labels = cm.Labels(range(k), outside=("background",) if outside else ())
    if not draw(st.booleans()) or outside:
        return cm.ConfusionMatrix(table, labels=labels)
    places = np.argwhere(table > 0)
    weights = draw(st.lists(st.floats(0.1, 3), min_size=len(places), max_size=len(places)))
    return cm.count(places[:, 0], places[:, 1], labels=labels, weights=weights)


@given(matrices(), st.sampled_from(SCORES), st.sampled_from(DESIGNS), st.booleans())
def test_it_is_what_the_definition_says(
    m: cm.ConfusionMatrix, score: tuple[cm.Metric, dict[str, Any]], design: Design, smoothed: bool
) -> None:
    metric, how = score
    if m.total == 0 or (m.is_weighted and design != "multinomial"):
        return
    spread = Smoothing.of(m) if smoothed else None
    found = slope(metric, m, spread=spread, **how)
    if found.value != found.value:
        return
    counts = m.counts.astype(float)
    squares = counts if m.squares is None else m.squares
    if spread is not None:
        room = len(counts) - m.n_classes
        marked = np.outer(np.pad(spread.rows, (0, room)), np.pad(spread.columns, (0, room)))
        counts = (counts + spread.each * marked) * spread.scale
        squares = (squares + spread.each * item_weight(m) * marked) * spread.scale
    g = found.at(*np.indices(counts.shape).reshape(2, -1)).reshape(counts.shape)
    wanted = by_definition(np.where(counts > 0, g, 0.0), counts, squares, design)
    size = float((squares * np.where(counts > 0, g, 0.0) ** 2).sum())
    assert variance(found, m, design) == pytest.approx(wanted, rel=1e-9, abs=1e-12 * size + 1e-300)
    if "of" in how:
        each = variances_of_classes(slopes_of_classes(metric, m, spread=spread), m, design)
        assert each[how["of"]] == pytest.approx(wanted, rel=1e-9, abs=1e-12 * size + 1e-300)


@pytest.mark.parametrize(
    "of", [("design", {}), ("weights", {"weights": [1.5, 0.5, 1.0, 2.0]})], ids=lambda case: case[0]
)
def test_designs_that_do_not_go(of: tuple[str, dict[str, Any]]) -> None:
    m = cm.count([0, 0, 1, 1], [0, 1, 1, 1], **of[1])
    with pytest.raises(
        cm.InputError, match="holds weights" if of[1] else "how the items were drawn"
    ):
        check_design("actual" if of[1] else "random", m)
