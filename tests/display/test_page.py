"""The HTML report in a real browser: Chromium as the system has it, driven by Playwright."""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import confmat as cm
from confmat.core.printing import shaded
from confmat.display.shading import DARK, LIGHT, painted
from confmat.structure.confusions import multiple, probability
from tests.structure.samples import FIVE

pytestmark = pytest.mark.peers

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
        wide = page.evaluate("document.documentElement.scrollWidth")
        trouble += [f"{wide} wide"] if wide > page.viewport_size["width"] else []
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


def column(page: Any, table: str, number: int = 0) -> list[str]:
    """The texts of one column of a table's body."""
    return [row[number] for row in cells(page, table)]


def texts_of(page: Any, selector: str) -> list[str]:
    """The texts of all such elements."""
    found: list[str] = page.locator(selector).all_inner_texts()
    return found


def many(page: Any, selector: str) -> int:
    """How many elements there are."""
    found: int = page.locator(selector).count()
    return found


def pointed_at(page: Any, row: float, col: float) -> str:
    """Text of the page on the cell under the pointer."""
    page.mouse.move(*point(page, row, col))
    found: str = page.inner_text("#hover")
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


# ---- it opens ------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [10, 5000])
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_it_opens_with_the_map_on_the_first_screen(
    show: Show, k: int, size: tuple[int, int]
) -> None:
    page = show(planted(k, min(k * 50, 200_000)), size=size)
    box = page.locator("#map").bounding_box()
    assert box["y"] + 100 < size[1]
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
    "fractions": cm.ConfusionMatrix([[0.5, 0.25], [1e-9, 2.5]], ["a", "b"]),
    "near the end of floats": cm.ConfusionMatrix([[1e300, 1e290], [1.0, 1e299]], ["a", "b"]),
    "outside only": cm.ConfusionMatrix(
        [[0, 0, 1], [0, 0, 2], [3, 4, 5]], ["a", "b"], outside=["x"]
    ),
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
    assert page.inner_text(".tile").split() == [
        *("Accuracy", f"{364 / 400:.3f}"),
        *(f"{cm.interval(M, 'accuracy').low:.3f}", "–", f"{cm.interval(M, 'accuracy').high:.3f}"),
    ]
    page.locator(".tile").first.focus()
    assert "Share of all items that were answered with their class" in page.inner_text("#tip")
    page.keyboard.press("Escape")
    assert page.is_hidden("#tip")
    page.locator(".tile").nth(1).hover()
    assert "Mean recall" in page.inner_text("#tip")


# ---- tables --------------------------------------------------------------------------------------


def test_classes_stand_worst_first_and_sort(show: Show) -> None:
    page = show(M)
    lost = dict(zip(M.labels, (M.actual_totals - M.diagonal).tolist(), strict=True))
    assert column(page, "#class-table") == sorted(lost, key=lost.__getitem__, reverse=True)
    assert page.get_attribute("#class-table th:has-text('lost')", "aria-sort") == "descending"
    page.click("#class-table th:nth-child(5) button")
    recall = dict(zip(M.labels, cm.recall(M).tolist(), strict=True))
    assert column(page, "#class-table") == sorted(recall, key=recall.__getitem__)
    page.click("#class-table th:nth-child(5) button")
    assert page.get_attribute("#class-table th:nth-child(5)", "aria-sort") == "descending"
    assert "sort=recall.down" in hash_of(page)


WITH_BACKGROUND = cm.ConfusionMatrix(
    [[30, 2, 0, 5], [3, 20, 1, 4], [0, 0, 10, 6], [7, 3, 2, 0]],
    ["car", "bus", "bike"],
    outside=["background"],
)


def test_of_detections_missed_and_ghosts_lead_with_hues_and_bases_of_their_own(show: Show) -> None:
    page = show(WITH_BACKGROUND)
    m = WITH_BACKGROUND
    tiles = texts_of(page, ".tile-name")
    assert tiles[:3] == ["Precision, micro", "Recall, micro", "F1, micro"]
    # The items of the classes are fewer than all, and stand below their column.
    below = "rows => rows.map(row => row.cells[1].innerText)"
    assert page.eval_on_selector_all("#class-table tfoot tr", below) == ["81", "81"]
    # Every error is in the list, the most frequent first, and of what it is a share.
    whole_list(page)
    rows = cells(page, "#confusion-table")
    errors = {(a, b): n for (a, b), n in m.pairs().items() if a != b}
    assert [int(row[1]) for row in rows] == sorted(errors.values(), reverse=True)
    assert any(row[0:3] == ["background → car ghost", "7", "17.5%"] for row in rows)
    assert any(row[0:3] == ["bike → background missed", "6", "37.5%"] for row in rows)
    # The map says the same of these cells, and reads no share of the background.
    assert pointed_at(page, 3, 0).split("\n")[-1] == "7 items · 17.5% of predicted"
    missed, ghost, confused = color_at(page, 2, 3), color_at(page, 3, 2), color_at(page, 1, 0)
    assert missed[0] > missed[2] > missed[1]
    assert ghost[2] > ghost[0] > ghost[1]
    assert confused[0] > confused[1] > confused[2]
    assert texts_of(page, "#legend .scale > span:first-child") == [
        "confused",
        "missed",
        "ghosts",
        "hits",
    ]


def test_the_page_of_box_errors_says_what_python_says(show: Show) -> None:
    corners = [[0, 0, 9, 9], [20, 0, 29, 9], [40, 0, 49, 9]]
    truth = {"boxes": corners, "labels": ["car", "bus", "car"]}
    found = {"boxes": [*corners[:2], [42, 2, 52, 9]], "labels": ["car", "car", "car"]}
    errors = cm.detection.box_errors([truth], [found | {"scores": [0.9, 0.8, 0.7]}])
    assert errors.precision is not None
    page = show(errors, images=[np.zeros((60, 60), np.uint8)])
    tiles = [tile.split("\n")[:2] for tile in texts_of(page, ".tile")]
    means = errors.precision.mean, errors.precision.at(0.5)
    assert tiles[3:5] == [
        [name, f"{mean:.3f}"] for name, mean in zip(("AP", "AP50"), means, strict=True)
    ]
    kinds = "section:has(> .card-head > #kinds-title)"
    assert column(page, kinds) == list(errors.kinds)
    assert list(map(int, column(page, kinds, 1))) == errors.counts.sum(axis=0).tolist()
    page.click("#class-table tbody button:has-text('car')")
    which = errors.matrix.labels.index("car")
    assert list(map(int, column(page, kinds, 1))) == errors.counts[which].tolist()
    page.click("#confusion-table button:has-text('background') >> nth=0")
    assert many(page, ".gallery img") >= 1


def test_the_table_of_classes_is_filtered_and_turned(show: Show) -> None:
    page = show(planted(200, 4000))
    assert len(cells(page, "#class-table")) == 50
    page.click("#class-table .pager button:has-text('Next')")
    assert "51–100 of 200 rows" in page.inner_text("#class-table .pager")
    page.fill("#class-filter", "class 17")
    assert {*column(page, "#class-table")} == {f"class {i}" for i in range(200) if "17" in str(i)}
    page.fill("#class-filter", "nothing like it")
    assert "Nothing matches" in page.inner_text("#class-table")


def test_confusions_are_ranked_as_python_ranks_them(show: Show) -> None:
    page = show(FIVE)
    ranked = cm.top_confusions(FIVE, 16)
    assert [one.flagged for one in ranked[:3]] == [True, True, False]
    expected = [f"{one.actual} → {one.predicted}" for one in ranked]
    # Confusions that are shown come first; all others, and what they were held against, on demand.
    assert column(page, "#confusion-table") == expected[:2]
    assert page.inner_text("#confusion-table .pager") == "18 more, not beyond chance"
    page.click("text=More columns")
    whole_list(page)
    rows = cells(page, "#confusion-table")
    assert [row[0] for row in rows] == expected
    assert [row[5] for row in rows] == [
        f"{probability(one.q_value)}{' *' * one.flagged}" for one in ranked
    ]
    # A lift is spelt as in every print.
    assert [row[4] for row in rows] == [multiple(one.lift) for one in ranked]
    # By evidence, which is no column.
    assert many(page, "#confusion-table th[aria-sort]") == 0
    page.fill("#confusion-filter", "owl")
    found = [f"{one.actual} → {one.predicted}" for one in cm.top_confusions(FIVE)]
    assert column(page, "#confusion-table") == [one for one in found if "owl" in one]


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
    page = show(m, at="#one=1")
    before = inked(page)
    page.check("#only")
    page.wait_for_timeout(60)
    assert before > 0.75
    assert 1 / 288 < inked(page) <= 1 / 140
    # Nothing is denied: the pointer still reads the cell.
    assert pointed_at(page, 3, 7).split("\n")[-1].startswith("3 items")
    assert "only=1" in hash_of(page)


def test_thousands_of_classes_are_no_fog(show: Show) -> None:
    """Two confusions stand out from an error in every row and column; the page opens with these."""
    size = 1500
    places = [*range(1, size), 0]
    pairs = [*((i, i, 30) for i in range(size)), *((i, j, 1) for i, j in enumerate(places))]
    pairs += [(10, 1200, 40), (900, 300, 40)]
    m = cm.ConfusionMatrix.from_pairs(pairs, labels=range(size))
    page = show(m, order="given")
    assert page.input_value("#norm") == "excess"
    assert page.is_checked("#only")
    assert 0 < inked(page) < 0.001
    assert not show(m, order="given", normalize="actual").is_checked("#only")


# ---- looking closer ------------------------------------------------------------------------------


def test_a_class_shows_its_roles_and_its_scores(show: Show) -> None:
    page = show(M)
    page.click("#class-table tbody button:has-text('dog')")
    quarters = [text.split("\n")[-1] for text in texts_of(page, ".quarter")]
    dog = M.one_vs_rest("dog")
    assert quarters == [str(value) for value in (dog.tp, dog.fn, dog.fp, dog.tn)]
    details = page.inner_text("#details")
    assert f"{cm.recall(M, of='dog'):.3f}" in details
    assert "class=1" in hash_of(page)
    page.click("#details button[aria-label='Close the details']")
    assert page.is_hidden("#details")


def test_a_click_on_a_cell_shows_its_examples(show: Show) -> None:
    page = show(M, examples={("dog", "cat"): [{"id": "img_7.jpg", "text": "a dog in a basket"}]})
    page.mouse.click(*point(page, 1, 0))
    assert "cell=1.0" in hash_of(page)
    assert cells(page, "table.examples") == [["img_7.jpg", "a dog in a basket"]]
    assert cells(page, "table.facts") == [["this cell", "12", "12.0%", f"{12 / 105:.1%}", "3.0%"]]
    page.click("#details button:has-text('The other way round: 9')")
    assert "cell=0.1" in hash_of(page)
    assert "There are no examples of this cell." in page.inner_text("#details")


def test_details_come_before_the_eyes(show: Show) -> None:
    """On a phone the place of the map does not move under the finger."""
    phone = show(planted(200, 4000), size=(390, 844))
    before = phone.evaluate("document.getElementById('map').offsetTop")
    phone.mouse.click(*point(phone, 20, 20))
    phone.wait_for_timeout(100)
    assert phone.evaluate("document.getElementById('map').offsetTop") == before
    assert 0 <= phone.locator("#details h2").bounding_box()["y"] < 844


def test_a_class_is_found_by_its_name(show: Show) -> None:
    page = show(planted(1000, 20_000))
    page.fill("#search", "class 777")
    assert texts_of(page, "#search-list li")[0] == "class 777"
    page.keyboard.press("Enter")
    assert page.inner_text("#details h2") == "class 777"
    # The map has come closer to it.
    assert float(page.get_attribute("#map", "data-cells").split()[-1]) < 1000
    page.fill("#search", "nobody")
    assert page.inner_text("#search-list") == "No such class"


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
    page.mouse.move(*(x := point(page, 50, 50)))
    page.mouse.down()
    page.mouse.move(x[0] - 60, x[1] - 40, steps=4)
    page.mouse.up()
    page.wait_for_timeout(60)
    assert point(page, 50, 50)[0] < x[0] - 30
    # A drag opens nothing.
    assert page.is_hidden("#details")
    assert "view=" in hash_of(page)
    page.focus("#map")
    page.keyboard.press("0")
    assert span(page) == 100
    assert "view=" not in hash_of(page)
    # Where the map cannot zoom out, the page scrolls.
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(100)
    assert page.evaluate("scrollY") > 0


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
    assert page.is_hidden("#details")


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
    assert page.inner_text("#live").startswith(
        "actual cat, predicted dog: 9 items · 9.0% of actual"
    )
    page.keyboard.press("Enter")
    assert "1 example" in page.inner_text("#details")
    page.keyboard.press("r")
    assert page.inner_text("#details h2") == "cat"
    page.keyboard.press("c")
    assert page.inner_text("#details h2") == "dog"
    page.keyboard.press("Escape")
    assert page.is_hidden("#details")


BOX: dict[str, Any] = {"boxes": [[0, 0, 5, 5]], "labels": ["car"]}


@pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param((1280, 800), "light", id="desk-light"),
        pytest.param((390, 844), "dark", id="phone-dark", marks=pytest.mark.nightly),
    ],
)
def test_axe_core_finds_nothing(show: Show, size: tuple[int, int], scheme: str) -> None:
    """No rule of axe-core is broken, with a class, a cell or nothing open, of one model and of several."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    hierarchy = cm.Hierarchy.from_nested({"bird": ["owl", "hen"], "mammal": ["dog", "cat"]})
    shown: list[tuple[Any, dict[str, Any]]] = [
        (
            M,
            {
                "examples": {("cat", "dog"): [{"image": np.eye(30), "text": "a long text " * 40}]},
                "at": "#cell=0.1",
            },
        ),
        (M, {"class_groups": hierarchy, "at": "#class=1&fold=0"}),
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


@pytest.mark.parametrize(("scheme", "one"), [("light", True), ("dark", False)])
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


def test_the_legend_begins_with_paper_and_has_its_values_where_their_shades_are(show: Show) -> None:
    page = show(cm.ConfusionMatrix([[999, 1, 0], [4, 996, 0], [0, 0, 1000]]))
    ends, paper = page.evaluate(
        """() => {
            const strip = document.querySelector('#legend .strip');
            const { left, width } = strip.querySelector('canvas').getBoundingClientRect();
            const ticks = [...strip.querySelectorAll('.tick')].map((tick) => {
                const box = tick.getBoundingClientRect();
                return [tick.textContent, ((box.left + box.right) / 2 - left) / width];
            });
            const pen = strip.querySelector('canvas').getContext('2d');
            return [ticks, [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)];
        }"""
    )
    assert [text for text, _ in ends] == ["0", "1%", "10%"]
    shades = shaded(np.array([0, 0.01, 0.1]), 0.1)
    assert [place for _, place in ends] == pytest.approx(shades.tolist(), abs=0.01)
    assert paper == color_at(page, 0, 2)[:3]


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


def test_orders(show: Show) -> None:
    m = cm.ConfusionMatrix([[9, 0, 4], [0, 20, 1], [8, 0, 7]], ["b", "c", "a"])
    page = show(m)
    page.click("#zoom-all")
    sure: Any = cm.interval(m, "f1")
    worst = np.array(m.labels)[np.argsort([one.low for one in sure])]
    orders = {"given": "bca", "alphabetical": "abc", "support": "cab", "worst": "".join(worst)}
    for name, expected in (orders | {"cluster": "".join(cm.structure.class_order(m))}).items():
        page.select_option("#order", name)
        page.wait_for_timeout(60)
        found = [pointed_at(page, row, row).split("\n")[0][-1] for row in range(3)]
        assert "".join(found) == expected, name


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
    return " ".join(page.inner_text("#details").split())


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
    assert texts_of(page, "#fold option") == ["no groups", "2 groups", "4 groups"]
    texts = written(page)
    for name in ("animal", "thing", "mammal", "bird", "box", "bag"):
        assert texts.count(name) == 2, name
    for level, text in ((1, "2 groups"), (2, "4 groups")):
        fold(page, text)
        rolled = m.roll_up(h, level).pairs()
        actual, predicted, told = pointed_at(page, 1, 0).split("\n")
        pair = actual.removeprefix("actual "), predicted.removeprefix("predicted ")
        assert told.startswith(f"{rolled[pair]} items")
        assert span(page) == 2 * level
    # The outer level opens to the inner one.
    fold(page, "2 groups")
    page.click("#class-table tbody button:has-text('animal')")
    page.click("#details button:has-text('Unfold')")
    assert span(page) == 3


def test_groups_have_the_scores_of_the_merged_matrix(show: Show) -> None:
    m, h = nested()
    page = show(m, class_groups=h)
    fold(page, "2 groups")
    merged = m.merge(h.groups(m, 1))
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
            int(text.split("\n")[-1].replace(",", "")) for text in texts_of(page, ".quarter")
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
    listed = texts_of(page, "#details .flows li")
    found = [" ".join(text.split()).split(" · ")[0] for text in listed]
    ranked = sorted(pairs, key=pairs.__getitem__, reverse=True)
    assert [int(text.split()[-1]) for text in found] == [pairs[pair] for pair in ranked[:12]]
    assert "16 pairs of classes, the first 12" in details(page)
    # The same by its address, folded or not.
    address = hash_of(page)
    assert details(show(m, class_groups=h, at=address)) == details(page)


def test_long_names_are_short_on_the_map_and_whole_when_pointed_at(show: Show) -> None:
    names = ["Tumour of the lung, left upper lobe", "Tumour of the lung, right upper lobe", "Cough"]
    m = cm.ConfusionMatrix([[9, 5, 0], [4, 9, 1], [0, 2, 9]], names)
    page = show(m)
    assert {"…left upper lobe", "…right upper lobe", "Cough"} <= set(written(page))
    assert "…left upper lobe → …right upper lobe" in {*column(page, "#confusion-table")}
    assert pointed_at(page, 0, 1).split("\n")[0] == f"actual {names[0]}"
    page = show(
        cm.ConfusionMatrix(
            M.counts, [f"n0144076{i} a very wild {name}" for i, name in enumerate(M.labels)]
        )
    )
    assert {"cat", "dog", "hen", "owl"} <= set(written(page))
    key = page.inner_text("#map-key")
    assert "names without their codes, such as n01440760" in key
    assert show(M).locator("#map-key").inner_text() == ""


def test_groups_fold_and_unfold(show: Show) -> None:
    groups = {"pets": ["dog", "cat"], "birds": ["hen", "owl"]}
    page = show(M, class_groups=groups)
    fold(page, "2 groups")
    folded = M.merge(groups).counts
    text = pointed_at(page, 0, 1)
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


def test_outside_labels_stay_at_the_end_and_have_no_scores(show: Show) -> None:
    m = cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["b", "a"], outside=["(none)"])
    page = show(m)
    # Errors with them are no detections.
    assert page.inner_text(".tile-name") == "Accuracy"
    assert "(none)" not in {*column(page, "#class-table")}
    page.select_option("#order", "alphabetical")
    assert pointed_at(page, 2, 0).split("\n")[0] == "actual (none)"
    assert "outside the classes: (none)" in page.inner_text(".about")


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
    text = pointed_at(page, 0, 1)
    assert "old: 2 items · 20.0% of actual" in text
    assert "new: 1 item · 10.0% of actual" in text
    assert "new − old: −10.0 pp of actual, may be nothing" in text
    assert column(page, "#confusion-table", 1) == ["no → yes", "yes → no"]
    page.select_option("#show", "1")
    assert "show=1" in hash_of(page)
    assert "5 items · 50.0% of actual" in pointed_at(page, 1, 0)


def test_of_three_models_any_two_are_compared(show: Show) -> None:
    page = show({"x": M, "y": M.T, "z": M + M})
    page.select_option("#base", "1")
    page.select_option("#other", "2")
    text = pointed_at(page, 0, 1)
    assert [said in text for said in ("y: 12 items", "z: 18 items")] == [True, True]


def test_labels_are_no_rivals(show: Show) -> None:
    """Matrices of a label each are named by their axis and shown one by one, whatever the address says."""
    page = show(cm.count_multilabel(["a;b", "a", "b;c"], ["a", "a;c", "b"], sep=";"))
    assert "3 matrices, one for each label" in page.inner_text(".about")
    assert page.inner_text(".models th") == "label"
    assert column(page, ".models") == ["a", "b", "c"]
    assert many(page, ".gap") == 0
    assert texts_of(page, "#show option") == ["a", "b", "c"]
    assert page.is_hidden("#pair-choice")
    page.evaluate("location.hash = 'show=difference'")
    page.select_option("#show", "1")
    assert many(page, ".gap") == 0
    assert page.input_value("#show") == "1"


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
        assert other.input_value(f"#{field}") == page.input_value(f"#{field}")
    assert other.inner_text("#details h2") == page.inner_text("#details h2")
    ours, theirs = (one.get_attribute("#map", "data-cells").split()[3:] for one in (page, other))
    assert np.allclose(np.array(ours, float), np.array(theirs, float), atol=0.02)


def test_the_address_is_followed_while_the_page_is_open(show: Show) -> None:
    page = show(M)
    page.evaluate("location.hash = '#class=2&norm=none'")
    page.wait_for_function("document.querySelector('#details h2')?.innerText === 'hen'")
    assert page.evaluate("document.getElementById('norm').value") == "none"


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


def test_on_paper_the_map_is_on_the_first_page_and_heads_are_repeated(
    show: Show, tmp_path: Path
) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("there is no pdftotext (Debian: apt-get install poppler-utils)")
    page = show(planted(100, 4000))
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
    assert len(split) >= 3
    assert all("Specificity" in one for one in split)


# ---- downloads -----------------------------------------------------------------------------------


def download(page: Any, kind: str) -> tuple[str, str]:
    page.click("#downloads summary")
    with page.expect_download() as caught:
        page.click(f"#downloads [data-save={kind}]")
    return caught.value.suggested_filename, Path(caught.value.path()).read_text(encoding="utf-8")


def test_long_names_are_never_alike_on_the_map(show: Show) -> None:
    """They differ in their middle or at their end, and are cut."""
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


def test_costs_shade_the_map_and_rank_the_list(show: Show) -> None:
    counts = np.array([[90, 9, 1], [2, 95, 3], [4, 1, 95]])
    prices = np.array([[0, 1, 1], [50, 0, 1], [1, 5, 0]])
    report = cm.cost_report(cm.ConfusionMatrix(counts, ["cat", "dog", "hen"]), prices)
    page = show(report)
    spent = counts * prices
    rows = cells(page, "#confusion-table")
    assert [int(row[-1]) for row in rows] == sorted(spent[spent > 0].tolist(), reverse=True)
    assert page.input_value("#norm") == "cost"
    dearest, frequent = (
        np.subtract(color_at(page, *place)[:3], color_at(page, 0, 0)[:3])
        for place in ((1, 0), (0, 1))
    )
    assert np.abs(dearest).sum() > 2 * np.abs(frequent).sum() > 0


@pytest.mark.parametrize(
    "m",
    [
        cm.ConfusionMatrix([[1, 2], [3, 4]], ['q"uo,te', "\x00</script>"]),
        cm.count(["a", "a", "b"], ["a", "b", "b"], weights=[0.1, 0.2, 0.7]),
        cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["b", "a"], outside=["(none)"]),
    ],
    ids=["hostile", "weights", "outside"],
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
    assert download(page, "confusions-markdown")[0] == "x-confusions.md"


@pytest.mark.parametrize("at", ["", "#view=1,1,3"])
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
    assert texts_of(page, ".pinned li") == [f"hen {HOSTILE[1]}"]
    address = hash_of(page)
    page.go_back()
    page.wait_for_selector("#details h2:has-text('dog')")
    assert page.inner_text("#details h2").split() == ["dog", "→", "cat"]
    page.go_back()
    page.wait_for_selector("#details", state="hidden")
    # Choices and notes are no steps.
    assert page.input_value("#norm") == "all"
    assert many(page, ".pinned li") == 1
    other = show(M, at=address.replace("<", "%3C").replace(">", "%3E").replace(" ", "+"))
    assert other.input_value(".note") == HOSTILE[1]
    other.click("#details button[aria-label='Close the details']")
    other.click(".pinned button")
    assert other.inner_text("#details h2") == "hen"


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
    assert page.inner_text("h1") == HOSTILE[1]
    assert {HOSTILE[0], HOSTILE[1], HOSTILE[3], "a\\x00b", "\\u202egnp.exe"} <= {
        *column(page, "#class-table")
    }
    assert HOSTILE[0] in page.inner_text("ul.examples")
    for row in range(k):
        page.mouse.move(*point(page, row, 0))
    page.fill("#search", "<script>")
    page.keyboard.press("Enter")
    assert page.evaluate("document.images.length + document.scripts.length") == 2


def test_hostile_names_of_models(show: Show) -> None:
    page = show({HOSTILE[0]: M, HOSTILE[1]: M.T})
    assert column(page, ".models") == [
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
    assert "none of" in page.inner_text("#confusion-about")


def test_a_real_change_has_its_hue_and_the_rest_none(show: Show) -> None:
    actual, one, two = answers(2, 0.45, 4000)
    found = cm.compare_predictions(actual, {"old": one, "new": two})
    page = show(found)
    better, worse = hues(page)
    assert better > 10
    assert worse == 0
    held = [cell for cell in found.cells(None) if cell.verdict == "different"]
    assert many(page, "#confusion-table .holds") == sum(not cell.is_hit for cell in held)
    assert many(page, "#class-table tbody .better") == sum(
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
    each = cm.compare(models, metrics=["accuracy"]).of("accuracy")
    page = show(models)
    assert each.verdict.startswith("undecided")
    assert cells(page, ".models")[2][2].endswith(f"{abs(each.high):.3f}, undecided")
    assert "whose answers are not known one by one" in page.inner_text(".how")


def test_differences_of_weights_are_whole_and_what_rounding_left_is_none(show: Show) -> None:
    old, new = (
        cm.ConfusionMatrix([[3.0, a], [b, 2.25 - b]], ["a", "b"])
        for a, b in ((0.3, 0.25), (0.1 + 0.2, 0.65))
    )
    page = show({"old": old, "new": new}, at="#norm=none&cell=0.1")
    assert column(page, "#confusion-table", 1) == ["b → a"]
    assert cells(page, "#details .facts")[2][1:3] == ["0", "0 pp"]
    assert "new − old: +0.4" in pointed_at(page, 1, 0)
    assert "new − old: 0," in pointed_at(page, 0, 1)


def test_undefined_minus_undefined_is_a_dash(show: Show) -> None:
    """The second class never occurs and is never named: no score of it has a value."""
    old, new = (
        cm.ConfusionMatrix([[9, 0, 1], [0, 0, 0], [n, 0, 8]], ["a", "b", "c"]) for n in (1, 2)
    )
    page = show({"old": old, "new": new})
    (gaps,) = (row[2:] for row in cells(page, "#class-table") if row[0] == "b")
    assert [gaps[0], gaps[1], gaps[3]] == ["– – → –"] * 3


def test_what_stands_out_of_two_models_is_what_is_shown_to_differ(show: Show) -> None:
    # An error as frequent as its row and column expect, which became rarer, and one that stands out
    # as before.
    old = np.full((4, 4), 100) + 600 * np.eye(4, dtype=int)
    old[3, [0, 3]] = 300, 500
    new = old.copy()
    new[0, :2] = 780, 20
    page = show({"old": cm.ConfusionMatrix(old), "new": cm.ConfusionMatrix(new)}, at="#only=1")
    assert "shown to differ" in pointed_at(page, 0, 1)
    wrong = [(row, col) for row in range(4) for col in range(4) if row != col]
    plain = color_at(page, 1, 2)
    assert [cell for cell in wrong if color_at(page, *cell) != plain] == [(0, 1)]


def test_a_difference_is_taken_away_in_numbers(show: Show) -> None:
    m = matrices(2, 0.45)
    page = show(m)
    one = cm.compare(m, metrics=["accuracy"]).of("accuracy")
    lines = download(page, "scores-csv")[1].splitlines()
    assert len(lines) == 1 + 3 * 5
    told = next(line for line in lines if line.startswith("new − old,accuracy,")).split(",")[2:]
    assert list(map(float, told)) == pytest.approx([one.difference, one.low, one.high], abs=1e-6)


def test_two_classes_have_no_error_that_stands_out(show: Show) -> None:
    page = show(cm.ConfusionMatrix([[90, 10], [2, 98]], ["ham", "spam"]))
    assert page.inner_text("#confusion-about") == "2 pairs, the most frequent first."
    assert page.is_hidden("#only-choice")


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
        assert f"{int(sum(each.count for each in changes))} items" in page.inner_text(
            f"#answers .{kind}"
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
    assert {(actual[i], one[i], two[i]) for i in shown} == {
        (first.actual, first.first, first.second)
    }
    # An opened cell has them, too.
    page.click("#answers > div:first-child > ol > li:first-child button")
    assert many(page, "#details table.examples") > 0


def test_days_have_lines_with_a_dot_where_a_score_changed(show: Show) -> None:
    def wrong(n: int) -> cm.ConfusionMatrix:
        return cm.ConfusionMatrix([[500 - n, n], [n, 500 - n]], ["a", "b"])

    errors = [30, 34, 27, 31, 25, 33]
    days = {f"2026-03-{day:02}": wrong(n) for day, n in enumerate([*errors, 120, 123, 118], 1)}
    page = show(cm.Stack(days, axis="day"))
    lines = page.locator("#headline .charts svg")
    assert lines.count() == 5
    for line in range(5):
        dots = lines.nth(line).locator("circle")
        assert dots.evaluate_all("all => all.map(one => one.classList[0])") == ["worse"]
        assert "2026-03-07 −0." in lines.nth(line).get_attribute("aria-label")
    # Each class, too; and each day is held against the one before it.
    assert many(page, "#class-table svg circle.worse") == 2
    assert column(page, ".models") == [*reversed(days)]
    assert (page.input_value("#base"), page.input_value("#other")) == ("7", "8")
    page = show(cm.Stack(dict(enumerate(map(wrong, errors))), axis="epoch"))
    assert many(page, "svg.spark") == 7
    assert many(page, "svg.spark circle") == 0


def test_pictures_are_shown_and_hostile_ones_are_not(show: Show) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (8, 6), "red").save(stream := io.BytesIO(), "PNG")
    good = f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}"
    fields = [
        good,
        "data:text/html,<script>window.hurt=1</script>",
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='window.hurt=1'/>",
        'data:image/png;base64,AAAA" onerror="window.hurt=1',
        "x" * 50_000,
        *HOSTILE,
    ]
    rows = [{"id": str(i), "photo": field} for i, field in enumerate(fields)]
    page = show(M, examples={("cat", "dog"): rows}, at="#cell=0.1")
    pictures = page.locator(".gallery img")
    assert pictures.count() == 1
    page.wait_for_function("document.querySelector('.gallery img').classList.contains('tiny')")
    assert pictures.evaluate("one => [one.naturalWidth, one.alt]") == [8, "cat, predicted dog"]
    assert many(page, ".gallery li") == len(fields)


def test_spans_are_marked_in_their_text(show: Show) -> None:
    sentence = {
        "text": "Ada met <b>Bob</b> 😀 in Rome.",
        "spans": [(0, 3, "PER"), (24, 28, HOSTILE[0])],
    }
    page = show(M, examples={("cat", "dog"): [{"id": 1, "sentence": sentence}]}, at="#cell=0.1")
    assert texts_of(page, "mark") == ["AdaPER", f"Rome{HOSTILE[0]}"]
    assert " met <b>Bob</b> 😀 in " in page.locator("table.examples td").nth(1).inner_text()


def test_a_slider_leads_through_a_sweep_and_everything_follows(show: Show) -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(600) < 0.3
    t = cm.thresholds(actual, rng.normal(np.where(actual, 0.7, 0.4), 0.2).round(2))
    page, found = show(t), cm.best(t, "f1")
    where = page.locator("#sweep output")

    def follows(key: float) -> bool:
        shown = texts_of(page, "#sweep .quarter")
        cells = [int(text.split("\n")[-1]) for text in shown]
        right = f"{float(cm.accuracy(t[key])):.3f}" in page.inner_text(".tile")
        return right and cells == t[key].counts.ravel().tolist()[::-1]

    assert where.inner_text() == f"{found.threshold:.4g}"
    assert follows(found.threshold)
    assert page.is_hidden("#show-choice")
    assert "inf" not in page.inner_text("#sweep").lower()
    page.focus("#sweep input")
    page.keyboard.press("ArrowRight")
    above = float(where.inner_text())
    assert above > found.threshold
    assert follows(above)
    page.keyboard.press("End")
    assert where.inner_text() == "above every score"
    assert follows(np.inf)
    # The upper right of the ROC: most of the positives, and half of the negatives.
    box = page.locator("#sweep figure").nth(1).locator("svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.55, box["y"] + box["height"] * 0.06)
    m = t[float(where.inner_text())]
    assert follows(float(where.inner_text()))
    assert 0.3 < m.fp / (m.fp + m.tn) < 0.7
    page.get_by_role("button", name="Best").click()
    assert where.inner_text() == f"{found.threshold:.4g}"
    assert hash_of(page) == ""
