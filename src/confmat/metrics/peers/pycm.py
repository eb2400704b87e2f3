"""PyCM: its names of our metrics, its own formulas, and the words that it grades values with.

A word is its source's opinion: 0.6 is "moderate" to Altman and "good" to Cicchetti. The cut points are those that
PyCM prints; a value on a cut belongs to the grade above.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import Number, UntrackableError, constant, largest, log, ratio, spread, xlogx
from confmat.metrics.declaration import Metric, catalog, of_class, of_matrix
from confmat.metrics.margins import Margins
from confmat.metrics.peers.others import Alias, PeerValue


@dataclass(frozen=True)
class Grades:
    """A scale of words: each holds below its upper cut, the last one up to and with `highest`."""

    name: str
    # The metrics that it was made for.
    metrics: tuple[str, ...]
    source: str
    steps: tuple[tuple[float, str], ...]
    lowest: float = -math.inf
    highest: float = math.inf
    # Whether the lowest value itself has no grade.
    open_below: bool = False

    def __call__(self, value: float | None) -> str | None:
        """The word for a value; None where there is no value, or none of the scale."""
        if value is None or math.isnan(value) or not self.lowest <= value <= self.highest:
            return None
        if self.open_below and value == self.lowest:
            return None
        return next((word for upper, word in self.steps if value < upper), self.steps[-1][1])


def _scales() -> list[Grades]:
    kappas = ("kappa", "scott_pi", "gwet_ac1", "weighted_kappa")
    inf = math.inf
    return [
        Grades(
            "landis_koch",
            kappas,
            "Landis and Koch (1977), Biometrics 33, 159-174",
            (
                (0, "poor"),
                (0.2, "slight"),
                (0.4, "fair"),
                (0.6, "moderate"),
                (0.8, "substantial"),
                (1, "almost perfect"),
            ),
            highest=1,
        ),
        Grades(
            "fleiss",
            kappas,
            "Fleiss (1981), Statistical Methods for Rates and Proportions",
            ((0.4, "poor"), (0.75, "intermediate to good"), (inf, "excellent")),
        ),
        Grades(
            "altman",
            kappas,
            "Altman (1991), Practical Statistics for Medical Research",
            ((0.2, "poor"), (0.4, "fair"), (0.6, "moderate"), (0.8, "good"), (1, "very good")),
            highest=1,
        ),
        Grades(
            "cicchetti",
            kappas,
            "Cicchetti (1994), Psychological Assessment 6, 284-290",
            ((0.4, "poor"), (0.59, "fair"), (0.74, "good"), (1, "excellent")),
            highest=1,
        ),
        Grades(
            "cramer",
            ("cramer_v",),
            "Rea and Parker (1992), Designing and Conducting Survey Research, as PyCM quotes it",
            (
                (0.1, "negligible"),
                (0.2, "weak"),
                (0.4, "moderate"),
                (0.6, "relatively strong"),
                (0.8, "strong"),
                (inf, "very strong"),
            ),
        ),
        Grades(
            "matthews",
            ("mcc", "class_mcc"),
            "Mukaka (2012), Malawi Medical Journal 24, 69-71, for correlations, as PyCM quotes it",
            ((0.3, "negligible"), (0.5, "weak"), (0.7, "moderate"), (0.9, "strong"), (inf, "very strong")),
        ),
        Grades(
            "lambda",
            ("lambda_reference", "lambda_response"),
            "PyCM's scale for Goodman and Kruskal's lambda",
            (
                (0.2, "very weak"),
                (0.4, "weak"),
                (0.6, "moderate"),
                (0.8, "strong"),
                (1, "very strong"),
                (inf, "perfect"),
            ),
            lowest=0,
            highest=1,
            open_below=True,
        ),
        Grades(
            "krippendorff",
            ("krippendorff_alpha",),
            "Krippendorff (2004), Content Analysis",
            ((0.667, "low"), (0.8, "tentative"), (inf, "high")),
        ),
        Grades(
            "pearson_c",
            ("pearson_c",),
            "PyCM's scale for Pearson's contingency coefficient",
            ((0.1, "not appreciable"), (0.2, "weak"), (0.3, "medium"), (inf, "strong")),
            lowest=0,
            open_below=True,
        ),
        Grades(
            "positive_likelihood_ratio",
            ("positive_likelihood_ratio",),
            "PyCM's scale for positive likelihood ratios",
            ((1, "negligible"), (5, "poor"), (10, "fair"), (inf, "good")),
        ),
        Grades(
            "negative_likelihood_ratio",
            ("negative_likelihood_ratio",),
            "PyCM's scale for negative likelihood ratios",
            ((0.1, "good"), (0.2, "fair"), (0.5, "poor"), (inf, "negligible")),
        ),
        Grades(
            "discriminant_power",
            ("discriminant_power", "discriminant_power_log10"),
            "Sokolova, Japkowicz and Szpakowicz (2006), for natural logarithms; PyCM applies it to base 10",
            ((1, "poor"), (2, "limited"), (3, "fair"), (inf, "good")),
        ),
        Grades(
            "auc",
            ("one_point_auc",),
            "PyCM's scale for areas under the ROC curve",
            ((0.6, "poor"), (0.7, "fair"), (0.8, "good"), (0.9, "very good"), (inf, "excellent")),
        ),
        Grades(
            "yule_q",
            ("yule_q",),
            "PyCM's scale for Yule's Q",
            ((0.25, "negligible"), (0.5, "weak"), (0.75, "moderate"), (inf, "strong")),
        ),
    ]


GRADES: Mapping[str, Grades] = MappingProxyType({scale.name: scale for scale in _scales()})


def interpret(source: str, value: float | None) -> str | None:
    """The word that a source has for a value; None where there is no value, or none of its scale.

    >>> interpret("landis_koch", 0.6), interpret("altman", 0.6), interpret("landis_koch", float("nan"))
    ('substantial', 'good', None)
    """
    try:
        return GRADES[source](value)
    except KeyError:
        msg = f"there is no scale of grades {source!r}; there are {', '.join(GRADES)}"
        raise MetricError(msg) from None


_class = functools.partial(of_class, family="as PyCM computes it", better="neither", fair=False)
_matrix = functools.partial(of_matrix, family="as PyCM computes it", better="neither")


@_class(title="Anderberg, PyCM", undefined="there are no items", smooth=False)
def anderberg(c: Cells) -> Any:
    """Anderberg's D with one margin mistaken: FP + TN stands in the blind guess beside TP + FP, not TP + FN."""
    knowing = largest(c.tp, c.fp) + largest(c.fn, c.tn) + largest(c.tp, c.fn) + largest(c.fp, c.tn)
    blind = largest(c.predicted, c.actual_negative) + largest(c.predicted, c.predicted_negative)
    return ratio(knowing - blind, 2 * c.total)


@_class(title="Eyraud, PyCM", undefined="the class occurs or is predicted never or always", scale_free=False)
def eyraud(c: Cells) -> Any:
    """Eyraud's coefficient as it is printed for shares, computed from counts."""
    expected = c.predicted * c.actual
    return ratio(c.tp - expected, expected * c.actual_negative * c.predicted_negative)


@_class(title="Goodman and Kruskal's lambda-r, PyCM", undefined="all answers and all truths agree on one", smooth=False)
def lambda_r(c: Cells) -> Any:
    """Lambda-r with each side's own most frequent answer, where its authors take one for both: it falls below -1."""
    blind = largest(c.predicted, c.predicted_negative) + largest(c.actual, c.actual_negative)
    return ratio(2 * (c.tp + c.tn) - blind, 2 * c.total - blind)


@_class(title="Kendall's tau, PyCM", undefined="there is one item or none", scale_free=False)
def kendall_tau(c: Cells) -> Any:
    """Agreements less errors in place of concordant less discordant pairs: it vanishes as items are added."""
    return ratio(2 * (c.tp + c.tn - c.fp - c.fn), c.total * (c.total - 1))


@_class(title="Köppen I, PyCM", undefined="the class is on both sides of every item or of none", scale_free=False)
def koppen_i(c: Cells) -> Any:
    """Köppen's coefficient as it is printed for shares, computed from counts: it tends to 1 as items are added."""
    errors = c.fp + c.fn
    both = (2 * c.tp + errors) * (2 * c.tn + errors)
    return ratio(both - 2 * errors, both)


@_class(title="Köppen II, PyCM", scale_free=False)
def koppen_ii(c: Cells) -> Any:
    """The mean of actual and predicted totals: a count, where the original has a share."""
    return c.tp + (c.fp + c.fn) * constant(0.5, c.tp)


@_matrix(title="AUNP, PyCM", undefined="a class has no members or no others")
def aunp(m: Margins) -> Any:
    """Mean one-point AUC weighted by class; without value as soon as one class has none, even of weight 0."""
    others = spread(m.total) - m.actual
    rejected = others - m.predicted + m.diagonal
    areas = ratio(m.diagonal, m.actual) + ratio(rejected, others)
    return ratio((m.actual * areas).sum(axis=-1), 2 * m.total)


@_matrix(title="Chi-squared degrees of freedom, PyCM", depends_on_k=True)
def chi_squared_df(m: Margins) -> Any:
    """(K - 1) squared, counting classes that are empty."""
    return (m.n_classes - 1) * (m.n_classes - 1) + 0 * m.total


@_matrix(title="Cross entropy, PyCM", undefined="the matrix is empty", unit="bits", rational=False)
def cross_entropy(m: Margins) -> Any:
    """Cross entropy of the margins without the classes that are never predicted, which make it infinite."""
    if isinstance(m.predicted, Number):
        # All terms have one sign, so float64 is as good as it gets.
        raise UntrackableError
    never = np.equal(m.predicted, 0)
    expected = ratio(np.where(never, 1, m.predicted), spread(m.total))
    return -(ratio(m.actual, spread(m.total)) * log(np.where(never, 1, expected), 2)).sum(axis=-1)


@_matrix(
    title="Relative classifier information, PyCM", undefined="only one class occurs", needs="cells", rational=False
)
def rci(t: Any) -> Any:
    """Mutual information divided by the reference entropy."""
    n = spread(t.total)
    actual, predicted, joint = (-xlogx(ratio(part, n), 2).sum(axis=-1) for part in (t.actual, t.predicted, t.values))
    return ratio(actual + predicted - joint, actual)


_PLAIN = "the plain mean over all K classes; without value as soon as one class has none"

_EMPTY = "no value in PyCM as soon as one class is empty on either side"

# Names whose metric is declared ours, where PyCM has no value and we have one.
REMARKS: Mapping[str, str] = {
    "Q": "no value in PyCM where FP FN is 0; the limit, 1 or -1, is here",
    "DOR": "no value in PyCM where TN is 0; 0 here",
    "AGM": "0 in PyCM where every item belongs to the class and none is found; there is no specificity then",
    "Phi-Squared": _EMPTY,
    "Cramer V": _EMPTY,
    "Pearson C": _EMPTY,
    "Overall CEN": "no value in PyCM as soon as one class is nowhere; it weighs 0 here",
    "Overall MCEN": "no value in PyCM as soon as one class is nowhere; it weighs 0 here",
    "GilbertWells": "no value in PyCM where its factorials overflow",
}


def _macro(target: str) -> Alias:
    return Alias(target, average="macro", undefined="propagate", note=_PLAIN)


ALIASES: Mapping[str, Alias] = {
    "F0.5": Alias("f_beta", (0.5,)),
    "F1": Alias("f_beta", (1,)),
    "F2": Alias("f_beta", (2,)),
    "IBA": Alias("iba", (1,)),
    "AUNU": _macro("one_point_auc"),
    "CBA": _macro("braun_blanquet"),
    "CSI": _macro("individual_classification_success"),
    "TPR Macro": _macro("recall"),
    "TNR Macro": _macro("specificity"),
    "PPV Macro": _macro("precision"),
    "NPV Macro": _macro("negative_predictive_value"),
    "FPR Macro": _macro("false_positive_rate"),
    "FNR Macro": _macro("false_negative_rate"),
    "F1 Macro": _macro("f1"),
    "ACC Macro": Alias("average_accuracy"),
    "TPR Micro": Alias("accuracy", note="micro recall, by assignment"),
    "PPV Micro": Alias("accuracy", note="micro precision, by assignment"),
    "F1 Micro": Alias("accuracy", note="micro F1, by assignment"),
    "FNR Micro": Alias("error_rate", note="1 - TPR Micro"),
    "TNR Micro": Alias("specificity", average="micro"),
    "NPV Micro": Alias("negative_predictive_value", average="micro"),
    "FPR Micro": Alias("false_positive_rate", average="micro"),
    "Chi-Squared": Alias("chi_squared", note=_EMPTY),
    "KL Divergence": Alias("kl_divergence", note=_EMPTY),
    "FleissLevinPaik": Alias("f_beta_negative", (1,)),
    "ForbesI": Alias("lift"),
    "F_beta": Alias("f_beta"),
    "IBA_alpha": Alias("iba"),
    "TI": Alias("tversky"),
    "NB": Alias("net_benefit"),
}

# Scores that PyCM computes in another way than the metric of that name; the note is the formula's first line.
FORMULAS: Mapping[str, Metric] = {
    "AUNP": aunp,
    "Chi-Squared DF": chi_squared_df,
    "Cross Entropy": cross_entropy,
    "RCI": rci,
    "Anderberg": anderberg,
    "Eyraud": eyraud,
    "GoodmanKruskalLambdaR": lambda_r,
    "KendallTau": kendall_tau,
    "KoppenI": koppen_i,
    "KoppenII": koppen_ii,
}


def _number(name: str, m: Any) -> float | None:
    """The value of a metric of ours, None where it has none."""
    value = float(catalog()[name](m))
    return None if math.isnan(value) else value


def _graded(name: str, source: str) -> Callable[[Any], Any]:
    """The word for every class; PyCM begins its words with capitals."""

    def grade(m: Any) -> dict[Any, str | None]:
        values = np.asarray(catalog()[name](m)).tolist()
        return {label: _word(source, value) for label, value in zip(m.labels.classes, values, strict=True)}

    return grade


def _word(source: str, value: float | None) -> str | None:
    word = interpret(source, value)
    return word if word is None else word.title().replace(" To ", " to ")


def _overall(name: str, source: str) -> Callable[[Any], str | None]:
    return lambda m: _word(source, _number(name, m))


def _all_occur(m: Any) -> bool:
    return bool(np.all(m.actual_totals > 0) and np.all(m.predicted_totals > 0))


def _of_chi_squared(name: str, source: str) -> Callable[[Any], str | None]:
    return lambda m: _word(source, _number(name, m)) if _all_occur(m) else None


def _standard_error(m: Any) -> float | None:
    accuracy = _number("accuracy", m)
    return None if accuracy is None else math.sqrt(accuracy * (1 - accuracy) / m.total)


def _kappa_standard_error(m: Any) -> float | None:
    spread, chance = _standard_error(m), _number("expected_accuracy", m)
    if spread is None or chance is None or chance == 1:
        return None
    return spread / (1 - chance)


def _interval(name: str, spread: Callable[[Any], float | None]) -> Callable[[Any], Any]:
    def bounds(m: Any) -> tuple[float, float] | tuple[None, None]:
        value, error = _number(name, m), spread(m)
        if value is None or error is None:
            return (None, None)
        return (value - 1.96 * error, value + 1.96 * error)

    return bounds


def _overall_jaccard(m: Any) -> tuple[float, float] | None:
    values = [float(value) for value in catalog()["jaccard"](m)]
    return None if any(map(math.isnan, values)) else (sum(values), sum(values) / len(values))


def _p_value(m: Any) -> float | None:
    rate = _number("no_information_rate", m)
    if rate is None:
        return None
    from confmat.metrics.accuracies import accuracy_p_value

    return float(accuracy_p_value(m))


def _aickin_alpha(m: Any) -> float | None:
    """Fixed-point iteration, 200 steps at most, until alpha moves by less than 0.0001."""
    if not m.total:
        return None
    shares = [np.asarray(part, dtype=np.float64) / m.total for part in (m.predicted_totals, m.actual_totals)]
    first, second = (part.copy() for part in shares)
    accuracy, alpha = float(catalog()["accuracy"](m)), 0.0
    for _ in range(201):
        chance = float((first * second).sum())
        if chance in {0.0, 1.0}:
            return None
        before, alpha = alpha, (accuracy - chance) / (1 - chance)
        # The second line uses the first one's new shares, as PyCM does.
        bottom = (1 - alpha) + alpha * second / chance
        if np.any(bottom == 0):
            return None
        first = shares[0] / bottom
        bottom = (1 - alpha) + alpha * first / chance
        if np.any(bottom == 0):
            return None
        second = shares[1] / bottom
        if abs(alpha - before) < 0.0001:
            break
    return alpha


def _dissimilarity(m: Any) -> dict[Any, dict[Any, int]]:
    """City-block distance between the rows of two classes."""
    rows = m.counts
    return {
        one: {other: int(np.abs(rows[i] - rows[j]).sum()) for j, other in enumerate(m.labels)}
        for i, one in enumerate(m.labels)
    }


def values() -> dict[str, PeerValue]:
    """Verbal grades, intervals, pairs and tables, each by its key."""
    grade = "verbal grade of the {}, from PyCM's cut points"
    table: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "PLRI": (
            grade.format("positive likelihood ratio"),
            _graded("positive_likelihood_ratio", "positive_likelihood_ratio"),
        ),
        "NLRI": (
            grade.format("negative likelihood ratio"),
            _graded("negative_likelihood_ratio", "negative_likelihood_ratio"),
        ),
        "DPI": (
            "verbal grade of the discriminant power in base 10, though the scale is for natural logarithms",
            _graded("discriminant_power_log10", "discriminant_power"),
        ),
        "AUCI": (grade.format("area under the one-point ROC curve"), _graded("one_point_auc", "auc")),
        "MCCI": (grade.format("Matthews correlation"), _graded("class_mcc", "matthews")),
        "QI": (grade.format("Yule Q"), _yule_grades),
        "SOA1(Landis & Koch)": (grade.format("kappa (Landis and Koch)"), _overall("kappa", "landis_koch")),
        "SOA2(Fleiss)": (grade.format("kappa (Fleiss)"), _overall("kappa", "fleiss")),
        "SOA3(Altman)": (grade.format("kappa (Altman)"), _overall("kappa", "altman")),
        "SOA4(Cicchetti)": (grade.format("kappa (Cicchetti)"), _overall("kappa", "cicchetti")),
        "SOA5(Cramer)": (grade.format("Cramér V; none if a class is empty"), _of_chi_squared("cramer_v", "cramer")),
        "SOA6(Matthews)": (grade.format("Matthews correlation"), _overall("mcc", "matthews")),
        "SOA7(Lambda A)": (grade.format("lambda A; none for 0"), _overall("lambda_reference", "lambda")),
        "SOA8(Lambda B)": (grade.format("lambda B; none for 0"), _overall("lambda_response", "lambda")),
        "SOA9(Krippendorff Alpha)": (
            grade.format("Krippendorff alpha"),
            _overall("krippendorff_alpha", "krippendorff"),
        ),
        "SOA10(Pearson C)": (
            grade.format("Pearson C; none for 0, or if a class is empty"),
            _of_chi_squared("pearson_c", "pearson_c"),
        ),
        "Standard Error": ("simple standard error of the accuracy (Wald)", _standard_error),
        "95% CI": ("Wald interval of the accuracy, not clipped to 0 and 1", _interval("accuracy", _standard_error)),
        "Kappa Standard Error": (
            "simple standard error of kappa, with the chance taken as known; too small or too large by design",
            _kappa_standard_error,
        ),
        "Kappa 95% CI": ("kappa and 1.96 simple standard errors", _interval("kappa", _kappa_standard_error)),
        "Overall J": ("sum and mean of the classes' Jaccard indices", _overall_jaccard),
        "P-Value": (
            "binomial tail against the no-information rate, right where PyCM's own sum is noise or fails",
            _p_value,
        ),
        "aickin_alpha": ("Aickin's alpha, by PyCM's iteration", _aickin_alpha),
        "dissimilarity_matrix": ("city-block distances between the rows of the classes", _dissimilarity),
    }
    return {name: PeerValue(name, "pycm", *line) for name, line in table.items()}


def _yule_grades(m: Any) -> dict[Any, str | None]:
    """PyCM has no Q, and so no grade, where FP or FN is 0."""
    cells = m.cells
    words = _graded("yule_q", "yule_q")(m)
    return {
        label: None if fp == 0 or fn == 0 else word
        for (label, word), fp, fn in zip(words.items(), cells.fp.tolist(), cells.fn.tolist(), strict=True)
    }
