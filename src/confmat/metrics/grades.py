"""Grades: the words that authors proposed for values of a measure, each scale under the name of its source.

A word is its source's opinion: 0.6 is "moderate" to Altman and "good" to Cicchetti. The cut points are those that
PyCM prints; a value on a cut belongs to the grade above.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from confmat.core.errors import MetricError


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
