"""The page's modules one by one, in Chromium: what is pure in them, with values worked out by hand or by NumPy."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.text import from_markdown
from confmat.display import html, payload
from confmat.display.roles import Role
from confmat.display.shading import DARK, LIGHT, Palette
from tests.animals import ANIMALS

pytestmark = pytest.mark.peers

SOURCES = Path(html.__file__).parent / "page"
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run(chromium: Any) -> Run:
    """Run a function with a module, as its source stands, and some data: run("grid", "(grid, x) => ...", x)."""
    page = chromium.new_page()

    def serve(route: Any) -> None:
        name = route.request.url.rpartition("/")[2]
        code = (SOURCES / name).read_text(encoding="utf-8") if name else ""
        route.fulfill(body=code, content_type="text/javascript" if name else "text/html")

    page.route("https://page.test/**", serve)
    page.goto("https://page.test/")

    def called(module: str, function: str, *data: Any) -> Any:
        return page.evaluate(
            f"async (data) => {{ const m = await import('https://page.test/{module}.js'); "
            f"return ({function})(m, ...data); }}",
            list(data),
        )

    return called


# ---- payload -------------------------------------------------------------------------------------


def test_numbers_are_unpacked_as_they_were_packed(run: Run) -> None:
    rng = np.random.default_rng(0)
    for values in (
        np.array([], dtype=np.int64),
        np.array([0, 1, 127, 128, 16383, 16384, 2**31, 2**32 + 1, 2**53]),
        rng.integers(0, 2**40, 1000),
        rng.normal(size=100),
        np.array([np.nan, np.inf, -0.0, 5e-324]),
    ):
        found = run("payload", "(m, packed) => [...m.unpack(packed)]", payload.numbers(values))
        np.testing.assert_array_equal(np.array(found, dtype=np.float64), values.astype(np.float64))


def test_cells_far_apart_keep_their_places(run: Run) -> None:
    """A hundred thousand classes: places beyond 32 bits."""
    rows, cols = np.array([0, 7, 99_999]), np.array([99_999, 0, 99_999])
    packed = payload.cells(rows, cols, np.array([3, 1, 2]), 100_000)
    found = run(
        "payload",
        "(m, p) => { const c = m.cellsOf(p, 1e5); return [[...c.rows], [...c.cols]]; }",
        packed,
    )
    assert found == [rows.tolist(), cols.tolist()]


def test_a_class_against_the_rest(run: Run) -> None:
    text = page_data(ANIMALS)
    found = run(
        "payload",
        "(m, text) => { const d = m.readPayload(text); return m.quarters(d.models[0], 0); }",
        text,
    )
    assert found == {"tp": 4, "fp": 9, "fn": 2, "tn": 10}
    found = run(
        "payload",
        """(m, text) => { const [one] = m.readPayload(text).models, all = [0, 1, 2];
            return [m.confusionsOf(one, [1], 'actual', 9, all), m.confusionsOf(one, [0], 'predicted', 1, all),
                    m.countAt(one, 1, 2), m.countAt(one, 2, 1)]; }""",
        text,
    )
    assert found == [[[0, 6], [2, 2]], [[1, 6]], 2, 0]


@pytest.mark.parametrize("seed", range(2))
def test_confusions_and_their_rates_are_those_of_python(run: Run, seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 30))
    counts = rng.poisson(rng.gamma(0.3, 8, (size, size)))
    outside = ["(none)"] if seed % 2 else []
    m = cm.ConfusionMatrix(counts, range(size - len(outside)), outside=outside)
    found = run(
        "payload",
        """(m, text) => { const [one] = m.readPayload(text).models;
            return m.confusionsIn(one).map((pair) => [pair.row, pair.col, pair.times, pair.expected, pair.excess,
                                                      one.rate[pair.at], one.loud[pair.at]]); }""",
        page_data(m),
    )
    wanted = cm.top_confusions(m, None)
    assert [(row, col, times) for row, col, times, *_ in found] == [
        (a.actual, a.predicted, a.count) for a in wanted
    ]
    for at, name in ((3, "expected"), (4, "excess")):
        assert np.allclose([row[at] for row in found], wanted.columns[name], rtol=1e-12)
    assert np.allclose([row[5] for row in found], wanted.columns["q_value"], atol=1e-4)
    assert [bool(row[6]) for row in found] == wanted.columns["flagged"]


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("count(1234567)", "1,234,567"),
        ("count(1e-7)", "1.000e-7"),
        ("count(2**53)", "9,007,199,254,740,992"),
        ("brief(1234)", "1.2k"),
        ("brief(999600)", "1.0M"),
        ("share(0.12345)", "12.3%"),
        ("share(0.0001)", "<0.1%"),
        ("share(0.9999)", ">99.9%"),
        ("share(NaN)", "–"),
        ("shortShare(0.004, false)", "<1%"),
        ("shortShare(0.996, false)", ">99%"),
        ("shortShare(0.99999, false)", ">99%"),
        ("score(0.98765)", "0.988"),
        ("score(-0.0001)", "0.000"),
        ("score(null)", "–"),
        ("score(0.8125)", "0.812"),
        ("score(0.0025)", "0.003"),
        ("share(0.1225)", "12.2%"),
        ("points(0.0625)", "+6.2"),
        ("signed(-0.25, String)", "−0.25"),
        ("signed(-0.04, (x) => m.count(Number(x.toFixed(1))))", "0"),
        ("signed(-0.001, (x) => m.shortShare(x, false))", "<1%"),
        ("signed(m.minus(0.1 + 0.2, 0.3), String)", "0"),
        ("signed(m.minus(2**53, 2**53 - 128), String)", "+128"),
        ("signed(m.minus(1e-20, 0), String)", "+1e-20"),
        ("signed(m.minus(null, 0.5), String)", "–"),
        ("many(1, 'item')", "1 item"),
    ],
)
def test_numbers_as_text(run: Run, call: str, text: str) -> None:
    assert run("numbers", f"(m) => m.{call}") == text


# ---- the grid ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_the_grid_is_the_merged_matrix(run: Run, seed: int) -> None:
    """Any order and any folded groups: what is drawn is what merge and reorder give, and NumPy normalises."""
    rng = np.random.default_rng(seed)
    k, outside = 12, 2
    table = rng.poisson(2, (k + outside, k + outside)) * (
        rng.random((k + outside, k + outside)) < 0.6
    )
    names = [f"c{i}" for i in range(k)]
    m = cm.ConfusionMatrix(table, names, outside=["(none)", "(odd)"])
    groups = {"first": ["c1", "c5", "c9"], "second": ["c0", "c2"]}
    merged = m.merge(groups)
    found = run(
        "grid",
        """async (m, text) => {
            const { readPayload } = await import('https://page.test/payload.js');
            const data = readPayload(text);
            const units = m.unitsOf(data, m.orderOf('given', data, data.models[0]), new Set([0, 1]));
            const grid = m.gridOf([data.models[0]], units);
            const tables = {};
            for (const norm of ['none', 'actual', 'predicted', 'all']) {
                const values = m.valuesOf(grid, norm);
                tables[norm] = [...grid.rows].map((row, i) => [row, grid.cols[i], values[i]]);
            }
            return { texts: units.units.map(unit => unit.text), inside: units.inside, tables,
                actual: [...grid.actual[0]],
                found: [...grid.rows].every((row, i) => m.findCell(grid, row, grid.cols[i]) === i) };
        }""",
        page_data(m, groups),
    )
    # A merged class takes the place of its first member, on the page and in the matrix.
    assert found["texts"] == [str(label) for label in merged.labels]
    assert found["inside"] == merged.n_classes
    assert found["actual"] == merged.actual_totals.tolist()
    assert found["found"]
    size = len(merged)
    for norm, cells in found["tables"].items():
        expected = merged.counts if norm == "none" else merged.normalize(norm)
        drawn = np.zeros((size, size))
        for row, col, value in cells:
            drawn[row, col] = value
        np.testing.assert_allclose(
            drawn, np.nan_to_num(np.asarray(expected, dtype=float)), rtol=1e-15
        )


def page_data(m: Any, groups: Any = None) -> str:
    """The text of a page's data block."""
    page = cm.html(m, class_groups=groups)
    assert isinstance(page, str)
    return page.partition('id="data">')[2].partition("</script>")[0]


@pytest.mark.parametrize("norm", [None, "actual", "predicted", "all"])
@pytest.mark.parametrize("scale", [None, "one"])
def test_scales_end_where_those_of_other_drawings_end(run: Run, norm: Any, scale: Any) -> None:
    rng = np.random.default_rng(2)
    # On the page, the row of what is outside has the shares of the predicted class.
    classes = range(6 if norm in {"actual", "predicted"} else 5)
    for errors in (0.01, 1, 30):
        table = rng.poisson(errors, (6, 6)) + np.diag(rng.integers(0, 400, 6))
        m = cm.ConfusionMatrix(table, classes, outside=["none"] * (6 - len(classes)))
        found = run(
            "grid",
            """async (m, text, norm, one) => {
                const { readPayload } = await import('https://page.test/payload.js');
                const data = readPayload(text);
                const units = m.unitsOf(data, m.orderOf('given', data, data.models[0]), new Set());
                const grid = m.gridOf(data.models, units);
                return m.largest(grid, m.valuesOf(grid, norm), norm, one).most;
            }""",
            page_data(m, False),
            norm or "none",
            scale == "one",
        )
        tops = cm.view(m, normalize=norm, scale=scale).tops
        assert found == pytest.approx([tops[Role.HIT], tops[Role.ERROR], tops[Role.NEUTRAL]])


@pytest.mark.parametrize(("total", "rows"), [(1000, [0, 1]), (100, [1, 0])])
def test_changes_of_matrices_of_other_sizes_are_ranked_by_their_share(
    run: Run, total: int, rows: list[int]
) -> None:
    """30 and 10 errors become 3 and 0: of as many items, most change in the first; of a tenth, in the second."""
    old, fresh = (
        {
            "rows": [0, 1],
            "cols": [1, 0],
            "counts": counts,
            "actual": [50, 50],
            "size": 2,
            "classes": 2,
            "total": all_,
        }
        for counts, all_ in (([30, 10], 1000), ([3, 0], total))
    )
    found = run(
        "confusions",
        "(m, old, fresh) => m.differences(old, fresh, 9).map((pair) => pair.row)",
        old,
        fresh,
    )
    assert found == rows


def test_roles(run: Run) -> None:
    assert run("grid", "(m) => [[0, 0], [0, 1], [0, 2], [2, 2]].map(([r, c]) => m.roleOf({ inside: 2 }, r, c))") == [
        0, 1, 1, 2,
    ]  # fmt: skip


# ---- colours -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theme", "drawn"), [("light", LIGHT), ("dark", DARK)])
def test_the_ramps_are_those_of_every_drawing_and_begin_with_paper(
    run: Run, theme: str, drawn: Palette
) -> None:
    ramps = run("colours", "(m, theme) => m.RAMPS[theme]", theme)
    assert [tuple(ramps[name]) for name in ("hit", "error", "neutral")] == [
        drawn.hit,
        drawn.error,
        drawn.folded,
    ]
    assert {*ramps["quiet"]} == {drawn.quiet}
    assert len({ramps[name][0] for name in ramps if name not in {"difference", "quiet"}}) == 1


@pytest.mark.parametrize("most", [1e-9, 0.37, 7, 1234])
@pytest.mark.parametrize("whole", [True, False])
def test_ticks_are_round_and_rise_to_the_largest(run: Run, most: float, whole: bool) -> None:
    if whole and most % 1:
        return
    first, *between, last = run("colours", "(m, most, whole) => m.ticks(most, whole)", most, whole)
    assert (first, last) == (0, most)
    assert [*between, last] == sorted({*between, last})
    assert all(f"{tick:.0e}"[0] in "125" for tick in between)
    assert not whole or all(tick == int(tick) for tick in between)


def test_oklab_is_ottossons(run: Run) -> None:
    """The table of the article: white, and linear sRGB red as published by its author's code."""
    np.testing.assert_allclose(
        run("colours", "(m) => m.oklab([255, 255, 255])"), [1, 0, 0], atol=1e-6
    )
    np.testing.assert_allclose(
        run("colours", "(m) => m.oklab([255, 0, 0])"), [0.627955, 0.224863, 0.125846], atol=1e-6
    )
    back = run(
        "colours",
        "(m) => [[0, 0, 0], [12, 200, 99], [255, 128, 7]].map((c) => m.fromOklab(m.oklab(c)))",
    )
    assert back == [[0, 0, 0], [12, 200, 99], [255, 128, 7]]


def test_values_in_cells_are_read_on_every_shade(run: Run) -> None:
    least = run(
        "colours",
        """(m) => {
            const contrast = (...both) => {
                const [low, high] = both.map(m.luminance).sort((x, y) => x - y);
                return (high + 0.05) / (low + 0.05);
            };
            return Math.min(...['light', 'dark']
                .flatMap((theme) => Object.values(m.palette(theme).ramps).flat())
                .map((step) => contrast(step, m.rgbOf(m.inkOn(step)))));
        }""",
    )
    assert least >= 4.5


def test_shades_start_at_what_is_seen_and_are_centered_on_zero(run: Run) -> None:
    assert run("colours", "(m) => [0, 1, 25, 100].map((value) => m.shade(value, 100))") == [
        0,
        round(255 * (0.06 + 0.94 * 0.1)),
        round(255 * (0.06 + 0.94 * 0.5)),
        255,
    ]
    low, middle, high = run(
        "colours", "(m) => [-3, 0, 3].map((value) => m.shadeOfDifference(value, 9))"
    )
    assert middle == 128
    assert abs((high - 127.5) - (127.5 - low)) <= 1


# ---- views ---------------------------------------------------------------------------------------


def test_zooming_keeps_the_point_under_the_pointer(run: Run) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y, column, row = rng.uniform([0, 0, 30, 30], [9, 9, 60, 60])
        view = {"x": x, "y": y, "span": 90.0}
        found = run("view", "(m, v, c, r) => m.zoomed(v, 1.7, c, r, 100)", view, column, row)
        for axis, point in (("x", column), ("y", row)):
            after = (point - found[axis]) / found["span"]
            assert after == pytest.approx((point - view[axis]) / 90)


def test_what_a_point_means(run: Run) -> None:
    layout = {"left": 100, "top": 50, "side": 200, "bars": 60}
    at = "(m, layout, x, y) => m.placeAt(layout, { x: 2, y: 4, span: 10 }, 40, x, y)"
    assert run("view", at, layout, 101, 51) == {"zone": "cell", "row": 4, "col": 2}
    assert run("view", at, layout, 299, 249) == {"zone": "cell", "row": 13, "col": 11}
    assert run("view", at, layout, 50, 75) == {"zone": "row", "row": 5, "col": 5}
    assert run("view", at, layout, 125, 40) == {"zone": "column", "row": 3, "col": 3}
    assert run("view", at, layout, 5, 5) is None


# ---- state, tables, search, files ----------------------------------------------------------------

STATE = """{ show: 0, base: 0, other: 1, norm: 'actual', order: 'given', one: false, fold: new Set(),
    focus: null, cell: null, notes: new Map(), view: null, find: '', sort: ['f1', 'up'],
    only: false, pairs: '', by: ['', 'down'] }"""
LIMITS = """{ models: 3, compares: true, groups: 4, names: 9, orders: ['given', 'worst'],
    columns: ['f1', 'name'], ranks: ['excess'] }"""


def test_a_state_comes_back_from_its_address(run: Run) -> None:
    change = """{ show: 'difference', base: 2, other: 0, norm: 'all', order: 'worst', one: true, fold: new Set([3, 1]),
        cell: [4, 8], notes: new Map([['4.8', 'a:b & "c" 猫\\nd'], ['0', '%']]),
        view: [1.25, 3.5, 7], find: 'a & b=c #é', sort: ['name', 'down'],
        only: true, pairs: 'a+b', by: ['excess', 'up'] }"""
    same = run(
        "state",
        f"""(m) => {{
            const plain = (state) => JSON.stringify(
                {{ ...state, fold: [...state.fold].sort(), notes: [...state.notes] }});
            const wanted = {{ ...{STATE}, ...{change} }};
            const address = '#' + m.toHash(wanted, {STATE});
            return [plain(wanted) === plain(m.fromHash(address, {STATE}, {LIMITS})), m.toHash({STATE}, {STATE})];
        }}""",
    )
    assert same == [True, ""]


BROKEN = "show=9 class=-1 class=9 cell=1.2.3 view=1,2 view=1,2,-3 norm=x order=x sort=f1.sideways sort=x.up fold=9.x"
BROKEN += " note= note=9:a note=1.2.3:a note=x:a"


@pytest.mark.parametrize("address", BROKEN.split())
def test_what_cannot_be_is_left_as_it_was(run: Run, address: str) -> None:
    found = run("state", f"(m, a) => m.toHash(m.fromHash(a, {STATE}, {LIMITS}), {STATE})", address)
    assert found == ""


def test_rows_are_sorted_with_what_is_missing_last(run: Run) -> None:
    for up, expected in (("true", [2, 0, 3, 1, 4]), ("false", [3, 0, 2, 1, 4])):
        assert (
            run("tables", f"(m) => m.sorted([0, 1, 2, 3, 4], (i) => [5, NaN, 1, 9, null][i], {up})")
            == expected
        )
    assert run("tables", "(m) => m.sorted(['c10', 'c9', 'b'], (x) => x, true)") == [
        "b",
        "c9",
        "c10",
    ]


def test_file_names_are_plain(run: Run) -> None:
    titles = ["../../etc/passwd", "Größe & Maß", "猫", "a" * 100]
    found = run(
        "downloads", "(m, titles) => titles.map((title) => m.fileName(title, '.csv'))", titles
    )
    assert found == ["etc-passwd.csv", "gro-e-ma.csv", "report.csv", "a" * 60 + ".csv"]


ROWS = r"""[['a|b', 'n', 'm'], ['[c] x_y & 50% of `$2` ^ \\ <b>', 0.5, 5],
['two\nlines – a', NaN, 0], ['=1', 1, 1234]]"""


def test_tables_are_written_for_readers(run: Run) -> None:
    """Nothing in a name is markup, and numbers have the digits that readers take in."""
    md = run("downloads", f"(m) => m.FORMATS.md({ROWS})")
    assert md == (
        "| a\\|b | n | m |\n| --- | ---: | ---: |\n| \\[c\\] x\\_y \\& 50% of \\`\\$2\\` ^ \\\\ "
        "\\<b\\> | 0.500 | 5 |\n"
        "| two lines – a | – | 0 |\n| =1 | 1.000 | 1,234 |\n"
    )


def test_no_sign_of_a_name_is_read_as_markup(run: Run) -> None:
    """The page escapes what confmat's own writer does."""
    rows = [["head", "n"], [string.punctuation, 1]]
    md = run("downloads", "(m, rows) => m.FORMATS.md(rows)", rows)
    assert (
        from_markdown(md.splitlines()[2].removeprefix("| ").removesuffix(" | 1 |"))
        == string.punctuation
    )
    assert all(re.search(rf"\\{re.escape(sign)}", md) for sign in "\\`*_{}[]<>|#~$@&")


@pytest.mark.parametrize(
    ("module", "call"),
    [
        (
            "numbers",
            (
                "[0.5, 1, 1234.5, 1e7, NaN].flatMap((x) => [m.count(x), m.brief(x), m.share(x), "
                "m.score(x)])"
            ),
        ),
        ("state", f"m.toHash({{ ...{STATE}, norm: 'all', cell: [1, 2], find: 'a b' }}, {STATE})"),
        (
            "downloads",
            "['=a', 'b,c', 'd\"e'].map(m.field).concat(m.fileName('A report: 2', '.csv'))",
        ),
        ("downloads", f"Object.values(m.FORMATS).map((write) => write({ROWS}))"),
        ("tables", "[m.sorted([3, 1, 2], (x) => x, true), m.matches('A b c', 'C a')]"),
    ],
)
def test_the_squeezed_modules_compute_the_same(run: Run, module: str, call: str) -> None:
    """The page's code, with its spaces taken out, gives what the sources give."""
    code = html.script(module)
    squeezed = (
        "(m, code) => "
        f"{{ const m0 = new Function(code + '; return ${module};')(); return ((m) => {call})(m0); }}"
    )
    assert run(module, squeezed, code) == run(module, f"(m) => {call}")
