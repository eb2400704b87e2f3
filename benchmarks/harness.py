"""Shared by all benchmarks: contests in which every answer is asserted first, and noise hits all alike.

The contestants of a contest take turns, round after round, so that a busy minute slows all of them;
the median over the rounds is reported. Times are per call; ratios are per pair, so that a slow peer
may work on fewer.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "OURS",
    "Contestant",
    "Effort",
    "Entry",
    "Race",
    "amount",
    "arguments",
    "as_json",
    "contest",
    "main",
    "show",
    "times",
    "told",
]

OURS = "confmat"
# A measurement shorter than this is lost in the clock and in the first touch of caches; calls are
# bundled up to it.
SHORTEST = 0.002
# A first call this long needs no warming up: it counts as a measurement.
LONG = 0.5
VERY_LONG = 4.0
FEW = 7


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to get the answer; `table` brings its result into the form of `expected`, outside of the clock."""

    name: str
    pairs: int
    call: Callable[[], Any]
    expected: Any
    table: Callable[[Any], Any] = np.asarray
    # Runs before every measurement, outside of the clock; a call is then measured alone.
    prepare: Callable[[], object] | None = None
    note: str = ""


@dataclass(slots=True)
class Entry:
    """The measurement of one contestant: seconds per call, or bytes."""

    pairs: int
    samples: list[float] = field(default_factory=list)
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def per_pair(self) -> float:
        return self.median / self.pairs

    @property
    def best_per_pair(self) -> float:
        return min(self.samples) / self.pairs


@dataclass(slots=True)
class Race:
    """The entries of one contest, under a key that targets refer to."""

    key: str
    title: str
    entries: dict[str, Entry]
    unit: str = "s"

    def ratio(self, name: str, other: str, *, best: bool = False) -> float:
        """How many times as much `name` takes as `other`, per pair."""
        top, bottom = self.entries[name], self.entries[other]
        return top.best_per_pair / bottom.best_per_pair if best else top.per_pair / bottom.per_pair


@dataclass(frozen=True, slots=True)
class Effort:
    """How much time to take (everything, or a first impression), and by which clock to measure."""

    quick: bool = False
    cpu: bool = False

    @property
    def clock(self) -> Callable[[], float]:
        return time.process_time if self.cpu else time.perf_counter

    def seconds(self, full: float) -> float:
        return full / 6 if self.quick else full

    def least(self) -> int:
        """How often to measure everybody, however long it takes."""
        return 1 if self.quick else 2

    def pick(self, full: int, quick: int) -> int:
        return quick if self.quick else full


# ---- contests ------------------------------------------------------------------------------------


def contest(
    key: str, title: str, contestants: Iterable[Contestant], effort: Effort, seconds: float = 8
) -> Race:
    """Assert every contestant's answer, then let them take turns until the time is used."""
    contestants = list(contestants)
    race = Race(key, title, {one.name: Entry(one.pairs, note=one.note) for one in contestants})
    clock, least = effort.clock, effort.least()
    bundles = {one.name: _admitted(one, race.entries[one.name], clock) for one in contestants}
    spent = dict.fromkeys(bundles, 0.0)
    rng = random.Random(0)
    end = time.perf_counter() + effort.seconds(seconds)
    while True:
        late = time.perf_counter() > end
        poor = {name for name, entry in race.entries.items() if not _measured_enough(entry, least)}
        if late and not poor:
            return race
        share = sum(spent.values()) / len(spent)
        # In another order each time: who runs after a greedy neighbour finds the caches cold.
        for one in rng.sample(contestants, len(contestants)):
            entry = race.entries[one.name]
            # Who has used much more than an equal share sits out, so that the quick ones are
            # measured often.
            if one.name in poor or (not late and spent[one.name] <= 2 * share):
                taken = _measured(one, bundles[one.name], clock)
                entry.samples.append(taken / bundles[one.name])
                spent[one.name] += taken


def _measured_enough(entry: Entry, least: int) -> bool:
    """Whether a median can be reported: of seven measurements, or fewer if they take long."""
    spent = sum(entry.samples)
    return len(entry.samples) >= (FEW if spent < LONG else least if spent < VERY_LONG else 1)


def _admitted(one: Contestant, entry: Entry, clock: Callable[[], float]) -> int:
    """Assert the answer; give how many calls make one measurement."""
    if one.prepare:
        one.prepare()
    begin = clock()
    answer = one.call()
    taken = clock() - begin
    found = one.table(answer)
    assert np.array_equal(found, one.expected), (
        f"{one.name} answers differently:\n{found}\ninstead of\n{one.expected}"
    )
    if taken > LONG:
        entry.samples.append(taken)
        return 1
    if one.prepare:
        return 1
    return max(1, round(SHORTEST / max(_measured(one, 1, clock), 1e-7)))


def _measured(one: Contestant, calls: int, clock: Callable[[], float]) -> float:
    """Seconds for that many calls; the garbage collector waits, as it does in timeit."""
    if one.prepare:
        one.prepare()
    call = one.call
    gc.disable()
    try:
        begin = clock()
        for _ in range(calls):
            call()
        return clock() - begin
    finally:
        gc.enable()


# ---- telling -------------------------------------------------------------------------------------


def show(race: Race) -> None:
    """Print a race as a table: everybody's median, and how many times ours that is."""
    print(f"\n{race.title}")
    rows = [told(race, name) for name in race.entries]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers, note in rows:
        cells = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=False))
        print(f"  {name.ljust(widths[0])}  {'  '.join(cells)}  {note}".rstrip(), flush=True)


def told(race: Race, name: str) -> tuple[str, str, str, str, str]:
    """A contestant's name, median, share of one pair, how many times ours that is, and what else to know."""
    entry = race.entries[name]
    each = ""
    if entry.pairs > 1:
        each = (
            f"{entry.per_pair * 1e9:,.2f} ns/pair"
            if race.unit == "s"
            else f"{entry.per_pair:,.1f} B/cell"
        )
    notes = [entry.note] if entry.note else []
    if entry.pairs != race.entries[OURS].pairs:
        notes.insert(0, f"on {entry.pairs:,} pairs")
    return (
        name,
        amount(entry.median, race.unit),
        each,
        times(race.ratio(name, OURS)),
        "; ".join(notes),
    )


def times(ratio: float) -> str:
    """A ratio with three digits."""
    return f"{ratio:,.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}×"


def amount(value: float, unit: str) -> str:
    """A quantity with three digits and a unit that suits it."""
    steps = {
        "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (0, "ns")),
        "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (0, "B")),
    }
    scale, name = next(step for step in steps[unit] if value >= step[0])
    value /= scale or (1e-9 if unit == "s" else 1)
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {name}"


def as_json(race: Race) -> dict[str, Any]:
    """A race as plain data, every sample included."""
    entries = {
        name: {
            "pairs": entry.pairs,
            "median": entry.median,
            "best": min(entry.samples),
            "samples": [float(f"{sample:.4g}") for sample in entry.samples],
            "note": entry.note,
        }
        for name, entry in race.entries.items()
    }
    return {"key": race.key, "title": race.title, "unit": race.unit, "entries": entries}


def arguments(about: str | None) -> argparse.ArgumentParser:
    """The options that all programs here take."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a first impression")
    parser.add_argument("--json", type=Path, help="write every sample into this file")
    cpu = "measure the processor's time instead: for a busy machine; that of several threads is added up"
    parser.add_argument("--cpu", action="store_true", help=cpu)
    return parser


def main(races: Callable[[Effort], Iterator[Race]]) -> None:
    """Run one benchmark as a program: `python -m benchmarks.latency [--quick] [--json FILE]`."""
    from benchmarks import targets
    from benchmarks.machine import machine

    options = arguments(sys.modules[races.__module__].__doc__).parse_args()
    about = machine()
    print("\n".join(f"{name}: {value}" for name, value in about.items()))
    done = []
    for race in races(Effort(options.quick, options.cpu)):
        show(race)
        done.append(race)
    targets.show(targets.judged(done))
    if options.json:
        options.json.write_text(
            json.dumps({"machine": about, "races": [as_json(race) for race in done]}, indent=1)
        )
