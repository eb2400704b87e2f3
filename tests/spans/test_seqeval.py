"""seqeval's scores come from the matrix: its documented examples, and random tags, lenient and strict."""

from __future__ import annotations

import itertools
import random
import warnings
from typing import Any

import numpy as np
import pytest

import confmat as cm

pytestmark = [
    pytest.mark.peers,
    # Its own warnings: of scores without a value, which are 0 there.
    pytest.mark.filterwarnings(
        "ignore:.*ill-defined and being set to 0", "ignore:.*seems not to be NE tag"
    ),
]

Sequences = list[list[str]]
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}

# The examples of its documentation.
README = (
    [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]],
    [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]],
)
F1 = (
    [["O", "O", "B-MISC", "I-MISC", "B-MISC", "O", "O"], ["B-PER", "I-PER", "O"]],
    [["O", "O", "B-MISC", "I-MISC", "B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]],
)
LENIENT = ([["B-NP", "I-NP", "O"]], [["I-NP", "I-NP", "O"]])


def matrix(truth: Sequences, predicted: Sequences, scheme: Any = None) -> cm.ConfusionMatrix:
    return cm.count_spans(
        cm.spans.spans_of_tags(truth, scheme=scheme),
        cm.spans.spans_of_tags(predicted, scheme=scheme),
    )


def scores(m: cm.ConfusionMatrix, average: Any) -> tuple[Any, Any, Any]:
    """As seqeval prints them: over all classes that occur on either side, what has no value as 0."""
    undefined: Any = "fair" if average == "micro" else 0
    found = [
        metric(m, average=average, undefined=undefined)
        for metric in (cm.precision, cm.recall, cm.f1)
    ]
    precision, recall, f1 = map(np.nan_to_num, found)
    return precision, recall, f1


def expected(truth: Sequences, predicted: Sequences, average: Any, scheme: str | None) -> Any:
    seqeval = pytest.importorskip("seqeval.metrics.sequence_labeling")
    strict = pytest.importorskip("seqeval.metrics.v1")
    schemes = pytest.importorskip("seqeval.scheme")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if scheme is None:
            return seqeval.precision_recall_fscore_support(
                truth, predicted, average=average, zero_division=0
            )
        return strict.precision_recall_fscore_support(
            truth, predicted, average=average, zero_division=0, scheme=getattr(schemes, scheme)
        )


def agree(truth: Sequences, predicted: Sequences, scheme: str | None) -> None:
    m = matrix(truth, predicted, scheme)
    for average in ("micro", "macro", "weighted"):
        theirs = expected(truth, predicted, average, scheme)
        assert scores(m, average) == pytest.approx(theirs[:3], abs=1e-12), average
    precision, recall, f1, support = expected(truth, predicted, None, scheme)
    for metric, theirs in ((cm.precision, precision), (cm.recall, recall), (cm.f1, f1)):
        assert np.nan_to_num(metric(m)) == pytest.approx(theirs, abs=1e-12)
    assert m.actual_totals[:-1].tolist() == list(support)


def test_documented_examples() -> None:
    for truth, predicted in (README, F1):
        for scheme in (None, "IOB2"):
            agree(truth, predicted, scheme)
    assert scores(matrix(*README), "micro") == scores(matrix(*README), "macro") == (0.5, 0.5, 0.5)
    assert scores(matrix(*F1), "micro")[2] == pytest.approx(2 / 3)
    assert scores(matrix(*F1), "macro")[2] == 0.75
    # Its example of what strict means: the same answer is right when read leniently, and no entity
    # when read strictly.
    assert scores(matrix(*LENIENT), "micro") == (1, 1, 1)
    assert scores(matrix(*LENIENT, scheme="IOB2"), "micro") == (0, 0, 0)


@pytest.mark.parametrize("scheme", [None, "IOB1", "IOB2", "IOE2", "IOBES", "BILOU"])
@pytest.mark.parametrize("seed", range(4))
def test_random_tags(scheme: str | None, seed: int) -> None:
    rng = random.Random(seed)
    letters = LETTERS.get(scheme or "IOBES", "")
    tags = ["O", *(f"{letter}-{name}" for letter in letters for name in ("PER", "LOC"))]
    compared = 0
    while compared < 40:
        truth = [
            [rng.choice(tags) for _ in range(rng.randrange(1, 9))]
            for _ in range(rng.randrange(1, 4))
        ]
        # Half the tags are copied, so that something is right.
        predicted = [
            [tag if rng.random() < 0.5 else rng.choice(tags) for tag in row] for row in truth
        ]
        if scheme == "IOB1" and any(map(_loses_one, truth + predicted)):
            continue
        if not any(len(cm.spans.spans_of_tags(side, scheme=scheme)) for side in (truth, predicted)):  # type: ignore[arg-type]
            continue
        agree(truth, predicted, scheme)
        compared += 1


def _loses_one(tags: list[str]) -> bool:
    """Whether a B follows a B of another class: there seqeval leaves out the entity that ends before it."""
    return any(a[0] == b[0] == "B" and a != b for a, b in itertools.pairwise(tags))
