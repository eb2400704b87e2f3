"""docs/renames.csv: each name of the first front page is there still or has a row, and each new place exists."""

from __future__ import annotations

import csv
import inspect
import re
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import confmat as cm

HERE = Path(__file__).parent
FIRST = (HERE / "data/first_front_page.txt").read_text(encoding="utf-8").split()
with (HERE.parent / "docs/renames.csv").open(encoding="utf-8", newline="") as stream:
    ROWS = list(csv.DictReader(stream))
# A call such as confmat.plot(m, class_groups=) or interval(m, score), and a path such as
# confmat.metrics.f1.
CALL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\(([^()]*)\)")
PATH = re.compile(r"\bconfmat(?:\.\w+)+")


def resolve(path: str) -> Any:
    """Return the object at a path: of a module, of the front page, or of a matrix that is called m."""
    first, *rest = path.removeprefix("confmat.").split(".")
    if first == "m":
        return reduce(getattr, rest, cm.ConfusionMatrix)
    value: Any = cm
    for place, name in enumerate([first, *rest]):
        if not hasattr(value, name):
            import_module(".".join(["confmat", first, *rest][: place + 2]))
        value = getattr(value, name)
    return value


def missing(new: str) -> list[str]:
    """Return the parts of a cell that do not exist: places, functions and their arguments."""
    absent = []
    for path, arguments in [*CALL.findall(new), *((path, "") for path in PATH.findall(new))]:
        if path.startswith("confmat.sklearn") and find_spec("sklearn") is None:
            continue
        try:
            value = resolve(path)
        except (AttributeError, ImportError):
            absent.append(path)
            continue
        names = re.findall(r"(\w+)=", arguments)
        known = inspect.signature(value).parameters if names else {}
        absent += [f"{path}({name}=)" for name in names if name not in known]
    return absent


def test_every_name_of_the_first_front_page_is_there_or_has_a_row() -> None:
    renamed = {row["old"] for row in ROWS}
    front = set(dir(cm))
    assert len(FIRST) > 300
    assert [name for name in FIRST if name not in front and f"confmat.{name}" not in renamed] == []


def test_every_new_place_exists() -> None:
    assert [row["old"] for row in ROWS if not row["new"]] == []
    assert {row["old"]: missing(row["new"]) for row in ROWS if missing(row["new"])} == {}


def test_no_name_is_listed_twice() -> None:
    assert len({row["old"] for row in ROWS}) == len(ROWS)


def test_a_place_that_is_not_there_is_seen() -> None:
    assert missing("confmat.nowhere") == ["confmat.nowhere"]
    assert missing("confmat.metrics.nowhere or plot(groups=)") == [
        "plot(groups=)",
        "confmat.metrics.nowhere",
    ]
