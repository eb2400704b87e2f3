"""The page of worst cases, docs/explanation/coverage.md, drawn from the results that coverage.json holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import confmat as cm

__all__ = ["LEAST", "MOST", "OURS", "PAGE", "page", "title", "write"]

Row = dict[str, Any]
PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "coverage.md"
OURS = "confmat"
# The findings of `python -m benchmarks.coverage_search`, and its name of the costs.
SEARCH = Path(__file__).resolve().parent / "coverage_search.json"
COSTS = "cost of errors"
# An interval that holds the truth less often, and a test that errs more often, is shown in bold.
LEAST, MOST, PASSED = 0.90, 0.06, 0.07
GATES, EQUAL = "Gates at the margin", "Gates and equal models"
ALIKE, TOGETHER, POWER = "Tests of models that are alike", "Many differences at once", "Power"
METHODS = (
    "Wald",
    "bootstrap",
    "statsmodels",
    "PyCM",
    "confidenceinterval",
    "clusters forgotten",
    "checked alone",
    "exact McNemar",
    "mid-p",
    "not adjusted",
)
NOTES = {
    "Proportions": "A proportion whose true value is swept, and three near its end.",
    "Two classes, few items": "108 populations: 50, 20 or 10 % positive, with recall and specificity from 50 to 99 %.",
    "Empty cells": (
        "Items of both classes as chosen, with recall and specificity of 80, 90, 95 and 99 %, so "
        "that a cell is often "
        "empty: a bootstrap has no such table to draw, and Woolf's and the log method no variance."
    ),
    "Another prevalence": "Items of both classes as chosen, and the predictive values where 1 % are positive.",
    "Everyday tables": "Seven tables of the usual kind; where there are enough items, every method comes close.",
    "Means over classes": "Answers are 50 to 97 % right; the rarest classes have 2, 2.8 and 3.9 items on average.",
    "A rare class": "Scores that rest on a handful of positive items.",
    "Information and association": (
        "Even and skewed classes, from independence to near perfection. With fewer items than "
        "three for each of the "
        "(K − 1)² free cells (20 classes and 300 items) no interval is given but the bounds of the "
        "score."
    ),
    "Clusters": (
        "Two items of a cluster are as much alike as the intraclass correlation (ICC) says. There "
        "are ten in each; or "
        "half of the clusters have up to four, and one of twelve has twenty-five or more."
    ),
    "Thin strata": "So many items of each stratum, whose sizes are known; in some of them often none is wrong.",
    "A judge that errs": (
        "5,000 items with a judge's labels, of which some are checked; beside it, what these "
        "say alone. A set in "
        "which a class was never checked is left out."
    ),
    GATES: (
        "How often a model passes that is worse by the whole margin: by rights 5 of 100. Two "
        "models have the same "
        "answer to 90 % of the items; of the rest the second has fewer right. Wald's is the "
        "difference less 1.645 "
        "standard errors."
    ),
    EQUAL: (
        "How often a model passes that is as good, whose answers to a tenth of the items are "
        "others, with 90 % right."
    ),
    "Differences": "The models of the gates: on the same items, or each on a test set of its own.",
    ALIKE: (
        "How often p is below .05 for two models that are equally good: by rights in 5 of 100. The "
        "first three lines "
        "list every outcome, up to half of the answers being different; Wald's is the difference "
        "by its standard error."
    ),
    TOGETHER: "How often any of several differences is seen between models that are equally good.",
    POWER: "How often a difference is seen that is there, where confmat loses most against McNemar's mid-p.",
}
ABOUT = """\
# Where intervals hold, and where not

<!-- Written by `python -m benchmarks.coverage`; change benchmarks/coverage_page.py instead. -->

An interval of 95 % should hold the truth in 95 of 100 test sets, and a test at .05 should err in 5 of 100.
With many items of every class both do; this page has the hardest cases, and for each score the worst population.

"""
NEVER = """\
Three things no interval can mend.
A class that does not occur is in no score; the estimate says so.
Items that come in clusters tell less than they seem to where the clusters are forgotten; a column shows how much less.
And scores of information have no known interval with fewer items than three for each free cell of the table; they give their bounds and the reason.

"""  # noqa: E501
SEARCHED = """\
## Worst populations by search

An adversary looked for worse: two classes and 20 items, 5 to 60 % of them positive; 40 to 99 % of these are found, and 40 to 99 % of the others spared.
The worst ten of 600 random populations are moved by ever smaller steps, as long as that makes them worse (`python -m benchmarks.coverage_search`).
All tables are listed, each as often as it comes.

"""  # noqa: E501
TRUST = """\
## How it was measured

The truth is the score of all items that there could be, a mean over all classes of positive prevalence.
Where all data sets can be listed, each counts as often as it comes, but for those rarer than one in a million, and every method is shown in its own worst population.
Elsewhere data sets are drawn: a few from each population to find the worst for confmat, then fresh ones from that, and from there a fifth as many for the other methods; so the choice favors the others.
The column of averages is over all populations of a case.
Data sets in which a class does not occur are left out; the share of them is in the last column, and there the estimate itself says which class is missing.
Where a method has no interval for some of the rest, the share for which it has one is in parentheses.
The standard error of what is drawn is beside it.

*Wald* is the score and 1.96 standard errors by the delta method (`method="wald"`), *bootstrap* the percentiles of drawn tables, and the others are packages as they come: statsmodels' Wilson interval, kappa and odds ratio, PyCM's `CI`, and the package confidenceinterval.
`python -m benchmarks.coverage` measures everything again, `--only "macro F1"` the lines of that name.

"""  # noqa: E501


def title(score: str) -> str:
    """A score in words."""
    parsed, (_, _, average) = cm.metrics.parse_score(score), score.partition(".")
    name = str(parsed.metric.title)
    if average:
        return f"{average} {name[0].lower() + name[1:] if name[1:2].islower() else name}"
    return (
        f"{name} of a class" if parsed.of is not None and not name.endswith("of a class") else name
    )


def page(results: Mapping[str, Row]) -> str:
    """The page in Markdown."""
    families: dict[str, list[Row]] = {}
    for row in results.values():
        families.setdefault(row["family"], []).append(row)
    parts = [ABOUT, summary(families), searched(json.loads(SEARCH.read_text("utf-8"))), TRUST]
    for family, lines in families.items():
        parts += [f"## {family}\n\n{NOTES[family]}\n\n", table(lines), "\n"]
    return "".join(parts).rstrip() + "\n"


def searched(found: Mapping[str, Row]) -> str:
    """The worst populations that a search found, of each score the worst one; the worst score first."""
    rows = [
        [title(score) if score != COSTS else "Cost of errors, a miss for five false alarms", share(row["worst"], LEAST),
         share(row["mean"], 0), *(percent(row[part], 1) for part in ("positive", "found", "spared"))]
        for score, row in sorted(found.items(), key=lambda item: float(item[1]["worst"]))
    ]  # fmt: skip
    heads = ["score", "worst", "on average", "positive", "of them found", "of the others spared"]
    return SEARCHED + listed(heads, rows) + "\n"


def share(value: float, least: float) -> str:
    """A share with three digits, in bold if it is too small."""
    text = f"{value:.3f}".removeprefix("0")
    return f"**{text}**" if value < least else text


def is_bad(row: Row) -> bool:
    """Whether a line is in bold."""
    share, draws, _ = row["found"][OURS]
    if row["family"] == POWER:
        return bool(row["found"]["mid-p"][0] - share > 0.01)
    if row["family"] == EQUAL:
        return bool(row["found"]["Wald"][0] - share > 0.15)
    if row["family"] in (ALIKE, TOGETHER, GATES):
        if row["family"] == GATES:
            return bool(share > PASSED)
        # By more than noise: two standard errors less are above .05, too.
        error = math.sqrt(share * (1 - share) / draws) if draws else 0.0
        return bool(share > MOST and share - 2 * error > 0.05)
    return bool(share < LEAST)


def summary(families: Mapping[str, list[Row]]) -> str:
    """Each kind of case with its worst line, and all lines that are in bold."""
    rows = []
    for family, lines in families.items():
        if family not in (POWER, EQUAL):
            errs = family in (ALIKE, TOGETHER, GATES)
            worst = (max if errs else min)(lines, key=lambda row: row["found"][OURS][0])
            bad = sum(map(is_bad, lines))
            where = f"{title(worst['score'])}, {spaced(worst['scenario'])}"
            rows.append(
                [
                    f"[{family}](#{anchor(family)})",
                    shown(worst, OURS),
                    where,
                    f"{bad} of {len(lines)}",
                ]
            )
    found = listed(
        ["kind of case", "worst", "where", f"below {LEAST:.2f}, or above {MOST:.2f}"], rows
    )
    bad_rows = [row for lines in families.values() for row in lines if is_bad(row)]
    each = "".join(
        f"- {title(row['score'])}, {spaced(row['scenario'])}: {shown(row, OURS)}, "
        f"{spaced(row['cell'])}.\n"
        for row in bad_rows
    )
    held = [
        row
        for family, lines in families.items()
        for row in lines
        if "absent" in row and family not in (GATES, EQUAL)
    ]
    good = sum(not is_bad(row) for row in held)
    tests = [row for family in (ALIKE, TOGETHER) for row in families.get(family, [])]
    fine = sum(not is_bad(row) for row in tests)
    most = 100 * max((row["found"][OURS][0] for row in families.get(GATES, [])), default=0.0)
    more = (
        f"Each line below is a score in its worst population. In {good} of {len(held)} the "
        "interval still holds the "
        f"truth in at least 90 of 100 data sets, and in {fine} of {len(tests)} the test errs in no "
        "more than 6 of 100, "
        "but for the noise of what is drawn. "
        f"A gate lets a model that is worse by the whole margin pass in at most {most:.0f} of "
        "100.\n"
    )
    return (
        f"## Where to lean on them, and where not\n\n{more}\n{found}\nThe others are in bold "
        f"below:\n\n{each}\n{NEVER}"
    )


def anchor(heading: str) -> str:
    """The place of a heading in a page."""
    return "".join(
        letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter == "-"
    )


def shown(row: Row, method: str) -> str:
    """A share with three digits, in bold if confmat should do better; and for how many data sets there is one."""
    if method not in row["found"]:
        return ""
    share, draws, none = row["found"][method]
    text = f"{share:.3f}".removeprefix("0")
    text = f"**{text}**" if method == OURS and is_bad(row) else text
    if draws and method == OURS:
        text += f" ± {math.sqrt(share * (1 - share) / draws):.3f}".replace("0.", ".")
    return text + (f" (of {percent(1 - none, 0)})" if none >= 0.005 else "")


def percent(share: float, digits: int) -> str:
    """A share in per cent."""
    return spaced(f"{share:.{digits}%}")


def unbroken(text: str) -> str:
    """A text that stays on one line: in a narrow column it would make each row as tall as a paragraph."""
    return spaced(text).replace(" ", "\u00a0")


def spaced(text: str) -> str:
    """With a space before each sign of per cent."""
    return text.replace(" %", "%").replace("%", " %")


def table(lines: list[Row]) -> str:
    """The lines of one kind of case."""
    methods = [name for name in (OURS, *METHODS) if any(name in row["found"] for row in lines)]
    absent = any("absent" in row for row in lines)
    rows = []
    for row in lines:
        draws = f"{row['draws']:,}" if row["draws"] else "all"
        last = (
            [percent(row["absent"], 1) if row.get("absent", 0) >= 0.0005 else ""] if absent else []
        )
        shares = [shown(row, name) for name in methods]
        shares.insert(1, f"{row['mean']:.3f}".removeprefix("0"))
        rows.append(
            [
                spaced(row["scenario"]),
                title(row["score"]),
                *shares,
                unbroken(row["cell"]),
                draws,
                *last,
            ]
        )
    heads = [
        "case",
        "score",
        *methods,
        "worst population",
        "data sets",
        *(["class absent"] if absent else []),
    ]
    heads.insert(3, "on average")
    return listed(heads, rows)


def listed(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    heads = list(heads)
    lines = [heads, ["--"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write(results: Mapping[str, Row]) -> None:
    """Write the page."""
    PAGE.write_text(page(results), "utf-8")
