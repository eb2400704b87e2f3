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
    field of the metadata, each of whose values is a category.
    """
    left = ""
    if same_items is not False:
        logs, left = _answered_by_all(logs)
    if by is not None:
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
            raise InputError(
                Message(
                    "{by} is to be a column of several values for all models; {} has {}", by, what
                )
            )
        each = {
            key: compare_logs(part, same_items=same_items, adjust="none", **asked)
            for key, part in parts.items()
        }
        found: Any = Comparisons.joined(by, each)
        key, first = next(iter(found.items()))
        return replace(
            found,
            parts={**found.parts, key: replace(first, notes=(*[left] * bool(left), *first.notes))},
        )
    first = next(iter(logs.values()))
    if all({*log.actual} == {"correct"} for log in logs.values()):
        asked = {"metrics": ("accuracy",)} | asked
    same = same_items is not False and all(
        (log.samples, log.actual) == (first.samples, first.actual) for log in logs.values()
    )
    if same and not first.clusters and asked.keys() <= {"metrics", "level", "adjust"}:
        labels = reduce(Labels.union, (log.labels for log in logs.values()))
        answers = {k: log.predicted for k, log in logs.items()}
        compared: Any = compare_predictions(first.actual, answers, labels=labels, **asked)
    else:
        stacks = {
            k: count(
                log.actual,
                log.predicted,
                labels=log.labels,
                by=log.samples,
                max_groups=len(log.samples),
            )
            for k, log in logs.items()
        }
        compared = comparison.compare(
            {k: stack.along("sample") for k, stack in stacks.items()},
            same_items=same_items,
            **asked,
        )
    return replace(compared, notes=(left, *compared.notes)) if left else compared


def _answered_by_all(logs: Logs) -> tuple[Logs, str]:
    """The logs of the samples that all models answered, if there are some, and a note on those left out."""
    samples = {name: {*log.samples} for name, log in logs.items()}
    every, shared = set.union(*samples.values()), set.intersection(*samples.values())
    if not shared or len(shared) == len(every):
        return logs, ""
    lacking = {name: sorted(every - own) for name, own in samples.items() if every - own}
    facts = [
        f"{printable(name)} lacks {len(lost):,} ({some(lost, 3)})" for name, lost in lacking.items()
    ]
    left = f"{len(every - shared):,} of {len(every):,} samples are left out, which not all models answered"
    note = f"{left}: {'; '.join(facts)}."
    return Logs(
        {name: log.only([one in shared for one in log.samples]) for name, log in logs.items()}
    ), note


def _compare(*models: Any, **asked: Any) -> Any:
    """Compare sources; logs of several models as such."""
    found = [read(one) for one in models[:1]]
    if found and isinstance(logs := found[0], Logs):
        if len(logs) > 1 and not models[1:]:
            return compare_logs(logs, **asked)
        found = [logs.matrix()]
    return comparison.compare(*found, *models[1:], **asked)


compare = opened(comparison.compare, _compare)
