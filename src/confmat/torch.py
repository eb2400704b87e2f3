"""Metrics for PyTorch, for torchmetrics and Lightning that count as the kernel does and check every label.

Predictions become codes by a rule that is fixed beforehand, and are counted on their device.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from confmat import kernels
from confmat.core.errors import Argument, InputError, LabelError, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix as Matrix
from confmat.counting.positions import labels_of_positions, threshold_of, whole_numbers
from confmat.counting.tables import workers
from confmat.metrics.catalog import one_number, parse_score

try:
    import torch
    import torchmetrics
    from torch import Tensor
except ModuleNotFoundError as error:
    if error.name not in {"torch", "torchmetrics"}:
        raise
    _message = (
        f"confmat.torch takes PyTorch and torchmetrics, and {error.name} is not installed; "
        "install them with: pip install torchmetrics"
    )
    raise ModuleNotFoundError(_message, name=error.name) from None

__all__ = ["ConfusionMatrix", "Score"]

# PyTorch's own threads wait awake for its next operation; below this, sharing the cores with them
# costs more than threads save.
MIN_THREADED_ITEMS = 2**22


class ConfusionMatrix(torchmetrics.Metric):  # type: ignore[misc] # torchmetrics is not followed
    """A torchmetrics metric whose `compute()` gives a `confmat.ConfusionMatrix`.

    **The predictions come first, update(preds, target), as everywhere in torchmetrics**;
    `confmat.count` takes them last. Rows of the matrix are targets, columns are predictions, as
    everywhere here.

    Which labels `preds` mean depends on types and shapes alone, never on the values of a batch:

    - integers of the shape of `target` are labels: 0 to K-1;
    - floats with one dimension more, (N, K, ...), are scores of K classes: the highest wins, the
      first of equals;
    - floats of the shape of `target` are scores of class 1 of two: above `threshold` they mean 1.
      Without `threshold` they are refused.

    `target` holds labels, as integers or as floats that are whole, which losses of two classes
    want. All other dimensions are counted item by item. A label outside 0 to K-1 is an error, in
    every batch.

    Parameters
    ----------
    num_classes
        K, if the classes have no names.
    labels
        Their names, in order: name i belongs to label i of the tensors.
    threshold
        For two classes: scores above it mean class 1; 0.5 for probabilities, 0.0 for logits. One
        between 0 and 1 is for probabilities and refuses any other score.
    ignore_index
        A target, or several, whose items are left out; they are counted in the matrix's `dropped`.
    positive
        The positive class, if the classes are named and two.
    **options
        Options of `torchmetrics.Metric`, such as `sync_on_compute`.

    Examples
    --------
    >>> metric = ConfusionMatrix(labels=["cat", "hen"])
    >>> metric.update(preds=torch.tensor([0, 1, 1]), target=torch.tensor([0, 1, 0]))
    >>> print(metric.compute())
            predicted
    actual  cat  hen  │ total
    cat       1    1  │     2
    hen       0    1  │     1
    total     1    2  │     3

    """

    is_differentiable = False
    full_state_update = False

    if TYPE_CHECKING:
        # For type checkers alone: torch.jit reads the annotations of a class, and cannot where they
        # are text.
        counts: Tensor
        ignored: Tensor
        settings: Tensor

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        labels: Iterable[Any] | None = None,
        threshold: float | None = None,
        ignore_index: int | Iterable[int] | None = None,
        positive: Any = None,
        **options: Any,
    ) -> None:
        try:
            super().__init__(**options)
        except ValueError as error:
            # torchmetrics names the options that it does not know, and nothing to do about them.
            msg = (
                f"{error}; there is neither task= nor normalize= nor average=: num_classes= or "
                "labels= say what is "
                "counted, compute().normalize('actual') gives shares of rows, and "
                "Score('f1.macro', ...) a mean"
            )
            raise InputError(msg) from None
        self.labels = labels_of_positions(num_classes, labels, positive)
        size = self.labels.n_classes
        self.rule = _Rule(
            size, threshold_of(threshold, size), whole_numbers("ignore_index", ignore_index)
        )
        self.add_state("counts", torch.zeros((size, size), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ignored", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
        # The labels and settings that a count depends on, so that neither a stored state, nor a
        # merge or another process, nor a MetricCollection whose first batch gave the same table
        # takes two metrics for one.
        self.add_state("settings", _fingerprint(self.rule, self.labels), dist_reduce_fx="max")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Count one more batch: **predictions first**."""
        table, left_out = _count_tensors(preds, target, self.rule)
        self.counts = self.counts + table.to(self.counts.device)
        self.ignored = self.ignored + left_out

    def compute(self) -> Any:
        """The matrix of everything that was counted, in all processes."""
        return self._matrix()

    def merge_state(self, incoming_state: Any) -> None:
        """Add the counts of another metric that reads tensors as this one does, or of its state."""
        state = getattr(incoming_state, "metric_state", incoming_state)
        if isinstance(state, dict) and {"counts", "settings"} <= state.keys():
            self._check(state["counts"], state["settings"])
        super().merge_state(incoming_state)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, *args: Any, **options: Any
    ) -> None:
        if f"{prefix}counts" in state_dict:
            # Counts without the settings that belong to them could be of any labels.
            self.settings = torch.zeros_like(self.settings)
        super()._load_from_state_dict(state_dict, prefix, *args, **options)
        self._check(self.counts, self.settings)

    def _check(self, counts: Tensor, settings: Tensor) -> None:
        """Refuse a state of another metric."""
        expected = self._defaults["settings"].to(settings.device)
        if counts.shape != self._defaults["counts"].shape or not torch.equal(settings, expected):
            msg = Message(
                "this state was counted by a metric of other classes (or of the same in another "
                "order), another "
                "{threshold} or another {ignore_index}; make this metric, in every process, as "
                "that one was made"
            )
            raise InputError(msg)

    def _matrix(self) -> Matrix:
        self._check(self.counts, self.settings)
        table = np.array(self.counts.cpu().numpy())
        matrix = Matrix(table, self.labels)
        return Matrix._of(matrix.labels, matrix._counts, None, int(self.ignored))

    def plot(self, val: Any = None, ax: Any = None, **options: Any) -> tuple[Any, Any]:
        """Draw the matrix, or another one, with `confmat.plot` and its options: `(figure, axes)`."""
        from confmat.display.plot import plot

        axes = plot(self.compute() if val is None else val, ax=ax, **options)
        return axes.figure, axes

    def set_dtype(self, dst_type: Any) -> Any:
        """Leave the counts what they are: whole numbers of 64 bits."""
        del dst_type
        return self

    def extra_repr(self) -> str:
        """How many classes there are."""
        return f"{self.labels.n_classes} classes"


class Score(ConfusionMatrix):
    """A score of the confusion matrix as a 0-dimensional tensor: what `self.log` of Lightning takes.

    It counts as `ConfusionMatrix` does and takes the same options. In a
    `torchmetrics.MetricCollection` all scores with the same options are computed from one count,
    and a `ConfusionMatrix` shares it too.

    Parameters
    ----------
    score
        One number of the matrix, as `confmat.metrics.parse_score` reads it: "accuracy", "f1.macro",
        "recall[cat]"; of two classes with a positive one "recall" is that of the positive class.
    num_classes, **options
        The arguments of `ConfusionMatrix`.

    Examples
    --------
    >>> score = Score("recall.macro", num_classes=2)
    >>> score.update(preds=torch.tensor([0, 1, 1]), target=torch.tensor([0, 1, 0]))
    >>> score.compute()
    tensor(0.7500)

    """

    def __init__(self, score: str, num_classes: int | None = None, **options: Any) -> None:
        super().__init__(num_classes, **options)
        self.score = score
        # Evaluate once on an empty matrix, so that a bad score fails now and not after an epoch.
        self._number(self._matrix())

    def compute(self) -> Tensor:
        """The score of everything that was counted, in all processes."""
        return torch.tensor(
            self._number(self._matrix()), dtype=torch.get_default_dtype(), device=self.counts.device
        )

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values of the score are better, as it declares; None where neither is."""
        better = getattr(parse_score(self.score).metric, "better", "neither")
        return None if better == "neither" else bool(better == "higher")

    def _number(self, m: Matrix) -> float:
        value = one_number(self.score, m.labels)(m)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            msg = f"{self.score!r} is not one number, and a Score needs one, such as 'f1.macro' or 'recall[cat]'"
            raise MetricError(msg)
        return float(value)

    def plot(self, val: Any = None, ax: Any = None, **options: Any) -> tuple[Any, Any]:
        """Draw one value or several, as torchmetrics does: `(figure, axes)`."""
        return self._plot(val, ax, **options)

    def extra_repr(self) -> str:
        """The score and how many classes there are."""
        return f"{self.score!r}, {super().extra_repr()}"


def _fingerprint(rule: _Rule, labels: Labels) -> Tensor:
    """Sixteen numbers that represent the settings, and what they lack to 255: a maximum with others differs from both.

    An object without a text of its own is known by its type alone, since its address is another one
    in every process.
    """
    text = f"{rule} {labels.kind} {list(labels)}"
    if labels.kind == "object":
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    code = torch.tensor(
        list(sha256(text.encode(errors="surrogatepass")).digest()[:16]), dtype=torch.int64
    )
    return torch.cat([code, 255 - code])


# ---- tensors -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rule:
    """How tensors are read: how many classes, where a score becomes a label, and which targets are left out."""

    classes: int
    threshold: float | None = None
    ignored: tuple[int, ...] = ()


def _count_tensors(preds: Any, target: Any, rule: _Rule) -> tuple[Tensor, int]:
    """The table of a batch, on the device of its tensors, and how many items were left out."""
    _check_tensors(preds, target)
    preds, target = preds.detach(), _as_labels(target.detach())
    codes, target = _codes(preds, target, rule).reshape(-1), target.reshape(-1)
    count = _on_cpu if codes.device.type == "cpu" else _on_device
    table, outside = count(codes, target, rule.classes)
    beyond, within = _split(rule)
    left_out = _number_of(target, beyond)
    if outside != left_out:
        # Some label is wrong, unless it is opposite a target that is left out.
        kept = ~_among(target, rule.ignored)
        left_out = int((~kept).sum())
        codes, target = codes[kept], target[kept]
        table, outside = count(codes, target, rule.classes)
        if outside:
            raise LabelError(_invalid_label(codes, target, rule))
    elif within:
        left_out += int(table[within].sum())
        table[within] = 0
    return table, left_out


# ---- what the tensors say ------------------------------------------------------------------------


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
            f"`target` must hold labels, and {float(target.reshape(-1)[place]):g}, item {place:,}, "
            "is no whole number; "
            "note that update takes (preds, target), the predictions first"
        )
        raise InputError(msg)
    return labels


def _holds_labels(values: Tensor) -> bool:
    return not (values.is_floating_point() or values.is_complex())


def _codes(preds: Tensor, target: Tensor, rule: _Rule) -> Tensor:
    """Predictions as labels; the rule depends on types and shapes, never on the values of a batch."""
    if preds.is_complex():
        msg = f"`preds` must hold labels or scores, not {preds.dtype}"
        raise InputError(msg)
    if preds.shape == target.shape:
        return preds if _holds_labels(preds) else _above(preds, rule)
    if target.ndim and preds.ndim == target.ndim + 1 and _holds_labels(preds) is False:
        return _highest(preds, target, rule)
    msg = (
        f"`preds` of shape {tuple(preds.shape)} do not go with `target` of shape "
        f"{tuple(target.shape)}: they must be "
        "labels of the same shape, or scores with the classes as a dimension more, the second one"
    )
    raise InputError(msg)


def _highest(scores: Tensor, target: Tensor, rule: _Rule) -> Tensor:
    if scores.shape[1] != rule.classes or scores.shape[:1] + scores.shape[2:] != target.shape:
        wanted = (*target.shape[:1], rule.classes, *target.shape[1:])
        msg = f"scores of {rule.classes} classes for this target have the shape {wanted}, not {tuple(scores.shape)}"
        raise InputError(msg)
    best = scores.max(dim=1)
    # The maximum of anything with NaN is NaN, so one look at it is enough.
    _check_numbers(best.values)
    return best.indices


def _above(scores: Tensor, rule: _Rule) -> Tensor:
    if rule.threshold is None:
        what = (
            "give threshold=0.5 for probabilities or threshold=0.0 for logits"
            if rule.classes == 2
            else ""
        )
        what = what or f"for {rule.classes} classes give scores of shape (N, {rule.classes}, ...)"
        msg = f"`preds` are scores ({scores.dtype}) of the shape of `target`, and no rule says which labels they are: "
        raise InputError(msg + what)
    _check_numbers(scores)
    if 0 < rule.threshold < 1 and bool((scores < 0).any() | (scores > 1).any()):
        place = int(((scores < 0) | (scores > 1)).reshape(-1).nonzero()[0])
        msg = Message(
            "{preds} are no probabilities, which {} is for: {:g}, item {:,}, lies beyond 0 to 1; "
            "for logits say "
            "{threshold:0.0}, or pass preds.sigmoid()",
            Argument("threshold", rule.threshold),
            float(scores.reshape(-1)[place]),
            place,
        )
        raise InputError(msg)
    return scores > rule.threshold


def _check_numbers(values: Tensor) -> None:
    if bool(torch.isnan(values).any()):
        place = int(torch.isnan(values.reshape(-1)).nonzero()[0])
        msg = (
            f"the scores of item {place:,} of `preds` are NaN, which is no prediction of any class"
        )
        raise InputError(msg)


# ---- counting ------------------------------------------------------------------------------------


def _on_cpu(codes: Tensor, target: Tensor, size: int) -> tuple[Tensor, int]:
    """By the kernel, on the tensors' own memory."""
    threads = (
        1
        if len(target) < MIN_THREADED_ITEMS
        else min(workers(None, len(target)), max(torch.get_num_threads(), 1))
    )
    table, outside = kernels.kernel.count_dense(
        target.numpy(), codes.numpy(), 0, size, 0, size, threads
    )
    return torch.from_numpy(np.ascontiguousarray(table)), outside


def _on_device(codes: Tensor, target: Tensor, size: int) -> tuple[Tensor, int]:
    """By PyTorch, where the tensors are: one cell more takes the pairs that have none."""
    inside = (codes >= 0) & (codes < size) & (target >= 0) & (target < size)
    cells = torch.where(inside, target.long() * size + codes.long(), size * size)
    counts = torch.bincount(cells, minlength=size * size + 1)
    return counts[:-1].reshape(size, size), int(counts[-1])


def _split(rule: _Rule) -> tuple[tuple[int, ...], list[int]]:
    """Targets to leave out: those that are no label, and those that are."""
    within = [value for value in rule.ignored if 0 <= value < rule.classes]
    return tuple(value for value in rule.ignored if value not in within), within


def _among(target: Tensor, values: tuple[int, ...]) -> Tensor:
    low, high = (
        (0, 1)
        if target.dtype == torch.bool
        else (torch.iinfo(target.dtype).min, torch.iinfo(target.dtype).max)
    )
    # Compared with bytes, -100 would be wrapped to 156.
    hits = [target == value for value in values if low <= value <= high]
    if not hits:
        return torch.zeros_like(target, dtype=torch.bool)
    for other in hits[1:]:
        hits[0] |= other
    return hits[0]


def _number_of(target: Tensor, values: tuple[int, ...]) -> int:
    return int(_among(target, values).sum()) if values else 0


def _invalid_label(codes: Tensor, target: Tensor, rule: _Rule) -> str:
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
