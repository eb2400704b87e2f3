"""Lines of more pairs than fit into memory, which DuckDB keeps in a temporary file and sums there."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.columns import Column
from confmat.io.sources import needed


class Spill:
    """A table of places in one list of names, and of how many rows each line represents.

    The file is removed once it is summed, and otherwise with this object or when the interpreter
    ends.
    """

    def __init__(self, width: int, memory: int) -> None:
        duckdb = needed("duckdb", "counting more pairs than fit into memory")
        self.names: list[Any] = []
        self._keys = ", ".join(f"k{i}" for i in range(width))
        # Its owner alone may read it.
        folder = tempfile.mkdtemp(prefix="confmat-")
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        config = {"memory_limit": f"{memory}B", "temp_directory": folder, "threads": 1}
        config |= {"preserve_insertion_order": False, "autoinstall_known_extensions": False}
        self._room = duckdb.connect(str(Path(folder, "pairs")), config=config)
        self._room.execute("SET enable_progress_bar = false")
        columns = self._keys.replace(",", " INTEGER,")
        self._room.execute(f"CREATE TABLE pairs ({columns} INTEGER, n BIGINT)")

    def add(self, names: list[Any], codes: Sequence[NDArray[Any]], many: NDArray[Any]) -> None:
        """Add lines; `names` go on where those before them ended."""
        self.names = names
        lines = {f"k{i}": each.astype(np.int32) for i, each in enumerate(codes)} | {"n": many}
        self._room.register("lines", lines)
        self._room.execute("INSERT INTO pairs SELECT * FROM lines")
        self._room.unregister("lines")

    def summed(self, most: int) -> tuple[list[Column], list[NDArray[Any]]]:
        """Give up to `most` lines, no two of which have the same labels, and forget them all."""
        query = f"SELECT {self._keys}, sum(n)::BIGINT FROM pairs GROUP BY ALL LIMIT {most}"  # noqa: S608 - our names
        *codes, many = self._room.execute(query).fetchnumpy().values()
        self._room.close()
        self._remove()
        return [Column(np.asarray(each), self.names, holes=True, spare=True) for each in codes], [
            np.asarray(many)
        ]
