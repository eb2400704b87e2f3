"""Verdicts on claims: the one reading of a table that explains most of them comes before each by itself.

One orientation, one average, one positive class and one family of mistakes for all claims win over
matches that are found one by one, because a single number of two decimals equals something or other
nearly always.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from confmat.auditing.claims import SUPPORT, Claim, printed, read_claims
from confmat.auditing.explanations import CONVENTIONS, MISTAKES, Explanation
from confmat.auditing.findings import CHECKS, Check, Finding, Findings, about
from confmat.auditing.integrity import examined
from confmat.auditing.readings import (
    Reading,
    View,
    by_chance,
    class_name,
    equal_to,
    joint_chance,
    ordinary,
    values_often_printed,
)
from confmat.auditing.solutions import Asked, asked_of
from confmat.auditing.two_classes import solved
from confmat.core.align import by_label, one_for_each
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, one_of
from confmat.metrics import Metric, Score

# Below, a match is hardly chance.
_DOUBT = 0.05
_EXPLANATIONS = (*CONVENTIONS, *MISTAKES)


@dataclass(frozen=True)
class Judged:
    """How a claim is reached: the check, the reading, the number of claims reached so, and the chance of that."""

    check: Check
    reading: Reading
    together: int
    chance: float | None


def confirmed(claims: Sequence[Claim], view: View) -> dict[int, Reading]:
    """The claims that their names reproduce, bare names by the reading that reproduces most of them."""
    matches = [
        [reading for reading in ordinary(claim, view) if claim.printed.allows(reading.value)]
        for claim in claims
    ]
    return _settled({at: readings for at, readings in enumerate(matches) if readings})


def _settled(matches: dict[int, list[Reading]]) -> dict[int, Reading]:
    """One reading for each claim: the one whose class or average serves most claims."""
    counts = Counter(
        key for readings in matches.values() for key in {reading.key for reading in readings}
    )
    return {
        at: max(readings, key=lambda reading: counts[reading.key])
        for at, readings in matches.items()
    }


def exchanged(claims: Sequence[Claim], view: View) -> dict[int, Reading]:
    """The claims that are printed one as the other inside a class, as precision and recall are in exchanged columns.

    Nothing where that is so in every class: then the whole table is turned.
    """
    here, there = confirmed(claims, view), confirmed(claims, view.flipped)
    named = _of_one_class(claims, there)
    pairs = {at: (claims[at].metric.transposed, of) for (name, of), at in named.items()}
    pairs = {at: other for at, other in pairs.items() if other in named}
    # Another pair of one of two classes, such as specificity and NPV, is a pair of the other class.
    if (
        len({of for _, of in pairs.values()}) == len(view.classes)
        or len(pairs) > len(view.classes) == 2
    ):
        return {}
    return {
        at: Reading(there[at].value, f"{name}[{class_name(view, of)}]", ("class", of))
        for at, (name, of) in pairs.items()
        if at not in here
    }


def _of_one_class(claims: Sequence[Claim], read: dict[int, Reading]) -> dict[tuple[str, Any], int]:
    """The places of claims about a class, by the metric and the class."""
    named = {}
    for at, reading in read.items():
        kind, of = reading.key or ("class", claims[at].place)
        if claims[at].of_classes and kind == "class" and of is not None:
            named[claims[at].metric.name, of] = at
    return named


def oriented(claims: Sequence[Claim], view: View, least: int) -> tuple[View, int]:
    """The view that explains more claims, and how many more than the other; as given where there are too few of them.

    Claims that an exchange inside a class explains do not speak for the other view, unless others
    do too.
    """
    here, there = (confirmed(claims, each) for each in (view, view.flipped))
    gain = len(there) - len(here)
    if gain >= least and there.keys() - here.keys() - exchanged(claims, view).keys():
        return view.flipped, gain
    if not there and not here:
        # Without a confirmed claim, a published mistake may say which way the table was read.
        places = range(len(claims))
        known = [
            max(len(_hits(claims, places, each, mistake)) for mistake in MISTAKES)
            for each in (view, view.flipped)
        ]
        if known[1] >= known[0] + 2:
            return view.flipped, known[1] - known[0]
    return view, 0


def _hits(
    claims: Sequence[Claim], places: Iterable[int], view: View, explanation: Explanation
) -> dict[int, list[Reading]]:
    """The readings that explain claims, by the claims' places."""
    matches = ((at, explanation.matches(claims[at], view)) for at in places)
    return {at: readings for at, readings in matches if readings}


def explained(claims: Sequence[Claim], rest: Iterable[int], view: View) -> dict[int, Judged]:
    """Explain what is not confirmed by the convention or the published mistake that explains most of it, and so on.

    A mistake comes before conventions only where it explains several claims and chance would hardly
    do so.
    """
    left = set(rest)
    matched = [(each, _hits(claims, sorted(left), view, each)) for each in _EXPLANATIONS]
    judged: dict[int, Judged] = {}
    while left:
        wide = [(each, {at: hits[at] for at in hits if at in left}) for each, hits in matched]
        best, hits = max(wide, key=lambda pair: _weight(claims, pair[1], view, pair[0]))
        if not hits:
            break
        settled = _settled(hits)
        chances = _chances(claims, settled, view, best)
        for at, reading in settled.items():
            judged[at] = Judged(best.check, reading, len(settled), chances[at])
        left -= set(settled)
    return judged


def _weight(
    claims: Sequence[Claim], hits: dict[int, list[Reading]], view: View, explanation: Explanation
) -> float:
    """How many claims are explained; of a mistake little, unless it explains several and chance would not."""
    if not explanation.is_mistake or not hits:
        return len(hits)
    chances = _chances(claims, _settled(hits), view, explanation) if len(hits) > 1 else {}
    sure = bool(chances) and all(
        chance is not None and chance < _DOUBT for chance in chances.values()
    )
    return len(hits) - 0.5 if sure else len(hits) / (2 * len(claims))


def _chances(
    claims: Sequence[Claim], settled: dict[int, Reading], view: View, best: Explanation
) -> dict[int, float | None]:
    """How often chance would explain as much: one claim by any explanation, several by one for all of them."""
    if len(settled) == 1:
        (at,) = settled
        asked = _EXPLANATIONS if best.is_mistake else CONVENTIONS
        return {
            at: by_chance(
                claims[at],
                (reading.value for each in asked for reading in each.readings(claims[at], view)),
            )
        }
    alone = [
        by_chance(claims[at], (reading.value for reading in best.readings(claims[at], view)))
        for at in settled
    ]
    return dict.fromkeys(settled, joint_chance(alone, len(_EXPLANATIONS)))


# Names of the items of which a score of one class is a share.
_ITEMS = {"actual": "items of", "actual_negative": "items that are not"}


def why_impossible(claim: Claim, view: View) -> str | None:
    """Why no matrix with these actual totals has the score, or None where one may.

    A share of r items is one of 0/r, 1/r ... r/r; digits that no such share is printed with,
    rounded or cut, prove that the score was worked out from something else.
    """
    metric = claim.metric
    if not isinstance(metric, Metric) or claim.printed.nothing:
        return None
    low, high = ends_of(claim)
    if (out := _out_of_bounds(metric, low, high)) is not None:
        return out
    if view.m.is_weighted or claim.score is None or claim.score.average is not None:
        return None
    share = _share(claim, view)
    if share is None or math.ceil(low * share[0]) <= math.floor(high * share[0]):
        return None
    bottom, of = share
    nearest = sorted({math.floor(low * bottom), math.ceil(high * bottom)})
    shares = " and ".join(
        f"{k}/{bottom} = {k / bottom:.{claim.printed.decimals + 2}f}" for k in nearest
    )
    return f"it is a share of {bottom:,} {of}, and the nearest are {shares}"


def _out_of_bounds(metric: Metric, low: Fraction, high: Fraction) -> str | None:
    """Why a metric has no value from low to high, or None where its bounds allow one."""
    least, most = metric.bounds
    if (most is None or low <= most) and (least is None or high >= least):
        return None
    ends = {"at least": least, "at most": most}
    spelt = [f"{words} {end:g}" for words, end in ends.items() if end is not None]
    return f"{metric.name} is {' and '.join(spelt)}"


def ends_of(claim: Claim) -> tuple[Fraction, Fraction]:
    """The least and greatest value that is rounded or cut to the digits."""
    digits = claim.printed
    ends = [digits.value - digits.unit / 2, digits.value + digits.unit / 2]
    cut = digits.value + (digits.unit if digits.value >= 0 else -digits.unit)
    return min(*ends, cut), max(*ends, cut)


def _share(claim: Claim, view: View) -> tuple[int, str] | None:
    """The items that the score is a share of, and their number; None where it is not a share."""
    share_of = claim.metric.share_of
    if share_of == "total":
        return int(view.m.total), "items"
    # A mean over classes is no share of one of them.
    if share_of not in _ITEMS or claim.place is None:
        return None
    bottom = int(getattr(view.cells, share_of)[claim.place])
    return (bottom, f"{_ITEMS[share_of]} {class_name(view, claim.place)}") if bottom else None


ALONE = "no table of counts with these totals has it"
# Larger tables take too long for a remark.
_MOST = 200_000
_ROWS = 1_000_000


def contradicted(claim: Claim, sure: Iterable[Claim], view: View) -> str | None:
    """Why a claim cannot be, whatever the matrix is: by the totals alone, or beside a claim that was reproduced.

    Every table with these actual totals is tried, whether digits were rounded or cut and whatever
    0/0 was printed as.
    """
    if (
        len(view.classes) != 2
        or view.m.is_weighted
        or view.m.labels.outside
        or view.m.total > _MOST
    ):
        return None
    asked = _asked(claim)
    if asked is None:
        return None
    if not _some([asked], view):
        return ALONE
    for other in sure:
        beside = _asked(other)
        if beside is not None and not _some([asked, beside], view):
            return f"no table of counts with these totals has it together with {other}"
    return None


def _asked(claim: Claim) -> Asked | None:
    if claim.is_bare or claim.score is None or getattr(claim.metric, "unit", None) == "items":
        return None
    try:
        asked = asked_of(claim)
    except InputError:
        return None
    low, high = ends_of(claim)
    return replace(asked, low=float(low), high=float(high))


def _some(asked: Sequence[Asked], view: View) -> bool:
    """Whether there is a table."""
    positives = np.array([int(view.m.actual_totals[0])], dtype=np.int64)
    for undefined in (None, 0.0, 1.0):
        region, whole = solved(positives, int(view.m.total), list(asked), undefined, _ROWS)
        if len(region.tp) or not whole:
            return True
    return False


# Numbers of so few decimals equal something or other nearly always.
_COARSE = 0.01


def _number(value: float, claim: Claim) -> str:
    if math.isnan(value):
        return "undefined"
    if value == int(value) and getattr(claim.metric, "unit", "items") == "items":
        return f"{int(value):,}"
    return f"{value:.{min(claim.printed.decimals + 2, 12)}f}"


def _evidence(claim: Claim, value: float, **more: Any) -> dict[str, Any]:
    low, high = claim.printed.interval()
    return {"printed": claim.printed.text, "low": low, "high": high, "value": value, **more}


def _named(claim: Claim, view: View) -> tuple[float, str]:
    """The value by the name, and the text that gives it: several values of a bare name."""
    readings = ordinary(claim, view)
    if len(readings) == 1:
        why = getattr(claim.metric, "undefined", None) if math.isnan(readings[0].value) else None
        equation = f"{readings[0].says} is {_number(readings[0].value, claim)}"
        return readings[0].value, f"{equation}, since {why}" if why else equation
    return readings[0].value, ", ".join(
        f"{reading.says} is {_number(reading.value, claim)}" for reading in readings
    )


def chance_text(chance: float | None, together: int = 1) -> str:
    """How often a match like this is chance, in brackets."""
    if chance is None:
        return ""
    often = (
        f"{chance:.2f}" if chance >= 0.01 else f"{chance:.1g}" if chance >= 1e-6 else "below 1e-6"
    )
    many = "" if together == 1 else f", for {together} claims at once"
    return f" (by chance: {often}{many})"


def of_confirmed(claim: Claim, reading: Reading) -> Finding:
    """The finding for a claim that its name reproduces."""
    message = f"reproduced as {reading.says}" if claim.is_bare else "reproduced"
    if (
        not claim.printed.exact
        and not claim.printed.finer().allows(reading.value)
        and claim.printed.unit < 1
    ):
        exactly = _number(reading.value, claim)
        message += (
            f"; printed with one zero more it would not be ({exactly}), so give the digits as text"
        )
    return about(
        "reproduced", claim.name, message, **_evidence(claim, reading.value, reading=reading.says)
    )


def of_explained(claim: Claim, judged: Judged, view: View) -> Finding:
    """The finding for a claim that a convention or a published mistake explains."""
    value, named = _named(claim, view)
    chance, check = judged.chance, judged.check
    # Only printed otherwise, or printed where there is no value: the reading says it all.
    is_same = math.isnan(value) or abs(judged.reading.value - value) < 1e-12
    says = judged.reading.says
    equal = says if is_same else f"{says} = {_number(judged.reading.value, claim)}"
    more = {"equals": (says,), "chance": chance, "together": judged.together}
    evidence = _evidence(claim, value, **more)
    tail = chance_text(chance, judged.together)
    if check.severity == "warning":
        message = f"{check.title}: {named}" if is_same else f"{check.title}: {equal}; {named}"
        if math.isnan(value):
            message = f"{named}; {equal}"
        return about(check.code, claim.name, f"{message}{tail}", **evidence)
    proof = why_impossible(claim, view)
    so = f"; impossible for any matrix with these totals: {proof}" if proof else ""
    # One number of two decimals accuses nobody of a formula.
    alone = judged.together == 1 and float(claim.printed.unit) >= _COARSE
    code = "not-reproducible" if alone else check.code
    message = (
        f"not reproducible from this matrix: {named}; it equals {equal}, {check.title}{tail}{so}"
    )
    return about(code, claim.name, message, "error", **evidence)


def of_unexplained(claim: Claim, view: View) -> Finding:
    """The finding for a claim that nothing declared explains; the catalog may hold what it equals."""
    value, named = _named(claim, view)
    every = list(values_often_printed(view)) if claim.score is not None else []
    equal = equal_to(claim, every)
    if not equal:
        turned = equal_to(claim, values_often_printed(view.flipped))
        equal = [f"{name} of the transposed matrix" for name in turned]
    chance = by_chance(claim, (reading.value for reading in every)) if equal else None
    proof = why_impossible(claim, view)
    evidence = _evidence(claim, value, equals=tuple(equal), chance=chance)
    also = f"; it equals {', '.join(equal)}{chance_text(chance)}" if equal else ""
    code, text = "not-reproducible", "not reproducible from this matrix"
    if proof:
        code, text = "impossible", f"impossible for any matrix with these totals: {proof}"
    return about(code, claim.name, f"{text}{';' if proof else ':'} {named}{also}", **evidence)


def with_proof(finding: Finding, proof: str | None) -> Finding:
    """The finding with what proves it, whatever the matrix is."""
    if proof is None:
        return finding
    evidence = MappingProxyType({**finding.evidence, "proof": proof})
    if proof == ALONE and finding.code == "not-reproducible":
        message = finding.message.replace(CHECKS[finding.code].title, CHECKS["impossible"].title, 1)
        return Finding(
            "impossible", finding.severity, finding.claim, f"{message}; {proof}", evidence
        )
    return Finding(
        finding.code, finding.severity, finding.claim, f"{finding.message}; {proof}", evidence
    )


@door
def audit(
    m: Any,
    claims: Any = (),
    *,
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    rows: Literal["actual", "predicted"] | None = None,
    total: Any = None,
    supports: Mapping[Any, Any] | Sequence[Any] | None = None,
) -> Findings:
    """Say whether every printed number follows from a matrix, and what it follows from if not.

    All claims are judged together: one orientation, one average and one mistaken formula for all of
    them win over explanations that are found one by one.

    Parameters
    ----------
    m
        A ConfusionMatrix, or the table as it was printed, whose integrity is examined first.
    claims
        A mapping of scores to printed numbers, best as text: "0.930" claims more than 0.93. Each
        claim means the interval that its digits allow.
    labels
        The labels of a printed table.
    positive
        The positive class of two.
    rows
        "actual" or "predicted": the side that the rows of a printed table are of, by default
        actual. Where this is stated, as a ConfusionMatrix states it too, a single claim never
        speaks for the other side; two do.
    total, supports
        Totals that are printed beside the table: of all items, and of each class.

    Returns
    -------
    Findings
        A finding is *ok* if the name of the claim gives the number, a *warning* if a declared
        convention does (cut digits, 0/0 printed as 0, another average or orientation than the name
        says), and an *error* otherwise.

    Examples
    --------
    >>> found = audit([[50, 0], [25, 25]], {"accuracy": "1.000", "f1[0]": "0.800"})
    >>> [(one.claim, one.severity, one.code) for one in found]
    [('accuracy', 'error', 'not-reproducible'), ('f1[0]', 'ok', 'reproduced')]
    """
    if rows is not None:
        one_of("rows", rows, ("actual", "predicted"))
    matrix, findings = examined(m, labels, positive, rows)
    if matrix is None:
        return Findings(
            findings,
            ["The claims were not looked at: the table is no confusion matrix."] if claims else [],
        )
    asked = read_claims(claims, matrix.labels) + _stated(total, supports, matrix.labels)
    stated = rows is not None or isinstance(m, ConfusionMatrix)
    return Findings(
        [
            *findings,
            *_judged(list({claim.name: claim for claim in asked}.values()), View(matrix), stated),
        ]
    )


def _stated(total: Any, supports: Any, labels: Labels) -> list[Claim]:
    """Stated totals as claims like any others."""
    totals: dict[Any, Any] = {} if total is None else {"total": total}
    if supports is not None:
        # By name some may be left out: each is a claim of its own.
        by_name = by_label(supports, labels, "supports")
        if by_name is None:
            by_name = dict(
                zip(labels.classes, one_for_each(supports, labels.classes, "supports"), strict=True)
            )
        totals |= {
            Score(SUPPORT, of=label): printed(number, count=True)
            for label, number in by_name.items()
        }
    return read_claims(totals, labels)


def _judged(claims: list[Claim], view: View, stated: bool) -> list[Finding]:
    chosen, gain = oriented(claims, view, 2 if stated else 1)
    sure = confirmed(claims, chosen)
    inside = exchanged(claims, chosen)
    chance = joint_chance(
        (by_chance(claims[at], [reading.value]) for at, reading in inside.items()),
        len(_EXPLANATIONS),
    )
    why = {
        at: Judged(CHECKS["exchanged"], reading, len(inside), chance)
        for at, reading in inside.items()
    }
    why |= explained(claims, {*range(len(claims))} - sure.keys() - inside.keys(), chosen)
    findings = []
    for at, claim in enumerate(claims):
        if at in sure:
            findings.append(of_confirmed(claim, sure[at]))
            continue
        finding = (
            of_explained(claim, why[at], chosen) if at in why else of_unexplained(claim, chosen)
        )
        if finding.severity == "error" and finding.code != "impossible":
            finding = with_proof(
                finding, contradicted(claim, [claims[other] for other in sure], chosen)
            )
        findings.append(finding)
    table = [*_orientation(claims, view, chosen, gain, inside), *_mixed(claims, sure)]
    return [*table, *findings]


def _orientation(
    claims: list[Claim], view: View, chosen: View, gain: int, inside: Mapping[int, Reading]
) -> list[Finding]:
    here, there = (confirmed(claims, each) for each in (view, view.flipped))
    # An exchange inside a class may be one of the whole table, if no claim is reproduced as given
    # alone.
    ambiguous = inside and not here.keys() - there.keys()
    if chosen is view and not ambiguous:
        return []
    telling = [at for at in there if at not in here]
    chance = _by_chance([claims[at] for at in telling]) if telling else None
    shares = f"{len(there)} of {len(claims)} claims are reproduced"
    if chosen is view:
        keys = (reading.key for reading in inside.values())
        classes = ", ".join(dict.fromkeys(class_name(view, key[1]) for key in keys if key))
        text = (
            f"ambiguous: two scores of {classes} are exchanged, or rows and columns of the table: "
            f"{shares} either way; the claims are judged by the first"
        )
    elif gain and there:
        text = (
            f"rows and columns exchanged: {shares} if rows are what was predicted, {len(here)} as "
            f"given{chance_text(chance)}; the claims are judged so"
        )
    else:
        text = "rows and columns exchanged: a published mistake explains the claims if rows are what was predicted"
    by = tuple(claims[at].name for at in telling)
    evidence: dict[str, Any] = {"reproduced": len(there), "as_given": len(here), "by": by}
    return [about("transposed", "orientation", text, **evidence, chance=chance)]


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
    read = {
        claims[at].name: reading
        for at, reading in sure.items()
        if reading.key is not None and claims[at].is_bare
    }
    keys = dict.fromkeys(reading.key for reading in read.values())
    if len(keys) < 2:
        return []
    readings = ", ".join(f"{name} as {reading.says}" for name, reading in read.items())
    return [
        about("mixed-averages", "averages", f"different averages under one heading: {readings}")
    ]
