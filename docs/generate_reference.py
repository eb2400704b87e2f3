"""The reference of metrics, written from their declarations: a page a metric, an index, and the map for migrants.

`python docs/generate_reference.py` writes docs/reference/generated; the documentation's configuration does so at
every build. Each number on a page is computed when the page is written.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bibliography import WORKS  # noqa: E402 - found beside this file

from confmat import ConfusionMatrix  # noqa: E402
from confmat.core.errors import MetricError  # noqa: E402
from confmat.metrics import averages, description, peers  # noqa: E402
from confmat.metrics.catalog import peer_names  # noqa: E402
from confmat.metrics.declaration import Factory, Metric, catalog, factories  # noqa: E402

OUTPUT = HERE / "reference" / "generated"
EXAMPLE = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
CELLS = {r"\TP": r"\mathrm{TP}", r"\FP": r"\mathrm{FP}", r"\FN": r"\mathrm{FN}", r"\TN": r"\mathrm{TN}"}
UNNAMED = "per class"


def generate(output: Path = OUTPUT) -> list[Path]:
    """Write all pages; those of metrics that are no more go."""
    pages = {"index.md": index(), "migration.md": migration(), "averages.md": averages_page()}
    for one in catalog().values():
        pages[f"{slug(one.name)}.md"] = metric_page(one)
    for family in factories().values():
        pages[f"{slug(family.name)}.md"] = factory_page(family)
    if output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True)
    for name, text in pages.items():
        (output / name).write_text(text, encoding="utf-8")
    return [output / name for name in pages]


def slug(name: str) -> str:
    """A file name: 'f0.5' and 'iba(1)' become 'f0-5' and 'iba-1'."""
    return "metric-" + "".join(letter if letter.isalnum() or letter == "_" else "-" for letter in name).strip("-")


# ---- one metric ------------------------------------------------------------------------------------------------


def metric_page(one: Metric) -> str:
    """Formula, meaning, facts, a worked example, names elsewhere, references."""
    parts = [f"# {one.title}", f"`{one.name}`: {one.summary}", one.note, formula(one.latex), facts(one), worked(one)]
    parts += [elsewhere(one), references(one.references)]
    return "\n\n".join(part for part in parts if part) + "\n"


def factory_page(family: Factory) -> str:
    """What the parameters do, and one metric of the family in full."""
    arguments = ", ".join(map(repr, family.example))
    made: Metric = family(*family.example)
    text = (family.__doc__ or "").partition(">>>")[0]
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    parts = [f"# {family.title}", *paragraphs, f"For example `{family.name}({arguments})`:", formula(made.latex)]
    parts += [facts(made), _if_it_fits(made), elsewhere(family), references(made.references)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _if_it_fits(made: Metric) -> str:
    """A worked example, unless the example's parameters are for another number of classes."""
    try:
        return worked(made)
    except MetricError:
        return ""


def formula(latex: str | None) -> str:
    """A displayed formula in standard LaTeX."""
    if not latex:
        return ""
    for short, long in CELLS.items():
        latex = latex.replace(short, long)
    return f"$$\n{latex}\n$$"


def facts(one: Metric) -> str:
    """The declared facts as a table."""
    rows = [
        ("Gives", "one value per class, or one with `of=` or `average=`" if one.kind == "class" else "one number"),
        ("Values", description.span(one) + (f", in {one.unit}" if one.unit else "")),
        ("Direction", description.direction(one)),
        ("By chance", _number(one.chance)),
        ("Undefined where", one.undefined or "never"),
        (
            "A class never predicted",
            f"counts {_number(one.when_never_predicted)} in a fair mean",
            one.when_never_predicted,
        ),
        ("As the matrix becomes perfect", f"runs to {_number(one.limit)}", one.limit),
        ("One minus it", _link(one.complement)),
        ("Of the transposed matrix", "the same" if one.symmetric else _link(one.transposed)),
        ("More counts, same shares", "" if one.scale_free else "change it"),
        (
            "One more empty class",
            "changes it" + (" in micro averages" if one.kind == "class" else ""),
            one.depends_on_k or None,
        ),
        ("Exact values", "with `exact=True`" if one.rational else ""),
        ("Also called", ", ".join(f"`{alias}`" for alias in one.aliases)),
    ]
    kept = [(row[0], row[1]) for row in rows if row[1] and (len(row) == 2 or row[2] is not None)]
    return table(("", ""), kept)


def _link(name: str | None) -> str:
    return f"[{name}]({slug(name)}.md)" if name else ""


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "" if value is None else "–"
    return "∞" if math.isinf(value) else f"{value:.4g}"


def worked(one: Metric) -> str:
    """Its values on a matrix of three classes, computed now."""
    text = "## Worked example\n\nActual classes are rows, predicted ones are columns.\n\n"
    rows = [
        (f"**{label}**", *map(str, row)) for label, row in zip(EXAMPLE.labels, EXAMPLE.counts.tolist(), strict=True)
    ]
    text += table(("", *EXAMPLE.labels), rows) + "\n\n"
    if one.kind == "matrix":
        return text + f"`{one.name}` is {_number(one(EXAMPLE))}."
    values = [_number(float(value)) for value in one(EXAMPLE)]
    head = [f"{label}" for label in EXAMPLE.labels]
    for name in ("macro", "weighted", "micro"):
        if (one.fair or name == "micro") and not (name == "micro" and one.needs == "cells"):
            head.append(name)
            values.append(_number(float(one(EXAMPLE, average=name))))
    return text + table(head, [values])


def elsewhere(one: Metric | Factory) -> str:
    """What peers call it, with what differs there."""
    rows = [(peers.PEERS.get(name.partition(":")[0], name.partition(":")[0]), *_named(name)) for name in names_of(one)]
    return "## Elsewhere\n\n" + table(("Package", "Name", "To know"), sorted(rows)) if rows else ""


def _named(name: str) -> tuple[str, str]:
    return f"`{name.partition(':')[2]}`", peers.note(name)


def names_of(one: Metric | Factory) -> Iterable[str]:
    """The names under which peers have this very metric."""
    return [name for name, found in peer_names().items() if found is one]


def references(keys: Iterable[str]) -> str:
    """The works, in full where the bibliography has them."""
    lines = [f"- {WORKS.get(key, key)}" for key in keys]
    return "\n".join(["## References", "", *lines]) if lines else ""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# ---- pages about many ------------------------------------------------------------------------------------------


def index() -> str:
    """Every metric with its formula's meaning, family by family."""
    families: dict[str, list[Metric]] = {}
    for one in catalog().values():
        families.setdefault(one.family or UNNAMED, []).append(one)
    parts = ["# All metrics", f"{len(catalog())} metrics and {len(factories())} families with parameters."]
    for family, members in families.items():
        rows = [(f"[{one.title}]({slug(one.name)}.md)", f"`{one.name}`", one.summary) for one in members]
        parts += [f"## {family.capitalize()}", table(("Metric", "Name", "Meaning"), rows)]
    rows = [(f"[{one.title}]({slug(one.name)}.md)", f"`{one.name}`", one.summary) for one in factories().values()]
    parts += ["## With parameters", table(("Family", "Name", "Meaning"), rows)]
    pages = ["migration", "averages", *(slug(one.name) for one in (*catalog().values(), *factories().values()))]  # type: ignore[attr-defined]
    tree = "\n".join([":::{toctree}", ":hidden:", "", *pages, ":::"])
    return "\n\n".join([*parts, tree]) + "\n"


def averages_page() -> str:
    """What each average is."""
    rows = [(one.title, f"`{one.name}`", f"${one.latex}$", one.summary) for one in averages.AVERAGES.values()]
    rows = [(title, name, _cells(latex), summary) for title, name, latex, summary in rows]
    head = "# Averages\n\nEvery metric per class takes `average=`; labels outside the classes never take part.\n\n"
    return head + table(("Average", "Name", "Formula", "Meaning"), rows) + "\n"


def _cells(latex: str) -> str:
    for short, long in CELLS.items():
        latex = latex.replace(short, long)
    return latex


def migration() -> str:
    """The names of other packages, and what finds the same number here."""
    parts = ["# If you come from another package", _MIGRATION]
    for peer, title in peers.PEERS.items():
        rows = [
            (f"`{name.partition(':')[2]}`", spelt(found), peers.note(name))
            for name, found in peer_names().items()
            if name.startswith(f"{peer}:")
        ]
        if rows:
            parts += [
                f"## {title}",
                table((f"`{peer}:`", "Here", "To know"), sorted(rows, key=lambda row: row[0].lower())),
            ]
    return "\n\n".join(parts) + "\n"


_MIGRATION = """Each name is found with its namespace: `cm.metric("pycm:TPR Macro")(m)` gives the number that PyCM
prints. Where a package averages in another way, or computes something else than the name says, the last column
says so; a *value* is a text, a pair or a table that is no metric."""


def spelt(found: Any) -> str:
    """How to ask for it here."""
    if isinstance(found, peers.PeerScore):
        undefined = "" if found.undefined == "fair" else f", undefined={found.undefined!r}"
        return f"`{found.metric.name}(m, average={found.average!r}{undefined})`" + (
            " over seen classes" if found.seen else ""
        )
    if isinstance(found, peers.PeerValue):
        return "*value*"
    if isinstance(found, Factory):
        return f"[`{found.name}(...)`]({slug(found.name)}.md)"
    if found.name in catalog():
        return f"[`{found.name}`]({slug(found.name)}.md)"
    if found.factory is not None:
        return f"[`{found.factory[0]}({', '.join(map(repr, found.factory[1][0]))})`]({slug(found.factory[0])}.md)"
    return f"*{found.family}*"


if __name__ == "__main__":
    written = generate()
    sys.stdout.write(f"{len(written)} pages in {OUTPUT.relative_to(HERE.parent)}\n")
