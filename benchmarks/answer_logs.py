"""How many replies of published logs are read by default, and how many otherwise than the benchmark reads them.

    python -m benchmarks.answer_logs FOLDER

FOLDER holds `model_outputs_*.zip` of MMLU-Pro (github.com/TIGER-AI-Lab/MMLU-Pro, eval_results).
Replies count in which the patterns of that benchmark find a letter; letters that confmat reads
otherwise are printed with their replies.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import confmat as cm

LETTERS = "ABCDEFGHIJ"
PATTERNS = (re.compile(r"answer is \(?([A-J])\)?"), re.compile(r".*[aA]nswer:\s*([A-J])"))


def replies(path: Path) -> list[str]:
    """Return the texts of one log."""
    with zipfile.ZipFile(path) as archive:
        data: Any = json.loads(archive.read(archive.namelist()[0]))
    rows = data if isinstance(data, list) else [row for part in data.values() for row in part]
    texts = (
        row.get("generated_text", row.get("model_outputs")) for row in rows if isinstance(row, dict)
    )
    return [text for text in texts if isinstance(text, str)]


def measured(texts: list[str]) -> Counter[str]:
    """Count the replies with a plain answer, those that are read, and those that are read otherwise."""
    rules, found = cm.Answers(list(LETTERS)), Counter[str]()
    for text in texts:
        plain = next(filter(None, (pattern.search(text) for pattern in PATTERNS)), None)
        if plain is None:
            continue
        label = rules.read_one(text).label
        read = isinstance(label, str) and label in LETTERS
        found.update(plain=1, read=read, otherwise=read and label != plain[1])
        if read and label != plain[1]:
            print(f"  {label} for {plain[1]}: {text[-160:]!r}")
    return found


def main(folder: str) -> None:
    """Print a line for each log, and the sum."""
    total: Counter[str] = Counter()
    for path in sorted(Path(folder).glob("model_outputs_*.zip")):
        if not zipfile.is_zipfile(path):
            continue
        one = measured(replies(path))
        total += one
        print(
            f"{path.stem[14:]}: {one['read']:,} of {one['plain']:,}, {one['otherwise']} otherwise"
        )
    read, plain = total["read"], total["plain"]
    print(f"all: {read:,} of {plain:,} ({read / plain:.1%}), {total['otherwise']} otherwise")


if __name__ == "__main__":
    main(sys.argv[1])
