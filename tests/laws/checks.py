"""The laws: checks that take a metric and a matrix, or a pool of matrices, and raise where the metric breaks them."""

from __future__ import annotations

import dis
import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import ConfusionMatrix, Stack
from confmat.core.cells import Cells
from confmat.metrics.catalog import metric as named
from confmat.metrics.catalog import parse_score
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Margins
from tests.laws import latex
from tests.laws.exactly import exactly, has_fractions
from tests.laws.relatives import relatives
from tests.laws.symbols import scopes

__all__ = [
    "LAWS",
    "POOL_LAWS",
    "TOLD_IN_WORDS",
    "Law",
    "PoolLaw",
    "a_mean_of_items_adds_them_up",
    "broken",
    "close",
    "is_told_in_words",
    "values",
]

Floats = NDArray[np.float64]
Check = Callable[[Metric, ConfusionMatrix], None]
PoolCheck = Callable[[Metric, Sequence[ConfusionMatrix]], None]


@dataclass(frozen=True)
class Law:
    """A law that holds for one metric on any one matrix."""

    name: str
    check: Check
    applies: Callable[[Metric], bool]


@dataclass(frozen=True)
class PoolLaw:
    """A law that shows only on many matrices: that a fact is not declared in vain."""

    name: str
    check: PoolCheck
    applies: Callable[[Metric], bool]


# A formula that does not run in one of the arithmetics breaks the law that asks for it.
_FAULTS = (AssertionError, TypeError, ValueError, ArithmeticError, AttributeError)
LAWS: list[Law] = []
POOL_LAWS: list[PoolLaw] = []


def law(applies: Callable[[Metric], bool] = lambda _: True) -> Callable[[Check], Check]:
    """Enter a check in the list of laws."""

    def enter(check: Check) -> Check:
        LAWS.append(Law(check.__name__, check, applies))
        return check

    return enter


def pool_law(
    applies: Callable[[Metric], bool] = lambda _: True,
) -> Callable[[PoolCheck], PoolCheck]:
    """Enter a check in the list of laws about many matrices."""

    def enter(check: PoolCheck) -> PoolCheck:
        POOL_LAWS.append(PoolLaw(check.__name__, check, applies))
        return check

    return enter


def broken(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> str:
    """The name of the first law that the metric breaks on these matrices, or nothing."""
    for one in LAWS:
        if one.applies(metric):
            for m in matrices:
                try:
                    one.check(metric, m)
                except _FAULTS as fault:
                    return _blamed(one.name, fault)
    for many in POOL_LAWS:
        if many.applies(metric):
            try:
                many.check(metric, matrices)
            except _FAULTS as fault:
                return _blamed(many.name, fault)
    return ""


def _blamed(law: str, fault: Exception) -> str:
    return law if isinstance(fault, AssertionError) else f"{law} ({type(fault).__name__})"


@lru_cache(maxsize=2**14)
def values(metric: Metric, m: Any, average: str | None = None) -> Floats:
    """The values of a metric as floats, one per class or a single one."""
    return np.atleast_1d(np.asarray(metric(m, average=average))).astype(np.float64)


def close(found: Any, wanted: Any, tolerance: float = 1e-9) -> bool:
    """Equal up to rounding, NaN like NaN."""
    return bool(np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True))


def _is_class(metric: Metric) -> bool:
    return metric.kind == "class"


def _has_order(metric: Metric) -> bool:
    return metric.family == "ordinal"


# ---- values --------------------------------------------------------------------------------------


@law()
def within_bounds(metric: Metric, m: ConfusionMatrix) -> None:
    """No value is infinite, or outside what is declared."""
    found = values(metric, m)
    assert not np.isinf(found).any(), f"{metric.name} is infinite on {m.counts.tolist()}"
    found = found[~np.isnan(found)]
    low, high = metric.bounds
    assert low is None or (found >= low).all(), f"{metric.name} is below {low}: {found}"
    assert high is None or (found <= high).all(), f"{metric.name} is above {high}: {found}"


@law()
def says_why_it_has_no_value(metric: Metric, m: ConfusionMatrix) -> None:
    """NaN comes with a reason."""
    if np.isnan(values(metric, m)).any():
        assert metric.undefined, f"{metric.name} has no value on {m.counts.tolist()} and no reason"


def _predicted(m: ConfusionMatrix) -> int:
    return int(np.count_nonzero(m.predicted_totals))


@law(lambda metric: metric.better != "neither")
def perfection_scores_best(metric: Metric, m: ConfusionMatrix) -> None:
    """The matrix without errors scores best of all with the same truth; it has the value declared as best."""
    perfect = relatives(m).perfect
    if metric.name == "stuart_tau_c" and _predicted(m) < _predicted(perfect):
        # It is more where fewer classes are predicted, by which it divides.
        return
    best, found = values(metric, perfect), values(metric, m)
    gain = best - found if metric.better == "higher" else found - best
    assert (gain[~np.isnan(gain)] >= -1e-9 * (1 + np.abs(best[~np.isnan(gain)]))).all(), (
        f"{metric.name} prefers {m.counts.tolist()} to perfection: {found} against {best}"
    )
    if metric.best is not None and not math.isnan(metric.best):
        assert close(best[~np.isnan(best)], metric.best), (
            f"{metric.name} of a perfect matrix is {best}"
        )


@law(lambda metric: metric.chance is not None)
def chance_scores_as_declared(metric: Metric, m: ConfusionMatrix) -> None:
    """Where truth and prediction are independent, the value is the one declared for chance."""
    found = values(metric, relatives(m).independent)
    assert close(found[~np.isnan(found)], metric.chance, 1e-3), (
        f"{metric.name} of chance is {found}"
    )


# ---- what must not matter, and what must ---------------------------------------------------------


@law(lambda metric: not _has_order(metric))
def class_order_does_not_matter(metric: Metric, m: ConfusionMatrix) -> None:
    """Classes in another order give the same values, each at the place of its class."""
    assert close(values(metric, relatives(m).reversed), values(metric, m)[::-1]), (
        f"{metric.name} depends on the order of the classes"
    )


@law(lambda metric: metric.scale_free)
def the_unit_of_counting_does_not_matter(metric: Metric, m: ConfusionMatrix) -> None:
    """Three times the counts give the same values."""
    assert close(values(metric, relatives(m).tripled), values(metric, m)), (
        f"{metric.name} depends on the scale at {m.counts.tolist()}"
    )


@law(lambda metric: metric.scale_free)
def the_size_of_weights_does_not_matter(metric: Metric, m: ConfusionMatrix) -> None:
    """Weights so small or large that their products leave the range of a float give the same values."""
    wanted = values(metric, m)
    for other in (relatives(m).tiny, relatives(m).huge):
        found = values(metric, other)
        assert close(found, wanted), (
            f"{metric.name} is {found} with weights of {other.total:g}, not {wanted}"
        )


@pool_law(lambda metric: not metric.scale_free)
def the_unit_of_counting_does_matter(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """A metric that is not declared scale-free is not."""
    pairs = ((values(metric, relatives(m).tripled), values(metric, m)) for m in matrices)
    assert any(not close(*pair) for pair in pairs), (
        f"{metric.name} is scale-free, but does not say so"
    )


@law(lambda metric: metric.symmetric)
def exchanging_truth_and_prediction_changes_nothing(metric: Metric, m: ConfusionMatrix) -> None:
    """The transposed matrix has the same values."""
    assert close(values(metric, relatives(m).transposed), values(metric, m)), (
        f"{metric.name} is not symmetric at {m.counts.tolist()}"
    )


@pool_law(lambda metric: not metric.symmetric)
def exchanging_truth_and_prediction_changes_something(
    metric: Metric, matrices: Sequence[ConfusionMatrix]
) -> None:
    """A metric that is not declared symmetric is not."""
    pairs = ((values(metric, relatives(m).transposed), values(metric, m)) for m in matrices)
    assert any(not close(*pair) for pair in pairs), (
        f"{metric.name} is symmetric, but does not say so"
    )


@law(lambda metric: metric.transposed is not None)
def the_transposed_partner_agrees(metric: Metric, m: ConfusionMatrix) -> None:
    """The partner of the transposed matrix is the metric of the matrix."""
    partner = named(metric.transposed or "")
    assert partner.transposed == metric.name, f"{partner.name} does not name {metric.name} in turn"
    assert close(values(partner, relatives(m).transposed), values(metric, m)), (
        f"{metric.name} is not {partner.name} of the transpose"
    )


@law(lambda metric: metric.complement is not None)
def the_complement_agrees(metric: Metric, m: ConfusionMatrix) -> None:
    """The complement is 1 less the metric."""
    partner = named(metric.complement or "")
    assert partner.complement == metric.name, f"{partner.name} does not name {metric.name} in turn"
    assert close(values(partner, m), 1 - values(metric, m)), (
        f"{partner.name} is not 1 - {metric.name}"
    )


@law(lambda metric: not _has_order(metric))
def an_empty_class_changes_nothing_or_says_so(metric: Metric, m: ConfusionMatrix) -> None:
    """One more class that never occurs on either side leaves what does not declare that it depends on K."""
    wider = relatives(m).wider
    if _is_class(metric):
        if metric.needs == "margins":
            found = values(metric, wider)[:-1]
            assert close(found, values(metric, m)), (
                f"{metric.name} of one class depends on empty others"
            )
            if not metric.depends_on_k:
                more, fewer = (values(metric, each, average="micro") for each in (wider, m))
                assert close(more, fewer), f"{metric.name} pooled depends on K, but does not say so"
    elif not metric.depends_on_k:
        assert close(values(metric, wider), values(metric, m)), (
            f"{metric.name} depends on K, but does not say so"
        )


@pool_law(lambda metric: metric.depends_on_k)
def an_empty_class_changes_something(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """A metric that is declared to depend on K does; for a metric per class, its micro average."""
    options = {"average": "micro"} if _is_class(metric) and metric.needs == "margins" else {}
    wider = [ConfusionMatrix(np.pad(m.counts, (0, 1)), [*m.labels, "z"]) for m in matrices]
    size = None if options or not _is_class(metric) else -1
    pairs = (
        (values(metric, w, **options)[:size], values(metric, m, **options))
        for w, m in zip(wider, matrices, strict=True)
    )
    assert any(not close(*pair) for pair in pairs), (
        f"{metric.name} does not depend on K, but says so"
    )


# ---- one formula, many arithmetics ---------------------------------------------------------------


# The formula on the page is completed by a sentence, which this reader cannot read.
TOLD_IN_WORDS = {
    "adjusted_mutual_information": "the expectation over tables with the same margins is a sum of its own",
    "gwet_ac2": "the weights are a table that is explained beside it",
    "gerrity_score": "its weights are sums between limits",
}


# Their treatment of classes that do not occur, or are never predicted, is described in words.
EMPTY_TOLD_IN_WORDS = {
    "chi_squared", "chi_squared_dof", "class_balance_accuracy", "classification_success_index", "g_statistic",
    "goodman_kruskal_tau", "one_vs_rest_balanced_accuracy", "weighted_one_vs_rest_balanced_accuracy",
}  # fmt: skip


def _is_readable(metric: Metric) -> bool:
    return metric.latex is not None and not metric.name.startswith(tuple(TOLD_IN_WORDS))


def _is_mean_of_means(metric: Metric) -> bool:
    return metric.factory is not None and metric.factory[0] == "f_of_macro"


def is_told_in_words(metric: Metric) -> bool:
    """Whether some value of the metric is not that of its printed formula alone."""
    in_words = metric.name in EMPTY_TOLD_IN_WORDS
    return in_words or _is_mean_of_means(metric) or not _is_readable(metric)


@law(_is_readable)
def the_latex_says_the_same(metric: Metric, m: ConfusionMatrix) -> None:
    """The formula as printed gives the value that the code gives."""
    if metric.name in EMPTY_TOLD_IN_WORDS and not (
        m.actual_totals.all() and m.predicted_totals.all()
    ):
        return
    if _is_mean_of_means(metric) and not m.diagonal.any():
        # Both means are 0, and so is their F.
        return
    node = latex.parse(metric.latex or "")
    counts = [[int(each) for each in row] for row in m.counts]
    wanted = [float(node(scope)) for scope in scopes(counts, per_class=_is_class(metric))]
    found = values(metric, m)
    assert close(found, wanted), (
        f"{metric.name} is {found}, its LaTeX says {wanted}, on {m.counts.tolist()}"
    )


@law(has_fractions)
def exact_evaluation_agrees(metric: Metric, m: ConfusionMatrix) -> None:
    """In fractions the same formula gives the same value."""
    found = exactly(metric, m)
    assert close(found.astype(np.float64), values(metric, m)), (
        f"{metric.name} is {found} in fractions"
    )


@law()
def a_stack_gives_what_its_matrices_give(metric: Metric, m: ConfusionMatrix) -> None:
    """The formula on a stack is the formula on each of its matrices."""
    stack = relatives(m).stack
    found = np.asarray(metric(stack)).astype(np.float64).reshape(len(stack), -1)
    wanted = [values(metric, part) for part in stack.values()]
    assert close(found, wanted), f"{metric.name} of a stack is {found}, of its matrices {wanted}"


@law(lambda metric: metric.smooth and metric.needs == "margins")
def complex_steps_are_derivatives(metric: Metric, m: ConfusionMatrix) -> None:
    """An imaginary step gives the slope that two real steps give."""
    # Away from the edges, where roots have no slope.
    inside = ConfusionMatrix(m.counts + 2.0, m.labels)
    source: Any = inside.cells if _is_class(metric) else _margins(inside)
    for name in _names(source):
        slope = np.imag(metric.formula(_moved(source, name, 1e-20j))) / 1e-20
        # No larger than a thousandth of an item, so that the smallest cell hardly feels it.
        step = 1e-3 / np.max(np.asarray(getattr(source, name)))
        far, near, back, behind = (
            np.asarray(metric.formula(_moved(source, name, times * step)))
            for times in (2.0, 1.0, -1.0, -2.0)
        )
        rough = (8 * (near - back) - (far - behind)) / (12 * step)
        # Sums over items are rounded in their own scale. Beside a pole there is nothing to compare.
        rounded = 0.0 if metric.scale_free else 1e-14 * float(inside.total) / step
        allowed = 1e-5 * np.abs(rough) + 1e-6 * (1 + np.abs(near)) + rounded
        wrong = (np.abs(slope - rough) > allowed) & (np.abs(near) < 1e3)
        assert not wrong.any(), (
            f"{metric.name} has slope {slope} by {name}, and {rough} by differences"
        )


def _names(source: Any) -> tuple[str, ...]:
    return (
        ("tp", "fp", "fn", "tn")
        if isinstance(source, Cells)
        else ("diagonal", "actual", "predicted", "total")
    )


def _margins(m: ConfusionMatrix) -> Margins:
    diagonal, actual, predicted = (
        part.astype(float) for part in (m.diagonal, m.actual_totals, m.predicted_totals)
    )
    return Margins(diagonal, actual, predicted, np.float64(m.total), m.n_classes, m.labels)


def _moved(source: Any, name: str, step: complex) -> Any:
    """The same numbers, those of one name made larger by a share of themselves."""
    kind = np.complex128 if isinstance(step, complex) else np.float64
    parts: dict[str, Any] = {
        each: np.asarray(getattr(source, each)).astype(kind) for each in _names(source)
    }
    parts[name] = parts[name] * (1 + step)
    if isinstance(source, Cells):
        return Cells(**parts)
    return Margins(**parts, n_classes=source.n_classes, labels=source.labels)


# ---- facts that solvers use ----------------------------------------------------------------------


@law(lambda metric: metric.monotone)
def corrections_move_a_score_one_way(metric: Metric, m: ConfusionMatrix) -> None:
    """As false positives of one of two classes become true negatives, a score only rises, or only falls."""
    for tp, fp, fn, tn in zip(
        *(getattr(m.cells, name).tolist() for name in ("tp", "fp", "fn", "tn")), strict=True
    ):
        right = np.linspace(0.0, fp + tn, 9)
        tables = np.stack(
            [np.full((9, 2), (tp, fn)), np.stack([fp + tn - right, right], axis=-1)], axis=1
        )
        for order in ([0, 1], [1, 0]):
            found = values(
                metric, Stack.from_array(tables[:, order][:, :, order], labels=["a", "b"])
            ).reshape(9, -1)
            steps = np.diff(found[~np.isnan(found[:, 0]), 0])
            sign = {"higher": 1, "lower": -1}.get(metric.better, -1 if (steps < 0).any() else 1)
            assert (sign * steps >= -1e-9).all(), f"{metric.name} goes up and down: {found[:, 0]}"


@law(lambda metric: metric.share_of is not None)
def a_share_counts_items(metric: Metric, m: ConfusionMatrix) -> None:
    """A share is a whole number of the items that it is said to be a share of."""
    of = np.atleast_1d(
        m.total if metric.share_of == "total" else getattr(m.cells, str(metric.share_of))
    )
    counted = values(metric, m) * np.where(of == 0, np.nan, of)
    assert close(counted, np.round(counted)), (
        f"{metric.name} is no share of {metric.share_of}: {counted}"
    )


@law(lambda metric: metric.total_of is not None)
def a_total_counts_a_side(metric: Metric, m: ConfusionMatrix) -> None:
    """A total is the number of items of each class on one side."""
    assert close(values(metric, m), np.asarray(getattr(m.cells, str(metric.total_of)), np.float64))


@law(lambda metric: metric.beta is not None)
def a_harmonic_mean_lies_between_precision_and_recall(metric: Metric, m: ConfusionMatrix) -> None:
    """A mean with a beta is a weighted harmonic one of precision and recall: it lies between them, per class."""
    if metric.kind == "class":
        recall, precision = (values(named(name), m) for name in ("recall", "precision"))
        found, weight = values(metric, m), float(metric.beta or 0) ** 2
        some = (recall > 0) & (precision > 0)
        bottom = weight * precision[some] + recall[some]
        assert close(found[some], (1 + weight) * precision[some] * recall[some] / bottom)


@law(lambda metric: metric.overlap)
def an_overlap_weighs_errors(metric: Metric, m: ConfusionMatrix) -> None:
    """An overlap is hits over the sum of hits, misses and false alarms, each with its own weight."""
    c = m.cells.astype(np.float64)
    alarms, misses = (
        1 / metric.formula(Cells(*np.array(one)[:, None])) - 1
        for one in ([1.0, 1, 0, 0], [1.0, 0, 1, 0])
    )
    top, bottom = c.tp, c.tp + alarms * c.fp + misses * c.fn
    assert close(
        values(metric, m), np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    )


@law(lambda metric: metric.macro_of is not None)
def a_mean_of_classes_is_the_macro_average(metric: Metric, m: ConfusionMatrix) -> None:
    """The mean is that of the metric it is said to be of."""
    assert close(values(metric, m), values(named(str(metric.macro_of)), m, average="macro"))


@law(lambda metric: metric.beyond_chance is not None)
def agreement_is_corrected_for_chance(metric: Metric, m: ConfusionMatrix) -> None:
    """Hits less those by chance, over what is left beyond chance or over the spreads of both sides."""
    r, c = (side.astype(np.float64) for side in (m.actual_totals, m.predicted_totals))
    n, chance = float(m.total), float(r @ c)
    top, spreads = n * float(np.trace(m.counts)) - chance, (n * n - r @ r) * (n * n - c @ c)
    bottom = n * n - chance if metric.beyond_chance == "share" else math.sqrt(spreads)
    assert close(values(metric, m), top / bottom if bottom else np.nan)


@law(lambda metric: metric.mean_of_items)
def a_mean_of_items_adds_them_up(metric: Metric, m: ConfusionMatrix) -> None:
    """A score is the mean of those of matrices of a single item each."""
    cells = [
        (row, col, count)
        for row, line in enumerate(m.counts.tolist())
        for col, count in enumerate(line)
        if count
    ]
    alone = np.zeros((len(cells), *m.counts.shape))
    for table, (row, col, _) in zip(alone, cells, strict=True):
        table[row, col] = 1
    found = values(metric, Stack.from_array(alone, labels=m.labels)) if cells else np.empty(0)
    assert close(
        values(metric, m),
        np.average(found, weights=[count for *_, count in cells]) if cells else np.nan,
    )


@law(lambda metric: bool(metric.mistaken_for))
def a_mistaken_score_is_another_one(metric: Metric, m: ConfusionMatrix) -> None:
    """A score that is printed under the same name is one of its own, one number of a matrix."""
    for score in map(parse_score, metric.mistaken_for):
        assert score.metric is not metric
        assert score.metric.kind == "class" or np.ndim(score(m)) == 0


# ---- facts that must not be declared in vain -----------------------------------------------------


@pool_law(lambda metric: metric.undefined is not None)
def undefined_happens(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """A reason for having no value belongs to a metric that sometimes has none."""
    assert any(np.isnan(values(metric, m)).any() for m in matrices), (
        f"{metric.name} always has a value"
    )


@pool_law(lambda metric: any(bound is not None for bound in metric.bounds))
def bounds_are_reached(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """The declared interval is not wider than it has to be."""
    found = np.concatenate([values(metric, m) for m in matrices])
    found = found[~np.isnan(found)]
    low, high = metric.bounds
    width = 1.0 if low is None or high is None else high - low
    assert low is None or found.min() <= low + 0.12 * width, (
        f"{metric.name} never comes near {low}: {found.min()}"
    )
    assert high is None or found.max() >= high - 0.12 * width, (
        f"{metric.name} never comes near {high}: {found.max()}"
    )


@pool_law(lambda metric: metric.when_never_predicted is not None)
def what_silence_costs_is_possible(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """The value that stands for a class that occurs but is never predicted is a value of the metric."""
    assert _is_class(metric)
    assert matrices
    low, high = metric.bounds
    fill = metric.when_never_predicted or 0
    assert low is None or low <= fill, f"{metric.name} is filled with {fill}, below {low}"
    assert high is None or fill <= high, f"{metric.name} is filled with {fill}, above {high}"


@pool_law(lambda metric: not metric.smooth)
def a_kink_is_somewhere(metric: Metric, matrices: Sequence[ConfusionMatrix]) -> None:
    """A metric that is declared to have a kink compares, chooses or takes a size, somewhere in its formula."""
    assert matrices
    words = set(_words_in(metric.formula, depth=3))
    assert any(kink in word for word in words for kink in _KINKS), (
        f"{metric.name} has no kink in sight"
    )


_KINKS = ("largest", "smallest", "absolute", "where", "max", "min", "sort", "abs", "COMPARE")


def _words_in(function: Any, depth: int) -> Iterable[str]:
    """Names, texts and comparisons of a formula and of the helpers beside it."""
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None)
    if code is None or depth == 0:
        return
    yield from code.co_names
    yield from (text for text in code.co_consts[1:] if isinstance(text, str))
    yield from (step.opname for step in dis.get_instructions(code) if step.opname == "COMPARE_OP")
    inner = [function.__globals__.get(name) for name in code.co_names]
    for one in [*inner, *(cell.cell_contents for cell in function.__closure__ or ())]:
        where = getattr(one, "__module__", None) or ""
        # Only the names of the helpers count: a division looks for zeros, but has no kink.
        if where.startswith(("confmat.metrics", "tests.")) and not where.endswith("arithmetic"):
            yield from _words_in(one, depth - 1)
