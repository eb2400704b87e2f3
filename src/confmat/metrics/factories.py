"""Factory: a family of metrics with parameters, declared once; `f_beta(2)` is always the same metric."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from inspect import signature
from numbers import Real
from typing import Any
from weakref import WeakValueDictionary

from confmat.core.errors import Argument, Message, MetricError
from confmat.core.options import told
from confmat.metrics.declaration import Metric

__all__ = ["Factory", "factory", "positive_number"]

# How many metrics of a family are remembered though nobody holds them.
KEPT = 256


class Factory:
    """A callable that makes metrics from parameters and remembers them.

    `example` are arguments that show it, for pages and laws.
    """

    def __init__(
        self,
        make: Callable[..., Metric],
        title: str,
        aliases: tuple[str, ...],
        example: tuple[Any, ...],
        peers: dict[str, Any],
    ) -> None:
        self.name = make.__name__
        self.title = title
        self.aliases = aliases
        self.example = example
        self.peers = peers
        self.summary = (make.__doc__ or "").strip().split("\n")[0]
        self.__doc__ = make.__doc__
        self.__wrapped__ = make
        self.__name__ = self.__qualname__ = make.__name__
        self.__module__ = make.__module__
        # One metric for the same parameters as long as somebody holds it, and the latest in any case.
        self._made: WeakValueDictionary[Any, Metric] = WeakValueDictionary()
        self._latest: deque[Metric] = deque(maxlen=KEPT)

    def __call__(self, *args: Any, **named: Any) -> Metric:
        """Return the metric of these parameters."""
        if any(hasattr(each, "actual_totals") for each in args):
            given = ", ".join(map(repr, (*args[1:], *named.values()))) or ", ".join(map(repr, self.example))
            msg = Message(
                "{} makes a metric of its parameters, which reads the matrix: {}({})(m)",
                Argument(self.name),
                self.name,
                given,
            )
            raise MetricError(msg)
        try:
            # 1 and 1.0 are one key, and one metric; True is neither.
            key = (args, tuple(sorted(named.items())), bool in map(type, args))
            found = self._made.get(key)
        except TypeError:
            # A table of weights has no hash.
            return self._make(args, named)
        if found is None:
            # Another thread may have made it meanwhile.
            found = self._made.setdefault(key, self._make(args, named))
            self._latest.append(found)
        return found

    def parameters(self, metric: Metric) -> dict[str, Any] | None:
        """The parameters of a metric of this family, by name; None where it is of another one."""
        if metric.factory is None or metric.factory[0] != self.name:
            return None
        args, named = metric.factory[1]
        given = signature(self.__wrapped__).bind(*args, **named)
        given.apply_defaults()
        return dict(given.arguments)

    def _make(self, args: tuple[Any, ...], named: dict[str, Any]) -> Metric:
        made = self.__wrapped__(*args, **named)
        return made if made.factory else replace(made, factory=(self.name, (args, named)))

    def __repr__(self) -> str:
        return f"<Factory {self.name}: {self.summary}>"

    def __reduce__(self) -> Any:
        from confmat.metrics.catalogue import metric

        return (metric, (self.name,))


def factory(
    *, title: str, example: tuple[Any, ...], aliases: tuple[str, ...] = (), peers: dict[str, Any] | None = None
) -> Callable[[Callable[..., Metric]], Factory]:
    """Declare a family of metrics: a function from parameters to a metric made by `of_class` or `of_matrix`."""
    return lambda make: Factory(make, title, aliases, example, peers or {})


class _Exact(Fraction):
    """A parameter that stays exact, and is written as a float is, or as it is divided."""

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)

    def __repr__(self) -> str:
        return str(self)


def positive_number(name: str, value: Any, *, zero: bool = True) -> float:
    """A parameter that must be a finite number, not negative; for factories to check at the door."""
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else float("nan")
    except OverflowError:
        number = float("inf")
    if not 0 <= number < float("inf"):
        msg = Message("{} must be a number from 0 up, not {}", Argument(name), told(value))
        raise MetricError(msg)
    if value == 0 and not zero:
        msg = Message("{} must be greater than 0", Argument(name))
        raise MetricError(msg)
    if isinstance(value, Fraction):
        return _Exact(value)  # type: ignore[return-value]
    return int(number) if number.is_integer() else number
