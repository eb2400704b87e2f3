"""classification_report under scikit-learn's signature, from one count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from confmat.core.errors import CompatibilityWarning, InputError, warn
from confmat.sklearn._counting import Counted, Indicator, count_targets, margins_of, shown
from confmat.sklearn._reading import check_digits, check_flag, check_values, check_zero_division, to_numpy
from confmat.sklearn.scores import Wish, score_of

HEADERS = ("precision", "recall", "f1-score", "support")
NAMES = ("precision", "recall", "f-score")


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: Any = 2,
    output_dict: Any = False,
    zero_division: Any = "warn",
) -> Any:
    """Precision, recall, F1 and support of every class and their averages, as text or as dictionaries.

    Parameters
    ----------
    y_true, y_pred, labels, target_names, sample_weight, digits, output_dict, zero_division
        As in `sklearn.metrics.classification_report`, which returns the same.

    Examples
    --------
    >>> classification_report([0, 1, 1], [0, 1, 0], output_dict=True)["1"]
    {'precision': 1.0, 'recall': 0.5, 'f1-score': 0.6666666666666666, 'support': 2.0}
    """
    caller = "classification_report"
    check_values(caller, sparse=True, y_true=y_true, y_pred=y_pred, labels=labels)
    check_values(caller, target_names=target_names, sample_weight=sample_weight)
    check_digits(caller, digits)
    check_flag(caller, "output_dict", output_dict)
    check_zero_division(caller, zero_division)
    counted = count_targets(y_true, y_pred, sample_weight)
    given = labels is not None
    labels = to_numpy(labels) if given else counted.labels
    names = _names(counted, labels, target_names, given=given)
    wanted = labels if given else None
    support = margins_of(counted, wanted).true
    scores = score_of(counted, Wish(wanted, 1, None, zero_division), NAMES, NAMES)
    rows = list(zip(names, *scores, support, strict=False))
    averages = _averages(counted, wanted, zero_division, np.sum(support))
    return _as_dict(rows, averages) if output_dict else _as_text(rows, averages, names, int(digits))


def _names(counted: Counted | Indicator, labels: Any, names: Any, *, given: bool) -> Sequence[Any]:
    if isinstance(counted, Counted) and counted.unused and not given:
        warn(
            f"the categories {shown(list(counted.unused))} never occur and have no row here; "
            "`confmat.report(confmat.count(y_true, y_pred))` keeps every category",
            CompatibilityWarning,
        )
    if names is None:
        return [f"{label}" for label in labels]
    if len(labels) != len(names):
        if not given:
            msg = (
                f"Number of classes, {len(labels)}, does not match size of target_names, {len(names)}. "
                "Try specifying the labels parameter"
            )
            raise InputError(msg)
        warn(f"labels size, {len(labels)}, does not match size of target_names, {len(names)}", UserWarning)
    return names


def _averages(counted: Counted | Indicator, labels: Any, zero_division: Any, support: Any) -> list[tuple[Any, ...]]:
    """A row per average: its heading and its numbers."""
    several = isinstance(counted, Indicator)
    is_accuracy = not several and (labels is None or set(labels.tolist()) >= set(counted.labels.tolist()))
    rows = []
    for average in ("micro", "macro", "weighted", *(("samples",) if several else ())):
        heading = "accuracy" if average == "micro" and is_accuracy else f"{average} avg"
        scores = score_of(counted, Wish(labels, 1, average, zero_division), NAMES, NAMES)
        rows.append((heading, *scores, support))
    return rows


def _as_dict(rows: list[tuple[Any, ...]], averages: list[tuple[Any, ...]]) -> dict[Any, Any]:
    report: dict[Any, Any] = {}
    lost = []
    for name, *values in [*rows, *averages]:
        if name in report:
            lost.append(name)
        report[name] = dict(zip(HEADERS, map(float, values), strict=True))
    if lost:
        warn(
            f"two rows are called {shown(lost)}, and the dictionary keeps the later one only; "
            "`confmat.report(confmat.count(y_true, y_pred))` keeps classes and averages apart",
            CompatibilityWarning,
        )
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(rows: list[tuple[Any, ...]], averages: list[tuple[Any, ...]], names: Sequence[Any], digits: int) -> str:
    if not len(names):
        msg = "there are no labels to report on; name at least one in `labels`"
        raise InputError(msg)
    width = max(*(len(name) for name in names), len("weighted avg"), digits)
    lines = [f"{'':>{width}} " + "".join(f" {head:>9}" for head in HEADERS), ""]
    lines += [_line(row, width, digits) for row in rows]
    lines.append("")
    for row in averages:
        if row[0] == "accuracy":
            lines.append(f"{row[0]:>{width}} " + f" {'':>9}" * 2 + f" {row[3]:>9.{digits}f} {row[4]:>9}")
        else:
            lines.append(_line(row, width, digits))
    return "\n".join([*lines, ""])


def _line(row: tuple[Any, ...], width: int, digits: int) -> str:
    name, *scores, support = row
    return f"{name:>{width}s} " + "".join(f" {score:>9.{digits}f}" for score in scores) + f" {support:>9}"
