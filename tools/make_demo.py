"""Make src/confmat/data/demo.csv.gz, the example of `confmat demo`: python3 tools/make_demo.py.

4,000 photographs of farm animals that nobody has taken: what is in each, what a classifier might
have said, how many people agreed on it, and at which of two farms it was taken. Every number is
drawn here, from a fixed seed, with the standard library alone; nobody's data is in it. Like the
rest of confmat it is under the Apache License 2.0.
"""

# ruff: noqa: S311 - a script that draws an example

from __future__ import annotations

import csv
import gzip
import io
import random
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/confmat/data/demo.csv.gz"
ROWS = 4_000

# How common each animal is, and what it is taken for: the chances of each answer. Sheep and goat
# are alike from afar, and so are the birds; the donkey is rare and never recognised, as rare
# classes are.
ANIMALS = {
    "Cow": (0.34, {"Cow": 93, "Horse": 5, "Goat": 2}),
    "Horse": (0.18, {"Horse": 88, "Cow": 9, "Goat": 3}),
    "Sheep": (0.20, {"Sheep": 80, "Goat": 18, "Cow": 2}),
    "Goat": (0.12, {"Goat": 71, "Sheep": 24, "Horse": 5}),
    "Hen": (0.10, {"Hen": 90, "Duck": 10}),
    "Duck": (0.05, {"Duck": 68, "Hen": 31, "Goat": 1}),
    "Donkey": (0.01, {"Horse": 78, "Cow": 22}),
}
# At the second farm the light is bad: so often an answer is drawn again, from anything.
FARMS = {"Northfield": 0.02, "Southbank": 0.13}


def rows() -> list[list[object]]:
    """The photographs, the header first."""
    rng = random.Random(20261121)
    found: list[list[object]] = [["photo", "farm", "actual", "predicted"]]
    names, shares = list(ANIMALS), [share for share, _ in ANIMALS.values()]
    # The rare one is never an answer.
    answers = [name for name in names if name != "Donkey"]
    for number in range(1, ROWS + 1):
        farm = "Northfield" if rng.random() < 0.6 else "Southbank"
        actual = rng.choices(names, shares)[0]
        chances = ANIMALS[actual][1]
        predicted = rng.choices(list(chances), list(chances.values()))[0]
        if rng.random() < FARMS[farm]:
            predicted = rng.choice(answers)
        found.append([f"{number:05d}", farm, actual, predicted])
    return found


def main() -> None:
    """Write the file; the same bytes on every machine."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows())
    TARGET.parent.mkdir(exist_ok=True)
    with (
        TARGET.open("wb") as stream,
        gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed,
    ):
        packed.write(text.getvalue().encode())


if __name__ == "__main__":
    main()
