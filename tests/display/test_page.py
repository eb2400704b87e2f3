"""The HTML report in a real browser: Chromium as the system has it, driven by Playwright."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import confmat as cm
from confmat.core.printing import shaded
from confmat.display.shading import DARK, LIGHT, painted
from confmat.structure.confusions import multiple, probability

pytestmark = pytest.mark.peers

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip("there is no Chromium (Debian: apt-get install chromium)", allow_module_level=True)

HOSTILE = [
    "<script>window.hurt=1</script>",
    "</script><img src=x onerror=window.hurt=1>",
    "\"quotes\" 'and' `ticks` ${window.hurt=1}",
    "javascript:window.hurt=1",
    "x" * 10_000,
    "a\x00b",
    "\u202egnp.exe",
    "<!-- <script>",
]

Show = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests; root, as in a container, gets no sandbox."""
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Show]:
    """Open a report; at the end, it must have made no error, asked for nothing and broken no policy."""
    trouble: list[str] = []
    pages: list[Any] = []

    def opened(
        m: Any,
        *,
        at: str = "",
        size: tuple[int, int] = (1280, 800),
        scheme: str = "light",
        **options: Any,
    ) -> Any:
        path = cm.html(m, tmp_path / f"{len(pages)}.html", **options)
        page = chromium.new_page(
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            accept_downloads=True,
        )
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        # Reading pixels is what the tests do, not the page.
        page.on(
            "console",
            lambda line: (
                trouble.append(f"console: {line.text}")
                if line.type in {"error", "warning"} and "willReadFrequently" not in line.text
                else None
            ),
        )
        page.on("dialog", lambda box: trouble.append(f"dialog: {box.message}"))
        page.on(
            "request",
            lambda one: (
                trouble.append(f"request: {one.url}")
                if not one.url.startswith(("file:", "blob:", "data:image/"))
                else None
            ),
        )
        page.add_init_script(
            "window.broken = []; addEventListener('securitypolicyviolation', e => "
            "broken.push(e.violatedDirective))"
        )
        page.goto(path.as_uri() + at)
        page.wait_for_function("document.documentElement.dataset.drawn")
        pages.append(page)
        return page

    yield opened
    for page in pages:
        trouble += page.evaluate("window.broken.map(String)")
        if page.evaluate("window.hurt"):
            trouble.append("a label ran")
        page.close()
    assert trouble == []


def planted(k: int, cells: int, seed: int = 0) -> cm.ConfusionMatrix:
    """Classes of uneven sizes, in blocks that are confused with each other, and errors everywhere."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(20, 400, k)
    rows, cols = rng.integers(0, k, (2, cells))
    near = rng.random(cells) < 0.4
    cols[near] = np.minimum(k - 1, rows[near] // 10 * 10 + rng.integers(0, 10, near.sum()))
    wrong = rows != cols
    places, counts = np.unique(rows[wrong] * k + cols[wrong], return_counts=True)
    table = cm.ConfusionMatrix.from_pairs(
        [
            *((f"class {i}", f"class {i}", n) for i, n in enumerate(sizes.tolist())),
            *(
                (f"class {place // k}", f"class {place % k}", n)
                for place, n in zip(places.tolist(), counts.tolist(), strict=True)
            ),
        ],
        labels=[f"class {i}" for i in range(k)],
    )
    assert table.n_classes == k
    return table


M = cm.ConfusionMatrix(
    [[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]],
    ["cat", "dog", "hen", "owl"],
    positive=None,
)


def cells(page: Any, table: str) -> list[list[str]]:
    """The texts of a table's body."""
    found: list[list[str]] = page.eval_on_selector_all(
        f"{table} tbody tr",
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim().replace(/\\s+/g, "
        "' ')))",
    )
    return found


def hash_of(page: Any) -> str:
    page.wait_for_timeout(250)
    found: str = page.evaluate("decodeURIComponent(location.hash)")
    return found


def color_at(page: Any, row: int, col: int) -> list[int]:
    """The pixel in the lower right of a cell of the heat map, where no text stands."""
    found: list[int] = page.evaluate(
        """([row, col]) => {
            const canvas = document.getElementById('map');
            const box = canvas.dataset.cells.split(' ').map(Number);
            const ratio = devicePixelRatio, [left, top, side, x, y, span] = box;
            const at = (i, start, from) => Math.round((from + (i + 0.93 - start) * side / span) * ratio);
            return [...canvas.getContext('2d').getImageData(at(col, x, left), at(row, y, top), 1, 1).data];
        }""",
        [row, col],
    )
    return found


def whole_list(page: Any) -> None:
    """The confusions that do not come first, too."""
    button = page.locator("#confusion-table .pager button")
    if button.count() == 1:
        button.click()


def point(page: Any, row: float, col: float) -> tuple[float, float]:
    """Where the middle of a cell of the heat map is on the screen."""
    page.locator("#map").scroll_into_view_if_needed()
    left, top, side, x, y, span = map(float, page.get_attribute("#map", "data-cells").split())
    box = page.locator("#map").bounding_box()
    return box["x"] + left + (col + 0.5 - x) * side / span, box["y"] + top + (
        row + 0.5 - y
    ) * side / span


def least_f1(m: cm.ConfusionMatrix) -> list[float]:
    """The lower bounds by which the page ranks classes."""
    found = cm.interval(m, "f1")
    assert isinstance(found, cm.Estimates)
    return [one.low for one in found]


# ---- it opens ------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 10, 100, 1000, 5000])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_it_opens_with_the_map_on_the_first_screen(
    show: Show, k: int, size: tuple[int, int]
) -> None:
    page = show(planted(k, min(k * 50, 200_000)), size=size)
    box = page.locator("#map").bounding_box()
    assert box["y"] + 100 < size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    painted = page.evaluate(
        """() => {
            const map = document.getElementById('map');
            const dots = map.getContext('2d').getImageData(0, 0, map.width, map.height).data;
            return new Set(new Uint32Array(dots.buffer).filter((dot) => dot >>> 24 === 255)).size;
        }"""
    )
    assert painted > 4
    first = page.evaluate(
        "document.getElementById('map-card').compareDocumentPosition(document.getElementById('confusion-table'))"
    )
    # Beyond 30 classes the ranked list comes first.
    assert bool(first & 4) == (k <= 30)


EDGES = {
    "nothing counted": cm.ConfusionMatrix(np.zeros((3, 3), dtype=int)),
    "one class": cm.ConfusionMatrix([[5]], ["only"]),
    "no errors": cm.ConfusionMatrix(np.diag([3, 4, 5])),
    "fractions": cm.ConfusionMatrix([[0.5, 0.25], [1e-9, 2.5]], ["a", "b"]),
    "beyond 2^53": cm.ConfusionMatrix(
        np.array([[2**62, 5], [7, 2**61]], dtype=np.uint64), ["a", "b"]
    ),
    "near the end of floats": cm.ConfusionMatrix([[1e300, 1e290], [1.0, 1e299]], ["a", "b"]),
    "outside only": cm.ConfusionMatrix(
        [[0, 0, 1], [0, 0, 2], [3, 4, 5]], ["a", "b"], outside=["x"]
    ),
    "the same twice": {
        "a": cm.ConfusionMatrix([[1, 2], [3, 4]]),
        "b": cm.ConfusionMatrix([[1, 2], [3, 4]]),
    },
    "beside nothing": {
        "a": cm.ConfusionMatrix(np.zeros((2, 2), int)),
        "b": cm.ConfusionMatrix([[1, 2], [3, 4]]),
    },
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", EDGES)
def test_matrices_at_the_edges(show: Show, name: str) -> None:
    page = show(EDGES[name], at="#class=0")
    page.focus("#map")
    for key in ("ArrowRight", "n", "p", "Enter", "r", "c", "End", "PageDown", "+", "0", "Escape"):
        page.keyboard.press(key)
    for field, choices in (
        ("norm", ["none", "predicted", "all"]),
        ("order", ["support", "worst", "cluster"]),
    ):
        for choice in choices:
            page.select_option(f"#{field}", choice)
    text = page.inner_text("body")
    assert not any(word in text for word in ("NaN", "Infinity", "null", "Nothing matches"))


def test_scores_and_their_meaning(show: Show) -> None:
    page = show(M)
    assert page.locator(".tile").first.inner_text().split() == [
        *("Accuracy", f"{364 / 400:.3f}"),
        *(f"{cm.interval(M, 'accuracy').low:.3f}", "–", f"{cm.interval(M, 'accuracy').high:.3f}"),
    ]
    page.locator(".tile").first.focus()
    assert (
        "Share of all items that were answered with their class"
        in page.locator("#tip").inner_text()
    )
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    page.locator(".tile").nth(1).hover()
    assert "Mean recall" in page.locator("#tip").inner_text()


# ---- tables --------------------------------------------------------------------------------------


def test_classes_stand_worst_first_and_sort(show: Show) -> None:
    page = show(M)
    lost = dict(zip(M.labels, (M.actual_totals - M.diagonal).tolist(), strict=True))
    assert [row[0] for row in cells(page, "#class-table")] == sorted(
        lost, key=lost.__getitem__, reverse=True
    )
    assert page.get_attribute("#class-table th:has-text('lost')", "aria-sort") == "descending"
    assert page.locator("#class-about").inner_text() == "Worst first, by the items that were lost."
    page.click("#class-table th:nth-child(1) button")
    assert [row[0] for row in cells(page, "#class-table")] == ["cat", "dog", "hen", "owl"]
    assert page.get_attribute("#class-table th:nth-child(1)", "aria-sort") == "ascending"
    page.click("#class-table th:nth-child(5) button")
    recall = dict(zip(M.labels, cm.recall(M).tolist(), strict=True))
    assert [row[0] for row in cells(page, "#class-table")] == sorted(recall, key=recall.__getitem__)
    page.click("#class-table th:nth-child(5) button")
    assert page.get_attribute("#class-table th:nth-child(5)", "aria-sort") == "descending"
    assert "sort=recall.down" in hash_of(page)


def test_tables_are_tables(show: Show) -> None:
    page = show(M)
    for table in ("#class-table", "#confusion-table"):
        assert page.locator(f"{table} caption").count() == 1
        assert (
            page.locator(f"{table} thead th[scope=col]").count()
            == page.locator(f"{table} thead th").count()
        )
        rows = page.locator(f"{table} tbody tr").count()
        assert page.locator(f"{table} tbody th[scope=row]").count() == rows


WITH_BACKGROUND = cm.ConfusionMatrix(
    [[30, 2, 0, 5], [3, 20, 1, 4], [0, 0, 10, 6], [7, 3, 2, 0]],
    ["car", "bus", "bike"],
    outside=["background"],
)


def test_means_stand_below_every_column_beside_the_items_of_the_classes(show: Show) -> None:
    """With labels outside the classes, the items of the classes are fewer than all."""
    page = show(WITH_BACKGROUND)
    widths = page.eval_on_selector_all(
        "#class-table tr",
        "rows => rows.map(row => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0))",
    )
    assert set(widths) == {8}
    told = page.eval_on_selector_all(
        "#class-table tfoot tr", "rows => rows.map(row => row.cells[1].innerText)"
    )
    report = cm.report(WITH_BACKGROUND)
    assert told == [str(int(sum(report.support)))] * 2 == ["81", "81"]


def test_of_detections_missed_and_ghosts_lead_with_hues_and_bases_of_their_own(show: Show) -> None:
    page = show(WITH_BACKGROUND)
    m = WITH_BACKGROUND
    tiles = page.locator(".tile-name").all_inner_texts()
    assert tiles[:3] == ["Precision, micro", "Recall, micro", "F1, micro"]
    assert not any(word in " ".join(tiles) for word in ("Accuracy", "kappa"))
    # Every error is in the list, the most frequent first, and of what it is a share.
    whole_list(page)
    rows = cells(page, "#confusion-table")
    errors = {(a, b): n for (a, b), n in m.pairs().items() if a != b}
    assert [int(row[1]) for row in rows] == sorted(errors.values(), reverse=True)
    assert sum(int(row[1]) for row in rows) == m.total - m.diagonal.sum()
    assert any(row[0:3] == ["background → car ghost", "7", "17.5%"] for row in rows)
    assert any(row[0:3] == ["bike → background missed", "6", "37.5%"] for row in rows)
    # The map says the same of these cells, and reads no share of the background.
    page.mouse.move(*point(page, 3, 0))
    assert page.locator("#hover").inner_text().split("\n")[-1] == "7 items · 17.5% of predicted"
    missed, ghost, confused = color_at(page, 2, 3), color_at(page, 3, 2), color_at(page, 1, 0)
    assert missed[0] > missed[2] > missed[1]
    assert ghost[2] > ghost[0] > ghost[1]
    assert confused[0] > confused[1] > confused[2]
    assert page.locator("#legend .scale > span:first-child").all_inner_texts() == [
        "confused",
        "missed",
        "ghosts",
        "hits",
    ]
    # Equal shares of the class are equal shades, whichever way they err.
    even = cm.ConfusionMatrix([[16, 4], [4, 0]], ["a"], outside=["background"])
    page = show(even)
    assert page.evaluate("document.getElementById('confusion-table').innerText").count("20.0%") == 2


def test_the_page_of_box_errors_says_what_python_says(show: Show) -> None:
    rng = np.random.default_rng(1)
    places = rng.uniform(0, 400, (12, 2))
    boxes = np.hstack([places, places + 40])
    labels = rng.choice(["car", "bus"], 12)
    truth = [{"boxes": boxes, "labels": labels}]
    moved = boxes + rng.normal(0, 8, (12, 1))
    guess = np.where(rng.random(12) < 0.3, "bus", labels)
    predicted = [{"boxes": moved, "labels": guess, "scores": rng.uniform(0.3, 1, 12)}]
    errors = cm.detection.box_errors(truth, predicted)
    assert errors.precision is not None
    page = show(errors, images=[np.zeros((440, 440), np.uint8)])
    tiles = [tile.split("\n") for tile in page.locator(".tile").all_inner_texts()]
    assert [tile[0] for tile in tiles][3:5] == ["AP", "AP50"]
    assert [tile[1] for tile in tiles][3:5] == [
        f"{errors.precision.mean:.3f}",
        f"{errors.precision.at(0.5):.3f}",
    ]
    kinds = "section:has(> .card-head > #kinds-title)"
    assert [(row[0], int(row[1])) for row in cells(page, kinds)] == [
        *zip(errors.kinds, errors.counts.sum(axis=0).tolist(), strict=True)
    ]
    page.click("#class-table tbody button:has-text('car')")
    which = errors.matrix.labels.index("car")
    assert [int(row[1]) for row in cells(page, kinds)] == errors.counts[which].tolist()
    page.click("#confusion-table button:has-text('background') >> nth=0")
    assert page.locator(".gallery img").count() >= 1


def test_answers_outside_the_classes_are_errors_and_no_detections(show: Show) -> None:
    m = cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["b", "a"], outside=["(missing)"])
    page = show(m)
    assert page.locator(".tile-name").first.inner_text() == "Accuracy"
    assert page.locator(".tag").count() == 0
    assert (
        "labels outside the classes, (missing), are left out: 4"
        in page.locator(".notes").inner_text()
    )


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_long_names_of_models_leave_room_for_numbers(show: Show, size: tuple[int, int]) -> None:
    names = ["a model whose name says how it was trained, and when", "ب" * 60]
    page = show({names[0]: M, names[1]: M.T}, size=size)
    whole_list(page)
    card = page.locator("#confusion-table").bounding_box()
    last = page.locator("#confusion-table tbody tr td:last-child").first.bounding_box()
    assert last["x"] + last["width"] <= card["x"] + card["width"] + 1
    assert page.locator("#confusion-table thead .name").first.get_attribute("title") == names[0]
    # A name that runs from right to left turns no sign around.
    assert page.locator("#confusion-about bdi").first.text_content() == names[1]


def test_many_models_leave_the_map_on_the_first_screens(show: Show) -> None:
    page = show({f"model {i}": M for i in range(40)})
    assert page.locator("#map-card").bounding_box()["y"] < 800


def test_long_names_of_a_pair_have_a_line_each(show: Show) -> None:
    long = [f"{letter * 9} names of {letter * 9}" for letter in "mosu"]
    page = show(cm.ConfusionMatrix(M.counts, long))
    first, second = (
        page.locator("#confusion-table .pairing .name").nth(i).bounding_box() for i in (0, 1)
    )
    assert second["y"] >= first["y"] + first["height"]
    assert min(first["width"], second["width"]) > 60
    short = show(M)
    first, second = (
        short.locator("#confusion-table .pairing .name").nth(i).bounding_box() for i in (0, 1)
    )
    assert first["y"] == second["y"]


def test_the_table_of_classes_is_filtered_and_turned(show: Show) -> None:
    page = show(planted(200, 4000))
    assert len(cells(page, "#class-table")) == 50
    page.click("#class-table .pager button:has-text('Next')")
    assert "51–100 of 200 rows" in page.locator("#class-table .pager").inner_text()
    page.fill("#class-filter", "class 17")
    assert {row[0] for row in cells(page, "#class-table")} == {
        f"class {i}" for i in range(200) if "17" in str(i)
    }
    page.fill("#class-filter", "nothing like it")
    assert "Nothing matches" in page.locator("#class-table").inner_text()


def test_confusions_are_ranked_as_python_ranks_them(show: Show) -> None:
    table = [
        [78, 18, 1, 2, 1],
        [15, 78, 2, 3, 2],
        [1, 2, 93, 2, 2],
        [2, 3, 3, 90, 2],
        [3, 2, 2, 3, 90],
    ]
    m = cm.ConfusionMatrix(table, ["cat", "dog", "hen", "owl", "pig"])
    page = show(m)
    ranked = cm.top_confusions(m, 16)
    assert [one.flagged for one in ranked[:3]] == [True, True, False]
    expected = [f"{one.actual} → {one.predicted}" for one in ranked]
    # Confusions that are shown come first; all others, and what they were held against, on demand.
    assert [row[0] for row in cells(page, "#confusion-table")] == expected[:2]
    assert page.locator("#confusion-table .pager").inner_text() == "18 more, not beyond chance"
    page.click("text=More columns")
    assert page.locator("#confusion-more dt").all_inner_texts() == [
        "excess",
        "lift",
        "q",
        "reverse",
    ]
    whole_list(page)
    rows = cells(page, "#confusion-table")
    assert [row[0] for row in rows] == expected
    assert [row[5] for row in rows] == [
        f"{probability(one.q_value)}{' *' * one.flagged}" for one in ranked
    ]
    assert [row[6] for row in rows] == [str(one.reverse) for one in ranked]
    # A lift is spelt as in every print.
    assert [row[4] for row in rows] == [multiple(one.lift) for one in ranked]
    # By evidence, which is no column.
    assert page.locator("#confusion-table th[aria-sort]").count() == 0
    page.fill("#confusion-filter", "owl")
    found = [f"{one.actual} → {one.predicted}" for one in cm.top_confusions(m)]
    assert [row[0] for row in cells(page, "#confusion-table")] == [
        one for one in found if "owl" in one
    ]
    page.fill("#confusion-filter", "")
    page.click("#confusion-table th:nth-child(2) button")
    counts = [int(row[1]) for row in cells(page, "#confusion-table")]
    assert counts == sorted(counts, reverse=True)


def test_the_filter_finds_every_pair_and_stands_in_the_address(show: Show) -> None:
    m = planted(100, 3000)
    last = cm.top_confusions(m, None)[-1]
    page = show(m)
    page.fill("#confusion-filter", f"{last.actual} {last.predicted}")
    page.click("#confusion-table th:nth-child(2) button")
    rows = cells(page, "#confusion-table")
    assert f"{last.actual} → {last.predicted}" in {row[0] for row in rows}
    address = hash_of(page)
    assert f"pairs={last.actual} {last.predicted}" in address.replace("+", " ")
    assert "by=count.down" in address
    other = show(m, at=page.evaluate("location.hash"))
    assert other.locator("#confusion-filter").input_value() == f"{last.actual} {last.predicted}"
    assert cells(other, "#confusion-table") == rows


def inked(page: Any) -> float:
    """The share of the map's pixels that show an error."""
    found: float = page.evaluate(
        """() => {
            const canvas = document.getElementById('map');
            const inPixels = (x) => Math.round(Number(x) * devicePixelRatio);
            const [left, top, side] = canvas.dataset.cells.split(' ').map(inPixels);
            const { data } = canvas.getContext('2d').getImageData(left, top, side, side);
            let orange = 0;
            for (let i = 0; i < data.length; i += 4) orange += data[i] - data[i + 2] > 20;
            return orange / (data.length / 4);
        }"""
    )
    return found


def test_only_what_stands_out_is_shown_on_request(show: Show) -> None:
    counts = np.full((12, 12), 3) + np.diag([200] * 12)
    counts[2, 5] = 40
    m = cm.ConfusionMatrix(counts, [f"c{i:02}" for i in range(12)])
    assert [(one.actual, one.predicted) for one in cm.top_confusions(m) if one.flagged] == [
        ("c02", "c05")
    ]
    page = show(m, at="#one=1")
    before = inked(page)
    page.check("#only")
    page.wait_for_timeout(60)
    assert before > 0.75
    assert 1 / 288 < inked(page) <= 1 / 140
    # Nothing is denied: the pointer still reads the cell.
    page.mouse.move(*point(page, 3, 7))
    assert page.locator("#hover").inner_text().split("\n")[-1].startswith("3 items")
    assert "only=1" in hash_of(page)
    page.select_option("#norm", "excess")
    expected = cm.top_confusions(m, 1)[0].excess
    assert str(round(expected)) in written(page)


def test_thousands_of_classes_are_no_fog(show: Show) -> None:
    """Two confusions stand out from an error in every row and column; the page opens with these."""
    size = 1500
    rng = np.random.default_rng(1)
    places = rng.permutation(size)
    pairs = {(i, i): 30 for i in range(size)} | {
        (i, j): 1 for i, j in enumerate(places.tolist()) if i != j
    }
    pairs |= {(i, int(j)): 1 for i in range(size) for j in rng.integers(0, size, 6) if i != j}
    pairs |= {(10, 1200): 40, (900, 300): 40}
    m = cm.ConfusionMatrix.from_pairs(
        [(i, j, n) for (i, j), n in pairs.items()], labels=range(size)
    )
    page = show(m, order="given")
    assert (page.locator("#norm").input_value(), page.locator("#only").is_checked()) == (
        "excess",
        True,
    )
    stands_out = inked(page)
    assert 0 < stands_out < 0.001
    page.uncheck("#only")
    page.check("#one")
    page.wait_for_timeout(100)
    assert inked(page) > 20 * stands_out
    assert show(m, order="given", normalize="actual").locator("#only").is_checked() is False


# ---- looking closer ------------------------------------------------------------------------------


def test_a_class_shows_its_roles_and_its_scores(show: Show) -> None:
    page = show(M)
    page.click("#class-table tbody button:has-text('dog')")
    quarters = [text.split("\n")[-1] for text in page.locator(".quarter").all_inner_texts()]
    dog = M.one_vs_rest("dog")
    assert quarters == [str(value) for value in (dog.tp, dog.fn, dog.fp, dog.tn)]
    details = page.locator("#details").inner_text()
    assert f"{cm.recall(M, of='dog'):.3f}" in details
    assert "class=1" in hash_of(page)
    page.click("#details button[aria-label='Close the details']")
    assert page.locator("#details").is_hidden()


def test_a_click_on_a_cell_shows_its_examples(show: Show) -> None:
    page = show(M, examples={("dog", "cat"): [{"id": "img_7.jpg", "text": "a dog in a basket"}]})
    page.mouse.click(*point(page, 1, 0))
    assert "cell=1.0" in hash_of(page)
    assert cells(page, "table.examples") == [["img_7.jpg", "a dog in a basket"]]
    assert cells(page, "table.facts") == [["this cell", "12", "12.0%", f"{12 / 105:.1%}", "3.0%"]]
    page.click("#details button:has-text('The other way round: 9')")
    assert "cell=0.1" in hash_of(page)
    assert "There are no examples of this cell." in page.locator("#details").inner_text()


def test_details_come_before_the_eyes(show: Show) -> None:
    """From the end of a long table, and on a phone from the map, whose place does not move under the finger."""
    page = show(planted(200, 4000))
    page.click("#class-table tbody tr:last-child button")
    page.wait_for_timeout(100)
    assert 0 <= page.locator("#details h2").bounding_box()["y"] < 800
    phone = show(planted(200, 4000), size=(390, 844))
    before = phone.evaluate("document.getElementById('map').offsetTop")
    phone.mouse.click(*point(phone, 20, 20))
    phone.wait_for_timeout(100)
    assert phone.evaluate("document.getElementById('map').offsetTop") == before
    assert 0 <= phone.locator("#details h2").bounding_box()["y"] < 844


def test_the_pointer_reads_cells(show: Show) -> None:
    page = show(M)
    page.mouse.move(*point(page, 1, 0))
    text = page.locator("#hover").inner_text()
    assert text.split("\n")[:2] == ["actual dog", "predicted cat"]
    assert "12 items · 12.0% of actual" in text
    page.mouse.move(5, 5)
    assert page.locator("#hover").is_hidden()


def test_a_class_is_found_by_its_name(show: Show) -> None:
    page = show(planted(1000, 20_000))
    page.fill("#search", "class 777")
    assert page.locator("#search-list li").all_inner_texts()[0] == "class 777"
    assert page.get_attribute("#search", "aria-expanded") == "true"
    page.keyboard.press("Enter")
    assert page.locator("#details h2").inner_text() == "class 777"
    assert "class=777" in hash_of(page)
    # The map has come closer to it.
    assert float(page.get_attribute("#map", "data-cells").split()[-1]) < 1000
    page.fill("#search", "nobody")
    assert page.locator("#search-list").inner_text() == "No such class"


# ---- the map -------------------------------------------------------------------------------------


def span(page: Any) -> float:
    page.wait_for_timeout(60)
    return float(page.get_attribute("#map", "data-cells").split()[-1])


def test_zoom_by_wheel_buttons_and_keys_and_pan_by_drag(show: Show) -> None:
    page = show(planted(100, 3000))
    assert span(page) == 100
    page.mouse.move(*point(page, 50, 50))
    page.mouse.wheel(0, -400)
    closer = span(page)
    assert closer < 100
    page.click("#zoom-in")
    assert span(page) < closer
    before = page.get_attribute("#map", "data-cells").split()[3:5]
    page.mouse.move(*(x := point(page, 50, 50)))
    page.mouse.down()
    page.mouse.move(x[0] - 60, x[1] - 40, steps=4)
    page.mouse.up()
    page.wait_for_timeout(60)
    after = page.get_attribute("#map", "data-cells").split()[3:5]
    assert float(after[0]) > float(before[0])
    assert float(after[1]) > float(before[1])
    # A drag opens nothing.
    assert page.locator("#details").is_hidden()
    assert "view=" in hash_of(page)
    page.focus("#map")
    page.keyboard.press("0")
    assert span(page) == 100
    page.keyboard.press("+")
    assert span(page) < 100
    page.click("#zoom-all")
    assert span(page) == 100
    assert "view=" not in hash_of(page)


def test_two_fingers_zoom_and_what_lies_between_them_stays(show: Show) -> None:
    page = show(planted(100, 3000), size=(390, 844))
    x, y = point(page, 40, 40)
    touch = page.context.new_cdp_session(page)

    def fingers(kind: str, apart: float) -> None:
        places = [] if kind == "touchEnd" else [{"x": x - apart, "y": y}, {"x": x + apart, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    fingers("touchStart", 20)
    for apart in (25, 30, 40):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)
    assert span(page) == pytest.approx(50, abs=1)
    there = point(page, 40, 40)
    # The middle of the cell went at most half a cell away from its place between the fingers.
    assert abs(there[0] - x) < 3
    assert abs(there[1] - y) < 3
    assert page.locator("#details").is_hidden()


def test_where_the_map_cannot_zoom_out_the_page_scrolls(show: Show) -> None:
    page = show(planted(100, 3000))
    page.mouse.move(*point(page, 50, 50))
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(100)
    assert page.evaluate("scrollY") > 0


def test_the_keyboard_alone_reaches_everything(show: Show) -> None:
    page = show(M, examples={("cat", "dog"): ["one"]})
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {
        "search",
        "theme",
        "norm",
        "order",
        "map",
        "class-filter",
        "confusion-filter",
        "sort",
        "tile",
    } <= seen
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert (
        page.locator("#live")
        .inner_text()
        .startswith("actual cat, predicted dog: 9 items · 9.0% of actual")
    )
    page.keyboard.press("Enter")
    assert "1 example" in page.locator("#details").inner_text()
    page.keyboard.press("r")
    assert page.locator("#details h2").inner_text() == "cat"
    page.keyboard.press("c")
    assert page.locator("#details h2").inner_text() == "dog"
    page.keyboard.press("Escape")
    assert page.locator("#details").is_hidden()
    page.keyboard.press("End")
    page.keyboard.press("p")
    page.wait_for_timeout(200)
    assert page.locator("#live").inner_text().startswith("actual cat, predicted hen: 1 item ·")


def test_everything_that_acts_has_a_name(show: Show) -> None:
    """Names, ids and what they refer to, as a screen reader needs them; of one model, of two, with details open."""
    for page in (
        show(M, at="#class=1", class_groups={"pets": ["cat", "dog"]}),
        show({"a": M, "b": M.T}, at="#cell=0.1"),
    ):
        nameless = page.evaluate(
            """[...document.querySelectorAll('button, input, select, summary, a, [tabindex="0"]')].filter((node) =>
                !node.textContent.trim() && !node.getAttribute('aria-label') && !node.labels?.length
            ).map((node) => node.outerHTML)"""
        )
        assert nameless == []
        broken = page.evaluate(
            """['aria-describedby', 'aria-labelledby', 'aria-controls'].flatMap((word) =>
                [...document.querySelectorAll(`[${word}]`)].flatMap((node) => node.getAttribute(word).split(' '))
            ).filter((id) => document.querySelectorAll('#' + CSS.escape(id)).length !== 1)"""
        )
        assert broken == []
        assert page.get_attribute("html", "lang") == "en"
        levels = [
            int(tag[1])
            for tag in page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => one.tagName)")
        ]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))


BOX: dict[str, Any] = {"boxes": [[0, 0, 5, 5]], "labels": ["car"]}


@pytest.mark.parametrize(
    ("size", "scheme"),
    [((1280, 800), "light"), ((390, 844), "dark")],
    ids=["desk-light", "phone-dark"],
)
def test_axe_core_finds_nothing(show: Show, size: tuple[int, int], scheme: str) -> None:
    """No rule of axe-core is broken, with a class, a cell or nothing open, of one model and of several."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    hierarchy = cm.Hierarchy.from_nested({"bird": ["owl", "hen"], "mammal": ["dog", "cat"]})
    shown: list[tuple[Any, dict[str, Any]]] = [
        (
            M,
            {
                "examples": {("cat", "dog"): [{"id": "7", "text": "a long text " * 40}]},
                "at": "#cell=0.1",
            },
        ),
        (
            M,
            {
                "examples": {("cat", "dog"): [{"image": np.eye(30), "text": "a", "n": 1}]},
                "at": "#cell=0.1",
            },
        ),
        (M, {"class_groups": hierarchy, "at": "#class=1&fold=0"}),
        (WITH_BACKGROUND, {"at": "#cell=0.3"}),
        (
            cm.detection.box_errors([BOX], [BOX | {"scores": [0.9]}]),
            {"images": [np.eye(9)], "at": "#class=0"},
        ),
        ({"a": M, "b": M.T}, {"at": "#cell=0.1"}),
        (planted(100, 3000), {}),
    ]
    for m, options in shown:
        page = show(m, size=size, scheme=scheme, **options)
        found = axe.run(page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_focus_is_seen(show: Show) -> None:
    page = show(M)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    style = "getComputedStyle(document.activeElement)"
    assert page.evaluate(f"{style}.outlineStyle") == "solid"
    assert page.evaluate(f"parseFloat({style}.outlineWidth)") >= 2


def test_shades_follow_the_choice(show: Show) -> None:
    page = show(cm.ConfusionMatrix([[90, 10], [1, 9]], ["a", "b"]), normalize=None)
    counts = color_at(page, 0, 1), color_at(page, 1, 0)
    page.select_option("#norm", "actual")
    page.wait_for_timeout(60)
    rates = color_at(page, 0, 1), color_at(page, 1, 0)
    # By counts, 10 is more than 1; as shares of their classes both are a tenth.
    assert counts[0] != counts[1]
    assert rates[0] == rates[1]
    # Hits have a hue of their own: blue above red, and errors the other way round.
    hit, error = color_at(page, 0, 0), color_at(page, 0, 1)
    assert hit[2] > hit[0]
    assert error[0] > error[2]


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("one", [False, True])
def test_cells_have_the_colors_of_every_drawing(show: Show, scheme: str, one: bool) -> None:
    palette = {"light": LIGHT, "dark": DARK}[scheme]
    m = cm.ConfusionMatrix([[982, 6, 0, 12], [96, 903, 1, 0], [0, 0, 1000, 0], [2, 400, 40, 558]])
    page = show(m, scheme=scheme)
    if one:
        page.locator("#one").check()
        assert "one=1" in hash_of(page)
    view = cm.view(m, normalize="actual", scale="one" if one else None)
    expected = 255 * painted(view.shades, view.roles, palette)
    found = np.array([[color_at(page, row, col)[:3] for col in range(4)] for row in range(4)])
    # Ramps are interpolated in other spaces, so between their stops a little is left.
    assert np.abs(found - expected).max() <= 9
    assert len({tuple(found[cell]) for cell in zip(*np.nonzero(m.counts == 0), strict=True)}) == 1


def test_the_legend_begins_with_paper_and_has_its_values_where_their_shades_are(show: Show) -> None:
    page = show(cm.ConfusionMatrix([[999, 1, 0], [4, 996, 0], [0, 0, 1000]]))
    ends, colors = page.evaluate(
        """() => {
            const strip = document.querySelector('#legend .strip');
            const { left, width } = strip.querySelector('canvas').getBoundingClientRect();
            const ticks = [...strip.querySelectorAll('.tick')].map((tick) => {
                const box = tick.getBoundingClientRect();
                return [tick.textContent, ((box.left + box.right) / 2 - left) / width];
            });
            const pen = strip.querySelector('canvas').getContext('2d');
            return [ticks, [0, 255].map((x) => [...pen.getImageData(x, 0, 1, 1).data].slice(0, 3))];
        }"""
    )
    assert [text for text, _ in ends] == ["0", "1%", "10%"]
    shades = shaded(np.array([0, 0.01, 0.1]), 0.1)
    assert [place for _, place in ends] == pytest.approx(shades.tolist(), abs=0.01)
    assert colors[0] == color_at(page, 0, 2)[:3]
    # The strongest color of the scale stands for ten per cent, and no cell here comes near it.
    assert np.abs(np.subtract(colors[1], color_at(page, 1, 0)[:3])).max() > 100


@pytest.mark.parametrize(("sizes", "differ"), [((100, 100, 98), False), ((100, 50, 100), True)])
def test_bars_of_items_stand_where_classes_differ(
    show: Show, sizes: tuple[int, ...], differ: bool
) -> None:
    page = show(cm.ConfusionMatrix(np.diag(sizes)))
    inked = page.evaluate(
        """() => {
            const map = document.getElementById('map');
            const [left, top, side] = map.dataset.cells.split(' ').map(Number);
            const begin = Math.ceil((left + side + 1) * devicePixelRatio);
            const pixels = map.getContext('2d').getImageData(begin, 0, map.width - begin, map.height).data;
            return pixels.some((part, at) => at % 4 === 3 && part > 0);
        }"""
    )
    assert inked is differ


def test_of_many_classes_hits_are_blue_and_errors_orange(show: Show) -> None:
    """The diagonal is found at every K, and the errors of its neighbours beside it."""
    page = show(planted(1000, 20_000), order="given")
    hits, errors = page.evaluate(
        """() => {
            const canvas = document.getElementById('map');
            const inPixels = (x) => Math.round(Number(x) * devicePixelRatio);
            const [left, top, side] = canvas.dataset.cells.split(' ').map(inPixels);
            const pixels = canvas.getContext('2d').getImageData(left, top, side, side).data;
            const bluer = (row, col) => pixels[4 * (row * side + col) + 2] - pixels[4 * (row * side + col)];
            const rows = [...Array(side - 10).keys()].map((i) => i + 5);
            const around = (row) => Array.from({ length: 11 }, (_, i) => bluer(row, row + i - 5));
            return [rows.filter((row) => around(row).filter((x) => x > 20).length >= 2).length / rows.length,
                rows.filter((row) => around(row).some((x) => x < -20)).length / rows.length];
        }"""
    )
    # Names of the foremost errors lie over some.
    assert hits > 0.9
    assert errors > 0.9


def test_the_largest_difference_is_written(show: Show) -> None:
    """Texts of cells: more and less alike, and the largest ones rather narrow than missing."""
    names = [f"some class {i}" for i in range(10)]
    old = np.full((10, 10), 10)
    new = old.copy()
    new[0, 1], new[1, 0] = 40, 1
    page = show(
        {"old": cm.ConfusionMatrix(old, names), "new": cm.ConfusionMatrix(new, names)},
        size=(1280, 500),
    )
    texts = page.evaluate(
        """() => new Promise((done) => {
            const written = [], pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
            pen.fillText = function (text, ...more) { written.push(text); write.call(this, text, ...more); };
            document.getElementById('norm').dispatchEvent(new Event('change'));
            document.getElementById('theme').click();
            requestAnimationFrame(() => requestAnimationFrame(() => done(written)));
        })"""
    )
    assert any(text.startswith("+2") for text in texts)
    assert any(text.startswith("−") for text in texts)


def test_orders(show: Show) -> None:
    m = cm.ConfusionMatrix([[9, 0, 4], [0, 20, 1], [8, 0, 7]], ["b", "c", "a"])
    page = show(m)
    page.click("#zoom-all")

    def order() -> list[str]:
        page.wait_for_timeout(60)
        texts = []
        for row in range(3):
            page.mouse.move(*point(page, row, row))
            texts.append(page.locator("#hover").inner_text().split("\n")[0].removeprefix("actual "))
        return texts

    f1 = dict(zip(m.labels, least_f1(m), strict=True))
    for name, expected in {
        "given": ["b", "c", "a"],
        "alphabetical": ["a", "b", "c"],
        "support": ["c", "a", "b"],
        "worst": sorted(f1, key=f1.__getitem__),
        "cluster": list(cm.structure.class_order(m)),
    }.items():
        page.select_option("#order", name)
        assert order() == expected, name


NESTED = {
    "animal": {"mammal": ["cat", "dog"], "bird": ["hen", "owl"]},
    "thing": {"box": ["jar", "tin"], "bag": ["net", "sack"]},
}


def nested() -> tuple[cm.ConfusionMatrix, cm.Hierarchy]:
    """Eight classes below two groups of two groups each, in no order."""
    counts = np.random.default_rng(0).integers(1, 30, (8, 8)) + np.diag([90] * 8)
    names = ["owl", "jar", "net", "cat", "hen", "tin", "sack", "dog"]
    return cm.ConfusionMatrix(counts, names), cm.Hierarchy.from_nested(NESTED)


def fold(page: Any, text: str) -> None:
    page.select_option("#fold", label=text)


def details(page: Any) -> str:
    return " ".join(page.locator("#details").inner_text().split())


def written(page: Any) -> list[str]:
    """The texts of the next drawing of the map."""
    found: list[str] = page.evaluate(
        """() => new Promise((done) => {
            const written = [], pen = CanvasRenderingContext2D.prototype, write = pen.fillText;
            pen.fillText = function (text, ...more) { written.push(text); write.call(this, text, ...more); };
            document.getElementById('theme').click();
            requestAnimationFrame(() => requestAnimationFrame(() => { pen.fillText = write; done(written); }));
        })"""
    )
    return found


def test_a_hierarchy_folds_at_any_level_and_its_names_stand_on_the_map(show: Show) -> None:
    m, h = nested()
    page = show(m, class_groups=h)
    assert page.locator("#order").input_value() == "hierarchy"
    assert page.locator("#fold option").all_inner_texts() == ["no groups", "2 groups", "4 groups"]
    texts = written(page)
    for name in ("animal", "thing", "mammal", "bird", "box", "bag"):
        assert texts.count(name) == 2, name
    page.mouse.move(*point(page, 0, 3))
    assert page.locator("#hover").inner_text().split("\n")[:2] == ["actual cat", "predicted owl"]
    for level, text in ((1, "2 groups"), (2, "4 groups")):
        fold(page, text)
        rolled = m.roll_up(h, level).pairs()
        page.mouse.move(*point(page, 1, 0))
        actual, predicted, told = page.locator("#hover").inner_text().split("\n")
        pair = actual.removeprefix("actual "), predicted.removeprefix("predicted ")
        assert told.startswith(f"{rolled[pair]} items")
        assert span(page) == 2 * level
    # The outer level opens to the inner one.
    fold(page, "2 groups")
    page.click("#class-table tbody button:has-text('animal')")
    page.click("#details button:has-text('Unfold')")
    assert span(page) == 3


@pytest.mark.parametrize("level", [1, 2])
def test_groups_have_the_scores_of_the_merged_matrix(show: Show, level: int) -> None:
    m, h = nested()
    page = show(m, class_groups=h)
    fold(page, f"{2 * level} groups")
    merged = m.merge(h.groups(m, level))
    scores = cm.report(merged, ["precision", "recall", "specificity", "f1"])
    rows = {row[0]: row for row in cells(page, "#class-table")}
    assert set(rows) == set(merged.labels)
    bounds: Any = cm.interval(merged, "f1")
    for at, name in enumerate(merged.labels):
        assert rows[name][1] == str(merged.actual_totals[at])
        assert rows[name][2] == str(merged.actual_totals[at] - merged.diagonal[at])
        assert rows[name][3:-1] == [f"{value:.3f}" for value in scores.values[at]]
        reach = page.locator(f"#class-table tr:has(button:has-text('{name}')) .reach")
        assert reach.get_attribute("aria-label") == f"{bounds.low[at]:.3f} to {bounds.high[at]:.3f}"
        page.click(f"#class-table tbody button:has-text('{name}')")
        quarters = [
            int(text.split("\n")[-1].replace(",", ""))
            for text in page.locator(".quarter").all_inner_texts()
        ]
        one = merged.one_vs_rest(name)
        assert quarters == [one.tp, one.fn, one.fp, one.tn]


def test_a_folded_cell_opens_its_sum_and_its_pairs(show: Show) -> None:
    m, h = nested()
    page = show(m, class_groups=h)
    fold(page, "2 groups")
    page.mouse.click(*point(page, 1, 0))
    groups = h.groups(m)
    pairs = {(i, j): m.pairs()[i, j] for i in groups["thing"] for j in groups["animal"]}
    assert details(page).startswith("thing → animal")
    assert cells(page, "#details .facts")[0][:2] == ["this cell", str(sum(pairs.values()))]
    listed = page.locator("#details .flows li").all_inner_texts()
    found = [" ".join(text.split()).split(" · ")[0] for text in listed]
    ranked = sorted(pairs, key=pairs.__getitem__, reverse=True)
    assert [int(text.split()[-1]) for text in found] == [pairs[pair] for pair in ranked[:12]]
    assert set(found) <= {f"{i} → {j} {times}" for (i, j), times in pairs.items()}
    assert "16 pairs of classes, the first 12" in details(page)
    # The same by its address, folded or not.
    address = hash_of(page)
    assert details(show(m, class_groups=h, at=address)) == details(page)
    fold(page, "no groups")
    assert cells(page, "#details .facts")[0][1] == str(sum(pairs.values()))
    fold(page, "2 groups")
    page.mouse.click(*point(page, 0, 0))
    inside = m.merge(groups).pairs()["animal", "animal"]
    hits = sum(m.pairs()[name, name] for name in groups["animal"])
    assert (
        f"{hits} are of the right class, {inside - hits} of another class of the group"
        in details(page)
    )


def test_long_names_are_short_on_the_map_and_whole_when_pointed_at(show: Show) -> None:
    names = ["Tumour of the lung, left upper lobe", "Tumour of the lung, right upper lobe", "Cough"]
    m = cm.ConfusionMatrix([[9, 5, 0], [4, 9, 1], [0, 2, 9]], names)
    page = show(m)
    assert {"…left upper lobe", "…right upper lobe", "Cough"} <= set(written(page))
    pairs = [
        " → ".join(pair) for pair in ((one.actual, one.predicted) for one in cm.top_confusions(m))
    ]
    titles = page.eval_on_selector_all(
        "#confusion-table .pairing",
        "all => all.map(one => [...one.querySelectorAll('bdi')].map(x => x.title).join(' → '))",
    )
    assert titles == pairs
    assert "…left upper lobe → …right upper lobe" in {
        row[0] for row in cells(page, "#confusion-table")
    }
    page.mouse.move(*point(page, 0, 1))
    assert page.locator("#hover").inner_text().split("\n")[0] == f"actual {names[0]}"
    page = show(
        cm.ConfusionMatrix(
            M.counts, [f"n0144076{i} a very wild {name}" for i, name in enumerate(M.labels)]
        )
    )
    assert {"cat", "dog", "hen", "owl"} <= set(written(page))
    key = page.locator("#map-key").inner_text()
    assert "names without their codes, such as n01440760" in key
    assert '"a very wild " in front' in key
    assert cells(page, "#class-table")[0][0].startswith("n0144076")
    assert show(M).locator("#map-key").inner_text() == ""


def test_groups_fold_and_unfold(show: Show) -> None:
    groups = {"pets": ["dog", "cat"], "birds": ["hen", "owl"]}
    page = show(M, class_groups=groups)
    fold(page, "2 groups")
    page.mouse.move(*point(page, 0, 1))
    folded = M.merge(groups).counts
    text = page.locator("#hover").inner_text()
    assert text.split("\n")[:2] == ["actual pets", "predicted birds"]
    assert f"{folded[0, 1]} items" in text
    assert "fold=0.1" in hash_of(page)
    # A click on the label of a folded group shows it, and there it opens.
    _, y = point(page, 0, 0)
    left = page.locator("#map").bounding_box()["x"]
    page.mouse.click(left + float(page.get_attribute("#map", "data-cells").split()[0]) - 12, y)
    assert details(page).startswith("pets")
    page.click("#details button:has-text('Unfold')")
    assert "fold=1" in hash_of(page)
    assert span(page) == 3
    fold(page, "no groups")
    assert span(page) == 4
    # Unfolded, its name stands beside its classes and does the same.
    page.click("#details button[aria-label='Close the details']")
    left = page.locator("#map").bounding_box()["x"]
    page.mouse.click(left + 24, point(page, 0.5, 0)[1])
    assert details(page).startswith("pets")
    with pytest.raises(cm.ConfmatError, match="two groups"):
        show(M, class_groups={"x": ["cat", "dog"], "y": ["dog"]})


def test_outside_labels_stay_at_the_end_and_have_no_scores(show: Show) -> None:
    m = cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["b", "a"], outside=["(none)"])
    page = show(m)
    assert [row[0] for row in cells(page, "#class-table")] != []
    assert "(none)" not in {row[0] for row in cells(page, "#class-table")}
    page.select_option("#order", "alphabetical")
    page.mouse.move(*point(page, 2, 0))
    assert page.locator("#hover").inner_text().split("\n")[0] == "actual (none)"
    assert "outside the classes: (none)" in page.locator(".about").inner_text()


# ---- comparing -----------------------------------------------------------------------------------


def test_two_models_are_compared(show: Show) -> None:
    old = cm.ConfusionMatrix([[8, 2], [4, 6]], ["no", "yes"])
    new = cm.ConfusionMatrix([[9, 1], [5, 5]], ["no", "yes"])
    page = show({"old": old, "new": new})
    rows = cells(page, ".models")
    assert [row[0] for row in rows] == ["old", "new", "new − old"]
    first = cm.interval(old, "accuracy")
    assert rows[0][2] == f"{14 / 20:.3f} {first.low:.3f} – {first.high:.3f}"
    assert "−" not in rows[1][2]
    page.mouse.move(*point(page, 0, 1))
    text = page.locator("#hover").inner_text()
    assert "old: 2 items · 20.0% of actual" in text
    assert "new: 1 item · 10.0% of actual" in text
    assert "new − old: −10.0 pp of actual, may be nothing" in text
    assert [row[1] for row in cells(page, "#confusion-table")] == ["no → yes", "yes → no"]
    page.select_option("#show", "1")
    assert "show=1" in hash_of(page)
    page.mouse.move(*point(page, 1, 0))
    assert "5 items · 50.0% of actual" in page.locator("#hover").inner_text()


def test_three_models_are_compared_two_by_two(show: Show) -> None:
    parts = {
        name: cm.ConfusionMatrix([[9, n], [n, 9]], ["a", "b"])
        for n, name in enumerate(["x", "y", "z"])
    }
    page = show(parts)
    page.select_option("#base", "1")
    page.select_option("#other", "2")
    page.mouse.move(*point(page, 0, 1))
    text = page.locator("#hover").inner_text()
    assert "y: 1 item" in text
    assert "z: 2 items" in text
    assert "base=1" in hash_of(page)


def test_labels_are_no_rivals(show: Show) -> None:
    """Matrices of a label each are named by their axis and shown one by one, whatever the address says."""
    page = show(cm.count_multilabel(["a;b", "a", "b;c"], ["a", "a;c", "b"], sep=";"))
    assert "3 matrices, one for each label" in page.locator(".about").inner_text()
    assert page.locator(".models th").first.inner_text() == "label"
    assert [row[0] for row in cells(page, ".models")] == ["a", "b", "c"]
    assert page.locator(".gap").count() == 0
    assert page.locator("#show option").all_inner_texts() == ["a", "b", "c"]
    assert page.locator("#pair-choice").is_hidden()
    page.evaluate("location.hash = 'show=difference'")
    page.select_option("#show", "1")
    assert page.locator(".gap").count() == 0
    assert page.locator("#show").input_value() == "1"


# ---- the address, the looks, paper ---------------------------------------------------------------


def test_a_view_is_shared_by_its_address(show: Show) -> None:
    m = planted(100, 3000)
    page = show(m)
    page.select_option("#norm", "predicted")
    page.select_option("#order", "worst")
    page.mouse.move(*point(page, 20, 20))
    page.mouse.wheel(0, -300)
    page.fill("#class-filter", "class 1")
    page.click("#class-table tbody button >> nth=0")
    address = hash_of(page)
    other = show(m, at=address)
    other.wait_for_timeout(300)
    assert hash_of(other) == address
    for field in ("norm", "order", "class-filter"):
        assert other.locator(f"#{field}").input_value() == page.locator(f"#{field}").input_value()
    assert other.locator("#details h2").inner_text() == page.locator("#details h2").inner_text()
    ours, theirs = (one.get_attribute("#map", "data-cells").split()[3:] for one in (page, other))
    assert np.allclose(np.array(ours, float), np.array(theirs, float), atol=0.02)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "address",
    [
        "#class=999",
        "#cell=1",
        "#view=nan,1,2",
        "#norm=<script>",
        "#sort=x.y&fold=9.9",
        "#%00%ff=%",
        "#show=7",
    ],
)
def test_a_broken_address_is_no_harm(show: Show, address: str) -> None:
    page = show(M, at=address)
    assert span(page) == 4


def test_the_address_is_followed_while_the_page_is_open(show: Show) -> None:
    page = show(M)
    page.evaluate("location.hash = '#class=2&norm=none'")
    page.wait_for_function("document.querySelector('#details h2')?.innerText === 'hen'")
    assert page.evaluate("document.getElementById('norm').value") == "none"


def contrast(page: Any, selector: str) -> float:
    """Contrast of a text with what lies behind it, as WCAG defines it."""
    found: float = page.evaluate(
        """(selector) => {
            const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
            const lin = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
            const lum = ([r, g, b]) => 0.2126 * lin(r) + 0.7152 * lin(g) + 0.0722 * lin(b);
            const node = document.querySelector(selector);
            let back = node;
            const ground = () => getComputedStyle(back).backgroundColor;
            while (['rgba(0, 0, 0, 0)', 'transparent'].includes(ground())) back = back.parentElement;
            const [a, b] = [getComputedStyle(node).color, ground()].map((text) => lum(rgb(text)));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }""",
        selector,
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_read_on_their_ground(show: Show, scheme: str) -> None:
    page = show({"a": M, "b": M.T}, scheme=scheme, at="#class=1")
    assert page.get_attribute("html", "data-theme") == scheme
    for selector in (
        *(
            "h1",
            "h2",
            "label",
            "select",
            ".about",
            ".muted",
            ".legend",
            ".pager",
            ".gap.better",
            ".gap.worse",
        ),
        *("thead th button", "tbody td", "button.link", "footer p", ".scores dt", "#details h3"),
    ):
        if page.locator(selector).count():
            assert contrast(page, selector) >= 4.5, selector
    single = show(M, scheme=scheme, at="#class=1")
    for kind in ("tp", "fn", "fp", "tn"):
        ground = single.evaluate(
            "kind => getComputedStyle(document.documentElement).getPropertyValue('--' + "
            "kind).trim()",
            kind,
        )
        assert ground.startswith("#")


def test_light_and_dark_are_chosen(show: Show) -> None:
    page = show(M, scheme="dark")
    assert page.get_attribute("#theme", "aria-pressed") == "true"
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "light"
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
        == "rgb(255, 255, 255)"
    )


def test_paper_gets_more_rows_and_light_colors(show: Show, tmp_path: Path) -> None:
    page = show(planted(120, 2000), scheme="dark")
    page.evaluate(
        """addEventListener('beforeprint', () => setTimeout(() => 0)), window.paper = null,
        addEventListener('beforeprint', () => { window.paper = [document.documentElement.dataset.theme,
            document.querySelectorAll('#class-table tbody tr').length]; })"""
    )
    printed = page.pdf(path=tmp_path / "report.pdf")
    assert printed.startswith(b"%PDF")
    assert page.evaluate("window.paper") == ["light", 120]
    page.wait_for_timeout(100)
    assert page.get_attribute("html", "data-theme") == "dark"
    assert len(cells(page, "#class-table")) == 50


@pytest.mark.parametrize("k", [10, 100])
def test_on_paper_the_map_is_on_the_first_page_and_heads_are_repeated(
    show: Show, tmp_path: Path, k: int
) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("there is no pdftotext (Debian: apt-get install poppler-utils)")
    page = show(planted(k, k * 40))
    page.pdf(path=tmp_path / "report.pdf", format="A4")
    pages = subprocess.run(
        [reader, "-layout", tmp_path / "report.pdf", "-"],
        capture_output=True,
        check=True,
        text=True,
    )
    first, *others = pages.stdout.rstrip("\f").split("\f")
    assert first.index("Heat map") < first.index("hits") < first.index("Confusions")
    # Classes that go over several pages have their heads on each.
    split = [
        one
        for one in others
        if len(re.findall(r"^ *class \d+ +\d+ +[01]\.\d{3}", one, re.MULTILINE)) > 2
    ]
    assert len(split) >= (2 if k == 10 else 3)
    assert all("Specificity" in one for one in split)


def test_a_phone_has_numbers_in_the_cells_of_ten_classes(show: Show) -> None:
    names = [
        "airplane",
        "automobile",
        "bird",
        "cat",
        "deer",
        "dog",
        "frog",
        "horse",
        "ship",
        "truck",
    ]
    rng = np.random.default_rng(0)
    table = rng.integers(0, 20, (10, 10)) + np.diag(rng.integers(100, 300, 10))
    page = show(cm.ConfusionMatrix(table, names), size=(390, 844))
    _, text = download(page, "map-svg")
    assert all(f">{count}<" in text for count in table.diagonal())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# ---- downloads -----------------------------------------------------------------------------------


def download(page: Any, kind: str) -> tuple[str, str]:
    page.click("#downloads summary")
    with page.expect_download() as caught:
        page.click(f"#downloads [data-save={kind}]")
    return caught.value.suggested_filename, Path(caught.value.path()).read_text(encoding="utf-8")


def test_long_names_are_never_alike_on_the_map_nor_in_the_table(show: Show) -> None:
    """They differ in their middle or at their end; beside the map they are cut, in the table of classes whole."""
    names = [
        f"customer_support_intent_{way}_billing_refund_request_{why}"
        for way in ("card", "cash")
        for why in ("duplicate_charge", "late_arrival", "wrong_item", "partial_return")
    ]
    m = cm.ConfusionMatrix(np.full((8, 8), 7) + np.diag([90] * 8), names)
    page = show(m, size=(1440, 1000))
    texts = re.findall(r">([^<]+)</text>", download(page, "map-svg")[1])
    beside = [text for text in texts if "…" in text]
    assert [len(set(side)) for side in (beside[:8], beside[8:])] == [8, 8]
    cell = page.locator("#class-table tbody .name").first
    assert cell.evaluate("one => one.scrollWidth <= one.clientWidth && one.textContent.length > 40")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_costs_shade_the_map_and_rank_the_list(show: Show) -> None:
    counts = np.array([[90, 9, 1], [2, 95, 3], [4, 1, 95]])
    prices = np.array([[0, 1, 1], [50, 0, 1], [1, 5, 0]])
    report = cm.cost_report(cm.ConfusionMatrix(counts, ["cat", "dog", "hen"]), prices)
    page = show(report)
    spent = counts * prices
    order = np.argsort(-spent[spent > 0], kind="stable")
    pairs = [f"{a} → {b}" for a, b in np.array(report.matrix.labels)[np.argwhere(spent > 0)][order]]
    rows = cells(page, "#confusion-table")
    assert [row[0] for row in rows] == pairs
    assert [int(row[-1]) for row in rows] == sorted(spent[spent > 0].tolist(), reverse=True)
    assert page.locator("#norm").input_value() == "cost"
    dearest, frequent = (
        np.subtract(color_at(page, *place)[:3], color_at(page, 0, 0)[:3])
        for place in ((1, 0), (0, 1))
    )
    assert np.abs(dearest).sum() > 2 * np.abs(frequent).sum() > 0
    tile = page.locator(".tile").first.inner_text().split()
    assert tile[:3] == ["Mean", "cost", f"{spent.sum() / counts.sum():.3f}"]
    # Hits cost nothing and have no scale.
    assert page.locator("#legend .strip").count() == 1


@pytest.mark.parametrize(
    "m",
    [
        M,
        cm.ConfusionMatrix([[1, 2], [3, 4]], [7, 2**62]),
        cm.ConfusionMatrix([[1, 2], [3, 4]], ['q"uo,te', "\x00</script>"]),
        cm.count(["a", "a", "b"], ["a", "b", "b"], weights=[0.1, 0.2, 0.7]),
        cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["b", "a"], outside=["(none)"]),
    ],
    ids=["text", "int", "hostile", "weights", "outside"],
)
def test_what_is_downloaded_reads_back(show: Show, m: cm.ConfusionMatrix) -> None:
    page = show(m, title="My report")
    name, text = download(page, "counts-json")
    assert name == "my-report.json"
    assert cm.io.from_json(text) == m


def test_several_models_are_downloaded_as_a_stack(show: Show) -> None:
    stack = cm.Stack({"old": M, "new": M.T}, axis="model")
    assert cm.io.from_json(download(show(stack), "counts-json")[1]) == stack


def test_tables_for_spreadsheets(show: Show) -> None:
    m = cm.ConfusionMatrix([[4, 1], [0, 2]], ["=1+1", 'a"b'])
    page = show(m, title="x")
    assert download(page, "counts-csv")[1] == (
        'actual,predicted,count\n\'=1+1,\'=1+1,4\n\'=1+1,"a""b",1\n"a""b","a""b",2\n'
    )
    name, text = download(page, "classes-csv")
    assert name == "x-classes.csv"
    lines = text.splitlines()
    assert lines[0] == "class,items,precision,recall,specificity,f1,f1_low,f1_high"
    bounds = cm.interval(m, "f1", of="=1+1")
    assert lines[1].split(",") == [
        "'=1+1",
        "5",
        "1",
        "0.8",
        "1",
        str(2 * 4 / 9),
        str(bounds.low),
        str(bounds.high),
    ]
    scores = download(page, "scores-csv")[1].splitlines()
    whole: Any = cm.interval(m, "accuracy")
    assert scores[0] == "score,value,low,high"
    assert scores[1] == f"accuracy,{6 / 7!r},{round(whole.low, 6)},{round(whole.high, 6)}"
    assert download(page, "confusions-markdown")[0] == "x-confusions.md"


@pytest.mark.parametrize("at", ["", "#class=1", "#view=1,1,3", "#cell=0.1&norm=none"])
def test_the_map_is_taken_along_as_a_picture(show: Show, at: str) -> None:
    """SVG has the texts that are seen, and the pixels are the same picture three times as large."""
    m = cm.ConfusionMatrix(M.counts, ["cat", '<b> & "dog"', "hen", "owl"])
    page = show(m, title="Birds & pets", at=at)
    name, text = download(page, "map-svg")
    assert name == "birds-pets.svg"
    picture = ElementTree.fromstring(text)  # noqa: S314 - our own
    texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Birds & pets", '<b> & "dog"', "predicted →", "hits"} <= set(texts)
    assert {"85.0%", "85"} & set(texts)
    assert not {"script", "foreignObject"} & {one.tag.partition("}")[2] for one in picture.iter()}
    page.click("#downloads summary")
    with page.expect_download() as caught:
        page.click("#downloads [data-save=map-png]")
    data = Path(caught.value.path()).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20], "big") == 3 * int(picture.attrib["width"])


def test_back_goes_back_and_notes_stay_in_the_address(show: Show) -> None:
    page = show(M)
    page.select_option("#norm", "all")
    page.mouse.click(*point(page, 1, 0))
    page.click("#class-table tbody button:has-text('hen')")
    page.fill(".note", HOSTILE[1])
    page.keyboard.press("Enter")
    assert page.locator(".pinned li").all_inner_texts() == [f"hen {HOSTILE[1]}"]
    address = hash_of(page)
    page.go_back()
    page.wait_for_selector("#details h2:has-text('dog')")
    assert page.locator("#details h2").inner_text().split() == ["dog", "→", "cat"]
    page.go_back()
    page.wait_for_selector("#details", state="hidden")
    # Choices and notes are no steps.
    assert page.locator("#norm").input_value() == "all"
    assert page.locator(".pinned li").count() == 1
    page.go_forward()
    page.wait_for_selector("#details h2:has-text('dog')")
    page.go_forward()
    page.wait_for_selector("#details h2:has-text('hen')")
    other = show(M, at=address.replace("<", "%3C").replace(">", "%3E").replace(" ", "+"))
    assert other.locator(".note").input_value() == HOSTILE[1]
    other.click("#details button[aria-label='Close the details']")
    other.click(".pinned button")
    assert other.locator("#details h2").inner_text() == "hen"
    other.fill(".note", "")
    other.keyboard.press("Enter")
    assert other.locator(".pinned").is_hidden()


# ---- hostile text --------------------------------------------------------------------------------


def test_hostile_text_is_shown_as_text(show: Show) -> None:
    k = len(HOSTILE)
    m = cm.ConfusionMatrix(np.ones((k, k), dtype=int) + 3 * np.eye(k, dtype=int), HOSTILE)
    page = show(
        m,
        title=HOSTILE[1],
        examples={(HOSTILE[0], HOSTILE[1]): HOSTILE},
        class_groups={HOSTILE[1]: HOSTILE[:2]},
        at="#cell=0.1",
    )
    assert page.title() == HOSTILE[1]
    assert page.locator("h1").inner_text() == HOSTILE[1]
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[3], "a\\x00b", "\\u202egnp.exe"} <= {
        row[0] for row in cells(page, "#class-table")
    }
    assert HOSTILE[0] in page.locator("ul.examples").inner_text()
    for row in range(k):
        page.mouse.move(*point(page, row, 0))
    page.fill("#search", "<script>")
    page.keyboard.press("Enter")
    page.click("#fold")
    download(page, "counts-json")
    page.evaluate("print = () => 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.evaluate("document.images.length + document.scripts.length") == 2


def test_hostile_names_of_models(show: Show) -> None:
    page = show({HOSTILE[0]: M, HOSTILE[1]: M.T})
    assert [row[0] for row in cells(page, ".models")] == [
        *HOSTILE[:2],
        f"{HOSTILE[1]} − {HOSTILE[0]}",
    ]


# ---- differences: what is shown is true ----------------------------------------------------------

NAMES = [f"class {i}" for i in range(10)]


def answers(seed: int, better: float = 0.0, n: int = 2000) -> tuple[Any, Any, Any]:
    """The truth, and two models that find the same items hard; the second may make so many errors less."""
    rng = np.random.default_rng(seed)
    actual, hard = rng.integers(0, 10, n), rng.beta(0.5, 3, n)
    wrong = [rng.random(n) < hard * keep for keep in (1.0, 1.0 - better)]
    taken = [np.where(rng.random(n) < 0.6, actual ^ 1, rng.integers(0, 10, n)) for _ in wrong]
    named = np.array(NAMES)
    one, two = (
        named[np.where(each, other, actual)] for each, other in zip(wrong, taken, strict=True)
    )
    return named[actual], one, two


def hues(page: Any) -> tuple[int, int]:
    """How many things on the page have the hue of better, and how many that of worse: elements and cells of the map."""
    found: list[int] = page.evaluate(
        """() => {
            // The legends say which hue is which.
            const parts = [...document.querySelectorAll('body *')].filter((one) => !one.closest('.how, #legend'));
            const named = (kind) => parts.filter((one) => one.matches(`.gap.${kind}, circle.${kind}`)).length;
            const canvas = document.getElementById('map');
            const ratio = devicePixelRatio, [left, top, side, , , span] = canvas.dataset.cells.split(' ').map(Number);
            const pen = canvas.getContext('2d');
            const at = (i, from) => Math.round((from + (i + 0.93) * side / span) * ratio);
            const cells = Array.from({ length: span * span }, (_, i) =>
                [...pen.getImageData(at(i % span, left), at(Math.floor(i / span), top), 1, 1).data]);
            const hued = (cell, more, less) => cell[more] - cell[less] > 25;
            return [named('better') + cells.filter((cell) => hued(cell, 2, 0)).length,
                named('worse') + cells.filter((cell) => hued(cell, 0, 2)).length];
        }"""
    )
    return found[0], found[1]


def matrices(seed: int, better: float = 0.0, n: int = 2000) -> dict[str, cm.ConfusionMatrix]:
    actual, one, two = answers(seed, better, n)
    return {"old": cm.count(actual, one, labels=NAMES), "new": cm.count(actual, two, labels=NAMES)}


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["matrices", "answers"])
def test_two_seeds_of_one_model_look_alike(show: Show, kind: str, scheme: str) -> None:
    actual, one, two = answers(1)
    m = (
        matrices(1)
        if kind == "matrices"
        else cm.compare_predictions(actual, {"old": one, "new": two})
    )
    page = show(m, scheme=scheme)
    assert hues(page) == (0, 0)
    # Nor has any text the hue of worse; that of better is that of links.
    worse = "one => getComputedStyle(one).color === getComputedStyle(document.querySelector('.how .worse')).color"
    texts = page.evaluate(
        f"[...document.querySelectorAll('main *')].filter({worse}).map(one => one.className)"
    )
    assert texts == ["gap holds worse"]
    # Every difference of a score has its interval, which holds 0, and a word.
    gaps = cells(page, ".models")[2][2:]
    assert len(gaps) == 5
    assert all(
        re.fullmatch(r"[+−]0\.\d{3} −0\.\d{3} … \+0\.\d{3}, (may be nothing|undecided)", gap)
        for gap in gaps
    )
    # Each number has its sign, and points are called points.
    changes = [row[-1] for row in cells(page, "#confusion-table")]
    assert all(re.fullmatch(r"[+−]\d+\.\d pp|0", change) for change in changes)
    assert "0 of" in page.locator("#confusion-about").inner_text()
    page.select_option("#norm", "none")
    page.wait_for_timeout(60)
    assert hues(page) == (0, 0)


def test_a_real_change_has_its_hue_and_the_rest_none(show: Show) -> None:
    actual, one, two = answers(2, 0.45, 4000)
    found = cm.compare_predictions(actual, {"old": one, "new": two})
    page = show(found)
    better, worse = hues(page)
    assert better > 10
    assert worse == 0
    # The hues are those of the comparison: scores, cells, and classes all held together.
    page_scores = page.locator(".models tr.gaps .better").count()
    assert page_scores == sum(
        found.of(score).verdict == "different"
        for score in ("accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc")
    )
    held = [cell for cell in found.cells(None) if cell.verdict == "different"]
    assert page.locator("#confusion-table .holds").count() == sum(not cell.is_hit for cell in held)
    assert page.locator("#class-table tbody .better").count() == sum(
        each.verdict == "different"
        for each in found.classes(["precision", "recall", "specificity", "f1"])
    )
    for cell in held:
        row, col = NAMES.index(cell.actual), NAMES.index(cell.predicted)
        # Fewer errors and more hits share a hue.
        assert (cell.change > 0) == cell.is_hit
        blue = color_at(page, row, col)
        assert blue[2] > blue[0]
    # The other way round, everything is worse.
    page = show(cm.compare_predictions(actual, {"new": two, "old": one}))
    assert hues(page) == (0, better)


def test_matrices_alone_are_undecided_where_compare_says_so(show: Show) -> None:
    models = matrices(0, 0.15)
    found = cm.compare(
        models, metrics=["accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc"]
    )
    page = show(models)
    shown = cells(page, ".models")[2][2:]
    for each, text in zip(found.differences, shown, strict=True):
        word = {"different": "", "not shown to be different": "may be nothing"}.get(
            each.verdict, "undecided"
        )
        assert text.endswith(word or text[-1])
        assert f"{abs(each.low):.3f} … " in text
    assert any("undecided" in text for text in shown)
    assert "whose answers are not known one by one" in page.locator(".how").inner_text()


def test_differences_of_weights_are_whole_and_what_rounding_left_is_none(show: Show) -> None:
    old, new = (
        cm.ConfusionMatrix([[3.0, a], [b, 2.25 - b]], ["a", "b"])
        for a, b in ((0.3, 0.25), (0.1 + 0.2, 0.65))
    )
    page = show({"old": old, "new": new}, at="#norm=none&cell=0.1")
    assert [row[1] for row in cells(page, "#confusion-table")] == ["b → a"]
    assert cells(page, "#details .facts")[2][1:3] == ["0", "0 pp"]
    page.mouse.move(*point(page, 1, 0))
    assert "new − old: +0.4" in page.locator("#hover").inner_text()
    page.mouse.move(*point(page, 0, 1))
    assert "new − old: 0," in page.locator("#hover").inner_text()


def test_what_is_fewer_than_expected_has_a_minus(show: Show) -> None:
    """-0.3 items are none, and not -0."""
    page = show(M, at="#norm=excess")
    texts = re.findall(r">([-−]?\d+)</text>", download(page, "map-svg")[1])
    assert any(text.startswith("−") for text in texts)
    assert not any(text.startswith("-") or text == "−0" for text in texts)


def test_background_has_no_share_to_change(show: Show) -> None:
    other = cm.ConfusionMatrix(
        WITH_BACKGROUND.counts + 1, ["car", "bus", "bike"], outside=["background"]
    )
    page = show({"old": WITH_BACKGROUND, "new": other}, at="#cell=3.0")
    for row in cells(page, "#details .facts"):
        assert row[2] == "–"


def test_undefined_minus_undefined_is_a_dash(show: Show) -> None:
    """The second class never occurs and is never named: no score of it has a value."""
    old, new = (
        cm.ConfusionMatrix([[9, 0, 1], [0, 0, 0], [n, 0, 8]], ["a", "b", "c"]) for n in (1, 2)
    )
    page = show({"old": old, "new": new})
    (gaps,) = (row[2:] for row in cells(page, "#class-table") if row[0] == "b")
    assert [gaps[0], gaps[1], gaps[3]] == ["– – → –"] * 3
    empty = cm.ConfusionMatrix(np.zeros((2, 2), int), ["a", "b"])
    page = show({"old": empty, "new": empty})
    assert cells(page, ".models")[2][2:] == ["–"] * 5


def test_what_stands_out_of_two_models_is_what_is_shown_to_differ(show: Show) -> None:
    # An error as frequent as its row and column expect, which became rarer, and one that stands out
    # as before.
    old = [[700, 100, 100, 100], [100, 700, 100, 100], [100, 100, 700, 100], [300, 100, 100, 500]]
    new = [[780, 20, 100, 100], *old[1:]]
    found = {
        name: cm.ConfusionMatrix(table, list("abcd"))
        for name, table in {"old": old, "new": new}.items()
    }
    page = show(found, at="#only=1")
    side = page.evaluate("document.getElementById('map').dataset.cells.split(' ').map(Number)")
    page.hover(
        "#map", position={"x": side[0] + 1.5 * side[2] / 4, "y": side[1] + 0.5 * side[2] / 4}
    )
    assert "shown to differ" in page.locator("#hover").inner_text()
    shade = """([col, row]) => {
        const canvas = document.getElementById('map'), [left, top, side] = canvas.dataset.cells.split(' ').map(Number);
        const at = (from, i) => Math.round((from + (i + 0.9) * side / 4) * devicePixelRatio);
        return [...canvas.getContext('2d').getImageData(at(left, col), at(top, row), 1, 1).data].join();
    }"""
    painted = {
        (row, col): page.evaluate(shade, [col, row])
        for row in range(4)
        for col in range(4)
        if row != col
    }
    assert [at for at, one in painted.items() if one != painted[1, 2]] == [(0, 1)]


def test_a_difference_is_taken_away_as_a_picture_and_in_numbers(show: Show) -> None:
    m = matrices(2, 0.45)
    page = show(m)
    one = cm.compare(m, metrics=["accuracy"]).of("accuracy")
    lines = download(page, "scores-csv")[1].splitlines()
    assert len(lines) == 1 + 3 * 5
    told = next(line for line in lines if line.startswith("new − old,accuracy,")).split(",")[2:]
    assert list(map(float, told)) == pytest.approx([one.difference, one.low, one.high], abs=1e-6)
    _, text = download(page, "map-svg")
    picture = ElementTree.fromstring(text)  # noqa: S314 - our own
    texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"new − old: worse", "better", "may be nothing", "0"} <= {
        str(text).strip() for text in texts
    }
    assert any(re.fullmatch(r"\+\d.*", str(text)) for text in texts)


def test_two_classes_have_no_error_that_stands_out(show: Show) -> None:
    page = show(cm.ConfusionMatrix([[90, 10], [2, 98]], ["ham", "spam"]))
    assert page.locator("#confusion-about").inner_text() == "2 pairs, the most frequent first."
    assert page.locator("#only-choice").is_hidden()


def test_short_names_are_not_cut_again_in_lists(show: Show) -> None:
    names = [*(f"n{number}1462989 tawny retriever, kind {number}" for number in range(4)), "b"]
    table = np.random.default_rng(0).integers(0, 99, (5, 5)) + 999 * np.eye(5, dtype=int)
    page = show(cm.ConfusionMatrix(table, names), size=(1200, 900))
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    assert page.eval_on_selector_all("#confusion-table .name", cut) == []


def test_items_that_are_fixed_and_broken_are_listed_with_examples(show: Show) -> None:
    actual, one, two = answers(2, 0.45, 1000)
    found = cm.compare_predictions(actual, {"old": one, "new": two})
    kept = cm.Examples(3, columns=["id"], hits=False)
    kept.update(actual, list(zip(one, two, strict=True)), [(str(i),) for i in range(1000)])
    page = show(
        found, examples={key: items for key, items in kept.items() if len(set(key[1])) == 2}
    )
    for kind in ("fixed", "broken"):
        changes = [each for each in found.answers(None) if each.kind == kind]
        assert (
            f"{int(sum(each.count for each in changes))} items"
            in page.locator(f"#answers .{kind}").inner_text()
        )
        lines = page.locator(f"#answers > div:has(.{kind}) > ol > li")
        first = changes[0]
        wrong = first.first if kind == "fixed" else first.second
        said = f"{first.actual} {'was' if kind == 'fixed' else 'is now'} taken for {wrong}"
        assert " ".join(lines.first.inner_text().split()).startswith(f"{said} {int(first.count)}")
    page.click("#answers > div:first-child > ol > li:first-child summary")
    first = next(each for each in found.answers(None) if each.kind == "fixed")
    shown = [
        int(row[0]) for row in cells(page, "#answers > div:first-child > ol > li:first-child table")
    ]
    assert len(shown) == min(3, first.count)
    assert {(actual[i], one[i], two[i]) for i in shown} == {
        (first.actual, first.first, first.second)
    }
    # An opened cell has them, too.
    page.click("#answers > div:first-child > ol > li:first-child button")
    assert page.locator("#details table.examples").count() > 0
    page.select_option("#show", "0")
    assert page.locator("#answers-card").is_hidden()


def test_days_have_lines_with_a_dot_where_a_score_changed(show: Show) -> None:
    rng = np.random.default_rng(1)
    days = {}
    for day in range(12):
        wrong = 30 if day < 7 else 120
        errors = rng.binomial(500, wrong / 500, 2)
        days[f"2026-03-{day + 1:02}"] = cm.ConfusionMatrix(
            [[500 - errors[0], errors[0]], [errors[1], 500 - errors[1]]], ["a", "b"]
        )
    page = show(cm.Stack(days, axis="day"))
    lines = page.locator("#headline .charts svg")
    assert lines.count() == 5
    for line in range(5):
        dots = lines.nth(line).locator("circle")
        assert dots.count() == 1
        assert dots.get_attribute("class") == "worse"
        assert "2026-03-08 −0." in lines.nth(line).get_attribute("aria-label")
    # Each class, too; and each day is held against the one before it.
    assert page.locator("#class-table svg circle.worse").count() == 2
    assert [row[0] for row in cells(page, ".models")] == [*reversed(days)]
    assert page.locator(".models .worse:not(circle)").count() == 5
    assert (page.locator("#base").input_value(), page.locator("#other").input_value()) == (
        "10",
        "11",
    )
    noise = {
        day: cm.ConfusionMatrix([[500 - n, n], [n, 500 - n]], ["a", "b"])
        for day, n in enumerate([30, 34, 27, 31, 25, 33])
    }
    page = show(cm.Stack(noise, axis="epoch"))
    assert page.locator("svg.spark").count() == 7
    assert page.locator("svg.spark circle").count() == 0


def test_pictures_are_shown_and_hostile_ones_are_not(show: Show) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (8, 6), "red").save(stream := io.BytesIO(), "PNG")
    good = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    fields = [
        good,
        "data:text/html,<script>window.hurt=1</script>",
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='window.hurt=1'/>",
        'data:image/png;base64,AAAA" onerror="window.hurt=1',
        f"{good[:60]}",
        "javascript:window.hurt=1",
        "x" * 50_000,
        *HOSTILE,
    ]
    rows = [{"id": str(i), "photo": field} for i, field in enumerate(fields)]
    page = show(
        M, examples={("cat", "dog"): rows, ("dog", "cat"): [{"id": HOSTILE[0]}]}, at="#cell=0.1"
    )
    pictures = page.locator(".gallery img")
    assert pictures.count() == 1
    page.wait_for_function("document.querySelector('.gallery img').classList.contains('tiny')")
    assert pictures.evaluate("one => [one.naturalWidth, one.alt]") == [8, "cat, predicted dog"]
    assert page.locator(".gallery li").count() == len(fields)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.click("#details button:has-text('The other way round')")
    assert cells(page, "table.examples") == [[HOSTILE[0], ""]]


def test_long_fields_squeeze_no_others(show: Show) -> None:
    row = {"id": 905, "file": "digits/905.png", "address": "x" * 1900, "text": "many words " * 60}
    for size in ((1280, 800), (390, 844)):
        page = show(M, examples={("cat", "dog"): [row]}, at="#cell=0.1", size=size)
        heights = page.eval_on_selector_all(
            "table.examples td bdi", "all => all.map(one => one.getClientRects().length)"
        )
        assert heights[:2] == [1, 1]
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_spans_are_marked_in_their_text(show: Show) -> None:
    sentence = {
        "text": "Ada met <b>Bob</b> 😀 in Rome.",
        "spans": [(0, 3, "PER"), (24, 28, HOSTILE[0])],
    }
    page = show(M, examples={("cat", "dog"): [{"id": 1, "sentence": sentence}]}, at="#cell=0.1")
    assert page.locator("mark").all_inner_texts() == ["AdaPER", f"Rome{HOSTILE[0]}"]
    assert "Ada" in page.locator("table.examples td").nth(1).inner_text()
    assert " met <b>Bob</b> 😀 in " in page.locator("table.examples td").nth(1).inner_text()


def test_data_are_embedded_as_json(show: Show) -> None:
    page = show(M)
    assert json.loads(page.inner_text("#data") or page.text_content("#data"))["labels"] == list(
        M.labels
    )


def test_a_slider_leads_through_a_sweep_and_everything_follows(show: Show) -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(600) < 0.3
    t = cm.thresholds(actual, rng.normal(np.where(actual, 0.7, 0.4), 0.2).round(2))
    page, found = show(t), cm.best(t, "f1")
    slider, where = page.locator("#sweep input"), page.locator("#sweep output")
    drawn = page.locator("#sweep figure")

    def seen() -> list[int]:
        texts = page.locator("#sweep .quarter").evaluate_all(
            "q => q.map(c => c.lastChild.textContent)"
        )
        return list(map(int, texts))

    def cells_at(key: float) -> list[Any]:
        m = t[key]
        return [m.tp, m.fn, m.fp, m.tn]

    assert where.inner_text() == f"{found.threshold:.4g}"
    assert seen() == cells_at(found.threshold)
    assert f"{found.value:.3f}" in page.locator(".tile").nth(3).inner_text()
    assert page.locator("#show-choice").is_hidden()
    assert "inf" not in page.locator("#sweep").inner_text().lower()
    slider.focus()
    page.keyboard.press("ArrowRight")
    above = float(where.inner_text())
    assert above > found.threshold
    assert seen() == cells_at(above)
    page.keyboard.press("End")
    assert where.inner_text() == "above every score"
    assert seen() == cells_at(np.inf)
    assert (
        page.locator(".tile").nth(0).inner_text().split()[1]
        == f"{float(cm.accuracy(t[np.inf])):.3f}"
    )
    # The upper right of the ROC: most of the positives, and half of the negatives.
    box = drawn.nth(1).locator("svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.06)
    m = t[float(where.inner_text())]
    assert seen() == [m.tp, m.fn, m.fp, m.tn]
    assert 0.3 < m.fp / (m.fp + m.tn) < 0.7
    assert m.tp / (m.tp + m.fn) > 0.8
    assert hash_of(page).startswith("#show=")
    page.get_by_role("button", name="Best").click()
    assert where.inner_text() == f"{found.threshold:.4g}"
    assert hash_of(page) == ""
    assert "precision" in drawn.nth(2).locator("svg").get_attribute("aria-label")


def test_a_sweep_is_read_on_a_phone_in_the_dark(show: Show) -> None:
    t = cm.thresholds([1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    page = show(cm.roc(t), size=(390, 844), scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    marks = page.locator("#sweep .mark")
    assert marks.count() == 3
    for mark in marks.all():
        assert mark.bounding_box()["width"] > 5
