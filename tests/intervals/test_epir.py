"""Intervals of a diagnostic test against those that epi.tests of R's epiR 2.0.57 prints, and why two of them differ."""

from __future__ import annotations

from typing import Any

import pytest

import confmat as cm

# Hits, false alarms, misses and rejections; by epiR's name of the score, Wilson's and exact bounds.
TABLES = {
    (140, 20, 10, 202): {
        "recall": ((0.8816376448839, 0.9633881433304), (0.8808160229331, 0.9675702718413)),
        "specificity": ((0.8649513287881, 0.9409237348533), (0.8642933764633, 0.9441001572547)),
        "precision": ((0.8148098894658, 0.9176054641556), (0.8135668103704, 0.9219471886088)),
        "npv": ((0.915362367293, 0.9741794336614), (0.9149658224653, 0.9771515833645)),
        "accuracy": ((0.8872088264805, 0.9429284366596), (0.8868748863883, 0.9449291922459)),
        "lr+": ((6.805398442417, 15.771244095134),) * 2,
        "lr-": ((0.04020160643561, 0.1335295189049),) * 2,
        "dor": ((64.231593945443, 311.279212796469),) * 2,
        "youden": ((0.7465889736721, 0.9043118781837), (0.7451093993963, 0.911670429096)),
    },
}


@pytest.mark.parametrize("cells", TABLES, ids=str)
@pytest.mark.parametrize("method", ["score", "exact"])
def test_bounds_are_those_of_epir(cells: tuple[int, int, int, int], method: Any) -> None:
    tp, fp, fn, tn = cells
    m = cm.ConfusionMatrix(
        [[tp, fn], [fp, tn]], labels=cm.Labels(["sick", "well"], positive="sick")
    )
    for score, both in TABLES[cells].items():
        theirs = both[method == "exact"]
        if score == "youden":
            # epiR adds the bounds of both shares, which is wider than both together are.
            parts: list[Any] = [
                cm.interval(m, one, method=method) for one in ("recall", "specificity")
            ]
            assert theirs == pytest.approx(
                [sum(side) - 1 for side in zip(*map(tuple, parts), strict=True)]
            )
            both_together: Any = cm.interval(m, score, method=method)
            assert theirs[0] < both_together.low < both_together.high < theirs[1]
            continue
        # Its bounds of ratios are normal on the logarithm, as Wald's of a score without an upper
        # end are here.
        found: Any = cm.interval(m, score, method=method if both[0] != both[1] else "wald")
        assert tuple(found) == pytest.approx(theirs, rel=1e-11)
