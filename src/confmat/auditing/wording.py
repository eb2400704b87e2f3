"""Wording: what a finding says. Only what is impossible for any matrix is called so."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

from confmat.auditing.checks import CHECKS
from confmat.auditing.claims import Claim
from confmat.auditing.contradicting import ALONE
from confmat.auditing.findings import Finding, Severity
from confmat.auditing.judging import Judged
from confmat.auditing.lookup import by_chance, catalogue_of, equal_to
from confmat.auditing.possible import why_impossible
from confmat.auditing.readings import Reading, View, ordinary

__all__ = ["about", "chance_text", "of_confirmed", "of_explained", "of_unexplained", "with_proof"]

# Numbers of so few decimals equal something or other nearly always.
_COARSE = 0.01


def about(code: str, claim: str, message: str, severity: Severity | None = None, **evidence: Any) -> Finding:
    """A finding of a declared check."""
    return Finding(code, severity or CHECKS[code].severity, claim, message, MappingProxyType(evidence))


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
        said = f"{readings[0].says} is {_number(readings[0].value, claim)}"
        return readings[0].value, f"{said}, since {why}" if why else said
    return readings[0].value, ", ".join(f"{one.says} is {_number(one.value, claim)}" for one in readings)


def chance_text(chance: float | None, together: int = 1) -> str:
    """How often a match like this is chance, in brackets."""
    if chance is None:
        return ""
    often = f"{chance:.2f}" if chance >= 0.01 else f"{chance:.1g}" if chance >= 1e-6 else "below 1e-6"
    many = "" if together == 1 else f", for {together} claims at once"
    return f" (by chance: {often}{many})"


def of_confirmed(claim: Claim, reading: Reading) -> Finding:
    """The finding for a claim that its name reproduces."""
    said = f"reproduced as {reading.says}" if claim.is_bare else "reproduced"
    if not claim.printed.exact and not claim.printed.finer().allows(reading.value) and claim.printed.unit < 1:
        exactly = _number(reading.value, claim)
        said += f"; printed with one zero more it would not be ({exactly}), so give the digits as text"
    return about("reproduced", claim.name, said, **_evidence(claim, reading.value, reading=reading.says))


def of_explained(claim: Claim, judged: Judged, view: View) -> Finding:
    """The finding for a claim that a convention or a published mistake explains."""
    value, named = _named(claim, view)
    chance, check = judged.chance, judged.check
    found = f"{judged.reading.says} = {_number(judged.reading.value, claim)}"
    if math.isnan(value) or abs(judged.reading.value - value) < 1e-12:
        # Only printed otherwise, or printed where there is no value: the reading says it all.
        found = judged.reading.says
    more = {"equals": (judged.reading.says,), "chance": chance, "together": judged.together}
    evidence = _evidence(claim, value, **more)
    tail = chance_text(chance, judged.together)
    if check.severity == "warning":
        also = "" if found.startswith(named) else f"; {named}" if found != judged.reading.says else f": {named}"
        said = (
            f"{check.title}: {found}{also}"
            if found != judged.reading.says or math.isnan(value)
            else f"{check.title}{also}"
        )
        if math.isnan(value) and found == judged.reading.says:
            said = f"{named}; {found}"
        return about(check.code, claim.name, f"{said}{tail}", **evidence)
    proof = why_impossible(claim, view)
    so = f"; impossible for any matrix with these totals: {proof}" if proof else ""
    # One number of two decimals accuses nobody of a formula.
    alone = judged.together == 1 and float(claim.printed.unit) >= _COARSE
    code = "not-reproducible" if alone else check.code
    said = f"not reproducible from this matrix: {named}; it equals {found}, {check.title}{tail}{so}"
    return about(code, claim.name, said, "error", **evidence)


def of_unexplained(claim: Claim, view: View) -> Finding:
    """The finding for a claim that nothing declared explains; the catalog may hold what it equals."""
    value, named = _named(claim, view)
    every = list(catalogue_of(view)) if claim.score is not None else []
    equal = equal_to(claim, every)
    turned = [] if equal else [f"{one} of the transposed matrix" for one in equal_to(claim, catalogue_of(view.flipped))]
    chance = by_chance(claim, (one.value for one in every)) if equal or turned else None
    proof = why_impossible(claim, view)
    evidence = _evidence(claim, value, equals=tuple(equal or turned), chance=chance)
    also = f"; it equals {', '.join(equal or turned)}{chance_text(chance)}" if equal or turned else ""
    if proof:
        return about(
            "impossible",
            claim.name,
            f"impossible for any matrix with these totals: {proof}; {named}{also}",
            **evidence,
        )
    return about("not-reproducible", claim.name, f"not reproducible from this matrix: {named}{also}", **evidence)


def with_proof(found: Finding, proof: str | None) -> Finding:
    """The finding with what proves it, whatever the matrix is."""
    if proof is None:
        return found
    evidence = MappingProxyType({**found.evidence, "proof": proof})
    if proof == ALONE and found.code == "not-reproducible":
        said = found.message.replace(CHECKS[found.code].title, CHECKS["impossible"].title, 1)
        return Finding("impossible", found.severity, found.claim, f"{said}; {proof}", evidence)
    return Finding(found.code, found.severity, found.claim, f"{found.message}; {proof}", evidence)
