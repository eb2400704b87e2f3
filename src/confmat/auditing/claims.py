"""Claims: scores with the digits that were printed, and the values that such digits allow.

A number printed with D decimals means everything that is rounded to it: half a unit of the
last digit either way, both ends included, since some round a half up and others to the even digit.
Trailing zeros are digits too, so numbers are best given as text; a float has lost them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any

from confmat.core.align import label_spelt
from confmat.core.errors import InputError, LabelError
from confmat.core.labels import Labels
from confmat.core.text import meant, printable, some
from confmat.metrics import Metric, Score, catalog, parse_score

_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d*)(?:\.(?P<decimals>\d*))?(?:[eE](?P<power>[-+]?\d{1,3}))?"
)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[,\u2009\u202f'_ ]\d{3})+")
_NOTHING = frozenset({"nan", "undefined", "n/a", "-", "–", "—"})
# The powers of ten that the last digit may count and the first may reach.
_LEAST_POWER, _MOST_POWER = -320, 308
# Values of metrics are right to about 12 digits.
_TRUST = 1e-12


@dataclass(frozen=True)
class Printed:
    """A number as it was printed: its value, the unit of its last digit, and whether it was per cent.

    `value` and `unit` are those of the share, so 93 % has the value 93/100 and the unit 1/100.
    `exact` says that the digits were given as text; a float may have lost zeros at its end.
    """

    text: str
    value: Fraction
    unit: Fraction
    percent: bool = False
    exact: bool = True
    # Printed as having no value.
    nothing: bool = False

    @property
    def low(self) -> float:
        """The least value that is rounded to it."""
        return math.nan if self.nothing else float(self.value - self.unit / 2)

    @property
    def high(self) -> float:
        """The greatest value that is rounded to it."""
        return math.nan if self.nothing else float(self.value + self.unit / 2)

    @property
    def decimals(self) -> int:
        """Digits behind the point, of the share."""
        return max(0, -math.floor(math.log10(self.unit) + 0.5))

    def interval(self, *, cut: bool = False) -> tuple[float, float]:
        """The values that are rounded to it; with `cut`, those that are cut off to it."""
        if self.nothing:
            return math.nan, math.nan
        if not cut:
            return self.low, self.high
        if self.value == 0:
            return -float(self.unit), float(self.unit)
        ends = float(self.value), float(self.value + (self.unit if self.value > 0 else -self.unit))
        return min(ends), max(ends)

    def allows(self, value: float, *, cut: bool = False) -> bool:
        """Whether a value may have been printed so."""
        if self.nothing or math.isnan(value):
            return self.nothing and math.isnan(value)
        low, high = self.interval(cut=cut)
        slack = _TRUST * max(1.0, abs(value))
        if cut:
            # The end away from zero is the next number that is printed.
            low, high = (low, high - 2 * slack) if self.value >= 0 else (low + 2 * slack, high)
        return low - slack <= value <= high + slack

    def scaled(self, factor: Fraction) -> Printed:
        """The same digits of another unit: a hundredth of them, for per cent without the sign."""
        return Printed(
            self.text, self.value * factor, self.unit * factor, True, self.exact, self.nothing
        )

    def finer(self) -> Printed:
        """The same number with one more zero, which a float would have lost."""
        return Printed(self.text, self.value, self.unit / 10, self.percent, True, self.nothing)

    def __str__(self) -> str:
        return self.text


def printed(number: Any, *, count: bool = False) -> Printed:
    """Read a printed number; of a float or an integer the digits of its shortest print.

    A comma is a decimal comma, but in a `count` it parts thousands.

    >>> printed("0.930").low, printed("93 %").high, printed("0,93") == printed(".93")
    (0.9295, 0.935, False)
    >>> printed("0,93").interval(), printed("1e-3").interval(cut=True)
    ((0.925, 0.935), (0.001, 0.002))
    """
    if isinstance(number, Printed):
        return number
    if isinstance(number, bool) or not isinstance(number, (str, Real)):
        if type(number).__name__ == "Decimal":
            return printed(str(number), count=count)
        msg = f"a claim is a number as it is printed, such as '0.93', '93 %' or 0.93; got {_shown(number)}"
        raise InputError(msg)
    given = isinstance(number, str)
    # str() of a NumPy number has the digits of its own precision.
    text = str(float(number) if isinstance(number, Fraction) else number).strip()
    if text.lower() in _NOTHING:
        return Printed(text, Fraction(0), Fraction(1), nothing=True, exact=given)
    return _read(text, exact=given, count=count)


def _read(text: str, *, exact: bool, count: bool) -> Printed:
    body = text.replace("\u2212", "-").replace("\u00a0", " ").strip()
    percent = body.endswith(("%", "\uff05"))
    body = _with_point(body.rstrip("%\uff05").strip(), count=count)
    number = _NUMBER.fullmatch(body)
    if number is not None and len(body) <= 60:
        decimals = number["decimals"] or ""
        digits = number["whole"] + decimals
        power = int(number["power"] or 0) - len(decimals) - 2 * percent
        # Beyond what floats hold there is nothing to compare with.
        if digits and _LEAST_POWER <= power <= _MOST_POWER - len(digits):
            unit = Fraction(10) ** power
            value = int(f"{number['sign'] or ''}{digits}") * unit
            return Printed(text, value, unit, percent, exact)
    msg = f"{_shown(text)} is no printed number; write it as it is in the paper: '0.93', '93 %', '.930'"
    raise InputError(msg)


def _with_point(body: str, *, count: bool) -> str:
    """A number without signs between thousands, and with a point before its decimals."""
    if count and _THOUSANDS.fullmatch(body):
        body = re.sub(r"[^\d+-]", "", body)
    return body.replace(",", ".") if body.count(",") == 1 and "." not in body else body


def _shown(value: Any) -> str:
    return printable(repr(value))[:60]


# The number of all items, which is no metric, and that of the actual items of a class.
TOTAL = "total"
SUPPORT = next(metric for metric in catalog().values() if metric.total_of == "actual")
_TOTALS = frozenset({"total", "n", "items", "number of items", "sample size"})


@dataclass(frozen=True)
class Claim:
    """A score (None is the total) as it was named, and its printed digits; `place` is the position of its class."""

    name: str
    printed: Printed
    score: Score | None
    place: int | None = None

    @property
    def metric(self) -> Any:
        """The metric of the score."""
        return None if self.score is None else self.score.metric

    @property
    def is_bare(self) -> bool:
        """Whether a metric per class names neither a class nor an average."""
        return (
            self.of_classes
            and self.place is None
            and self.score is not None
            and self.score.average is None
        )

    @property
    def of_classes(self) -> bool:
        """Whether the metric has a value per class."""
        return isinstance(self.metric, Metric) and self.metric.kind == "class"

    def __str__(self) -> str:
        return f"{printable(self.name)} = {self.printed}"


def claimed_pairs(claims: Any) -> list[tuple[Any, Any]]:
    """Scores and printed numbers of a mapping, or of pairs."""
    pairs = claims.items() if isinstance(claims, Mapping) else claims
    try:
        if isinstance(claims, (Mapping, Iterable)) and not isinstance(claims, (str, bytes)):
            return [(name, number) for name, number in pairs]
    except (TypeError, ValueError):
        pass
    msg = f"claims are a mapping of score to printed number, such as {{'accuracy': '0.93'}}; got {_shown(claims)}"
    raise InputError(msg)


def read_claims(claims: Any, labels: Labels) -> list[Claim]:
    """Read a mapping of score to printed number, or pairs of them."""
    read: dict[str, Claim] = {}
    for name, number in claimed_pairs(claims):
        claim = _claim(name, number, labels)
        if (
            read.setdefault(claim.name, claim) is not claim
            and read[claim.name].printed != claim.printed
        ):
            msg = f"{printable(claim.name)} is claimed twice: {read[claim.name].printed} and {claim.printed}"
            raise InputError(msg)
    return list(read.values())


def _claim(name: Any, number: Any, labels: Labels) -> Claim:
    if isinstance(name, str) and name.strip().lower() in _TOTALS:
        return Claim(TOTAL, printed(number, count=True), None)
    score = parse_score(name)
    if score.of is None:
        return Claim(_spelt(name, score), _number(score, number), score)
    label = label_spelt(labels, score.of)
    if label not in labels.classes:
        hint = meant(score.of, labels.classes) or f"; the classes are {some(labels.classes)}"
        msg = f"{printable(name)}: there is no class {_shown(score.of)}{hint}"
        raise LabelError(msg)
    return Claim(
        _spelt(name, score), _number(score, number), replace(score, of=label), labels.index(label)
    )


def _number(score: Score, number: Any) -> Printed:
    return printed(number, count=getattr(score.metric, "unit", None) == "items")


def _spelt(name: Any, score: Score) -> str:
    return name.strip() if isinstance(name, str) else str(score)
