"""Four figures that one program gives of the same 300 answers, and the named policy behind each.

Among the answers to 300 items of three classes, 17 are no class. Depending on how these are passed,
scikit-learn's macro F1 is .648, .130, .864 or .890, and with `labels=` its confusion matrix has 283
items.
"""

from __future__ import annotations

import numpy as np
import pytest

from confmat import Answers, ConfusionMatrix, catalog, count, f1, unanswered

LABELS = ["negative", "neutral", "positive"]
# The 283 answers that are classes, and the actual classes of the 17 others.
TABLE = [[83, 7, 4], [7, 80, 7], [3, 3, 89]]
JUNK = [6, 6, 5]


def items() -> tuple[list[str], list[str]]:
    """The 300 pairs: each junk answer is a text of its own."""
    cells = [(i, j) for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
    lost = [i for i in range(3) for _ in range(JUNK[i])]
    actual = [LABELS[i] for i, _ in cells] + [LABELS[i] for i in lost]
    return actual, [LABELS[j] for _, j in cells] + [
        f"As for me, {i} of one" for i in range(len(lost))
    ]


def counted() -> ConfusionMatrix:
    actual, answers = items()
    return count(actual, answers, answers=Answers(LABELS), other="collect")


def test_every_item_is_counted() -> None:
    m = counted()
    assert m.total == 300
    assert m.actual_totals.tolist() == [100, 100, 100, 0]
    assert m.counts[:3, :3].tolist() == TABLE
    assert m.counts[:3, 3].tolist() == JUNK


@pytest.mark.slow
def test_each_figure_has_a_policy() -> None:
    actual, answers = items()
    m = counted()
    # Junk is wrong, and no class: the mean runs over three.
    assert round(f1(m, average="macro"), 3) == 0.864
    # Junk is left out, and the coverage says how much that is.
    assert round(f1(m, average="macro", outside="exclude"), 3) == 0.890
    assert unanswered(m, "f1.macro").coverage == pytest.approx(283 / 300)
    assert round(unanswered(m).coverage, 3) == 0.943
    # Junk is a fourth class that never occurs, in a mean that takes it in.
    one = count(actual, [answer if answer in LABELS else "junk" for answer in answers])
    assert round(f1(one, average="macro", undefined="skip"), 3) == 0.648
    # Every junk answer is a class of its own.
    each = count(actual, answers)
    assert each.n_classes == 20
    assert round(f1(each, average="macro", undefined="skip"), 3) == 0.130
    # A fair mean runs over the classes that occur, however many strangers were predicted.
    assert f1(each, average="macro") == pytest.approx(f1(m, average="macro"))


@pytest.mark.slow
def test_what_the_policies_leave_open() -> None:
    found = unanswered(counted(), "accuracy", "f1.macro")
    assert found["accuracy"].worst == found["accuracy"].wrong == pytest.approx(252 / 300)
    assert found["accuracy"].best == pytest.approx((252 + 17) / 300)
    assert found["accuracy"].excluded == pytest.approx(252 / 283)
    assert (
        found["f1.macro"].worst
        < found["f1.macro"].wrong
        < found["f1.macro"].excluded
        < found["f1.macro"].best
    )


@pytest.mark.parametrize("name", list(catalog()))
def test_every_metric_can_leave_them_out(name: str) -> None:
    m = counted()
    left = np.asarray(catalog()[name](m, outside="exclude"), float)
    assert left == pytest.approx(np.asarray(catalog()[name](m.select(LABELS)), float), nan_ok=True)
