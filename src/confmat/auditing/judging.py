"""Judging: which one reading of the table explains most claims, before each claim is explained by itself.

One orientation, one average, one positive class and one family of mistakes for all claims win over matches that are
found one by one, because a single number of two decimals equals something or other nearly always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from confmat.auditing.checks import Check
from confmat.auditing.claims import Claim
from confmat.auditing.conventions import CONVENTIONS
from confmat.auditing.lookup import by_chance, joint_chance
from confmat.auditing.mistakes import MISTAKES, Mistake
from confmat.auditing.readings import Reading, View, ordinary

__all__ = ["Judged", "confirmed", "explained", "oriented"]

_Matches = Callable[[Claim, View], list[Reading]]
# Below, a match is hardly chance.
_DOUBT = 0.05


@dataclass(frozen=True)
class Judged:
    """How a claim is reached: the check, the reading, how many claims are reached so, and by chance how often."""

    check: Check
    reading: Reading
    together: int
    chance: float | None


def confirmed(claims: Sequence[Claim], view: View) -> dict[int, Reading]:
    """The claims that their names reproduce, bare names by the reading that reproduces most of them."""
    found: dict[int, list[Reading]] = {}
    for at, claim in enumerate(claims):
        readings = [one for one in ordinary(claim, view) if claim.printed.allows(one.value)]
        if readings:
            found[at] = readings
    return _settled(found)


def _settled(found: dict[int, list[Reading]]) -> dict[int, Reading]:
    """One reading for each claim: the one whose class or average serves most claims."""
    counts = Counter(one.key for readings in found.values() for one in _one_per_key(readings))
    return {at: max(readings, key=lambda one: counts[one.key]) for at, readings in found.items()}


def _one_per_key(readings: Iterable[Reading]) -> Iterable[Reading]:
    return {one.key: one for one in readings}.values()


def oriented(claims: Sequence[Claim], view: View) -> tuple[View, int]:
    """The view that explains more claims, and how many more than the other; as given where none does."""
    here, there = (len(confirmed(claims, each)) for each in (view, view.flipped))
    if there > here:
        return view.flipped, there - here
    if there == here == 0:
        # Without a confirmed claim, a published mistake may say which way the table was read.
        places = range(len(claims))
        known = [
            max((len(_hits(claims, places, each, _of_mistake(one))) for one in MISTAKES), default=0)
            for each in (view, view.flipped)
        ]
        if known[1] >= known[0] + 2:
            return view.flipped, known[1] - known[0]
    return view, 0


def _of_mistake(mistake: Mistake) -> _Matches:
    return lambda claim, view: [one for one in mistake.readings(claim, view) if claim.printed.allows(one.value)]


def _hits(claims: Sequence[Claim], places: Iterable[int], view: View, matches: _Matches) -> dict[int, list[Reading]]:
    found = ((at, matches(claims[at], view)) for at in places)
    return {at: readings for at, readings in found if readings}


def explained(claims: Sequence[Claim], rest: Iterable[int], view: View) -> dict[int, Judged]:
    """Explain what is not confirmed by the convention or the published mistake that explains most of it, and so on.

    A mistake comes before conventions only where it explains several claims and chance would hardly do so.
    """
    families = [
        *(_Family(one.check, one.matches, one.readings, excuse=True) for one in CONVENTIONS),
        *(_Family(one.check, _of_mistake(one), one.readings, excuse=False) for one in MISTAKES),
    ]
    left = set(rest)
    matched = [_hits(claims, sorted(left), view, each.matches) for each in families]
    found: dict[int, Judged] = {}
    while left:
        wide = [{at: readings for at, readings in hits.items() if at in left} for hits in matched]
        best = max(range(len(families)), key=lambda each: _weight(claims, wide[each], view, families, each))
        if not wide[best]:
            break
        settled = _settled(wide[best])
        chances = _chances(claims, settled, view, families, best)
        for at, reading in settled.items():
            found[at] = Judged(families[best].check, reading, len(settled), chances[at])
        left -= set(settled)
    return found


@dataclass(frozen=True)
class _Family:
    check: Check
    matches: _Matches
    readings: Callable[[Claim, View], Iterable[Reading]]
    excuse: bool


def _weight(
    claims: Sequence[Claim], hits: dict[int, list[Reading]], view: View, families: list[_Family], at: int
) -> float:
    """How many claims a family explains; of a mistake little, unless it explains several and chance would not."""
    if families[at].excuse or not hits:
        return len(hits)
    chance = _chances(claims, _settled(hits), view, families, at) if len(hits) > 1 else {}
    sure = bool(chance) and all(one is not None and one < _DOUBT for one in chance.values())
    return len(hits) - 0.5 if sure else len(hits) / (2 * len(claims))


def _chances(
    claims: Sequence[Claim], settled: dict[int, Reading], view: View, families: list[_Family], best: int
) -> dict[int, float | None]:
    """How often chance would explain as much: of one claim, by any family; of several, by one for all of them."""
    if len(settled) == 1:
        (at,) = settled
        asked = families if not families[best].excuse else [one for one in families if one.excuse]
        return {at: by_chance(claims[at], (one.value for each in asked for one in each.readings(claims[at], view)))}
    alone = [by_chance(claims[at], (one.value for one in families[best].readings(claims[at], view))) for at in settled]
    return dict.fromkeys(settled, joint_chance(alone, len(families)))
