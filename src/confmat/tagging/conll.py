"""CoNLL files: a token on each line with its tags in columns, sentences parted by empty lines."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, overload

from confmat._files import read_text
from confmat._options import told
from confmat.errors import InputError
from confmat.text import printable, some

__all__ = ["read_conll"]

Sequences = list[list[str]]
# Marks where a document begins in the files of CoNLL-2003; it is no token.
_DOCUMENT = "-DOCSTART-"


@overload
def read_conll(
    path: str | PathLike[str], columns: int = -1, *, separator: str | None = None, comment: str | None = None
) -> Sequences: ...
@overload
def read_conll(
    path: str | PathLike[str],
    columns: Iterable[int],
    *,
    separator: str | None = None,
    comment: str | None = None,
) -> tuple[Sequences, ...]: ...
def read_conll(
    path: str | PathLike[str],
    columns: int | Iterable[int] = -1,
    *,
    separator: str | None = None,
    comment: str | None = None,
) -> Sequences | tuple[Sequences, ...]:
    r"""The tags of a file with a token on each line; one list for each sentence, as `spans_of_tags` takes them.

    columns: which column holds tags, counted from 0, or from -1 at the end; of several, the sequences of each, such as
    (-2, -1) of the output of a tagger, where the truth stands before the answer.
    separator: what stands between columns, such as a tab; otherwise any white space.
    comment: how lines begin that are no tokens, such as "# id"; a lone "#" may be a token.

    Empty lines part sentences; lines of -DOCSTART- are left out.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "out.txt")
    >>> _ = path.write_text("Ada B-PER B-PER\nLovelace I-PER O\n\nHi O O\n")
    >>> read_conll(path, (-2, -1))
    ([['B-PER', 'I-PER'], ['O']], [['B-PER', 'O'], ['O']])
    """
    if comment is not None and (not isinstance(comment, str) or not comment):
        msg = f"`comment` is how lines begin that are no tokens, such as '# id', not {told(comment)}"
        raise InputError(msg)
    if separator is not None and not (isinstance(separator, str) and separator):
        msg = (
            f"`separator` is what stands between columns, such as a tab, or None for white space, not {told(separator)}"
        )
        raise InputError(msg)
    single = isinstance(columns, int)
    wanted = _columns([columns] if single else columns)
    found: list[Sequences] = [[] for _ in wanted]
    between = True
    # Only these end a line: a token may hold any other character that Unicode calls a line's end.
    for number, line in enumerate(read_text(path, "tags", large=True, empty=True).split("\n"), 1):
        if comment is not None and line.startswith(comment):
            continue
        fields = line.split(separator) if line.strip() else []
        if not fields or fields[0] == _DOCUMENT:
            between = True
            continue
        for column, sequences in zip(wanted, found, strict=True):
            if between:
                sequences.append([])
            if not -len(fields) <= column < len(fields):
                msg = (
                    f"{printable(path)}: line {number:,} has {len(fields)} columns, so there is no column {column}: "
                    f"{some([line])}"
                )
                raise InputError(msg)
            sequences[-1].append(fields[column].strip())
        between = False
    return found[0] if single else tuple(found)


def _columns(columns: Any) -> list[int]:
    wanted = list(columns) if isinstance(columns, Iterable) else [columns]
    if not wanted or any(type(one) is not int for one in wanted):
        msg = f"`columns` must be a whole number such as -1, or several, not {told(columns)}"
        raise InputError(msg)
    return wanted
