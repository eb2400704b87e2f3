"""The pages that tell the results: the part between two markers is written anew from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.harness import OURS, Race, amount, times, told
from benchmarks.targets import CLEAN, REMARKS, V5, Verdict

__all__ = ["rewrite"]

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- {0}: written by python3 run.py bench -->\n", "<!-- end of {0} -->"

# The contents of a first page: the work, and how many times as long these peers take.
HEADLINES = ("int64 K=10", "int64 K=100", "<U10", "list", "pandas str", "pandas categorical", "100 text list")
HEADLINE_PEERS = (V5, "DuckDB group by", CLEAN, "scikit-learn")


def rewrite(races: list[Race], verdicts: list[Verdict], about: Mapping[str, str]) -> list[str]:
    """Put the results into every page that has a place for them; name those pages."""
    parts = {
        "headlines": _headlines(races),
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


def _headlines(races: list[Race]) -> str:
    by_key = {race.key: race for race in races}
    rows = []
    for key in HEADLINES:
        if race := by_key.get(key):
            peers = (times(race.ratio(peer, OURS)) if peer in race.entries else "" for peer in HEADLINE_PEERS)
            rows.append((race.title, amount(race.entries[OURS].median, "s"), *peers))
    return _table(("", "confmat", *HEADLINE_PEERS), rows)


def _targets(verdicts: list[Verdict]) -> str:
    rows = [(one.work, one.target.against, one.target.wanted, one.value(one.measured), one.told) for one in verdicts]
    remarks = [
        f"- {one.work}{one.target.against and ', against '}{one.target.against}: {REMARKS[key]}\n"
        for one in verdicts
        if not one.met and (key := (one.target.race, one.target.against)) in REMARKS
    ]
    table = _table(("work", "against", "target", "measured", ""), rows)
    return table + "".join(["\nThe figures behind missed targets:\n\n", *remarks] if remarks else [])


def _times(race: Race) -> str:
    title = race.title[0].upper() + race.title[1:]
    rows = [told(race, name) for name in race.entries]
    each = "per cell" if race.unit == "B" else "per pair"
    return f"**{title}**\n\n{_table(('', 'median', each, 'of confmat', ''), rows)}\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    # `<U10` would open a tag.
    return "".join(f"| {' | '.join(cell.replace('<', '&lt;') for cell in line)} |\n" for line in lines)
