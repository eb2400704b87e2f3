"""Small multiples of a stack, and bars of a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.intervals import Estimates

pytest.importorskip("matplotlib", reason="plots are drawn with Matplotlib: the extra confmat[plot]")


pytestmark = pytest.mark.usefixtures("no_screen")
ANIMALS = cm.ConfusionMatrix(
    [[200, 0, 0], [100, 8800, 600], [100, 0, 1000]], ["cat", "dog", "fish"]
)


def dots_of(ax: Any) -> list[float]:
    (dots,) = (line for line in ax.lines if line.get_marker() == "o")
    return [float(x) for x in dots.get_xdata()]


def names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


# ---- panels --------------------------------------------------------------------------------------


def test_each_matrix_has_a_panel_under_its_key() -> None:
    stack = cm.Stack({"old": ANIMALS, "new": ANIMALS.T}, axis="model")
    figure = cm.plot(stack, normalize="actual", title="Two models")
    scores = [cm.f1(m, average="macro") for m in stack.values()]
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        f"old · {scores[0]:.3f}",
        f"new · {scores[1]:.3f}",
    ]
    assert figure.get_suptitle() == "Two models"
    assert (
        figure.get_supxlabel()
        == "one panel for each model, with its macro F1; per cent of each actual class"
    )
    assert [len(ax.texts) for ax in figure.axes] == [9, 9]


def test_a_mapping_of_matrices_is_drawn_as_the_page_takes_it() -> None:
    old = cm.ConfusionMatrix([[90, 10], [20, 80]], ["ill", "well"], positive="ill")
    figure = cm.plot({"old": old, "new": old.T})
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        f"{name} · {180 / 210:.3f}" for name in ("old", "new")
    ]
    said = "one panel for each model, with its F1 of ill; shaded by share of each actual class"
    assert figure.get_supxlabel().replace("\n", " ") == said


@pytest.mark.parametrize("choice", [{"width": "page"}, {"figsize": (7, 3)}])
def test_panels_fill_a_page_or_a_column_and_say_their_numbers(choice: Any) -> None:
    m = cm.ConfusionMatrix(np.eye(8, dtype=int) * 900 + 10, [f"class {i}" for i in range(8)])
    figure = cm.plot({"old": m, "new": m}, normalize="actual", **choice)
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    assert width == pytest.approx(7)
    assert height == pytest.approx(3) if "figsize" in choice else height < width
    for ax in figure.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert len(ax.texts) == 64
        side = ax.get_window_extent().width / 8
        assert all(text.get_window_extent().width <= side for text in ax.texts)
        assert all(text.get_fontsize() >= 6 for text in ax.texts)


def test_panels_share_one_scale() -> None:
    stack = cm.Stack(
        {"small": ANIMALS, "large": cm.ConfusionMatrix(ANIMALS.counts * 10, ANIMALS.labels)}
    )
    small, large = cm.plot(stack, normalize=None).axes[:2]
    colors = [ax.collections[0].get_array()[1, 1] for ax in (small, large)]
    assert colors[0].sum() > colors[1].sum()


def test_folding_reaches_every_panel() -> None:
    figure = cm.plot(cm.Stack({"a": ANIMALS, "b": ANIMALS.T}), top=1)
    assert names(figure.axes[0].yaxis) == ["dog", "(other)"]


# ---- dots ----------------------------------------------------------------------------------------


def test_the_worst_class_comes_first() -> None:
    ax = cm.plot_classes(ANIMALS, "precision")
    assert names(ax.yaxis) == ["cat", "fish", "dog"]
    assert dots_of(ax) == [200 / 400, 1000 / 1600, 8800 / 8800]
    assert ax.get_xlabel() == "Precision"
    assert ax.get_xlim() == (0, 1)


@pytest.mark.parametrize(
    ("metric", "order", "expected"),
    [
        ("recall", "best", ["cat", "dog", "fish"]),
        ("recall", "support", ["dog", "fish", "cat"]),
        ("recall", None, ["cat", "dog", "fish"]),
        # The largest rate of errors is the worst.
        ("false_negative_rate", "worst", ["fish", "dog", "cat"]),
    ],
)
def test_classes_stand_in_the_order_asked_for(metric: str, order: Any, expected: list[str]) -> None:
    assert names(cm.plot_classes(ANIMALS, metric, order=order).yaxis) == expected


def test_values_support_and_the_mean_are_written() -> None:
    ax = cm.plot_classes(ANIMALS, cm.recall)
    texts = [text.get_text() for text in ax.texts]
    mean = cm.recall(ANIMALS, average="macro")
    assert texts == [
        "0.909",
        "0.926",
        "1.000",
        "Recall",
        "1,100",
        "9,500",
        "200",
        "support",
        f"macro {mean:.3f}",
    ]


def test_numbers_of_items_are_whole_and_have_no_mean() -> None:
    ax = cm.plot_classes(ANIMALS, "tp", order=None)
    told = [text.get_text() for text in ax.texts]
    assert [text for text in told if text in {"200", "8,800", "1,000"}][:3] == [
        "200",
        "8,800",
        "1,000",
    ]
    assert not any("macro" in text for text in told)


def test_a_class_without_a_value_comes_last_with_a_dash() -> None:
    m = cm.ConfusionMatrix([[0, 0, 0], [1, 5, 0], [0, 2, 5]], ["a", "b", "c"])
    ax = cm.plot_classes(m, "recall")
    assert names(ax.yaxis) == ["c", "b", "a"]
    assert [text.get_text() for text in ax.texts][2] == "–"
    assert len(dots_of(ax)) == 2


def test_intervals_are_drawn_at_their_class() -> None:
    usual, wide = cm.interval(ANIMALS, "precision"), cm.interval(ANIMALS, "precision", level=0.999)
    for sure, asked in ((usual, True), (wide, wide)):
        segments = (
            cm.plot_classes(ANIMALS, "precision", intervals=asked).collections[0].get_segments()  # type: ignore[arg-type]
        )
        assert isinstance(sure, Estimates)
        # The worst class first: cat, fish, dog.
        ends = [[sure.low[i], sure.high[i]] for i in (0, 2, 1)]
        assert [segment[:, 0].tolist() for segment in segments] == ends


@pytest.mark.parametrize("metric", ["accuracy", "kappa"])
def test_a_metric_of_the_whole_has_no_dots(metric: str) -> None:
    with pytest.raises(cm.MetricError, match="a metric with one value per class"):
        cm.plot_classes(ANIMALS, metric)


def test_orders_and_counts_are_checked() -> None:
    with pytest.raises(cm.InputError, match="`order` is 'worst', 'best', 'support' or None"):
        cm.plot_classes(ANIMALS, order="size")
    with pytest.raises(cm.InputError, match="`top` must be a whole number of at least 1"):
        cm.plot_classes(ANIMALS, top=0)
    with pytest.raises(cm.InputError, match="takes a ConfusionMatrix, not Stack"):
        cm.plot_classes(cm.Stack({"a": ANIMALS}))  # type: ignore[arg-type]
