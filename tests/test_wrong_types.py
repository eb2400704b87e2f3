"""A value of the wrong type is refused in our own words, and never read as something else."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import confmat as cm

M = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
PAIR = cm.ConfusionMatrix([[4, 1], [2, 5]], ["no", "yes"])
# As many matrices as classes: a stack of theirs has the shape of a table, and more.
STACK = cm.Stack({"old": PAIR, "new": PAIR})
Call = Callable[[], Any]
ITEMS = [0, 1, 1, 0]

REFUSED: list[tuple[Call, str]] = [
    (lambda: cm.count(M, M), "`actual` is a ConfusionMatrix, counted already"),
    (lambda: cm.count(ITEMS, STACK), "`predicted` is a Stack, counted already"),
    (
        lambda: cm.count(sparse.eye_array(3), sparse.eye_array(3)),
        "`actual` is a sparse table.*count_multilabel",
    ),
    (
        lambda: cm.count(ITEMS, ITEMS, weights=sparse.eye_array(4)),
        "`weights` must be numbers, one per pair",
    ),
    (lambda: cm.io.from_csv(["a,b"]), "from_csv reads a text, not list"),  # type: ignore[arg-type]
    (lambda: cm.io.from_json({}), "from_json reads a text, not dict"),  # type: ignore[arg-type]
    (lambda: cm.io.from_csv("a,b\n1,2\n", labels=5), "labels must be a list of names, not int"),  # type: ignore[arg-type]
    (lambda: cm.io.from_csv("a,b\n1,2\n", outside=5), "outside labels must be distinct texts"),  # type: ignore[arg-type]
    (lambda: cm.io.from_csv("a,b\n1,2\n", kind=[]), "`kind` must be one of 'text'"),  # type: ignore[arg-type]
    (lambda: cm.report(M, 5), "`metrics` are names, or a list of them, not int"),
    (lambda: cm.report(M, averages=1.5), "`averages` are names"),  # type: ignore[arg-type]
    (lambda: cm.report(M, overall=object()), "`overall` are names"),
    (lambda: cm.compare({"a": PAIR, "b": PAIR}, metrics=3), "`metrics` are names"),
    (lambda: cm.compare({"a": PAIR, "b": PAIR}, test=3), "`test` must be 'auto'"),  # type: ignore[call-overload, unused-ignore, arg-type]
    (lambda: cm.html(M, scores=0.5), "`scores` are names"),  # type: ignore[call-overload, unused-ignore, arg-type]
    (lambda: cm.interval(M, "f1.macro", design=["actual"]), "`design` says how"),  # type: ignore[call-overload]
    (lambda: cm.items_needed(0.9, width="wide"), "a number above 0; got 'wide'"),  # type: ignore[arg-type]
    (lambda: cm.items_needed(0.9, width=True), "a number above 0; got True"),
    (lambda: cm.metrics.within("two"), "`distance` must be a number from 0 up"),
    (lambda: cm.metrics.on_scale([1], [1, 2]), "`on_scale` takes one of"),
    (lambda: M.labels.union(["Cat"]), "united with other Labels, not list"),  # type: ignore[arg-type]
    (lambda: cm.Labels(np.array(3)), "labels must be a list of names"),
    (lambda: cm.Labels(["a"], outside=3), "outside labels must be distinct texts"),  # type: ignore[arg-type]
    (lambda: cm.spans.spans_of_tags(np.array(3)), "`sequences` must hold a list of tags"),
    (lambda: cm.spans.spans_of_tags([["O"]], scheme=["IOB2"]), "`scheme` must be one of"),  # type: ignore[arg-type]
    (lambda: cm.count_spans(np.array(3), np.array(3)), "must hold entities"),
    (
        lambda: cm.thresholds([0, 1], [0.1, 0.9], thresholds=np.array([0.5 + 1j])),
        "thresholds are numbers",
    ),
    (
        lambda: cm.thresholds([0, 1], [0.1, 0.9], thresholds=np.array(["2020-01-01"], "M8[D]")),
        "thresholds are numbers",
    ),
    (lambda: cm.count_multilabel([{1}], [{1}], along=[]), "`along` must be"),  # type: ignore[call-overload]
    (lambda: cm.count_multilabel([{1}], [{1}], other=[]), "`other` must be"),  # type: ignore[call-overload]
    (lambda: cm.Stack.from_array([[[1]], [[2], [3]]]), "rows are of different lengths"),
    (lambda: cm.io.from_sklearn([[1], [2, 3]]), "rows are of different lengths"),
    (lambda: cm.ConfusionMatrix.from_pairs(np.array(3)), "`pairs` must map"),
    (lambda: cm.metrics.weighted_kappa(np.eye(2) * 1j), "`weights` must be 'linear'"),
    (lambda: cm.metrics.weighted_kappa(np.zeros((0, 0))), "`weights` must be 'linear'"),
    (lambda: cm.f_beta(np.array([1, 2])), "`beta` must be a number from 0 up"),
    (lambda: cm.f_beta("2"), "`beta` must be a number from 0 up"),
    (lambda: cm.f1(M, weights="abc"), "`weights` must be 3 numbers"),
    (lambda: cm.f1(M, weights=5), "`weights` must be 3 numbers"),
    (lambda: cm.f1(M, weights=np.array([1j, 1, 1])), "`weights` must be 3 numbers"),
    (lambda: cm.f1(M, weights=["a", "b", "c"]), "`weights` must be 3 numbers"),
    (lambda: cm.top_k_accuracy([0, 1], [[0.1, 0.9]] * 2, k=0.5), "`k` must be"),  # type: ignore[call-overload]
    (
        lambda: cm.panoptic(np.zeros((2, 2, 2), int), np.zeros((2, 2, 2), int), things=0),  # type: ignore[arg-type]
        "`things` lists",
    ),
    (lambda: cm.audit(M, {}, labels=3), "labels must be a list"),  # type: ignore[arg-type]
    (lambda: cm.audit(M, {}, rows=["actual"]), "`rows` must be 'actual' or 'predicted'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=map(str, range(len(REFUSED))))
def test_what_is_refused(call: Call, words: str) -> None:
    with pytest.raises(cm.ConfmatError, match=words):
        call()


def test_what_came_alone_is_a_list_of_one() -> None:
    both = {"a": PAIR, "b": PAIR}
    assert str(cm.compare(both, metrics="f1.macro")) == str(cm.compare(both, metrics=["f1.macro"]))
    assert str(cm.compare(both, metrics=cm.mcc)) == str(cm.compare(both, metrics=["mcc"]))
    assert str(cm.report(M, cm.mcc)) == str(cm.report(M, ["mcc"]))
    assert str(cm.report(M, "f1", averages="macro")) == str(
        cm.report(M, ["f1"], averages=["macro"])
    )


@pytest.mark.parametrize(
    "call",
    [
        cm.metric,
        lambda text: cm.f1(M, undefined=text),
        lambda text: cm.f1(M, outside=text),
        lambda text: cm.f1(M, average=text),
        cm.f_beta,
        lambda text: cm.interval(M, "f1.macro", method=text),
        lambda text: cm.interval(M, "f1.macro", design=text),
        lambda text: cm.compare({"a": PAIR, "b": PAIR}, test=text),
        lambda text: cm.audit(M, {}, rows=text),
        M.table,
        lambda text: M.to_csv(delimiter=text),
        lambda text: cm.io.from_csv("a,b\n1,2\n", kind=text),
        M.normalize,
    ],
    ids=map(str, range(13)),
)
@pytest.mark.parametrize("text", ["x" * 10_000, "a\0b\u202ec\n\x1b[31m"], ids=["long", "harmful"])
def test_a_long_or_a_harmful_text_is_spoken_of_in_short(
    call: Callable[[str], Any], text: str
) -> None:
    with pytest.raises(cm.ConfmatError) as error:
        call(text)
    said = str(error.value)
    assert len(said) < 1000
    assert not {"\0", "\u202e", "\x1b", "\n"} & {*said}


@pytest.mark.parametrize("ignore", [np.array(9), np.int16(9), np.array([9])])
def test_a_number_in_an_array_is_a_number(ignore: Any) -> None:
    truth, answer = np.array([[0, 9, 1]]), np.array([[0, 1, 1]])
    assert cm.count_masks(truth, answer, ignore=ignore) == cm.count_masks(truth, answer, ignore=9)


@pytest.mark.parametrize("make", [cm.f_beta, cm.metrics.f_beta_negative, cm.metrics.f_of_macro])
def test_parameters_may_be_fractions(make: Any) -> None:
    third, float_third = make(Fraction(1, 3)), make(1 / 3)
    assert third(PAIR) == pytest.approx(float_third(PAIR))
    assert "Fraction" not in third.name
    assert make(Fraction(4, 2)) is make(2) or make(Fraction(4, 2)).title == make(2).title


def test_weights_of_pandas_are_one_column() -> None:
    pd: Any = pytest.importorskip("pandas", reason="pandas is not installed")
    cases = [
        (pd.DataFrame({"a": ITEMS, "b": ITEMS}), "must be one-dimensional"),
        (pd.Series([1, None, 2, 3]), "must be finite, but 1 are not; the first, at 1, is nan"),
        (pd.MultiIndex.from_tuples([(1, 2)] * 4), "`weights`"),
    ]
    for weights, words in cases:
        with pytest.raises(cm.ConfmatError, match=words):
            cm.count(ITEMS, ITEMS, weights=weights)


@pytest.mark.peers
def test_tensors_that_remember_their_gradients() -> None:
    torch = pytest.importorskip("torch", reason="a peer")
    grid = torch.tensor([0.25, 0.5], requires_grad=True)
    one, other = (
        cm.thresholds([0, 1, 1, 0], [0.1, 0.3, 0.6, 0.7], thresholds=each)
        for each in (grid, [0.25, 0.5])
    )
    assert one == other
    apart = torch.tensor([[0.0, 1.0], [1.0, 0.0]], requires_grad=True)
    assert cm.metrics.weighted_kappa(apart)(PAIR) == cm.metrics.weighted_kappa([[0, 1], [1, 0]])(
        PAIR
    )
    prices = torch.tensor([[0.0, 1.0], [2.0, 0.0]], requires_grad=True)
    assert cm.metrics.cost(prices)(PAIR) == cm.metrics.cost([[0, 1], [2, 0]])(PAIR)
