"""Adding up stored matrices, many of which are alike: the numbers of those are read without reading the rest again."""

from __future__ import annotations

import glob
from pathlib import Path

from confmat.errors import InputError
from confmat.formats import load
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack
from confmat.text import printable

__all__ = ["merged"]


def merged(names: tuple[str, ...]) -> ConfusionMatrix | Stack:
    """The sum of what the files hold."""
    whole: ConfusionMatrix | Stack | None = None
    for name in _meant(names):
        part = load(name)
        if not isinstance(part, (ConfusionMatrix, Stack)):
            msg = f"{printable(name)} holds a report; only matrices and stacks add up"
            raise InputError(msg)
        try:
            whole = part if whole is None else whole + part
        except (ValueError, TypeError) as error:
            msg_0 = f"{printable(name)}: {error}"
            raise InputError(msg_0) from None
    assert whole is not None
    return whole


def _meant(names: tuple[str, ...]) -> list[str]:
    """Files, or what a pattern that no shell has expanded stands for."""
    found: list[str] = []
    for name in names:
        if glob.has_magic(name) and not Path(name).exists():
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - the whole pattern, absolute or not
            if not matches:
                msg = f"{printable(name)}: no file matches this pattern"
                raise InputError(msg)
            found += matches
        else:
            found.append(name)
    return found
