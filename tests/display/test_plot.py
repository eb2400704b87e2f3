"""Plots: what they say and where it lies, not their pixels."""

from __future__ import annotations

import io
import itertools
import pickle
import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import confmat as cm

pytest.importorskip("matplotlib", reason="plots are drawn with Matplotlib: the extra confmat[plot]")

import matplotlib as mpl
from matplotlib import colors
from matplotlib import pyplot as plt
from matplotlib.offsetbox import AnnotationBbox

from confmat.display.plot import style as fonts
from confmat.display.shading import LEAST_CONTRAST, contrast

pytestmark = pytest.mark.usefixtures("no_screen")
ANIMALS = cm.ConfusionMatrix(
    [[200, 0, 0], [100, 8800, 600], [100, 0, 1000]], ["cat", "dog", "fish"]
)


def random_matrix(k: int, names: Any = None, seed: int = 0) -> cm.ConfusionMatrix:
    random = np.random.default_rng(seed)
    table = random.poisson(0.3, (k, k)) + np.diag(random.integers(20, 4000, k))
    return cm.ConfusionMatrix(table, names or [f"class {i}" for i in range(k)])


def cell_texts(ax: Any) -> dict[tuple[int, int], str]:
    return {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in written(ax)
    }


def written(ax: Any) -> list[Any]:
    """The texts within cells, without the names of the foremost."""
    return [
        text for text in ax.texts if not hasattr(text, "xycoords") and text.get_bbox_patch() is None
    ]


def names(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def captions(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts if hasattr(text, "xycoords")]


def below(ax: Any) -> list[str]:
    """The texts of scales and roles."""
    boxes = [box for box in ax.artists if isinstance(box, AnnotationBbox)]
    return [
        text.get_text() for box in boxes for text in box.findobj(mpl.text.Text) if text.get_text()
    ]


def drawn_color(ax: Any, row: int, column: int) -> Any:
    return tuple(ax.collections[0].get_array()[row, column].tolist())


# ---- what it says --------------------------------------------------------------------------------


def test_cells_names_and_axes_say_what_the_view_says() -> None:
    ax = cm.plot(ANIMALS, normalize="actual", values="both", title="Animals")
    view = cm.view(ANIMALS, normalize="actual", values="both")
    assert cell_texts(ax) == {(i, j): view.text(i, j) for i in range(3) for j in range(3)}
    assert names(ax.xaxis) == names(ax.yaxis) == ["cat", "dog", "fish"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Predicted", "Actual")
    assert ax.get_title(loc="left") == "Animals"
    assert captions(ax) == ["counts, and per cent of each actual class"]
    # The first row is at the top.
    assert ax.get_ylim() == (2.5, -0.5)


def test_support_stands_beside_each_row() -> None:
    ax = cm.plot(ANIMALS)
    (bars,) = ax.child_axes
    assert [patch.get_width() for patch in bars.patches] == [200, 9500, 1100]
    assert [text.get_text() for text in bars.texts] == ["support", "200", "9,500", "1,100"]
    assert cm.plot(ANIMALS, margins=False).child_axes == []


def test_a_view_is_drawn_as_it_was_made() -> None:
    view = cm.view(ANIMALS, order=["fish", "cat", "dog"], title="by hand")
    ax = cm.plot(view)
    assert names(ax.yaxis) == ["fish", "cat", "dog"]
    assert ax.get_title(loc="left") == "by hand"
    with pytest.raises(cm.InputError, match=r"give 'normalize' to `confmat\.view` instead"):
        cm.plot(view, normalize="actual")


def test_an_observed_class_names_its_roles_in_cells_and_legend() -> None:
    ax = cm.plot(ANIMALS, of="dog")
    assert cell_texts(ax)[1, 1] == "TP\n8,800"
    assert cell_texts(ax)[1, 2] == "FN\n600"
    assert sorted(below(ax)) == [
        "false negatives: 700",
        "false positives: 0",
        "true negatives: 1,300",
        "true positives: 8,800",
    ]
    assert [label.get_fontweight() for label in ax.get_yticklabels()] == [
        "normal",
        "bold",
        "normal",
    ]


def test_a_difference_is_signed_and_fewer_errors_have_the_hue_of_more_hits() -> None:
    ax = cm.plot(ANIMALS, minus=ANIMALS.T)
    texts = cell_texts(ax)
    assert (texts[1, 0], texts[0, 1], texts[1, 1]) == ("+100", "−100", "0")
    red, _, blue = drawn_color(ax, 1, 0)
    assert red > blue
    red, _, blue = drawn_color(ax, 0, 1)
    assert blue > red


def test_folded_classes_and_what_was_left_out_are_told_below() -> None:
    ax = cm.plot(random_matrix(30), top=5)
    assert names(ax.yaxis)[-1] == "(other)"
    (caption,) = captions(ax)
    assert "; 25 of 30 classes folded into (other)" in caption.replace("\n", " ")


def test_groups_are_framed() -> None:
    groups = {"even": [f"class {i}" for i in range(0, 20, 2)]}
    ax = cm.plot(random_matrix(20), class_groups=groups, fold=False)
    frames = [patch for patch in ax.patches if not patch.get_fill()]
    assert [(frame.get_xy(), frame.get_width(), frame.get_height()) for frame in frames] == [
        ((-0.5, -0.5), 10, 10)
    ]


# ---- how it lies ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 10, 60, 1000])
def test_nothing_overlaps_and_nothing_is_cut_off(k: int) -> None:
    ax = cm.plot(random_matrix(k), normalize="actual", title="A title")
    figure = ax.figure
    figure.draw_without_rendering()
    box, page = ax.get_tightbbox(), figure.bbox
    assert box.x0 >= -1
    assert box.y0 >= -1
    assert box.x1 <= page.x1 + 1
    assert box.y1 <= page.y1 + 1
    assert max(figure.get_size_inches()) <= 15
    names_stand_apart(ax)
    texts_lie_in_their_cells(ax)


def names_stand_apart(ax: Any) -> None:
    """Rows of names do not touch; a turned name is as far from its neighbour as it is high."""
    rows = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(one.y0 >= other.y1 - 1 for one, other in itertools.pairwise(rows))
    labels = ax.get_xticklabels()
    turn = np.deg2rad(labels[0].get_rotation()) if labels else 0
    if not turn:
        columns = [label.get_window_extent() for label in labels]
        assert all(one.x1 <= other.x0 + 1 for one, other in itertools.pairwise(columns))
        return
    places = ax.transData.transform([(tick, 0) for tick in ax.get_xticks()])[:, 0]
    high = labels[0].get_fontsize() / 72 * ax.figure.dpi
    assert len(places) == 1 or np.diff(places).min() * np.sin(turn) >= 0.95 * high


def texts_lie_in_their_cells(ax: Any) -> None:
    side = ax.get_window_extent().width / (ax.get_xlim()[1] + 0.5)
    for text in written(ax):
        box = text.get_window_extent()
        assert box.width <= side
        assert box.height <= side


@pytest.mark.slow
def test_values_that_are_asked_for_are_shown_and_the_figure_grows() -> None:
    small, large = cm.plot(random_matrix(48)), cm.plot(random_matrix(48), values="counts")
    assert len(written(small)) == 0
    assert len(written(large)) > 48
    assert large.figure.get_size_inches()[0] > small.figure.get_size_inches()[0]
    large.figure.draw_without_rendering()
    texts_lie_in_their_cells(large)


def test_a_single_confusion_among_a_thousand_classes_is_seen() -> None:
    table = np.diag(np.full(1000, 500))
    table[123, 765] = 55
    picture = cm.plot(cm.ConfusionMatrix(table)).images[0].get_array()
    assert max(picture.shape[:2]) <= 400
    dots = {tuple(place) for place in np.argwhere(picture[..., 0] > picture[..., 2] + 0.3).tolist()}
    assert dots == {(123 // 3, 765 // 3)}


def test_names_are_readable_on_any_page() -> None:
    for face in ("white", "black", "#fdf6e3", "#002b36", "#777777"):
        with mpl.rc_context({"axes.facecolor": face, "figure.facecolor": face}):
            ax = cm.plot(ANIMALS, normalize="actual", title="A title")
        labels = [
            *ax.get_xticklabels(),
            *ax.get_yticklabels(),
            ax.xaxis.label,
            ax.get_children()[-2],
        ]
        for text in (label for label in labels if hasattr(label, "get_text") and label.get_text()):
            assert contrast(colors.to_rgb(text.get_color()), colors.to_rgb(face)) >= LEAST_CONTRAST


# ---- on paper ------------------------------------------------------------------------------------


def texts_in(figure: Any) -> list[Any]:
    """All texts that are seen."""
    return [
        one for one in figure.findobj(mpl.text.Text) if one.get_visible() and one.get_text().strip()
    ]


def apart(figure: Any, texts: list[Any]) -> None:
    """No two texts lie over each other; of turned ones the names along an axis have their own test."""
    renderer = figure.canvas.get_renderer()
    boxes = [
        (one.get_text(), one.get_window_extent(renderer))
        for one in texts
        if not one.get_rotation() % 90
    ]
    for (name, one), (other, box) in itertools.combinations(boxes, 2):
        wide = min(one.x1, box.x1) - max(one.x0, box.x0)
        high = min(one.y1, box.y1) - max(one.y0, box.y0)
        assert min(wide, high) <= 1, (name, other)


PAPER: dict[str, Any] = {
    "long names": (
        random_matrix(5, [f"a name that is rather long, number {i}" for i in range(5)]),
        {},
    ),
    "twenty": (random_matrix(20), {"normalize": "actual"}),
    "three hundred": (random_matrix(300), {}),
    "roles": (random_matrix(7), {"of": "class 3"}),
    "difference": (random_matrix(10), {"minus": random_matrix(10, seed=1), "normalize": "actual"}),
    "folded": (random_matrix(40), {"top": 8, "normalize": "actual"}),
}


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("width", ["column", pytest.param("page", marks=pytest.mark.slow)])
def test_a_figure_for_paper_can_be_read(name: str, width: Any) -> None:
    m, choice = PAPER[name]
    ax = cm.plot(m, width=width, **choice)
    figure = ax.figure
    figure.draw_without_rendering()
    assert figure.get_figwidth() == {"column": 3.3, "page": 7.0}[width]
    outer, inner = ax.get_tightbbox(), ax.get_window_extent()
    assert outer.x0 >= -1
    assert outer.y0 >= -1
    assert outer.x1 <= figure.bbox.x1 + 1
    assert outer.y1 <= figure.bbox.y1 + 1
    # The map is what the figure is for, and no paper is left empty above and below.
    assert inner.width >= 0.5 * figure.bbox.width
    assert outer.height >= 0.9 * figure.bbox.height
    texts = texts_in(figure)
    assert all(6 <= text.get_fontsize() <= 8 for text in texts)
    names_stand_apart(ax)
    texts_lie_in_their_cells(ax)
    apart(figure, texts)
    assert written(ax) or below(ax), "neither numbers nor a scale"


def test_sizes_in_the_settings_of_the_user_are_obeyed() -> None:
    with mpl.rc_context({"figure.figsize": (5.5, 5)}):
        assert cm.plot(ANIMALS).figure.get_size_inches().tolist() == [5.5, 5]
        assert cm.plot(ANIMALS, width="column").figure.get_figwidth() == 3.3
    assert cm.plot(ANIMALS, figsize=(4, 3.5)).figure.get_size_inches().tolist() == [4, 3.5]


def test_of_many_sizes_one_is_given() -> None:
    ax = plt.figure().add_subplot()
    for two in ({"ax": ax, "width": 3}, {"width": 3, "figsize": (3, 3)}):
        with pytest.raises(cm.InputError, match="both say how large a drawing is"):
            cm.plot(ANIMALS, **two)
    for wrong in ("wide", 0, [3]):
        with pytest.raises(cm.InputError, match="`width` takes 'column'"):
            cm.plot(ANIMALS, width=wrong)  # type: ignore[arg-type]
    for wrong_size in (3, (3,), (0, 3)):
        with pytest.raises(cm.InputError, match="`figsize` takes a width and a height"):
            cm.plot(ANIMALS, figsize=wrong_size)  # type: ignore[arg-type]


def test_classes_of_one_size_have_no_bars() -> None:
    ax = cm.plot(cm.ConfusionMatrix([[90, 10], [4, 96]]))
    assert ax.child_axes == []
    assert captions(ax)[0].endswith("100 of each class")
    assert cm.plot(cm.ConfusionMatrix([[90, 12], [4, 76]])).child_axes != []


# ---- a good guest --------------------------------------------------------------------------------


def test_given_axes_are_used_and_no_figure_is_made() -> None:
    figure = mpl.figure.Figure(figsize=(5, 4), layout="constrained")
    ax = figure.add_subplot()
    before = plt.get_fignums()
    assert cm.plot(ANIMALS, ax=ax) is ax
    assert cm.plot_classes(ANIMALS, ax=figure.add_subplot()) in figure.axes
    assert plt.get_fignums() == before
    assert cell_texts(ax)[0, 0] == "200"


def test_values_fit_the_cells_of_given_axes_or_stay_away() -> None:
    for inches, shown in ((9.0, True), (3.0, False)):
        figure = mpl.figure.Figure(figsize=(inches, inches), layout="constrained")
        ax = cm.plot(random_matrix(12), ax=figure.add_subplot(), normalize="actual")
        figure.draw_without_rendering()
        assert bool(written(ax)) is shown
        texts_lie_in_their_cells(ax)


def test_settings_of_matplotlib_stay_as_they_were() -> None:
    before = dict(mpl.rcParams)
    cm.plot(ANIMALS).figure.savefig(io.BytesIO())
    cm.plot_classes(ANIMALS)
    cm.plot(cm.Stack({"a": ANIMALS}))
    assert dict(mpl.rcParams) == before


def test_the_font_and_its_size_are_those_of_the_user() -> None:
    with mpl.rc_context({"font.family": "serif", "font.size": 15}):
        ax = cm.plot(ANIMALS)
    label = ax.get_yticklabels()[0]
    assert label.get_fontfamily()[0] == "DejaVu Serif"
    assert label.get_fontsize() == 15
    ax.figure.draw_without_rendering()
    texts_lie_in_their_cells(ax)


@pytest.mark.slow
def test_vector_files_hold_text() -> None:
    names_in = ["grouse", "ptarmigan", "bird & co <x>"]
    figure = cm.plot(ANIMALS.relabel(names_in), title="A title").figure
    out = io.BytesIO()
    figure.savefig(out, format="svg")
    svg = out.getvalue().decode()
    texts = re.findall(r"<text[^>]*>(?:<tspan[^>]*>)?([^<]*)", svg)
    for word in ("grouse", "ptarmigan", "bird &amp; co &lt;x&gt;", "8,800", "Predicted", "A title"):
        assert word in texts
    out = io.BytesIO()
    figure.savefig(out, format="pdf")
    assert b"/Subtype /TrueType" in out.getvalue() or b"/CIDFontType2" in out.getvalue()
    assert b"/Subtype /Type3" not in out.getvalue()


def test_a_picture_says_in_words_what_it_shows() -> None:
    figure = cm.plot(ANIMALS, normalize="actual", title="Pets").figure
    assert figure.alt == (
        "Pets. Confusion matrix of 3 labels, per cent of each actual class; total 10,800. 92.6% "
        "right (92.1–93.1). "
        "Most often, dog is taken for fish: 600 items."
    )
    for form in ("png", "svg", "pdf"):
        out = io.BytesIO()
        figure.savefig(out, format=form)
        data = out.getvalue()
        # A PDF has its texts in brackets, which are escaped within.
        words = "dog is taken for fish"
        assert words.encode() in data or words.encode("utf-16-be") in data, form
    assert cm.plot(ANIMALS, minus=ANIMALS).figure.alt.endswith("No class is shown to change.")
    assert cm.plot({"a": ANIMALS, "b": ANIMALS.T}).alt.count("10,800") == 2


def test_every_figure_is_of_matplotlibs_own_class() -> None:
    """Others look at the class and at its module, as Weights & Biases does."""
    sweep = cm.thresholds([1, 0, 1, 0, 1], [0.9, 0.8, 0.6, 0.1, 0.3])
    compared = cm.compare({"old": ANIMALS, "new": ANIMALS.T}, metrics=["accuracy"])
    drawn = [
        cm.plot(ANIMALS), cm.plot({"a": ANIMALS, "b": ANIMALS}), cm.plot(cm.roc(sweep)),
        cm.plot_classes(ANIMALS), cm.plot_differences(compared),
    ]  # fmt: skip
    for one in drawn:
        figure = getattr(one, "figure", one)
        figure = one if figure is None else figure
        assert type(figure) is mpl.figure.Figure
    figure = pickle.loads(pickle.dumps(drawn[0].figure))
    out = io.BytesIO()
    figure.savefig(out, format="svg")
    assert b"Most often, dog is taken for fish" in out.getvalue()


# ---- hostile names -------------------------------------------------------------------------------

HOSTILE = [
    "$x^2$ and $",
    r"\alpha_{",
    "tab\there",
    "\u202egnp.exe",
    "猫",
    "👩\u200d🚀",
    "قطة",
    "n" * 10_000,
    "x\ny",
    "é" + "\u0301" * 20,
]


@pytest.mark.slow
def test_hostile_names_are_shown_as_text_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = random_matrix(len(HOSTILE), HOSTILE)
        for ax in (cm.plot(m, title="$\\frac{1$ \x07 猫"), cm.plot_classes(m, title="$\x00")):
            for kind in ("png", "svg"):
                ax.figure.savefig(io.BytesIO(), format=kind)
            shown = names(ax.yaxis)
            assert len(set(shown)) == len(shown)
            assert max(map(len, shown)) < 120
            assert all(name.isprintable() for name in shown)
        cm.plot(cm.Stack({"$a$\x07": m, "猫": m}, axis="$x\x1b")).savefig(io.BytesIO())
    assert r"\u202egnp.exe" in names(cm.plot(m).yaxis)


def test_a_dollar_starts_no_mathematics() -> None:
    ax = cm.plot(random_matrix(2, ["$x^2$", "$y$"]))
    assert names(ax.xaxis) == ["$x^2$", "$y$"]
    assert not any(
        label.get_parse_math()
        for label in [*ax.get_xticklabels(), *ax.get_yticklabels(), *written(ax)]
    )


def test_what_no_font_draws_is_named() -> None:
    look = replace(fonts.look_for("white", []), fonts=("DejaVu Sans",))
    assert look.safe("cat") == "cat"
    assert look.safe("\U00013000") == "<egyptian hieroglyph a001>"
    assert look.safe("\N{MAMMOTH}\N{VARIATION SELECTOR-16}") == "<mammoth>"
    assert look.safe("猫") == "<U+732B>"


def test_a_font_that_is_not_there_is_no_obstacle() -> None:
    with warnings.catch_warnings(), mpl.rc_context({"font.family": ["No Such Font"]}):
        warnings.simplefilter("error")
        ax = cm.plot(ANIMALS)
        ax.figure.savefig(io.BytesIO())
    assert ax.get_yticklabels()[0].get_fontfamily()[0] == "DejaVu Sans"


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "choice", "message"),
    [
        (
            [[1, 2], [3, 4]],
            {},
            "takes a ConfusionMatrix, a Stack, a MatrixView, .* or curves by name, .* not list",
        ),
        (ANIMALS, {"ax": "here"}, "`ax` takes the Axes of Matplotlib to draw into, not str"),
        (ANIMALS, {"cmap": "no such map"}, "`cmap` takes a colour map of Matplotlib or its name"),
        (cm.Stack({"a": ANIMALS}), {"minus": ANIMALS}, "give neither `ax` nor `minus`"),
        (
            cm.Stack(dict.fromkeys(range(25), ANIMALS)),
            {},
            "room for 24 matrices, not 25; make a Stack of some",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said(subject: Any, choice: Any, message: str) -> None:
    with pytest.raises(cm.InputError, match=message):
        cm.plot(subject, **choice)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confmat.display.plot.find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"pip install matplotlib"):
        cm.plot(ANIMALS)


def test_a_diverging_color_map_has_its_middle_at_zero() -> None:
    ax = cm.plot(ANIMALS, minus=ANIMALS.T, normalize=None, cmap="RdBu")
    ends = [mpl.colormaps["RdBu"](place)[:3] for place in (0.0, 0.5, 1.0)]
    for (row, column), end in zip([(1, 2), (0, 0), (2, 1)], ends, strict=True):
        assert drawn_color(ax, row, column) == pytest.approx(end, abs=0.02)


def test_a_color_map_replaces_ours() -> None:
    ax = cm.plot(ANIMALS, normalize=None, cmap=("Greens", "Reds"))
    assert drawn_color(ax, 1, 1) == pytest.approx(
        colors.to_rgb(mpl.colormaps["Greens"](1.0)), abs=0.01
    )
    assert drawn_color(ax, 1, 2) == pytest.approx(
        colors.to_rgb(mpl.colormaps["Reds"](1.0)), abs=0.01
    )


@pytest.mark.parametrize("size", [4, 40, 400])
def test_groups_have_names_at_every_size(size: int) -> None:
    names = [f"c{i}" for i in range(size)]
    m = cm.ConfusionMatrix(np.eye(size, dtype=int) * 9 + 1, names)
    half = size // 2
    ax = cm.plot(m, class_groups={"the one": names[:half], "the other": names[half:]}, fold=False)
    ax.figure.draw_without_rendering()
    axes = [ax, *ax.child_axes]
    texts = [tick.get_text() for one in axes for tick in one.get_xticklabels()]
    assert {"the one", "the other"} <= set(texts)
    assert ("c0" in texts) == (size < 400)
