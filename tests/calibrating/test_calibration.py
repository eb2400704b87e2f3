"""Calibration: sums over bins, by the very edges, against other programs, and what follows from them."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from benchmarks.honest_bounds import calibrated
from confmat.core.errors import InputError, LabelError

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "calibration_reference.json").read_text()
)
TWO = REFERENCE["binary"]
# Edges of fifteen bins, and their neighbours among the floats.
EDGES = np.linspace(0, 1, 16)
NEAR = np.concatenate([EDGES, np.nextafter(EDGES, 0)[1:], np.nextafter(EDGES, 1)[:-1]])


def drawn(items: int, seed: int = 0, power: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    scores = rng.beta(1, 2, items)
    return (rng.random(items) < scores**power).astype(int), scores


# ---- against other programs ----------------------------------------------------------------------


@pytest.mark.parametrize("case", TWO)
def test_values_are_those_of_netcal_scikit_learn_and_rms(case: dict[str, Any]) -> None:
    y, s = case["y"], case["s"]
    equal: Any
    for bins in (5, 10, 15):
        c = cm.calibration(y, s, bins=bins)
        assert c.ece == pytest.approx(case["ece"][str(bins)], abs=1e-9)
        assert c.mce == pytest.approx(case["mce"][str(bins)], abs=1e-9)
        assert c.brier == pytest.approx(case["brier"], abs=1e-9)
        assert c.log_loss == pytest.approx(case["log_loss"], abs=1e-9)
        z, p = c.spiegelhalter
        assert (z, p) == pytest.approx(
            (case["R"]["spiegelhalter_z"], case["R"]["spiegelhalter_p"]), abs=1e-9
        )
        for equal, name in (("width", f"{bins}"), ("mass", f"{bins} quantile")):
            one = cm.calibration(y, s, bins=bins, closed="right", equal=equal)
            held = one.items > 0
            assert one.mean_score[held] == pytest.approx(
                case["curve"][name]["mean_score"], abs=1e-9
            )
            assert one.share[held] == pytest.approx(case["curve"][name]["share"], abs=1e-9)


@pytest.mark.parametrize("case", TWO)
def test_slope_and_intercept_are_near_those_of_the_scores_themselves(case: dict[str, Any]) -> None:
    c = cm.calibration(case["y"], case["s"], bins=1000)
    for name in ("slope", "intercept"):
        found = c.interval(f"calibration_{name}")
        assert found.value == pytest.approx(case["R"][name], abs=0.02 * case["R"][f"{name}_se"])
        assert found.se == pytest.approx(case["R"][f"{name}_se"], rel=0.01)
    with pytest.raises(InputError, match="bins=1000"):
        cm.calibration(case["y"], case["s"]).interval("calibration_slope")


def test_a_slope_that_is_none_says_why() -> None:
    apart = cm.calibration([0] * 50 + [1] * 50, np.linspace(0.01, 0.99, 100), bins=500).interval(
        "calibration_slope"
    )
    certain = cm.calibration([0, 1, 1], [0.0, 0.5, 0.6], bins=500).interval("calibration_slope")
    alike = cm.calibration([0, 1, 1], [0.5] * 3, bins=500).interval("calibration_intercept")
    assert all(math.isnan(one.value) for one in (apart, certain, alike))
    assert (apart.note, certain.note, alike.note) == (
        "no slope: a threshold parts the classes", "no slope: scores of 0 or 1 have no logit",
        "no slope: all scores lie in one bin",
    )  # fmt: skip


def test_the_top_label_is_that_of_netcal() -> None:
    for case in REFERENCE["multiclass"]:
        for bins, ece in case["top_label_ece"].items():
            found = cm.calibration(case["y"], np.array(case["P"]), of="top", bins=int(bins))
            assert found.ece == pytest.approx(ece, abs=1e-9)


# ---- edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", ["left", "right"])
def test_floats_beside_edges_fall_where_comparisons_say(closed: Any) -> None:
    c = cm.calibration(np.ones(len(NEAR), int), NEAR, closed=closed, labels=[0, 1])
    for place, (low, high) in enumerate(pairwise(EDGES)):
        if closed == "left":
            inside = (low <= NEAR) & ((high > NEAR) | ((place == 14) & (NEAR == 1)))
        else:
            inside = ((low < NEAR) | ((place == 0) & (NEAR == 0))) & (high >= NEAR)
        assert c.items[place] == np.count_nonzero(inside)
    assert c.items.sum() == len(NEAR)


def test_bins_by_their_edges_and_of_equal_mass() -> None:
    y, s = drawn(1000)
    c = cm.calibration(y, s, bins=[0, 0.5, 0.9, 1])
    assert c.items.tolist() == [
        np.count_nonzero(s < 0.5),
        np.count_nonzero((s >= 0.5) & (s < 0.9)),
        np.count_nonzero(s >= 0.9),
    ]
    assert set(cm.calibration(y, s, bins=10, equal="mass").items.tolist()) <= {99, 100, 101}
    with pytest.raises(InputError, match="holds edges"):
        cm.calibration(y, s, bins=[0, 0.5, 1], equal="mass")
    for wrong in ([0.1, 1], [0, 0.5], [0, 0.5, 0.5, 1], [0, 2], [[0, 1]], "mass", 0, 2.5):
        with pytest.raises(InputError, match="bins"):
            cm.calibration(y, s, bins=wrong)


# ---- laws ----------------------------------------------------------------------------------------


def test_parts_add_up_to_the_whole() -> None:
    y, s = drawn(5000, power=1.5)
    whole = cm.calibration(y, s)
    parts = [cm.calibration(y[start::3], s[start::3], labels=[0, 1]) for start in range(3)]
    joined = sum(parts[1:], parts[0])
    assert sum(parts).ece == joined.ece  # type: ignore[union-attr]
    assert (joined.items == whole.items).all()
    np.testing.assert_allclose(joined.sums, whole.sums, rtol=1e-12)
    assert joined.ece == pytest.approx(whole.ece, rel=1e-12)
    for other in (
        cm.calibration(y, s, bins=10),
        cm.calibration(y, s, closed="right"),
        cm.calibration(1 - y, s, positive=0),
    ):
        with pytest.raises(InputError, match="same edges"):
            whole + other


def test_parts_add_whatever_file_wrote_their_labels() -> None:
    y, s = drawn(200)
    whole, parts = cm.calibration(y, s), (slice(100), slice(100, None))
    for kind, options in ((bool, {}), (str, {"labels": ["0", "1"], "positive": "1"})):
        given: dict[str, Any] = dict(options)
        one = cm.calibration(y[parts[0]].astype(kind), s[parts[0]], **given)
        both = one + cm.calibration(y[parts[1]], s[parts[1]], labels=[0, 1])
        assert (both.items == whole.items).all()
        assert both.labels == one.labels


def test_the_parts_of_the_brier_score_add_up_whatever_the_bins() -> None:
    y, s = drawn(2000, power=1.5)
    for bins in (1, 2, 7, 1000):
        c = cm.calibration(y, s, bins=bins)
        reliability, resolution, uncertainty, within = c.murphy
        assert reliability - resolution + uncertainty + within == pytest.approx(
            np.mean((s - y) ** 2), abs=1e-12
        )
        assert uncertainty == pytest.approx(y.mean() * (1 - y.mean()))


def test_thresholds_at_the_edges_are_those_of_the_scores() -> None:
    y, s = drawn(3000)
    t = cm.calibration(y, s, bins=50).thresholds()
    exact = cm.thresholds(y, s, thresholds=np.linspace(0, 1, 51)[1:-1])
    assert list(t) == list(exact)
    assert (t.counts == exact.counts).all()
    low, high = cm.calibration(y, s, bins=50).roc_auc_bounds()
    assert low <= cm.roc_auc(cm.thresholds(y, s)) <= high < low + 0.05
    with pytest.raises(InputError, match="closed='left'"):
        cm.calibration(y, s, closed="right").thresholds()


def test_a_whole_sweep_has_all_that_is_summed() -> None:
    y, s = drawn(500)
    s = s.round(2)
    one, two = cm.calibration(y, s), cm.calibration(cm.thresholds(y, s))
    np.testing.assert_allclose(one.sums, two.sums, rtol=1e-12)
    for t, why in (
        (cm.thresholds(y, s, max_points=10), "some thresholds"),
        (cm.thresholds(y, 3 * s), "from 0 to 1"),
        (cm.thresholds(y, s, weights=s + 0.5), "weights"),
    ):
        with pytest.raises(InputError, match=why):
            cm.calibration(t)


# ---- classes -------------------------------------------------------------------------------------


def test_each_class_the_top_one_and_one_of_several() -> None:
    rng = np.random.default_rng(1)
    names = np.array(list("abc"))
    scores = rng.dirichlet([1, 1, 1], 400)
    truth = names[(scores.cumsum(axis=1) > rng.random(400)[:, None]).argmax(axis=1)]
    each = cm.calibration(truth, scores, of="each", labels=names)
    assert list(each) == ["a", "b", "c"]
    one = cm.calibration(truth, scores, of="b", labels=names)
    assert each["b"].ece == one.ece == cm.calibration(truth == "b", scores[:, 1]).ece
    top = cm.calibration(truth, scores, of="top", labels=names)
    assert top.sums[1, 0].sum() == (names[scores.argmax(axis=1)] == truth).sum()
    assert top.sums[:, 1].sum() == pytest.approx(scores.max(axis=1).sum())
    # Columns go by their names.
    frame = pytest.importorskip("pandas").DataFrame(scores, columns=names)
    turned = cm.calibration(truth, frame[["c", "a", "b"]], of="each", labels=names)
    assert [turned[name].ece for name in names] == [each[name].ece for name in names]
    with pytest.raises(LabelError, match="top"):
        cm.calibration(["top", "b", "c"], scores[:3], of="top", labels=["top", "b", "c"])
    with pytest.raises(InputError, match="a table with a column of scores for each class"):
        cm.calibration(truth, scores[:, 0], of="each")


def test_what_is_no_probability_or_missing_is_refused_or_left_out() -> None:
    y, s = drawn(50)
    with pytest.raises(InputError, match=r"no probabilities.*1 / \(1 \+ exp\(-x\)\)") as caught:
        cm.calibration(y, 2 * s)
    # An option of other doors is not offered.
    assert "kind" not in str(caught.value)
    hole = s.copy()
    hole[3] = np.nan
    with pytest.raises(InputError, match="missing='drop'"):
        cm.calibration(y, hole)
    assert cm.calibration(y, hole, missing="drop").total == 49
    with pytest.raises(TypeError, match="weights"):
        cm.calibration(y, s, weights=s)  # type: ignore[call-overload]
    for bins in (["a", "b"], [[0, 1], [0]], [0, None]):
        with pytest.raises(InputError, match="ascending from 0 to 1"):
            cm.calibration(y, s, bins=bins)
    with pytest.raises(InputError, match="of a sweep takes no positive"):
        cm.calibration(cm.thresholds(y, s), positive=0)
    with pytest.raises(InputError, match="of a sweep takes no of"):
        cm.calibration(cm.thresholds(y, s), of="top")
    for ask in (cm.calibration(y, s).shares, cm.calibration(y, s).shown):
        with pytest.raises(InputError, match="between 0 and 1, such as"):
            ask(95)


def test_a_certain_score_that_is_wrong_has_an_infinite_loss() -> None:
    c = cm.calibration([1, 0, 1, 0], [0.0, 0.2, 0.9, 1.0])
    assert c.log_loss == math.inf
    assert "2 scores of 0 or 1 are wrong" in c.interval("log_loss").note
    assert c.brier == pytest.approx((1 + 0.2**2 + 0.1**2 + 1) / 4)
    assert cm.calibration([0, 1], [0.0, 1.0]).log_loss == 0.0
    alike = cm.calibration([0, 1] * 5, [0.5] * 10).interval("log_loss")
    assert math.isnan(alike.low)
    assert alike.note == "all items have the same loss"


# ---- how sure ------------------------------------------------------------------------------------


def test_the_bounds_of_ece_reach_from_less_the_noise_to_more() -> None:
    y, s = drawn(500)
    c = cm.calibration(y, s)
    found = c.interval("ece")
    assert found.low == 0.0
    assert found.value == c.ece
    assert 0.3 * c.noise < c.ece < 3 * c.noise
    assert found.high == pytest.approx(c.ece + 1.959964 * found.se)
    assert f"a calibrated model would show {c.noise:.3g}" in found.note
    assert c.interval("ece", level=0.99).high > found.high
    with pytest.raises(InputError, match="brier"):
        c.interval("f1")


def test_bins_are_shown_to_be_off_all_at_once() -> None:
    y, s = drawn(20_000)
    assert cm.calibration(y, s**2).shown().sum() > 10
    c = cm.calibration(*drawn(300))
    low, high = c.shares().T
    held = c.items > 0
    assert (low[held] <= c.share[held]).all()
    assert (c.share[held] <= high[held]).all()
    assert np.isnan(low[~held]).all()


def test_what_is_printed_and_stored() -> None:
    c = cm.calibration(*drawn(300), bins=4)
    text = str(c)
    assert "[0, 0.25)" in text
    assert "[0.75, 1]" in text
    assert f"ECE {c.ece:.3f}" in text
    assert "●" in text
    data = json.loads(json.dumps(c.to_dict()))
    assert data["ece"]["value"] == c.ece
    assert data["bins"]["items"] == c.items.tolist()
    nothing = cm.calibration([], [], labels=[0, 1])
    assert nothing.sentences() == ["No items."]
    assert "No items" in str(nothing)
    assert "</html>" in str(cm.html(nothing))
    assert all(
        map(
            math.isnan,
            (
                *nothing.murphy,
                nothing.ece,
                nothing.brier,
                nothing.log_loss,
                *nothing.interval("ece"),
            ),
        )
    )
    assert len(repr(c)) < 200
    # Pictures of signs are for plain text.
    for form in (c.to_latex(), c.to_markdown(), c._repr_html_()):
        assert "0.25)" in str(form)
        assert not set("●▇┃─") & set(str(form))


@pytest.mark.slow
def test_a_calibrated_model_is_seldom_shown_to_be_off() -> None:
    assert (
        np.mean([cm.calibration(*drawn(300, seed)).shown().any() for seed in range(400)])
        <= 0.05 + 0.03
    )


@pytest.mark.nightly
@pytest.mark.parametrize("items", [100, 500, 2000])
@pytest.mark.parametrize("power", [1.0, 1.2, 2.0])
@pytest.mark.parametrize("shape", [(1.0, 1.0), (1.0, 3.0), (5.0, 2.0)])
def test_intervals_hold_for_calibrated_models_too(shape: Any, power: float, items: int) -> None:
    sets = 200
    found = calibrated(shape, power, items, sets)
    slack = 2.5 * math.sqrt(0.05 * 0.95 / sets)
    assert found["ece"] >= 0.95 - slack, found
    assert min(found["brier"], found["log_loss"]) >= 0.92 - slack, found
    if power == 1:
        assert found["bootstrap"] < 0.5, found
