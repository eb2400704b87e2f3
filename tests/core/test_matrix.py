"""ConfusionMatrix: a value that never changes, whatever it was made of and however it is stored."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from confmat import BudgetError, ConfusionMatrix, InputError, LabelError, Labels, count

CELLS = st.sampled_from([0, 0, 1, 2, 10]) | st.integers(0, 2**50)


@st.composite
def matrices(draw: st.DrawFn, *, outside: bool = True) -> ConfusionMatrix:
    size = draw(st.integers(1, 5))
    names = draw(st.permutations("abcde"))[:size]
    around = draw(st.sampled_from([(), ("(other)",), ("x", "y")])) if outside else ()
    table = draw(arrays(np.int64, (size + len(around),) * 2, elements=CELLS))
    matrix = ConfusionMatrix(table, names, outside=around)
    if draw(st.booleans()):
        matrix = matrix.sparse()
    return matrix


@pytest.fixture
def animals() -> ConfusionMatrix:
    return ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])


@pytest.fixture
def with_background() -> ConfusionMatrix:
    return ConfusionMatrix(
        [[5, 1, 2], [0, 7, 1], [3, 4, 9]], labels=["a", "b"], outside=["background"]
    )


def test_margins(animals: ConfusionMatrix) -> None:
    assert animals.counts.tolist() == [[4, 1, 1], [6, 2, 2], [3, 0, 6]]
    assert animals.diagonal.tolist() == [4, 2, 6]
    assert animals.actual_totals.tolist() == [4 + 1 + 1, 6 + 2 + 2, 3 + 0 + 6]
    assert animals.predicted_totals.tolist() == [4 + 6 + 3, 1 + 2 + 0, 1 + 2 + 6]
    assert (animals.total, type(animals.total)) == (6 + 10 + 9, int)
    assert (animals.n_classes, animals.shape, len(animals)) == (3, (3, 3), 3)
    assert (animals.is_weighted, animals.is_sparse, animals.dropped) == (False, False, 0)
    assert animals.squares is None


def test_outside_labels_cost_a_class_but_are_none(with_background: ConfusionMatrix) -> None:
    total = 5 + 1 + 2 + 0 + 7 + 1 + 3 + 4
    for matrix in (with_background, with_background.sparse()):
        cells = matrix.cells
        assert (cells.tp.tolist(), cells.fn.tolist()) == ([5, 7], [1 + 2, 0 + 1])
        assert cells.fp.tolist() == [0 + 3, 1 + 4]
        assert cells.tn.tolist() == [total - 5 - 3 - 3, total - 7 - 1 - 5]
        assert (matrix.n_classes, matrix.shape) == (2, (3, 3))


@given(matrices())
def test_every_class_sees_every_item_once(matrix: ConfusionMatrix) -> None:
    outside = sum(
        n
        for (a, p), n in matrix.pairs().items()
        if a in matrix.labels.outside and p in matrix.labels.outside
    )
    cells = matrix.cells
    assert (cells.tp + cells.fp + cells.fn + cells.tn).tolist() == [
        matrix.total - outside
    ] * matrix.n_classes


@given(
    arrays(
        np.float64, (3, 3), elements=st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.7, 1e-9, 3e5, 1 / 3])
    )
)
def test_no_cell_falls_below_zero_by_rounding(table: np.ndarray[Any, Any]) -> None:
    cells = ConfusionMatrix(table).cells
    for part in (cells.tp, cells.fp, cells.fn, cells.tn):
        assert np.all(part >= 0)


def test_one_vs_rest(animals: ConfusionMatrix) -> None:
    cat = animals.one_vs_rest("Cat")
    assert (cat.tp, cat.fp, cat.fn, cat.tn) == (4, 6 + 3, 1 + 1, 2 + 2 + 0 + 6)
    assert cat.labels == ["Cat", "not Cat"]
    assert cat.positive == "Cat"
    assert ConfusionMatrix([[1, 2], [3, 4]]).one_vs_rest(0).labels == ["0", "not 0"]
    with pytest.raises(LabelError, match="did you mean 'Cat'"):
        animals.one_vs_rest("cat")


def test_an_outside_label_has_no_matrix_of_its_own(with_background: ConfusionMatrix) -> None:
    with pytest.raises(LabelError, match="outside the classes"):
        with_background.one_vs_rest("background")


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([False, True], True),
        ([0, 1], 1),
        ([-1, 1], 1),
        # As a CSV holds them.
        (["0", "1"], "1"),
        (["False", "True"], "True"),
        ([b"0", b"1"], None),
        ([0, 1, 2], None),
    ],
)
def test_the_positive_class_goes_without_saying_only_where_nobody_doubts(
    labels: list[Any], positive: Any
) -> None:
    assert ConfusionMatrix(np.eye(len(labels), dtype=int), labels).positive == positive


def test_true_positives_need_a_positive_class(animals: ConfusionMatrix) -> None:
    named = ConfusionMatrix([[1, 2], [3, 4]], ["no", "yes"], positive="yes")
    cells = named.tp, named.fn, named.fp, named.tn
    assert cells == (4, 3, 2, 1)
    assert {*map(type, cells)} == {int}
    with pytest.raises(LabelError, match=r"one_vs_rest\(label\)\.tp"):
        _ = animals.tp
    with pytest.raises(LabelError, match="positive class"):
        _ = ConfusionMatrix([[1, 2], [3, 4]], ["no", "yes"]).fn


# ---- other matrices ------------------------------------------------------------------------------


@given(matrices(), matrices())
def test_addition_adds_every_pair_and_commutes(a: ConfusionMatrix, b: ConfusionMatrix) -> None:
    if set(a.labels.classes) & set(b.labels.outside) or set(b.labels.classes) & set(
        a.labels.outside
    ):
        return
    both = a + b
    expected = dict(a.pairs())
    for pair, value in b.pairs().items():
        expected[pair] = expected.get(pair, 0) + value
    assert dict(both.pairs()) == expected
    assert both == b + a
    assert hash(both) == hash(b + a)
    assert both.total == a.total + b.total


def test_sum_starts_from_nothing(animals: ConfusionMatrix) -> None:
    assert sum([animals, animals]) == animals + animals
    assert sum([animals]) == animals
    with pytest.raises(TypeError):
        _ = animals + 1
    with pytest.raises(TypeError):
        _ = animals + animals.counts.tolist()


@given(matrices())
def test_transposing_twice_is_nothing(matrix: ConfusionMatrix) -> None:
    assert matrix == matrix.T.T
    assert matrix.T.counts.tolist() == matrix.counts.T.tolist()
    assert matrix.T.diagonal.tolist() == matrix.diagonal.tolist()
    assert matrix.T.actual_totals.tolist() == matrix.predicted_totals.tolist()


@given(matrices(), st.randoms(use_true_random=False))
def test_reordering_moves_names_and_numbers_together(matrix: ConfusionMatrix, random: Any) -> None:
    names = list(matrix.labels.classes)
    random.shuffle(names)
    other = matrix.reorder(names)
    assert other.labels.classes == tuple(names)
    assert dict(other.pairs()) == dict(matrix.pairs())
    assert other.reorder(matrix.labels.classes) == matrix


def test_reorder_wants_every_class_once(animals: ConfusionMatrix) -> None:
    with pytest.raises(LabelError, match="'Hen' are missing; `select` takes a part"):
        animals.reorder(["Cat", "Fish"])
    with pytest.raises(LabelError, match="come twice: 'Cat'"):
        animals.reorder(["Cat", "Cat", "Fish", "Hen"])
    with pytest.raises(LabelError, match="no label 'Dog'"):
        animals.reorder(["Cat", "Dog", "Fish", "Hen"])


@given(matrices(), st.data())
def test_selecting_reports_what_it_leaves_out(matrix: ConfusionMatrix, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(matrix.labels.classes), min_size=1, unique=True))
    part = matrix.select(names)
    assert dict(part.pairs()) == {
        (a, p): n for (a, p), n in matrix.pairs().items() if a in names and p in names
    }
    assert part.total + part.dropped == matrix.total
    assert list(part.labels) == names


def test_merging_adds_rows_and_columns(animals: ConfusionMatrix) -> None:
    pets = animals.merge({"pet": ["Cat", "Hen"]})
    assert pets.labels == ["pet", "Fish"]
    assert pets.counts.tolist() == [[4 + 1 + 3 + 6, 1 + 0], [6 + 2, 2]]
    assert pets == animals.sparse().merge({"pet": ["Cat", "Hen"]})
    assert animals.merge({"Cat": ["Cat", "Hen"]}).labels == ["Cat", "Fish"]


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"x": ["Cat"], "y": ["Cat"]}, "in two groups, 'x' and 'y'"),
        ({"Hen": ["Cat", "Fish"]}, "name of a class that is not in it"),
        ({"x": ["Dog"]}, "no label 'Dog'"),
        ({1: ["Cat"]}, "of one kind"),
        (["Cat"], "takes a mapping"),
    ],
)
def test_merging_what_cannot_merge(animals: ConfusionMatrix, groups: Any, said: str) -> None:
    with pytest.raises(LabelError, match=said):
        animals.merge(groups)


def test_an_outside_label_joins_no_group(with_background: ConfusionMatrix) -> None:
    with pytest.raises(LabelError, match="cannot join the group 'x'"):
        with_background.merge({"x": ["a", "background"]})


def test_relabeling_keeps_the_places(
    animals: ConfusionMatrix, with_background: ConfusionMatrix
) -> None:
    assert animals.relabel(["z", "y", "x"]).counts.tolist() == animals.counts.tolist()
    assert animals.relabel({"Cat": "Fish", "Fish": "Cat"}).labels == ["Fish", "Cat", "Hen"]
    assert with_background.relabel(["b", "a"]).labels == Labels(["b", "a"], outside=["background"])
    for names, said in ((["x", "y"], "2 new names for 3 labels"), ({"Cat": "Hen"}, "come twice")):
        with pytest.raises(LabelError, match=said):
            animals.relabel(names)


def test_rates_are_read_only_arrays_and_silent_rows_are_nan(animals: ConfusionMatrix) -> None:
    rates = animals.normalize("actual")
    assert rates.tolist() == [[4 / 6, 1 / 6, 1 / 6], [6 / 10, 2 / 10, 2 / 10], [3 / 9, 0, 6 / 9]]
    assert animals.normalize("predicted")[1].tolist() == [6 / 13, 2 / 3, 2 / 9]
    assert animals.normalize("all")[2].tolist() == [3 / 25, 0, 6 / 25]
    silent = ConfusionMatrix([[0, 0], [1, 3]]).normalize()
    assert np.isnan(silent[0]).all()
    assert silent[1].tolist() == [1 / 4, 3 / 4]
    assert np.isnan(ConfusionMatrix([[0]]).normalize("all")).all()
    with pytest.raises(InputError, match=r"must be one of 'actual', .*; did you mean 'row'"):
        animals.normalize("rows")  # type: ignore[arg-type]


# ---- a value -------------------------------------------------------------------------------------


@given(matrices())
def test_storage_is_no_part_of_the_value(matrix: ConfusionMatrix) -> None:
    dense, sparse = matrix.dense(), matrix.sparse()
    assert (dense.is_sparse, sparse.is_sparse) == (False, True)
    assert dense == sparse == matrix
    assert hash(dense) == hash(sparse)
    assert dict(dense.pairs()) == dict(sparse.pairs())
    assert str(dense.counts) == str(sparse.counts)


def test_equality_is_over_kind_labels_and_counts(animals: ConfusionMatrix) -> None:
    table, names = animals.counts, ["Cat", "Fish", "Hen"]
    same = ConfusionMatrix(table.astype(float), names)
    assert animals == ConfusionMatrix(table, names) == same
    assert len({animals, animals.sparse(), animals.T.T, same}) == 1
    for other in (
        ConfusionMatrix(table, ["Cat", "Hen", "Fish"]),
        ConfusionMatrix(table + np.eye(3, dtype=int), names),
        ConfusionMatrix(table, ["Cat", "Fish"], outside=["Hen"]),
        table.tolist(),
    ):
        assert animals != other
    assert ConfusionMatrix(np.eye(2), [0, 1]) != ConfusionMatrix(np.eye(2), [False, True])


@pytest.mark.parametrize("name", ["labels", "total", "anything"])
def test_nothing_can_be_set_or_deleted(animals: ConfusionMatrix, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(animals, name, 1)
    with pytest.raises(AttributeError):
        delattr(animals, name)


def test_an_array_made_of_a_matrix_is_free(animals: ConfusionMatrix) -> None:
    mine = np.array(animals)
    mine[0, 0] = 100
    assert animals.counts[0, 0] == 4
    assert np.asarray(animals, dtype=float).dtype == float


@given(matrices())
def test_pickle_and_copy(matrix: ConfusionMatrix) -> None:
    for twin in (pickle.loads(pickle.dumps(matrix)), copy.copy(matrix), copy.deepcopy(matrix)):
        assert twin == matrix
        assert hash(twin) == hash(matrix)
        assert (twin.is_sparse, twin.dropped, twin.total) == (
            matrix.is_sparse,
            matrix.dropped,
            matrix.total,
        )
        assert not twin.counts.flags.writeable


def test_pickle_keeps_weights_their_squares_and_what_was_dropped() -> None:
    matrix = count([0, 1, 2], [0, 1, 1], labels=[0, 1], other="drop", weights=[0.5, 2.0, 4.0])
    twin = pickle.loads(pickle.dumps(matrix))
    assert twin.squares is not None
    assert twin.squares.tolist() == [[0.5**2, 0], [0, 2.0**2]]
    assert twin.dropped == 4.0


def test_pairs_is_a_mapping_of_what_is_there(animals: ConfusionMatrix) -> None:
    pairs = animals.pairs()
    assert len(pairs) == 9 - 1
    assert pairs["Fish", "Cat"] == 6
    assert ("Hen", "Fish") not in pairs
    assert ("Dog", "Fish") not in pairs
    assert sum(pairs.values()) == animals.total
    assert repr(pairs).startswith("Pairs(8 non-zero cells: (('Cat', 'Cat'), 4)")
    assert all(type(value) is int for value in pairs.values())


@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_float_counts_may_not_run_to_infinity(stored: str) -> None:
    huge = getattr(ConfusionMatrix([[1e308, 0.0], [0.0, 5e307]]), stored)()
    for ask in (
        lambda: huge + huge,
        lambda: huge + huge.T,
        lambda: ConfusionMatrix([[1e308, 1e308], [0, 0]]),
    ):
        with pytest.raises(InputError, match="more than a float holds"):
            ask()


@pytest.mark.parametrize("sparse", [False, True])
def test_squares_beyond_all_floats_are_unknown_and_the_sums_stay(sparse: bool) -> None:
    huge = count([0, 1], [0, 1], weights=[1e200, 1e-200], sparse=sparse)
    assert huge.squares is None
    assert huge.counts.tolist() == [[1e200, 0], [0, 1e-200]]
    large = count([0, 0], [0, 0], weights=[1e154, 0.0], sparse=sparse)
    assert large.squares is not None
    assert (large + large).squares is None
    assert (large + large).total == 2e154


def test_a_matrix_of_a_million_classes_answers_from_its_margins() -> None:
    size = 10**6
    matrix = ConfusionMatrix.from_pairs([(0, size - 1, 3), (7, 7, 2)], labels=range(size))
    assert (matrix.is_sparse, matrix.total, matrix.diagonal[7]) == (True, 3 + 2, 2)
    assert (matrix.actual_totals[0], matrix.predicted_totals[-1]) == (3, 3)
    for ask in (lambda: matrix.counts, matrix.dense, matrix.normalize, lambda: np.asarray(matrix)):
        with pytest.raises(BudgetError, match=r"pairs\(\)"):
            ask()
    assert (matrix + matrix).pairs()[7, 7] == 2 + 2
    assert matrix.T.pairs()[size - 1, 0] == 3
    assert matrix.select([7, 0]).counts.tolist() == [[2, 0], [0, 0]]


def test_one_vs_rest_keeps_squares_and_what_was_left_out() -> None:
    weighted = count(["a", "b", "c"], ["a", "c", "c"], weights=[0.5, 2.0, 3.0])
    part = weighted.one_vs_rest("c")
    assert part.squares is not None
    assert part.squares.tolist() == [[9.0, 0.0], [4.0, 0.25]]
    assert count([1, None], [1, 1], missing="drop").one_vs_rest(1).dropped == 1
    assert count([1, 2], [1, 1]).one_vs_rest(np.int64(1)).labels == ["1", "not 1"]


def test_a_new_order_of_weights_drops_nothing() -> None:
    matrix = ConfusionMatrix([[0.1, 0.2, 0.7], [0.3, 0.4, 0.1], [0.6, 0.2, 0.3]])
    assert matrix.select([2, 0, 1]).dropped == 0
    assert matrix.select([0, 1]).dropped == pytest.approx(0.7 + 0.1 + 0.6 + 0.2 + 0.3)


def test_counts_cannot_be_opened_for_writing_again() -> None:
    matrix = ConfusionMatrix([[1, 2], [3, 4]])
    for array in (matrix.counts, matrix.diagonal, matrix.normalize()):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
