"""Intervals of other packages, where they offer one for a score; None where they do not."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import confidenceinterval
import numpy as np
import pycm
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

import confmat as cm

__all__ = ["PEERS"]

Ends = tuple[float, float]
# The shares of a table: what is counted, among what.
SHARES: dict[str, Callable[[Any], tuple[int, int]]] = {
    "accuracy": lambda t: (np.trace(t), t.sum()),
    "recall[1]": lambda t: (t[1, 1], t[1].sum()),
    "specificity[1]": lambda t: (t[0, 0], t[0].sum()),
    "precision[1]": lambda t: (t[1, 1], t[:, 1].sum()),
    "negative_predictive_value[1]": lambda t: (t[0, 0], t[:, 0].sum()),
}
IN_PYCM = {
    "accuracy": "Overall ACC", "kappa": "Kappa", "recall[1]": "TPR", "specificity[1]": "TNR", "precision[1]": "PPV",
    "negative_predictive_value[1]": "NPV", "positive_likelihood_ratio[1]": "PLR", "negative_likelihood_ratio[1]": "NLR",
    "balanced_accuracy": "AUC",
}  # fmt: skip
# Its recall and precision of a class are the proportions of statsmodels.
IN_CONFIDENCEINTERVAL: dict[str, Callable[..., Any]] = {
    "accuracy": confidenceinterval.accuracy_score,
    "f1[1]": lambda *of: confidenceinterval.f1_score(*of, average="binary"),
    "f1.macro": lambda *of: confidenceinterval.f1_score(*of, average="macro"),
    "precision.macro": lambda *of: confidenceinterval.precision_score(*of, average="macro"),
    "balanced_accuracy": lambda *of: confidenceinterval.recall_score(*of, average="macro"),
}


def by_statsmodels(score: str, m: cm.ConfusionMatrix) -> Ends | None:
    """Wilson's of proportions, the delta method of kappa, Woolf's of odds."""
    table = m.counts
    if score in SHARES and (score == "accuracy" or len(table) == 2):
        hits, of = map(int, SHARES[score](table))
        return proportion_confint(hits, of, method="wilson") if of else (np.nan, np.nan)
    if score == "kappa":
        found = cohens_kappa(table)
        return found.kappa_low, found.kappa_upp
    if score == "diagnostic_odds_ratio[1]":
        # It adds a half to every cell where one is empty.
        low, high = Table2x2(table.astype(float)).oddsratio_confint()
        return low, high
    return None


@lru_cache(4000)
def _in_pycm(cells: bytes, size: int) -> Any:
    table = np.frombuffer(cells, dtype=np.int64).reshape(size, size)
    return pycm.ConfusionMatrix(
        matrix={i: dict(enumerate(row)) for i, row in enumerate(table.tolist())}
    )


def by_pycm(score: str, m: cm.ConfusionMatrix) -> Ends | None:
    """The normal interval, as its `CI` gives it."""
    name = IN_PYCM.get(score)
    # For several classes its AUC is that of one class, and it takes long for many.
    if name is None or m.n_classes > 5 or (score == "balanced_accuracy" and m.n_classes > 2):
        return None
    found = _in_pycm(m.counts.astype(np.int64).tobytes(), m.n_classes).CI(name)
    ends = (found[1] if isinstance(found, dict) else found)[1]
    return (np.nan, np.nan) if "None" in map(str, ends) else (float(ends[0]), float(ends[1]))


def by_confidenceinterval(score: str, m: cm.ConfusionMatrix) -> Ends | None:
    """Wilson's of proportions, and the delta method of Takahashi and others for F1 and means."""
    # Its means of many classes take seconds each.
    if score not in IN_CONFIDENCEINTERVAL or m.n_classes > 20:
        return None
    actual, predicted = np.nonzero(m.counts)
    counts = m.counts[actual, predicted]
    low, high = IN_CONFIDENCEINTERVAL[score](
        np.repeat(actual, counts), np.repeat(predicted, counts)
    )[1]
    return float(low), float(high)


PEERS: dict[str, Callable[[str, Any], Ends | None]] = {
    "statsmodels": by_statsmodels, "PyCM": by_pycm, "confidenceinterval": by_confidenceinterval,
}  # fmt: skip
