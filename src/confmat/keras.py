"""A metric for Keras 3 with counts of 64 bits, which works in compile(), fit() and evaluate()."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from confmat.core.errors import ConfmatWarning, InputError, LabelError, MetricError
from confmat.core.matrix import ConfusionMatrix as Matrix
from confmat.counting.positions import labels_of_positions, threshold_of, whole_numbers
from confmat.metrics.catalog import one_number

try:
    import keras
    from keras import ops
except ModuleNotFoundError as error:
    if error.name != "keras":
        raise
    _message = (
        "confmat.keras takes Keras 3, which is not installed; install it with: pip install keras"
    )
    raise ModuleNotFoundError(_message, name=error.name) from None

__all__ = ["ConfusionMatrix"]


class ConfusionMatrix(keras.metrics.Metric):  # type: ignore[misc] # Keras is not followed
    """A Keras metric that counts into K x K cells; `matrix()` gives the `confmat.ConfusionMatrix` of them.

    `result()` must be one number in Keras, so it is a score of the matrix: accuracy, or what
    `score` names. Accuracy is computed wherever the backend computes. Any other score is computed
    by confmat, outside of compiled code: with the PyTorch backend, and with TensorFlow's under
    `compile(..., run_eagerly=True)`.

    The options, never the values of a batch, say what the predictions are: scores of K classes in
    the last dimension, where the highest wins; scores of the second of two classes, with
    `threshold`; or labels, with `sparse_y_pred=True`. A label outside 0 to K-1, or NaN, reaches no
    cell: `result()` is NaN from then on and `matrix()` an error. The PyTorch backend says so at
    once.

    Parameters
    ----------
    num_classes
        K, if the classes have no names.
    labels
        Their names, in order.
    score
        The score of `result()`, as `confmat.metrics.parse_score` reads it: "accuracy", "f1.macro",
        "recall[cat]".
    threshold
        For two classes: scores above it mean the second one; 0.5 for probabilities, 0.0 for logits.
        With one between 0 and 1, a score that is no probability reaches no cell.
    sparse_y_true
        True: `y_true` holds labels. False: one-hot rows, the classes in the last dimension.
    sparse_y_pred
        True: `y_pred` holds labels.
    ignore_class
        A true label, or several, whose items are left out; they are counted in the matrix's
        `dropped`.
    weighted
        Add up `sample_weight` instead of counting. Without it, weights are refused: fractions are
        no counts. The weight of an item is that of each of its pixels or steps, unless they have
        weights of their own.
    positive
        The positive class, if the classes are named and two.
    """

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        labels: Iterable[Any] | None = None,
        score: str = "accuracy",
        threshold: float | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = False,
        ignore_class: int | Iterable[int] | None = None,
        weighted: bool = False,
        positive: Any = None,
        name: str = "confusion_matrix",
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.labels = labels_of_positions(num_classes, labels, positive)
        self.size = self.labels.n_classes
        self.threshold = threshold_of(threshold, self.size)
        # Only probabilities part within 0 and 1.
        self._probabilities = threshold is not None and 0 < threshold < 1
        self.sparse_y_true, self.sparse_y_pred = bool(sparse_y_true), bool(sparse_y_pred)
        if sparse_y_pred and threshold is not None:
            msg = (
                "`threshold` is for scores, and sparse_y_pred=True says that `y_pred` holds labels"
            )
            raise InputError(msg)
        self.ignored = whole_numbers("ignore_class", ignore_class)
        self.weighted = bool(weighted)
        self.score = score
        self._named = labels is not None
        _number(score, Matrix(np.zeros((self.size, self.size), np.int64), self.labels))
        kind = "float64" if weighted else "int64"
        # Row by row, and two cells more: for pairs that have none, and for those that are left out.
        self.counts = self.add_weight(
            shape=(self.size**2 + 2,), initializer="zeros", dtype=kind, name="counts"
        )
        _check_width(self.counts, kind)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count one more batch, the truth first."""
        if sample_weight is not None and not self.weighted:
            msg = "this metric counts items; say weighted=True to add up `sample_weight`"
            raise InputError(msg)
        true, guess = self._codes(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = _of_each(sample_weight, true, self.counts.dtype)
        true, guess = ops.reshape(true, (-1,)), ops.reshape(guess, (-1,))
        k = self.size
        inside = ops.logical_and(
            ops.logical_and(true >= 0, true < k), ops.logical_and(guess >= 0, guess < k)
        )
        cells = ops.where(inside, true * k + guess, k * k)
        for label in self.ignored:
            cells = ops.where(ops.equal(true, label), k * k + 1, cells)
        each = (
            ops.ones_like(cells, dtype=self.counts.dtype)
            if sample_weight is None
            else sample_weight
        )
        self.counts.assign_add(ops.segment_sum(each, cells, num_segments=k * k + 2))
        if keras.backend.backend() == "torch":
            self._check(self._table())

    def result(self) -> Any:
        """The score of everything that was counted, as a 0-dimensional tensor; NaN once a label was outside."""
        if self.score == "accuracy":
            table = self.counts[:-1]
            right = ops.sum(table[: self.size**2 : self.size + 1])
            value = ops.cast(right, self.dtype) / ops.cast(ops.sum(table), self.dtype)
            return ops.where(table[-1] > 0, float("nan"), value)
        table = self._table()
        value = float("nan") if table[-2] else _number(self.score, self._matrix(table))
        return ops.convert_to_tensor(value, dtype=self.dtype)

    def matrix(self) -> Matrix:
        """The matrix of everything that was counted since the last reset."""
        table = self._table()
        self._check(table)
        return self._matrix(table)

    def get_config(self) -> dict[str, Any]:
        """Return the settings that make the same metric again."""
        return {
            **super().get_config(),
            **({"labels": list(self.labels)} if self._named else {"num_classes": self.size}),
            "score": self.score,
            "threshold": self.threshold,
            "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred,
            "ignore_class": list(self.ignored) or None,
            "weighted": self.weighted,
            "positive": self.labels.positive,
        }

    # ---- reading a batch -------------------------------------------------------------------------

    def _codes(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        true = _whole(y_true) if self.sparse_y_true else self._highest(y_true, "y_true")
        if self.sparse_y_pred:
            guess = _whole(y_pred)
        elif self.threshold is None:
            guess = self._highest(y_pred, "y_pred")
        else:
            wrong = ops.isnan(y_pred)
            if self._probabilities:
                wrong = ops.logical_or(wrong, ops.logical_or(y_pred < 0, y_pred > 1))
            guess = ops.where(wrong, -1, ops.cast(y_pred > self.threshold, "int64"))
        many = ops.reshape(true, (-1,)).shape[0], ops.reshape(guess, (-1,)).shape[0]
        if None not in many and many[0] != many[1]:
            msg = f"`y_true` of shape {tuple(y_true.shape)} and `y_pred` of shape {tuple(y_pred.shape)} do not pair"
            raise InputError(msg)
        return true, guess

    def _highest(self, scores: Any, name: str) -> Any:
        if not scores.shape or scores.shape[-1] != self.size:
            more = (
                ", threshold=0.5 that it holds probabilities of the second class"
                if self.size == 2
                else ""
            )
            msg = (
                f"`{name}` must have {self.size} classes in its last dimension, not the shape "
                f"{tuple(scores.shape)}; "
                f"sparse_{name}=True says that it holds labels{more if name == 'y_pred' else ''}"
            )
            raise InputError(msg)
        best = ops.cast(ops.argmax(scores, axis=-1), "int64")
        if "int" in keras.backend.standardize_dtype(scores.dtype):
            return best
        return ops.where(ops.isnan(ops.max(scores, axis=-1)), -1, best)

    # ---- what was counted ------------------------------------------------------------------------

    def _table(self) -> Any:
        try:
            return np.array(ops.convert_to_numpy(self.counts))
        except (AttributeError, NotImplementedError, TypeError) as error:
            # A graph of TensorFlow and a tracer of JAX each say it in their way.
            msg = (
                f"{self.score!r} cannot be computed inside of compiled code; leave "
                "score='accuracy' and ask matrix() "
                "after an epoch, or, with TensorFlow, compile with run_eagerly=True"
            )
            raise InputError(msg) from error

    def _check(self, table: Any) -> None:
        if table[-2]:
            logits = " or beyond 0 to 1 (logits want threshold=0.0)" if self._probabilities else ""
            msg = (
                f"there are labels outside 0 to {self.size - 1}, or scores that are NaN{logits} "
                f"({'weight' if self.weighted else 'items'}: {table[-2]:g}); ignore_class= leaves "
                "true labels out"
            )
            raise LabelError(msg)

    def _matrix(self, table: Any) -> Matrix:
        wide = np.float64 if self.weighted else np.int64
        matrix = Matrix(table[:-2].astype(wide).reshape(self.size, self.size), self.labels)
        return Matrix._of(matrix.labels, matrix._counts, None, table[-1].astype(wide).item())


# Not as a decorator: it gives the class back, but tools that read the class without Keras cannot
# know that.
keras.saving.register_keras_serializable(package="confmat")(ConfusionMatrix)


def _whole(values: Any) -> Any:
    """Labels as integers; what is no whole number is -1, which is no class."""
    kind = keras.backend.standardize_dtype(values.dtype)
    if "float" not in kind:
        return ops.cast(values, "int64")
    whole = ops.equal(ops.floor(values), values)
    return ops.where(whole, ops.cast(ops.where(whole, values, -1), "int64"), -1)


def _of_each(weight: Any, labels: Any, dtype: str) -> Any:
    """The weight of every label, in one row: that of an item goes for all its pixels or steps, as in Keras."""
    weight = ops.cast(ops.convert_to_tensor(weight), dtype)
    given, wanted = tuple(weight.shape), tuple(labels.shape)
    if len(given) == len(wanted) + 1 and given[-1] == 1:
        weight = ops.squeeze(weight, -1)
    elif len(given) < len(wanted):
        weight = ops.reshape(weight, (*ops.shape(weight), *(1 for _ in wanted[len(given) :])))
    lengths = tuple(weight.shape)
    if len(lengths) != len(wanted) or any(
        None not in pair and pair[0] not in {1, pair[1]}
        for pair in zip(lengths, wanted, strict=True)
    ):
        msg = (
            f"`sample_weight` of shape {given} does not fit labels of shape {wanted}: give "
            "one weight per item or label"
        )
        raise InputError(msg)
    return ops.reshape(ops.broadcast_to(weight, ops.shape(labels)), (-1,))


def _number(score: str, m: Matrix) -> float:
    value = one_number(score, m.labels)(m)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        msg = f"{score!r} is not one number, and result() must be, such as 'f1.macro' or 'recall[cat]'"
        raise MetricError(msg)
    return float(value)


def _check_width(counts: Any, wanted: str) -> None:
    """Refuse counts of 32 bits: some backends keep no more unless they are set otherwise, and Keras is silent on it."""
    kept = str(getattr(counts.value, "dtype", wanted)).rpartition(".")[2].strip("'> ")
    if wanted not in kept:
        most = (
            "a cell holds 2,147,483,647 at most"
            if wanted == "int64"
            else "weights have seven digits"
        )
        warnings.warn(
            f"the {keras.backend.backend()} backend keeps counts as {kept} and not as {wanted}, so "
            f"{most}; "
            "JAX keeps 64 bits after jax.config.update('jax_enable_x64', True)",
            ConfmatWarning,
            stacklevel=3,
        )
