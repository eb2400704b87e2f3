"""CSV without quotes: blocks of whole lines, whose two columns the kernel reads, in threads.

Several times as fast as a database that parses CSV. A rare block with quotes is read by the csv module; files full of
them are left to the database, and nothing has been added by then.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from confmat.counting.columns import Column
from confmat.counting.door import policy_of
from confmat.counting.pairing import count_columns
from confmat.engines.blocks import Block, text_of
from confmat.engines.files_plain import opened_text
from confmat.engines.gathering import Gathered, Key
from confmat.engines.progress import Clock
from confmat.engines.records import plain_fields, reader_of
from confmat.engines.sources import Source
from confmat.engines.team import Team
from confmat.labels import MAX_CLASSES

__all__ = ["PlainText"]

# So many plain blocks make up for one that the csv module has to read, ten times as slowly.
RARE = 20


class PlainText:
    """The blocks of text files that share their header."""

    def __init__(self, files: Sequence[Source], names: Sequence[str], delimiter: str, gathered: Gathered) -> None:
        asked = gathered.asked
        self._files, self._delimiter, self._width = files, delimiter, len(names)
        self._places = [list(names).index(name) for name in (asked.actual, asked.predicted)]
        self._policy = replace(policy_of(None, "collect", "error", None, MAX_CLASSES), is_part=True)
        self._whole = 0 if any(file.packing for file in files) else sum(file.size for file in files)
        self._bytes = self._rows = self._plain = self._odd = 0
        self._asked = [asked.actual, asked.predicted]
        self._names = names
        self._others: Counter[Key] = Counter()
        self._lock = threading.Lock()

    def count(self, gathered: Gathered, clock: Clock, threads: int | None) -> bool:
        """Add all rows; False, and nothing added, if something was not as simple as it should be."""
        self._team = Team(self._blocks(), self._count, threads)
        share = 1 / self._whole if self._whole else None
        if not self._team.run(lambda: clock.tell(share and min(self._bytes * share, 1.0), self._rows)):
            return False
        self._team.add_to(gathered)
        gathered.add(self._others)
        return True

    def _blocks(self) -> Iterator[tuple[Block, str]]:
        for file in self._files:
            with opened_text(file, self._delimiter) as opening:
                for block in opening.blocks:
                    self._bytes += len(block.data)
                    yield block, opening.name

    def _count(self, part: tuple[Block, str]) -> None:
        block, name = part
        if not block.data.isascii():
            # Columns that nobody asked for must be text, too.
            text_of(block, name)
        found = plain_fields(block, self._delimiter, self._width, self._places)
        if found is None:
            self._count_odd(block, name)
            return
        left, left_names, right, right_names = found
        row = Column(left, left_names, holes=bool((left < 0).any()))
        col = Column(right, right_names, holes=bool((right < 0).any()))
        self._team.tally.merge(count_columns(row, col, None, self._policy, None, 1))
        self._team.check()
        self._rows += len(left)
        self._plain += 1

    def _count_odd(self, block: Block, name: str) -> None:
        self._odd += 1
        if self._odd * RARE > self._plain:
            raise ValueError
        read = reader_of("csv", name, self._names, self._asked, self._delimiter, weighted=False)
        counts = read(block)
        with self._lock:
            self._others.update(counts)
            self._rows += counts.total()
