"""Bundle: the page's template, style sheet and modules put into one text, with a policy that admits nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from string import Template

__all__ = ["page", "part", "policy", "script", "squeezed"]

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
_STYLED = re.compile(r"""("[^"\n]*")|/\*[^*]*\*/\n?|;\s*(?=\})|\s*([{};,])\s*|(?<=:) """)


def part(name: str) -> str:
    """A source of the page, by its file name."""
    return (files("confmat.display") / "page" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def script(entry: str = "main") -> str:
    """A module and all that it imports as one script: each module in a function that gives what it exports."""
    done: dict[str, str] = {}
    _add(entry, done, ())
    return "\n".join(done.values())


def _add(name: str, done: dict[str, str], path: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in path:
        msg = f"the modules of the page import each other in a circle: {' > '.join([*path, name])}"
        raise ImportError(msg)
    source = part(f"{name}.js")
    for _, other in _IMPORT.findall(source):
        _add(other, done, (*path, name))
    exports = ",".join(_EXPORT.findall(source))
    body = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = ${found[2]};\n", source)
    body = _REMARK.sub("", _EXPORT.sub("", body))
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
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"


def page(**texts: str) -> str:
    """The whole page; `texts` are the values of the template, escaped already."""
    style, code = _STYLED.sub(_kept, part("style.css")), script()
    return Template(part("page.html")).substitute(texts, style=style, script=code, policy=policy(style, code))
