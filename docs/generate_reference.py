"""The generated reference: a page for each metric from its declaration, the names of other packages, the public names.

`python docs/generate_reference.py` writes docs/reference/generated; the documentation's
configuration does so at every build. Each number on a page is computed when the page is written,
and the public names are read from the front page, `confmat/__init__.pyi`, in its groups and its
order.

The words by which a page is found are at its head, as `search`; they are the aliases that metrics
declare, the names of peers, and the words of `confmat.core.words`, which people try.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from inspect import cleandoc, getdoc, isclass, signature
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from bibliography import WORKS  # noqa: E402 - found beside this file

import confmat  # noqa: E402
from confmat import ConfusionMatrix  # noqa: E402
from confmat.core.errors import ConfmatError, MetricError  # noqa: E402
from confmat.core.words import ROWS, form_of  # noqa: E402
from confmat.metrics import averages, description, peers  # noqa: E402
from confmat.metrics.catalog import peer_names  # noqa: E402
from confmat.metrics.declaration import Factory, Metric, catalog, factories  # noqa: E402

OUTPUT = HERE / "reference" / "generated"
EXAMPLE = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
CELLS = {
    r"\TP": r"\mathrm{TP}",
    r"\FP": r"\mathrm{FP}",
    r"\FN": r"\mathrm{FN}",
    r"\TN": r"\mathrm{TN}",
    r"\dots": r"\ldots",
}
# The questions that families of metrics answer, as the table of all metrics has them.
TASKS = {
    "": "one class, or a test",
    "accuracy": "all classes",
    "macro": "all classes",
    "baselines": "chance and baselines",
    "agreement": "agreement of raters",
    "weighted agreement": "agreement of raters",
    "pair counting": "clusters",
    "sharing": "clusters",
    "information": "information",
    "confusion entropy": "information",
    "association": "association",
    "ordinal": "ordered classes",
    "coefficients": "coefficients of two classes",
    "costs": "costs",
}


def generate(output: Path = OUTPUT) -> list[Path]:
    """Write all pages, and remove those of metrics that are gone."""
    pages = {
        "index.md": index(),
        "migration.md": migration(),
        "averages.md": averages_page(),
    } | public_pages()
    for one in catalog().values():
        pages[f"{slug(one.name)}.md"] = metric_page(one)
    for family in factories().values():
        pages[f"{slug(family.name)}.md"] = factory_page(family)
    for name, words in search_words().items():
        if name in pages:
            pages[name] = headed(pages[name], search="; ".join(words))
    output.mkdir(parents=True, exist_ok=True)
    for old in {path.name for path in output.iterdir()} - set(pages):
        (output / old).unlink()
    for name, text in pages.items():
        path = output / name
        # A page that stays as it is need not be read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return [output / name for name in pages]


def headed(page: str, **facts: Any) -> str:
    """Put facts at the head of a page."""
    head, mark, text = (
        page.partition("---\n\n") if page.startswith("---\n") else ("---\n", "---\n\n", page)
    )
    return (
        head
        + "".join(f"{key}: {json.dumps(value)}\n" for key, value in facts.items())
        + mark
        + text
    )


def slug(name: str) -> str:
    """A file name: 'f0.5' and 'iba(1)' become 'f0-5' and 'iba-1'."""
    return "metric-" + "".join(
        letter if letter.isalnum() or letter == "_" else "-" for letter in name
    ).strip("-")


def search_words() -> Mapping[str, list[str]]:
    """The words by which the search finds a page before all others, from where they are declared."""
    found: dict[str, dict[str, None]] = defaultdict(dict)

    def enter(page: str, *words: str) -> None:
        for word in words:
            found[page] |= dict.fromkeys([word.lower(), word.lower().replace("_", " ")])

    ours = (*catalog().values(), *factories().values())
    own = {word.lower() for one in ours for word in (one.name, one.title, *one.aliases)}
    for one in ours:
        theirs = (name.partition(":")[2] for name in names_of(one) if "(" not in name)
        enter(
            f"{slug(one.name)}.md",
            one.name,
            one.title,
            *one.aliases,
            *(each for each in theirs if each.lower() not in own),
        )
    for name in (each for names in groups().values() for each in names):
        enter(f"confmat.{name}.md", name)
    for word, page in _guessed():
        enter(page, word)
    enter("migration.md", "migration", "migrate")
    # Who looks for the area under a curve has scores; a metric of that name is the area under one
    # point.
    areas, asked = ("auc", "auroc", "rocauc", "roc_auc", "roc auc"), "confmat.roc_auc.md"
    enter(asked, *areas)
    return {
        page: [word for word in words if page == asked or word not in areas]
        for page, words in found.items()
    }


def _guessed() -> Iterator[tuple[str, str]]:
    """The words that people try, and the page of the name that is to be written in place of each.

    A word at the head of a written page is of that page alone.
    """
    pages = (one.read_text(encoding="utf-8") for one in HERE.rglob("*.md") if one.parent != OUTPUT)
    heads = re.findall("^search: (.*)", "\n".join(pages), re.MULTILINE)
    written = {word for head in heads for word in head.split("; ")}
    for row in ROWS:
        words, _, text = row.partition(" -> ")
        owner, _, own = words.rpartition(": ")
        line = next((one for one in text.split(" | ") if form_of(one) == "python"), "")
        quoted = re.search(r"'(\w+)(?:\.\w+)?'", line) if owner == "metric" else None
        place = quoted or re.search(r"confmat\.(?:metrics\.)?(\w+(?:\.[A-Z]\w+)?)", line)
        if place and owner in {"", "confmat", "metric"}:
            is_metric = place[1] in catalog() or place[1] in factories()
            page = f"{slug(place[1])}.md" if is_metric else f"confmat.{place[1]}.md"
            yield from (
                (word, page) for word in own.split() if word.replace("_", " ") not in written
            )


# ---- one metric ----------------------------------------------------------------------------------


def metric_page(one: Metric) -> str:
    """Formula, meaning, facts, a worked example, names elsewhere, references."""
    parts = [
        f"# {one.title}",
        f"`{one.name}`: {one.summary}",
        one.note,
        formula(one.latex),
        facts(one),
        worked(one),
    ]
    parts += [elsewhere(one), references(one.references)]
    return _metric("\n\n".join(part for part in parts if part) + "\n")


def _metric(page: str) -> str:
    """Metrics are found by their table and by the search; a sidebar of 240 would hide everything else."""
    return headed(page, orphan=True, within="index")


def factory_page(family: Factory) -> str:
    """The page of a family: its parameters, and one of its metrics in full."""
    arguments = ", ".join(map(repr, family.example))
    made: Metric = family(*family.example)
    text = (family.__doc__ or "").partition(">>>")[0]
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    parts = [
        f"# {family.title}",
        *paragraphs,
        f"For example `{family.name}({arguments})`:",
        formula(made.latex),
    ]
    parts += [facts(made), _if_it_fits(made), elsewhere(family), references(made.references)]
    return _metric("\n\n".join(part for part in parts if part) + "\n")


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
    # Factors of 1 remain of F-beta where beta is 1.
    latex = re.sub(r"(?<![\d.])1 \\cdot ", "", latex)
    return f"$$\n{_cells(latex)}\n$$"


def facts(one: Metric) -> str:
    """The declared facts as a table."""
    rows = [
        (
            "Gives",
            "one value per class, or one with `of=` or `average=`"
            if one.kind == "class"
            else "one number",
        ),
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
        ("Also called", ", ".join(f"`{alias}`" for alias in one.aliases)),
    ]
    kept = [(row[0], row[1]) for row in rows if row[1] and (len(row) == 2 or row[2] is not None)]
    return table(("Fact", "Value"), kept)


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
        (f"**{label}**", *map(str, row))
        for label, row in zip(EXAMPLE.labels, EXAMPLE.counts.tolist(), strict=True)
    ]
    text += table(("Actual", *EXAMPLE.labels), rows) + "\n\n"
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
    rows = [
        (peers.PEERS.get(name.partition(":")[0], name.partition(":")[0]), *_named(name))
        for name in names_of(one)
    ]
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


# ---- pages about many ----------------------------------------------------------------------------


def index() -> str:
    """One table of all metrics; a script beside it filters its rows."""
    rows = [_row(one) for one in (*catalog().values(), *factories().values())]
    text = table(("Metric", "Meaning", "Task", "Range", "Averages", "Other names"), rows)
    head = f"# All metrics\n\n{len(catalog())} metrics and {len(factories())} families with parameters.\n"
    asked = (
        "Ask for each by its name, or by any other of its names: `cm.score(m, "
        '"recall.macro")`, `cm.metric("tpr")`.'
    )
    return headed(
        f"{head}{asked}\n\n:::{{table}}\n:class: filtered\n\n{text}\n:::\n", **{"hide-toc": True}
    )


def _row(one: Metric | Factory) -> tuple[str, ...]:
    made: Metric = one(*one.example) if isinstance(one, Factory) else one
    name = (
        f"{one.name}({', '.join(signature(one.__wrapped__).parameters)})"
        if isinstance(one, Factory)
        else one.name
    )
    averages = "one number"
    if made.kind == "class":
        micro = [] if made.needs == "cells" else ["micro"]
        averages = ", ".join([*(["macro", "weighted"] if made.fair else []), *micro]) or "none"
    theirs = [name.partition(":") for name in names_of(one) if "(" not in name]
    others = [
        ", ".join(one.aliases),
        *(f"{peers.PEERS.get(space, space).split()[0]}: {own}" for space, _, own in theirs),
    ]
    span = description.span(made).replace("-", "−")
    return (
        f"[{one.title}]({slug(one.name)}.md) `{name}`",
        one.summary,
        TASKS[made.family],
        span,
        averages,
        "; ".join(filter(None, others)),
    )


def averages_page() -> str:
    """Table of the averages with their formulas."""
    rows = [
        (one.title, f"`{one.name}`", f"${one.latex}$", one.summary)
        for one in averages.AVERAGES.values()
    ]
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
        rows += [
            (f"`{name.partition(':')[2]}`", "no counterpart", f"the nearest: {nearest(here)}")
            for name, here in peers.WITHOUT.items()
            if name.startswith(f"{peer}:")
        ]
        if rows:
            parts += [
                f"## {title}",
                table(
                    (f"`{peer}:`", "Here", "To know"), sorted(rows, key=lambda row: row[0].lower())
                ),
            ]
    return "\n\n".join(parts) + "\n"


_MIGRATION = """Each name is found with its namespace: `cm.metric("pycm:TPR Macro")(m)` gives the number that PyCM
prints. Where a package averages in another way, or computes something else than the name says, the last column
says so; a *value* is a tuple or a number that is no metric."""


def nearest(here: str) -> str:
    """A metric with a link to its page, or another way to ask."""
    return _link(here) if here in catalog() else f"`{here}`"


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
    return f"[`{found.factory[0]}({', '.join(map(repr, found.factory[1][0]))})`]({slug(found.factory[0])}.md)"


# ---- the public names ----------------------------------------------------------------------------

# Written pages that belong to a group, and the titles of those that are all of one.
WRITTEN = {
    "Ask": ["../auditing"],
    "Compare": ["../comparing"],
    "See": ["../tables"],
    "Files": ["../files"],
    "Tasks": ["../beyond-one-label"],
    "Libraries": ["../scikit-learn", "../torch", "../onedal"],
}
# The group that the names of a public room are in, where it is not "Tasks".
ROOMS = {"costs": "Ask", "deciding": "Ask", "structure": "Ask", "io": "Files"}
# Rooms with pages of their own.
APART = {"metrics": "index.md", "onedal": "../onedal.md"}
MEANINGS = {
    "Count": "Labels become a matrix, whatever holds them.",
    "Ask": "Scores, reports, intervals, thresholds, costs and audits of a matrix.",
    "Compare": "Two or more models, with the test that fits.",
    "See": "Plots, the report page, the terminal, and tables of results.",
    "Files": "Values are stored and read back, and so is what other tools print.",
    "Tasks": "Several labels an item, boxes, masks, spans of text and related classes.",
    "Libraries": "Functions and classes with the signatures of other libraries.",
}


def groups() -> dict[str, list[str]]:
    """Names of the front page by the comments that head its groups; the last group is that of the rooms."""
    title, found = "", dict[str, list[str]]()
    for line in Path(confmat.__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = re.split(r"[.;]", line[2:])[0]
        found.setdefault(title, []).extend(re.findall(r"\b(?!__)\w+ as (\w+)", line))
    return {title: names for title, names in found.items() if title}


def public_pages() -> dict[str, str]:
    """Pages of the public names: one with all of them, one for each group, and one for each object."""
    *front, (_, rooms) = groups().items()
    pages, parts = (
        {},
        ["# Every public name", "The names of `confmat`, as `import confmat as cm` gives them."],
    )
    shown = {name for _, names in front for name in names}
    for title, names in [*front, ("Libraries", [])]:
        tables = (
            [table(("Name", "Meaning"), [_linked(confmat, name) for name in names])]
            if names
            else []
        )
        if title in MEANINGS:
            own = {
                room: _own(room, shown)
                for room in rooms
                if room not in APART and ROOMS.get(room, "Tasks") == title
            }
            tables += [_room(room, others) for room, others in own.items() if others]
            objects = {
                f"confmat.{name}": "confmat" for name in names if _has_page(getattr(confmat, name))
            }
            objects |= {
                f"confmat.{room}.{name}": f"confmat.{room}"
                for room, others in own.items()
                for name in others
            }
            pages |= {
                f"{path}.md": object_page(path, module, title.lower())
                for path, module in objects.items()
            }
            more = [
                f"- [](../{name}.md)".replace("../../", "../") for name in WRITTEN.get(title, [])
            ]
            tree = ["```{toctree}", ":hidden:", "", *objects, *WRITTEN.get(title, []), "```"]
            listed = ["\n".join(more)] if more else []
            pages[f"{title.lower()}.md"] = (
                "\n\n".join([f"# {title}", MEANINGS[title], *tables, *listed, "\n".join(tree)])
                + "\n"
            )
        parts += [f"## {title}", *tables] if tables else []
    parts += ["## Modules", "Each of these is a module, `confmat.<name>`."]
    links = {room: f"{ROOMS.get(room, 'Tasks').lower()}.md" for room in rooms} | APART
    rows = [
        (f"[{name}]({links[name]})", _summary(import_module(f"confmat.{name}")))
        for name in sorted(rooms)
    ]
    return {"public.md": "\n\n".join([*parts, table(("Module", "Meaning"), rows)]) + "\n", **pages}


def _own(room: str, front: set[str]) -> list[str]:
    """The names that a room has beside those of the front page."""
    module = import_module(f"confmat.{room}")
    return [name for name in module.__all__ if name not in front]


def _room(room: str, names: list[str]) -> str:
    """The part of a group's page about a room."""
    module = import_module(f"confmat.{room}")
    rows = [_linked(module, name) for name in names]
    return f"## confmat.{room}\n\n{cleandoc(module.__doc__ or '')}\n\n{table(('Name', 'Meaning'), rows)}"


def object_page(path: str, module: str, group: str) -> str:
    """The page of a function or a class."""
    name = path.removeprefix("confmat.")
    return headed(f"# {name}\n\n{members(module, [path.rpartition('.')[2]])}", within=group)


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


def _linked(module: ModuleType, name: str) -> tuple[str, str]:
    """A name with a link to its page, and its summary."""
    value = getattr(module, name)
    link = f"{module.__name__}.{name}.md"
    if isinstance(value, Metric | Factory):
        link = f"{slug(value.name)}.md"
    elif value is averages.AVERAGES:
        link = "averages.md"
    elif isclass(value) and issubclass(value, (ConfmatError, Warning)):
        link = "../errors.md"
    return f"[`{name}`]({link})", _summary(value)


def _has_page(value: Any) -> bool:
    """Whether a value is described by its docstring, and not by a page of another kind."""
    return callable(value) and not isinstance(value, Metric | Factory)


if __name__ == "__main__":
    written = generate()
    sys.stdout.write(f"{len(written)} pages in {OUTPUT.relative_to(HERE.parent)}\n")
