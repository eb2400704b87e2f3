"""Intervals of a sample whose design gives every score its variance: strata, unequal chances, clusters within strata.

The standard error is that of the design, as surveys print it. The interval has the variance with
one more item, spread over the table as of a single matrix; it falls into a stratum by the share
that this has in the variance if all items vary alike, and has their weight. So a stratum without an
error is not one that cannot err.
"""

from __future__ import annotations

import math
from dataclasses import replace

from confmat.core.errors import InputError
from confmat.core.options import door
from confmat.core.samples import Sample
from confmat.intervals.asked import Asked, Method, ask, by_gradient, nothing, one_estimate, together
from confmat.intervals.bounds import PROPORTIONS
from confmat.intervals.clusters import further_of
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import slope
from confmat.intervals.single import carried_over, estimate_number, nearby
from confmat.intervals.variance import seen_by, variance
from confmat.metrics import catalog


def estimate_sample(asked: Asked, m: Sample) -> Estimate | Estimates:
    """Return the estimate of a score of a sample, or of each class."""
    if asked.design != "multinomial" or asked.method not in {*PROPORTIONS, "wald"}:
        msg = (
            "a sample says itself how it was drawn: leave `design` out, and choose a method among "
            f"{', '.join([*PROPORTIONS, 'wald'])}; got design={asked.design!r}, "
            f"method={asked.method!r}"
        )
        raise InputError(msg)
    asked = replace(asked, drawn=m.described)
    if not asked.per_class:
        return _of_one(asked, m)
    return together(
        asked, m.labels, [_of_one(replace(asked, of=label), m) for label in m.labels.classes]
    )


@door
def areas(m: Sample, *, level: float = 0.95, method: Method = "wald") -> Estimates:
    """Return how many items of the whole are of each actual class, by what the sample says, with intervals.

    For a map, these are the areas of the classes, in the unit of the sizes of its strata.

    Parameters
    ----------
    m
        The sample, as `stack.standardize(sizes)` gives it.
    level
        How often each interval should hold the truth.
    method
        As in `interval`; "wald" is what guides to map accuracy print.

    Examples
    --------
    >>> import confmat as cm
    >>> mapped = {
    ...     "forest": [["forest", "forest"]] * 8 + [["field", "forest"]] * 2,
    ...     "field": [["field", "field"]] * 10,
    ... }
    >>> pairs = [[stratum, *pair] for stratum in mapped for pair in mapped[stratum]]
    >>> strata, actual, predicted = zip(*pairs)
    >>> sample = cm.count(actual, predicted, strata=strata).standardize(
    ...     {"forest": 300, "field": 700}
    ... )
    >>> print(areas(sample).of("forest"))
    240.000 [155.963, 324.037]
    """
    if not isinstance(m, Sample):
        msg = (
            f"`areas` reads a sample, as stack.standardize(sizes) gives it, not {type(m).__name__}"
        )
        raise InputError(msg)
    shares = estimate_sample(ask(m, "prevalence", level=level, method=method), m)
    assert isinstance(shares, Estimates)
    scaled = {
        name: getattr(shares, name) * float(m.total) for name in ("value", "low", "high", "se")
    }
    return replace(shares, **scaled, name="area")


def _of_one(asked: Asked, m: Sample) -> Estimate:
    metric = asked.metric
    if (alike := m.alike(asked)) is not None:
        return estimate_number(*alike)
    value = float(metric(m, **asked.keywords))
    carried: Estimate | None = carried_over(asked, m, value, lambda other: _of_one(other, m))
    if carried is not None:
        return carried
    if math.isnan(value):
        return nothing(asked)
    if metric.population:
        other = _of_one(replace(asked, metric=catalog()[metric.population]), m)
        return one_estimate(
            asked, value, other.low, other.high, other.se, other.n_eff, other.method, other.note
        )
    plain = slope(metric, m, **asked.keywords)
    error = math.sqrt(max(variance(plain, m, outside=asked.outside), 0.0))
    if not m.units.left.any():
        # All items there are were drawn.
        return one_estimate(asked, value, value, value, 0.0, m.units.drawn.sum(), "census")
    near, spread = nearby(asked, m, plain)
    units, strata = m.units.telling(seen_by(plain, m, asked.outside))
    further = further_of(int(units - strata) + 1, math.inf, asked.level)
    return by_gradient(asked, value, error, near, spread, further=further)
