"""`items_needed`: how many items a study takes, for an interval of a width, or for a margin of two models."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from confmat.core.errors import CallError, InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, is_number, one_of, told
from confmat.core.stack import Stack
from confmat.intervals.asked import Method, ask
from confmat.intervals.bounds import PROPORTIONS, check_level, quantile
from confmat.intervals.door import interval
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import counted_in
from confmat.metrics import Metric, parse_score

# Beyond it nobody labels a test set.
_MOST_ITEMS = 10**15
_ROUNDING = 1e-12


@door
def items_needed(
    m: ConfusionMatrix | float | tuple[float, float],
    score: Any = None,
    *,
    width: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    prevalence: float | None = None,
    discordant: float | None = None,
    method: Method = "wilson",
    **options: Any,
) -> int:
    """Return the number of items whose interval would be no wider than `width`, or that would hold a `margin`.

    Parameters
    ----------
    m
        A matrix like the ones to come: more of the same items are planned, in the same mixture of
        classes. Without one, the expected share itself, such as 0.9; for a margin those of the old
        and the new model, `(0.9, 0.92)`, or one share for both.
    score
        A score of the matrix, as `interval` takes it. An expected share with `prevalence` has one
        of the members of a class, such as "recall", the default, or of the others, such as
        "specificity".
    width
        How wide the interval may be, from bound to bound: 0.1 for plus and minus five points.
    margin
        The loss that is as good as none: that many items of each model, or test, show with `power`
        that the new one is no worse (`Difference.no_worse`). More of the share is taken to be
        better.
    level
        The confidence of the interval; a margin is tested at (1 - level) / 2, so 0.9 tests at 5 %.
    power
        How often models so far apart are to be found no worse.
    prevalence
        How often the class occurs, where the share is one of its members or of the others; then all
        items are planned, however few of them are such (Buderer 1996).
    discordant
        The share of items that one of the two alone will have right, for a margin of two models on
        the same items (Nam 1997); without it their answers are taken as independent, as those of
        different items (Blackwelder 1982).
    method
        The method of the interval, as in `interval`; a share takes those for proportions, by
        default Wilson's, and "wald", which Buderer's formula has.
    **options
        The options of `interval` for a matrix: `of`, `average`, `design` ...

    Returns
    -------
    int
        How many items are needed.

    Raises
    ------
    InputError
        If the wishes do not go together, or no number of items is enough.

    Examples
    --------
    >>> items_needed(0.9, width=0.1)
    141
    >>> from confmat import ConfusionMatrix
    >>> items_needed(ConfusionMatrix([[40, 5, 5], [6, 30, 4], [2, 3, 25]]), "f1.macro", width=0.1)
    260

    A sensitivity of 0.8, known to plus and minus 7 points, of a disease that one patient in ten
    has; and as many patients as show that a new test, which finds as many as the old one, finds no
    more than 5 points less:

    >>> items_needed(0.8, "sensitivity", width=0.14, prevalence=0.1)
    1238
    >>> items_needed(0.8, "sensitivity", margin=0.05, discordant=0.1, prevalence=0.1)
    3497

    """
    if (width is None) == (margin is None):
        msg = (
            "`items_needed` needs `width`, from bound to bound, or `margin`, the loss that is as "
            "good as none: "
            "items_needed(m, score, width=..., level=...)"
        )
        raise CallError(msg)
    if isinstance(score, (ConfusionMatrix, Stack)):
        msg = "`items_needed` takes the matrix first: items_needed(m, 'f1.macro', width=0.1)"
        raise InputError(msg)
    if isinstance(m, Stack) or hasattr(m, "gold_needed"):
        msg = "`items_needed` plans from one ConfusionMatrix, such as stack.sum(), not from a Stack"
        if isinstance(m, ConfusionMatrix):
            msg = "`items_needed` plans items with the truth; of judged ones, m.gold_needed('accuracy', width=0.1) does"
        raise InputError(msg)
    _check("width", width, "the distance between the bounds, a number above 0")
    _check("margin", margin, "the loss that is as good as none, a number above 0")
    check_level(level)
    plan = Plan(width, margin, level, power, prevalence, discordant, method)
    return (
        _for_matrix(m, score, plan, options)
        if isinstance(m, ConfusionMatrix)
        else _for_shares(m, score, plan, options)
    )


@dataclass(frozen=True)
class Plan:
    """The wishes for a number of items."""

    width: float | None
    margin: float | None
    level: float
    power: float
    prevalence: float | None
    discordant: float | None
    method: Method


def _check(name: str, value: Any, meaning: str, most: float = math.inf) -> None:
    if value is not None and not (is_number(value) and 0 < value < most):
        msg = f"`{name}` is {meaning}; got {told(value)}"
        raise InputError(msg)


def _for_matrix(m: ConfusionMatrix, score: Any, plan: Plan, options: Any) -> int:
    """The items of the same mixture of classes that give an interval of so small a width."""
    width = plan.width
    if width is None or plan.prevalence is not None or plan.discordant is not None:
        msg = (
            "a matrix plans a width for its own mixture of classes; a margin and a prevalence go "
            "with expected shares, "
            "items_needed(0.9, 'recall', margin=0.05, prevalence=0.1), and a margin with a "
            "comparison, "
            "compare_predictions(...).of('recall').items_needed(0.05)"
        )
        raise InputError(msg)
    if score is None:
        msg = "say which score of the matrix is planned for: items_needed(m, 'f1.macro', width=0.1)"
        raise InputError(msg)
    estimate = interval(m, score, level=plan.level, method=plan.method, **options)
    if not isinstance(estimate, Estimate):
        msg = "a size is planned for one number: name a class (`of`) or an average"
        raise InputError(msg)
    if math.isnan(estimate.value):
        msg = f"{estimate.name} has no value here ({estimate.note}), so nothing can be planned from it"
        raise InputError(msg)
    if math.isfinite(estimate.n_eff):
        # An item tells as much as it does here, regardless of their number.
        each = estimate.n_eff / float(m.total)
        bounds: Any = ask(m, score, method=plan.method, **options).metric.bounds
        low, high = bounds
        share, span = (estimate.value - low) / (high - low), high - low
        near = plan.method if plan.method in PROPORTIONS else "wilson"
        return _least(lambda n: span * _width(share, n * each, plan.level, near), width)
    if estimate.width == 0:
        return 1
    return math.ceil(float(m.total) * (estimate.width / width) ** 2)


def _for_shares(m: Any, score: Any, plan: Plan, options: Any) -> int:
    """The items of which a part are those that an expected share is of."""
    shares = _shares(m, plan)
    if not shares or options or (score is not None and plan.prevalence is None):
        msg = (
            "`items_needed` plans from a ConfusionMatrix and a score, items_needed(m, 'f1.macro', "
            "width=0.1), or from the expected share between 0 and 1, items_needed(0.9, width=0.1), "
            "also of a class, items_needed(0.9, 'recall', width=0.1, prevalence=0.1); "
            f"got {told(m)}"
        )
        raise InputError(msg)
    for name in ("power", "prevalence", "discordant"):
        _check(name, getattr(plan, name), "between 0 and 1", 1)
    one_of("method", plan.method, ("wald", *PROPORTIONS))
    among = 1.0 if plan.prevalence is None else _share_among(score or "recall", plan.prevalence)
    if plan.width is None:
        return _for_margin(shares, plan, among)
    if plan.discordant is not None:
        msg = "`discordant` goes with a margin of two models; the width of one interval needs none"
        raise InputError(msg)
    if plan.method == "wald" and shares[0] in {0, 1}:
        msg = f"Wald's interval of a share of {shares[0]:g} has no width, so it plans no number of items"
        raise InputError(msg)
    return _least(lambda n: _width(shares[0], n * among, plan.level, plan.method), plan.width)


def _shares(m: Any, plan: Plan) -> tuple[float, ...]:
    """The expected shares of two models, which may be one; none of what is no share."""
    pair = isinstance(m, (tuple, list)) and len(m) == 2 and plan.width is None
    shares = tuple(m) if pair else (m, m)
    return shares if all(is_number(share) and 0 <= share <= 1 for share in shares) else ()


def _for_margin(shares: tuple[float, ...], plan: Plan, among: float) -> int:
    """The items that keep a normal difference within a margin (Blackwelder 1982; of the same items, Nam 1997)."""
    margin, discordant = plan.margin or 0.0, plan.discordant
    (old, new), gap = shares, shares[1] - shares[0]
    if (
        discordant is not None
        and not abs(gap) - _ROUNDING <= discordant <= min(old + new, 2 - old - new) + _ROUNDING
    ):
        msg = f"two models that have {old:g} and {new:g} right cannot differ on {discordant:g} of the items"
        raise InputError(msg)
    spread = old * (1 - old) + new * (1 - new) if discordant is None else discordant - gap * gap
    if not (room := gap + margin) > _ROUNDING or spread <= 0:
        why = (
            f"the new one is worse by {-gap:g}"
            if room <= _ROUNDING
            else "nothing is left to chance"
        )
        msg = f"no number of items is planned for a margin of {margin:g} from {old:g} and {new:g}: {why}"
        raise InputError(msg)
    rejected = spread
    if discordant is not None:
        # The likeliest share that the old one alone has right, and the variance, if it were better
        # by the margin.
        most = min(margin, 1.0)
        half = ((2 + gap) * most - discordant) / 4
        rare = math.sqrt(half * half + (discordant + gap) * most * (1 - most) / 4) - half
        rejected = 2 * rare + most * (1 - most)
    reach = quantile(plan.level) * math.sqrt(rejected) + quantile(2 * plan.power - 1) * math.sqrt(
        spread
    )
    return max(math.ceil((max(reach, 0.0) / room) ** 2 / among), 1)


def _share_among(score: Any, prevalence: float) -> float:
    """The share of all items that a score is a share of: those of a class, or the others."""
    metric = parse_score(score).metric
    among = {
        (1.0, 0.0, 1.0, 0.0): prevalence,
        (0.0, 1.0, 0.0, 1.0): 1 - prevalence,
        (1.0, 1.0, 1.0, 1.0): 1.0,
    }
    under = counted_in(metric) if isinstance(metric, Metric) else None
    found = among.get(under) if under is not None else None
    if found is None:
        msg = (
            f"how many items {score} is a share of depends on more than the prevalence; plan it "
            "from a matrix like the "
            "ones to come, items_needed(m, 'precision', width=0.1)"
        )
        raise InputError(msg)
    return found


def _width(share: float, items: float, level: float, method: str = "wilson") -> float:
    if method == "wald":
        return 2 * quantile(level) * math.sqrt(share * (1 - share) / items)
    low, high = PROPORTIONS[method][1](share, items, level)
    return float(high - low)


def _least(width_of: Any, wanted: float) -> int:
    """The least number with a width no greater than wanted; widths only shrink."""
    high = 1
    while width_of(high) > wanted:
        if high > _MOST_ITEMS:
            msg = f"more than {_MOST_ITEMS:.0e} items would be needed for a width of {wanted:g}"
            raise InputError(msg)
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width_of(middle) > wanted else (low, middle)
    return high
