"""`audit`: conventions and their severity, joint judgement, integrity, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

import confmat as cm
from confmat.auditing import CHECKS, audit
from confmat.auditing.claims import read_claims
from confmat.auditing.explanations import MISTAKES, Explanation
from confmat.auditing.readings import View
from confmat.auditing.verdicts import ends_of

M = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
BIG = cm.ConfusionMatrix([[310, 25, 41], [60, 217, 22], [38, 17, 603]], ["a", "b", "c"])


def code_of(m: object, name: str, text: object, **options: object) -> tuple[str, str]:
    (found,) = audit(m, {name: text}, **options)  # type: ignore[arg-type]
    return found.severity, found.code


def test_rounded_twice_is_an_error_and_cut_is_a_warning() -> None:
    # 0.4146 becomes .415 and then .42; cut it is .41, which is also how it is rounded.
    m = cm.ConfusionMatrix([[17, 12], [12, 0]])
    assert round(17 / 41, 4) == 0.4146
    assert code_of(m, "accuracy", ".42") == ("error", "impossible")
    assert code_of(m, "accuracy", ".41") == ("ok", "reproduced")
    assert code_of(m, "accuracy", ".414") == ("warning", "truncated")
    assert code_of(m, "accuracy", ".415") == ("ok", "reproduced")


@pytest.mark.parametrize(
    ("text", "low", "high"), [("0.41", 405, 420), ("-0.41", -420, -405), ("0.00", -5, 10)]
)
def test_digits_are_cut_towards_zero_or_rounded_either_way(text: str, low: int, high: int) -> None:
    (claim,) = read_claims({"kappa": text}, M.labels)
    assert ends_of(claim) == (Fraction(low, 1000), Fraction(high, 1000))


@pytest.mark.parametrize("text", [".48", "48 %", "0,48", "4.8e-1", 0.48, np.float32(0.48)])
def test_ways_to_print_a_number(text: object) -> None:
    assert code_of(M, "accuracy", text) == ("ok", "reproduced")


def test_half_up_and_half_even() -> None:
    m = cm.ConfusionMatrix([[1, 7], [0, 0]])
    assert code_of(m, "accuracy", "0.12") == code_of(m, "accuracy", "0.13") == ("ok", "reproduced")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("accuracy", "48", "per-cent"),
        ("f1.macro", "0.4641", "another-average"),
        ("f1[Cat]", "0.3077", "another-class"),
        ("f1.weighted", "0.4651", "another-average"),
        ("accuracy", "0.6533", "another-meaning"),
        (
            "balanced_accuracy",
            f"{cm.score(M, 'one_vs_rest_balanced_accuracy'):.4f}",
            "another-meaning",
        ),
        ("kappa", f"{cm.score(M, 'weighted_kappa_linear'):.4f}", "another-meaning"),
    ],
)
def test_a_convention_is_a_warning(name: str, text: str, code: str) -> None:
    assert code_of(M, name, text) == ("warning", code)


def test_a_bare_name_says_what_it_was() -> None:
    found = audit(M, {"precision": "0.547", "recall": "0.511", "f1": "0.465"})
    assert found.codes == ("reproduced",)
    assert "precision.macro" in found["precision"].message
    mixed = audit(M, {"precision": "0.547", "recall": "0.511", "f1": "0.464"})
    assert mixed[0].code == "mixed-averages"


def test_a_bare_name_of_two_classes_is_of_one_positive_class() -> None:
    m = cm.ConfusionMatrix([[231, 27], [32, 54]], ["abnormal", "normal"])
    claims = {"sensitivity": "0.895", "specificity": "0.628", "ppv": "0.878", "npv": "0.667"}
    found = audit(m, claims)
    assert found.codes == ("reproduced",)
    assert "recall[abnormal]" in found["sensitivity"].message
    other = audit(m, claims, positive="normal")
    assert {one.severity for one in other} == {"warning"}


def test_the_widest_explanation_wins() -> None:
    """Cut digits explain all claims; other averages would explain one of them."""
    cut = {
        name: f"{np.floor(cm.score(BIG, name) * 1000) / 1000:.3f}"
        for name in ("f1.macro", "recall.macro", "mcc")
    }
    found = audit(BIG, cut)
    assert set(found.codes) <= {"truncated", "reproduced"}
    together = [one.evidence["together"] for one in found.warnings]
    assert together == [len(together)] * len(together)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.check.code)
def test_every_declared_mistake_is_found_by_its_own_values(mistake: Explanation) -> None:
    names = ["precision", "recall", "specificity", "f2", "f1", "class_accuracy", "accuracy"]
    claims = [f"{name}[{label}]" for name in names[:-1] for label in BIG.labels] + ["accuracy"]
    for claim in read_claims(dict.fromkeys(claims, "0.5"), BIG.labels):
        for reading in mistake.readings(claim, View(BIG)):
            if np.isnan(reading.value) or abs(reading.value - cm.score(BIG, claim.name)) < 1e-6:
                continue
            found = audit(BIG, {claim.name: f"{reading.value:.9f}"})
            # Precision and recall exchanged in F is F of the transposed matrix, which is the milder
            # reading.
            assert found[0].code in {mistake.check.code, "transposed"}
            assert found[0].code == mistake.check.code or mistake.check.code == "f-beta-swapped"


def test_checks_say_why_they_matter() -> None:
    assert all(
        check.code == code and check.title and check.why.endswith(".")
        for code, check in CHECKS.items()
    )


def test_the_last_line_counts_the_claims_that_hold_only_under_another_reading() -> None:
    right = {"accuracy": "0.480", "recall.macro": "0.511"}
    assert str(audit(M, right)).splitlines()[-1] == "0 errors, 0 warnings, 2 ok."
    cut = audit(M, right | {"f1.macro": "0.4641"})
    assert (
        str(cut).splitlines()[-1]
        == "0 errors, 1 warning, 2 ok; 1 claim holds only under another reading."
    )
    # Rows and columns exchanged: one warning, and every claim that holds only so; Hen has as many
    # errors on each side.
    claims = {
        "accuracy": "0.480",
        **{f"precision[{name}]": f"{cm.score(M, f'recall[{name}]'):.4f}" for name in M.labels},
    }
    turned = audit(M, claims)
    assert turned.codes == ("transposed", "reproduced")
    assert (
        str(turned).splitlines()[-1]
        == "0 errors, 1 warning, 4 ok; 2 claims hold only under another reading."
    )


# ---- what can and cannot be ----------------------------------------------------------------------


def test_only_what_no_matrix_has_is_called_impossible() -> None:
    assert code_of(M, "accuracy", "0.93") == ("error", "impossible")
    assert code_of(M, "accuracy", "0.92") == ("error", "not-reproducible")
    assert code_of(M, "recall[Cat]", "0.60") == ("error", "impossible")
    assert code_of(M, "precision[Cat]", "1.2") == ("error", "impossible")
    (found,) = audit(M, {"recall[Cat]": "0.60"})
    assert "6 items of Cat" in found.message


def test_totals_are_claims_too() -> None:
    right = audit(M, {"support[Cat]": "6"}, total="25", supports={"Fish": 10, "Hen": 9})
    assert right.codes == ("reproduced",)
    assert audit(BIG, total=f"{BIG.total:,}").codes == ("reproduced",)
    assert audit(M, total=24).errors[0].claim == "total"
    turned = audit(M, supports=[13, 3, 9])
    assert turned[0].code == "transposed"
    assert not turned.errors


# ---- the table itself ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ([[1, 2, 3], [4, 5, 6]], "not-square"),
        ([[1, "x"], [2, 3]], "not-numbers"),
        ([[1, float("nan")], [2, 3]], "not-numbers"),
        ([[1, -2], [2, 3]], "negative"),
        ([[0, 0], [0, 0]], "empty"),
        ([["0.90", "0.10"], ["0.25", "0.75"]], "rates"),
    ],
)
def test_what_is_no_matrix_of_counts(table: list[list[object]], code: str) -> None:
    found = audit(table, {"accuracy": "0.5"})
    assert (found[0].severity, found[0].code) == ("error", code)
    assert found.notes


def test_rates_of_every_kind_say_what_finds_the_counts() -> None:
    table = [["0.667", "0.167", "0.167"], ["0.600", "0.200", "0.200"], ["0.333", "0.000", "0.667"]]
    claims = {"accuracy": "0.48", "precision[Cat]": "0.308"}
    shares = [["16.0%", "4.0%", "4.0%"], ["24.0%", "8.0%", "8.0%"], ["12.0%", "0.0%", "24.0%"]]
    for cells, words in (
        (table, "rates of each row"),
        ([*zip(*table, strict=True)], "rates of each column"),
        (shares, "shares of all items"),
    ):
        found = audit(cells, claims, labels=M.labels, supports=[6, 10, 9])
        assert found.codes == ("rates",)
        assert words in found[0].message
        assert "from_rates(rows, totals)" in found[0].message
    counted = cm.ConfusionMatrix.from_rates(table, [6, 10, 9], M.labels)
    assert audit(counted, claims).codes == ("reproduced",)


def test_integers_that_add_up_to_100_are_counts() -> None:
    table = [[90, 10], [20, 80]]
    assert audit(table, {"accuracy": "0.85"}).codes == ("reproduced",)
    assert [one.severity for one in audit(table, {}, supports=[10, 20])] == ["error", "error"]


def test_fractions_are_worked_with_and_said() -> None:
    assert audit([[10.5, 2.25], [1.5, 20]], {"accuracy": "0.891"}).codes == (
        "fractions",
        "reproduced",
    )
    rates = cm.ConfusionMatrix([[0.9, 0.1], [0.2, 0.8]])
    assert audit(rates, {"recall[0]": "0.9"}).codes == ("rates", "reproduced")


# ---- results -------------------------------------------------------------------------------------


def test_findings_are_data() -> None:
    found = audit(M, {"accuracy": "0.48", "f1.macro": "0.464", "recall[Hen]": "0.9"})
    assert (len(found.ok), len(found.warnings), len(found.errors)) == (1, 1, 1)
    assert json.loads(json.dumps(found.to_dict()))["counts"] == {"error": 1, "warning": 1, "ok": 1}
    assert found.to_markdown().count("\n") == 7
    assert found.to_csv().splitlines()[0].startswith("severity,claim,printed")
    assert str(found).endswith(
        "1 error, 1 warning, 1 ok; 1 claim holds only under another reading."
    )
    assert "accuracy" in found._repr_html_()  # type: ignore[operator]
    assert found[:1][0] == found["accuracy"]
    with pytest.raises(cm.InputError, match="no finding is about"):
        found["nothing"]


def test_show_cuts_no_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    cm.show(audit([[50, 0], [25, 25]], {"accuracy": "1.000"}))
    assert "it equals" in capsys.readouterr().out


def test_hostile_names_are_shown_as_text() -> None:
    evil = "<script>\x1b[31m\u202e|"
    m = cm.ConfusionMatrix([[5, 1], [2, 4]], [evil, "b" * 10_000])
    found = audit(
        m, {cm.metrics.Score(cm.recall, of=evil): "0.9", f"precision[{'b' * 10_000}]": "0.4"}
    )
    for text in (str(found), found.to_markdown(), found.to_csv(), found._repr_html_() or ""):
        assert not set("\x1b\u202e\x00") & set(text)
    assert "<script>" not in (found._repr_html_() or "")
    assert len(str(found)) < 3000


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"acuracy": "0.5"}, "did you mean"),
        ({"recall[cat]": "0.5"}, "did you mean 'Cat'"),
        ({"accuracy": "about half"}, "no printed number"),
        ({"accuracy": True}, "a claim is a number"),
        ({"accuracy": "1e9999"}, "no printed number"),
        # Beyond floats.
        ({"accuracy": "9e308"}, "no printed number"),
        ({"accuracy": ""}, "no printed number"),
        ("accuracy", "mapping"),
        ([("recall[Cat]", "0.5"), ("recall[Cat]", "0.6")], "claimed twice"),
    ],
)
def test_what_is_refused(claims: object, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        audit(M, claims)


counts = hnp.arrays(np.int64, st.integers(2, 5).map(lambda k: (k, k)), elements=st.integers(0, 60))


@given(counts, st.integers(2, 6))
def test_what_is_right_is_never_accused(table: np.ndarray, decimals: int) -> None:
    if not table.sum():
        return
    m = cm.ConfusionMatrix(table)
    names = [
        "accuracy",
        "f1.macro",
        "recall.weighted",
        "mcc",
        "kappa",
        "precision[0]",
        "recall[1]",
        "f2[0]",
        "npv[1]",
    ]
    claims = {
        name: f"{value:.{decimals}f}" for name in names if not np.isnan(value := cm.score(m, name))
    }
    found = audit(m, claims, total=int(table.sum()))
    assert found.codes == ("reproduced",)
    assert not any(one.severity != "ok" for one in audit(m.T, claims, rows="predicted"))


def test_of_two_classes_every_table_is_tried_before_something_is_called_impossible() -> None:
    m = cm.ConfusionMatrix([[50, 0], [25, 25]])
    (alone,) = audit(m, {"mcc": "0.97"})
    assert (alone.code, alone.severity) == ("impossible", "error")
    assert "whatever" not in alone.message
    assert "no table of counts with these totals has it" in alone.message
    (may_be,) = audit(m, {"mcc": "0.98"})
    assert may_be.code == "not-reproducible"
    assert cm.mcc(cm.ConfusionMatrix([[50, 0], [1, 49]])) == pytest.approx(0.98, abs=0.005)
