"""MatrixView: the numbers, texts, shades and roles that every drawing shows."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.core.printing import FAINTEST
from confmat.display.roles import Role
from confmat.display.view import MatrixView, views
from tests.animals import ANIMALS as M

# Example 3 of Kolena's page on the confusion matrix, and the three tables it makes of it.
KOLENA = cm.ConfusionMatrix([[200, 0, 0], [100, 8800, 600], [100, 0, 1000]], ["cat", "dog", "fish"])
KOLENA_TABLES = {
    "actual": (2, [[1, 0, 0], [0.01, 0.93, 0.06], [0.09, 0, 0.91]]),
    "predicted": (3, [[0.5, 0, 0], [0.25, 1, 0.375], [0.25, 0, 0.625]]),
    "all": (2, [[0.02, 0, 0], [0.01, 0.81, 0.06], [0.01, 0, 0.09]]),
}

tables = st.integers(1, 6).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 300), min_size=k, max_size=k), min_size=k, max_size=k
    )
)


def made(table: Any) -> cm.ConfusionMatrix:
    return cm.ConfusionMatrix(table, [f"c{i}" for i in range(len(table))])


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", KOLENA_TABLES)
def test_the_published_tables_are_reproduced_to_their_digits(spelling: Any) -> None:
    digits, table = KOLENA_TABLES[spelling]
    view = cm.view(KOLENA, normalize=spelling, values="share", digits=digits)
    assert [[float(text) for text in row] for row in view.texts] == table


def test_what_is_exactly_nothing_or_all_has_no_decimals() -> None:
    view = cm.view(cm.ConfusionMatrix([[5000, 0], [1, 4999]]), normalize="actual")
    assert view.texts == (("100%", "0"), ("0.0%", "100.0%"))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, "8,800"),
        ({"values": "percent", "normalize": None}, "81.5%"),
        ({"values": "both"}, "8,800\n92.6%"),
        ({"values": "both", "normalize": "actual"}, "8,800\n92.6%"),
        ({"values": "percent", "normalize": "actual", "digits": 3}, "92.632%"),
        ({"values": "share", "normalize": "actual"}, "0.93"),
        ({"values": "none"}, ""),
    ],
)
def test_a_cell_says_what_was_asked(choice: Any, expected: str) -> None:
    assert cm.view(KOLENA, **choice).text(1, 1) == expected


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, "counts"),
        ({"normalize": "pred"}, "per cent of each predicted class"),
        ({"values": "share", "normalize": "true"}, "shares of each actual class"),
        ({"values": "none", "normalize": "all"}, "shares of all"),
        ({"minus": KOLENA}, "difference in counts"),
        (
            {"minus": KOLENA, "normalize": "actual"},
            "difference in percentage points of each actual class",
        ),
    ],
)
def test_the_view_says_what_its_numbers_are(choice: Any, expected: str) -> None:
    assert cm.view(KOLENA, **choice).numbers == expected


def test_an_empty_row_is_a_dash_and_no_zero() -> None:
    view = cm.view(
        cm.ConfusionMatrix([[3, 1], [0, 0]], ["a", "b"]), normalize="actual", values="both"
    )
    assert view.texts[1] == ("–", "–")
    assert view.role(1, 1) == "empty"
    assert np.isnan(view.shades[1]).all()


def test_margins_are_in_counts_and_support_in_shares() -> None:
    view = cm.view(KOLENA, normalize="actual")
    assert view.row_texts == ("200", "9,500", "1,100")
    assert view.column_texts == ("400", "8,800", "1,600")
    assert view.total_text == "10,800"
    assert view.row_shares.tolist() == [200 / 10800, 9500 / 10800, 1100 / 10800]


@given(tables)
def test_shares_of_what_is_there_sum_to_one(table: Any) -> None:
    m = made(table)
    for normalize, axis in (("actual", 1), ("predicted", 0)):
        sums = cm.view(m, normalize=normalize).values.sum(axis=axis)  # type: ignore[arg-type]
        assert np.all(np.isnan(sums) | np.isclose(sums, 1))
    if m.total:
        assert cm.view(m, normalize="all").values.sum() == pytest.approx(1)


@given(tables, st.randoms())
def test_order_permutes_and_changes_nothing_else(table: Any, random: Any) -> None:
    m = made(table)
    names = list(m.labels)
    random.shuffle(names)
    plain, moved = cm.view(m, normalize="all"), cm.view(m, normalize="all", order=names)
    places = [m.labels.index(name) for name in names]
    assert list(moved.labels) == names
    for part in ("counts", "values", "shades", "roles"):
        assert np.array_equal(
            getattr(moved, part), getattr(plain, part)[np.ix_(places, places)], equal_nan=True
        )


@given(tables, st.integers(1, 6))
def test_folding_keeps_every_item(table: Any, top: int) -> None:
    m = made(table)
    view = cm.view(m, top=top)
    assert view.total == m.total == view.counts.sum()
    assert len(view) == (m.n_classes if top >= m.n_classes else top + 1)
    kept = [name for name in view.labels if name != "(other)"]
    least = min(m.actual_totals[m.labels.index(name)] for name in kept)
    left = [m.actual_totals[i] for i, name in enumerate(m.labels) if name not in kept]
    assert all(total <= least for total in left)
    for name in kept:
        i, j = m.labels.index(name), view.labels.index(name)
        assert view.counts[j, j] == m.counts[i, i]
        assert view.row_totals[j] == m.actual_totals[i]


# ---- shades and roles ----------------------------------------------------------------------------


@pytest.mark.parametrize("normalize", [None, "actual", "predicted", "all"])
def test_the_errors_of_a_good_model_look_small(normalize: Any) -> None:
    """An error of a thousandth of a class is a tenth as dark as one of a tenth, however good the model is."""
    for most in (0, 1, 6, 96):
        table = np.diag([1000 - most] * 4)
        table[range(4), [1, 2, 3, 0]] = most
        view = cm.view(cm.ConfusionMatrix(table), normalize=normalize)
        dark = FAINTEST + (1 - FAINTEST) * (most / 100) ** 0.5 if most else 0.0
        assert view.shades[0, 1] == pytest.approx(dark)


def test_one_tiny_class_does_not_make_large_the_errors_of_the_others() -> None:
    m = cm.ConfusionMatrix([[994, 6, 0, 0], [0, 990, 0, 6], [1, 0, 4, 0], [0, 0, 0, 1000]])
    view = cm.view(m, normalize=None)
    assert view.tops[Role.ERROR] == 0.1 * 996


@pytest.mark.parametrize("normalize", [None, "actual", "all"])
def test_pictures_of_two_matrices_share_a_scale(normalize: Any) -> None:
    bad = cm.ConfusionMatrix([[60, 40], [20, 80]])
    good = cm.ConfusionMatrix([[99, 1], [2, 98]])
    one, other = (cm.view(a, normalize=normalize, scale=b) for a, b in ((bad, good), (good, bad)))
    assert one.tops == other.tops
    assert one.shades[0, 1] == 1
    # A value means one colour in both pictures.
    assert (
        other.shades[1, 0] < one.shades[1, 0] == pytest.approx(FAINTEST + (1 - FAINTEST) * 0.5**0.5)
    )


def test_a_scale_can_be_a_number_or_one_for_all() -> None:
    m = cm.ConfusionMatrix([[600, 400], [200, 800]])
    view = cm.view(m, normalize="actual", scale=0.8)
    assert (view.tops[Role.ERROR], view.tops[Role.HIT]) == (0.8, 1)
    assert cm.view(m, normalize=None, scale=10).shades[0, 1] == 1
    alike = cm.view(m, normalize=None, scale="one")
    assert alike.shades[0, 1] == pytest.approx(FAINTEST + (1 - FAINTEST) * 0.5**0.5)
    wrongs: list[Any] = [0, True, "two"]
    for wrong in (*wrongs, cm.view(m, normalize=None), cm.view(m, minus=m.T, normalize="actual")):
        with pytest.raises(cm.InputError, match="`scale` takes a number above 0"):
            cm.view(m, normalize="actual", scale=wrong)


@given(tables)
def test_shades_lie_within_their_scale_and_only_zero_is_zero(table: Any) -> None:
    view = cm.view(made(table), normalize=None)
    assert ((view.shades >= 0) & (view.shades <= 1)).all()
    assert ((view.shades == 0) == (view.counts == 0)).all()
    assert (view.shades[view.counts > 0] >= FAINTEST).all()


def test_roles_of_labels_outside_the_classes_and_of_folded_ones() -> None:
    m = cm.ConfusionMatrix(np.arange(16).reshape(4, 4), ["a", "b", "c"], outside=["(none)"])
    roles = [[cm.view(m).role(i, j) for j in range(4)] for i in range(4)]
    assert roles[0] == ["hit", "error", "error", "outside"]
    # Outside on both sides is nobody's error, so it is shaded by itself.
    assert roles[3] == ["outside"] * 3 + ["neutral"]
    folded = cm.view(m, top=1)
    assert folded.names == ("c", "(other)", "(none)")
    assert [[folded.role(i, j) for j in range(3)] for i in range(3)] == [
        ["hit", "error", "outside"],
        ["error", "folded", "outside"],
        ["outside", "outside", "neutral"],
    ]


@given(st.integers(2, 5), st.integers(0, 2), st.data())
def test_the_roles_of_an_observed_class_add_up_to_its_cells(
    k: int, outside: int, data: Any
) -> None:
    size = k + outside
    counts = data.draw(st.lists(st.integers(0, 50), min_size=size * size, max_size=size * size))
    m = cm.ConfusionMatrix(
        np.array(counts).reshape(size, size), range(k), outside=[f"({i})" for i in range(outside)]
    )
    observed = data.draw(st.integers(0, k - 1))
    view = cm.view(m, of=observed)
    for role in (Role.TP, Role.FP, Role.FN, Role.TN):
        expected = getattr(m.cells, role.name.lower())[observed]
        assert view.counts[view.roles == role].sum() == expected


# ---- differences ---------------------------------------------------------------------------------


def test_a_difference_is_centered_on_zero_and_signed() -> None:
    other = cm.ConfusionMatrix(
        [[190, 10, 0], [0, 9000, 500], [100, 0, 1000]], ["cat", "dog", "fish"]
    )
    view = cm.view(KOLENA, minus=other, normalize=None)
    assert view.texts == (("+10", "−10", "0"), ("+100", "−200", "+100"), ("0", "0", "0"))
    # More hits are better, and so are fewer errors.
    assert np.array_equal(np.sign(view.shades), np.sign(view.counts) * (2 * np.eye(3) - 1))
    assert view.shades[1, 1] == -1
    back = cm.view(other, minus=KOLENA, normalize=None)
    assert np.array_equal(back.shades, -view.shades)


def test_a_difference_that_may_be_nothing_is_grey() -> None:
    random = np.random.default_rng(0)
    truth = random.integers(0, 5, 2000)
    first, second, better = (
        np.where(random.random(2000) < p, truth, random.integers(0, 5, 2000))
        for p in (0.8, 0.8, 0.97)
    )
    old, seed, new = (cm.count(truth, one) for one in (first, second, better))
    noise = cm.view(seed, minus=old, normalize="actual")
    changed = noise.counts != 0
    assert (noise.roles[changed] == Role.OPEN).all()
    assert (noise.shades < 0.2).all()
    assert noise.notes == (
        f"0 of {changed.sum()} changes shown to be more than noise, grey may be nothing",
    )
    gain = cm.view(new, minus=old)
    verdicts = {
        (cell.actual, cell.predicted): cell.verdict
        for cell in cm.compare({"old": old, "new": new}).cells(None)
    }
    held = np.array([[verdicts.get((i, j)) == "different" for j in range(5)] for i in range(5)])
    assert held.diagonal().all()
    assert np.array_equal(gain.roles == Role.OPEN, ~held & (gain.counts != 0))
    assert (gain.shades[held] > 0.2).all()
    # A comparison cannot be made of weights; so nothing is shown.
    weighted = [cm.ConfusionMatrix(m.counts * 0.5, m.labels) for m in (new, old)]
    assert (cm.view(weighted[0], minus=weighted[1]).roles[gain.counts != 0] == Role.OPEN).all()


def test_a_difference_unites_labels_and_tells_that_totals_differ() -> None:
    small = cm.ConfusionMatrix([[8, 2], [0, 10]], ["cat", "dog"])
    view = cm.view(KOLENA, minus=small, normalize="all")
    assert view.names == ("cat", "dog", "fish")
    assert view.values[0, 0] == 200 / 10800 - 8 / 20
    assert view.notes[0] == "the totals differ: 10,800 and 20"


def test_differences_of_numbers_beyond_a_sign_are_right() -> None:
    huge = cm.ConfusionMatrix(np.array([[2**63 + 2**20, 0], [0, 0]], dtype=np.uint64))
    view = cm.view(cm.ConfusionMatrix([[2**20, 0], [0, 5]]), minus=huge)
    assert view.counts.tolist() == [[-(2.0**63), 0], [0, 5]]


# ---- folding and order ---------------------------------------------------------------------------


def test_a_sparse_matrix_of_many_classes_is_folded_unasked() -> None:
    k = 100_000
    rows = np.arange(k).repeat(2)
    columns = np.where(np.arange(2 * k) % 2, (rows + 1) % k, rows)
    m = cm.ConfusionMatrix.from_pairs(
        [(int(i), int(j), 1 + int(i < 10)) for i, j in zip(rows, columns, strict=True)]
    )
    view = cm.view(m)
    assert len(view) == 1001
    assert view.labels[:10] == tuple(range(10))
    assert view.total == m.total
    assert view.notes == ("99,000 of 100,000 classes folded into (other), 198,000 of 200,020",)
    with pytest.raises(cm.BudgetError, match="2,000 labels at most, not 50,000"):
        cm.view(m, top=50_000)


def test_groups_fold_or_stand_side_by_side() -> None:
    groups = {"water": ["fish"], "land": ["cat", "dog"]}
    folded = cm.view(KOLENA, class_groups=groups)
    assert folded.names == ("land", "water")
    assert folded.counts.tolist() == [[200 + 100 + 8800, 600], [100, 1000]]
    assert folded.notes == ("3 classes in 2 groups",)
    beside = cm.view(KOLENA, class_groups={"dry and wet": ["cat", "fish"]}, fold=False)
    assert beside.names == ("cat", "fish", "dog")
    assert beside.blocks == (("dry and wet", 0, 2),)


def test_an_order_may_be_named_or_given() -> None:
    assert cm.view(KOLENA, order="support").names == ("dog", "fish", "cat")
    assert cm.view(KOLENA, order=["fish", "cat", "dog"]).names == ("fish", "cat", "dog")
    assert cm.view(KOLENA, order="recall").names == tuple(
        cm.structure.class_order(KOLENA, "recall")
    )
    assert cm.view(KOLENA, order=["dog"], top=1).names == ("dog", "(other)")
    with pytest.raises(cm.LabelError, match="needs every class once"):
        cm.view(KOLENA, order=["fish", "cat"])


def test_a_hierarchy_orders_folds_and_marks() -> None:
    h = cm.Hierarchy.from_paths(["water/fish", "land/dog", "land/cat"])
    assert cm.view(KOLENA, order=h).labels == ("fish", "dog", "cat")
    folded = cm.view(KOLENA, class_groups=h)
    assert folded.counts.tolist() == KOLENA.roll_up(h).reorder(folded.labels).counts.tolist()
    assert folded.labels == ("water", "land")
    beside = cm.view(KOLENA, class_groups=h, fold=False)
    assert (beside.labels, beside.blocks) == (("fish", "dog", "cat"), (("land", 1, 3),))


def test_found_groups_become_blocks_in_their_order() -> None:
    table = [[50, 9, 0, 0], [8, 50, 0, 0], [0, 0, 50, 9], [0, 0, 8, 50]]
    m = cm.ConfusionMatrix(table, ["a1", "a2", "b1", "b2"]).reorder(["a1", "b1", "a2", "b2"])
    view = cm.view(m, class_groups=True, fold=False)
    assert {frozenset(view.names[start:stop]) for _, start, stop in view.blocks} == {
        frozenset({"a1", "a2"}),
        frozenset({"b1", "b2"}),
    }
    assert len(cm.view(m, class_groups=True)) == 2


def test_the_observed_class_is_never_folded() -> None:
    view = cm.view(KOLENA, top=1, of="cat")
    assert view.names == ("cat", "(other)")
    assert view.counts[0, 0] == 200


def test_a_class_called_other_is_not_mistaken_for_the_rest() -> None:
    m = cm.ConfusionMatrix([[5, 1, 0], [1, 9, 0], [0, 0, 1]], ["(other)", "dog", "hen"])
    view = cm.view(m, top=2)
    assert view.names == ("(other)", "dog", "(folded)")


def test_a_stack_has_one_order_one_folding_and_one_scale() -> None:
    stack = cm.Stack({"a": KOLENA, "b": KOLENA.T + KOLENA}, axis="model")
    made = views(stack, top=2, order="support")
    assert {view.names for view in made.values()} == {("dog", "fish", "(other)")}
    assert made["a"].tops == made["b"].tops
    assert views(stack, top=2, normalize=None)["a"].tops[Role.HIT] == 2 * 8800
    assert [view.title for view in made.values()] == ["a", "b"]


def test_what_was_dropped_is_said() -> None:
    assert cm.view(KOLENA.select(["cat", "dog"])).notes == ("1,700 left out of the matrix",)


# ---- a value, and safe texts ---------------------------------------------------------------------


def test_a_view_does_not_change() -> None:
    view = cm.view(KOLENA)
    assert isinstance(view, MatrixView)
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.total = 3  # type: ignore[misc]
    for part in ("counts", "shares", "shades", "roles", "row_totals"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(view, part)[0] = 0


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"top": 0}, "`top` takes how many classes to show, 1 or more, not 0"),
        ({"order": 3}, "`order` takes the name of a method or the classes"),
        ({"digits": -1}, "`digits` takes a number of decimals from 0 to 15, not -1"),
        ({"minus": [[1]]}, "`minus` takes the ConfusionMatrix to compare with, not list"),
        ({"of": "cow"}, "cow"),
        ({"class_groups": ["cat"]}, "takes a mapping of group name to its classes"),
    ],
)
def test_what_cannot_be_shown_is_said(choice: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        cm.view(KOLENA, **choice)


def test_only_a_matrix_has_a_view() -> None:
    with pytest.raises(cm.InputError, match="takes a ConfusionMatrix, not list"):
        cm.view([[1, 2], [3, 4]])  # type: ignore[arg-type]


def test_a_cost_report_is_shaded_by_what_each_cell_costs() -> None:
    prices = np.array([[0, 1, 1], [20, 0, 1], [1, 5, 0]])
    report = cm.cost_report(M, prices)
    v = cm.view(report, order=["Hen", "Cat", "Fish"])
    turned = M.reorder(["Hen", "Cat", "Fish"])
    wanted = turned.counts * prices[np.ix_([2, 0, 1], [2, 0, 1])]
    np.testing.assert_array_equal(v.values, wanted)
    assert np.nanargmax(v.shades) == np.argmax(wanted)
    assert v.caption == "cost of each cell"
    # Classes that are folded cost together what they cost apart.
    assert (
        cm.view(report, class_groups={"pets": ["Cat", "Hen"]}).values.sum()
        == (M.counts * prices).sum()
    )
    with pytest.raises(cm.InputError, match="a cost report shows what each cell costs"):
        cm.view(report, normalize="all")


def test_of_an_observed_class_its_own_confusions_are_foremost() -> None:
    counts = np.full((6, 6), 5) + np.diag([200] * 6)
    counts[1, 2] = counts[3, 4] = 60
    m = cm.ConfusionMatrix(counts, list("abcdef"))
    assert sorted(cm.view(m).held) == [(1, 2), (3, 4)]
    assert cm.view(m, of="c").held == ((1, 2),)
    assert cm.view(m, of="f").held == ()
