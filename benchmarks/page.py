"""The pages that tell the results: the part between two markers is written anew from them.

`python -m benchmarks.page` does it from benchmarks/results.json, without a new run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.harness import OURS, Entry, Race, amount, times, told
from benchmarks.targets import CLEAN, REMARKS, Verdict, judged

__all__ = ["rewrite"]

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- {0}: written by python3 run.py bench -->\n", "<!-- end of {0} -->"

RESULTS = ROOT / "benchmarks" / "results.json"
# The work that a reader looks for first, in the words of readers, by the key of its race.
SUMMARY = {
    "int64 K=10": "10⁷ integers, 10 classes",
    "int64 K=100": "10⁷ integers, 100 classes",
    "list": "a list of 10⁶ texts",
    "pandas str": "10⁶ texts in pandas",
    "pandas categorical": "10⁶ pandas categories",
    "100 text list": "one call on 100 texts",
    "report text": "10⁶ texts: count, and a report",
    "face eight scores": "eight scores of a fold of 10⁵",
    "torch K=10": "an update with 10⁶ labels in PyTorch",
    "catalog": "every metric, 100 classes",
    "thresholds": "every threshold of 10⁷ scores",
    "multilabel uint8": "10⁶ items with 20 labels, as bytes",
    "files texts.parquet": "5 · 10⁷ rows of text in Parquet",
    "files integers.csv": "5 · 10⁷ rows in CSV",
}
# Their names in the races.
PEERS = {
    "scikit-learn": ("scikit-learn",),
    "torchmetrics": ("torchmetrics",),
    "torchmetrics, unchecked": (CLEAN,),
    "PyCM": ("PyCM",),
    "pandas": ("pandas.crosstab",),
    "DuckDB": ("DuckDB group by", "DuckDB by hand"),
}
# The rows of the first page of the repository.
HEADLINES = (
    "int64 K=10",
    "int64 K=100",
    "list",
    "pandas categorical",
    "100 text list",
    "files texts.parquet",
)


def rewrite(races: list[Race], verdicts: list[Verdict], about: Mapping[str, str]) -> list[str]:
    """Put the results into every page that has a place for them; name those pages."""
    parts = {
        "headlines": _summary(races, HEADLINES),
        "summary": _summary(races, SUMMARY),
        "targets": _targets(verdicts),
        "machine": "".join(f"- {name}: {value}\n" for name, value in about.items()),
        "times": "".join(_times(race) for race in races),
    }
    written = []
    for page in (ROOT / "README.md", ROOT / "docs" / "benchmarks.md"):
        text = old = page.read_text(encoding="utf-8")
        for name, part in parts.items():
            text = _replaced(text, name, part)
        if text != old:
            page.write_text(text, encoding="utf-8")
            written.append(page.relative_to(ROOT).as_posix())
    return written


def _replaced(text: str, name: str, part: str) -> str:
    begin, end = BEGIN.format(name), END.format(name)
    if begin not in text:
        return text
    before, rest = text.split(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.split(end)[1]}"


def _summary(races: list[Race], keys: Iterable[str]) -> str:
    """How long confmat takes for some work, and how many times as long those take whom readers know."""
    by_key = {race.key: race for race in races}
    rows = []
    for key in keys:
        if race := by_key.get(key):
            found = (
                next((name for name in names if name in race.entries), "")
                for names in PEERS.values()
            )
            ratios = (times(race.ratio(name, OURS)) if name else "" for name in found)
            rows.append((SUMMARY[key], amount(race.entries[OURS].median, "s"), *ratios))
    return _table(("", "confmat takes", *PEERS), rows)


def _targets(verdicts: list[Verdict]) -> str:
    rows = [
        (one.work, one.target.against, one.target.wanted, one.value(one.measured), one.told)
        for one in verdicts
    ]
    remarks = [
        f"- {one.work}{one.target.against and ', against '}{one.target.against}: {REMARKS[key]}\n"
        for one in verdicts
        if not one.met and (key := (one.target.race, one.target.against)) in REMARKS
    ]
    table = _table(("work", "against", "target", "measured", ""), rows)
    return table + "".join(
        ["\nThe figures behind missed targets:\n\n", *remarks] if remarks else []
    )


def _times(race: Race) -> str:
    title = race.title[0].upper() + race.title[1:]
    rows = [told(race, name) for name in race.entries]
    each = "per cell" if race.unit == "B" else "per pair"
    return f"**{title}**\n\n{_table(('', 'median', each, 'of confmat', ''), rows)}\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    # `<U10` would open a tag.
    return "".join(
        f"| {' | '.join(cell.replace('<', '&lt;') for cell in line)} |\n" for line in lines
    )


def main() -> None:
    """Write the pages anew from the stored results."""
    stored = json.loads(RESULTS.read_text("utf-8"))
    races = []
    for race in stored["races"]:
        entries = {
            name: Entry(entry["pairs"], entry["samples"], entry["note"])
            for name, entry in race["entries"].items()
        }
        races.append(Race(race["key"], race["title"], entries, race["unit"]))
    print("wrote", *rewrite(races, judged(races), stored["machine"]))


if __name__ == "__main__":
    main()
