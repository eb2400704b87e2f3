"""Examples from files: a few rows of every cell of a matrix that was counted from the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import as_list, door
from confmat.core.stack import Stack
from confmat.core.text import repeated, some
from confmat.counting.answers.rules import INVALID, check_rules
from confmat.counting.examples import Examples
from confmat.io.rows import Wanted, rows_of
from confmat.io.sources import Format, sources

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

_CACHED_ANSWERS = 100_000


@door
def examples(
    paths: Any,
    columns: Iterable[str],
    *,
    actual: str | None = None,
    predicted: str | None = None,
    answers: Answers | None = None,
    matrix: ConfusionMatrix | Stack | None = None,
    per_cell: int = 20,
    hits: bool = False,
    seed: int = 0,
    max_cells: int = 20_000,
    na_values: Iterable[str] = (),
    format: Format | None = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
) -> Examples:
    r"""Draw a reproducible sample of the rows of every cell, from files as `count_files` reads them.

    The sample depends on the content of rows and on `seed` alone: not on the spread over files, nor on formats as long
    as fields read alike, nor on the packages installed.

    Parameters
    ----------
    paths
        Files, as in `count_files`.
    columns
        The columns that an example shows, such as an id and a text.
    actual, predicted
        The columns with the labels; by default found by their names, as in `count_files`.
    answers
        Rules by which free answers became labels, as in `count_files`; name the column of answers in `columns` too, to
        show the words of an answer.
    matrix
        The matrix or the stack that was counted from the same files. Examples then have its labels: those collected as
        "(missing)" or "(other)" are there too, and those left out are not.
    per_cell, hits, seed, max_cells
        As in `Examples`; by default only errors are kept.
    na_values, format, delimiter, memory_limit, threads
        As in `count_files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "preds.csv").write_text("id,y_true,y_pred\n1,cat,cat\n2,cat,hen\n3,hen,hen\n")
    ...     dict(examples(f"{folder}/*.csv", ["id"]))
    {('cat', 'hen'): [{'id': '2'}]}
    """
    if isinstance(columns, (list, tuple)) and repeated(map(str, columns)):
        msg = (
            f"`columns` repeats {some(repeated(map(str, columns)))}: `examples` reads files, "
            "examples('preds.csv', ['id', 'text']); for labels in memory there is "
            "confmat.Examples().update(actual, predicted, items)"
        )
        raise InputError(msg)
    if hasattr(paths, "read"):
        msg = "examples are read in a second pass, and a stream can be read once; store it in a file first"
        raise InputError(msg)
    made = Examples(per_cell, columns=columns, seed=seed, hits=hits, max_cells=max_cells)
    if not made.columns:
        msg = "`columns` must name what an example shows, such as ['id', 'text']"
        raise InputError(msg)
    absent = frozenset([na_values] if isinstance(na_values, str) else as_list("na_values", na_values, "texts"))
    labelled = _labelled(answers, matrix)
    wanted = Wanted(actual, predicted, made.columns, hits=hits)
    for file in sources(paths, format):
        for rows in rows_of(file, wanted, delimiter=delimiter, memory=memory_limit, threads=threads):
            left, right = ([_label(row[side], absent) for row in rows] for side in (0, 1))
            made.update(left, [labelled(name) for name in right], [row[2:] for row in rows])
    return made if matrix is None else made.fitted(matrix)


def _labelled(rules: Answers | None, matrix: ConfusionMatrix | Stack | None) -> Callable[[Any], Any]:
    """Return the function from an answer to its label; each different answer is read once, while they are few."""
    if rules is None:
        return lambda name: name
    rules = check_rules(rules)
    if rules.labels is None and matrix is not None:
        rules = rules.bound(matrix.labels.classes)
    read = lru_cache(_CACHED_ANSWERS, typed=True)(rules.read_one)

    def labelled(name: Any) -> Any:
        found = None if name is None else read(name)
        return None if found is None else INVALID if found.label is None else found.label

    return labelled


def _label(name: Any, absent: frozenset[str]) -> Any:
    return None if name is None or (absent and str(name) in absent) else name
