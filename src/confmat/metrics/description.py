r"""Descriptions of metrics, and their formulas in plain text, as one reads them aloud.

>>> plainly(r"\frac{2 \cdot \TP}{2 \cdot \TP + \FN + \FP}")
'2·TP / (2·TP + FN + FP)'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confmat.metrics.declaration import Metric

_TOKENS = re.compile(r"\\[a-zA-Z]+|\\.|[A-Za-z]'*|\d+(?:\.\d+)?|\S")
_SIGNS = {
    r"\cdot": "·", r"\sum": "Σ", r"\prod": "Π", r"\pi": "π", r"\chi": "χ", r"\Phi": "Φ", r"\phi": "φ", r"\ne": "≠",
    r"\le": "≤", r"\ge": "≥", r"\quad": "", r"\left": "", r"\right": "", r"\bigl": "", r"\bigr": "", r"\{": "{",
    r"\}": "}", r"\dots": "...", "-": "−",
}  # fmt: skip
_MARKS = {r"\tilde": "\u0303", r"\bar": "\u0304"}
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
# Signs that may be before and behind a fraction; beside anything else it is put in parentheses.
_BEFORE = {"", "+", "−", "=", ",", ";", ":", "≠", "≤", "≥", "<", ">", "(", "[", "{", "|"}
_BEHIND = {"", "+", "−", "=", ",", ";", ":", "≠", "≤", "≥", "<", ">", ")", "]", "}", "|"}
# Written before their arguments without a space: entropies, a mean and an expectation among them.
_FUNCTIONS = {"ln", "log", "max", "min", "arcsin", "exp", "H", "M", "E"}


class _Fraction(str):
    """A quotient on one line, which is one thing."""

    __slots__ = ()


def plainly(latex: str) -> str:
    """The formula on one line, in Unicode."""
    return re.sub(r"\b1·", "", _joined(_read(_TOKENS.findall(latex), None)))


def _read(signs: list[str], end: str | None) -> list[str]:
    """The items up to a closing brace; a fraction is one item."""
    items: list[str] = []
    while signs:
        sign = signs.pop(0)
        if sign == end:
            break
        if sign in {"_", "^"} and items:
            items[-1] += _script(sign, _argument(signs))
        else:
            items.append(_item(sign, signs))
    return [item for item in items if item]


def _item(sign: str, signs: list[str]) -> str:
    if sign == "{":
        return _joined(_read(signs, "}"))
    if sign == r"\frac":
        return _Fraction(f"{_closed(_argument(signs))} / {_closed(_argument(signs))}")
    if sign == r"\sqrt":
        inside = _argument(signs)
        return f"√{inside}" if inside.isalnum() else f"√({inside})"
    if sign in _MARKS:
        return _argument(signs) + _MARKS[sign]
    return _SIGNS.get(sign, sign.removeprefix("\\"))


def _argument(signs: list[str]) -> str:
    if not signs:
        return ""
    sign = signs.pop(0)
    return _joined(_read(signs, "}")) if sign == "{" else _item(sign, signs)


def _script(kind: str, text: str) -> str:
    close = text.replace("− ", "-").replace("−", "-")
    if kind == "^" and re.fullmatch(r"-?\d+", close):
        return close.translate(_RAISED)
    if kind == "_" and re.fullmatch(r"\w( \w)*", text):
        return f"_{text.replace(' ', '')}"
    return kind + (text if text.isalnum() else f"({text})")


def _closed(text: str) -> str:
    """Above or below a line: in parentheses, but for one thing, a product with a number, or a function's value."""
    simple = re.fullmatch(r"(\d+·)?[^\s()|·]+", text) or _is_call(text)
    return text if simple else f"({text})"


def _is_call(text: str) -> bool:
    """Whether the last parenthesis closes the first, behind a function's name at most."""
    name, opened, rest = text.partition("(")
    if not opened or not text.endswith(")") or not (name in _FUNCTIONS or name in {"", "√"}):
        return False
    depth = 1
    for char in rest[:-1]:
        depth += (char == "(") - (char == ")")
        if not depth:
            return False
    return True


def _joined(items: list[str]) -> str:
    text = ""
    for before, item, after in zip(["", *items], items, [*items[1:], ""], strict=False):
        whole = isinstance(item, _Fraction) and not (before in _BEFORE and after[:1] in _BEHIND)
        text += _gap(before, item, text) + (f"({item})" if whole else item)
    return _Fraction(text) if len(items) == 1 and isinstance(items[0], _Fraction) else text


def _gap(before: str, item: str, text: str) -> str:
    inside_bars = text.count("|") % 2 == 1
    opened = before in {"", "(", "[", "{", "·"} or (before == "|" and inside_bars)
    closes = item[0] in ")]},;:·!" or (item == "|" and inside_bars)
    called = item in {"(", "["} and before in _FUNCTIONS
    return "" if opened or closes or called else " "


def span(metric: Metric) -> str:
    """The interval of possible values."""
    low, high = metric.bounds
    return f"{'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"


def direction(metric: Metric) -> str:
    """Which way is better, in words."""
    return {
        "higher": "higher is better",
        "lower": "lower is better",
        "neither": "neither way is better",
    }[metric.better]


_WHEN_NEVER_PREDICTED = (
    "A mean over classes takes {:g} for a class that occurs but is never predicted."
)


def describe(metric: Metric) -> str:
    """The help text of a metric."""
    gives = "one number of the whole matrix"
    if metric.kind == "class":
        gives = "one value per class, or one with `of=` or `average=`"
    peers = [
        (f"In {peer}: {{}}", names if isinstance(names, str) else ", ".join(names))
        for peer, names in metric.peers.items()
    ]
    # Each line by its text, and the fact that it needs.
    facts: list[tuple[str, Any]] = [
        ("Formula: {}", metric.latex and plainly(metric.latex)),
        (
            "Values: {}",
            "; in ".join(filter(None, [f"{span(metric)}; {direction(metric)}", metric.unit])),
        ),
        ("Gives: {}", gives),
        ("Undefined where {}.", metric.undefined),
        (_WHEN_NEVER_PREDICTED, metric.when_never_predicted),
        ("As a matrix becomes perfect it runs to {:g}.", metric.limit),
        ("One minus it: {}", metric.complement),
        ("With sides exchanged: {}", metric.transposed),
        ("Exchanging actual and predicted changes nothing.", metric.symmetric or None),
        ("Also called: {}", ", ".join(metric.aliases)),
        *peers,
        ("References: {}", ", ".join(metric.references)),
    ]
    lines = [metric.summary, ""]
    if metric.note:
        lines += [metric.note, ""]
    lines += [line.format(fact) for line, fact in facts if fact not in (None, "")]
    return "\n".join(lines)
