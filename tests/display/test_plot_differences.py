"""Differences of models as dots with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

import confmat as cm

plt = pytest.importorskip("matplotlib.pyplot", reason="Matplotlib is not installed")
pytestmark = pytest.mark.usefixtures("no_screen")


def found(*names: str) -> cm.Comparison:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 3, 300)
    answers = {
        name: np.where(rng.random(300) < 0.9 - 0.1 * i, actual, 0) for i, name in enumerate(names)
    }
    return cm.compare_predictions(actual, answers, metrics=["accuracy", "mcc", "f1[0]"])


def test_dots_and_lines_are_the_differences() -> None:
    comparison = found("old", "new")
    ax = cm.plot_differences(comparison, title="Old and new")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["accuracy", "mcc", "f1[0]"]
    dots = np.concatenate([line.get_xdata() for line in ax.lines if line.get_marker() == "o"])
    assert sorted(dots) == sorted(one.difference for one in comparison.differences)
    ends = [segment[:, 0].tolist() for lines in ax.collections for segment in lines.get_segments()]
    assert sorted(ends) == sorted([one.low, one.high] for one in comparison.differences)
    low, high = ax.get_xlim()
    assert low < 0 < high
    assert "new − old" in ax.get_xlabel()


def test_better_and_worse_have_hues_of_their_own_where_a_difference_holds() -> None:
    good, bad = (cm.ConfusionMatrix([[n, 200 - n], [200 - n, n]]) for n in (180, 130))

    def hue(old: object, new: object, metric: str) -> object:
        models = {"old": old, "new": new}
        ax = cm.plot_differences(cm.compare(models, metrics=[metric], same_items=False))
        (line,) = [each for each in ax.lines if each.get_marker() == "o" and len(each.get_xdata())]
        assert (line.get_markerfacecolor() == line.get_color()) == (old is not new)
        return line.get_color()

    better, worse = hue(bad, good, "accuracy"), hue(good, bad, "accuracy")
    assert len({better, worse, hue(good, good, "accuracy")}) == 3
    # Fewer errors are better.
    assert (hue(bad, good, "error_rate"), hue(good, bad, "error_rate")) == (better, worse)


def test_several_models_are_named_and_names_are_safe() -> None:
    ax = cm.plot_differences(found("$a$", "b\x1b[2J", "c"))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0].startswith("accuracy, b\\x1b[2J − $a$")
    ax.figure.canvas.draw()
    _, own = plt.subplots()
    assert cm.plot_differences(found("a", "b").classes("recall"), ax=own) is own


def test_what_is_none_is_refused() -> None:
    for wrong in ([], [1, 2]):
        with pytest.raises(cm.InputError, match="what `compare`"):
            cm.plot_differences(wrong)  # type: ignore[arg-type]
