"""Peers' names that are no metrics of ours, and those of scikit-learn, torchmetrics, oneDAL, caret and others.

Simple names are facts of our metrics (`peers={"sklearn": ...}`); here stand the averaged ones and those that need a
word about a default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.metrics.averages import Undefined
from confmat.metrics.declaration import Metric, catalog
from confmat.metrics.ordinal import on_scale


@dataclass(frozen=True)
class PeerValue:
    """A string, tuple or number as a peer computes it; part of no law, average or report.

    Where the peer prints the text "None", the value is None. One value per class comes as a mapping of class to
    value.
    """

    name: str
    peer: str
    # A description, with its oddities.
    summary: str
    function: Callable[[Any], Any]

    def __call__(self, m: Any) -> Any:
        """The peer's value of a matrix."""
        return self.function(m)

    def __repr__(self) -> str:
        return f"<PeerValue {self.peer}:{self.name}: {self.summary}>"


@dataclass(frozen=True)
class PeerScore:
    """One of our metrics with the averaging of a peer: called with a matrix, it gives one number.

    With `seen`, the mean runs over the classes that occur on either side.
    """

    metric: Metric
    average: str
    undefined: Undefined = "fair"
    seen: bool = False
    note: str = ""

    @property
    def name(self) -> str:
        """The spelling of the score."""
        return f"{self.metric.name}.{self.average}"

    def __call__(self, m: Any) -> Any:
        """The value of a matrix."""
        options: dict[str, Any] = {}
        if self.seen:
            # A weight of nothing makes a class absent.
            cells = m.cells
            options["weights"] = np.asarray((cells.actual > 0) | (cells.predicted > 0), dtype=np.float64)
        return self.metric(m, average=self.average, undefined=self.undefined, **options)

    def __repr__(self) -> str:
        return f"<PeerScore {self.name}: {self.metric.title}, undefined={self.undefined!r}>"


@dataclass(frozen=True)
class Alias:
    """A line of a peer's table: the name of our metric, and how the peer averages it."""

    target: str
    # Parameters, where the target is a family of metrics.
    args: tuple[Any, ...] = ()
    average: str | None = None
    undefined: Undefined = "fair"
    seen: bool = False
    note: str = ""


_BINARY = "its default is average='binary'; ours gives every class, and `of=` one"
_POSITIVE = "of the positive class: `of=`"
_ONE_CLASS = "undefined where a side has one class; torchmetrics then gives 1 if all is right, -1 if nothing is"
_MACRO = "its default is average='macro', over the classes seen on either side, 0 for undefined"


def _sklearn() -> dict[str, Alias]:
    """With scikit-learn's default zero_division: undefined counts 0, over all classes."""
    rates = {
        "recall_score": Alias("recall", note=_BINARY),
        "precision_score": Alias("precision", note=_BINARY),
        "f1_score": Alias("f1", note=_BINARY),
        "jaccard_score": Alias("jaccard", note=_BINARY),
        "fbeta_score": Alias("f_beta", note=_BINARY),
    }
    averaged = {
        f"{name}(average='{average}')": Alias(line.target, average=average, undefined=0.0, note="with zero_division=0")
        for name, line in rates.items()
        if name != "fbeta_score"
        for average in ("macro", "micro", "weighted")
    }
    return {
        **rates,
        **averaged,
        "accuracy_score": Alias("accuracy"),
        "balanced_accuracy_score": Alias("balanced_accuracy"),
        "matthews_corrcoef": Alias("mcc", note="0 in scikit-learn where it is undefined"),
        "cohen_kappa_score": Alias("kappa"),
        "zero_one_loss": Alias("error_rate", note="a count with normalize=False: `error_count`"),
        "hamming_loss": Alias("error_rate"),
        "classification_report(output_dict=True)['accuracy']": Alias("accuracy"),
    }


def _torchmetrics() -> dict[str, Alias]:
    rates = {
        "recall": ("Recall", "recall"),
        "precision": ("Precision", "precision"),
        "specificity": ("Specificity", "specificity"),
        "negative_predictive_value": ("NegativePredictiveValue", "negative_predictive_value"),
        "f1_score": ("F1Score", "f1"),
        "jaccard_index": ("JaccardIndex", "jaccard"),
    }
    found: dict[str, Alias] = {}
    for function, (module, target) in rates.items():
        for name in (f"multiclass_{function}", f"Multiclass{module}"):
            found[name] = Alias(target, note=_MACRO)
            found[f"{name}(average='none')"] = Alias(target, note="0 in torchmetrics where it is undefined")
            found[f"{name}(average='macro')"] = Alias(target, average="macro", undefined=0.0, seen=True)
            found[f"{name}(average='micro')"] = Alias(target, average="micro")
            found[f"{name}(average='weighted')"] = Alias(target, average="weighted", undefined=0.0)
        found[f"Binary{module}"] = found[f"binary_{function}"] = Alias(target, note=_POSITIVE)
    for name in ("multiclass_accuracy", "MulticlassAccuracy"):
        found[name] = Alias("seen_balanced_accuracy", note="macro by default: a mean recall, not the accuracy")
        found[f"{name}(average='macro')"] = Alias("seen_balanced_accuracy")
        found[f"{name}(average='micro')"] = found[f"{name}(average='weighted')"] = Alias("accuracy")
        found[f"{name}(average='none')"] = Alias("recall", note="0 in torchmetrics where it is undefined")
    for name in ("multiclass_hamming_distance", "MulticlassHammingDistance"):
        mean = Alias("false_negative_rate", average="macro", undefined=1.0, seen=True, note="1 - mean recall")
        found[name] = found[f"{name}(average='macro')"] = mean
        found[f"{name}(average='micro')"] = found[f"{name}(average='weighted')"] = Alias("error_rate")
        found[f"{name}(average='none')"] = Alias("false_negative_rate", note="1 in torchmetrics where it is undefined")
    for name in ("multiclass_fbeta_score", "MulticlassFBetaScore"):
        found[name] = Alias("f_beta", note=_MACRO)
    found["BinaryFBetaScore"] = found["binary_fbeta_score"] = Alias("f_beta", note=_POSITIVE)
    for name in ("MatthewsCorrCoef", "matthews_corrcoef"):
        binary, several = ("Binary", "Multiclass") if name[0] == "M" else ("binary_", "multiclass_")
        found[f"{several}{name}"] = Alias("mcc", note="0 in torchmetrics where it is undefined")
        found[f"{binary}{name}"] = Alias("mcc", note=_ONE_CLASS)
    one = {
        "BinaryAccuracy": "accuracy",
        "binary_accuracy": "accuracy",
        "BinaryHammingDistance": "error_rate",
        "binary_hamming_distance": "error_rate",
        "BinaryCohenKappa": "kappa",
        "binary_cohen_kappa": "kappa",
        "MulticlassCohenKappa": "kappa",
        "CramersV": "cramer_v_corrected",
        "TschuprowsT": "tschuprow_t_corrected",
        "TheilsU": "completeness",
        "PearsonsContingencyCoefficient": "pearson_c",
        "MutualInfoScore": "mutual_information_nats",
        "NormalizedMutualInfoScore": "v_measure",
        "AdjustedMutualInfoScore": "adjusted_mutual_information",
        "HomogeneityScore": "homogeneity",
        "CompletenessScore": "completeness",
        "VMeasureScore": "v_measure",
        "RandScore": "rand_index",
        "AdjustedRandScore": "adjusted_rand_index",
        "FowlkesMallowsIndex": "fowlkes_mallows",
    }
    return {**found, **{name: Alias(target) for name, target in one.items()}}


def _onedal() -> dict[str, Alias]:
    """oneDAL divides without a guard: one class without truth or prediction makes its macro metrics NaN."""
    loud = "NaN as soon as one class has no value"
    return {
        "averageAccuracy": Alias("average_accuracy"),
        "errorRate": Alias("average_error_rate"),
        "microPrecision": Alias("accuracy", note="micro precision is the accuracy"),
        "microRecall": Alias("accuracy", note="micro recall is the accuracy"),
        "microFscore": Alias("accuracy", note="micro F is the accuracy, whatever beta"),
        "macroPrecision": Alias("precision", average="macro", undefined="propagate", note=loud),
        "macroRecall": Alias("recall", average="macro", undefined="propagate", note=loud),
        "macroFscore": Alias(
            "f1_of_macro", note="F of the mean precision and recall; other betas are f_of_macro(beta); " + loud
        ),
        "accuracy": Alias("accuracy", note="of the binary quality metrics"),
        "precision": Alias("precision", note="of the binary quality metrics: `of=` the positive class"),
        "recall": Alias("recall", note="of the binary quality metrics: `of=` the positive class"),
        "fscore": Alias("f_beta", note="of the binary quality metrics: `of=` the positive class"),
        "specificity": Alias("specificity", note="of the binary quality metrics: `of=` the positive class"),
        "AUC": Alias("one_point_auc", note="of the binary quality metrics: `of=` the positive class"),
    }


def _caret() -> dict[str, Alias]:
    own = {
        "Accuracy": "accuracy",
        "Kappa": "kappa",
        "AccuracyNull": "no_information_rate",
        "Sensitivity": "recall",
        "Specificity": "specificity",
        "Pos Pred Value": "precision",
        "Neg Pred Value": "negative_predictive_value",
        "Precision": "precision",
        "Recall": "recall",
        "F1": "f1",
        "Prevalence": "prevalence",
        "Detection Rate": "detection_rate",
        "Detection Prevalence": "detection_prevalence",
        "Balanced Accuracy": "one_point_auc",
    }
    return {name: Alias(target) for name, target in own.items()}


def _yardstick() -> dict[str, Alias]:
    """Undefined classes are dropped with a warning; the multi-class estimator is macro by default."""
    rates = {
        "sens": "recall",
        "sensitivity": "recall",
        "recall": "recall",
        "spec": "specificity",
        "specificity": "specificity",
        "ppv": "precision",
        "precision": "precision",
        "npv": "negative_predictive_value",
        "j_index": "informedness",
        "detection_prevalence": "detection_prevalence",
        "bal_accuracy": "one_point_auc",
    }
    found = {
        name: Alias(target, note="its default for more than two classes is the macro mean of the defined ones")
        for name, target in rates.items()
    }
    for name, target in rates.items():
        found[f"{name}(estimator='macro')"] = Alias(target, average="macro", undefined="skip")
        found[f"{name}(estimator='macro_weighted')"] = Alias(target, average="weighted", undefined="skip")
        found[f"{name}(estimator='micro')"] = Alias(target, average="micro")
    found["f_meas"] = Alias("f_beta", note="NA where precision or recall alone is undefined; ours is then 0")
    found |= {"accuracy": Alias("accuracy"), "kap": Alias("kappa"), "mcc": Alias("mcc"), "sedi": Alias(_SEDI)}
    return found


_SEDI = "symmetric_extremal_dependence_index"


def _imblearn() -> dict[str, Alias]:
    return {
        "sensitivity_score": Alias("recall", note=_BINARY),
        "specificity_score": Alias("specificity", note=_BINARY + "; with sample weights it is wrong in 0.14"),
        "geometric_mean_score": Alias(
            "multiclass_g_mean", note="its default: the K-th root of all recalls; `correction` stands there for a 0"
        ),
        "geometric_mean_score(average=None)": Alias("class_g_mean"),
        "make_index_balanced_accuracy": Alias(
            "iba",
            note="its default is alpha=0.1 on the squared score; around geometric_mean_score as it comes it weighs "
            "with the macro rates, whose dominance is 0 for two classes: average='binary' weighs with the class",
        ),
        **{
            f"{name}_score(average='{average}')": Alias(target, average=average, undefined=0.0)
            for name, target in (("sensitivity", "recall"), ("specificity", "specificity"))
            for average in ("macro", "micro", "weighted")
        },
    }


def _river() -> dict[str, Alias]:
    """An undefined value counts 0."""
    found = {}
    for name, target in (("Precision", "precision"), ("Recall", "recall"), ("F1", "f1"), ("Jaccard", "jaccard")):
        found[name] = Alias(target, note="of pos_val, True by default: `of=`")
        found[f"Macro{name}"] = Alias(target, average="macro", undefined=0.0)
        found[f"Micro{name}"] = Alias(target, average="micro")
        found[f"Weighted{name}"] = Alias(target, average="weighted", undefined=0.0)
    one = {
        "Accuracy": "accuracy",
        "BalancedAccuracy": "balanced_accuracy",
        "CohenKappa": "kappa",
        "GeometricMean": "multiclass_g_mean",
        "Rand": "rand_index",
        "AdjustedRand": "adjusted_rand_index",
        "MutualInfo": "mutual_information_nats",
        "NormalizedMutualInfo": "v_measure",
        "AdjustedMutualInfo": "adjusted_mutual_information",
        "Homogeneity": "homogeneity",
        "Completeness": "completeness",
        "VBeta": "v_measure",
        "FowlkesMallows": "fowlkes_mallows",
    }
    found |= {name: Alias(target) for name, target in one.items()}
    return {**found, "MCC": Alias("class_mcc", note="of pos_val alone, even for more than two classes")}


def _scores() -> dict[str, Alias]:
    """The contingency scores of weather forecasting: the event is one class, asked with `of=`."""
    own = {
        "accuracy": "class_accuracy",
        "fraction_correct": "class_accuracy",
        "base_rate": "prevalence",
        "forecast_rate": "detection_prevalence",
        "frequency_bias": "frequency_bias",
        "bias_score": "frequency_bias",
        "hit_rate": "recall",
        "probability_of_detection": "recall",
        "true_positive_rate": "recall",
        "sensitivity": "recall",
        "recall": "recall",
        "false_alarm_ratio": "false_discovery_rate",
        "false_alarm_rate": "false_positive_rate",
        "probability_of_false_detection": "false_positive_rate",
        "success_ratio": "precision",
        "precision": "precision",
        "positive_predictive_value": "precision",
        "negative_predictive_value": "negative_predictive_value",
        "specificity": "specificity",
        "true_negative_rate": "specificity",
        "threat_score": "jaccard",
        "critical_success_index": "jaccard",
        "peirce_skill_score": "informedness",
        "true_skill_statistic": "informedness",
        "hanssen_and_kuipers_discriminant": "informedness",
        "f1_score": "f1",
        "equitable_threat_score": "equitable_threat_score",
        "gilberts_skill_score": "equitable_threat_score",
        "heidke_skill_score": "class_kappa",
        "cohens_kappa": "class_kappa",
        "odds_ratio": "diagnostic_odds_ratio",
        "odds_ratio_skill_score": "yule_q",
        "yules_q": "yule_q",
        "symmetric_extremal_dependence_index": _SEDI,
    }
    return {name: Alias(target) for name, target in own.items()}


TABLES: Mapping[str, Mapping[str, Alias]] = {
    "sklearn": _sklearn(),
    "torchmetrics": _torchmetrics(),
    "onedal": _onedal(),
    "caret": _caret(),
    "yardstick": _yardstick(),
    "imblearn": _imblearn(),
    "river": _river(),
    "scores": _scores(),
}


def _likelihood_ratios(m: Any) -> tuple[float, float]:
    """Return both ratios of the positive class; scikit-learn refuses more than two classes."""
    if m.positive is None:
        msg = "likelihood ratios as scikit-learn has them need a positive class: ConfusionMatrix(..., positive=...)"
        raise MetricError(msg)
    ratios = (catalog()["positive_likelihood_ratio"], catalog()["negative_likelihood_ratio"])
    return (float(ratios[0](m, of=m.positive)), float(ratios[1](m, of=m.positive)))


def _triple(m: Any) -> tuple[float, float, float]:
    return tuple(float(catalog()[name](m)) for name in ("homogeneity", "completeness", "v_measure"))  # type: ignore[return-value]


def _pair_confusion(m: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Ordered pairs of items, by whether truth and prediction put them together."""
    cells = np.asarray(m.pairs().counts).astype(object)
    n, both = m.total, (cells * cells).sum()
    first = (m.actual_totals.astype(object) ** 2).sum()
    second = (m.predicted_totals.astype(object) ** 2).sum()
    apart = n * n - first - second + both
    return ((int(apart), int(second - both)), (int(first - both), int(both - n)))


def _two_intervals(m: Any) -> tuple[float, float]:
    """Clopper and Pearson, at 95 %."""
    from scipy.special import betaincinv

    right, wrong = float(m.diagonal.sum()), float(m.total - m.diagonal.sum())
    low = float(betaincinv(right, wrong + 1, 0.025)) if right else 0.0
    return low, float(betaincinv(right + 1, wrong, 0.975)) if wrong else 1.0


def _tail(m: Any) -> float:
    from confmat.metrics.accuracies import accuracy_p_value

    return float(accuracy_p_value(m))


def _symmetry(m: Any) -> float:
    """McNemar's test for two classes, with continuity correction, Bowker's for more."""
    from scipy.special import chdtrc

    table = np.asarray(m.counts, dtype=np.float64)
    upper = np.triu_indices(len(table), 1)
    here, there = table[upper], table.T[upper]
    both = here + there
    if not np.all(both > 0):
        return float("nan")
    gap = np.abs(here - there) - (1 if len(table) == 2 else 0)
    gap = np.where(here == there, 0, gap)
    return float(chdtrc(len(both), float((gap * gap / both).sum())))


def values() -> dict[str, PeerValue]:
    """Tuples, test results and numbers of a rule of their own, by peer and name."""
    lines = [
        PeerValue(
            "class_likelihood_ratios", "sklearn", "both likelihood ratios of the positive class", _likelihood_ratios
        ),
        PeerValue("homogeneity_completeness_v_measure", "sklearn", "the three numbers as a tuple", _triple),
        PeerValue(
            "pair_confusion_matrix",
            "sklearn",
            "ordered pairs of items, together or apart on either side",
            _pair_confusion,
        ),
        PeerValue("AccuracyLower, AccuracyUpper", "caret", "Clopper-Pearson interval of the accuracy", _two_intervals),
        PeerValue("AccuracyPValue", "caret", "binomial tail against the no-information rate", _tail),
        PeerValue(
            "McnemarPValue",
            "caret",
            "symmetry of the matrix itself: whether classes are predicted as often as they occur, not two models",
            _symmetry,
        ),
    ]
    lines += [
        PeerValue(
            name,
            peer,
            f"{target.replace('_', ' ')} of labels that are numbers by what they are, of others by their places",
            _on_labels(target),
        )
        for peer, name, target in (
            ("sklearn", "mean_absolute_error", "mean_absolute_error"),
            ("sklearn", "mean_squared_error", "mean_squared_error"),
            ("sklearn", "root_mean_squared_error", "root_mean_squared_error"),
            ("imblearn", "macro_averaged_mean_absolute_error", "macro_mean_absolute_error"),
        )
    ]
    lines += [
        PeerValue(
            f"geometric_mean_score(average='{average}')",
            "imblearn",
            f"root of the {average} recall times the {average} specificity, no mean of the classes' geometric means",
            _root_of_two_means(average),
        )
        for average in ("macro", "micro", "weighted")
    ]
    return {f"{value.peer}:{value.name}": value for value in lines}


def _root_of_two_means(average: Any) -> Callable[[Any], float]:
    """Make the root of the averaged recall times the averaged specificity; an undefined one counts 0."""

    def value(m: Any) -> float:
        rates = (catalog()[name](m, average=average, undefined=0.0) for name in ("recall", "specificity"))
        return math.sqrt(math.prod(map(float, rates)))

    return value


def _on_labels(name: str) -> Callable[[Any], Any]:
    """An ordinal metric on the integers that the labels are."""

    def value(m: Any) -> float:
        if m.labels.kind not in {"int", "bool"}:
            # scikit-learn takes no text at all.
            return catalog()[name](m)
        return on_scale(name, tuple(map(float, m.labels.classes)))(m)

    return value
