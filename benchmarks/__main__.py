"""Run all benchmarks, judge them by the targets, and write down what came out: `python3 run.py bench [--quick]`.

A full run writes benchmarks/results.json and the tables in docs/benchmarks.md; a quick one only prints.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from benchmarks import page, targets
from benchmarks.harness import Effort, Race, as_json, show
from benchmarks.machine import machine, unrest

QUESTIONS = ("import_time", "latency", "counting", "text_labels", "sparse")
RESULTS = Path(__file__).resolve().parent / "results.json"


def main() -> int:
    """Run what was asked for; the exit status says nothing about speed, for a busy machine is not a mistake."""
    parser = argparse.ArgumentParser(prog="run.py bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a first impression, in a minute or two")
    parser.add_argument("--json", type=Path, help="where to write every sample (a full run: benchmarks/results.json)")
    options = parser.parse_args()
    begin = time.monotonic()
    about = {**machine(), "kept busy by others": f"{unrest():.1f} programs a core when the benchmarks began"}
    print("\n".join(f"{name}: {value}" for name, value in about.items()))
    races = []
    for question in QUESTIONS:
        ask: Callable[[Effort], Iterator[Race]] = import_module(f"benchmarks.{question}").races
        for race in ask(Effort(options.quick)):
            show(race)
            races.append(race)
    verdicts = targets.judged(races)
    targets.show(verdicts)
    print(f"took {time.monotonic() - begin:.0f} s")
    if file := options.json or (None if options.quick else RESULTS):
        file.write_text(json.dumps(_results(races, verdicts, about), indent=1, ensure_ascii=False) + "\n", "utf-8")
    if not options.quick:
        print("wrote", *page.rewrite(races, verdicts, about), RESULTS.name)
    return 0


def _results(races: list[Race], verdicts: list[targets.Verdict], about: dict[str, str]) -> dict[str, object]:
    judged = [
        {
            "work": one.work,
            "against": one.target.against,
            "target": one.target.wanted,
            "measured": round(one.measured, 3),
            "of best times": round(one.best, 3),
            "met": one.met,
        }
        for one in verdicts
    ]
    return {"machine": about, "targets": judged, "races": [as_json(race) for race in races]}


if __name__ == "__main__":
    raise SystemExit(main())
