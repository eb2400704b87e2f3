"""ConfusionMatrixDisplay with scikit-learn's constructor, attributes and methods; it takes a ConfusionMatrix too."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Self

import numpy as np

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import printable
from confmat.sklearn._counting import count_labels
from confmat.sklearn._reading import Array, check_one_of, is_sparse
from confmat.sklearn.matrices import normalized, table_of


class ConfusionMatrixDisplay:
    """A confusion matrix as scikit-learn draws it: one colour scale, a number in each cell.

    The parameters, attributes and methods are those of `sklearn.metrics.ConfusionMatrixDisplay`, and a matrix of
    confmat is taken as well, here and by `from_matrix`. `confmat.plot` draws the same matrix with more care for many
    classes and long names.

    Parameters
    ----------
    confusion_matrix
        The table, or a ConfusionMatrix, whose labels are then shown.
    display_labels
        Names for rows and columns; without, 0 to K-1.

    Attributes
    ----------
    im_, text_, ax_, figure_
        The image, an array of the texts in the cells (or None), the axes and the figure; `plot` sets them.

    >>> shown = ConfusionMatrixDisplay(ConfusionMatrix([[4, 1], [2, 3]], ["ham", "spam"]))
    >>> shown.display_labels
    ['ham', 'spam']
    """

    im_: Any
    text_: Any
    ax_: Any
    figure_: Any

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        if isinstance(confusion_matrix, ConfusionMatrix):
            display_labels = list(confusion_matrix.labels) if display_labels is None else display_labels
            confusion_matrix = confusion_matrix.counts
        self.confusion_matrix = confusion_matrix
        self.display_labels = display_labels

    @classmethod
    def from_matrix(
        cls, m: ConfusionMatrix, *, normalize: Any = None, display_labels: Any = None, **options: Any
    ) -> Self:
        """Draw a ConfusionMatrix; `options` are those of `plot`.

        >>> shown = ConfusionMatrixDisplay.from_matrix(ConfusionMatrix([[4, 1], [2, 3]]), normalize="true")
        >>> shown.text_[0, 0].get_text()
        '0.8'
        """
        if not isinstance(m, ConfusionMatrix):
            msg = f"`from_matrix` takes a ConfusionMatrix, not {type(m).__name__}"
            raise InputError(msg)
        check_one_of("from_matrix", "normalize", normalize, ("true", "pred", "all"))
        names = list(m.labels) if display_labels is None else display_labels
        return cls(normalized(m.counts, normalize), display_labels=names).plot(**options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Any = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: Any = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Count true and predicted labels and draw the matrix."""
        _ask_for_matplotlib(f"{cls.__name__}.from_predictions")
        check_one_of("confusion_matrix", "normalize", normalize, ("true", "pred", "all"))
        try:
            counted = count_labels(y_true, y_pred, sample_weight, sorts=False)
        except InputError as error:
            if display_labels is None and labels is None and "a mix of" in str(error):
                msg = f"Mix type of y not allowed, got types as said: {error}"
                raise InputError(msg) from error
            raise
        table = normalized(table_of(counted, labels), normalize)
        if display_labels is None:
            display_labels = counted.labels if labels is None else labels
        options = {"include_values": include_values, "xticks_rotation": xticks_rotation, "cmap": cmap, "ax": ax}
        options |= {"values_format": values_format, "colorbar": colorbar, "im_kw": im_kw, "text_kw": text_kw}
        return cls(table, display_labels=display_labels).plot(**options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        normalize: Any = None,
        display_labels: Any = None,
        include_values: bool = True,
        xticks_rotation: Any = "horizontal",
        values_format: Any = None,
        cmap: Any = "viridis",
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Let a classifier predict, count against the true labels, and draw the matrix."""
        name = f"{cls.__name__}.from_estimator"
        _ask_for_matplotlib(name)
        if not _is_classifier(estimator):
            msg = f"{name} only supports classifiers"
            raise InputError(msg)
        options = {"include_values": include_values, "xticks_rotation": xticks_rotation, "cmap": cmap, "ax": ax}
        options |= {"values_format": values_format, "colorbar": colorbar, "im_kw": im_kw, "text_kw": text_kw}
        options |= {"labels": labels, "sample_weight": sample_weight, "normalize": normalize}
        return cls.from_predictions(y, estimator.predict(X), display_labels=display_labels, **options)

    def plot(
        self,
        *,
        include_values: bool = True,
        cmap: Any = "viridis",
        xticks_rotation: Any = "horizontal",
        values_format: Any = None,
        ax: Any = None,
        colorbar: bool = True,
        im_kw: Any = None,
        text_kw: Any = None,
    ) -> Self:
        """Draw the matrix into axes, new ones if none are given."""
        _ask_for_matplotlib("ConfusionMatrixDisplay.plot")
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots()[1]
        table = self.confusion_matrix
        table = table.toarray() if is_sparse(table) else np.asarray(table)
        size = len(table)
        self.ax_, self.figure_ = ax, ax.figure
        self.im_ = ax.imshow(table, **{"interpolation": "nearest", "cmap": cmap, **(im_kw or {})})
        self.text_ = _write(ax, table, self.im_, values_format, text_kw or {}) if include_values else None
        if colorbar:
            self.figure_.colorbar(self.im_, ax=ax)
        names = range(size) if self.display_labels is None else self.display_labels
        shown = [printable(name) if name != "" else "" for name in names]
        ax.set(xlabel="Predicted label", ylabel="True label", ylim=(size - 0.5, -0.5))
        # Names are words, and no mathematics begins at a dollar sign.
        ax.set_xticks(np.arange(size), shown, rotation=xticks_rotation, parse_math=False)
        ax.set_yticks(np.arange(size), shown, parse_math=False)
        return self


def _write(ax: Any, table: Array, image: Any, values_format: Any, text_kw: dict[str, Any]) -> Array:
    """A number in each cell, in the colour of the other end of the scale."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.text import Text

    wished = normalize_kwargs(text_kw, Text)
    dark, light = image.cmap(0), image.cmap(1.0)
    middle = (table.max() + table.min()) / 2.0
    texts = np.empty(table.shape, dtype=object)
    for (i, j), value in np.ndenumerate(table):
        style = {
            "horizontalalignment": "center",
            "verticalalignment": "center",
            "color": light if value < middle else dark,
            **wished,
        }
        texts[i, j] = ax.text(j, i, _number(value, values_format), **style)
    return texts


def _number(value: Any, values_format: Any) -> str:
    if values_format is not None:
        return format(value, values_format)
    short = format(value, ".2g")
    if value.dtype.kind == "f":
        return short
    whole = format(value, "d")
    return whole if len(whole) < len(short) else short


def _is_classifier(estimator: Any) -> bool:
    if hasattr(estimator, "__sklearn_tags__"):
        return bool(estimator.__sklearn_tags__().estimator_type == "classifier")
    return getattr(estimator, "_estimator_type", None) == "classifier" or hasattr(estimator, "classes_")


def _ask_for_matplotlib(name: str) -> None:
    if find_spec("matplotlib") is None:
        msg = f"{name} takes Matplotlib; install it with: pip install 'confmat[plot]'"
        raise ImportError(msg)
