"""Peers: what scikit-learn, PyCM, torchmetrics, oneDAL, caret, yardstick and others call our metrics.

Simple names are facts of our metrics (`peers={"sklearn": ...}`). Here are those that need a word
about a default, averages as a peer takes them (PeerScore), results that are no metric (PeerValue),
and PyCM's names that have no counterpart. `metric("pycm:TPR Macro")` and the like find them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.metrics.accuracies import accuracy_p_value
from confmat.metrics.averages import Undefined
from confmat.metrics.declaration import catalog, factories
from confmat.metrics.ordinal import on_scale

__all__ = ["PEERS", "WITHOUT", "PeerScore", "PeerValue", "entries", "lines", "note"]

# The namespaces, with the versions whose answers the tests compare.
PEERS: Mapping[str, str] = MappingProxyType(
    {
        "sklearn": "scikit-learn 1.9",
        "pycm": "PyCM 4.6",
        "torchmetrics": "torchmetrics 1.9",
        "onedal": "oneDAL 2024.7",
        "caret": "caret",
        "yardstick": "yardstick 1.4",
        "imblearn": "imbalanced-learn 0.14",
        "river": "river 0.26",
        "scores": "scores 2.7",
    }
)


@dataclass(frozen=True)
class PeerScore:
    """A line of a peer's table: one of our metrics, the averaging of the peer, and a remark.

    With an average it is called with a matrix and gives one number.
    """

    target: str
    average: str | None = None
    undefined: Undefined = "fair"
    note: str = ""
    # Whether the mean runs over the classes that occur on either side.
    seen: bool = False
    # Parameters, where the target is a family of metrics.
    args: tuple[Any, ...] = ()

    @property
    def metric(self) -> Any:
        """Our metric, or the family of metrics."""
        found: Any = catalog().get(self.target) or factories()[self.target]
        return found(*self.args) if self.args else found

    @property
    def name(self) -> str:
        """The spelling of the score."""
        return f"{self.target}.{self.average}"

    def __call__(self, m: Any) -> Any:
        """The value of a matrix."""
        options: dict[str, Any] = {}
        if self.seen:
            # A weight of nothing makes a class absent.
            cells = m.cells
            options["weights"] = np.asarray(
                (cells.actual > 0) | (cells.predicted > 0), dtype=np.float64
            )
        return self.metric(m, average=self.average, undefined=self.undefined, **options)

    def __repr__(self) -> str:
        return f"<PeerScore {self.name}: {self.metric.title}, undefined={self.undefined!r}>"


@dataclass(frozen=True)
class PeerValue:
    """A tuple or a number as a peer computes it; part of no law, average or report."""

    peer: str
    name: str
    # A description, with its oddities.
    note: str
    function: Callable[[Any], Any]

    def __call__(self, m: Any) -> Any:
        """The peer's value of a matrix."""
        return self.function(m)

    def __repr__(self) -> str:
        return f"<PeerValue {self.peer}:{self.name}: {self.note}>"


@cache
def lines() -> Mapping[str, PeerScore | PeerValue]:
    """Every line of the peers' tables, by its full name.

    >>> lines()["pycm:TPR Macro"]
    <PeerScore recall.macro: Recall, undefined='propagate'>
    """
    tables = {
        "sklearn": _sklearn(),
        "pycm": _pycm(),
        "torchmetrics": _torchmetrics(),
        "onedal": _onedal(),
        "caret": _plain({"Balanced Accuracy": "one_point_auc"}),
        "yardstick": _yardstick(),
        "imblearn": _imblearn(),
        "river": _river(),
        "scores": _plain(_SCORES),
    }
    found: dict[str, PeerScore | PeerValue] = {
        f"{peer}:{name}": line for peer, table in tables.items() for name, line in table.items()
    }
    return MappingProxyType(found | {f"{value.peer}:{value.name}": value for value in _values()})


def entries() -> dict[str, Any]:
    """Return the metrics, scores and values by the names that these tables add to those that metrics declare."""
    return {
        name: line.metric if isinstance(line, PeerScore) and line.average is None else line
        for name, line in lines().items()
    }


def note(name: str) -> str:
    """Return a remark on a peer's name: another default, averaging or formula; often an empty text.

    >>> note("pycm:F1 Micro")
    'micro F1, by assignment'
    """
    return lines()[name].note if name in lines() else _REMARKS.get(name, "")


def _plain(names: Mapping[str, str], note: str = "") -> dict[str, PeerScore]:
    return {name: PeerScore(target, note=note) for name, target in names.items()}


def _averaged(
    names: Mapping[str, str], means: Mapping[str, tuple[Any, ...]]
) -> dict[str, PeerScore]:
    """Names with an end such as (average='macro'), each with what makes the mean."""
    return {
        name + end: PeerScore(target, *mean)
        for name, target in names.items()
        for end, mean in means.items()
    }


_BINARY = "its default is average='binary'; ours gives every class, and `of=` one"
_POSITIVE = "of the positive class: `of=`"


def _sklearn() -> dict[str, PeerScore]:
    """With scikit-learn's default zero_division: undefined counts 0, over all classes."""
    rates = {
        "recall_score": "recall",
        "precision_score": "precision",
        "f1_score": "f1",
        "jaccard_score": "jaccard",
    }
    means = ("macro", "micro", "weighted")
    return {
        **_plain(rates | {"fbeta_score": "f_beta"}, _BINARY),
        **_averaged(
            rates, {f"(average='{mean}')": (mean, 0.0, "with zero_division=0") for mean in means}
        ),
        "matthews_corrcoef": PeerScore("mcc", note="0 in scikit-learn where it is undefined"),
        "zero_one_loss": PeerScore(
            "error_rate", note="a count with normalize=False: `error_count`"
        ),
        "classification_report(output_dict=True)['accuracy']": PeerScore("accuracy"),
    }


_EMPTY_IN_PYCM = "no value in PyCM as soon as one class is empty on either side"
_NOWHERE_IN_PYCM = "no value in PyCM as soon as one class is nowhere; it weighs 0 here"

# Remarks on names that metrics declare themselves.
_REMARKS = {
    "pycm:Q": "no value in PyCM where FP FN is 0; the limit, 1 or -1, is here",
    "pycm:DOR": "no value in PyCM where TN is 0; 0 here",
    "pycm:AGM": "0 in PyCM where every item belongs to the class and none is found; there is no specificity then",
    "pycm:GilbertWells": "no value in PyCM where its factorials overflow",
    "pycm:Overall CEN": _NOWHERE_IN_PYCM,
    "pycm:Overall MCEN": _NOWHERE_IN_PYCM,
    "pycm:Chi-Squared": _EMPTY_IN_PYCM,
    "pycm:Phi-Squared": _EMPTY_IN_PYCM,
    "pycm:Cramer V": _EMPTY_IN_PYCM,
    "pycm:Pearson C": _EMPTY_IN_PYCM,
}


def _macro_in_pycm(target: str) -> PeerScore:
    return PeerScore(
        target,
        "macro",
        "propagate",
        "the plain mean over all K classes; without value as soon as one class has none",
    )


def _pycm() -> dict[str, PeerScore]:
    return {
        "F0.5": PeerScore("f_beta", args=(0.5,)),
        "F2": PeerScore("f_beta", args=(2,)),
        "IBA": PeerScore("iba", args=(1,)),
        "FleissLevinPaik": PeerScore("f_beta_negative", args=(1,)),
        "ForbesI": PeerScore("lift"),
        "AUNU": _macro_in_pycm("one_point_auc"),
        "CBA": _macro_in_pycm("braun_blanquet"),
        "CSI": _macro_in_pycm("individual_classification_success"),
        "TPR Macro": _macro_in_pycm("recall"),
        "TNR Macro": _macro_in_pycm("specificity"),
        "PPV Macro": _macro_in_pycm("precision"),
        "NPV Macro": _macro_in_pycm("negative_predictive_value"),
        "FPR Macro": _macro_in_pycm("false_positive_rate"),
        "FNR Macro": _macro_in_pycm("false_negative_rate"),
        "F1 Macro": _macro_in_pycm("f1"),
        "TPR Micro": PeerScore("accuracy", note="micro recall, by assignment"),
        "PPV Micro": PeerScore("accuracy", note="micro precision, by assignment"),
        "F1 Micro": PeerScore("accuracy", note="micro F1, by assignment"),
        "FNR Micro": PeerScore("error_rate", note="1 - TPR Micro"),
        "TNR Micro": PeerScore("specificity", "micro"),
        "NPV Micro": PeerScore("negative_predictive_value", "micro"),
        "FPR Micro": PeerScore("false_positive_rate", "micro"),
        "KL Divergence": PeerScore("kl_divergence", note=_EMPTY_IN_PYCM),
    }


_ACCURACY, _KAPPA = "interval(m, 'accuracy')", "interval(m, 'kappa')"

# PyCM's names that have no counterpart, each with the nearest here: formulas in which PyCM differs
# from the authors or gives up where a class is empty, grades in words, and intervals, pairs and
# tables of its own.
WITHOUT: Mapping[str, str] = {
    "pycm:AUNP": "weighted_one_vs_rest_balanced_accuracy",
    "pycm:Chi-Squared DF": "chi_squared_dof",
    "pycm:Cross Entropy": "cross_entropy",
    "pycm:RCI": "homogeneity",
    "pycm:Anderberg": "anderberg",
    "pycm:Eyraud": "eyraud",
    "pycm:GoodmanKruskalLambdaR": "binary_lambda_r",
    "pycm:KendallTau": "binary_tau_a",
    "pycm:KoppenI": "koppen_1",
    "pycm:KoppenII": "koppen_2",
    "pycm:PLRI": "positive_likelihood_ratio",
    "pycm:NLRI": "negative_likelihood_ratio",
    "pycm:DPI": "discriminant_power",
    "pycm:AUCI": "one_point_auc",
    "pycm:MCCI": "class_mcc",
    "pycm:QI": "yule_q",
    "pycm:SOA1(Landis & Koch)": _KAPPA,
    "pycm:SOA2(Fleiss)": _KAPPA,
    "pycm:SOA3(Altman)": _KAPPA,
    "pycm:SOA4(Cicchetti)": _KAPPA,
    "pycm:SOA5(Cramer)": "cramer_v",
    "pycm:SOA6(Matthews)": "mcc",
    "pycm:SOA7(Lambda A)": "lambda_reference",
    "pycm:SOA8(Lambda B)": "lambda_response",
    "pycm:SOA9(Krippendorff Alpha)": "krippendorff_alpha",
    "pycm:SOA10(Pearson C)": "pearson_c",
    "pycm:Standard Error": _ACCURACY,
    "pycm:95% CI": _ACCURACY,
    "pycm:Kappa Standard Error": _KAPPA,
    "pycm:Kappa 95% CI": _KAPPA,
    "pycm:Overall J": "jaccard.macro",
    "pycm:P-Value": "metrics.accuracy_p_value(m)",
    "pycm:aickin_alpha": "gwet_ac1",
    "pycm:dissimilarity_matrix": "m.counts",
}


def _torchmetrics() -> dict[str, PeerScore]:
    """Each as a function and as a class: multiclass_recall and MulticlassRecall."""
    zero = "0 in torchmetrics where it is undefined"
    macro = "its default is average='macro', over the classes seen on either side, 0 for undefined"
    one_class = "undefined where a side has one class; torchmetrics then gives 1 if all is right, -1 if nothing is"
    rates = {
        "recall": "recall",
        "precision": "precision",
        "specificity": "specificity",
        "negative_predictive_value": "negative_predictive_value",
        "f1_score": "f1",
        "jaccard_index": "jaccard",
    }
    mean_miss = PeerScore("false_negative_rate", "macro", 1.0, "1 - mean recall", seen=True)
    several = {
        **_plain(rates, macro),
        **_averaged(
            rates,
            {
                "(average='none')": (None, "fair", zero),
                "(average='macro')": ("macro", 0.0, "", True),
                "(average='micro')": ("micro",),
                "(average='weighted')": ("weighted", 0.0),
            },
        ),
        "accuracy": PeerScore(
            "seen_balanced_accuracy", note="macro by default: a mean recall, not the accuracy"
        ),
        "accuracy(average='none')": PeerScore("recall", note=zero),
        "hamming_distance": mean_miss,
        "hamming_distance(average='macro')": mean_miss,
        "hamming_distance(average='none')": PeerScore(
            "false_negative_rate", note="1 in torchmetrics where it is undefined"
        ),
        **_plain(
            {
                "accuracy(average='macro')": "seen_balanced_accuracy",
                "accuracy(average='micro')": "accuracy",
                "accuracy(average='weighted')": "accuracy",
                "hamming_distance(average='micro')": "error_rate",
                "hamming_distance(average='weighted')": "error_rate",
                "cohen_kappa": "kappa",
            }
        ),
        "fbeta_score": PeerScore("f_beta", note=macro),
        "matthews_corrcoef": PeerScore("mcc", note=zero),
    }
    two = {
        **_plain({**rates, "fbeta_score": "f_beta"}, _POSITIVE),
        **_plain(
            {"accuracy": "accuracy", "hamming_distance": "error_rate", "cohen_kappa": "kappa"}
        ),
        "matthews_corrcoef": PeerScore("mcc", note=one_class),
    }
    found = _plain(
        {
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
    )
    for kind, table in (("Multiclass", several), ("Binary", two)):
        for name, line in table.items():
            function, call, average = name.partition("(")
            title = "".join(_TITLES.get(word, word.title()) for word in function.split("_"))
            found[f"{kind.lower()}_{name}"] = found[f"{kind}{title}{call}{average}"] = line
    return found


_TITLES = {"fbeta": "FBeta", "corrcoef": "CorrCoef"}


def _onedal() -> dict[str, PeerScore]:
    """oneDAL divides without a guard: one class without truth or prediction makes its macro metrics NaN."""
    loud = "NaN as soon as one class has no value"
    binary = {
        "precision": "precision",
        "recall": "recall",
        "fscore": "f_beta",
        "specificity": "specificity",
        "AUC": "one_point_auc",
    }
    return {
        "microPrecision": PeerScore("accuracy", note="micro precision is the accuracy"),
        "microRecall": PeerScore("accuracy", note="micro recall is the accuracy"),
        "microFscore": PeerScore("accuracy", note="micro F is the accuracy, whatever beta"),
        "macroPrecision": PeerScore("precision", "macro", "propagate", loud),
        "macroRecall": PeerScore("recall", "macro", "propagate", loud),
        "macroFscore": PeerScore(
            "f1_of_macro",
            note=f"F of the mean precision and recall; other betas are f_of_macro(beta); {loud}",
        ),
        "accuracy": PeerScore("accuracy", note="of the binary quality metrics"),
        **_plain(binary, "of the binary quality metrics: `of=` the positive class"),
    }


def _yardstick() -> dict[str, PeerScore]:
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
    means = {
        "(estimator='macro')": ("macro", "skip"),
        "(estimator='macro_weighted')": ("weighted", "skip"),
        "(estimator='micro')": ("micro",),
    }
    return {
        **_plain(
            rates, "its default for more than two classes is the macro mean of the defined ones"
        ),
        **_averaged(rates, means),
        "f_meas": PeerScore(
            "f_beta", note="NA where precision or recall alone is undefined; ours is then 0"
        ),
    }


def _imblearn() -> dict[str, PeerScore]:
    rates = {"sensitivity_score": "recall", "specificity_score": "specificity"}
    means = {f"(average='{mean}')": (mean, 0.0) for mean in ("macro", "micro", "weighted")}
    return {
        **_averaged(rates, means),
        "sensitivity_score": PeerScore("recall", note=_BINARY),
        "specificity_score": PeerScore(
            "specificity", note=_BINARY + "; with sample weights it is wrong in 0.14"
        ),
        "geometric_mean_score": PeerScore(
            "multiclass_g_mean",
            note="its default: the K-th root of all recalls; `correction` replaces a 0",
        ),
        "geometric_mean_score(average=None)": PeerScore("class_g_mean"),
        "make_index_balanced_accuracy": PeerScore(
            "iba",
            note="its default is alpha=0.1 on the squared score; around geometric_mean_score as it comes it weighs "
            "with the macro rates, whose dominance is 0 for two classes: average='binary' weighs "
            "with the class",
        ),
    }


def _river() -> dict[str, PeerScore]:
    """An undefined value counts 0."""
    rates = {"Precision": "precision", "Recall": "recall", "F1": "f1", "Jaccard": "jaccard"}
    found = _plain(rates, "of pos_val, True by default: `of=`") | _plain(
        {
            "Accuracy": "accuracy",
            "BalancedAccuracy": "balanced_accuracy",
            "CohenKappa": "kappa",
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
    )
    for name, target in rates.items():
        found[f"Macro{name}"] = PeerScore(target, "macro", 0.0)
        found[f"Micro{name}"] = PeerScore(target, "micro")
        found[f"Weighted{name}"] = PeerScore(target, "weighted", 0.0)
    return {
        **found,
        "MCC": PeerScore("class_mcc", note="of pos_val alone, even for more than two classes"),
    }


# The contingency scores of weather forecasting: the event is one class, asked with `of=`.
_SCORES = {
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
    "symmetric_extremal_dependence_index": "symmetric_extremal_dependence_index",
}


def _values() -> list[PeerValue]:
    """Tuples, test results and numbers of a rule of their own."""
    on_labels = (
        ("sklearn", "mean_absolute_error", "mean_absolute_error"),
        ("sklearn", "mean_squared_error", "mean_squared_error"),
        ("sklearn", "root_mean_squared_error", "root_mean_squared_error"),
        ("imblearn", "macro_averaged_mean_absolute_error", "macro_mean_absolute_error"),
    )
    return [
        PeerValue(
            "sklearn",
            "class_likelihood_ratios",
            "both likelihood ratios of the positive class",
            _likelihood_ratios,
        ),
        PeerValue(
            "sklearn", "homogeneity_completeness_v_measure", "the three numbers as a tuple", _triple
        ),
        PeerValue(
            "sklearn",
            "pair_confusion_matrix",
            "ordered pairs of items, together or apart on either side",
            _pair_confusion,
        ),
        PeerValue(
            "caret",
            "AccuracyLower, AccuracyUpper",
            "Clopper-Pearson interval of the accuracy",
            _two_intervals,
        ),
        PeerValue(
            "caret",
            "AccuracyPValue",
            "binomial tail against the no-information rate",
            accuracy_p_value,
        ),
        PeerValue(
            "caret",
            "McnemarPValue",
            "symmetry of the matrix itself: whether classes are predicted as often as they occur, "
            "not two models",
            _symmetry,
        ),
        *(
            PeerValue(
                peer,
                name,
                f"{target.replace('_', ' ')} of labels that are numbers by what they are, of "
                "others by their places",
                _on_labels(target),
            )
            for peer, name, target in on_labels
        ),
        *(
            PeerValue(
                "imblearn",
                f"geometric_mean_score(average='{mean}')",
                f"root of the {mean} recall times the {mean} specificity, no mean of the classes' "
                "geometric means",
                _root_of_two_means(mean),
            )
            for mean in ("macro", "micro", "weighted")
        ),
    ]


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


def _root_of_two_means(average: Any) -> Callable[[Any], float]:
    """Make the root of the averaged recall times the averaged specificity; an undefined one counts 0."""

    def value(m: Any) -> float:
        rates = (
            catalog()[name](m, average=average, undefined=0.0) for name in ("recall", "specificity")
        )
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
