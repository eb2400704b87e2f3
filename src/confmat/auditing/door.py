"""The door: `audit` reads a table and claims, judges them together, and words what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from confmat.auditing.claims import Claim, read_claims
from confmat.auditing.contradicting import contradicted
from confmat.auditing.findings import Finding, Findings
from confmat.auditing.integrity import examined
from confmat.auditing.judging import confirmed, explained, oriented
from confmat.auditing.printed import printed
from confmat.auditing.readings import Reading, View
from confmat.auditing.wording import about, chance_text, of_confirmed, of_explained, of_unexplained, with_proof
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.options import as_list, one_of

__all__ = ["audit"]


def audit(
    m: Any,
    claims: Any = (),
    *,
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    rows: Literal["actual", "predicted"] = "actual",
    total: Any = None,
    supports: Mapping[Any, Any] | Sequence[Any] | None = None,
) -> Findings:
    """Say of every printed number whether it follows from a matrix, and if not, from what it does.

    `m` is a ConfusionMatrix or the table as it was printed, whose integrity is examined first. `claims` maps scores
    to printed numbers, best as text: "0.930" claims more than 0.93. Each claim stands for the interval that its
    digits allow. `total` and `supports` are totals that are printed beside the table. Rows are actual classes
    unless `rows` says "predicted"; the labels may be given in `labels`, the positive class of two in `positive`.

    A claim is *ok* if its name gives it, a *warning* if a declared convention does (cut digits, 0/0 printed as 0,
    another average or orientation than the name says), and an *error* otherwise. All claims are judged together:
    one orientation, one average and one mistaken formula for all of them win over what is found one by one.

    >>> found = audit([[50, 0], [25, 25]], {"accuracy": "1.000", "f1[0]": "0.800"})
    >>> [(one.claim, one.severity, one.code) for one in found]
    [('accuracy', 'error', 'not-reproducible'), ('f1[0]', 'ok', 'reproduced')]
    """
    one_of("rows", rows, ("actual", "predicted"))
    matrix, found = examined(m, labels, positive, rows, total, supports)
    if matrix is None:
        return Findings(found, ["The claims were not looked at: the table is no confusion matrix."] if claims else [])
    asked = read_claims(claims, matrix.labels) + _stated(total, supports, matrix.labels)
    return Findings([*found, *_judged(list({one.name: one for one in asked}.values()), View(matrix))])


def _stated(total: Any, supports: Any, labels: Labels) -> list[Claim]:
    """Stated totals as claims like any others."""
    found: dict[Any, Any] = {} if total is None else {"total": total}
    if supports is not None:
        if not isinstance(supports, Mapping):
            given = as_list("supports", supports, "one total per class, or a mapping of class to total")
            if len(given) != labels.n_classes:
                msg = Message(
                    "{supports} gives {} totals for {} classes; give one for each", len(given), labels.n_classes
                )
                raise InputError(msg)
            supports = dict(zip(labels.classes, given, strict=True))
        found |= {f"support[{label}]": printed(number, count=True) for label, number in supports.items()}
    return read_claims(found, labels)


def _judged(claims: list[Claim], view: View) -> list[Finding]:
    chosen, gain = oriented(claims, view)
    sure = confirmed(claims, chosen)
    rest = [at for at in range(len(claims)) if at not in sure]
    why = explained(claims, rest, chosen)
    found = []
    for at, claim in enumerate(claims):
        if at in sure:
            found.append(of_confirmed(claim, sure[at]))
            continue
        one = of_explained(claim, why[at], chosen) if at in why else of_unexplained(claim, chosen)
        if one.severity == "error" and one.code != "impossible":
            one = with_proof(one, contradicted(claim, [claims[other] for other in sure], chosen))
        found.append(one)
    table = [*_orientation(claims, view, chosen, gain), *_mixed(claims, sure)]
    return [*table, *found]


def _orientation(claims: list[Claim], view: View, chosen: View, gain: int) -> list[Finding]:
    if chosen is view:
        return []
    here, there = (confirmed(claims, each) for each in (view, chosen))
    telling = [at for at in there if at not in here]
    chance = _by_chance([claims[at] for at in telling]) if telling else None
    said = (
        f"rows and columns exchanged: {len(there)} of {len(claims)} claims are reproduced if rows are what was "
        f"predicted, {len(here)} as given{chance_text(chance)}; the claims are judged so"
        if gain and there
        else "rows and columns exchanged: a published mistake explains the claims if rows are what was predicted"
    )
    told = tuple(claims[at].name for at in telling)
    return [about("transposed", "orientation", said, reproduced=len(there), as_given=len(here), by=told, chance=chance)]


def _by_chance(telling: list[Claim]) -> float | None:
    """How often numbers at random would speak for the other orientation: a unit of each within its bounds."""
    product = 1.0
    for claim in telling:
        low, high = getattr(claim.metric, "bounds", (None, None))
        if low is None or high is None:
            continue
        product *= min(1.0, float(claim.printed.unit) / (high - low))
    return product if product < 1 else None


def _mixed(claims: list[Claim], sure: dict[int, Reading]) -> list[Finding]:
    """Bare names that agree with different averages."""
    read = {claims[at].name: reading for at, reading in sure.items() if reading.key is not None and claims[at].is_bare}
    keys = dict.fromkeys(one.key for one in read.values())
    if len(keys) < 2:
        return []
    said = ", ".join(f"{name} as {one.says}" for name, one in read.items())
    return [about("mixed-averages", "averages", f"different averages under one heading: {said}")]
