"""The report page: `html` bundles template, style sheet, modules and payload into one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias, TypedDict, Unpack, get_args, overload

from confmat._version import __version__
from confmat.comparison import Comparison
from confmat.core.errors import InputError
from confmat.core.files import write_text
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import Normalize, axis_named, door, one_of, whole_number
from confmat.core.samples import Sample
from confmat.core.stack import Stack
from confmat.core.text import fit, number, printable
from confmat.costs.reports import CostReport
from confmat.deciding import Best, Curve
from confmat.detection import BoxErrors
from confmat.display import payload as packing
from confmat.display.compared import compared
from confmat.display.examples import MOST_PICTURES, Pictures
from confmat.display.layout import Grouping
from confmat.display.payload import CROWDED, MANY, VAST, Choices, payload, singles_of
from confmat.display.summary import NOT_COMPARED, comparison_of, follows, of_one, of_several, stacked
from confmat.display.sweep import is_sweep, swept
from confmat.hierarchy import Hierarchy
from confmat.io.opened import opened
from confmat.metrics.catalog import Score, one_number, parse_score, several
from confmat.reporting import METRICS

if TYPE_CHECKING:
    from confmat.io.logs import EvalLog

# `import { a, b } from "./other.js";`, the only form that the modules use.
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\s+(\w+))", re.MULTILINE)
# Whole lines of comments; the sources keep them.
_REMARK = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*[^\n]*?\*/|/\*\*\n(?:[ \t]*\*[^\n]*\n)*?[ \t]*\*/)\n", re.MULTILINE)
# Indentation and empty lines; no text of the sources goes over more than one line.
_INDENT = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
# Texts, which stay as they are; the last semicolon of a block; the brackets of the one argument of an arrow; a sign
# with spaces around it; the end of a line beside a sign.
_SPACED = re.compile(
    r"""("[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|;\n?(?=\})|(?<!\w)(?<!\w )\((\w+)\) (?==>)"""
    r"""| *([=*?:{}()\[\],;|&<>!]) *| ([-+/]) (?![-+])|(?<=\W)\n|\n(?=\W)"""
)
# Texts, which stay as they are; words and numbers that are written shorter.
_GLOBALS = ("Array", "document", "Float64Array", "Int32Array", "Math", "Number", "Object", "String", "window")
_SHORTER = {name: f"${name[0].upper()}" for name in _GLOBALS}
_NAMED = f"const {','.join(f'{short}={name}' for name, short in _SHORTER.items())};"
_SHORTER |= {"const": "let", "true": "!0", "false": "!1", "Infinity": "1/0", "undefined": "void 0"}
_LONG = re.compile(rf"""("[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|(?<![\w.])(?:({"|".join(_SHORTER)})\b|0(?=\.\d))""")
_STYLED = re.compile(r"""("[^"\n]*")|/\*[^*]*\*/\n?|;\s*(?=\})|\s*([{};,])\s*|(?<=:) """)


def part(name: str) -> str:
    """A source of the page, by its file name."""
    return (files("confmat.display") / "page" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def script(entry: str = "main", absent: frozenset[str] = frozenset()) -> str:
    """A module and all that it imports as one script: each module in a function that gives what it exports.

    Modules that are absent give nothing; the data of the page say which it does not need.
    """
    done = {name: f"const ${name}={{}};" for name in sorted(absent)}
    _add(entry, done, ())
    return "\n".join([_NAMED, *done.values()])


def _add(name: str, done: dict[str, str], path: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in path:
        msg = f"the modules of the page import each other in a circle: {' > '.join([*path, name])}"
        raise ImportError(msg)
    source = part(f"{name}.js")
    imports = _IMPORT.findall(source)
    for _, other in imports:
        _add(other, done, (*path, name))
    exports = ",".join(_EXPORT.findall(source))
    taken = ",".join(f"{{{names}}}=${other}" for names, other in imports)
    body = (taken and f"const {taken};\n") + _REMARK.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
    done[name] = f"const ${name}=(()=>{{{squeezed(body)}return{{{exports}}}}})();"


def squeezed(code: str) -> str:
    r"""Code without the spaces that only readers need.

    >>> squeezed('  if (a === "b  = c") {\n    f(a + 1, [1, 2]);\n  }\n')
    'if(a==="b  = c"){f(a+1,[1,2])}'
    >>> squeezed("  return (a) => all.map((b) => a + b);\n")
    'return(a)=>all.map(b=>a+b);'
    >>> squeezed("  if (a === 0.5) return true;\n")
    'if(a===.5)return!0;'
    """
    return _SPACED.sub(_kept, _LONG.sub(_shorter, _INDENT.sub("", code)))


def _shorter(found: re.Match[str]) -> str:
    return found[1] or _SHORTER.get(found[2], "")


def _kept(found: re.Match[str]) -> str:
    return next(filter(None, found.groups()), "")


def policy(style: str, code: str) -> str:
    """A content-security policy under which this style sheet and this script run, and nothing is fetched."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(code)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            # Not even this script may turn text into markup.
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def page(absent: frozenset[str] = frozenset(), **texts: str) -> str:
    """The whole page without some modules; `texts` are the values of the template, escaped already."""
    style, code = _STYLED.sub(_kept, _LONG.sub(_shorter, part("style.css"))), script(absent=absent)
    return Template(part("page.html")).substitute(texts, style=style, script=code, policy=policy(style, code))


Order = Literal["auto", "given", "alphabetical", "support", "worst", "cluster", "hierarchy"]
Shading = Literal["auto", Normalize, "excess"]
Subject = ConfusionMatrix | Stack | Mapping[Any, ConfusionMatrix] | Best | Curve | BoxErrors | Comparison | CostReport
# Paths and logs too, alone or by their names.
Source: TypeAlias = "Subject | str | os.PathLike[str] | EvalLog | Mapping[str, Any]"


class Page(str):
    """The text of a page; as the last line of a notebook's cell, the page itself in a frame."""

    __slots__ = ("height",)

    height: int

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:0"
        facts = 'title="Report page" sandbox="allow-scripts allow-downloads"'
        return f'<iframe {facts} style="{style}" srcdoc="{escape(self)}"></iframe>'


class PageOptions(TypedDict, total=False):
    """Options of `html` that its kind of result does not depend on."""

    examples: Mapping[tuple[Any, Any], Iterable[Any]] | None
    images: Any
    image_bytes: int
    title: str | None
    normalize: Shading | None
    order: Order
    class_groups: Grouping
    scores: Iterable[Any]
    height: int
    overwrite: bool


@overload
def html(m: Source, file: None = None, **options: Unpack[PageOptions]) -> Page: ...
@overload
def html(m: Source, file: str | os.PathLike[str], **options: Unpack[PageOptions]) -> Path: ...
@overload
def html(m: Source, file: TextIO, **options: Unpack[PageOptions]) -> TextIO: ...
@opened  # type: ignore[misc]  # it takes the first argument by name, too
@door
def html(
    m: Subject,
    file: str | os.PathLike[str] | TextIO | None = None,
    *,
    examples: Mapping[tuple[Any, Any], Iterable[Any]] | None = None,
    images: Any = None,
    image_bytes: int = MOST_PICTURES,
    title: str | None = None,
    normalize: Shading | None = "auto",
    order: Order = "auto",
    class_groups: Grouping = True,
    scores: Iterable[Any] = (),
    height: int = 800,
    overwrite: bool = True,
) -> str | Path | TextIO:
    """A report as one HTML file: scores, ranked confusions, a heat map to walk in, and examples of each cell.

    Parameters
    ----------
    m
        A matrix, or the path of one or of a log of an evaluation; or several, as a mapping or a Stack, which are then
        compared: but those of a stack along "label", "image", "document", "cluster", "item" or "iou" are no rivals, and
        stand beside each other. Those along "threshold" or "confidence" have a slider, and curves with their intervals,
        as has what `best`, `roc` or `pr_curve` gave; it opens where F1, or the first of `scores`, is best. A
        Comparison knows more: that of `compare_predictions` has the paired tests, and the items that are fixed and
        broken. Where the keys are dates, or the axis is "epoch", "day" or the like, each matrix is compared with the
        one before it. The
        result of `box_errors` brings kinds of errors, average precision and examples, that of `cost_report` the cost of
        each cell, by which the map is shaded and the list is ranked.
    file
        A path, whose file appears whole or not at all; an open text file; or None for the text of the page.
    examples
        The items of a cell, by (actual, predicted): lists of texts, of tuples or of mappings of column to value; of
        models compared on the same items, by (actual, (answer of the first, answer of the second)). A value is shown
        as a small picture if it is one (an array, an image of Pillow, a `data:` text) or names a file of one, with
        spans if it is {"text": ..., "spans": [(start, end, name), ...]}, and as text otherwise.
    images
        Where the pictures are that examples name: a folder, by default that of the page; or a mapping, a list or a
        function that gives a path or a picture for the value in their column "image". A "true box" or "predicted box"
        (four corners, in pixels or relative) or "mask" in the same mapping is drawn on it.
    image_bytes
        How much all pictures may take in the page; each takes at most 8,000 bytes.
    title
        The heading.
    normalize
        The shades of the heat map at first: shares of the "actual" class, of the "predicted" class, of "all", None for
        counts, or "excess" for errors beyond those that quasi-independence expects; "auto" is "actual", and beyond
        1,000 classes the excess of the errors that stand out. "true" and "pred", "row" and "column" are other names of
        the first two. The reader may change it.
    order
        The order of the classes at first; "auto" is "hierarchy", group by group, where `class_groups` are given, else
        as given up to 30 classes, and beyond those that are confused with each other side by side.
    class_groups
        Groups of classes that the reader may fold, as `m.merge` takes them, or a Hierarchy, which folds at any level;
        True is those of `confmat.class_groups`.
    scores
        Scores above everything, beside the usual ones: names such as "recall[Cat]" or metrics such as
        `cost(prices)`, each one number. Pages of pixels have the mean IoU where none is named.
    height
        The height of the frame, in pixels, in which a notebook shows the page that is not written to a file.
    overwrite
        Whether a file of that name may be replaced.

    Returns
    -------
    Path, TextIO or str
        Where the page was written; without a file, its text.

    Notes
    -----
    The page embeds the cells that are not zero and never a whole table. Beyond 500,000 of them, the smallest are
    left out of the heat map, and the page says how many.

    Examples
    --------
    >>> page = html(ConfusionMatrix([[4, 1], [2, 5]], ["cat", "dog"]), title="Pets")
    >>> "<title>Pets</title>" in page, "default-src 'none'" in page
    (True, True)
    """
    costs = m if isinstance(m, CostReport) else None
    if isinstance(m, CostReport):
        m = m.matrix
    boxes = m if isinstance(m, BoxErrors) else None
    if boxes is not None:
        m, examples = boxes.matrix, boxes.examples if examples is None else examples
    sweep, wanted = None, list(map(parse_score, several(scores, "scores")))
    if is_sweep(m):
        models, sweep, wanted = swept(m, wanted)
        axis = "threshold"
    else:
        models, axis = _models(m)
    wanted = wanted or _usual(models)
    if not (file is None or isinstance(file, (str, os.PathLike)) or callable(getattr(file, "write", None))):
        msg = f"`file` is a path, an open text file, or None for the text of the page, not {type(file).__name__}"
        raise InputError(msg)
    labels = next(iter(models.values())).labels
    compares = len(models) > 1 and axis not in NOT_COMPARED
    text = " and ".join(map(printable, models)) if compares and len(models) < 4 else "Confusion matrix"
    text += " by threshold" if sweep else ""
    heading = fit(printable(text if title is None else title), 300)
    one_of("order", order, Order)
    shares = _shades(normalize)
    crowded = labels.n_classes > CROWDED
    usual = "cost" if costs is not None else "excess" if crowded else "actual"
    opening = "cluster" if labels.n_classes > MANY else "given"
    if isinstance(class_groups, (Hierarchy, Mapping)):
        opening = "hierarchy"
    elif order == "hierarchy":
        msg = "`order='hierarchy'` needs a Hierarchy or groups as `class_groups`"
        raise InputError(msg)
    chosen = Choices(
        title=heading,
        axis=axis,
        compares=compares,
        normalize=usual if shares == "auto" else shares,
        only=crowded and costs is None and shares in {"auto", "excess"},
        order=opening if order == "auto" else order,
        examples=examples,
        class_groups=class_groups,
        pictures=Pictures.read(images, image_bytes, file),
        scores=tuple(one_number(each, labels) for each in wanted),
        sweep=sweep,
        boxes=boxes,
        costs=costs,
    )
    page = _page(models, chosen, m if isinstance(m, Comparison) else None)
    if file is None:
        text = Page(page)
        text.height = whole_number("height", height)
        return text
    if not isinstance(file, (str, os.PathLike)):
        file.write(page)
        return file
    write_text(page, file, overwrite=overwrite)
    return Path(file)


def _shades(normalize: Any) -> str:
    """The shades that are asked for, checked."""
    shares = "none" if normalize is None or normalize is False else normalize
    one_of("normalize", shares, ("none", *get_args(Shading)))
    return axis_named("normalize", shares) if shares in get_args(Normalize) else shares


def _usual(models: Mapping[Any, ConfusionMatrix]) -> list[Score]:
    """The scores of some matrices beside the usual ones."""
    of_pixels = any(note.kind == "pixels" for m in models.values() for note in m.notes)
    return [parse_score("jaccard.macro")] if of_pixels else []


def _models(m: Subject) -> tuple[dict[Any, ConfusionMatrix], str]:
    """The matrices by their names, over common labels, and what the names are."""
    if isinstance(m, ConfusionMatrix):
        return {"counts": m}, "model"
    models = stacked(m, "a page shows")
    return dict(models.items()), printable(models.axis)


def _page(models: Mapping[Any, ConfusionMatrix], chosen: Choices, comparison: Comparison | None) -> str:
    data, notes = payload(models, chosen)
    said = of_one(next(iter(models.values()))) if len(models) == 1 else []
    labels = next(iter(models.values())).labels
    if chosen.compares:
        successive = comparison is None and follows(chosen.axis, list(models))
        comparison = comparison or comparison_of(models, successive=successive)
        if comparison is not None:
            scores = singles_of(models.values(), chosen.scores)
            names = list(models) if len(comparison.models) == len(models) else list(comparison.models)
            said = of_several(comparison, list(map(printable, names)), chosen.axis)
            data["tests"], more = compared(comparison, scores, METRICS, successive=successive)
            notes = list(dict.fromkeys([*more, *notes]))
    many = labels.n_classes > MANY
    parts = [part("map.html"), part("side.html")]
    tests = data.get("tests", {"successive": False, "pairs": []})
    needed = {
        "examples": data["examples"],
        "kinds": chosen.boxes,
        "sweep": chosen.sweep,
        "trend": tests["successive"],
        "answers": any("answers" in pair for pair in tests["pairs"]),
    }
    return page(
        frozenset(name for name, wanted in needed.items() if not wanted),
        title=escape(chosen.title),
        about=escape(_about(models, chosen)),
        summary=escape(" ".join(said)),
        version=escape(__version__),
        size="few" if not many else "many" if labels.n_classes <= VAST else "many vast",
        sections="".join(reversed(parts) if many else parts),
        plain=_plain(data),
        notes=_notes(notes),
        data=packing.as_json(data),
    )


def _about(models: Mapping[Any, ConfusionMatrix], chosen: Choices) -> str:
    """The line below the heading."""
    first = next(iter(models.values()))
    labels = first.labels
    facts = [f"{number(labels.n_classes)} class{'es' * (labels.n_classes != 1)}"]
    if len(models) == 1 or chosen.sweep:
        unit = "total weight" if first.is_weighted else "item" if first.total == 1 else "items"
        facts.insert(0, first.described if isinstance(first, Sample) else f"{number(first.total)} {unit}")
    if chosen.sweep:
        facts.append(chosen.sweep["size"])
    elif len(models) == 1:
        facts.append(f"{number(len(first.pairs()))} of {number(len(labels) ** 2)} cells filled")
    else:
        facts.insert(0, f"{len(models)} matrices{'' if chosen.compares else f', one for each {fit(chosen.axis, 60)}'}")
    if labels.outside:
        facts.append(f"outside the classes: {', '.join(fit(printable(name), 30) for name in labels.outside[:5])}")
    if labels.positive is not None:
        facts.append(f"positive: {fit(printable(labels.positive), 30)}")
    return " · ".join(facts)


def _plain(data: Mapping[str, Any]) -> str:
    """The scores of the whole as words, for who allows no script."""
    lines = []
    sweep, models = data["sweep"], data["models"]
    for model in models if sweep is None else [models[0] | models[sweep["open"]]]:
        scores = zip(data["overall"], model["overall"], strict=True)
        line = " · ".join(f"{fact['title']} {'–' if value is None else f'{value:.3f}'}" for fact, value in scores)
        lines.append(line if len(data["models"]) == 1 else f"{model['name']}: {line}")
    return "<br>".join(escape(fit(line, 500)) for line in lines)


def _notes(notes: list[str]) -> str:
    """Notes about the numbers, as a list."""
    if not notes:
        return ""
    items = "".join(f"<li>{escape(fit(text, 400))}</li>" for text in notes)
    return (
        '<section class="card notes" aria-labelledby="notes-title"><div class="card-head">'
        f'<h2 id="notes-title">Notes</h2></div><ul>{items}</ul></section>'
    )
