"""The door of comparisons that takes sources; models by their logs, answer by answer or by the samples of all."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from confmat import comparison
from confmat.comparison import Comparisons, compare_predictions
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.sources import opened
from confmat.core.text import printable, some
from confmat.counting import count
from confmat.io.logs import Logs
from confmat.io.opened import read


def compare_logs(
    logs: Logs, *, same_items: bool | None = None, by: str | None = None, **asked: Any
) -> Any:
    """Compare models by their logs: answer by answer, or by samples where these are repeated or are others.

    Samples that not every model answered are left out. `by` is a column of the logs, such as a
    field of the metadata; each value is a category.
    """
    notes: tuple[str, ...] = ()
    if same_items is not False:
        logs, notes = _answered_by_all(logs)
    if by is not None:
        each = {
            key: compare_logs(part, same_items=same_items, adjust="none", **asked)
            for key, part in _categories(logs, by).items()
        }
        found: Any = Comparisons.joined(by, each)
        key, first = next(iter(found.items()))
        noted = replace(first, notes=(*notes, *first.notes))
        return replace(found, parts={**found.parts, key: noted})
    if all({*log.actual} == {"correct"} for log in logs.values()):
        asked = {"metrics": ("accuracy",)} | asked
    compared = _compared(logs, same_items, asked)
    return replace(compared, notes=(*notes, *compared.notes))


def _categories(logs: Logs, by: str) -> dict[Any, Logs]:
    """The logs of each value of a column, if there are several and all models have each."""
    parts: dict[Any, Logs] = {}
    for name, log in logs.items():
        for key, part in log.parts(by).items():
            parts.setdefault(key, Logs())[name] = part
    lost = [key for key, part in parts.items() if len(part) < len(logs)]
    if lost or len(parts) < 2:
        what = (
            f"no samples of some model where it is {some(lost)}"
            if lost
            else f"one value only, {some(parts)}"
        )
        msg = "{by} is to be a column of several values for all models; {} has {}"
        raise InputError(Message(msg, by, what))
    return parts


def _compared(logs: Logs, same_items: bool | None, asked: dict[str, Any]) -> Any:
    """Compare answer by answer if each sample has one, the same for all models, else by samples."""
    first = next(iter(logs.values()))
    same = same_items is not False and all(
        (log.samples, log.actual) == (first.samples, first.actual) for log in logs.values()
    )
    if same and not first.clusters and asked.keys() <= {"metrics", "level", "adjust"}:
        labels = reduce(Labels.union, (log.labels for log in logs.values()))
        answers = {name: log.predicted for name, log in logs.items()}
        return compare_predictions(first.actual, answers, labels=labels, **asked)
    stacks = {
        name: count(
            log.actual,
            log.predicted,
            labels=log.labels,
            by=log.samples,
            max_groups=len(log.samples),
        ).along("sample")
        for name, log in logs.items()
    }
    return comparison.compare(stacks, same_items=same_items, **asked)


def _answered_by_all(logs: Logs) -> tuple[Logs, tuple[str, ...]]:
    """The logs of the samples that all models answered, if there are some, and a note on those left out."""
    samples = {name: {*log.samples} for name, log in logs.items()}
    every, shared = set.union(*samples.values()), set.intersection(*samples.values())
    if not shared or len(shared) == len(every):
        return logs, ()
    lacking = {name: sorted(every - own) for name, own in samples.items() if every - own}
    facts = [
        f"{printable(name)} lacks {len(lost):,} ({some(lost, 3)})" for name, lost in lacking.items()
    ]
    left = f"{len(every - shared):,} of {len(every):,} samples are left out, which not all models answered"
    kept = {
        name: log.only([sample in shared for sample in log.samples]) for name, log in logs.items()
    }
    return Logs(kept), (f"{left}: {'; '.join(facts)}.",)


def _compare(*models: Any, **asked: Any) -> Any:
    """Compare sources; logs of several models as such."""
    found = [read(model) for model in models[:1]]
    if found and isinstance(logs := found[0], Logs):
        if len(logs) > 1 and not models[1:]:
            return compare_logs(logs, **asked)
        found = [logs.matrix()]
    return comparison.compare(*found, *models[1:], **asked)


compare = opened(comparison.compare, _compare)
