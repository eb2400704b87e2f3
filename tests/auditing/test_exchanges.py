"""Precision and recall of one class exchanged, beside a table that is turned."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import confmat as cm
from confmat.auditing import CHECKS, Findings, audit

THREE = cm.ConfusionMatrix([[40, 3, 2], [9, 30, 7], [1, 11, 25]], ["Cat", "Dog", "Hen"])
TWO = cm.ConfusionMatrix([[40, 10], [5, 45]], ["no", "yes"])
PAIR = ("precision", "recall")


def claimed(
    m: cm.ConfusionMatrix,
    of: Sequence[str],
    exchanged: Sequence[str],
    pair: tuple[str, str] = PAIR,
    decimals: int = 3,
) -> dict[str, str]:
    """The claims of a pair of scores, which are exchanged in some classes."""
    claims = {name: f"{cm.score(m, name):.{decimals}f}" for name in ("accuracy", "f1.macro")}
    for name in of:
        values = [f"{cm.score(m, f'{one}[{name}]'):.{decimals}f}" for one in pair]
        claims |= dict(
            zip(
                (f"{one}[{name}]" for one in pair),
                values[::-1] if name in exchanged else values,
                strict=True,
            )
        )
    return claims


def both_ways(m: cm.ConfusionMatrix, claims: dict[str, str]) -> list[Findings]:
    """The findings where the rows are stated, and where they are not."""
    return [audit(m, claims), audit(m.counts, claims, labels=m.labels.classes)]


def severities(found: Findings) -> dict[str, str]:
    return {one.claim: one.code for one in found if one.severity != "ok"}


@pytest.mark.parametrize("decimals", [2, 3, 5])
@pytest.mark.parametrize(
    "pair", [PAIR, ("specificity", "npv"), ("false_negative_rate", "false_discovery_rate")]
)
@pytest.mark.parametrize("exchanged", [["Cat"], ["Hen"], ["Cat", "Hen"]])
def test_an_exchange_inside_classes_leaves_the_table_as_it_is(
    exchanged: list[str], pair: tuple[str, str], decimals: int
) -> None:
    for found in both_ways(THREE, claimed(THREE, list(THREE.labels), exchanged, pair, decimals)):
        assert severities(found) == {
            f"{one}[{name}]": "exchanged" for name in exchanged for one in pair
        }
        assert not found.errors
        assert (
            found[f"{pair[0]}[{exchanged[0]}]"].severity
            == CHECKS["exchanged"].severity
            == "warning"
        )


def test_the_finding_names_the_other_score_of_the_class() -> None:
    found = audit(THREE, claimed(THREE, list(THREE.labels), ["Cat"]))
    one = found["precision[Cat]"]
    assert one.message.startswith(
        "two scores of one class exchanged: recall[Cat] = 0.88889; precision[Cat] is 0.80000"
    )
    assert one.evidence["equals"] == ("recall[Cat]",)
    assert (
        str(found).splitlines()[-1]
        == "0 errors, 2 warnings, 6 ok; 2 claims hold only under another reading."
    )


@pytest.mark.parametrize("m", [THREE, TWO], ids=["three", "two"])
def test_where_only_one_class_is_claimed_both_readings_fit_and_that_is_said(
    m: cm.ConfusionMatrix,
) -> None:
    name = m.labels.classes[0]
    for found in both_ways(m, claimed(m, [name], [name])):
        assert severities(found) == {
            "orientation": "transposed", f"precision[{name}]": "exchanged", f"recall[{name}]": "exchanged",
        }  # fmt: skip
        assert found[0].message == (
            f"ambiguous: two scores of {name} are exchanged, or rows and columns of the table: 4 "
            "of 4 claims are "
            "reproduced either way; the claims are judged by the first"
        )
        assert (
            str(found).splitlines()[-1]
            == "0 errors, 3 warnings, 2 ok; 2 claims hold only under another reading."
        )


def test_of_two_classes_the_other_class_tells_the_exchange_from_a_turned_table() -> None:
    for found in both_ways(TWO, claimed(TWO, ["no", "yes"], ["yes"])):
        assert severities(found) == {"precision[yes]": "exchanged", "recall[yes]": "exchanged"}


def test_bare_names_of_two_classes_are_of_the_positive_one() -> None:
    m = cm.ConfusionMatrix([[40, 10], [5, 45]], ["no", "yes"], positive="yes")
    found = audit(
        m,
        {
            "precision": f"{cm.score(m, 'recall[yes]'):.3f}",
            "recall": f"{cm.score(m, 'precision[yes]'):.3f}",
        },
    )
    assert severities(found) == {
        "orientation": "transposed",
        "precision": "exchanged",
        "recall": "exchanged",
    }
    assert "two scores of yes are exchanged" in found[0].message


@pytest.mark.parametrize("m", [THREE, TWO], ids=["three", "two"])
def test_an_exchange_in_all_classes_is_a_turned_table(m: cm.ConfusionMatrix) -> None:
    for found in both_ways(m, claimed(m, list(m.labels), list(m.labels))):
        assert severities(found) == {"orientation": "transposed"}
        assert "the claims are judged so" in found[0].message


def test_a_class_in_which_both_scores_are_equal_does_not_hide_a_turned_table() -> None:
    m = cm.ConfusionMatrix([[40, 3, 2], [9, 30, 6], [1, 12, 25]], ["Cat", "Dog", "Hen"])
    assert cm.score(m, "precision[Dog]") == cm.score(m, "recall[Dog]")
    for found in both_ways(m, claimed(m, list(m.labels), list(m.labels))):
        assert severities(found) == {"orientation": "transposed"}


def test_a_mean_that_is_exchanged_too_turns_the_table() -> None:
    claims = claimed(THREE, ["Cat"], ["Cat"]) | {
        "precision.macro": f"{cm.score(THREE, 'recall.macro'):.6f}",
        "recall.macro": f"{cm.score(THREE, 'precision.macro'):.6f}",
    }
    for found in both_ways(THREE, claims):
        assert severities(found) == {"orientation": "transposed"}
        assert "the claims are judged so" in found[0].message


def test_a_symmetric_table_shows_no_exchange() -> None:
    m = cm.ConfusionMatrix([[40, 5, 2], [5, 30, 6], [2, 6, 25]], ["Cat", "Dog", "Hen"])
    for found in both_ways(m, claimed(m, list(m.labels), ["Cat"])):
        assert found.codes == ("reproduced",)


def test_names_that_people_print_are_claims() -> None:
    values = {
        "Acc.": "accuracy",
        "κ": "kappa",
        "Macro-F1": "f1.macro",
        "F1 (macro)": "f1.macro",
        "Se[Cat]": "recall[Cat]",
    }
    values |= {"Sp[Cat]": "specificity[Cat]", "F-measure[Cat]": "f1[Cat]"}
    assert audit(
        THREE, {name: f"{cm.score(THREE, score):.4f}" for name, score in values.items()}
    ).codes == ("reproduced",)
    assert all(
        cm.interval(THREE, name) == cm.interval(THREE, score) for name, score in values.items()
    )
    found = audit(THREE, {"PPV[Cat]": f"{cm.score(THREE, 'recall[Cat]'):.4f}", "Se[Cat]": "0.8000"})
    assert [one.code for one in found] == ["transposed", "exchanged", "exchanged"]
