"""Agreement beyond chance: the correlation coefficient, the kappas, with weights too, and pairs of items."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.core.errors import Message, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import is_number, told
from confmat.metrics.arithmetic import ratio, smallest, spread, sqrt0, square_table
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix
from confmat.metrics.margins import (
    Margins,
    Table,
    beyond_chance,
    beyond_common_chance,
    chance_errors,
    chance_hits,
    differing_actually,
    differing_as_predicted,
    differing_in_both,
    errors,
    hits,
    read_table,
    squares,
)
from confmat.metrics.ordinal import (
    Scale,
    all_apart,
    around_commonest,
    borders,
    inside,
    read_scale,
    spaced,
    table_of,
)

__all__ = [
    "adjusted_rand_index",
    "bangdiwala_b",
    "bennett_s",
    "fowlkes_mallows",
    "greatest_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "kappa",
    "krippendorff_alpha",
    "mcc",
    "multiclass_peirce",
    "pabak",
    "pair_confusion",
    "rand_index",
    "scott_pi",
    "weighted_kappa",
    "weighted_kappa_linear",
    "weighted_kappa_quadratic",
]

# Most treat truth and prediction alike; the others say so.
_agreement = functools.partial(of_matrix, family="agreement", symmetric=True)
_ONE_CLASS = "all items are of one class and answered with it, or the matrix is empty"


@_agreement(
    title="Matthews correlation coefficient",
    aliases=(
        "matthews_corrcoef",
        "matthews_correlation",
        "matthews_correlation_coefficient",
        "r_k",
        "matthews",
        "gorodkin_r",
    ),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{\sqrt{(n^2 - \sum_i r_i^2)(n^2 - \sum_i c_i^2)}}",
    bounds=(-1, 1),
    monotone=True,
    beyond_chance="correlation",
    mistaken_for=("class_mcc.macro", "class_mcc.weighted", "class_mcc.micro"),
    chance=0,
    undefined="only one class occurs in the truth, or only one was ever answered",
    references=("Matthews1975", "Gorodkin2004"),
    peers={
        "sklearn": "matthews_corrcoef",
        "pycm": "Overall MCC",
        "torchmetrics": "multiclass_matthews_corrcoef",
        "yardstick": "mcc",
    },
)
def mcc(m: Margins) -> Any:
    """Correlation of the two classifications, for any number of classes (Gorodkin's R_K).

    For two classes it is the phi coefficient and the `mcc` of either class against the other. Where
    one side names a single class there is no correlation; scikit-learn prints 0 there, even for a
    perfect answer.
    """
    return ratio(beyond_chance(m), sqrt0(differing_actually(m) * differing_as_predicted(m)))


@_agreement(
    title="Greatest kappa",
    aliases=("kappa_max", "maximum_kappa"),
    latex=r"\frac{n \sum_i \min(r_i, c_i) - \sum_i r_i c_i}{n^2 - \sum_i r_i c_i}",
    bounds=(0, 1),
    better="neither",
    undefined=_ONE_CLASS,
    smooth=False,
    references=("Cohen1960",),
    peers={"statsmodels": "cohens_kappa().kappa_max"},
)
def greatest_kappa(m: Margins) -> Any:
    """The greatest kappa that the margins allow: what both sides would reach if only their frequencies differed."""
    c = m.cells
    reached = smallest(c.actual * c.predicted_negative, c.predicted * c.actual_negative)
    return ratio(reached.sum(axis=-1), chance_errors(m))


@_agreement(
    title="Cohen's kappa",
    weighted_by="weighted_kappa",
    aliases=("cohen_kappa", "kappa_score", "heidke_skill_score_multiclass", "cohens_kappa", "κ"),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{n^2 - \sum_i r_i c_i}",
    bounds=(-1, 1),
    monotone=True,
    beyond_chance="share",
    mistaken_for=(
        "weighted_kappa_linear",
        "weighted_kappa_quadratic",
        "scott_pi",
        "class_kappa.macro",
        "class_kappa.weighted",
    ),
    chance=0,
    undefined=_ONE_CLASS,
    references=("Cohen1960",),
    peers={
        "sklearn": "cohen_kappa_score",
        "pycm": "Kappa",
        "torchmetrics": "multiclass_cohen_kappa",
        "caret": "Kappa",
        "yardstick": "kap",
        "statsmodels": "cohens_kappa",
    },
)
def kappa(m: Margins) -> Any:
    """Agreement beyond that of independent answers with the same margins, as a share of what is possible.

    With one dominant class it can be near 0, or negative, at an agreement of 0.94 (the kappa
    paradox of Feinstein and Cicchetti); `gwet_ac1`, `bennett_s` and `mcc` beside it show why.
    """
    return ratio(beyond_chance(m), chance_errors(m))


@_agreement(
    title="Scott's pi",
    aliases=("kappa_unbiased", "fleiss_kappa_two_raters"),
    latex=r"\frac{4 n \sum_i d_i - \sum_i (r_i + c_i)^2}{4 n^2 - \sum_i (r_i + c_i)^2}",
    bounds=(-1, 1),
    chance=0,
    undefined=_ONE_CLASS,
    references=("Scott1955",),
    peers={"pycm": ("Scott PI", "Kappa Unbiased"), "statsmodels": "fleiss_kappa"},
)
def scott_pi(m: Margins) -> Any:
    """Agreement beyond chance when both sides are taken to share one distribution; Fleiss' kappa of two raters."""
    return ratio(beyond_common_chance(m), differing_in_both(m))


@_agreement(
    title="Prevalence- and bias-adjusted kappa",
    aliases=("kappa_no_prevalence", "prevalence_adjusted_bias_adjusted_kappa"),
    latex=r"\frac{2 \sum_i d_i - n}{n}",
    bounds=(-1, 1),
    undefined="the matrix is empty",
    function_of=("accuracy", lambda accuracy: 2 * accuracy - 1),
    references=("ByrtBishopCarlin1993",),
    peers={"pycm": "Kappa No Prevalence"},
)
def pabak(m: Margins) -> Any:
    """2 accuracy - 1, the kappa of a two-class table with even margins.

    For more than two classes chance agrees less often than half the time; `bennett_s` accounts for
    that and is the same number for two.
    """
    return ratio(2 * hits(m) - m.total, m.total)


@_agreement(
    title="Bennett's S",
    aliases=("bennett_alpert_goldstein_s", "brennan_prediger", "g_index", "randolph_kappa"),
    latex=r"\frac{K \sum_i d_i - n}{(K - 1) n}",
    bounds=(-1, 1),
    undefined="there is only one class, or the matrix is empty",
    depends_on_k=True,
    function_of=("accuracy", lambda accuracy, k: (k * accuracy - 1) / max(k - 1, 1)),
    references=("BennettAlpertGoldstein1954", "BrennanPrediger1981"),
    peers={"pycm": "Bennett S"},
)
def bennett_s(m: Margins) -> Any:
    """Agreement beyond that of guessing among the K classes evenly, empty ones included."""
    k = _categories(m)
    return ratio(k * hits(m) - m.total, (k - 1) * m.total)


@_agreement(
    title="Gwet's AC1",
    aliases=("ac1", "gwet_gamma"),
    latex=r"\frac{p_o - p_e}{1 - p_e}, \quad p_e = \frac{1}{K - 1} \sum_i \pi_i (1 - \pi_i), \quad "
    r"\pi_i = \frac{r_i + c_i}{2 n}",
    bounds=(-1, 1),
    undefined="there is only one class, or the matrix is empty",
    depends_on_k=True,
    references=("Gwet2008",),
    peers={"pycm": "Gwet AC1", "irrcac": "gwet"},
)
def gwet_ac1(m: Margins) -> Any:
    """Agreement beyond chance where only a part of the answers is taken to be guesses; steady under skew.

    K is the number of classes that could be answered, empty ones included.
    """
    n, both = m.total, m.actual + m.predicted
    chance = (both * (2 * spread(n) - both)).sum(axis=-1)
    whole = 4 * (_categories(m) - 1) * n
    return ratio(whole * hits(m) - chance, whole * n - chance)


@_agreement(
    title="Krippendorff's alpha",
    aliases=("krippendorff_alpha_nominal",),
    latex=r"1 - \frac{(2 n - 1) \cdot 2 (n - \sum_i d_i)}{4 n^2 - \sum_i (r_i + c_i)^2}",
    bounds=(-1, 1),
    chance=0,
    undefined=_ONE_CLASS,
    scale_free=False,
    references=("Krippendorff1970", "HayesKrippendorff2007"),
    peers={"pycm": "Krippendorff Alpha", "krippendorff": "alpha(level_of_measurement='nominal')"},
)
def krippendorff_alpha(m: Margins) -> Any:
    """One minus observed over expected disagreement, for nominal classes; Scott's pi with a small-sample term.

    For ordered classes there are `krippendorff_alpha_ordinal` and `krippendorff_alpha_interval`.
    """
    return ratio(beyond_common_chance(m) + 2 * errors(m), differing_in_both(m))


@_agreement(
    title="Bangdiwala's B",
    aliases=("bangdiwala_agreement",),
    latex=r"\frac{\sum_i d_i^2}{\sum_i r_i c_i}",
    bounds=(0, 1),
    undefined="no class occurs on both sides",
    references=("Bangdiwala1985", "MunozBangdiwala1997"),
    peers={"pycm": "Bangdiwala B"},
)
def bangdiwala_b(m: Margins) -> Any:
    """The agreement chart's share: areas of the squares of hits in the rectangles of the margins."""
    return ratio(squares(m.diagonal), chance_hits(m))


@_agreement(
    title="Peirce skill score, many classes",
    aliases=(
        "hanssen_kuipers_multiclass",
        "true_skill_statistic_multiclass",
        "kuipers_skill_score",
    ),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{n^2 - \sum_i r_i^2}",
    bounds=(-1, 1),
    chance=0,
    undefined="only one class occurs in the truth",
    references=("Peirce1884", "HanssenKuipers1965", "Wilks2019"),
    symmetric=False,
)
def multiclass_peirce(m: Margins) -> Any:
    """Agreement beyond chance as a share of what an unbiased perfect answer would reach.

    For two classes it is the informedness, recall + specificity - 1.
    """
    return ratio(beyond_chance(m), differing_actually(m))


def _categories(m: Margins) -> int:
    """The rows of the table: the classes, and one more where labels outside the classes are a category."""
    return int(np.shape(m.actual)[-1])


_POWERS = {"linear": 1, "quadratic": 2}
_NO_VARIETY = "no disagreement is expected by chance, or no item is answered with a class"
Weights = str | float | tuple[tuple[float, ...], ...]


def _read_weights(weights: Any) -> Weights:
    """'linear', 'quadratic', a power of the distance, or a square table of disagreements."""
    if isinstance(weights, str) and weights in _POWERS:
        return weights
    if is_number(weights) and 0 < weights < 20:
        power = int(weights) if weights == int(weights) else weights
        return "linear" if power == 1 else "quadratic" if power == 2 else power
    if hasattr(weights, "columns"):
        msg = Message(
            "{weights} go by the order of the labels; give frame.loc[order, order].to_numpy(), "
            "without names"
        )
        raise MetricError(msg)
    table = square_table(weights)
    if table is not None and table.min() >= 0:
        return tuple(tuple(row) for row in table.tolist())
    msg = Message(
        "{weights} must be 'linear', 'quadratic', a power of the distance greater than 0, or a "
        "square table "
        "of disagreements, none negative, not {}",
        told(weights),
    )
    raise MetricError(msg)


def _written(weights: Weights, scale: Scale) -> str:
    text = (
        weights
        if isinstance(weights, str)
        else f"{weights:g}"
        if isinstance(weights, (int, float))
        else "table"
    )
    return text if scale is None else f"{text} on a scale"


def _disagreements(weights: Weights, scale: Scale, t: Table) -> Any:
    """How much both sides disagree, summed over the items."""
    if isinstance(weights, tuple):
        return (t.values * _as_table(weights, spaced(scale, t))[t.rows, t.cols]).sum(axis=-1)
    return all_apart(scale, t, _POWERS[weights] if isinstance(weights, str) else weights)


def _as_table(weights: tuple[tuple[float, ...], ...], positions: Any) -> Any:
    if len(weights) != len(positions):
        msg = f"the table of weights is {len(weights)} x {len(weights)}, but there are {len(positions)} classes"
        raise MetricError(msg)
    return np.array(weights, dtype=np.float64)


def _expected(t: Table, weights: Weights, positions: Any) -> Any:
    """Disagreements that independent sides would show, times n squared."""
    r, c = t.actual, t.predicted
    if weights == "quadratic":
        places = around_commonest(positions, r + c)
        ends = t.total * ((r + c) * places * places).sum(axis=-1)
        return ends - 2 * (r * places).sum(axis=-1) * (c * places).sum(axis=-1)
    if weights == "linear":
        # A distance is a sum of steps; over each, the pairs with one side below it and the other
        # above.
        order = np.argsort(positions, kind="stable")
        (below, above), (lower, higher) = (borders(side[..., order]) for side in (r, c))
        return (np.diff(positions[order]) * (below * higher + lower * above)).sum(axis=-1)
    power = weights if isinstance(weights, (int, float)) else 1
    table = (
        _as_table(weights, positions) if isinstance(weights, tuple) else table_of(positions, power)
    )
    return (r * (table * c[..., None, :]).sum(axis=-1)).sum(axis=-1)


@factory(
    title="Weighted kappa",
    example=("linear",),
    aliases=("kappa_weighted", "cohens_weighted_kappa"),
    peers={
        "sklearn": "cohen_kappa_score(weights=...)",
        "pycm": "weighted_kappa",
        "torchmetrics": "multiclass_cohen_kappa(weights=...)",
        "yardstick": "kap(weighting=...)",
        "statsmodels": "cohens_kappa(wt=...)",
    },
)
def weighted_kappa(weights: Any = "quadratic", values: Any = None) -> MatrixMetric:
    """Cohen's kappa in which a disagreement counts by how far apart its classes are.

    `weights` is "linear", "quadratic", a power of the distance, or a K x K table of disagreements.
    Distances are between places 0, 1, 2 ... in the order of the labels, or between `values`, one
    number per class.

    >>> weighted_kappa("linear").name
    'weighted_kappa_linear'
    """
    weights, scale = _read_weights(weights), read_scale(values)
    names: dict[str, Any] = {"name": f"weighted_kappa({_written(weights, scale)})"}
    if isinstance(weights, str) and scale is None:
        others = (f"weighted_kappa_{other}" for other in _WEIGHT_LATEX if other != weights)
        names = {
            "name": f"weighted_kappa_{weights}",
            "aliases": (
                f"kappa_{weights}",
                f"{weights}_weighted_kappa",
                *_OTHERWISE.get(weights, ()),
            ),
            "mistaken_for": ("kappa", *others),
            "peers": {"sklearn": f"cohen_kappa_score(weights='{weights}')"},
        }

    @of_matrix(
        title=f"Weighted kappa, {_written(weights, scale)}",
        **names,
        latex=_LATEX.replace("w_{ij}", _WEIGHT_LATEX.get(weights, "w_{ij}"))
        if isinstance(weights, str)
        else _LATEX,
        bounds=(-1, 1) if isinstance(weights, str) else (None, 1),
        chance=0,
        undefined=_NO_VARIETY,
        symmetric=not isinstance(weights, tuple) or weights == tuple(zip(*weights, strict=True)),
        needs="cells",
        sees="classes",
        references=("Cohen1968", "FleissCohen1973") if weights == "quadratic" else ("Cohen1968",),
        family="weighted agreement",
    )
    def formula(t: Table) -> Any:
        """One minus observed over expected disagreement, where a disagreement counts by its distance.

        The order of the classes is that of the labels. Items answered outside the classes are left
        out.
        """
        t = inside(t)
        positions = spaced(scale, t)
        seen = _disagreements(weights, scale, t)
        chance = _expected(t, weights, positions)
        return ratio(chance - t.total * seen, chance)

    return formula


# With squared distances it is Lin's coefficient, its variances taken over n.
_OTHERWISE = {"quadratic": ("qwk", "concordance_correlation", "lin_concordance")}
_LATEX = r"1 - \frac{n \sum_{ij} w_{ij} C_{ij}}{\sum_{ij} w_{ij} r_i c_j}"
_WEIGHT_LATEX = {"linear": "|i - j|", "quadratic": "(i - j)^2"}

weighted_kappa_linear = weighted_kappa("linear")
weighted_kappa_quadratic = weighted_kappa("quadratic")


def _extent(weights: Weights, positions: Any) -> tuple[Any, Any]:
    """The greatest disagreement, and the sum of all."""
    if weights == "quadratic":
        first, k = positions.sum(), len(positions)
        return (positions.max() - positions.min()) ** 2, 2 * k * (
            positions * positions
        ).sum() - 2 * first * first
    if weights == "linear":
        ordered, k = np.sort(positions), len(positions)
        places = 2 * np.arange(k) - (k - 1)
        return ordered[-1] - ordered[0], 2 * (ordered * places).sum()
    power = weights if isinstance(weights, (int, float)) else 1
    table = (
        _as_table(weights, positions) if isinstance(weights, tuple) else table_of(positions, power)
    )
    return table.max(), table.sum()


@factory(title="Gwet's AC2", example=("linear",), aliases=("ac2", "gwet_gamma_weighted"))
def gwet_ac2(weights: Any = "quadratic", values: Any = None) -> MatrixMetric:
    """Gwet's AC1 in which a disagreement counts by how far apart its classes are.

    `weights` and `values` are those of `weighted_kappa`; the farthest two classes disagree fully.

    >>> gwet_ac2("linear").name
    'gwet_ac2(linear)'
    """
    weights, scale = _read_weights(weights), read_scale(values)

    @of_matrix(
        title=f"Gwet's AC2, {_written(weights, scale)}",
        name=f"gwet_ac2({_written(weights, scale)})",
        latex=r"\frac{p_a - p_e}{1 - p_e}, \quad p_a = \sum_{ij} w_{ij} \frac{C_{ij}}{n}, \quad "
        r"p_e = \frac{\sum_{ij} w_{ij}}{K (K - 1)} \sum_i \pi_i (1 - \pi_i), \quad \pi_i = "
        r"\frac{r_i + c_i}{2 n}",
        bounds=(None, 1),
        undefined="there is only one class, or no item is answered with a class",
        symmetric=not isinstance(weights, tuple) or weights == tuple(zip(*weights, strict=True)),
        depends_on_k=True,
        needs="cells",
        sees="classes",
        references=("Gwet2014",),
        peers={"irrcac": f"gwet(weights={_written(weights, scale)!r})"},
        family="weighted agreement",
    )
    def formula(t: Table) -> Any:
        """Weighted agreement beyond chance where only a part of the answers is taken to be guesses."""
        t = inside(t)
        k, n, positions = t.size, t.total, spaced(scale, t)
        farthest, whole = _extent(weights, positions)
        seen = _disagreements(weights, scale, t)
        both = t.actual + t.predicted
        guessed = (both * (2 * spread(n) - both)).sum(axis=-1)
        # Agreement is what a disagreement lacks of the farthest; all is brought over one bottom.
        pairs = k * (k - 1) * farthest
        chance = (k * k * farthest - whole) * guessed
        room = 4 * n * n * pairs - chance
        return ratio(room - 4 * n * seen * k * (k - 1), room)

    return formula


_FEW = "there are fewer than two items"


def _pairs(counts: Any) -> Any:
    return (counts * (counts - 1)).sum(axis=-1)


@once
def _alike(t: Table) -> Any:
    """Ordered pairs of items that are in the same cell."""
    return _pairs(t.values)


@once
def _alike_in_truth(m: Margins) -> Any:
    """Ordered pairs of items of the same actual class."""
    return _pairs(m.actual)


@once
def _alike_in_prediction(m: Margins) -> Any:
    """Ordered pairs of items of the same predicted class."""
    return _pairs(m.predicted)


@once
def _alike_in_truth_alone(t: Table) -> Any:
    """Ordered pairs of items of the same actual class, answered differently."""
    return (t.values * t.besides(actual=True)).sum(axis=-1)


@once
def _alike_in_prediction_alone(t: Table) -> Any:
    """Ordered pairs of items answered alike, of different classes."""
    return (t.values * t.besides(actual=False)).sum(axis=-1)


@of_matrix(
    title="Rand index",
    aliases=("rand_score", "rand"),
    latex=r"\frac{N + 2 B - R - S}{N}, \quad N = n (n - 1), \quad B = \sum_{ij} C_{ij} (C_{ij} - 1), "
    r"\quad R = \sum_i r_i (r_i - 1), \quad S = \sum_j c_j (c_j - 1)",
    bounds=(0, 1),
    undefined=_FEW,
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("Rand1971",),
    peers={"sklearn": "rand_score", "torchmetrics": "rand_score"},
    family="pair counting",
)
def rand_index(t: Table) -> Any:
    """Share of the pairs of items that both sides keep together or both keep apart.

    It is the accuracy of `pair_confusion`, and 1 for every one-to-one naming, not only for the
    right one.
    """
    every = t.total * (t.total - 1)
    return ratio(every - _alike_in_truth_alone(t) - _alike_in_prediction_alone(t), every)


@of_matrix(
    title="Adjusted Rand index",
    aliases=("ari", "adjusted_rand_score"),
    latex=r"\frac{2 (N B - R S)}{N (R + S) - 2 R S}, \quad N = n (n - 1), \quad B = \sum_{ij} C_{ij} (C_{ij} - 1), "
    r"\quad R = \sum_i r_i (r_i - 1), \quad S = \sum_j c_j (c_j - 1)",
    bounds=(-0.5, 1),
    chance=0,
    undefined="each side puts all items together or all apart, or there are fewer than two",
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("HubertArabie1985", "ChaconRastrojo2023"),
    peers={"sklearn": "adjusted_rand_score", "pycm": "ARI", "torchmetrics": "adjusted_rand_score"},
    family="pair counting",
)
def adjusted_rand_index(t: Table) -> Any:
    """Rand index beyond what labellings of the same class sizes share by chance: the kappa of `pair_confusion`.

    scikit-learn says 1 where both sides put all items together, or all apart; there is nothing to
    share.
    """
    both, reference, response = _alike(t), _alike_in_truth(t), _alike_in_prediction(t)
    of_truth, of_prediction = _alike_in_truth_alone(t), _alike_in_prediction_alone(t)
    neither = differing_actually(t) - of_prediction
    chance = reference * differing_as_predicted(t) + response * differing_actually(t)
    return ratio(2 * (both * neither - of_truth * of_prediction), chance)


@of_matrix(
    title="Fowlkes-Mallows index",
    aliases=("fowlkes_mallows_score", "fmi"),
    latex=r"\frac{\sum_{ij} C_{ij} (C_{ij} - 1)}{\sqrt{\sum_i r_i (r_i - 1) \sum_j c_j (c_j - 1)}}",
    bounds=(0, 1),
    undefined="one side keeps every item apart",
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("FowlkesMallows1983",),
    peers={"sklearn": "fowlkes_mallows_score", "torchmetrics": "fowlkes_mallows_index"},
    family="pair counting",
)
def fowlkes_mallows(t: Table) -> Any:
    """Geometric mean of precision and recall of the pairs kept together."""
    return ratio(_alike(t), sqrt0(_alike_in_truth(t)) * sqrt0(_alike_in_prediction(t)))


def pair_confusion(m: Any) -> ConfusionMatrix:
    """The 2x2 matrix of all ordered pairs of items: apart or together in the truth, and in the prediction.

    >>> print(pair_confusion(ConfusionMatrix([[2, 1], [0, 3]])).counts.tolist())
    [[12, 6], [4, 8]]
    """
    t = read_table(m)
    if np.ndim(t.total) or np.asarray(t.values).dtype.kind == "f":
        msg = "`pair_confusion` counts pairs of items: it takes one matrix of whole numbers"
        raise MetricError(msg)
    values, actual, predicted = (_exactly(part) for part in (t.values, t.actual, t.predicted))
    n = int(t.total)
    together = values - n
    cells = [[n * n - actual - predicted + values, predicted - values], [actual - values, together]]
    # Beyond 64 bits only floats have room.
    counts: Any = cells if n * (n - 1) < 2**64 else [[float(cell) for cell in row] for row in cells]
    return ConfusionMatrix(counts, ["apart", "together"], positive="together")


def _exactly(counts: Any) -> int:
    """Sum of squares as a Python integer."""
    return int(np.sum(np.asarray(counts).astype(object) ** 2))
