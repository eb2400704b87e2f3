"""Curves: what is drawn are the points of the curve, with areas, intervals and thresholds where they belong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm

plt = pytest.importorskip("matplotlib.pyplot", reason="Matplotlib is not installed")
pytestmark = pytest.mark.usefixtures("no_screen")


def sweep(seed: int = 0, n: int = 400) -> cm.Stack:
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < 0.3
    return cm.thresholds(actual, rng.normal(actual).round(2))


def lines(ax: Any) -> list[Any]:
    return [line for line in ax.lines if line.get_marker() == "None" and len(line.get_xdata()) > 2]


def legend(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(
    ("of", "area", "said"),
    [(cm.roc, cm.roc_auc, "area"), (cm.pr_curve, cm.average_precision, "average precision")],
)
def test_points_and_area(of: Any, area: Any, said: str) -> None:
    t = sweep()
    ax, curve = cm.plot(of(t)), of(t)
    (line,) = lines(ax)
    np.testing.assert_array_equal(line.get_xdata(), curve.x)
    np.testing.assert_array_equal(line.get_ydata(), curve.y)
    assert legend(ax) == ["95 % interval of each point", f"{said} {cm.interval(t, area)}"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (curve.x_name, curve.y_name)


def test_a_threshold_stands_where_its_answers_are() -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(400) < 0.3
    scores = rng.normal(actual)
    t = cm.thresholds(actual, scores)
    for threshold in (0.123, float(list(t)[50])):
        m = cm.from_scores(actual, scores, threshold=threshold, kind="scores")
        ax = cm.plot(cm.roc(t), threshold=threshold)
        (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
        assert dot.get_xdata()[0] == pytest.approx(cm.false_positive_rate(m, of=True))
        assert dot.get_ydata()[0] == pytest.approx(cm.recall(m, of=True))
        assert any(text.get_text() == f"threshold {threshold:.4g}" for text in ax.texts)


def test_several_in_one_picture() -> None:
    curves = {
        "old $x$": cm.roc(sweep(0)),
        "new\x1b[2J": cm.roc(sweep(1)),
        "third": cm.roc(sweep(2)),
    }
    ax = cm.plot(curves, threshold=0.5, title="Models")
    assert len(lines(ax)) == 3
    # One entry says what all bands are.
    assert legend(ax)[0] == "95 % interval of each point"
    assert legend(ax)[2].startswith("new\\x1b[2J, area")
    assert len({line.get_linestyle() for line in lines(ax)}) == 3
    assert len([line for line in ax.lines if line.get_marker() == "o"]) == 3
    assert ax.get_title(loc="left") == "Models"


def test_the_best_threshold_with_what_is_around_it() -> None:
    found = cm.best(sweep(), costs={"fp": 1, "fn": 5})
    ax = cm.plot(found)
    curve = found.curve()
    band = next(one for one in ax.collections if "interval" in str(one.get_label()))
    ends = band.get_paths()[0].vertices
    assert ends[:, 1].min() == pytest.approx(curve.low.min())
    assert ends[:, 1].max() == pytest.approx(curve.high.max())
    span = next(one for one in ax.patches if one.get_label() == "indistinguishable from the best")
    assert (span.get_x(), span.get_x() + span.get_width()) == pytest.approx(found.range)
    assert any(text.get_text() == f"{found.threshold:.4g}" for text in ax.texts)


def test_into_axes_of_ones_own_on_a_dark_page_and_without_values() -> None:
    with plt.style.context("dark_background"):
        figure, (one, two) = plt.subplots(1, 2, layout="constrained")
        assert cm.plot(cm.pr_curve(sweep()), ax=one) is one
        never = cm.thresholds([0, 0, 0], [0.1, 0.2, 0.3])
        assert cm.plot(cm.roc(never), ax=two, threshold=0.2) is two
        figure.canvas.draw()


def test_long_curves_are_thinned() -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(50_000) < 0.3
    t = cm.thresholds(actual, rng.normal(actual))
    (line,) = lines(cm.plot(cm.roc(t)))
    assert len(line.get_xdata()) == 4096
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0, 1)


def test_a_threshold_beyond_all_scores_is_refused() -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(99) < 0.3
    t = cm.thresholds(actual, rng.uniform(0.2, 0.9, 99))
    for curve in (cm.roc(t), cm.best(t, "f1")):
        with pytest.raises(
            cm.InputError, match="`threshold` is 50, and those of the curve lie from 0 to 1"
        ):
            cm.plot(curve, threshold=50)
        cm.plot(curve, threshold=0.1)


def test_what_is_wrong_is_said() -> None:
    curve = cm.roc(sweep())
    with pytest.raises(cm.InputError, match=r"curves by name, .* a Comparison, not list"):
        cm.plot([curve])
    with pytest.raises(cm.InputError, match="have the same axes"):
        cm.plot({"a": curve, "b": cm.pr_curve(sweep())})
    for wrong in ("0.5", {"b": 0.5}):
        with pytest.raises(cm.InputError, match="`threshold` is one number"):
            cm.plot({"a": curve}, threshold=wrong)  # type: ignore[arg-type]
    with pytest.raises(cm.InputError, match="'normalize', 'cmap' belong to matrices"):
        cm.plot(curve, normalize="actual", cmap="Blues")
    with pytest.raises(
        cm.InputError, match="marks a point of a curve, and a ConfusionMatrix has none"
    ):
        cm.plot(cm.ConfusionMatrix([[1, 2], [3, 4]]), threshold=0.5)
