"""Run all benchmarks, judge them by the targets, and write down what came out: `python3 run.py bench [--quick]`.

A full run writes benchmarks/results.json and the tables in docs/benchmarks.md; a quick one only
prints, and so does one that counts processor time (`--cpu`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from benchmarks import page, targets
from benchmarks.harness import Effort, Race, arguments, as_json, show
from benchmarks.machine import machine, unrest

QUESTIONS = (
    "import_time",
    "latency",
    "threads",
    "counting",
    "text_labels",
    "sparse",
    "scores",
    "intervals",
    "thresholds",
    "multilabel",
    "detection",
    "segmentation",
    "hierarchy",
    "files",
    "engines",
    "report_page",
    "sklearn_face",
    "torch_face",
)
RESULTS = Path(__file__).resolve().parent / "results.json"


def main() -> int:
    """Run what was asked for; the exit status says nothing about speed, for a busy machine is not a mistake."""
    options = arguments(__doc__).parse_args()
    publish = not (options.quick or options.cpu)
    begin = time.monotonic()
    about = {
        **machine(),
        "kept busy by others": f"{unrest():.1f} programs a core when the benchmarks began",
    }
    print("\n".join(f"{name}: {value}" for name, value in about.items()))
    races = []
    for question in QUESTIONS:
        ask: Callable[[Effort], Iterator[Race]] = import_module(f"benchmarks.{question}").races
        for race in ask(Effort(options.quick, options.cpu)):
            show(race)
            races.append(race)
    verdicts = targets.judged(races)
    targets.show(verdicts)
    print(f"took {time.monotonic() - begin:.0f} s")
    if file := options.json or (RESULTS if publish else None):
        file.write_text(
            json.dumps(_results(races, verdicts, about), indent=1, ensure_ascii=False) + "\n",
            "utf-8",
        )
    if publish:
        print("wrote", *page.rewrite(races, verdicts, about), RESULTS.name)
    return 0


def _results(
    races: list[Race], verdicts: list[targets.Verdict], about: dict[str, str]
) -> dict[str, object]:
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
