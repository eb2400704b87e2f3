"""Scores of items with several labels: how many are all right."""

from __future__ import annotations

import pytest

import confmat as cm

ACTUAL = [{"cat"}, {"cat", "dog"}, set(), {"hen"}, {"dog"}, {"cat", "hen"}]
PREDICTED = [{"cat"}, {"dog", "hen"}, {"hen"}, {"hen"}, set(), {"cat", "hen"}]
STACK = cm.count_multilabel(ACTUAL, PREDICTED)
ITEMS = cm.count_multilabel(ACTUAL, PREDICTED, along="item")


def test_exact_match_reads_items() -> None:
    assert cm.exact_match(ITEMS) == 3 / 6
    weights = [3, 1, 1, 1, 1, 1]
    weighted = cm.count_multilabel(ACTUAL, PREDICTED, along="item", weights=weights)
    assert cm.exact_match(weighted) == 5 / 8
    stack = cm.count_multilabel(ACTUAL, PREDICTED, weights=weights)
    assert cm.report(stack, items=weighted, intervals=True)["exact_match"] == 5 / 8
    for wrong in (STACK, STACK["cat"], ACTUAL):
        with pytest.raises(cm.InputError, match="along='item'"):
            cm.exact_match(wrong)  # type: ignore[arg-type]
