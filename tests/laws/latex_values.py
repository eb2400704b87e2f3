"""The values of the parts of a LaTeX formula: fractions while they can be, decimals from the first root on.

The decimals have as many digits as the context of the module decimal says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import reduce
from statistics import NormalDist
from typing import Any

Scope = dict[str, Any]
Node = Callable[[Scope], Any]
NAN = Decimal("NaN")
# Letters that count; any other letter below the line belongs to the name.
INDICES = frozenset("ijkl")


class Unreadable(ValueError):  # noqa: N818 - it tells what the text is
    """The text is outside the grammar, or names a symbol that has no value here."""


class Log(Decimal):
    """A logarithm: infinite ones vanish when multiplied by 0, as entropies have it."""


def decimal(x: Any) -> Decimal:
    """The number with all digits of the context."""
    if isinstance(x, Decimal):
        return x
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as fractions, or both as decimals."""
    return (x, y) if exact(x) and exact(y) else (decimal(x), decimal(y))


def number(word: str) -> Node:
    value = Fraction(word)
    return lambda _: value


def symbol(name: str, indices: tuple[str, ...]) -> Node:
    def look_up(scope: Scope) -> Any:
        letters = [index for index in indices if index not in INDICES and not index.isdigit()]
        full = "_".join([name, *letters])
        if full not in scope:
            if name == "e":
                return Decimal(1).exp()
            if name == "pi":
                return pi()
            msg = f"{full!r} has no value here"
            raise Unreadable(msg)
        found = scope[full]
        unknown = [index for index in indices if index in INDICES and index not in scope]
        if unknown:
            msg = f"no sum runs over {unknown} of {name!r}"
            raise Unreadable(msg)
        places = [
            scope[index] if index in scope else int(index)
            for index in indices
            if index not in letters
        ]
        if isinstance(found, Definition):
            return found.body({**scope, **dict(zip(found.bound, places, strict=True))})
        if callable(found):
            return found(*places)
        if places:
            msg = f"{name!r} carries indices {indices} but is one number"
            raise Unreadable(msg)
        return found

    return look_up


def signed(node: Node, sign: str) -> Node:
    return node if sign == "+" else lambda scope: -node(scope)


def added(left: Node, right: Node) -> Node:
    return lambda scope: plus(left(scope), right(scope))


def plus(x: Any, y: Any) -> Any:
    both = isinstance(x, Log) and isinstance(y, Log)
    x, y = alike(x, y)
    return Log(x + y) if both else x + y


def times(x: Any, y: Any) -> Any:
    if (x == 0 and isinstance(y, Log)) or (y == 0 and isinstance(x, Log)):
        return 0
    x, y = alike(x, y)
    return x * y


def multiplied(left: Node, right: Node) -> Node:
    return lambda scope: times(left(scope), right(scope))


def over(x: Any, y: Any) -> Any:
    if y == 0 or y != y or x != x:
        return NAN
    x, y = alike(x, y)
    return Fraction(x) / y if exact(x) else x / y


def exact(x: Any) -> bool:
    return isinstance(x, (int, Fraction))


def divided(left: Node, right: Node) -> Node:
    return lambda scope: over(left(scope), right(scope))


def joined(left: Node, right: Node, how: Callable[[Any, Any], Any]) -> Node:
    return lambda scope: how(left(scope), right(scope))


def choose(x: Any, y: Any) -> Any:
    value = Fraction(1)
    for k in range(int(y)):
        value *= (x - k) / Fraction(k + 1)
    return value


def power(base: Any, exponent: Any) -> Any:
    if base != base or exponent != exponent:
        return NAN
    if exponent == int(exponent) and exact(base):
        return NAN if base == 0 and exponent < 0 else Fraction(base) ** int(exponent)
    return NAN if base < 0 else decimal(base) ** decimal(exponent)


def raised(base: Node, exponent: Node) -> Node:
    return lambda scope: power(base(scope), exponent(scope))


def applied(function: Callable[[Any], Any], node: Node) -> Node:
    return lambda scope: function(node(scope))


def root(x: Any) -> Any:
    if x != x or x < -1e-12:
        return NAN
    if exact(x) and x >= 0:
        top, bottom = math.isqrt(Fraction(x).numerator), math.isqrt(Fraction(x).denominator)
        if Fraction(top, bottom) ** 2 == x:
            return Fraction(top, bottom)
    return decimal(max(x, 0)).sqrt()


def ln(x: Any) -> Any:
    return Log(decimal(x).ln() if x == x and x > 0 else NAN)


def logarithm(node: Node, base: Node | None) -> Node:
    if base is None:
        return applied(ln, node)
    return lambda scope: Log(ln(node(scope)) / ln(base(scope))) if base(scope) != 1 else Log(NAN)


def factorial(x: Any) -> Any:
    return Fraction(math.factorial(int(x)))


def arctan(x: Decimal) -> Decimal:
    """Halved until its series is short."""
    halvings = 0
    while x > Decimal("0.001"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, term, k = Decimal(0), x, 1
    while abs(term) > Decimal(10) ** -(getcontext().prec + 5):
        total += term / k if k % 4 == 1 else -term / k
        term *= x * x
        k += 2
    return total * 2**halvings


def pi() -> Decimal:
    return 4 * arctan(Decimal(1))


def arcsin(x: Any) -> Decimal:
    """The angle whose tangent is the sine over the cosine."""
    if x != x or not 0 <= x <= 1:
        return NAN
    x = decimal(x)
    return pi() / 2 if x == 1 else arctan(x / (1 - x * x).sqrt())


def quantile(x: Any) -> Decimal:
    """Newton's method on the normal distribution, whose integral is summed as a series."""
    if x != x or not 0 < x < 1:
        return NAN
    if x > Fraction(1, 2):
        return -quantile(1 - x)
    z, around = Decimal(NormalDist().inv_cdf(float(x))), (2 * pi()).sqrt()
    for _ in range(4):
        term, k, area = z, 0, z
        while abs(term) > Decimal(10) ** -(getcontext().prec + 5):
            k += 1
            term *= -z * z / (2 * k)
            area += term / (2 * k + 1)
        z -= (Decimal("0.5") + area / around - decimal(x)) * around / (-z * z / 2).exp()
    return z


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    r"\ln": ln,
    r"\exp": lambda x: decimal(x).exp(),
    r"\arcsin": arcsin,
    r"\Phi": quantile,
}


def always(scope: Scope) -> bool:
    return True


def all_hold(conditions: list[Node]) -> Node:
    return lambda scope: all(condition(scope) for condition in conditions)


def between(left: str, compare: Callable[[Any, Any], bool], right: str) -> Node:
    return lambda scope: compare(scope[left], scope.get(right, right))


def gathered(
    indices: list[str], condition: Node, body: Node, gather: Callable[[Iterator[Any]], Any]
) -> Node:
    def over(scope: Scope) -> Any:
        return gather(body(inner) for inner in places(indices, scope) if condition(inner))

    return over


def places(indices: list[str], scope: Scope) -> Iterator[Scope]:
    if not indices:
        yield scope
        return
    first = indices[0].removeprefix("?")
    if first != indices[0] and first in scope:
        yield from places(indices[1:], scope)
        return
    for place in range(scope["size"]):
        yield from places(indices[1:], {**scope, first: place})


def total(values: Iterator[Any]) -> Any:
    return reduce(plus, values, Fraction(0))


def product(values: Iterator[Any]) -> Any:
    return reduce(times, values, Fraction(1))


@dataclass(frozen=True)
class Definition:
    """A symbol explained behind the formula; it is read where it is used, with the indices that run there."""

    bound: tuple[str, ...]
    body: Node


def with_definitions(node: Node, definitions: list[tuple[str, tuple[str, ...], Node]]) -> Node:
    known = {name: Definition(bound, body) for name, bound, body in definitions}
    return lambda scope: node({**scope, **known})
