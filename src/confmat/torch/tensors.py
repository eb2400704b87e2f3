"""Tensors: predictions become codes by a rule that is fixed beforehand, and are counted on their device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from confmat import kernels
from confmat.core.errors import InputError, LabelError
from confmat.counting.tables import workers

__all__ = ["Rule", "counted"]

# PyTorch's own threads wait awake for its next operation; below this, sharing the cores with them costs more than
# threads save.
MIN_THREADED_ITEMS = 2**22


@dataclass(frozen=True)
class Rule:
    """How tensors are read: how many classes, where a score becomes a label, and which targets are left out."""

    classes: int
    threshold: float | None = None
    ignored: tuple[int, ...] = ()


def counted(preds: Any, target: Any, rule: Rule) -> tuple[Tensor, int]:
    """The table of a batch, on the device of its tensors, and how many items were left out."""
    _check_tensors(preds, target)
    preds, target = preds.detach(), _as_labels(target.detach())
    codes, target = _codes(preds, target, rule).reshape(-1), target.reshape(-1)
    count = _on_cpu if codes.device.type == "cpu" else _on_device
    table, outside = count(codes, target, rule.classes)
    beyond, within = _split(rule)
    left_out = _number_of(target, beyond)
    if outside != left_out:
        # Some label is wrong, unless it stands opposite a target that is left out.
        kept = ~_among(target, rule.ignored)
        left_out = int((~kept).sum())
        codes, target = codes[kept], target[kept]
        table, outside = count(codes, target, rule.classes)
        if outside:
            raise LabelError(_stranger(codes, target, rule))
    elif within:
        left_out += int(table[within].sum())
        table[within] = 0
    return table, left_out


# ---- what the tensors say --------------------------------------------------------------------------------------


def _check_tensors(preds: Any, target: Any) -> None:
    for name, value in (("preds", preds), ("target", target)):
        if not isinstance(value, Tensor):
            msg = f"`{name}` must be a tensor, not {type(value).__name__}; confmat.Tally takes other containers"
            raise InputError(msg)
    if preds.device != target.device:
        msg = f"`preds` are on {preds.device} and `target` is on {target.device}; bring them to one device"
        raise InputError(msg)
    if target.is_complex():
        msg = f"`target` must hold labels, not {target.dtype}"
        raise InputError(msg)


def _as_labels(target: Tensor) -> Tensor:
    """Floats that are whole are labels too: what the loss of two classes takes is passed on as it is."""
    if _holds_labels(target):
        return target
    labels = target.long()
    # A value that int64 does not hold comes back as another number.
    other = labels.to(target.dtype) != target
    if bool(other.any()):
        place = int(other.reshape(-1).nonzero()[0])
        msg = (
            f"`target` must hold labels, and {float(target.reshape(-1)[place]):g}, item {place:,}, is no whole number; "
            "note that update takes (preds, target), the predictions first"
        )
        raise InputError(msg)
    return labels


def _holds_labels(values: Tensor) -> bool:
    return not (values.is_floating_point() or values.is_complex())


def _codes(preds: Tensor, target: Tensor, rule: Rule) -> Tensor:
    """Predictions as labels; the rule depends on types and shapes, never on the values of a batch."""
    if preds.is_complex():
        msg = f"`preds` must hold labels or scores, not {preds.dtype}"
        raise InputError(msg)
    if preds.shape == target.shape:
        return preds if _holds_labels(preds) else _above(preds, rule)
    if target.ndim and preds.ndim == target.ndim + 1 and _holds_labels(preds) is False:
        return _highest(preds, target, rule)
    msg = (
        f"`preds` of shape {tuple(preds.shape)} do not go with `target` of shape {tuple(target.shape)}: they must be "
        "labels of the same shape, or scores with the classes as a dimension more, the second one"
    )
    raise InputError(msg)


def _highest(scores: Tensor, target: Tensor, rule: Rule) -> Tensor:
    if scores.shape[1] != rule.classes or scores.shape[:1] + scores.shape[2:] != target.shape:
        wanted = (*target.shape[:1], rule.classes, *target.shape[1:])
        msg = f"scores of {rule.classes} classes for this target have the shape {wanted}, not {tuple(scores.shape)}"
        raise InputError(msg)
    best = scores.max(dim=1)
    # The maximum of anything with NaN is NaN, so one look at it is enough.
    _check_numbers(best.values)
    return best.indices


def _above(scores: Tensor, rule: Rule) -> Tensor:
    if rule.threshold is None:
        what = "give threshold=0.5 for probabilities or threshold=0.0 for logits" if rule.classes == 2 else ""
        what = what or f"for {rule.classes} classes give scores of shape (N, {rule.classes}, ...)"
        msg = f"`preds` are scores ({scores.dtype}) of the shape of `target`, and no rule says which labels they are: "
        raise InputError(msg + what)
    _check_numbers(scores)
    return scores > rule.threshold


def _check_numbers(values: Tensor) -> None:
    if bool(torch.isnan(values).any()):
        place = int(torch.isnan(values.reshape(-1)).nonzero()[0])
        msg = f"the scores of item {place:,} of `preds` are NaN, which is no prediction of any class"
        raise InputError(msg)


# ---- counting --------------------------------------------------------------------------------------------------


def _on_cpu(codes: Tensor, target: Tensor, size: int) -> tuple[Tensor, int]:
    """By the kernel, on the tensors' own memory."""
    threads = (
        1 if len(target) < MIN_THREADED_ITEMS else min(workers(None, len(target)), max(torch.get_num_threads(), 1))
    )
    table, outside = kernels.kernel.count_dense(target.numpy(), codes.numpy(), 0, size, 0, size, threads)
    return torch.from_numpy(np.ascontiguousarray(table)), outside


def _on_device(codes: Tensor, target: Tensor, size: int) -> tuple[Tensor, int]:
    """By PyTorch, where the tensors are: one cell more takes the pairs that have none."""
    inside = (codes >= 0) & (codes < size) & (target >= 0) & (target < size)
    cells = torch.where(inside, target.long() * size + codes.long(), size * size)
    found = torch.bincount(cells, minlength=size * size + 1)
    return found[:-1].reshape(size, size), int(found[-1])


def _split(rule: Rule) -> tuple[tuple[int, ...], list[int]]:
    """Targets to leave out: those that are no label, and those that are."""
    within = [value for value in rule.ignored if 0 <= value < rule.classes]
    return tuple(value for value in rule.ignored if value not in within), within


def _among(target: Tensor, values: tuple[int, ...]) -> Tensor:
    low, high = (0, 1) if target.dtype == torch.bool else (torch.iinfo(target.dtype).min, torch.iinfo(target.dtype).max)
    # Compared with bytes, -100 would be wrapped to 156.
    found = [target == value for value in values if low <= value <= high]
    if not found:
        return torch.zeros_like(target, dtype=torch.bool)
    for other in found[1:]:
        found[0] |= other
    return found[0]


def _number_of(target: Tensor, values: tuple[int, ...]) -> int:
    return int(_among(target, values).sum()) if values else 0


def _stranger(codes: Tensor, target: Tensor, rule: Rule) -> str:
    """Describe the first value that is not a valid label."""
    name, side, hint = "target", target.long(), "; ignore_index= leaves out what is no label"
    bad = (side < 0) | (side >= rule.classes)
    if not bool(bad.any()):
        name, side, hint = "preds", codes.long(), ""
        bad = (side < 0) | (side >= rule.classes)
    place = int(bad.nonzero()[0])
    return (
        f"`{name}` has {int(bad.sum()):,} of {len(side):,} labels outside 0 to {rule.classes - 1}, "
        f"the first is {int(side[place])}, item {place:,}{hint}"
    )
