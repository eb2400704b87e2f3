"""Worlds of signal and noise together, noise alone and signal alone: every surface says of them what is shown."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle

import confmat as cm
from confmat.core.tables import BLUE, ORANGE, tint
from confmat.display.notebook import MOST_CLASSES
from confmat.display.plot.heat import MOST_RINGS
from confmat.display.roles import Role
from confmat.display.shading import DARK, LOUD, hexadecimal, mixed
from confmat.display.terminal import lines_of
from tests.display.test_html import data_of, unpacked

Pairs = list[tuple[str, str]]
Plants = dict[tuple[int, int], float]


def world(
    k: int, n: int, plants: Plants, *, right: float = 0.85, sizes: Any = None
) -> tuple[Any, Any]:
    """Errors that fall on all other classes alike, beside a share of some classes that is taken for one other."""
    random = np.random.default_rng(7)
    truth = random.choice(k, n, p=None if sizes is None else sizes / sizes.sum())
    answers = np.where(random.random(n) < right, truth, (truth + random.integers(1, k, n)) % k)
    for (actual, predicted), share in plants.items():
        answers[(truth == actual) & (random.random(n) < share)] = predicted
    names = np.array([f"c{i:04}" for i in range(k)])
    planted = {(f"c{i:04}", f"c{j:04}") for i, j in plants}
    return cm.count(names[truth], names[answers], labels=names.tolist()), planted


def rejecting() -> tuple[Any, set[tuple[str, str]]]:
    """A fifth of one class is not answered, of the others a fiftieth."""
    counts = np.full((6, 7), 8) + np.eye(6, 7, dtype=int) * 400
    counts[:, 6], counts[2, 6] = 9, 100
    names = [f"c{i:04}" for i in range(6)]
    square = np.vstack([counts, np.zeros(7, dtype=int)])
    return cm.ConfusionMatrix(square, names, outside=["(abstained)"]), {("c0002", "(abstained)")}


WORLDS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "planted in noise": lambda: world(10, 3_000, {(2, 3): 0.3, (3, 2): 0.25, (7, 8): 0.2}),
    "all of a class": lambda: world(8, 4_000, {(0, 1): 1.0}),
    "skew": lambda: world(
        10, 100_000, {(8, 0): 0.5}, right=0.92, sizes=np.geomspace(10_000, 3, 10)
    ),
    "many": lambda: world(100, 50_000, {(12, 13): 0.3, (40, 70): 0.3, (88, 7): 0.3}),
    "rejections": rejecting,
    "noise alone": lambda: world(12, 6_000, {}),
    "signal alone": lambda: world(10, 3_000, {(2, 3): 0.3}, right=1.0),
}


@pytest.mark.parametrize("name", WORLDS)
def test_every_surface_says_the_same(name: str) -> None:
    m, planted = WORLDS[name]()
    ranked = cm.top_confusions(m, None)
    shown = [(one.actual, one.predicted) for one in ranked if one.flagged]
    # Errors of one pair have no others to be held against, and all are as strong as they are large.
    alone = name == "signal alone"
    # The planted ones are shown, and no others; they come first.
    assert [(one.actual, one.predicted) for one in ranked[: len(shown)]] == shown
    assert set(shown) == (set() if alone else planted)
    view = cm.view(m)
    assert [(view.labels[i], view.labels[j]) for i, j in view.held] == shown
    assert of_page(m) == shown
    assert set(of_plot(m)) == set(shown[:MOST_RINGS])
    for surface in (of_notebook, of_terminal):
        assert set(surface(m)) == planted
    said = cm.summary(m)
    named = set(re.findall(r"c\d{4}", said.split(").", 1)[1]))
    assert named <= {each for pair in (shown[:2] or planted) for each in pair}
    assert bool(named) == bool(planted)


@pytest.mark.slow
def test_five_thousand_classes_answer_at_first_sight() -> None:
    plants = {(12, 13): 0.5, (400, 700): 0.5, (4880, 70): 0.5, (2500, 2501): 0.5, (300, 3900): 0.5}
    m, planted = world(5_000, 250_000, plants)
    shown = of_page(m)
    assert set(shown) == planted
    assert set(of_plot(m)) == set(of_notebook(m)) == planted
    # Groups of classes are named where they hold a confusion that is shown.
    groups = data_of(cm.html(m))["groups"]
    assert groups
    assert len(groups) <= len(planted)


# ---- what the surfaces show ----------------------------------------------------------------------


def of_page(m: Any) -> Pairs:
    data = data_of(cm.html(m))
    labels, model = data["labels"], data["models"][0]
    steps, shown = (
        unpacked(each) for each in (model["cells"]["steps"], model["confusions"]["shown"])
    )
    places = np.cumsum(steps).astype(int)[np.array(shown, int)]
    return [
        (labels[place // len(labels)], labels[place % len(labels)]) for place in places.tolist()
    ]


def of_plot(m: Any) -> Pairs:
    """The cells with a ring."""
    from matplotlib import pyplot as plt

    ax = cm.plot(m)
    plt.close(ax.figure)
    view = cm.view(m)
    rings = [one for one in ax.patches if isinstance(one, Rectangle) and not one.get_fill()]
    middles = [
        (one.get_y() + one.get_height() / 2, one.get_x() + one.get_width() / 2) for one in rings
    ]
    return [(view.labels[round(row)], view.labels[round(column)]) for row, column in middles]


def of_notebook(m: Any) -> Pairs:
    """The cells in a strong orange; of many classes, the rows of the list with a star."""
    html = m._repr_html_()
    if len(m.labels) > MOST_CLASSES:
        rows = re.findall(r"<tr.*?</tr>", html, re.DOTALL)
        return [tuple(re.findall(r">(c\d{4}|\(\w+\))<", row)[:2]) for row in rows if " *<" in row]
    body = re.findall(r"<tr.*?</tr>", html, re.DOTALL)[-len(m.labels) - 1 : -1]
    least = int(tint(ORANGE, LOUD)[-2:], 16)
    found = []
    for label, row in zip(m.labels, body, strict=True):
        cells = re.findall(r"<td(.*?)>", row)[: len(m.labels)]
        alphas = [re.search(rf"{ORANGE}(..)", cell) for cell in cells]
        found += [
            (label, m.labels[j])
            for j, alpha in enumerate(alphas)
            if alpha and int(alpha[1], 16) >= least
        ]
    assert BLUE in html
    return found


def of_terminal(m: Any) -> Pairs:
    """The cells in a strong orange; of many classes, the lines of the list with a star."""
    view = cm.view(m)
    if len(m.labels) > 60:
        out = io.StringIO()
        cm.show(m, file=out, width=100, color=False)
        return [
            tuple(line.split()[:2])  # type: ignore[misc]
            for line in out.getvalue().splitlines()
            if line.endswith(" *")
        ]
    shades = view.shades[(view.roles == Role.ERROR) | (view.roles == Role.OUTSIDE)]
    loud = {
        hexadecimal(mixed(DARK.error, float(shade))) for shade in np.unique(shades[shades >= LOUD])
    }
    lines = [
        line
        for line in lines_of(m, {}, 200, DARK, colored=True)
        if line and line[0].text.startswith("c0")
    ]
    return [
        (label, m.labels[j])
        for label, line in zip(m.labels, lines, strict=False)
        for j, span in enumerate(line[1 : len(m.labels) + 1])
        if span.behind in loud
    ]
