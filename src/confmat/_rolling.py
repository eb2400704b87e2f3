"""Rolling up: a matrix or a stack of classes becomes one of the groups that a hierarchy puts them in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat._options import told
from confmat.errors import InputError
from confmat.labels import Labels

if TYPE_CHECKING:
    from typing import Self

__all__ = ["RollsUp"]


class RollsUp:
    """What knows its labels and can move them to other places."""

    __slots__ = ()

    labels: Labels

    if TYPE_CHECKING:

        def _remapped(self, labels: Labels, codes: NDArray[np.int64]) -> Any: ...

    def roll_up(self, hierarchy: Any, level: int | Iterable[Any] = 1) -> Self:
        """The same counts over groups: the nodes of a `confmat.Hierarchy` at a level, or at named nodes.

        Level 1 is right below the root. Of named nodes, the nearest above a class counts. A class above the cut stays
        as it is, labels outside the classes stay outside, and each group stands at the place of its first class.

        >>> import confmat as cm
        >>> h = cm.Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> m = cm.ConfusionMatrix(
        ...     [[5, 3, 1, 0], [2, 6, 0, 0], [1, 0, 7, 1], [0, 0, 0, 9]], ["lemon", "lime", "apple", "leek"]
        ... )
        >>> m.roll_up(h).counts
        array([[25,  1],
               [ 0,  9]])
        >>> list(m.roll_up(h, level=2).labels), list(m.roll_up(h, level=["fruit"]).labels)
        (['citrus', 'apple', 'leek'], ['fruit', 'leek'])
        """
        rolled = getattr(hierarchy, "_rolled", None)
        if rolled is None:
            msg = (
                "`roll_up` takes a Hierarchy, such as confmat.Hierarchy.from_paths(['fruit/citrus/lemon', ...]), "
                f"not {told(hierarchy, typed=True)}; `merge` takes groups of classes"
            )
            raise InputError(msg)
        return self._remapped(*rolled(self.labels, level))
