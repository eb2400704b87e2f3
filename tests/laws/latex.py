r"""A reader of the LaTeX that metrics declare: it turns a formula into a number, in fractions as far as they go.

The grammar is small, and what it cannot read is no formula of a metric:

    sum      := product (("+" | "-") product)*
    product  := power (("/" | "\cdot" | "\times" | nothing) power)*
    power    := value "!"? ("^" exponent)?
    value    := number | symbol | "(" sum ")" | "{" sum "}" | "|" sum "|" | "|\{" i ":" condition "\}|"
              | \frac{sum}{sum} | \sqrt{sum} | \binom{sum}{sum} | \ln value | \log value | \log_b value
              | \arcsin value | \exp value | \Phi^{-1} value | "[" condition "]" | \max(sum, ...) | \min(sum, ...)
              | \sum_{i: condition} product | \prod_... | \max_{j} value | \min_{j} value
    formula  := sum ("," symbol "=" sum)*        (what comes after a comma defines a symbol)
    symbol   := \TP | \FP | \FN | \TN | n | K | d_i | r_i | c_j | C_{ij} | ... with one letter per index
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.laws import latex_values as of
from tests.laws.latex_values import NAN, Node, Scope, Unreadable

__all__ = ["Unreadable", "evaluate", "parse"]


_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|[a-zA-Z]'*|\S")
_DROPPED = re.compile(r"\\(?:left|right|[bB]igl?|[bB]igr|quad|[,;!])")
_ACCENTS = {r"\bar": "bar", r"\tilde": "tilde", r"\hat": "hat"}
_CELLS = {
    f"\\{name}": name for name in ("TP", "FP", "FN", "TN", "pi", "alpha", "beta", "chi", "phi")
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    r"\ge": operator.ge,
    r"\le": operator.le,
    r"\ne": operator.ne,
    r"\neq": operator.ne,
}


def evaluate(text: str, symbols: Mapping[str, Any]) -> float:
    """The value of a formula; symbols are numbers, or functions of as many indices as they carry."""
    value = parse(text)(dict(symbols))
    return float(value)


def parse(text: str) -> Node:
    """A formula as a function of its symbols."""
    reader = _Reader(text)
    node = reader.formula()
    if reader.peek():
        msg = f"{text!r} goes on after its end at {reader.peek()!r}"
        raise Unreadable(msg)
    return node


def _extreme(choose: Callable[..., Any], values: Iterable[Any]) -> Any:
    found = list(values)
    return NAN if any(value != value for value in found) else choose(found, default=NAN)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [word for word in _TOKEN.findall(text) if not _DROPPED.fullmatch(word)]
        self.place = 0
        self.within_bars = 0

    def peek(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self, wanted: str = "") -> str:
        word = self.peek()
        if not word or (wanted and word != wanted):
            msg = f"{self.text!r} has {word!r} where {wanted or 'something'!r} should stand"
            raise Unreadable(msg)
        self.place += 1
        return word

    # ---- the grammar, from the outside in --------------------------------------------------------

    def formula(self) -> Node:
        node = self.sum()
        definitions: list[tuple[str, tuple[str, ...], Node]] = []
        while self.peek() == ",":
            self.take()
            symbol = self.name()
            indices = self.indices()
            bound = tuple(index for index in indices if index in of.INDICES)
            name = "_".join([symbol, *(index for index in indices if index not in of.INDICES)])
            self.take("=")
            definitions.append((name, bound, self.sum()))
        return of.with_definitions(node, definitions) if definitions else node

    def sum(self) -> Node:
        sign = self.take() if self.peek() in {"-", "+"} else "+"
        node = of.signed(self.product(), sign)
        while self.peek() in {"+", "-"}:
            sign = self.take()
            node = of.added(node, of.signed(self.product(), sign))
        return node

    def product(self) -> Node:
        node = self.power()
        while True:
            word = self.peek()
            if word == "/":
                self.take()
                node = of.divided(node, self.power())
            elif word in {r"\cdot", r"\times", "*"}:
                self.take()
                node = of.multiplied(node, self.power())
            elif self.starts_a_value():
                node = of.multiplied(node, self.power())
            else:
                return node

    def starts_a_value(self) -> bool:
        word = self.peek()
        if word == "|":
            return not self.within_bars
        no_value = {r"\cdot", r"\times", r"\}", r"\mid", *_COMPARISONS}
        return bool(word) and word not in no_value and (word[0] in "\\({" or word[0].isalnum())

    def power(self) -> Node:
        node = self.value()
        while self.peek() == "!":
            self.take()
            node = of.applied(of.factorial, node)
        if self.peek() == "^":
            self.take()
            node = of.raised(node, self.group_or_word())
        return node

    def group_or_word(self) -> Node:
        if self.peek() == "{":
            return self.group()
        word = self.take()
        return of.number(word) if word[0].isdigit() else of.symbol(word, ())

    def group(self, opening: str = "{", closing: str = "}") -> Node:
        self.take(opening)
        bars, self.within_bars = self.within_bars, 0
        node = self.sum()
        self.within_bars = bars
        self.take(closing)
        return node

    def value(self) -> Node:
        word = self.peek()
        if word == "(":
            return self.group("(", ")")
        if word == "{":
            return self.group()
        if word == "|":
            return self.bars()
        if word == "[":
            return self.bracket()
        if word and word[0].isdigit():
            return of.number(self.take())
        if word.startswith("\\") and word not in _CELLS and word not in _ACCENTS:
            return self.command(self.take())
        if not word or not (word[0].isalpha() or word in _CELLS or word in _ACCENTS):
            msg = f"{self.text!r} has {word!r} where a value should stand"
            raise Unreadable(msg)
        return of.symbol(self.name(), self.indices())

    def name(self) -> str:
        """A letter, a cell, a letter under an accent, or the entropy of a side: H(r), H(c)."""
        word = self.take()
        if word in _ACCENTS:
            return f"{_ACCENTS[word]} {self.take()}"
        if (
            word == "H"
            and self.peek() == "("
            and self.peek(1) in {"r", "c"}
            and self.peek(2) == ")"
        ):
            side = self.words[self.place + 1]
            self.place += 3
            return f"H({side})"
        return _CELLS.get(word, word)

    def indices(self) -> tuple[str, ...]:
        if self.peek() != "_":
            return ()
        self.take()
        if self.peek() != "{":
            return (self.take(),)
        self.take("{")
        found = []
        while self.peek() != "}":
            word = self.take()
            if word != ",":
                found.append(word)
        self.take("}")
        return tuple(found)

    def bracket(self) -> Node:
        """1 where the condition holds, 0 where it does not."""
        self.take("[")
        holds = self.condition()
        self.take("]")
        return lambda scope: 1 if holds(scope) else 0

    def bars(self) -> Node:
        self.take("|")
        if self.peek() == r"\{":
            self.take()
            index = self.take()
            self.take(":")
            condition = self.condition()
            self.take(r"\}")
            self.take("|")
            return of.gathered([index], condition, lambda _: 1, of.total)
        self.within_bars += 1
        node = self.sum()
        self.within_bars -= 1
        self.take("|")
        return of.applied(abs, node)

    def command(self, name: str) -> Node:
        if name in {r"\frac", r"\tfrac", r"\dfrac"}:
            return of.divided(self.group(), self.group())
        if name == r"\binom":
            return of.joined(self.group(), self.group(), of.choose)
        if name == r"\sqrt":
            return of.applied(of.root, self.group())
        if name in {r"\sum", r"\prod"}:
            indices, condition = self.range()
            return of.gathered(
                indices, condition, self.product(), of.total if name == r"\sum" else of.product
            )
        if name in {r"\max", r"\min"}:
            return self.extreme(max if name == r"\max" else min)
        return self.function(name)

    def function(self, name: str) -> Node:
        if name == r"\log":
            base = None
            if self.peek() == "_":
                self.take()
                base = self.group_or_word()
            return of.logarithm(self.power(), base)
        if name == r"\Phi":
            # Its inverse, the quantile.
            for word in ("^", "{", "-", "1", "}"):
                self.take(word)
        if name in of.FUNCTIONS:
            return of.applied(of.FUNCTIONS[name], self.power())
        msg = f"{self.text!r} says {name}, which this grammar does not know"
        raise Unreadable(msg)

    def extreme(self, choose: Callable[..., Any]) -> Node:
        if self.peek() == "_":
            indices, condition = self.range()
            return of.gathered(
                indices, condition, self.power(), lambda values: _extreme(choose, values)
            )
        self.take("(")
        parts = [self.sum()]
        while self.peek() == ",":
            self.take()
            parts.append(self.sum())
        self.take(")")
        return lambda scope: _extreme(choose, (part(scope) for part in parts))

    def range(self) -> tuple[list[str], Node]:
        self.take("_")
        if self.peek() != "{":
            return [self.take()], of.always
        self.take("{")
        if self.peek() == "|":
            # A condition alone, on both indices of a cell.
            condition = self.condition()
            self.take("}")
            return ["?i", "?j"], condition
        indices = [self.take()]
        conditions: list[Node] = []
        while self.peek() not in {"}", ":"}:
            if self.peek() in _COMPARISONS:
                # i < j, i \ne k: both are indices, and this is what holds between them.
                compare, left = _COMPARISONS[self.take()], indices[-1]
                right = self.take()
                conditions.append(of.between(left, compare, right))
                # An index that already runs outside (in a formula per class, that of the class) is
                # not run again.
                indices += ["?" + right] if right not in indices and right.isalpha() else []
            elif self.peek() == ",":
                self.take()
            else:
                indices.append(self.take())
        if self.peek() == ":":
            self.take()
            conditions.append(self.condition())
        self.take("}")
        return indices, of.all_hold(conditions)

    def condition(self) -> Node:
        parts: list[Any] = [self.sum()]
        while self.peek() in _COMPARISONS:
            parts += [_COMPARISONS[self.take()], self.sum()]

        def holds(scope: Scope) -> bool:
            values = [part(scope) for part in parts[::2]]
            return all(
                compare(x, y)
                for compare, x, y in zip(parts[1::2], values, values[1:], strict=False)
            )

        return holds
