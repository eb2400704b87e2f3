"""scikit-learn's ConfusionMatrixDisplay, which takes a ConfusionMatrix too."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay as Theirs

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import axis_named
from confmat.core.text import printable
from confmat.sklearn._face import face


class ConfusionMatrixDisplay(Theirs):  # type: ignore[misc] # scikit-learn is not followed
    """A confusion matrix as scikit-learn draws it: one colour scale, a number in each cell.

    It is a `sklearn.metrics.ConfusionMatrixDisplay` that takes a matrix of confmat as well, here
    and by `from_matrix`, and writes odd names safely. `confmat.plot` draws the same matrix with
    more care for many classes and long names.

    Parameters
    ----------
    confusion_matrix
        The table, or a ConfusionMatrix, whose labels are then shown.
    display_labels
        Names for rows and columns; without, 0 to K-1.

    Attributes
    ----------
    im_, text_, ax_, figure_
        The image, an array of the texts in the cells (or None), the axes and the figure; `plot`
        sets them.

    >>> shown = ConfusionMatrixDisplay(ConfusionMatrix([[4, 1], [2, 3]], ["ham", "spam"]))
    >>> shown.display_labels
    ['ham', 'spam']
    """

    from_predictions = classmethod(face(Theirs.from_predictions.__func__))

    def __init__(self, confusion_matrix: Any, *, display_labels: Any = None) -> None:
        if isinstance(confusion_matrix, ConfusionMatrix):
            display_labels = (
                list(confusion_matrix.labels) if display_labels is None else display_labels
            )
            confusion_matrix = confusion_matrix.counts
        super().__init__(confusion_matrix, display_labels=display_labels)

    @classmethod
    def from_matrix(
        cls,
        m: ConfusionMatrix,
        *,
        normalize: Any = None,
        display_labels: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a ConfusionMatrix; `options` are those of `plot`.

        >>> shown = ConfusionMatrixDisplay.from_matrix(
        ...     ConfusionMatrix([[4, 1], [2, 3]]), normalize="true"
        ... )
        >>> shown.text_[0, 0].get_text()
        '0.8'
        """
        if not isinstance(m, ConfusionMatrix):
            msg = f"`from_matrix` takes a ConfusionMatrix, not {type(m).__name__}"
            raise InputError(msg)
        shown = cls(m, display_labels=display_labels)
        if normalize is not None:
            shown.confusion_matrix = np.nan_to_num(m.normalize(axis_named("normalize", normalize)))
        return shown.plot(**options)

    def plot(self, **options: Any) -> Self:
        """Draw the matrix into axes, new ones if none are given; the options are scikit-learn's."""
        super().plot(**options)
        names = (
            range(len(self.confusion_matrix))
            if self.display_labels is None
            else self.display_labels
        )
        shown = [printable(name) if name != "" else "" for name in names]
        # Names are words, and no mathematics begins at a dollar sign.
        self.ax_.set_xticks(np.arange(len(shown)), shown, parse_math=False)
        self.ax_.set_yticks(np.arange(len(shown)), shown, parse_math=False)
        return self
