"""The report page: `html` bundles template, style sheet, modules and payload into one file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from confmat._version import __version__
from confmat.comparison import Comparison
from confmat.core.matrix import ConfusionMatrix
from confmat.core.samples import Sample
from confmat.core.text import fit, number, printable
from confmat.display import payload as packing
from confmat.display.compared import compared
from confmat.display.payload import MANY, VAST, Choices, payload, singles_of
from confmat.display.summary import comparison_of, follows, of_one, of_several
from confmat.reporting import METRICS

# `import { a, b } from "./other.js";`, the only form that the modules use.
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\s+(\w+))", re.MULTILINE)
# Whole lines of comments; the sources keep them.
_REMARK = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*\*[^\n]*?\*/|/\*\*\n(?:[ \t]*\*[^\n]*\n)*?[ \t]*\*/)\n", re.MULTILINE
)
# Indentation and empty lines; no text of the sources goes over more than one line.
_INDENT = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
# Texts, which stay as they are; the last semicolon of a block; the brackets of the one argument of
# an arrow; a sign with spaces around it; the end of a line beside a sign.
_SPACED = re.compile(
    r"""("[^"\n]*"|'[^'\n]*'|`[^`\n]*`)|;\n?(?=\})|(?<!\w)(?<!\w )\((\w+)\) (?==>)"""
    r"""| *([=*?:{}()\[\],;|&<>!]) *| ([-+/]) (?![-+])|(?<=\W)\n|\n(?=\W)"""
)
_STYLED = re.compile(r"""("[^"\n]*")|/\*[^*]*\*/\n?|;\s*(?=\})|\s*([{};,])\s*|(?<=:) """)


def part(name: str) -> str:
    """A source of the page, by its file name."""
    return (
        (files("confmat.display") / "page" / name).read_text(encoding="utf-8").replace("\r\n", "\n")
    )


@cache
def script(entry: str = "main", absent: frozenset[str] = frozenset()) -> str:
    """A module and all that it imports as one script: each module in a function that gives what it exports.

    Modules that are absent give nothing; the data of the page say which it does not need.
    """
    done = {name: f"const ${name}={{}};" for name in sorted(absent)}
    _add(entry, done)
    return "\n".join(done.values())


def _add(name: str, done: dict[str, str]) -> None:
    if name in done:
        return
    source = part(f"{name}.js")
    imports = _IMPORT.findall(source)
    for _, other in imports:
        _add(other, done)
    exports = ",".join(_EXPORT.findall(source))
    taken = ",".join(f"{{{names}}}=${other}" for names, other in imports)
    body = (taken and f"const {taken};\n") + _REMARK.sub(
        "", _EXPORT.sub("", _IMPORT.sub("", source))
    )
    done[name] = f"const ${name}=(()=>{{{squeezed(body)}return{{{exports}}}}})();"


def squeezed(code: str) -> str:
    r"""Code without the spaces that only readers need.

    >>> squeezed('  if (a === "b  = c") {\n    f(a + 1, [1, 2]);\n  }\n')
    'if(a==="b  = c"){f(a+1,[1,2])}'
    >>> squeezed("  return (a) => all.map((b) => a + b);\n")
    'return(a)=>all.map(b=>a+b);'
    """
    return _SPACED.sub(_kept, _INDENT.sub("", code))


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
    return (
        f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
    )


def page(absent: frozenset[str] = frozenset(), **texts: str) -> str:
    """The whole page without some modules; `texts` are the values of the template, escaped already."""
    style, code = _STYLED.sub(_kept, part("style.css")), script(absent=absent)
    return Template(part("page.html")).substitute(
        texts, style=style, script=code, policy=policy(style, code)
    )


class Page(str):
    """The text of a page; as the last line of a notebook's cell, the page itself in a frame."""

    __slots__ = ("height",)

    height: int

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:0"
        facts = 'title="Report page" sandbox="allow-scripts allow-downloads"'
        return f'<iframe {facts} style="{style}" srcdoc="{escape(self)}"></iframe>'


def filled(
    models: Mapping[Any, ConfusionMatrix], chosen: Choices, comparison: Comparison | None
) -> str:
    """The page of some matrices and of their differences."""
    data, notes = payload(models, chosen)
    first = next(iter(models.values()))
    sentences = of_one(first) if len(models) == 1 else []
    successive = comparison is None and follows(chosen.axis, list(models))
    if chosen.compares:
        comparison = comparison or comparison_of(models, successive=successive)
        if comparison is not None:
            scores = singles_of(models.values(), chosen.scores)
            names = models if len(comparison.models) == len(models) else comparison.models
            sentences = of_several(comparison, list(map(printable, names)), chosen.axis)
            data["tests"], more = compared(comparison, scores, METRICS, successive=successive)
            notes = list(dict.fromkeys([*more, *notes]))
    many = first.n_classes > MANY
    tests = data.get("tests", {"successive": False, "pairs": []})
    # Few classes are beside the map, where the list of what holds is short.
    classes = part("classes.html")
    parts = [part("map.html"), part("side.html").replace("$beside", "" if many else classes)]
    needed = {
        "examples": data["examples"],
        "kinds": "kinds" in data,
        "sweep": chosen.sweep,
        "trend": tests["successive"],
        "answers": any("answers" in pair for pair in tests["pairs"]),
    }
    return page(
        frozenset(name for name, wanted in needed.items() if not wanted),
        title=escape(chosen.title),
        about=escape(_about(models, chosen)),
        summary=escape(" ".join(sentences)),
        version=escape(__version__),
        size="few" if not many else "many" if first.n_classes <= VAST else "many vast",
        sections="".join(reversed(parts) if many else parts),
        classes=classes if many else "",
        plain=_plain(data),
        notes=_notes(notes),
        data=packing.as_json(data),
    )


def _about(models: Mapping[Any, ConfusionMatrix], chosen: Choices) -> str:
    """The line below the heading."""
    first = next(iter(models.values()))
    labels = first.labels
    classes = f"{number(labels.n_classes)} class{'es' * (labels.n_classes != 1)}"
    if chosen.sweep:
        facts = [_size(first), classes, chosen.sweep["size"]]
    elif len(models) == 1:
        filled = f"{number(len(first.pairs()))} of {number(len(labels) ** 2)} cells filled"
        facts = [_size(first), classes, filled]
    else:
        along = "" if chosen.compares else f", one for each {fit(chosen.axis, 60)}"
        facts = [f"{len(models)} matrices{along}", classes]
    if labels.outside:
        names = ", ".join(fit(printable(name), 30) for name in labels.outside[:5])
        facts.append(f"outside the classes: {names}")
    if labels.positive is not None:
        facts.append(f"positive: {fit(printable(labels.positive), 30)}")
    return " · ".join(facts)


def _size(m: ConfusionMatrix) -> str:
    """How much was counted, in words."""
    if isinstance(m, Sample):
        return m.described
    unit = "total weight" if m.is_weighted else "item" if m.total == 1 else "items"
    return f"{number(m.total)} {unit}"


def _plain(data: Mapping[str, Any]) -> str:
    """The scores of the whole as words, for who allows no script."""
    lines = []
    sweep, models = data["sweep"], data["models"]
    for model in models if sweep is None else [models[0] | models[sweep["open"]]]:
        scores = zip(data["overall"], model["overall"], strict=True)
        line = " · ".join(
            f"{fact['title']} {'–' if value is None else f'{value:.3f}'}" for fact, value in scores
        )
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
