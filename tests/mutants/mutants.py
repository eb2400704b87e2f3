"""Deliberately broken metrics, averages and lookups, each with one fault that a tired author could make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import absolute, largest, ratio, sqrt0
from confmat.metrics.averages import AVERAGES, Average
from confmat.metrics.catalog import metric
from confmat.metrics.declaration import Metric, catalog
from confmat.metrics.margins import Margins
from tests.laws.averaging import averages_as_promised, check_identities, names_are_unique
from tests.laws.checks import broken
from tests.laws.samples import corners, pool

__all__ = ["MUTANTS", "Mutant", "judge"]


@dataclass(frozen=True)
class Mutant:
    """One fault, and how to look for the law that it breaks."""

    name: str
    # Gives the name of the law, or nothing.
    examine: Callable[[], str]


def judge(mutant: Mutant) -> str:
    """The law that catches the mutant, or nothing."""
    return mutant.examine()


def _facts(name: str, fault: str, **facts: Any) -> Mutant:
    """A metric with other facts than its formula has."""
    return Mutant(f"{name}: {fault}", lambda: broken(replace(metric(name), **facts), pool()))


def _formula(name: str, fault: str, formula: Callable[[Any], Any]) -> Mutant:
    """A metric with another formula than its facts tell."""
    return _facts(name, fault, formula=formula)


def _average(name: str, fault: str, **facts: Any) -> Mutant:
    def examine() -> str:
        wrong = replace(AVERAGES[name], **facts)
        return _caught_by_averages(name, wrong, metric("precision")) or _caught_by_averages(
            name, wrong, metric("recall")
        )

    return Mutant(f"average {name}: {fault}", examine)


def _caught_by_averages(name: str, wrong: Average, one: Metric) -> str:
    for m in corners():
        try:
            averages_as_promised(one, m, name, wrong)
        except AssertionError:
            return "averages_as_promised"
    return ""


def _identity(name: str, fault: str, wrong: Callable[[Any], Any] | Metric) -> Mutant:
    """One metric among the others, broken in a way that its own facts may not show."""

    def examine() -> str:
        for m in corners():
            try:
                check_identities(lambda asked: wrong if asked == name else metric(asked), m)
            except AssertionError:
                return "identities"
        return ""

    return Mutant(f"{name}: {fault}", examine)


def _names(fault: str, change: Callable[[dict[str, Metric]], None]) -> Mutant:
    def examine() -> str:
        listed = dict(catalog())
        change(listed)
        try:
            names_are_unique(list(listed.values()))
        except AssertionError:
            return "names_are_unique"
        return ""

    return Mutant(f"catalog: {fault}", examine)


def _renamed(listed: dict[str, Metric], name: str, **facts: Any) -> None:
    listed[name] = replace(listed[name], **facts)


def _mcc_without_a_factor(c: Cells) -> Any:
    bottom = sqrt0(c.predicted * c.actual * c.actual_negative)
    return ratio(c.tp * c.tn - c.fp * c.fn, bottom)


def _mcc_with_plus(c: Cells) -> Any:
    bottom = sqrt0(c.predicted * c.actual) * sqrt0(c.actual_negative * c.predicted_negative)
    return ratio(c.tp * c.tn + c.fp * c.fn, bottom)


def _kappa_with_n_forgotten(m: Margins) -> Any:
    chance = (m.actual * m.predicted).sum(axis=-1)
    return ratio(m.diagonal.sum(axis=-1) - chance, m.total * m.total - chance)


def _kappa_of_one_margin(m: Margins) -> Any:
    chance = (m.actual * m.actual).sum(axis=-1)
    return ratio(m.total * m.diagonal.sum(axis=-1) - chance, m.total * m.total - chance)


def _zero_where_undefined(
    top: Callable[[Cells], Any], bottom: Callable[[Cells], Any]
) -> Callable[[Cells], Any]:
    def formula(c: Cells) -> Any:
        found = ratio(top(c), bottom(c))
        return np.where(found == found, found, 0)

    return formula


def _first_class_only(c: Cells) -> Any:
    """It forgets which axis the classes are on."""
    return ratio(c.tp, (c.tp + c.fn)[0])


def _weighted_by_truth(values: Any, weights: Any) -> Any:
    return values.mean(axis=-1)


def _unweighted_harmonic(values: Any, weights: Any) -> Any:
    return ratio(values.sum(axis=-1) * 0 + values.shape[-1], ratio(1.0, values).sum(axis=-1))


def _squares(values: Any, weights: Any) -> Any:
    return sqrt0(ratio((weights * values * values).sum(axis=-1), weights.sum(axis=-1)))


_RECALL_LATEX = r"\frac{\TP}{\TP + \FN}"


def _infinite(c: Cells) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(ratio(c.tp, c.actual), dtype=float) / np.asarray(
            ratio(c.fp, c.actual_negative), dtype=float
        )


def _single(c: Cells) -> Any:
    return np.asarray(np.real(ratio(c.tp, c.tp + c.fn)), dtype=np.float32)


def _real_size(c: Cells) -> Any:
    """Absolute value that kills the imaginary part: a derivative of zero."""
    return ratio(
        np.abs(c.fp - c.fn) if not hasattr(c.fp, "_apply") else absolute(c.fp - c.fn), 2 * c.total
    )


def _eyraud_of_counts(c: Cells) -> Any:
    expected = c.predicted * c.actual
    return ratio(c.tp - expected, expected * c.actual_negative * c.predicted_negative)


def _koppen_1_of_counts(c: Cells) -> Any:
    errors = c.fp + c.fn
    both = (2 * c.tp + errors) * (2 * c.tn + errors)
    return ratio(both - 2 * errors, both)


def _anderberg_with_another_margin(c: Cells) -> Any:
    knowing = largest(c.tp, c.fp) + largest(c.fn, c.tn) + largest(c.tp, c.fn) + largest(c.fp, c.tn)
    blind = largest(c.predicted, c.actual_negative) + largest(c.predicted, c.predicted_negative)
    return ratio(knowing - blind, 2 * c.total)


def _lambda_r_of_two_modal_classes(c: Cells) -> Any:
    blind = largest(c.predicted, c.predicted_negative) + largest(c.actual, c.actual_negative)
    return ratio(2 * (c.tp + c.tn) - blind, 2 * c.total - blind)


MUTANTS: list[Mutant] = [
    # Swapped cells and signs.
    _formula("recall", "fp for fn", lambda c: ratio(c.tp, c.tp + c.fp)),
    _formula("precision", "fn for fp", lambda c: ratio(c.tp, c.tp + c.fn)),
    _formula("specificity", "fn for fp", lambda c: ratio(c.tn, c.tn + c.fn)),
    _formula("negative_predictive_value", "tp for tn", lambda c: ratio(c.tp, c.tn + c.fn)),
    _formula("false_positive_rate", "1 - is missing", lambda c: ratio(c.tn, c.tn + c.fp)),
    _formula(
        "informedness",
        "plus for minus",
        lambda c: ratio(c.tp, c.actual) + ratio(c.fp, c.actual_negative),
    ),
    _formula("class_mcc", "plus for minus", _mcc_with_plus),
    _formula("class_mcc", "one margin forgotten", _mcc_without_a_factor),
    _formula("forbes_2", "sign", lambda c: -metric("forbes_2").formula(c)),
    _formula("kuhns_1", "2 forgotten", lambda c: metric("dispersion").formula(c)),
    _formula("automatic_manual_difference", "other way round", lambda c: c.fn - c.fp),
    _formula("frequency_bias", "upside down", lambda c: ratio(c.actual, c.predicted)),
    # n, K and scale.
    _formula("kappa", "n forgotten before the hits", _kappa_with_n_forgotten),
    _formula("kappa", "chance from one margin", _kappa_of_one_margin),
    _formula("class_accuracy", "count for share", lambda c: c.tp + c.tn),
    # Formulas that PyCM has under these names.
    _formula("eyraud", "shares taken for counts", _eyraud_of_counts),
    _formula("koppen_1", "shares taken for counts", _koppen_1_of_counts),
    _formula(
        "binary_tau_a",
        "items for pairs",
        lambda c: ratio(2 * (c.tp + c.tn - c.fp - c.fn), c.total * (c.total - 1)),
    ),
    _formula("anderberg", "a margin mistaken", _anderberg_with_another_margin),
    _formula("binary_lambda_r", "two modal classes", _lambda_r_of_two_modal_classes),
    _formula("average_accuracy", "K forgotten", metric("accuracy").formula),
    _formula("accuracy", "1 added below", lambda m: ratio(m.diagonal.sum(axis=-1), m.total + 1)),
    _facts("dispersion", "not scale-free, it says", scale_free=False),
    _facts("gilbert_wells", "scale-free, it says", scale_free=True),
    _facts("average_accuracy", "does not depend on K, it says", depends_on_k=False),
    _facts("accuracy", "depends on K, it says", depends_on_k=True),
    # Undefined values.
    _formula(
        "recall", "0 where undefined", _zero_where_undefined(lambda c: c.tp, lambda c: c.tp + c.fn)
    ),
    _formula(
        "precision",
        "0 where undefined",
        _zero_where_undefined(lambda c: c.tp, lambda c: c.tp + c.fp),
    ),
    _formula("positive_likelihood_ratio", "infinite in perfection", _infinite),
    _facts("precision", "gives no reason", undefined=None),
    _facts("baulieu_5", "gives a reason for nothing", undefined="never"),
    _facts("precision", "silence rewarded out of bounds", when_never_predicted=2),
    # Bounds, direction, best.
    _facts("jaccard", "bound too wide", bounds=(0, 2), best=1),
    _facts("class_mcc", "bound too narrow", bounds=(0, 1)),
    _facts("recall", "unbounded below", bounds=(-1, 1)),
    _facts("false_discovery_rate", "higher is better", better="higher"),
    _facts("recall", "lower is better", better="lower", best=0),
    _facts("kuhns_2", "best is 1", best=1),
    _facts("class_mcc", "chance gets a half", chance=0.5),
    # Relations.
    _facts("recall", "symmetric, it says", symmetric=True),
    _facts("f1", "not symmetric, it says", symmetric=False),
    _facts("recall", "partner is itself", transposed="recall"),
    _facts("recall", "complement is precision", complement="precision"),
    # LaTeX.
    _facts("precision", "LaTeX of recall", latex=_RECALL_LATEX),
    _facts(
        "class_mcc",
        "LaTeX without root",
        latex=(metric("class_mcc").latex or "").replace(r"\sqrt", ""),
    ),
    _facts("f1", "LaTeX of Jaccard", latex=metric("jaccard").latex),
    _facts("accuracy", "LaTeX upside down", latex=r"\frac{n}{\sum_i d_i}"),
    # Arithmetic.
    _formula("recall", "whole numbers only", lambda c: c.tp // np.maximum(c.tp + c.fn, 1)),
    _formula(
        "recall",
        "rounded",
        lambda c: np.round(np.real(ratio(c.tp, c.tp + c.fn) * 1.0).astype(float), 3),
    ),
    _formula("recall", "single precision", _single),
    _formula("recall", "axis of the classes mistaken", _first_class_only),
    _facts("bray_curtis_dissimilarity", "smooth, it says", smooth=True, formula=_real_size),
    _facts("recall", "has a kink, it says", smooth=False),
    # Averages.
    _average("macro", "computed as weighted", weigh=AVERAGES["weighted"].weigh),
    _average("weighted", "computed as macro", weigh=None, formula=_weighted_by_truth),
    _average("weighted", "by predictions", weigh=AVERAGES["weighted_predicted"].weigh),
    _average("weighted_predicted", "by truth", weigh=AVERAGES["weighted"].weigh),
    _average("harmonic", "zeros forgotten", formula=_unweighted_harmonic),
    _average("macro", "quadratic mean", formula=_squares),
    _average("min", "is the maximum", formula=AVERAGES["max"].formula),
    _average("micro", "not pooled", pooled=False, formula=AVERAGES["macro"].formula),
    # Identities.
    _identity("average_accuracy", "is the accuracy", metric("accuracy")),
    _identity("accuracy", "is the average accuracy", metric("average_accuracy")),
    _identity("balanced_accuracy", "over all classes seen", metric("seen_balanced_accuracy")),
    _identity(
        "f1_of_macro", "is the smaller number", lambda m: 0.9 * metric("f1")(m, average="macro")
    ),
    _identity("mutual_information", "in nats", metric("mutual_information_nats")),
    # Names.
    _names(
        "an alias twice", lambda listed: _renamed(listed, "precision", aliases=("sensitivity",))
    ),
    _names(
        "a name is another's alias", lambda listed: _renamed(listed, "jaccard", aliases=("F-1",))
    ),
]
