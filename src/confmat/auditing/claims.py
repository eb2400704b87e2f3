"""Claims: which score was printed with which digits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from confmat.auditing.printed import Printed, printed
from confmat.core.errors import InputError, LabelError
from confmat.core.labels import Labels
from confmat.core.text import meant, printable, some
from confmat.metrics import Metric, Score, parse_score
from confmat.metrics.catalog import label_spelt

__all__ = ["TOTAL", "Claim", "claimed_pairs", "read_claims"]

# The number of all items, which is no metric.
TOTAL = "total"
_TOTALS = frozenset({"total", "n", "items", "number of items", "sample size"})
_COUNTS = frozenset({"support", "predicted_positives"})


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
        return self.of_classes and self.place is None and self.score is not None and self.score.average is None

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
    found: dict[str, Claim] = {}
    for name, number in claimed_pairs(claims):
        one = _claim(name, number, labels)
        if found.setdefault(one.name, one) is not one and found[one.name].printed != one.printed:
            msg = f"{printable(one.name)} is claimed twice: {found[one.name].printed} and {one.printed}"
            raise InputError(msg)
    return list(found.values())


def _claim(name: Any, number: Any, labels: Labels) -> Claim:
    if isinstance(name, str) and name.strip().lower() in _TOTALS:
        return Claim(TOTAL, printed(number, count=True), None)
    score = parse_score(name)
    if score.of is None:
        return Claim(_spelt(name, score), _number(score, number), score)
    label = label_spelt(labels, score.of)
    if label not in labels.classes:
        raise LabelError(_unknown(name, score.of, labels))
    return Claim(_spelt(name, score), _number(score, number), replace(score, of=label), labels.index(label))


def _number(score: Score, number: Any) -> Printed:
    return printed(number, count=getattr(score.metric, "name", "") in _COUNTS)


def _spelt(name: Any, score: Score) -> str:
    return name.strip() if isinstance(name, str) else str(score)


def _unknown(name: Any, wanted: Any, labels: Labels) -> str:
    hint = meant(wanted, labels.classes) or f"; the classes are {some(labels.classes)}"
    return f"{printable(name)}: there is no class {printable(repr(wanted))[:60]}{hint}"


def _shown(value: Any) -> str:
    return printable(repr(value))[:60]
