"""The generated reference: a page for each metric from its declaration, the names of other packages, the public names.

`python docs/generate_reference.py` writes docs/reference/generated; the documentation's configuration does so at
every build. Each number on a page is computed when the page is written, and the public names are read from the front
page, `confmat/__init__.pyi`, in its groups and its order.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc, getdoc, isclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bibliography import WORKS  # noqa: E402 - found beside this file

import confmat  # noqa: E402
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
    """Write all pages, and remove those of metrics that are gone."""
    pages = {"index.md": index(), "migration.md": migration(), "averages.md": averages_page()} | public_pages()
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
    """The page of a family: its parameters, and one of its metrics in full."""
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
        ("On the transposed matrix", "the same" if one.symmetric else _link(one.transposed)),
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
    """Names that peers have for a metric, with remarks on differences."""
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
    """Table of the averages with their formulas."""
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


# ---- the public names ------------------------------------------------------------------------------------------

# Groups of the front page that have a page of their own elsewhere.
WRITTEN = {"Errors": "../errors.md", "Metrics": "index.md"}
# Public rooms with a page of their own elsewhere.
DESCRIBED = {"metrics", "onedal", "sklearn"}


def groups() -> dict[str, list[str]]:
    """Names of the front page by the comments that head its groups; the last group is that of the rooms."""
    title, found = "", dict[str, list[str]]()
    for line in Path(confmat.__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = re.split(r"[.;]", line[2:])[0]
        found.setdefault(title, []).extend(re.findall(r"\b(?!__)\w+ as (\w+)", line))
    return {title: names for title, names in found.items() if title}


def public_pages() -> dict[str, str]:
    """Pages of the public names: a summary, a page for each group of the front page, and one for each room."""
    *front, rooms = groups().items()
    pages = {}
    parts = ["# Every public name", "The names of `confmat`, as `import confmat as cm` gives them, group by group."]
    for title, names in front:
        link = WRITTEN.get(title, f"public-{title.split()[0].lower().strip(',')}.md")
        rows = [(_summary_link(name, link), _summary(getattr(confmat, name))) for name in names]
        parts += [f"## {title}", table(("Name", "Meaning"), rows)]
        if title not in WRITTEN:
            pages[link] = f"# {title}\n\n" + members("confmat", names)
    parts += ["## Rooms", "Each of these is a module, `confmat.<name>`."]
    links = {name: f"room-{name}.md" for name in rooms[1] if name not in DESCRIBED}
    for name, link in links.items():
        pages[link] = room_page(name, {each for _, names in front for each in names})
    links |= {"metrics": "index.md", "sklearn": "../scikit-learn.md", "onedal": "../onedal.md"}
    rows = [(f"[{name}]({link})", _summary(import_module(f"confmat.{name}"))) for name, link in sorted(links.items())]
    parts.append(table(("Room", "Meaning"), rows))
    tree = "\n".join([":::{toctree}", ":hidden:", "", *(name.removesuffix(".md") for name in pages), ":::"])
    return {"public.md": "\n\n".join([*parts, tree]) + "\n", **pages}


def room_page(name: str, front: set[str]) -> str:
    """The names of a room, in full but for those that the front page has."""
    room = import_module(f"confmat.{name}")
    shared = [each for each in room.__all__ if each in front]
    own = [each for each in room.__all__ if each not in front]
    parts = [f"# confmat.{name}", cleandoc(room.__doc__ or "")]
    if shared:
        parts.append("On the [front page](public.md): " + ", ".join(f"`{each}`" for each in shared) + ".")
    return "\n\n".join([*parts, members(f"confmat.{name}", own)]) + "\n"


def members(module: str, names: Iterable[str]) -> str:
    """Directives for the docstrings of some names of a module."""
    lines = []
    for name in names:
        value = getattr(import_module(module), name)
        if isclass(value):
            lines += [f".. autoclass:: {module}.{name}", "   :members:"]
        elif callable(value):
            lines.append(f".. autofunction:: {module}.{name}")
    return "\n".join(["```{eval-rst}", *lines, "```", ""]) if lines else ""


def _summary(value: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    if isinstance(value, Metric | Factory):
        return str(value.summary)
    if value is averages.AVERAGES:
        return "Every average by name, read-only."
    return " ".join((getdoc(value) or "").partition("\n\n")[0].split()).replace("``", "`")


def _summary_link(name: str, link: str) -> str:
    """A name with a link to its page: a metric's own, or that of its group."""
    value = getattr(confmat, name)
    if isinstance(value, Metric | Factory):
        link = f"{slug(value.name)}.md"
    elif value is averages.AVERAGES:
        link = "averages.md"
    return f"[`{name}`]({link})"


if __name__ == "__main__":
    written = generate()
    sys.stdout.write(f"{len(written)} pages in {OUTPUT.relative_to(HERE.parent)}\n")
