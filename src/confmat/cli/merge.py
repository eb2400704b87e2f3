"""`confmat merge`: stored matrices added up; of many that are alike the numbers alone are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confmat.cli.options import Settings, argument, command, group
from confmat.cli.settings import Look, Output
from confmat.core.errors import InputError, Message
from confmat.core.text import printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from confmat.cli.inputs import Counted
    from confmat.core.matrix import ConfusionMatrix

EXAMPLES = """\b
Examples:
  confmat merge day-*.json -o month.json
  confmat merge north.json south.csv
"""
# Items that an int64 can certainly hold.
MOST_ITEMS = 2.0**62


class MergeSettings(Settings):
    """The settings of `confmat merge`."""

    files: tuple[str, ...] = argument("FILES...", many=True)
    look: Look = group(Look)
    output: Output = group(Output)


@command(MergeSettings, EXAMPLES)
def merge(settings: MergeSettings) -> None:
    """Add up stored matrices; their classes are united. Stacks add group by group."""
    from confmat.cli.inputs import expanded
    from confmat.cli.output import form_of, put_matrix

    files = expanded(settings.files)
    form = form_of(settings.output, files)
    put_matrix(_merged(files), settings.output, form, settings.look)


def _merged(files: Sequence[str]) -> Counted:
    """Return the sum of what the files hold."""
    from confmat.cli.inputs import stored
    from confmat.core.matrix import ConfusionMatrix
    from confmat.core.stack import Stack

    whole: Counted | None = None
    alike = _Alike()
    for name in files:
        if alike.takes(name):
            continue
        part = stored(name)
        if not isinstance(part, (ConfusionMatrix, Stack)):
            msg = f"{printable(name)} holds a report; only matrices and stacks add up"
            raise InputError(msg)
        whole = part if whole is None else _sum(whole, part, name)
        alike.follow(name, part)
    assert whole is not None
    for part, name in alike.sums():
        whole = _sum(whole, part, name)
    return whole


def _sum(whole: Counted, part: Counted, name: str) -> Counted:
    from confmat.core.stack import Stack

    if type(whole) is not type(part):
        kinds = ["one matrix per group" if isinstance(one, Stack) else "one matrix" for one in (part, whole)]
        msg = f"{printable(name)} holds {kinds[0]} and the files before it {kinds[1]}; merge the ones, then the others"
        raise InputError(msg)
    try:
        return whole + part
    except ValueError as error:
        raise InputError(Message("{}: {}", printable(name), error)) from None


class _Alike:
    """Files that differ from one read before in nothing but their tables: these are added as arrays.

    The bytes around the table must be the same, so whatever was checked there holds here as well.
    """

    def __init__(self) -> None:
        self._around = (b"", b"")
        self._like: ConfusionMatrix | None = None
        self._name = ""
        self._table: NDArray[np.int64] | None = None
        self._total = 0.0
        self._done: list[tuple[Counted, str]] = []

    def follow(self, name: str, part: Counted) -> None:
        """Take files like this one from now on."""
        self._close()
        from confmat.core.matrix import ConfusionMatrix

        simple = isinstance(part, ConfusionMatrix) and not part.dropped and part.squares is None
        around = _around(name) if simple else None
        self._around, self._like = ((b"", b""), None) if around is None else (around, part)  # type: ignore[assignment]

    def takes(self, name: str) -> bool:
        """Add the file if it is like the last that was read whole; return whether it is."""
        import numpy as np

        table = None if self._like is None else _table(name, *self._around, len(self._like.labels))
        if table is None:
            return False
        rough = float(table.sum(dtype=np.float64))
        if self._total + rough > MOST_ITEMS:
            self._close()
            if rough > MOST_ITEMS:
                return False
        if self._table is None:
            self._table = table
        else:
            self._table += table
        self._total, self._name = self._total + rough, name
        return True

    def sums(self) -> list[tuple[Counted, str]]:
        """Return the sums so far, each with the last file that is in it."""
        self._close()
        return self._done

    def _close(self) -> None:
        from confmat.core.matrix import ConfusionMatrix

        if self._table is not None and self._like is not None:
            self._done.append((ConfusionMatrix(self._table, self._like.labels), self._name))
        self._table, self._total = None, 0.0


def _around(name: str) -> tuple[bytes, bytes] | None:
    """Return the bytes before and behind the table of a stored matrix; None where they are not clear."""
    from confmat.io.json_format import PLACE, take_table

    data = _bytes(name)
    try:
        taken = take_table(data.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    if taken is None:
        return None
    before, behind = (part.encode("utf-8") for part in taken[0].split(f'"{PLACE}"', 1))
    return (before, behind) if data.startswith(before + b"[") and data.endswith(b"]" + behind) else None


def _table(name: str, before: bytes, behind: bytes, size: int) -> NDArray[np.int64] | None:
    """Return the table of a file that has these bytes around it."""
    from confmat import kernels

    data = _bytes(name)
    if not (data.startswith(before) and data.endswith(behind) and len(data) > len(before) + len(behind)):
        return None
    table: NDArray[np.int64] | None = kernels.kernel.read_square(
        memoryview(data)[len(before) : len(data) - len(behind)], size
    )
    return table


def _bytes(name: str) -> bytes:
    """Return the bytes of a file; none where it cannot be read, which the ordinary reader reports."""
    if not name.endswith(".json"):
        return b""
    try:
        with open(name, "rb", buffering=0) as stream:  # noqa: PTH123 - a thousand files, for which paths take a third
            return stream.read()
    except OSError:
        return b""
