"""The HTML report without a browser: what the page carries, how it is escaped, and that nothing else can run."""

from __future__ import annotations

import base64
import hashlib
import html as markup
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.display import html, payload
from confmat.display import payload as packing
from tests.animals import ANIMALS as M

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quotes\" 'and' `ticks` ${alert(1)}",
    "javascript:alert(1)",
    "a\x00b",
    "\u202egnp.exe",
    "<!-- -->",
    "line\u2028separator",
    "\ud800",
    "$policy ${title}",
]


def data_of(page: str) -> dict[str, Any]:
    """The contents of a page's data block."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def unvarints(text: str, n: int) -> list[int]:
    """The plainest reading of what `packing.varints` writes."""
    found, value, shift = [], 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    assert len(found) == n
    return found


def unpacked(packed: dict[str, Any]) -> list[float]:
    if "ints" in packed:
        return [float(value) for value in unvarints(packed["ints"], packed["n"])]
    found: list[float] = np.frombuffer(base64.b64decode(packed["floats"]), "<f8").tolist()
    return found


def cells_of(model: dict[str, Any], size: int) -> dict[tuple[int, int], float]:
    places = np.cumsum(unpacked(model["cells"]["steps"])).astype(int).tolist()
    return {
        divmod(place, size): n
        for place, n in zip(places, unpacked(model["cells"]["counts"]), strict=True)
    }


class Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


# ---- numbers -------------------------------------------------------------------------------------


@given(st.lists(st.floats(allow_nan=False), max_size=20))
def test_floats_come_back(values: list[float]) -> None:
    assert unpacked(packing.numbers(np.array(values, dtype=np.float64))) == values


def test_counts_beyond_what_a_browser_counts_in_become_floats() -> None:
    assert "floats" in packing.numbers(np.array([2**53 + 2], dtype=np.int64))
    assert "ints" in packing.numbers(np.array([2**53], dtype=np.int64))


@given(
    st.integers(1, 30).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.dictionaries(
                st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)),
                st.integers(1, 10**6),
                min_size=1,
            ),
        )
    )
)
def test_cells_come_back(case: tuple[int, dict[tuple[int, int], int]]) -> None:
    size, cells = case
    table = np.zeros((size, size), dtype=np.int64)
    for place, n in cells.items():
        table[place] = n
    data = data_of(cm.html(cm.ConfusionMatrix(table)))
    assert cells_of(data["models"][0], size) == cells


def test_what_the_page_shows_is_what_python_computed() -> None:
    data = data_of(cm.html(M))
    (model,) = data["models"]
    report = cm.report(M)
    assert [metric["key"] for metric in data["metrics"]] == list(report.names)
    np.testing.assert_array_equal(
        np.array([unpacked(one) for one in model["values"]]).T, report.values
    )
    assert unpacked(model["actual"]) == M.actual_totals.tolist()
    scores = dict(zip([metric["key"] for metric in data["overall"]], model["overall"], strict=True))
    assert scores["accuracy"] == (4 + 2 + 6) / 25


@pytest.mark.parametrize("positive", ["ill", "x[y].macro", "<b>"])
def test_the_scores_of_the_positive_class_stand_above(positive: str) -> None:
    m = cm.ConfusionMatrix([[90, 5], [2, 3]], ["well", positive], positive=positive)
    data = data_of(cm.html(m))
    shown = {
        fact["title"]: value
        for fact, value in zip(data["overall"], data["models"][0]["overall"], strict=True)
    }
    assert shown[f"Recall, {positive}"] == pytest.approx(3 / 5)
    assert shown[f"Precision, {positive}"] == pytest.approx(3 / 8)
    assert shown[f"F1, {positive}"] == pytest.approx(6 / 13)
    assert all(data["models"][0]["bounds"])


def test_who_allows_no_script_reads_the_scores() -> None:
    (plain,) = re.findall(r"<noscript>(.*?)</noscript>", str(cm.html(M)), re.DOTALL)
    assert f"Accuracy {cm.accuracy(M):.3f} · " in plain
    assert f"F1, macro {cm.score(M, 'f1.macro'):.3f}" in plain
    (plain,) = re.findall(
        r"<noscript>(.*?)</noscript>", str(cm.html({"<old>": M, "new": M})), re.DOTALL
    )
    assert plain.count("Accuracy") == 2
    assert "&lt;old&gt;: Accuracy" in plain


def test_undefined_scores_are_null_and_told_in_the_notes() -> None:
    page = cm.html(cm.ConfusionMatrix([[3, 0], [1, 0]], ["a", "b"]))
    assert "precision is undefined for 1 class: the class is never predicted" in page
    assert data_of(page)["models"][0]["overall"][-1] is None


def test_weights_keep_their_true_negatives() -> None:
    m = cm.count(["a", "a", "b"], ["a", "b", "b"], weights=[0.1, 0.2, 0.7])
    (model,) = data_of(cm.html(m))["models"]
    assert unpacked(model["negatives"]) == m.cells.tn.tolist()
    assert model["weighted"]


PETS = cm.ConfusionMatrix(
    [[90, 1, 9, 0], [1, 95, 0, 4], [12, 2, 85, 1], [2, 3, 1, 94]], ["cat", "hen", "dog", "owl"]
)


def test_order_and_groups_are_those_of_confmat() -> None:
    data = data_of(cm.html(PETS))
    assert tuple(data["labels"][i] for i in data["orders"]["cluster"]) == cm.structure.class_order(
        PETS
    )
    assert {
        one["name"]: tuple(data["labels"][i] for i in one["members"]) for one in data["groups"]
    } == dict(cm.class_groups(PETS))
    chosen = data_of(cm.html(PETS, class_groups={"birds": ["hen", "owl"]}))
    assert chosen["groups"] == [{"name": "birds", "members": [1, 3], "up": -1}]
    # The classes of a group stand side by side.
    assert (chosen["order"], chosen["orders"]["hierarchy"]) == ("hierarchy", [1, 3, 0, 2])
    assert data_of(cm.html(PETS, class_groups=False))["groups"] == []


def test_a_hierarchy_gives_groups_and_the_order() -> None:
    h = cm.Hierarchy.from_nested(
        {"bird": {"night": ["owl"], "day": ["hen"]}, "mammal": ["dog", "cat"]}
    )
    data = data_of(cm.html(PETS, class_groups=h))
    assert (data["order"], data["orders"]["hierarchy"]) == ("hierarchy", [3, 1, 2, 0])
    # A class alone is no group.
    assert [(one["name"], one["members"]) for one in data["groups"]] == [
        ("mammal", [0, 2]),
        ("bird", [1, 3]),
    ]
    assert data_of(cm.html(PETS, class_groups=h, order="worst"))["order"] == "worst"
    assert "hierarchy" not in data_of(cm.html(PETS))["orders"]
    with pytest.raises(cm.InputError, match="needs a Hierarchy or groups as `class_groups`"):
        cm.html(PETS, order="hierarchy")


# ---- budgets -------------------------------------------------------------------------------------


def test_beyond_the_budget_the_smallest_cells_are_left_out_and_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(payload, "MOST_CELLS", 3)
    page = cm.html(M)
    (model,) = data_of(page)["models"]
    assert cells_of(model, 3) == {(0, 0): 4, (1, 0): 6, (2, 2): 6}
    assert model["left"] == {"cells": 5, "total": 9}
    assert "the 5 smallest cells, 36.00% of the total, are left out of the heat map" in page
    # Items that were left out are missing in no score.
    assert model["overall"][0] == (4 + 2 + 6) / 25


def test_too_many_classes_or_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "MOST_CLASSES", 2)
    with pytest.raises(
        cm.BudgetError, match=r"3 classes are more than the 2 that a page can show; join them"
    ):
        cm.html(M)
    monkeypatch.undo()
    monkeypatch.setattr(payload, "MOST_MODELS", 2)
    with pytest.raises(cm.BudgetError, match="3 matrices are more than the 2"):
        cm.html({"a": M, "b": M, "c": M})


def test_a_thousand_classes_with_fifty_thousand_cells_stay_below_two_megabytes() -> None:
    rng = np.random.default_rng(0)
    table = np.zeros(10**6, dtype=np.int64)
    table[rng.choice(10**6, 50_000, replace=False)] = rng.integers(1, 300, 50_000)
    names = [f"a class with a name {i}" for i in range(1000)]
    assert len(cm.html(cm.ConfusionMatrix(table.reshape(1000, 1000), names)).encode()) <= 2_000_000


# ---- safety --------------------------------------------------------------------------------------


def test_hostile_text_makes_no_element() -> None:
    """A page of hostile names has the elements of a page of harmless ones, attribute by attribute."""
    k = len(HOSTILE)
    table = np.ones((k, k), dtype=np.int64) + np.eye(k, dtype=np.int64)
    plain = [f"c{i}" for i in range(k)]

    def page(names: list[str], text: str) -> str:
        m = cm.ConfusionMatrix(table, names)
        found = cm.html(
            m, title=text, examples={(names[0], names[1]): HOSTILE if text != "t" else plain}
        )
        assert isinstance(found, str)
        return found

    hostile, harmless = page(HOSTILE, HOSTILE[1]), page(plain, "t")
    assert Elements(hostile).found == Elements(harmless).found
    assert hostile.isascii() or not re.search("[\u2028\u202e\x00]", hostile)
    block = hostile.partition('id="data">')[2].partition("</script>")[0]
    assert not re.search(r"[<>&\u2028\u2029\x00-\x1f]", block)
    assert data_of(hostile)["labels"][0] == HOSTILE[0]


@given(st.text())
def test_any_label_comes_back_as_text(name: str) -> None:
    m = cm.ConfusionMatrix([[1, 2], [3, 4]], [name, name + "x"])
    page = cm.html(m)
    shown = data_of(page)["labels"][0]
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    if name.isprintable() and name and len(name) < 500:
        assert shown == name


def test_the_policy_admits_what_the_page_brings_and_nothing_else() -> None:
    page = cm.html(M)
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found
    rules = dict(rule.split(" ", 1) for rule in found[1].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    for tag, rule in (("style", "style-src"), ('script type="module"', "script-src")):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag.split()[0]}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert not re.search(r"unsafe|https?:|\*", found[1])


def test_the_page_names_no_address() -> None:
    """Nothing is fetched: no link, image, frame or import leads anywhere."""
    page = cm.html(M)
    for tag, facts in Elements(page).found:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "data", "style"} & set(facts), (tag, facts)
        assert not any(name.startswith("on") for name in facts), (tag, facts)
        assert (facts.get("href") or "#").startswith("#")
    assert not re.search(
        r"""@import|url\(|https?://|\bimport\s*\(|\beval\b|innerHTML|new Function""", page
    )


def test_scripts_hold_nothing_that_ends_a_script() -> None:
    assert not re.search(r"</script|<!--|<script", html.script(), re.IGNORECASE)


# ---- files ---------------------------------------------------------------------------------------


def test_a_path_is_written_and_given_back(tmp_path: Path) -> None:
    found = cm.html(M, str(tmp_path / "report.html"), title="T & <co>")
    assert found == tmp_path / "report.html"
    assert found.read_text(encoding="utf-8") == cm.html(M, title="T & <co>")
    assert f"<title>{markup.escape('T & <co>')}</title>" in found.read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]


def test_a_file_is_not_overwritten_unless_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(cm.InputError, match="the file exists"):
        cm.html(M, path, overwrite=False)
    with pytest.raises(cm.LabelError):
        cm.html(M, path, examples={("Cat", "Cow"): ["x"]})
    assert [one.read_text() for one in tmp_path.iterdir()] == ["mine"]


# ---- several models, outside labels, kinds of labels ---------------------------------------------


def test_several_models_have_common_labels() -> None:
    a = cm.ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    b = cm.ConfusionMatrix([[5]], ["maybe"])
    data = data_of(cm.html({"old": a, "new": b}))
    assert data["labels"] == ["maybe", "no", "yes"]
    assert [model["name"] for model in data["models"]] == ["old", "new"]
    stacked = data_of(cm.html(cm.Stack({"old": a, "new": b}, axis="week")))
    assert stacked["axis"] == "week"


def test_labels_outside_the_classes_come_last_and_apart() -> None:
    m = cm.ConfusionMatrix([[4, 1, 1], [0, 2, 2], [1, 0, 0]], ["a", "b"], outside=["(none)"])
    data = data_of(cm.html(m))
    assert (data["labels"], data["outside"]) == (["a", "b", "(none)"], 1)
    assert data["models"][0]["asked"] == m.cells.total.tolist()[0]


@pytest.mark.parametrize(
    "labels",
    [[1, 2], [False, True], [b"a", b"b"], ["a", 'b"\\'], [2**63, -5], [("a", 1), ("b", 2)]],
    ids=str,
)
def test_labels_of_every_kind_can_be_stored_again(labels: list[Any]) -> None:
    """The source of the page's download reads back to the labels that were given."""
    m = cm.ConfusionMatrix([[1, 2], [3, 4]], labels)
    data = data_of(cm.html(m))
    if data["stored"] is not None:
        assert cm.Labels.from_dict(json.loads(data["stored"])) == m.labels
    else:
        assert data["labels"] == labels


# ---- what is refused -----------------------------------------------------------------------------


def test_other_things_are_no_matrix() -> None:
    with pytest.raises(cm.InputError, match="a page shows a ConfusionMatrix, a Stack or a mapping"):
        cm.html([[1, 2], [3, 4]])  # type: ignore[call-overload]
    with pytest.raises(cm.InputError, match="`file` is a path, an open text file, or None"):
        cm.html(M, 5)  # type: ignore[call-overload]


# ---- the sources of the page ---------------------------------------------------------------------

MODULES = sorted(path for path in (Path(html.__file__).parent / "page").glob("*.js"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_can_be_bundled(path: Path) -> None:
    """The bundle relies on this: imports on a line of their own, texts that end in their line, no other exports."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    imports = re.findall(r"^import .*$", text, re.MULTILINE)
    assert all(
        re.fullmatch(r'import \{ [\w, ]+ \} from "\./\w+\.js";', line) for line in imports
    ), imports
    assert text.count("import ") == len(imports) or "import(" not in text
    assert all(line.count("`") % 2 == 0 for line in text.splitlines())
    assert not re.search(r"[;{})] *//", text), "a remark stands on a line of its own"
    assert re.match(r"// \w", text), "the first line says what the module is"
    # A text within a text would lose its spaces.
    assert not re.search(r"`[^`\n]*\$\{[^`}\n]*`", text)


def test_every_module_is_on_the_page() -> None:
    for path in MODULES:
        assert f"const ${path.stem}=" in html.script()


def test_more_scores_stand_beside_the_usual_ones() -> None:
    m = cm.ConfusionMatrix([[4, 1], [2, 5]], ["cat", "dog"])
    price = cm.metrics.cost(cm.Costs({("cat", "dog"): 5}, default=1))
    data = data_of(cm.html(m, scores=["recall[dog]", "accuracy", price]))
    assert [fact["title"] for fact in data["overall"][-2:]] == ["Recall, dog", "Mean cost"]
    assert data["models"][0]["overall"][-2:] == pytest.approx([5 / 7, (5 + 2) / 12])
    for wrong in ("f1", [cm.recall]):
        with pytest.raises(
            cm.MetricError,
            match=r"has a value per class, .* say '.*\.macro', '.*\[cat\]' or '.*\[dog\]'",
        ):
            cm.html(m, scores=wrong)


# ---- differences ---------------------------------------------------------------------------------


def test_modules_that_a_page_does_not_need_are_absent() -> None:
    alone, beside = html.script(absent=frozenset({"answers", "sweep", "trend"})), html.script()
    assert len(alone) < len(beside) - 5_000
    assert "const $trend={};" in alone
    assert set(re.findall(r"const \$(\w+)=", alone)) == set(re.findall(r"const \$(\w+)=", beside))


@pytest.mark.parametrize(("axis", "keys", "follows"), [
    ("epoch", [1, 2, 3], True),
    ("run", ["2026-03-01", "2026-03-02", "2026-03-03"], True),
    ("site", [1, 2, 3], False),
    ("day", [1, 2], False),
])  # fmt: skip
def test_matrices_of_epochs_and_dates_follow_each_other(
    axis: str, keys: list[Any], follows: bool
) -> None:
    """Each is then compared with the one before it, otherwise with all others."""
    data = data_of(cm.html(cm.Stack(dict.fromkeys(keys, M), axis=axis)))
    assert data["tests"]["successive"] == follows
    after = [[0, 1], [1, 2]][: len(keys) - 1]
    pairs = after[::-1] if follows else [[0, 1]] if len(keys) == 2 else [[0, 1], [0, 2], [1, 2]]
    assert [test["pair"] for test in data["tests"]["pairs"]] == pairs


def test_the_differences_of_the_page_are_those_of_the_comparison() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 3, 400)
    one, two = (
        np.where(rng.random(400) < share, actual, rng.integers(0, 3, 400)) for share in (0.6, 0.85)
    )
    found = cm.compare_predictions(actual, {"old": one, "new": two})
    data = data_of(cm.html(found))
    (test,) = data["tests"]["pairs"]
    codes = {"different": 3, "not shown to be different": 1}
    for fact, shown in zip(data["overall"], test["overall"], strict=True):
        each = found.of(fact["key"])
        assert shown == [round(each.low, 6), round(each.high, 6), codes[each.verdict]]
    classes = {each.score: each for each in found.classes(data["tests"]["metrics"])}
    ordered = [
        classes[f"{name}[{label}]"] for name in data["tests"]["metrics"] for label in range(3)
    ]
    assert unpacked(test["classes"]["said"]) == [codes[each.verdict] for each in ordered]
    held = [
        3 * cell.actual + cell.predicted
        for cell in found.cells(None)
        if cell.verdict == "different"
    ]
    assert np.cumsum(unpacked(test["cells"]["different"])).tolist() == sorted(held) != []
