"""Parts of a report page that other results than matrices bring: costs of cells, kinds of wrong boxes, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.calibrating import Calibration
from confmat.costs.reports import CostReport
from confmat.detection.errors import KINDS, BoxErrors
from confmat.display.payload import MOST_CELLS, add_score, cells_within, numbers


def add_costs(costs: CostReport, data: dict[str, Any]) -> None:
    """Add the mean cost, before all other scores, and the cost of each cell."""
    if all(fact["key"] != "cost" for fact in data["overall"]):
        add_score(
            data,
            0,
            ("cost", "Mean cost", "Cost of an item."),
            [(costs.mean.value, costs.mean)],
            "lower",
        )
    rows, cols, counts, _ = cells_within(costs.matrix, MOST_CELLS)
    data["models"][0]["costs"] = numbers((counts * costs.prices[rows, cols]).astype(np.float64))


def add_boxes(boxes: BoxErrors, data: dict[str, Any]) -> None:
    """Add the kinds of errors, and average precision behind the precision, recall and F1 of all boxes."""
    data["kinds"] = [
        [*kind, column.tolist()] for kind, column in zip(KINDS.items(), boxes.counts.T, strict=True)
    ]
    if (found := boxes.precision) is not None:
        for key, value, where in (
            ("AP50", found.at(0.5), "of 0.5"),
            ("AP", found.mean, "from 0.5 to 0.95, in the mean"),
        ):
            tip = f"Average precision as COCO defines it, at overlaps {where}; the mean over the classes."
            add_score(data, 3, (key, key, tip), [(value, None)])


def calibration_curves(found: Calibration, keys: list[Any]) -> list[dict[str, Any]]:
    """The reliability diagram, and the histogram of the scores below it, with the place of each threshold."""
    if not found.total:
        return []
    held = np.flatnonzero(found.items)
    edges, many = found.bins.edges, found.items.tolist()
    low, high = found.shares().T.tolist()
    x, y = found.mean_score.tolist(), found.share.tolist()
    # A threshold is at the bin that begins there, or at the nearest one with items.
    at = [
        float(np.clip(key if isinstance(key, float) else float(key["float"]), 0, 1)) for key in keys
    ]
    bins = [
        int(held[np.abs(held - place).argmin()])
        for place in found.bins.places(np.array(at)).tolist()
    ]
    about = f"ECE {found.interval('ece')}; a calibrated model would show {found.noise:.3f}"
    shared: dict[str, Any] = {"guess": None, "step": False}
    return [
        {
            **shared, "title": "Reliability", "about": about, "names": ["score", "share that became true"],
            "x": [x[place] for place in held], "y": [y[place] for place in held],
            "box": [0, 1, 0, 1], "guess": [0.0, 1.0],
            "at": [[x[place], y[place], low[place], high[place]] for place in bins],
        },
        {
            **shared, "title": "Scores", "about": f"{found.total:,} items", "names": ["score", "items"],
            "x": edges.tolist(), "y": [0, *many], "box": [0, 1, 0, max(many)], "step": True,
            "at": [[x[place], many[place], None, None] for place in bins],
        },
    ]  # fmt: skip
