"""Peers: what scikit-learn, PyCM, torchmetrics, oneDAL, caret, yardstick and others call our metrics.

`metric("pycm:TPR Macro")` and the like find a metric of ours, a score with the peer's averaging (PeerScore), or a
value as the peer computes it (PeerValue).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from confmat.metrics.declaration import Factory, catalog, factories
from confmat.metrics.peers import others, pycm
from confmat.metrics.peers.others import Alias, PeerScore, PeerValue

__all__ = ["PEERS", "Alias", "PeerScore", "PeerValue", "aliases", "entries", "note"]

# The namespaces, with the versions whose answers the tests compare.
PEERS: Mapping[str, str] = MappingProxyType(
    {
        "sklearn": "scikit-learn 1.9",
        "pycm": "PyCM 4.6",
        "torchmetrics": "torchmetrics 1.9",
        "onedal": "oneDAL 2024.7",
        "caret": "caret",
        "yardstick": "yardstick 1.4",
        "imblearn": "imbalanced-learn 0.14",
        "river": "river 0.26",
        "scores": "scores 2.7",
    }
)


def aliases() -> Iterator[tuple[str, Alias]]:
    """Every line of the peers' tables, under its full name."""
    for peer, table in (("pycm", pycm.ALIASES), *others.TABLES.items()):
        for name, alias in table.items():
            yield f"{peer}:{name}", alias


@cache
def entries() -> Mapping[str, Any]:
    """Return the names that the peers' tables add to those that metrics declare themselves.

    >>> entries()["pycm:TPR Macro"]
    <PeerScore recall.macro: Recall, undefined='propagate'>
    """
    found: dict[str, Any] = {name: _resolved(alias) for name, alias in aliases()}
    found |= {f"pycm:{name}": formula for name, formula in pycm.FORMULAS.items()}
    found |= {f"pycm:{name}": value for name, value in pycm.values().items()}
    found |= others.values()
    return MappingProxyType(found)


def _resolved(alias: Alias) -> Any:
    target: Any = catalog().get(alias.target) or factories()[alias.target]
    if alias.args and isinstance(target, Factory):
        target = target(*alias.args)
    if alias.average is None:
        return target
    return PeerScore(target, alias.average, alias.undefined, alias.seen, alias.note)


@cache
def _notes() -> Mapping[str, str]:
    found = {name: alias.note for name, alias in aliases() if alias.note}
    found |= {f"pycm:{name}": remark for name, remark in pycm.REMARKS.items()}
    found |= {f"pycm:{name}": formula.summary for name, formula in pycm.FORMULAS.items()}
    found |= {f"pycm:{name}": value.summary for name, value in pycm.values().items()}
    return found | {name: value.summary for name, value in others.values().items()}


def note(name: str) -> str:
    """Return a remark on a peer's name: another default, averaging or formula; often an empty text.

    >>> note("pycm:F1 Micro")
    'micro F1, by assignment'
    """
    return _notes().get(name, "")
