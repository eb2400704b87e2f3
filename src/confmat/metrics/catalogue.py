"""The catalogue: every metric by its name, its aliases, and the names that peers give it.

Built once, when it is first asked. Names are found whatever their case, spaces, dashes, accents and quotes.
Peers' names carry a namespace ("pycm:TPR", "sklearn:recall_score"); they come from the `peers` fact of a metric
and from `confmat.metrics.peers.entries()`, a mapping of such names to a Metric or a PeerValue.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from confmat.core.errors import MetricError
from confmat.metrics.declaration import Metric
from confmat.metrics.factories import Factory

__all__ = ["catalogue", "factories", "find", "metric", "peer_names", "pickled"]


@cache
def catalogue() -> Mapping[str, Metric]:
    """Every declared metric by name, read-only, family by family.

    >>> catalogue()["recall"]
    <Metric recall: Share of a class's actual members that were found.>
    """
    found: dict[str, Metric] = {}
    for value in _public():
        if isinstance(value, Metric) and found.setdefault(value.name, value) is not value:
            msg = f"two metrics are called {value.name!r}"
            raise MetricError(msg)
    return MappingProxyType(found)


@cache
def factories() -> Mapping[str, Factory]:
    """Every family of metrics with parameters, by name."""
    return MappingProxyType({value.name: value for value in _public() if isinstance(value, Factory)})


def _public() -> Iterator[Any]:
    from confmat import metrics

    for name in metrics.__all__:
        yield getattr(metrics, name)


def _all() -> Iterator[Metric | Factory]:
    yield from catalogue().values()
    yield from factories().values()


@cache
def peer_names() -> Mapping[str, Any]:
    """The metrics by their peers' names: "pycm:TPR" and the like, as the peer writes them."""
    names: dict[str, Any] = {}
    for one in _all():
        for peer, theirs in one.peers.items():
            for name in (theirs,) if isinstance(theirs, str) else theirs:
                names.setdefault(f"{peer}:{name}", one)
    from confmat.metrics.peers import entries

    return MappingProxyType(names | dict(entries()))


# The signs that a name may be written with or without: spaces and dashes, quotes, accents of letters.
_LEFT_OUT = dict.fromkeys(map(ord, " -_\u2010\u2011\u2012\u2013\u2212'\u2019\"")) | {ord("\u00f8"): "o"}


def _folded(name: str) -> str:
    """Names that are folded alike are one: Cramér's V and cramer_v, LR+ and lr_plus."""
    name = name.casefold().replace("\u2019s ", " ").replace("'s ", " ")
    for sign, word in (("+", "plus"), ("-", "minus"), ("\u2212", "minus")):
        if name.endswith(sign):
            name = name[: -len(sign)] + word
    if not name.isascii():
        name = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    return name.translate(_LEFT_OUT)


@cache
def _index() -> Mapping[str, Any]:
    """Names and aliases, folded; an alias that two metrics claim is an error of the house."""
    index: dict[str, Any] = {}
    for one in _all():
        for name in (one.name, *one.aliases):
            if index.setdefault(_folded(name), one) is not one:
                msg = f"{name!r} is claimed by {one.name!r} and {index[_folded(name)].name!r}"
                raise MetricError(msg)
    return index


@cache
def _peer_index() -> Mapping[str, Any]:
    index: dict[str, Any] = {}
    for name, one in peer_names().items():
        index.setdefault(_folded(name), one)
    return index


def find(name: str) -> Any:
    """Return the metric, or the family of metrics, of that name or alias; None if there is none.

    >>> find("tpr") is find("Sensitivity") is metric("recall"), find("jacard")
    (True, None)
    """
    names, folded = (peer_names(), _peer_index()) if ":" in name else (catalogue(), _index())
    one = names.get(name)
    if one is None:
        one = folded.get(_folded(name))
    return _f_of(name) if one is None else one


def metric(name: str | Metric | Factory) -> Any:
    """Return the metric, or the family of metrics, of that name or alias; a Metric passes as it is.

    Raises
    ------
    MetricError
        If there is no such metric; the message offers the nearest names.

    Examples
    --------
    >>> metric("tpr") is metric("Sensitivity") is metric("recall")
    True
    >>> metric("f0.5").name
    'f0.5'
    >>> metric("jacard")
    Traceback (most recent call last):
        ...
    confmat.core.errors.MetricError: there is no metric 'jacard'; did you mean 'jaccard'?
    """
    if not isinstance(name, str):
        if callable(name):
            return name
        msg = f"a metric is asked for by name or given as a Metric, not as {type(name).__name__}"
        raise MetricError(msg)
    one = find(name)
    if one is None:
        msg = f"there is no metric {name!r:.60}{_hint(name)}"
        raise MetricError(msg)
    return one


def _f_of(name: str) -> Metric | None:
    """The F score of a beta that its name gives: F2, f0.5, f-beta-2, F2-score; as reports head their columns."""
    import re

    f = re.fullmatch(r"f(?:beta)?(?P<beta>\d+(?:\.\d+)?)(?:score)?", _folded(name.strip()))
    if f is None:
        return None
    beta = float(f["beta"])
    return metric("f_beta")(int(beta) if beta.is_integer() else beta)


def _hint(name: str) -> str:
    from confmat.metrics.hints import hint

    space = name.rpartition(":")[0]
    index = _peer_index() if space else _index()
    if space and not any(each.startswith(f"{_folded(space)}:") for each in index):
        spaces = sorted({each.partition(":")[0] for each in peer_names()})
        return f"; the namespaces are {', '.join(spaces)}"
    spellings = {_folded(each): each for each in (peer_names() if space else _spellings())}
    return hint(name, _folded(name), index, spellings, {} if space else _peer_index())


def _spellings() -> Iterator[str]:
    for one in _all():
        yield from (one.name, *one.aliases)


def pickled(one: Metric) -> Any:
    """How a metric travels: by name where the catalogue has it, by its parameters where a factory made it."""
    if catalogue().get(one.name) is one:
        return (metric, (one.name,))
    if one.factory is not None and one.factory[0] in factories():
        name, (args, named) = one.factory
        return (_made, (name, args, named))
    facts = {name: getattr(one, name) for name in one.__dataclass_fields__}
    return (
        _rebuilt,
        ({key: dict(value) if isinstance(value, MappingProxyType) else value for key, value in facts.items()},),
    )


def _made(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Metric:
    return factories()[name](*args, **named)


def _rebuilt(facts: dict[str, Any]) -> Metric:
    return Metric(**facts)
