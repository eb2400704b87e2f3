"""Counting files: Parquet, CSV, TSV, JSONL and Arrow, larger than memory, many at once, or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, overload

from confmat._options import flag_if_any, told
from confmat.counting.door import MAX_GROUPS, policy_of
from confmat.counting.planning import Action, Policy, quiet
from confmat.engines.files_counting import Counted, Counting
from confmat.engines.gathering import Gathered
from confmat.engines.progress import Progress, Told
from confmat.engines.settling import refuse_scores, settled
from confmat.engines.sources import Format
from confmat.errors import InputError, Message
from confmat.labels import MAX_CLASSES
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

__all__ = ["MAX_PAIRS", "Progress", "count_files"]

MAX_PAIRS = 1_000_000


@overload
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: None = None,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    normalise: Answers | None = None,
    na_values: Iterable[str] = (),
    format: Format | None = None,
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    progress: Told | None = None,
    every: tuple[float, Callable[[Counted], object]] | None = None,
    resume: Any = None,
    max_pairs: int = MAX_PAIRS,
    max_classes: int = MAX_CLASSES,
    max_groups: int = MAX_GROUPS,
    sparse: bool | None = None,
) -> ConfusionMatrix: ...
@overload
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: str,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    normalise: Answers | None = None,
    na_values: Iterable[str] = (),
    format: Format | None = None,
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    progress: Told | None = None,
    every: tuple[float, Callable[[Counted], object]] | None = None,
    resume: Any = None,
    max_pairs: int = MAX_PAIRS,
    max_classes: int = MAX_CLASSES,
    max_groups: int = MAX_GROUPS,
    sparse: bool | None = None,
) -> Stack: ...
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: str | None = None,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    normalise: Answers | None = None,
    na_values: Iterable[str] = (),
    format: Format | None = None,  # noqa: A002 - as pandas, Polars and the command line call it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    progress: Told | None = None,
    every: tuple[float, Callable[[Counted], object]] | None = None,
    resume: Any = None,
    max_pairs: int = MAX_PAIRS,
    max_classes: int = MAX_CLASSES,
    max_groups: int = MAX_GROUPS,
    sparse: bool | None = None,
) -> Counted:
    r"""Count two columns of files into a ConfusionMatrix; with `by`, into one per group.

    Paths are files, directories or patterns such as `shard-*.parquet`, or a list of them; or one open binary stream,
    of which `format` says what it holds. Parquet, CSV, TSV (both also .gz and .zst), JSONL and Arrow IPC (Feather)
    are read. The counts are those of `count` on the same rows; what is in memory is the table of pairs, not the rows.

    Labels of CSV and TSV are text: 01 is not 1, and NA is a label. An empty field is missing, a quoted empty field
    ("") the empty label. Other formats type their labels themselves.

    actual, predicted: the columns with the labels; by default found by their names (y_true and y_pred, ...).
    weights, by: columns with one number, or one group, per row.
    labels, missing, other, positive, normalise, sparse, max_classes, max_groups: as in `count`.
    na_values: labels written like one of these are missing.
    format, delimiter: what a file is, where its suffix does not say so; what stands between fields of a CSV.
    memory_limit, threads: what DuckDB, where it is installed, may use.
    progress: called with a Progress a few times a second.
    every: (seconds, callback): called with what has been counted so far, while text is read as a stream.
    resume: a checkpoint file, from which a count that was killed goes on.
    max_pairs: more different pairs than this are an error, since a column of identifiers was meant to be another.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "preds.csv").write_text("id,y_true,y_pred\n1,cat,cat\n2,cat,hen\n3,hen,hen\n")
    ...     print(count_files(f"{folder}/*.csv"))
            predicted
    actual  cat  hen  │ total
    cat       1    1  │     2
    hen       0    1  │     1
    total     1    2  │     3
    """
    policy = policy_of(labels, missing, other, positive, max_classes, normalise)
    sparse = flag_if_any("sparse", sparse)
    absent = _texts(na_values)

    def finish(gathered: Gathered, policy: Policy) -> Counted:
        found = gathered.counted(absent)
        if labels is None and normalise is None:
            refuse_scores(found, gathered.asked)
        return settled(found, gathered.asked, policy, sparse, max_groups)

    counting = Counting(
        actual, predicted, weights, by, format, delimiter, memory_limit, threads, progress, every, resume, max_pairs
    )
    return finish(counting.run(paths, lambda gathered: finish(gathered, quiet(policy))), policy)


def _texts(values: Iterable[str]) -> frozenset[str]:
    found = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    for value in found:
        if not isinstance(value, str):
            msg = Message("{na_values} are given as they are written, as text, not as {}", told(value, typed=True))
            raise InputError(msg)
    return frozenset(found)
