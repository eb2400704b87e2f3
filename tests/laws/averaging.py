"""Laws of averages, written a second time from what they promise, and the identities that tie metrics together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from confmat import ConfusionMatrix
from confmat.core.cells import Cells
from confmat.metrics.averages import Average
from confmat.metrics.declaration import Metric
from tests.laws.checks import close, values

__all__ = [
    "AVERAGING",
    "IDENTITIES",
    "averages_as_promised",
    "check_identities",
    "names_are_unique",
]

Pairs = list[tuple[float, float]]


def _mean(pairs: Pairs) -> float:
    weight = sum(w for _, w in pairs)
    return sum(v * w for v, w in pairs) / weight if weight else math.nan


def _geometric(pairs: Pairs) -> float:
    if not pairs:
        return math.nan
    if any(v == 0 for v, _ in pairs):
        return 0.0
    return math.exp(_mean([(math.log(v), w) for v, w in pairs]))


def _harmonic(pairs: Pairs) -> float:
    if not pairs:
        return math.nan
    return 0.0 if any(v == 0 for v, _ in pairs) else 1 / _mean([(1 / v, w) for v, w in pairs])


# The promise of each average about (value, weight) pairs, and its weights.
AVERAGING: dict[str, tuple[Callable[[Pairs], float], str]] = {
    "macro": (_mean, ""),
    "weighted": (_mean, "actual_totals"),
    "weighted_predicted": (_mean, "predicted_totals"),
    "geometric": (_geometric, ""),
    "harmonic": (_harmonic, ""),
    "min": (lambda pairs: min((v for v, _ in pairs), default=math.nan), ""),
    "max": (lambda pairs: max((v for v, _ in pairs), default=math.nan), ""),
}


def averages_as_promised(
    metric: Metric, m: ConfusionMatrix, name: str, average: Average | None = None
) -> None:
    """A mean of the classes that it should run over, filled where silence costs; a pooled one of summed cells."""
    how: Any = average or name
    if name == "micro":
        sums = [np.array([part.sum()]) for part in (m.cells.tp, m.cells.fp, m.cells.fn, m.cells.tn)]
        assert close(metric(m, average=how), metric(Cells(*sums))[0]), (
            f"{metric.name} averaged micro is not pooled"
        )
        return
    mean, weighing = AVERAGING[name]
    found = values(metric, m)
    for undefined in ("fair", "skip", "propagate", 0.5):
        if undefined == "fair" and not metric.fair:
            continue
        pairs = _pairs(metric, m, found.tolist(), weighing, undefined)
        wanted = math.nan if any(math.isnan(v) for v, _ in pairs) else mean(pairs)
        if isinstance(undefined, float) and math.isnan(wanted):
            # A number also stands for a mean of classes that all weigh nothing.
            wanted = undefined
        got = metric(m, average=how, undefined=undefined)
        assert close(got, wanted), (
            f"{metric.name} averaged {name} ({undefined}) is {got}, not {wanted}"
        )


def _pairs(
    metric: Metric, m: ConfusionMatrix, found: list[float], weighing: str, undefined: str | float
) -> Pairs:
    actual, predicted = m.actual_totals.tolist(), m.predicted_totals.tolist()
    weights = getattr(m, weighing).tolist() if weighing else [1] * len(found)
    pairs = []
    for value, weight, occurs, named in zip(found, weights, actual, predicted, strict=True):
        # The mean weighted by predictions runs over the classes that are predicted.
        if not weight or (undefined == "fair" and not occurs and weighing != "predicted_totals"):
            continue
        if math.isnan(value):
            if (
                undefined == "fair"
                and occurs
                and not named
                and metric.when_never_predicted is not None
            ):
                value = metric.when_never_predicted  # noqa: PLW2901 - the fill takes its place
            elif isinstance(undefined, float):
                value = undefined  # noqa: PLW2901
            elif undefined != "propagate":
                continue
        pairs.append((value, weight))
    return pairs


def names_are_unique(metrics: list[Metric]) -> None:
    """No two metrics share a name or an alias, whatever the case, spaces, hyphens and underscores."""
    owners: dict[str, str] = {}
    for metric in metrics:
        for name in {
            each.casefold().replace("-", "").replace("_", "")
            for each in (metric.name, *metric.aliases)
        }:
            other = owners.setdefault(name, metric.name)
            assert other == metric.name, f"{name!r} belongs to {other} and to {metric.name}"


Lookup = Callable[[str], Any]


def _micro_is_accuracy(named: Lookup, m: ConfusionMatrix) -> None:
    accuracy = named("accuracy")(m)
    for name in ("recall", "precision", "f1"):
        assert close(named(name)(m, average="micro"), accuracy), f"micro {name} is not the accuracy"


def _weighted_recall_is_accuracy(named: Lookup, m: ConfusionMatrix) -> None:
    assert close(named("recall")(m, average="weighted"), named("accuracy")(m))
    assert close(named("precision")(m, average="weighted_predicted"), named("accuracy")(m))


def _errors_complete(named: Lookup, m: ConfusionMatrix) -> None:
    assert close(named("error_rate")(m), 1 - named("accuracy")(m))
    for rate, rest in (
        ("recall", "fnr"),
        ("specificity", "fpr"),
        ("precision", "fdr"),
        ("npv", "for"),
    ):
        assert close(
            values(named(rate), m) + values(named(rest), m), 1 + 0 * values(named(rate), m)
        )


def _f1_is_the_harmonic_mean(named: Lookup, m: ConfusionMatrix) -> None:
    recall, precision, f1 = (values(named(name), m) for name in ("recall", "precision", "f1"))
    both = recall + precision
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = np.where(both > 0, 2 * recall * precision / both, f1)
    assert close(f1, wanted)


def _average_accuracy_depends_on_k(named: Lookup, m: ConfusionMatrix) -> None:
    accuracy, k = named("accuracy")(m), m.n_classes
    assert close(named("average_accuracy")(m), 1 - 2 * (1 - accuracy) / k)
    assert close(named("average_error_rate")(m), 2 * (1 - accuracy) / k)
    if m.total:
        assert close(named("average_accuracy")(m), np.mean(values(named("class_accuracy"), m)))
        assert close(named("specificity")(m, average="micro"), 1 - (1 - accuracy) / (k - 1))


def _balanced_accuracy_is_macro_recall(named: Lookup, m: ConfusionMatrix) -> None:
    assert close(named("balanced_accuracy")(m), named("recall")(m, average="macro"))


def _f_of_means_exceeds_mean_of_f(named: Lookup, m: ConfusionMatrix) -> None:
    """Opitz and Burst (2019); both run over the classes that occur."""
    means, mean = named("f1_of_macro")(m), named("f1")(m, average="macro")
    assert math.isnan(mean) or means >= mean - 1e-12


def _informedness_and_markedness_make_mcc(named: Lookup, m: ConfusionMatrix) -> None:
    product = values(named("informedness"), m) * values(named("markedness"), m)
    assert close(values(named("class_mcc"), m) ** 2, product)


def _jaccard_and_f1_are_one(named: Lookup, m: ConfusionMatrix) -> None:
    jaccard, f1 = values(named("jaccard"), m), values(named("f1"), m)
    assert close(f1, 2 * jaccard / (1 + jaccard))
    assert close(values(named("doolittle"), m), values(named("class_mcc"), m) ** 2)


def _entropies_add_up(named: Lookup, m: ConfusionMatrix) -> None:
    joint, actual, predicted, shared = (
        named(name)(m)
        for name in ("joint_entropy", "actual_entropy", "predicted_entropy", "mutual_information")
    )
    assert close(joint + shared, actual + predicted)


# Named after the sentences of which they are the arithmetic.
IDENTITIES: Mapping[str, Callable[[Lookup, ConfusionMatrix], None]] = {
    "micro recall = micro precision = micro F1 = accuracy": _micro_is_accuracy,
    "weighted recall = accuracy": _weighted_recall_is_accuracy,
    "each rate and its error make 1": _errors_complete,
    "F1 is the harmonic mean of precision and recall": _f1_is_the_harmonic_mean,
    "average accuracy = 1 - 2 (1 - accuracy) / K": _average_accuracy_depends_on_k,
    "balanced accuracy = macro recall": _balanced_accuracy_is_macro_recall,
    "the F of means is no less than the mean of F": _f_of_means_exceeds_mean_of_f,
    "informedness times markedness = MCC squared": _informedness_and_markedness_make_mcc,
    "F1 = 2 J / (1 + J)": _jaccard_and_f1_are_one,
    "joint entropy + mutual information = both entropies": _entropies_add_up,
}


def check_identities(named: Lookup, m: ConfusionMatrix) -> None:
    """All of them."""
    for identity in IDENTITIES.values():
        identity(named, m)
