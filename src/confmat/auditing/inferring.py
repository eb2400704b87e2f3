"""The door of inference: `infer` reads claims and totals, chooses the solver, and wraps what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

from confmat.auditing.binary import TWO, tables
from confmat.auditing.claims import TOTAL, Claim, claimed_pairs, read_claims
from confmat.auditing.inference import Inference
from confmat.auditing.margins import reports
from confmat.auditing.printed import printed
from confmat.auditing.values import Asked, asked_of
from confmat.core.errors import Argument, InputError, Message
from confmat.core.labels import Labels
from confmat.core.options import told
from confmat.core.text import printable
from confmat.metrics import parse_score

__all__ = ["infer"]


def infer(
    claims: Any,
    *,
    positives: int | None = None,
    negatives: int | None = None,
    total: int | None = None,
    supports: Mapping[Any, int] | None = None,
    undefined: float | None = None,
    budget: int = 20_000_000,
    progress: Callable[[float], object] | None = None,
) -> Inference:
    """Find all matrices of counts that printed scores allow.

    Of two classes give `positives` and `total` (or `negatives`); with `total` alone every number of positives is
    tried. Of several classes give `supports`, the actual total of each class, or claims such as "support[Cat]"; the
    other claims may then be "precision[Cat]", "recall[Cat]", "f1[Cat]" and "accuracy", as a report prints them.

    A score without a value, 0/0, is not taken to be printed as a number unless `undefined` says which. `budget`
    bounds what is tried, hence time and memory; `progress` is told the share that is done.

    >>> found = infer({"accuracy": "0.93", "sensitivity": "0.91"}, positives=120, total=400)
    >>> found.count, found.range("specificity")
    (5, Range(low=0.9321428571428572, high=0.9464285714285714, exact=True))
    """
    _check(budget, undefined)
    pairs = claimed_pairs(claims)
    named = _supports(pairs, supports)
    shown = {str(name): str(number) for name, number in pairs}
    if named is not None:
        if positives is not None or negatives is not None:
            msg = Message("{positives} and {negatives} are for two classes without names; give {supports} alone")
            raise InputError(msg)
        return _of_report(pairs, named, total, shown, undefined, budget, progress)
    found = read_claims(pairs, TWO)
    p, n = _totals(found, positives, negatives, total)
    asked = [asked_of(claim) for claim in found if claim.score is not None]
    return Inference(tables(asked, p, n, undefined, budget, progress), shown)


def _check(budget: Any, undefined: Any) -> None:
    """Complain of a budget or a fill that is none."""
    is_number = isinstance(budget, Real) and not isinstance(budget, bool)
    if not (is_number and budget >= 1):
        msg = Message("{budget} is how many tables may be tried, at least 1; got {}", told(budget))
        raise InputError(msg)
    if undefined is not None and (isinstance(undefined, bool) or not isinstance(undefined, Real)):
        msg = Message("{undefined} is the number that 0/0 was printed as, or None; got {}", told(undefined))
        raise InputError(msg)


def _totals(claims: list[Claim], positives: Any, negatives: Any, total: Any) -> tuple[int | None, int]:
    """The positives, if they are known, and the total."""
    stated = [claim.printed for claim in claims if claim.name == TOTAL]
    given = {
        "positives": positives,
        "negatives": negatives,
        "total": total if total is not None or not stated else stated[0],
    }
    known = {name: _count(name, number) for name, number in given.items() if number is not None}
    if "total" not in known:
        if len(known) < 2:
            msg = Message("say how many items there are: {total:400}, or {positives:120} and {negatives:280}")
            raise InputError(msg)
        known["total"] = known["positives"] + known["negatives"]
    if "negatives" in known and "positives" not in known:
        known["positives"] = known["total"] - known["negatives"]
    p, n = known.get("positives"), known["total"]
    if p is not None and not (0 <= p <= n and known.get("negatives", n - p) == n - p):
        totals = [Message("{}", Argument(name, number)) for name, number in known.items()]
        msg = Message("the totals do not fit together: {}", Message.joined(", ", totals))
        raise InputError(msg)
    return p, n


def _count(name: str, number: Any) -> int:
    found = printed(number, count=True)
    if found.nothing or found.value.denominator != 1 or found.value < 0 or found.value > 10**12:
        msg = Message("{} is a count of items, up to 10^12; got {}", Argument(name), printable(repr(number))[:40])
        raise InputError(msg)
    return int(found.value)


def _supports(pairs: list[Any], supports: Any) -> dict[Any, int] | None:
    """The actual totals of named classes, from `supports` and from claims; None where no class is named."""
    if supports is not None and not isinstance(supports, Mapping):
        msg = Message("{supports} maps each class to its number of items, not {}", printable(repr(supports))[:40])
        raise InputError(msg)
    found = {} if supports is None else {label: _count("supports", number) for label, number in supports.items()}
    for name, number in pairs:
        score = None if str(name).strip().lower() in {TOTAL, "n"} else parse_score(name)
        if score is not None and score.of is not None and getattr(score.metric, "name", "") == "support":
            found.setdefault(score.of, _count("supports", number))
    if found or supports is not None:
        return found
    return None


def _of_report(
    pairs: list[Any],
    supports: dict[Any, int],
    total: Any,
    shown: dict[str, str],
    undefined: float | None,
    budget: int,
    progress: Callable[[float], object] | None,
) -> Inference:
    labels = Labels(list(supports))
    n = sum(supports.values())
    if not n:
        msg = "the supports add up to nothing; without a single item no score has a value"
        raise InputError(msg)
    asked: list[Asked] = []
    for claim in read_claims(pairs, labels):
        if claim.name == TOTAL or getattr(claim.metric, "name", "") == "support":
            continue
        if claim.is_bare:
            first = printable(labels.classes[0])
            msg = f"{claim.name} has a value per class; say {claim.name}.macro or {claim.name}[{first}]"
            raise InputError(msg)
        asked.append(asked_of(claim))
    if total is not None and _count("total", total) != n:
        msg = f"the supports add up to {n:,}, not to {_count('total', total):,}"
        raise InputError(msg)
    found = reports(asked, labels, list(supports.values()), undefined, budget, progress)
    return Inference(found, shown, found.notes)
